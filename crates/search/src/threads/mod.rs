//! Starting threads. Starting one may fail; callers then continue with fewer threads.

pub(crate) mod stop_the_world;

use crate::faults::{Fault, fails};
use crate::tuning::threads::{SEARCH_STACK_BYTES, TABLE_STACK_BYTES};
use std::io;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Starts a search thread.
///
/// # Errors
/// The system refuses another thread.
pub fn start<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    start_with(scope, SEARCH_STACK_BYTES, work)
}

/// Starts a thread that works on tables.
pub(crate) fn start_small<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    start_with(scope, TABLE_STACK_BYTES, work)
}

fn start_with<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    stack_bytes: usize,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    if fails(Fault::Thread) {
        return Err(io::Error::other("a failure was injected"));
    }
    Builder::new().stack_size(stack_bytes).spawn_scoped(scope, work)
}
