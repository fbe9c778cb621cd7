//! Tables in ordinary vectors whose allocation can fail, or be made to fail by tests.

use crate::faults::{Fault, fails};

/// Appends default values up to a length of `len`, with no spare capacity; `false` if there is no
/// memory, and then nothing has changed. Precondition: `len >= values.len()`.
#[must_use]
pub(crate) fn extend_to<T: Default>(values: &mut Vec<T>, len: usize) -> bool {
    if fails(Fault::Memory) || values.try_reserve_exact(len - values.len()).is_err() {
        return false;
    }
    values.resize_with(len, T::default);
    true
}
