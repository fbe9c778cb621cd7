//! A hash table in the order of hash values has become longer by empty places at its end: its entries are put where they belong now, by several threads, and without a
//! second table.
//!
//! It is done in rounds, from the end of the table on. The entries of a round come from a range of places and go to places behind that range; these
//! were empty or have been emptied by the rounds before, so whatever is in them stays there. As the order remains, what comes from one part of the range goes to one stretch of
//! places: each thread takes a part and alone writes to that stretch. The few entries that belong elsewhere are put aside until the end. The ranges become shorter by the
//! factor that the table has grown by.

use super::table::EMPTY;
use crate::threads::start_small;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, OnceLock};

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
    // How many threads could be started, and where they wait for one another; known once all have been asked for.
    let team: OnceLock<(usize, Barrier)> = OnceLock::new();
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
    // Where that goes which was at home in this place.
    let goes_to = |place: usize| (place as u128 * entries.len() as u128 / before as u128) as usize;
    let work = |thread: usize| {
        let (threads, barrier) = team.wait();
        let threads = *threads;
        let (mut end, mut aside) = (before, Vec::new());
        while end >= SHORT {
            let start = (end * before / entries.len() + 1).min(end - 1);
            let share = (end - start).div_ceil(threads);
            let first = |thread: usize| end.min(start + thread * share);
            // The first and the last may have entries for places before and behind.
            let stretch = Range {
                start: if thread == 0 { end } else { goes_to(first(thread)).max(end) },
                end: if thread + 1 == threads { entries.len() } else { goes_to(first(thread + 1)).max(end) },
            };
            (first(thread)..first(thread + 1)).for_each(|place| settle(place, &stretch, &mut aside));
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
            team.get_or_init(|| (1, Barrier::new(1)));
            work(0)
        }
        _ => std::thread::scope(|scope| {
            let work = &work;
            let start = |thread: usize| start_small(scope, move || work(thread)).ok();
            // Where no more threads can be had, fewer will do.
            let others: Vec<_> = (1..threads).map_while(start).collect();
            team.get_or_init(|| (others.len() + 1, Barrier::new(others.len() + 1)));
            let mut aside = work(0);
            for other in others {
                aside.extend(other.join().expect("no panic"));
            }
            aside
        }),
    };
    for entry in aside {
        let found = put(&entries[home(entry)..], entry) || put(entries, entry);
        debug_assert!(found, "there are free places");
    }
}

/// Puts an entry into the first free one of these places; `false` if there is none.
fn put(places: &[AtomicU64], entry: u64) -> bool {
    let free = places.iter().find(|slot| slot.load(Ordering::Relaxed) == EMPTY);
    free.inspect(|slot| slot.store(entry, Ordering::Relaxed)).is_some()
}
