//! A value that threads share, each through a [`Member`] of its own; to change it, one waits until all others have let go of it.
//!
//! Looking costs nothing: a member holds the value. In return each must [attend](Member::attend) now and then when it is
//! called, and always while it waits for others.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
struct Meeting<T> {
    value: Mutex<Arc<T>>,
    /// Somebody let go of the value, or took it again.
    moved: Condvar,
    /// How many want to change the value.
    callers: AtomicUsize,
}

impl<T> Meeting<T> {
    fn lock(&self) -> MutexGuard<'_, Arc<T>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, guard: MutexGuard<'g, Arc<T>>) -> MutexGuard<'g, Arc<T>> {
        self.moved.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread's hold on the value.
#[derive(Debug)]
pub(crate) struct Member<T> {
    meeting: Arc<Meeting<T>>,
    /// `None` while it has let go.
    value: Option<Arc<T>>,
}

impl<T> Member<T> {
    pub fn new(value: T) -> Member<T> {
        let value = Arc::new(value);
        let meeting = Meeting {
            value: Mutex::new(Arc::clone(&value)),
            moved: Condvar::new(),
            callers: AtomicUsize::new(0),
        };
        Member { meeting: Arc::new(meeting), value: Some(value) }
    }

    /// Another member, for another thread. It holds the value from the start.
    pub fn another(&self) -> Member<T> {
        Member { meeting: Arc::clone(&self.meeting), value: self.value.clone() }
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        Arc::strong_count(&self.meeting)
    }

    /// Does somebody want to change the value?
    #[inline]
    pub fn is_called(&self) -> bool {
        self.meeting.callers.load(Ordering::Relaxed) > 0
    }

    /// Lets go of the value until nobody wants to change it.
    pub fn attend(&mut self) {
        self.let_go();
        self.take();
    }

    /// Lets go of the value; it must be [taken](Self::take) again before it is looked at.
    pub fn let_go(&mut self) {
        self.value = None;
        // Whoever waits has looked before, or will look after this.
        drop(self.meeting.lock());
        self.meeting.moved.notify_all();
    }

    /// Holds the value again, as soon as nobody wants to change it.
    pub fn take(&mut self) {
        let mut guard = self.meeting.lock();
        while self.is_called() {
            guard = self.meeting.wait(guard);
        }
        self.value = Some(Arc::clone(&guard));
    }

    /// Changes the value while nobody else holds it. Others may have changed it before.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        self.meeting.callers.fetch_add(1, Ordering::Relaxed);
        self.let_go();
        let mut guard = self.meeting.lock();
        let result = loop {
            match Arc::get_mut(&mut guard) {
                Some(value) => break change(value),
                None => guard = self.meeting.wait(guard),
            }
        };
        self.meeting.callers.fetch_sub(1, Ordering::Relaxed);
        self.value = Some(Arc::clone(&guard));
        drop(guard);
        self.meeting.moved.notify_all();
        result
    }
}

impl<T> Deref for Member<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value.as_deref().expect("taken before it is looked at")
    }
}

impl<T> Drop for Member<T> {
    fn drop(&mut self) {
        self.let_go();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each thread changes what the others look at, and none sees a change half done.
    #[test]
    fn changes_are_seen_whole() {
        let mut first = Member::new((0u64, 0u64));
        let members: Vec<_> = (0..3).map(|_| first.another()).collect();
        std::thread::scope(|scope| {
            for mut member in members {
                scope.spawn(move || {
                    for round in 0..300 {
                        assert_eq!(member.0, member.1);
                        if member.is_called() {
                            member.attend();
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
            first.let_go();
        });
        first.take();
        assert_eq!(*first, (300, 300));
    }
}
