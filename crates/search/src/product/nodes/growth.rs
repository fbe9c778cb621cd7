//! Rehashing in place, with several threads, after a hash table has been extended by empty places
//! at its end. The entries are ordered by hash, before and afterwards.
//!
//! The entries are moved in rounds, from the end of the table. A round moves the entries of a range
//! of places to places after that range, which were empty or were emptied by earlier rounds.
//! Because the order of the entries remains, the entries of one part of the range go to one
//! contiguous stretch of places: each thread takes a part and is the only writer of its stretch.
//! The few entries that belong outside the stretch are set aside until the end. Each range is
//! shorter than the one before by the table's growth factor.

use crate::memory::sync::{AtomicU64, Ordering};
use crate::product::nodes::table::EMPTY;
use crate::threads::start_small;
use crate::tuning::product::SERIAL_REHASH_PLACES;
use std::ops::Range;
use std::sync::{Barrier, OnceLock};

/// Moves the entries of the first `before` places to where they belong in the longer table. `home`
/// computes the place of an entry. Precondition: when the table had `before` places, every entry
/// was at or after its home.
pub(in crate::product) fn rehash_in_place(
    entries: &[AtomicU64],
    before: usize,
    threads: usize,
    home: impl Fn(u64) -> usize + Sync,
) {
    let threads = if before < SERIAL_REHASH_PLACES { 1 } else { threads.max(1) };
    // The number of threads that were started and their barrier, set once all threads are started.
    let workers: OnceLock<(usize, Barrier)> = OnceLock::new();
    let settle = |place: usize, stretch: &Range<usize>, aside: &mut Vec<u64>| {
        let entry = entries[place].load(Ordering::Relaxed);
        if entry != EMPTY {
            entries[place].store(EMPTY, Ordering::Relaxed);
            let home = home(entry);
            if !stretch.contains(&home) || !put(&entries[home..stretch.end], entry) {
                aside.push(entry);
            }
        }
    };
    // The new place of an entry whose home was `place`.
    let goes_to = |place: usize| (place as u128 * entries.len() as u128 / before as u128) as usize;
    let work = |thread: usize| {
        let (threads, barrier) = workers.wait();
        let threads = *threads;
        let (mut end, mut aside) = (before, Vec::new());
        while end >= SERIAL_REHASH_PLACES {
            let start = (end * before / entries.len() + 1).min(end - 1);
            let share = (end - start).div_ceil(threads);
            let first = |thread: usize| end.min(start + thread * share);
            // The first and the last part may hold entries for places outside its stretch.
            let stretch = Range {
                start: if thread == 0 { end } else { goes_to(first(thread)).max(end) },
                end: if thread + 1 == threads {
                    entries.len()
                } else {
                    goes_to(first(thread + 1)).max(end)
                },
            };
            (first(thread)..first(thread + 1))
                .for_each(|place| settle(place, &stretch, &mut aside));
            end = start;
            barrier.wait();
        }
        if thread == 0 {
            let rest = (0..end).rev();
            rest.for_each(|place| settle(place, &(place + 1..entries.len()), &mut aside));
        }
        aside
    };
    let aside = match threads {
        1 => {
            workers.get_or_init(|| (1, Barrier::new(1)));
            work(0)
        }
        _ => std::thread::scope(|scope| {
            let work = &work;
            let start = |thread: usize| start_small(scope, move || work(thread)).ok();
            // If no more threads can be started, fewer do the work.
            let others: Vec<_> = (1..threads).map_while(start).collect();
            workers.get_or_init(|| (others.len() + 1, Barrier::new(others.len() + 1)));
            let mut aside = work(0);
            for other in others {
                aside.extend(other.join().expect("no panic"));
            }
            aside
        }),
    };
    for entry in aside {
        let found = put(&entries[home(entry)..], entry) || put(entries, entry);
        debug_assert!(found, "the table has free places");
    }
}

/// Stores an entry in the first free place; `false` if there is none.
fn put(places: &[AtomicU64], entry: u64) -> bool {
    let free = places.iter().find(|slot| slot.load(Ordering::Relaxed) == EMPTY);
    free.inspect(|slot| slot.store(entry, Ordering::Relaxed)).is_some()
}
