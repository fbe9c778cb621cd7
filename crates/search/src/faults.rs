//! Fault injection for tests: the n-th operation of a kind fails as if the system had refused it.
//!
//! The functions that allocate tables, access files and start threads call [`fails`] first. Unless
//! a test has called [`inject`], that costs one relaxed load in an operation of microseconds.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// A kind of operation that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Allocating or enlarging a table.
    Memory,
    /// Creating, opening, reading or writing a file.
    File,
    /// Starting a thread.
    Thread,
}

/// For each kind, the number of operations until the one that fails; 0 if none fails.
static COUNTDOWN: [AtomicU64; 3] = [AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)];

/// Makes the `n`-th operation of this kind from now on fail, counted from 1, and no other; with 0,
/// none.
pub fn inject(fault: Fault, n: u64) {
    COUNTDOWN[fault as usize].store(n, Ordering::SeqCst);
}

/// Has the injected fault not happened yet?
pub fn is_pending(fault: Fault) -> bool {
    COUNTDOWN[fault as usize].load(Ordering::SeqCst) > 0
}

/// Counts an operation, and returns whether it must fail.
#[inline]
pub fn fails(fault: Fault) -> bool {
    let countdown = &COUNTDOWN[fault as usize];
    if countdown.load(Ordering::Relaxed) == 0 {
        return false;
    }
    let step = |left: u64| left.checked_sub(1);
    countdown.fetch_update(Ordering::SeqCst, Ordering::SeqCst, step) == Ok(1)
}

/// Counts an operation on a file, and returns an error if it must fail.
pub fn file() -> io::Result<()> {
    if fails(Fault::File) { Err(io::Error::other("a fault was injected")) } else { Ok(()) }
}

/// Lets the environment variable `LARIAT_FILE_FAULT=n` inject a fault into a whole program, for
/// tests of its outputs; builds without debug assertions ignore it.
pub fn inject_from_environment() {
    let number = std::env::var("LARIAT_FILE_FAULT").ok().filter(|_| cfg!(debug_assertions));
    if let Some(n) = number.and_then(|text| text.parse().ok()) {
        inject(Fault::File, n);
    }
}

/// A file whose operations can be made to fail.
#[derive(Debug)]
pub struct FaultyFile(pub File);

impl FaultyFile {
    /// Changes the length of the file.
    ///
    /// # Errors
    /// As [`File::set_len`], or an injected fault.
    pub fn set_len(&self, bytes: u64) -> io::Result<()> {
        file()?;
        self.0.set_len(bytes)
    }
}

impl Read for FaultyFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        file()?;
        self.0.read(buffer)
    }
}

impl Write for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        file()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for FaultyFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        file()?;
        self.0.seek(to)
    }
}
