//! What threads write again and again, away from what they only read: a processor that writes to a cache line takes it from all others.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

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

/// More threads than this share places.
const PLACES: usize = 16;

/// The place of each thread, given out in turn.
static NEXT: AtomicUsize = AtomicUsize::new(0);
thread_local! {
    static PLACE: usize = NEXT.fetch_add(1, Ordering::Relaxed) % PLACES;
}

/// A count that threads add to again and again, each in a place of its own, and seldom look at.
#[derive(Debug, Default)]
pub(crate) struct Count {
    places: [Apart<AtomicU64>; PLACES],
}

impl Count {
    #[inline]
    pub fn add_one(&self) {
        PLACE.with(|place| self.places[*place].fetch_add(1, Ordering::Relaxed));
    }

    /// What all threads have added.
    pub fn sum(&self) -> u64 {
        self.places.iter().map(|place| place.load(Ordering::Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where there are more threads than places.
    #[test]
    fn nothing_is_lost() {
        let count = Count::default();
        std::thread::scope(|scope| {
            for _ in 0..2 * PLACES {
                scope.spawn(|| (0..1000).for_each(|_| count.add_one()));
            }
        });
        assert_eq!(count.sum(), 2000 * PLACES as u64);
    }
}
