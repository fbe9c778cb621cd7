//! A set of keys in little more memory than its information content: a quotient table after Cleary
//! (Compact hash tables using bidirectional linear probing, 1984), with cache lines as buckets.
//!
//! A key is a *home* number, which must be well mixed, and a few *extra* bits. The line that holds
//! a key stands for the leading part of its home number. An entry stores only the other part (the
//! remainder), the number of lines by which the key was displaced from its home line, and the extra
//! bits. A key of 40 bits costs about 24 bits in a table of a million.
//!
//! Threads insert concurrently. Meanwhile no entry is moved or removed: a reader compares the
//! entries that the line's counter declares complete, without locking; a writer locks the line by a
//! bit beside its counter.
//!
//! Lines are in the order of home numbers (except for displacements), in tables of every size.
//! [`Quotient::rebuild`] therefore grows in place, moving every entry up, from the last line to the
//! first, and needs no memory besides the larger table.

mod geometry;
mod lines;
#[cfg(all(test, loom))]
mod loom_models;

use super::Insertion;
use crate::liveness::stress;
use crate::memory::padded::CachePadded;
use crate::memory::sync::{Ordering, spin_loop};
use crate::tuning::store::{QUOTIENT_MIN_GROWTH, QUOTIENT_MIN_LINES, QUOTIENT_USUAL_LOAD};
use geometry::{
    COUNT_MASK, Geometry, HEADER_BITS, LINE_BITS, LINE_WORDS, LOCKED, LineWords, MAX_ENTRY_BITS,
    WINDOW, count,
};
use lines::Lines;
use std::sync::atomic::AtomicU64;

/// Counters of entries, on different cache lines so that threads seldom contend.
const COUNTERS: usize = 16;

/// See the module.
#[derive(Debug)]
pub struct Quotient {
    geometry: Geometry,
    lines: Lines,
    /// Keys for which a rebuild found no free slot in their window.
    spilled: Vec<(u64, u64)>,
    counters: [CachePadded<AtomicU64>; COUNTERS],
}

impl Quotient {
    /// An empty set with room for about `keys` keys, each a home number of `home_bits` bits (1 to
    /// 64) and `extra_bits` more. `None` if there is no memory.
    pub fn new(home_bits: u32, extra_bits: u32, keys: u64) -> Option<Quotient> {
        let entry = (home_bits + extra_bits).saturating_sub(10).max(10);
        let slots = u64::from((LINE_BITS - HEADER_BITS) / entry).max(1);
        let count = (keys * 10 / 7 / slots) as usize;
        let geometry = Geometry::new(home_bits, extra_bits, count.max(QUOTIENT_MIN_LINES));
        assert!(geometry.entry_bits() <= MAX_ENTRY_BITS, "the key is too wide for the table");
        let mut lines = Lines::default();
        lines.extend_to(geometry.lines + WINDOW - 1).then(|| Quotient {
            geometry,
            lines,
            spilled: Vec::new(),
            counters: Default::default(),
        })
    }

    /// Can this table hold keys with `extra_bits` extra bits?
    pub fn accepts(&self, extra_bits: u32) -> bool {
        Geometry::new(self.geometry.home_bits, extra_bits, self.geometry.lines).entry_bits()
            <= MAX_ENTRY_BITS
    }

    pub fn len(&self) -> u64 {
        self.counters.iter().map(|counter| counter.load(Ordering::Relaxed)).sum()
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.lines.memory_bytes() + self.spilled.capacity() * 16) as u64
    }

    #[inline]
    pub fn prefetch(&self, home: u64) {
        let (line, _) = self.geometry.split(home);
        super::prefetch::line(&self.lines.line(line)[0]);
    }

    /// Precondition: `home` and `extra` have no more bits than the table was made for.
    pub fn insert(&self, home: u64, extra: u64) -> Insertion {
        let geometry = &self.geometry;
        let (first, remainder) = geometry.split(home);
        let mut entry = geometry.entry(remainder, extra);
        for line in first..first + WINDOW {
            match self.insert_into(line, entry) {
                Some(Insertion::New) => {
                    self.counters[home as usize % COUNTERS].fetch_add(1, Ordering::Relaxed);
                    return Insertion::New;
                }
                Some(found) => return found,
                // A full line stays full, so every lookup of this key continues in the next line.
                None => entry += 1,
            }
        }
        if self.spilled.contains(&(home, extra)) { Insertion::Known } else { Insertion::Full }
    }

    /// `None` if the line is full and does not hold the entry.
    #[inline]
    fn insert_into(&self, line: usize, entry: u128) -> Option<Insertion> {
        let line = self.lines.line(line);
        let mut seen = line[0].load(Ordering::Acquire);
        loop {
            // Entries that the counter includes were written before the counter.
            let mut words: LineWords =
                std::array::from_fn(|index| line[index].load(Ordering::Relaxed));
            words[0] = seen & !LOCKED;
            if self.geometry.contains(&words, entry) {
                return Some(Insertion::Known);
            }
            if count(&words) >= self.geometry.slots {
                return None;
            }
            if seen & LOCKED != 0 {
                spin_loop();
                seen = line[0].load(Ordering::Acquire);
                continue;
            }
            // Fails if another thread has added an entry since `seen` was loaded.
            match line[0].compare_exchange(
                seen,
                seen | LOCKED,
                Ordering::Acquire,
                Ordering::Acquire,
            ) {
                Ok(_) => {}
                Err(now) => {
                    seen = now;
                    continue;
                }
            }
            stress::point();
            // The words loaded above may be older than `seen`.
            for (word, shared) in words.iter_mut().zip(line).skip(1) {
                *word = shared.load(Ordering::Relaxed);
            }
            let before = words;
            self.geometry.append(&mut words, entry);
            for index in 1..LINE_WORDS {
                if words[index] != before[index] {
                    line[index].store(words[index], Ordering::Relaxed);
                }
            }
            line[0].store(words[0], Ordering::Release);
            return Some(Insertion::New);
        }
    }

    /// Calls `visit` with home number and extra bits of every key.
    pub fn for_each(&self, mut visit: impl FnMut(u64, u64)) {
        for line in 0..self.lines.len() {
            self.geometry.for_each(line, &self.lines.read(line), &mut visit);
        }
        for &(home, extra) in &self.spilled {
            visit(home, extra);
        }
    }

    /// The usual size of a table with `keys` keys.
    pub fn bytes_for(home_bits: u32, extra_bits: u32, keys: u64) -> u64 {
        let lines = |slots: u32| {
            let lines = keys as f64 / (f64::from(slots) * QUOTIENT_USUAL_LOAD);
            (lines as usize).max(QUOTIENT_MIN_LINES)
        };
        let first = Geometry::new(home_bits, extra_bits, lines(8));
        lines(Geometry::new(home_bits, extra_bits, lines(first.slots)).slots) as u64
            * u64::from(LINE_BITS / 8)
    }

    /// The size of the table after [`rebuild`](Self::rebuild).
    pub fn rebuilt_bytes(&self, extra_bits: u32, load: f64) -> u64 {
        (self.rebuilt(extra_bits, load).lines + WINDOW) as u64 * u64::from(LINE_BITS / 8)
    }

    fn rebuilt(&self, extra_bits: u32, load: f64) -> Geometry {
        let old = &self.geometry;
        let least = (old.lines as f64 * QUOTIENT_MIN_GROWTH) as usize + WINDOW;
        let slots = Geometry::new(old.home_bits, extra_bits, least).slots;
        let lines = (self.len() as f64 / (f64::from(slots) * load)) as usize;
        Geometry::new(old.home_bits, extra_bits, lines.max(least))
    }

    /// Enlarges the table so that the fraction `load` of its slots is used. Each key gets the extra
    /// bits `widen(extra)`, of which there may be `extra_bits`. `false` if there is no memory, and
    /// then nothing has changed.
    ///
    /// Precondition: the table [accepts](Self::accepts) that many extra bits.
    #[must_use]
    pub fn rebuild(&mut self, extra_bits: u32, load: f64, widen: impl Fn(u64) -> u64) -> bool {
        let old = self.geometry;
        let old_lines = self.lines.len();
        let new = self.rebuilt(extra_bits, load);
        assert!(new.entry_bits() <= MAX_ENTRY_BITS, "the key is too wide for the table");
        if !self.lines.extend_to(new.lines + WINDOW - 1) {
            return false;
        }
        self.geometry = new;
        // A key in line r has its new home at or above (r - WINDOW) * growth, which is above r for
        // all r from `low` on. The lines below `low` are copied first.
        let growth = new.lines as f64 / old.lines as f64;
        let low = ((WINDOW as f64 * growth / (growth - 1.0)) as usize + WINDOW).min(old_lines);
        let aside: Vec<LineWords> = (0..low).map(|line| self.lines.read(line)).collect();
        (0..low).for_each(|line| self.lines.write(line, &[0; LINE_WORDS]));
        let spilled = std::mem::take(&mut self.spilled);
        for line in (0..old_lines).rev() {
            let words = if line < low { aside[line] } else { self.lines.read(line) };
            if line >= low {
                self.lines.write(line, &[0; LINE_WORDS]);
            }
            old.for_each(line, &words, &mut |home, extra| self.place(home, widen(extra)));
        }
        for (home, extra) in spilled {
            self.place(home, widen(extra));
        }
        true
    }

    /// Adds a key that the table does not hold.
    fn place(&mut self, home: u64, extra: u64) {
        let (first, remainder) = self.geometry.split(home);
        let entries = self.geometry.entry(remainder, extra)..;
        for (line, entry) in (first..first + WINDOW).zip(entries) {
            if self.lines.line(line)[0].load(Ordering::Relaxed) & COUNT_MASK
                < u64::from(self.geometry.slots)
            {
                let mut words = self.lines.read(line);
                self.geometry.append(&mut words, entry);
                self.lines.write(line, &words);
                return;
            }
        }
        self.spilled.push((home, extra));
    }
}

#[cfg(test)]
mod tests {
    use super::geometry::mask;
    use super::*;
    use crate::store::packed::permutation::Permutation;
    use crate::store::testing::size;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #![proptest_config(seeded::cases(40))]
        #[test]
        fn behaves_like_a_set(
            home_bits in 8u32..=64,
            extra_bits in 0u32..6,
            seed: u64,
            number in 0..size(60_000),
            range_bits in 4u32..64,
        ) {
            let mut table = Quotient::new(home_bits, extra_bits, 0).expect("memory");
            let permutation = Permutation::new(home_bits);
            let mut extra_bits = extra_bits;
            let mut oracle = HashSet::new();
            let mut random = seed | 1;
            for _ in 0..number {
                random = random
                    .wrapping_mul(0x5851_f42d_4c95_7f2d)
                    .wrapping_add(0x1405_7b7e_f767_814f);
                let key = random >> (64 - range_bits);
                let home = permutation.apply(key & mask(home_bits));
                let extra = (random >> 7) & mask(extra_bits);
                let new = oracle.insert((home, extra));
                loop {
                    match table.insert(home, extra) {
                        Insertion::Full => {
                            if random & 8 == 0 && extra_bits < 7 && table.accepts(extra_bits + 1) {
                                extra_bits += 1;
                            }
                            prop_assert!(table.rebuild(extra_bits, 0.65, |extra| extra));
                        }
                        found => {
                            prop_assert_eq!(found == Insertion::New, new);
                            break;
                        }
                    }
                }
            }
            prop_assert_eq!(table.len(), oracle.len() as u64);
            let mut found = HashSet::new();
            table.for_each(|home, extra| { found.insert((home, extra)); });
            prop_assert_eq!(found, oracle);
        }
    }

    /// Threads insert overlapping sets of keys concurrently: each key is new to exactly one thread.
    #[test]
    fn threads_agree() {
        let part = size(10_000);
        let table = Quotient::new(50, 3, 6 * part).expect("memory");
        let permutation = Permutation::new(50);
        let (shared, permutation) = (&table, &permutation);
        let insert = move |offset: u64| {
            let keys = offset..offset + 3 * part;
            keys.filter(|key| shared.insert(permutation.apply(*key), key & 7) == Insertion::New)
                .count() as u64
        };
        let news: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|thread| scope.spawn(move || insert(thread * part))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(news, 6 * part);
        assert_eq!(table.len(), 6 * part);
    }
}
