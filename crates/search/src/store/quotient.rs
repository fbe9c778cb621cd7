//! A set of keys in little more memory than the information in it: a quotient table after Cleary (Compact hash tables using
//! bidirectional linear probing, 1984), with cache lines for buckets.
//!
//! A key is a *home* number, which must be well mixed, and a few *extra* bits. The line where a key is
//! found stands for the leading part of its home number; only the rest of it (the remainder), by how many lines the key
//! was displaced from its home line, and the extra bits are stored: an entry. So a key of 40 bits costs about 24 bits
//! among a million.
//!
//! A line is 512 bits: a byte with the number of entries and a lock, then a byte of each entry, then
//! the other bits of each entry. The first bytes are compared eight at a time.
//!
//! Threads insert at once. Entries are never moved or removed while they do: a reader looks at the entries that
//! the counter says are complete, without locking; a writer locks the line by its counter byte.
//!
//! The line grows with the home number, so the keys in table order are in order of home numbers (but for displacements),
//! and so they are in a larger table. [`Quotient::rebuild`] uses that to grow in place: from the last line
//! to the first, every entry is moved up. Growing takes no memory but the larger table's.

use super::Insertion;
use crate::liveness::stress;
use std::sync::atomic::{AtomicU64, Ordering};

const LINE_WORDS: usize = 8;
const LINE_BITS: u32 = 512;
const COUNT_MASK: u64 = 0x7f;
const LOCKED: u64 = 0x80;
const HEADER_BITS: u32 = 8;
const TAG_BITS: u32 = 8;
const DISPLACEMENT_BITS: u32 = 5;
/// Lines in which a key can be: its home line and those behind it.
const WINDOW: usize = 1 << DISPLACEMENT_BITS;
/// What [`entry`](Quotient::insert) can hold: a tag and one word.
const MAX_ENTRY_BITS: u32 = TAG_BITS + 64;
/// The smallest table, 64 KB: small tables need wide entries.
const MIN_LINES: usize = 1 << 10;
/// A table grows at least by this, or growing in place would not work.
const LEAST_GROWTH: f64 = 1.02;
/// Counters of entries, so that threads seldom meet.
const COUNTERS: usize = 16;

/// How entries are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Geometry {
    home_bits: u32,
    extra_bits: u32,
    /// Home lines; there are `WINDOW - 1` more at the end for displaced keys.
    lines: usize,
    /// Bits of the remainder that the line stands for.
    line_bits: u32,
    slots: u32,
    /// Bits of an entry that are not in its tag.
    rest_bits: u32,
}

impl Geometry {
    fn new(home_bits: u32, extra_bits: u32, lines: usize) -> Geometry {
        let line_bits = lines.ilog2().min(home_bits);
        let entry_bits = (home_bits - line_bits + extra_bits + DISPLACEMENT_BITS).max(TAG_BITS + 1);
        let slots = ((LINE_BITS - HEADER_BITS) / entry_bits).min(COUNT_MASK as u32);
        Geometry { home_bits, extra_bits, lines, line_bits, slots, rest_bits: entry_bits - TAG_BITS }
    }

    fn entry_bits(&self) -> u32 {
        self.rest_bits + TAG_BITS
    }

    /// The line and the remainder of a home number. Numbers with the same line differ in the product by
    /// multiples of `lines`, so cutting off `line_bits` of it keeps them apart.
    #[inline]
    fn split(&self, home: u64) -> (usize, u64) {
        let product = u128::from(home) * self.lines as u128;
        let line = (product >> self.home_bits) as usize;
        let below = product as u64 & (u64::MAX >> (64 - self.home_bits));
        (line, below >> self.line_bits)
    }

    /// What [`split`](Self::split) took apart: the least number whose product is not below what is known of it.
    /// `start` is [`start`](Self::start) of the line.
    #[inline]
    fn join(&self, start: (u64, u64), remainder: u64) -> u64 {
        let above = u128::from(remainder) << self.line_bits;
        let above = (above + u128::from(self.lines as u64 - 1)).saturating_sub(u128::from(start.1));
        let quotient = match u64::try_from(above) {
            Ok(above) => above / self.lines as u64,
            Err(_) => (above / self.lines as u128) as u64,
        };
        start.0 + quotient
    }

    /// The least number whose product is not below that of the line, and how far above it is.
    fn start(&self, line: usize) -> (u64, u64) {
        let product = (line as u128) << self.home_bits;
        let least = product.div_ceil(self.lines as u128);
        (least as u64, (least * self.lines as u128 - product) as u64)
    }

    #[inline]
    fn entry(&self, remainder: u64, extra: u64) -> u128 {
        u128::from(remainder) << DISPLACEMENT_BITS
            | u128::from(extra) << (self.home_bits - self.line_bits + DISPLACEMENT_BITS)
    }

    /// Home number and extra bits of an entry; `starts` has the [`start`](Self::start) of the lines, by displacement.
    #[inline]
    fn key(&self, starts: &[(u64, u64); WINDOW], entry: u128) -> (u64, u64) {
        let displacement = entry as usize & (WINDOW - 1);
        let remainder_bits = self.home_bits - self.line_bits;
        let remainder = (entry >> DISPLACEMENT_BITS) as u64 & mask(remainder_bits);
        let extra = (entry >> (DISPLACEMENT_BITS + remainder_bits)) as u64;
        (self.join(starts[displacement], remainder), extra)
    }
}

#[inline]
fn mask(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

/// A snapshot of a line.
type Words = [u64; LINE_WORDS];

fn count(words: &Words) -> u32 {
    (words[0] & COUNT_MASK) as u32
}

/// Where slot `slot` keeps the bits that are not in its tag.
#[inline]
fn rest_position(geometry: &Geometry, slot: u32) -> (usize, u32) {
    let bit = HEADER_BITS + geometry.slots * TAG_BITS + slot * geometry.rest_bits;
    ((bit / 64) as usize, bit % 64)
}

#[inline]
fn rest(geometry: &Geometry, words: &Words, slot: u32) -> u64 {
    let (word, shift) = rest_position(geometry, slot);
    let high = words.get(word + 1).map_or(0, |next| (next << 1) << (63 - shift));
    (words[word] >> shift | high) & mask(geometry.rest_bits)
}

fn tag(words: &Words, slot: u32) -> u64 {
    words[(slot + 1) as usize / 8] >> ((slot + 1) % 8 * 8) & 0xff
}

/// Is the entry among those of the line?
#[inline]
fn contains(geometry: &Geometry, words: &Words, entry: u128) -> bool {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let count = count(words);
    let wanted = (entry as u64 & 0xff) * LOW;
    let wanted_rest = (entry >> TAG_BITS) as u64;
    for word in 0..=(count / 8) as usize {
        // A byte that is zero here is a tag that matches; a byte above one may be taken for such, and
        // the comparison of the rest says no.
        let difference = words[word] ^ wanted;
        let mut matches = difference.wrapping_sub(LOW) & !difference & HIGH;
        while matches != 0 {
            let position = word as u32 * 8 + matches.trailing_zeros() / 8;
            if position != 0
                && position <= count
                && rest(geometry, words, position - 1) == wanted_rest
                && tag(words, position - 1) == entry as u64 & 0xff
            {
                return true;
            }
            matches &= matches - 1;
        }
    }
    false
}

/// Adds an entry to a line that has a slot free; which words changed.
fn append(geometry: &Geometry, words: &mut Words, entry: u128) {
    let slot = count(words);
    let position = slot + 1;
    words[(position / 8) as usize] |= (entry as u64 & 0xff) << (position % 8 * 8);
    let (word, shift) = rest_position(geometry, slot);
    let rest = (entry >> TAG_BITS) as u64;
    words[word] |= rest << shift;
    let high = (rest >> 1) >> (63 - shift);
    if high != 0 {
        words[word + 1] |= high;
    }
    words[0] += 1;
}

/// Cache lines in one allocation that can grow without being copied.
#[derive(Debug, Default)]
struct Lines {
    words: Vec<AtomicU64>,
    /// Words before the first that starts a cache line.
    offset: usize,
    lines: usize,
}

impl Lines {
    /// Makes it longer by empty lines. A large block of memory is moved by the system by renaming its pages, and
    /// keeps its place within a cache line.
    fn resize(&mut self, lines: usize) {
        let length = (lines + 1) * LINE_WORDS;
        self.words.reserve_exact(length.saturating_sub(self.words.len()));
        self.words.resize_with(length, AtomicU64::default);
        let offset = self.words.as_ptr().align_offset(LINE_WORDS * 8).min(LINE_WORDS - 1);
        if offset != self.offset {
            let used = self.lines * LINE_WORDS;
            let (from, to) = (self.offset, offset);
            let copy = |index: usize| {
                self.words[to + index]
                    .store(self.words[from + index].load(Ordering::Relaxed), Ordering::Relaxed)
            };
            if from > to {
                (0..used).for_each(copy);
            } else {
                (0..used).rev().for_each(copy);
            }
            self.words[..to]
                .iter()
                .chain(&self.words[to + used..])
                .for_each(|word| word.store(0, Ordering::Relaxed));
            self.offset = offset;
        }
        self.lines = lines;
    }

    #[inline]
    fn line(&self, line: usize) -> &[AtomicU64; LINE_WORDS] {
        let start = self.offset + line * LINE_WORDS;
        (&self.words[start..start + LINE_WORDS]).try_into().expect("a line has eight words")
    }

    fn read(&self, line: usize) -> Words {
        let words = self.line(line);
        std::array::from_fn(|index| words[index].load(Ordering::Relaxed))
    }

    fn write(&mut self, line: usize, words: &Words) {
        for (word, value) in self.line(line).iter().zip(words) {
            word.store(*value, Ordering::Relaxed);
        }
    }
}

#[repr(align(64))]
#[derive(Debug, Default)]
struct Counter(AtomicU64);

/// The set.
#[derive(Debug)]
pub struct Quotient {
    geometry: Geometry,
    lines: Lines,
    /// Keys for which a rebuild found no room within their window.
    spilled: Vec<(u64, u64)>,
    counters: [Counter; COUNTERS],
}

impl Quotient {
    /// An empty set with room for about `keys`, each a home number of `home_bits` (1 to 64) and `extra_bits` more.
    pub fn new(home_bits: u32, extra_bits: u32, keys: u64) -> Quotient {
        let entry = (home_bits + extra_bits).saturating_sub(10).max(10);
        let slots = u64::from((LINE_BITS - HEADER_BITS) / entry).max(1);
        let count = (keys * 10 / 7 / slots) as usize;
        let geometry = Geometry::new(home_bits, extra_bits, count.max(MIN_LINES));
        assert!(geometry.entry_bits() <= MAX_ENTRY_BITS, "the key is too wide for the table");
        let mut lines = Lines::default();
        lines.resize(geometry.lines + WINDOW - 1);
        Quotient { geometry, lines, spilled: Vec::new(), counters: Default::default() }
    }

    /// Can a table of `lines` lines have keys like that?
    pub fn accepts(&self, extra_bits: u32) -> bool {
        Geometry::new(self.geometry.home_bits, extra_bits, self.geometry.lines).entry_bits() <= MAX_ENTRY_BITS
    }

    pub fn len(&self) -> u64 {
        self.counters.iter().map(|counter| counter.0.load(Ordering::Relaxed)).sum()
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.lines.words.len() * 8 + self.spilled.capacity() * 16) as u64
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
                    self.counters[home as usize % COUNTERS].0.fetch_add(1, Ordering::Relaxed);
                    return Insertion::New;
                }
                Some(found) => return found,
                // Full, and so it stays: whoever looks for this key will look in the next line.
                None => entry += 1,
            }
        }
        if self.spilled.contains(&(home, extra)) { Insertion::Known } else { Insertion::Full }
    }

    /// `None` if the line is full and does not have the entry.
    #[inline]
    fn insert_into(&self, line: usize, entry: u128) -> Option<Insertion> {
        let line = self.lines.line(line);
        let mut seen = line[0].load(Ordering::Acquire);
        loop {
            // Whatever the counter says is complete was written before the counter was.
            let mut words: Words = std::array::from_fn(|index| line[index].load(Ordering::Relaxed));
            words[0] = seen & !LOCKED;
            if contains(&self.geometry, &words, entry) {
                return Some(Insertion::Known);
            }
            if count(&words) >= self.geometry.slots {
                return None;
            }
            if seen & LOCKED != 0 {
                std::hint::spin_loop();
                seen = line[0].load(Ordering::Acquire);
                continue;
            }
            // Another thread may have added an entry since `seen` was read: then this fails.
            match line[0].compare_exchange(seen, seen | LOCKED, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => {}
                Err(now) => {
                    seen = now;
                    continue;
                }
            }
            stress::point();
            // A writer before us may have been at work while the other words were read.
            for (word, shared) in words.iter_mut().zip(line).skip(1) {
                *word = shared.load(Ordering::Relaxed);
            }
            let before = words;
            append(&self.geometry, &mut words, entry);
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
        for line in 0..self.lines.lines {
            let words = self.lines.read(line);
            for_each_in(&self.geometry, line, &words, &mut visit);
        }
        for &(home, extra) in &self.spilled {
            visit(home, extra);
        }
    }

    /// What a table with so many keys takes, usually.
    pub fn bytes_for(home_bits: u32, extra_bits: u32, keys: u64) -> u64 {
        const LOAD: f64 = 0.75;
        let lines = |slots: u32| ((keys as f64 / (f64::from(slots) * LOAD)) as usize).max(MIN_LINES);
        let first = Geometry::new(home_bits, extra_bits, lines(8));
        lines(Geometry::new(home_bits, extra_bits, lines(first.slots)).slots) as u64
            * u64::from(LINE_BITS / 8)
    }

    /// The memory after [`rebuild`](Self::rebuild).
    pub fn rebuilt_bytes(&self, extra_bits: u32, load: f64) -> u64 {
        (self.rebuilt(extra_bits, load).lines + WINDOW) as u64 * u64::from(LINE_BITS / 8)
    }

    fn rebuilt(&self, extra_bits: u32, load: f64) -> Geometry {
        let old = &self.geometry;
        let least = (old.lines as f64 * LEAST_GROWTH) as usize + WINDOW;
        let slots = Geometry::new(old.home_bits, extra_bits, least).slots;
        let lines = (self.len() as f64 / (f64::from(slots) * load)) as usize;
        Geometry::new(old.home_bits, extra_bits, lines.max(least))
    }

    /// Makes the table larger, such that `load` of its slots are taken, and each key's extra bits what `widen` makes of
    /// them, of which there may now be `extra_bits`.
    ///
    /// Precondition: the entries are not too wide ([`accepts`](Self::accepts)).
    pub fn rebuild(&mut self, extra_bits: u32, load: f64, widen: impl Fn(u64) -> u64) {
        let old = self.geometry;
        let old_lines = self.lines.lines;
        let new = self.rebuilt(extra_bits, load);
        assert!(new.entry_bits() <= MAX_ENTRY_BITS, "the key is too wide for the table");
        self.lines.resize(new.lines + WINDOW - 1);
        self.geometry = new;
        // A key read from line r has its new home at or above (r - WINDOW) * factor. From `low` on that is above r;
        // the lines below are copied aside.
        let growth = new.lines as f64 / old.lines as f64;
        let low = ((WINDOW as f64 * growth / (growth - 1.0)) as usize + WINDOW).min(old_lines);
        let aside: Vec<Words> = (0..low).map(|line| self.lines.read(line)).collect();
        (0..low).for_each(|line| self.lines.write(line, &[0; LINE_WORDS]));
        let spilled = std::mem::take(&mut self.spilled);
        for line in (0..old_lines).rev() {
            let words = if line < low { aside[line] } else { self.lines.read(line) };
            if line >= low {
                self.lines.write(line, &[0; LINE_WORDS]);
            }
            for_each_in(&old, line, &words, &mut |home, extra| self.place(home, widen(extra)));
        }
        for (home, extra) in spilled {
            self.place(home, widen(extra));
        }
    }

    /// Puts a key that is not there where there is room.
    fn place(&mut self, home: u64, extra: u64) {
        let (first, remainder) = self.geometry.split(home);
        let entries = self.geometry.entry(remainder, extra)..;
        for (line, entry) in (first..first + WINDOW).zip(entries) {
            if self.lines.line(line)[0].load(Ordering::Relaxed) & COUNT_MASK < u64::from(self.geometry.slots)
            {
                let mut words = self.lines.read(line);
                append(&self.geometry, &mut words, entry);
                self.lines.write(line, &words);
                return;
            }
        }
        self.spilled.push((home, extra));
    }
}

fn for_each_in(geometry: &Geometry, line: usize, words: &Words, visit: &mut impl FnMut(u64, u64)) {
    let starts = std::array::from_fn(|displacement| geometry.start(line.saturating_sub(displacement)));
    for slot in 0..count(words) {
        let entry = u128::from(rest(geometry, words, slot)) << TAG_BITS | u128::from(tag(words, slot));
        let (home, extra) = geometry.key(&starts, entry);
        visit(home, extra);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #![proptest_config(seeded::cases(40))]
        #[test]
        fn is_a_set(home_bits in 8u32..=64, extra_bits in 0u32..6, seed: u64, number in 0u64..60_000, range_bits in 4u32..64) {
            let mut table = Quotient::new(home_bits, extra_bits, 0);
            let mut extra_bits = extra_bits;
            let mut oracle = HashSet::new();
            let mut random = seed | 1;
            for _ in 0..number {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                let key = random >> (64 - range_bits);
                let home = super::super::packed::permutation::Permutation::new(home_bits).apply(key & mask(home_bits));
                let extra = (random >> 7) & mask(extra_bits);
                let new = oracle.insert((home, extra));
                loop {
                    match table.insert(home, extra) {
                        Insertion::Full => {
                            if random & 8 == 0 && extra_bits < 7 && table.accepts(extra_bits + 1) {
                                extra_bits += 1;
                            }
                            table.rebuild(extra_bits, 0.65, |extra| extra);
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

    /// Several threads insert overlapping keys: each key is new to exactly one of them.
    #[test]
    fn threads_agree() {
        let table = Quotient::new(50, 3, 60_000);
        let permutation = super::super::packed::permutation::Permutation::new(50);
        let (table_of_all, permutation) = (&table, &permutation);
        let insert = move |offset: u64| {
            let keys = offset..offset + 30_000;
            keys.filter(|key| table_of_all.insert(permutation.apply(*key), key & 7) == Insertion::New).count()
                as u64
        };
        let news: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || insert(thread * 10_000))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(news, 60_000);
        assert_eq!(table.len(), 60_000);
    }
}
