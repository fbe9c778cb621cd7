//! What threads write again and again, away from what they only read: a processor that writes to a cache line takes it from all others.

use std::ops::Deref;

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
