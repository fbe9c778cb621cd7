//! What threads write again and again, away from what they only read: a processor that writes to a cache line takes it from all others.

use std::ops::Deref;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A value on cache lines of its own. (Processors fetch them in pairs.)
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub T);

impl<T> Deref for Apart<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Places that threads have to themselves; if there are more threads, the others share one more.
const PLACES: usize = 15;

/// A bit for each place that some thread has.
static TAKEN: AtomicU32 = AtomicU32::new(0);

/// A thread's place, until the thread ends.
struct Place(usize);

impl Place {
    fn take() -> Place {
        let lowest = |taken: u32| Some(taken.trailing_ones()).filter(|place| (*place as usize) < PLACES);
        let with = |taken: u32| lowest(taken).map(|place| taken | 1 << place);
        // Whoever has the place next sees what this thread has counted there.
        match TAKEN.fetch_update(Ordering::Acquire, Ordering::Relaxed, with) {
            Ok(before) => Place(before.trailing_ones() as usize),
            Err(_) => Place(PLACES),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.0 < PLACES {
            TAKEN.fetch_and(!(1 << self.0), Ordering::Release);
        }
    }
}

thread_local! {
    static PLACE: Place = Place::take();
}

/// A count that threads add to again and again, each in a place of its own, and seldom look at.
#[derive(Debug, Default)]
pub(crate) struct Count {
    places: [Apart<AtomicU64>; PLACES + 1],
}

impl Count {
    #[inline]
    pub fn add_one(&self) {
        self.add(1);
    }

    #[inline]
    pub fn add(&self, number: u64) {
        PLACE.with(|Place(place)| {
            let count = &self.places[*place];
            if *place < PLACES {
                // Nobody else writes here, so that this takes no lock.
                count.store(count.load(Ordering::Relaxed) + number, Ordering::Relaxed);
            } else {
                count.fetch_add(number, Ordering::Relaxed);
            }
        });
    }

    /// What all threads have added.
    pub fn sum(&self) -> u64 {
        self.places.iter().map(|place| place.load(Ordering::Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where there are more threads than places, and where some end and others begin.
    #[test]
    fn nothing_is_lost() {
        let count = Count::default();
        std::thread::scope(|scope| {
            for round in 1..=5 * PLACES {
                let thread = scope.spawn(|| (0..1000).for_each(|_| count.add(3)));
                if round % 3 == 0 {
                    thread.join().expect("it counts");
                }
            }
        });
        assert_eq!(count.sum(), 15_000 * PLACES as u64);
    }
}
