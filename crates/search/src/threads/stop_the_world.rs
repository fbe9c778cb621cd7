//! A value that threads share, each through its own [`SharedHandle`]; a thread that changes the
//! value waits until all others have released it.
//!
//! Reading needs no synchronization, because a handle holds the value. In return each thread must
//! [yield](SharedHandle::yield_to_change) regularly when a change is pending, and release the value
//! while it waits for other threads.

use crate::memory::sync::{Arc, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};
use std::ops::Deref;
use std::sync::PoisonError;

#[derive(Debug)]
struct SharedValue<T> {
    value: Mutex<Arc<T>>,
    /// Signalled when a handle released or acquired the value.
    moved: Condvar,
    /// The number of threads that wait to change the value.
    callers: AtomicUsize,
}

impl<T> SharedValue<T> {
    fn lock(&self) -> MutexGuard<'_, Arc<T>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, guard: MutexGuard<'g, Arc<T>>) -> MutexGuard<'g, Arc<T>> {
        self.moved.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread's reference to the value.
#[derive(Debug)]
pub(crate) struct SharedHandle<T> {
    shared: Arc<SharedValue<T>>,
    /// `None` while released.
    value: Option<Arc<T>>,
}

impl<T> SharedHandle<T> {
    pub fn new(value: T) -> SharedHandle<T> {
        let value = Arc::new(value);
        let shared = SharedValue {
            value: Mutex::new(Arc::clone(&value)),
            moved: Condvar::new(),
            callers: AtomicUsize::new(0),
        };
        SharedHandle { shared: Arc::new(shared), value: Some(value) }
    }

    /// A handle for another thread; it holds the value from the start.
    pub fn new_handle(&self) -> SharedHandle<T> {
        SharedHandle { shared: Arc::clone(&self.shared), value: self.value.clone() }
    }

    /// The number of handles.
    pub fn handle_count(&self) -> usize {
        Arc::strong_count(&self.shared)
    }

    /// Whether a thread waits to change the value.
    #[inline]
    pub fn is_change_pending(&self) -> bool {
        self.shared.callers.load(Ordering::Relaxed) > 0
    }

    /// Releases the value until all pending changes are done.
    pub fn yield_to_change(&mut self) {
        self.release();
        self.acquire();
    }

    /// Releases the value; it must be [acquired](Self::acquire) before the next access.
    pub fn release(&mut self) {
        self.value = None;
        // A waiting thread checked the count before this lock, or will check it after.
        drop(self.shared.lock());
        self.shared.moved.notify_all();
    }

    /// Acquires the value when no change is pending.
    pub fn acquire(&mut self) {
        let mut guard = self.shared.lock();
        while self.is_change_pending() {
            guard = self.shared.wait(guard);
        }
        self.value = Some(Arc::clone(&guard));
    }

    /// Changes the value while no other handle holds it. Another thread may have changed it before.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        self.shared.callers.fetch_add(1, Ordering::Relaxed);
        self.release();
        let mut guard = self.shared.lock();
        let result = loop {
            match Arc::get_mut(&mut guard) {
                Some(value) => break change(value),
                None => guard = self.shared.wait(guard),
            }
        };
        self.shared.callers.fetch_sub(1, Ordering::Relaxed);
        self.value = Some(Arc::clone(&guard));
        drop(guard);
        self.shared.moved.notify_all();
        result
    }
}

impl<T> Deref for SharedHandle<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value.as_deref().expect("acquired before access")
    }
}

impl<T> Drop for SharedHandle<T> {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each thread changes the value that the others read, and none sees a partial change.
    #[test]
    fn changes_are_atomic() {
        let mut first = SharedHandle::new((0u64, 0u64));
        let members: Vec<_> = (0..3).map(|_| first.new_handle()).collect();
        std::thread::scope(|scope| {
            for mut member in members {
                scope.spawn(move || {
                    for round in 0..300 {
                        assert_eq!(member.0, member.1);
                        if member.is_change_pending() {
                            member.yield_to_change();
                        }
                        if round % 3 == 0 {
                            member.change(|value| {
                                value.0 += 1;
                                std::thread::yield_now();
                                value.1 += 1;
                            });
                        }
                    }
                });
            }
            first.release();
        });
        first.acquire();
        assert_eq!(*first, (300, 300));
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use crate::memory::sync::explore;
    use loom::cell::Cell;
    use loom::thread;

    /// Two threads change the value, a third only holds it for a while: every change has exclusive
    /// access, none is lost, and no thread waits forever.
    #[test]
    fn loom_changes_are_exclusive() {
        explore(2, || {
            let mut first = SharedHandle::new(Cell::new(0));
            let change = |handle: &mut SharedHandle<Cell<u32>>| {
                handle.change(|value| value.set(value.get() + 1));
            };
            let mut second = first.new_handle();
            let third = first.new_handle();
            let changer = thread::spawn(move || change(&mut second));
            let reader = thread::spawn(move || {
                let seen = third.get();
                assert_eq!(third.get(), seen);
            });
            change(&mut first);
            first.release();
            changer.join().expect("no panic");
            reader.join().expect("no panic");
            first.acquire();
            assert_eq!(first.get(), 2);
        });
    }
}
