//! A hash table in the order of hash values has become longer by empty places at its end: its entries are put where they belong now, by several threads, and without a
//! second table.
//!
//! It is done in rounds, from the end of the table on. The entries of a round come from a range of places and go to places behind that range; these
//! were empty or have been emptied by the rounds before, so whatever is in them stays there, and all threads may add to them at once. The ranges become shorter by the
//! factor that the table has grown by.

use super::table::EMPTY;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};

/// A range this short is left to one thread.
const SHORT: usize = 1 << 12;

/// See the module. `home` says where an entry belongs; no entry of the first `before` places, where all of them are, was before its home when these were the whole table.
pub(super) fn spread(
    entries: &[AtomicU64],
    before: usize,
    threads: usize,
    home: impl Fn(u64) -> usize + Sync,
) {
    let threads = if before < SHORT { 1 } else { threads.max(1) };
    let barrier = Barrier::new(threads);
    // What is in places before `behind` when an entry is looked at may not stay there.
    let settle = |place: usize, behind: usize, aside: &mut Vec<u64>| {
        let entry = entries[place].load(Ordering::Relaxed);
        if entry != EMPTY {
            entries[place].store(EMPTY, Ordering::Relaxed);
            let home = home(entry);
            if home < behind || !put(entries, home, entry, threads) {
                aside.push(entry);
            }
        }
    };
    let work = |thread: usize| {
        let (mut end, mut aside) = (before, Vec::new());
        while end >= SHORT {
            let start = (end * before / entries.len() + 1).min(end - 1);
            let share = (end - start).div_ceil(threads);
            let first = end.min(start + thread * share);
            (first..end.min(first + share)).for_each(|place| settle(place, end, &mut aside));
            end = start;
            barrier.wait();
        }
        if thread == 0 {
            (0..end).rev().for_each(|place| settle(place, place + 1, &mut aside));
        }
        aside
    };
    let aside = match threads {
        1 => work(0),
        _ => std::thread::scope(|scope| {
            let work = &work;
            let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || work(thread))).collect();
            let mut aside = work(0);
            for other in others {
                aside.extend(other.join().expect("no panic"));
            }
            aside
        }),
    };
    for entry in aside {
        let found = put(entries, home(entry), entry, 1) || put(entries, 0, entry, 1);
        debug_assert!(found, "there are free places");
    }
}

/// Puts an entry into the first free place from its home on; `false` if there is none up to the end.
fn put(entries: &[AtomicU64], home: usize, entry: u64, threads: usize) -> bool {
    let free = |slot: &&AtomicU64| slot.load(Ordering::Relaxed) == EMPTY;
    if threads == 1 {
        let slot = entries[home..].iter().find(free);
        slot.inspect(|slot| slot.store(entry, Ordering::Relaxed)).is_some()
    } else {
        let take = |slot: &AtomicU64| {
            slot.compare_exchange(EMPTY, entry, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        entries[home..].iter().filter(free).any(take)
    }
}
