//! Failures on request, for tests: the n-th operation of a kind fails as if the system had refused it.
//!
//! Tables, files and threads are obtained through functions that ask [`fails`] first. Unless a test has called
//! [`inject`], that costs one relaxed load in operations that take microseconds.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// What can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Getting memory for a table, or more of it.
    Memory,
    /// Creating, opening, reading or writing a file.
    File,
    /// Starting a thread.
    Thread,
}

impl Fault {
    pub const ALL: [Fault; 3] = [Fault::Memory, Fault::File, Fault::Thread];
}

/// For each kind, how many operations from now on the failing one is; 0 if none is to fail.
static COUNTDOWN: [AtomicU64; 3] = [AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)];

/// Lets the `n`-th operation of this kind fail, counted from 1, and only that one. With 0 nothing fails.
pub fn inject(fault: Fault, n: u64) {
    COUNTDOWN[fault as usize].store(n, Ordering::SeqCst);
}

/// Has the failure asked for not happened yet?
pub fn is_pending(fault: Fault) -> bool {
    COUNTDOWN[fault as usize].load(Ordering::SeqCst) > 0
}

/// Counts an operation; must it fail?
#[inline]
pub fn fails(fault: Fault) -> bool {
    let countdown = &COUNTDOWN[fault as usize];
    if countdown.load(Ordering::Relaxed) == 0 {
        return false;
    }
    let step = |left: u64| left.checked_sub(1);
    countdown.fetch_update(Ordering::SeqCst, Ordering::SeqCst, step) == Ok(1)
}

/// The same for an operation on a file.
pub fn file() -> io::Result<()> {
    if fails(Fault::File) { Err(io::Error::other("a failure was injected")) } else { Ok(()) }
}

/// A file whose operations can fail on request.
#[derive(Debug)]
pub(crate) struct Watched(pub File);

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        file()?;
        self.0.read(buffer)
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        file()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for Watched {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        file()?;
        self.0.seek(to)
    }
}
