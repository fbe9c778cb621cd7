//! The [`Region`] of loom models: ordinary memory, a loom atomic for each word of it, and for each
//! byte a loom cell that reports unsynchronized accesses. A word is used either as an atomic or as
//! plain memory.

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU64, Ordering};

/// Room for growing in place, as a multiple of the first size.
const RESERVE_FACTOR: usize = 2;

#[derive(Debug)]
pub(crate) struct Region {
    plain: Box<[u64]>,
    atomics: Vec<AtomicU64>,
    accesses: Vec<UnsafeCell<()>>,
    bytes: usize,
}

// SAFETY: accesses through raw pointers are reported to `accesses`, which finds data races.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    pub fn new(bytes: usize) -> Option<Region> {
        let words = (RESERVE_FACTOR * bytes).div_ceil(8);
        Some(Region {
            plain: vec![0; words].into_boxed_slice(),
            atomics: (0..words).map(|_| AtomicU64::new(0)).collect(),
            accesses: (0..8 * words).map(|_| UnsafeCell::new(())).collect(),
            bytes,
        })
    }

    pub fn extend(&mut self, bytes: usize, _threads: usize) -> bool {
        let fits = bytes <= 8 * self.plain.len();
        self.bytes = if fits { self.bytes.max(bytes) } else { self.bytes };
        fits
    }

    pub fn start(&self) -> *mut u8 {
        self.plain.as_ptr().cast_mut().cast()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub unsafe fn atomic(&self, offset: usize) -> &AtomicU64 {
        &self.atomics[offset / 8]
    }

    pub fn note_read(&self, place: *const u8) {
        self.accesses[place as usize - self.start() as usize].with(|_| ());
    }

    pub fn note_write(&self, place: *const u8) {
        self.accesses[place as usize - self.start() as usize].with_mut(|_| ());
    }

    pub fn take_words(&mut self, offset: usize, words: &mut [u64]) {
        for (index, word) in (offset / 8..).zip(words) {
            *word = self.atomics[index].load(Ordering::Relaxed) | self.plain[index];
            self.atomics[index].store(0, Ordering::Relaxed);
            self.plain[index] = 0;
        }
    }
}
