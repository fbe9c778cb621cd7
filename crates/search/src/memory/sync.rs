//! Synchronization primitives of the lock-free tables: the standard library's, or loom's with
//! `--cfg loom`, so that loom explores the interleavings of the real code.
//!
//! ```text
//! CARGO_TARGET_DIR=target/loom RUSTFLAGS="--cfg loom" \
//!     cargo test --release -p lariat-search --lib loom_
//! ```
//!
//! With a nightly compiler, `rust-src` and `miri`, these commands use ThreadSanitizer and Miri; CI
//! does not run them:
//!
//! ```text
//! RUSTFLAGS="-Zsanitizer=thread" cargo +nightly test -Zbuild-std \
//!     --target x86_64-unknown-linux-gnu -p lariat-search --lib threads
//! MIRIFLAGS="-Zmiri-disable-isolation" cargo +nightly miri test -p lariat-search --lib contend
//! ```
//!
//! Statistics counters use the standard library's atomics directly: they order no other access,
//! and each access under loom multiplies the interleavings.

#[cfg(loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread::yield_now,
};
#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread::yield_now,
};

/// Runs a loom model: every interleaving of its threads with at most `preemptions` preemptions,
/// and every value that a relaxed load may return.
#[cfg(all(test, loom))]
pub(crate) fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    // Enough for tables that are filled before the threads start.
    builder.max_branches = 100_000;
    builder.check(model);
}
