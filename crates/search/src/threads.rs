//! Starting threads. The system may refuse to start one; then there are fewer.

use crate::faults::{Fault, fails};
use std::io;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// For the stack of a thread that searches: engines may recurse over expressions.
pub(crate) const STACK_BYTES: usize = 64 << 20;
/// For the stack of a thread that only moves memory.
const SMALL_STACK_BYTES: usize = 256 << 10;

/// Starts a thread that searches.
pub(crate) fn start<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    start_with(scope, STACK_BYTES, work)
}

/// Starts a thread that works on tables.
pub(crate) fn start_small<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    start_with(scope, SMALL_STACK_BYTES, work)
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
