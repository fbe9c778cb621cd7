//! Values that threads write often, on cache lines of their own: a processor that writes to a cache
//! line invalidates the copies of all others.

use std::ops::Deref;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A value on cache lines of its own; two, because processors prefetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct CachePadded<T>(pub T);

impl<T> Deref for CachePadded<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Slots that one thread owns; further threads share one more slot.
const OWNED_SLOTS: usize = 15;

/// A bit for each owned slot that has an owner.
static TAKEN: AtomicU32 = AtomicU32::new(0);

/// A thread's slot in every [`ShardedCounter`], until the thread ends.
struct CounterSlot(usize);

impl CounterSlot {
    fn take() -> CounterSlot {
        let lowest =
            |taken: u32| Some(taken.trailing_ones()).filter(|slot| (*slot as usize) < OWNED_SLOTS);
        let with = |taken: u32| lowest(taken).map(|slot| taken | 1 << slot);
        // Acquire: the new owner of a slot sees the counts of its previous owner.
        match TAKEN.fetch_update(Ordering::Acquire, Ordering::Relaxed, with) {
            Ok(before) => CounterSlot(before.trailing_ones() as usize),
            Err(_) => CounterSlot(OWNED_SLOTS),
        }
    }
}

impl Drop for CounterSlot {
    fn drop(&mut self) {
        if self.0 < OWNED_SLOTS {
            TAKEN.fetch_and(!(1 << self.0), Ordering::Release);
        }
    }
}

thread_local! {
    static SLOT: CounterSlot = CounterSlot::take();
}

/// A counter that threads increment often, each in its own slot, and read seldom.
#[derive(Debug, Default)]
pub(crate) struct ShardedCounter {
    slots: [CachePadded<AtomicU64>; OWNED_SLOTS + 1],
}

impl ShardedCounter {
    #[inline]
    pub fn add_one(&self) {
        self.add(1);
    }

    #[inline]
    pub fn add(&self, number: u64) {
        SLOT.with(|CounterSlot(slot)| {
            let count = &self.slots[*slot];
            if *slot < OWNED_SLOTS {
                // Only the owner writes, so a locked instruction is not needed.
                count.store(count.load(Ordering::Relaxed) + number, Ordering::Relaxed);
            } else {
                count.fetch_add(number, Ordering::Relaxed);
            }
        });
    }

    /// The sum over all threads.
    pub fn sum(&self) -> u64 {
        self.slots.iter().map(|slot| slot.load(Ordering::Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also with more threads than slots, and with threads that end while others begin.
    #[test]
    fn no_increment_is_lost() {
        let counter = ShardedCounter::default();
        let additions = if cfg!(miri) { 5 } else { 1000 };
        std::thread::scope(|scope| {
            for round in 1..=5 * OWNED_SLOTS {
                let thread = scope.spawn(|| (0..additions).for_each(|_| counter.add(3)));
                if round % 3 == 0 {
                    thread.join().expect("the thread does not panic");
                }
            }
        });
        assert_eq!(counter.sum(), 15 * additions * OWNED_SLOTS as u64);
    }
}
