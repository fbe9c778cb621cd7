//! A growable list of words shared by threads, initially zero. A long list lies in huge pages,
//! where random accesses are faster, and grows in place.

#[cfg(not(loom))]
use crate::memory::region::Region;
use crate::memory::sync::{AtomicU64, Ordering};
use std::ops::Deref;

/// See the module. Growing needs exclusive access to the list.
#[cfg(not(loom))]
#[derive(Debug, Default)]
pub(crate) struct AtomicWords {
    region: Option<Region>,
    len: usize,
}

/// The list of loom models.
#[cfg(loom)]
#[derive(Debug, Default)]
pub(crate) struct AtomicWords(Vec<AtomicU64>);

impl AtomicWords {
    /// One word. Aborts without memory, as small allocations of the standard library do.
    #[cfg(not(loom))]
    pub fn one() -> AtomicWords {
        AtomicWords { region: Some(Region::one_line()), len: 1 }
    }

    #[cfg(loom)]
    pub fn one() -> AtomicWords {
        AtomicWords(vec![AtomicU64::new(0)])
    }

    /// `None` if there is no memory.
    pub fn zeroed(len: usize) -> Option<AtomicWords> {
        let mut words = AtomicWords::default();
        words.extend_to(len, 1).then_some(words)
    }

    /// Appends zeros up to a length of `len`, with up to `threads` threads; a longer list stays.
    /// `false` if there is no memory; then nothing has changed.
    #[cfg(not(loom))]
    #[must_use]
    pub fn extend_to(&mut self, len: usize, threads: usize) -> bool {
        if len <= self.len {
            return true;
        }
        let Some(bytes) = len.checked_mul(size_of::<AtomicU64>()) else { return false };
        if !self.region.as_mut().is_some_and(|region| region.extend(bytes, threads)) {
            let Some(region) = Region::new(bytes) else { return false };
            // SAFETY: both pointers are valid for `self.len` words and the ranges do not overlap.
            unsafe {
                std::ptr::copy_nonoverlapping(self.as_ptr().cast(), region.start(), 8 * self.len)
            };
            self.region = Some(region);
        }
        self.len = len;
        true
    }

    #[cfg(loom)]
    #[must_use]
    pub fn extend_to(&mut self, len: usize, _threads: usize) -> bool {
        while self.0.len() < len {
            self.0.push(AtomicU64::new(0));
        }
        true
    }

    /// Sets bits of a word and returns its value from before. A thread that sees the bits set also
    /// sees all that happened before. `alone`: no other thread accesses the word meanwhile, so the
    /// change needs no locked instruction.
    #[inline]
    pub fn set(&self, index: usize, bits: u64, alone: bool) -> u64 {
        let word = &self[index];
        let before = word.load(Ordering::Acquire);
        // The bits are usually set already; loading first keeps the cache line shared.
        if before & bits == bits {
            before
        } else if alone {
            word.store(before | bits, Ordering::Relaxed);
            before
        } else {
            word.fetch_or(bits, Ordering::AcqRel)
        }
    }

    #[cfg(not(loom))]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut u64> {
        let words = match &self.region {
            // SAFETY: as in `deref`; the list is borrowed exclusively, so the words need not be
            // atomic.
            Some(region) => unsafe {
                std::slice::from_raw_parts_mut(region.start().cast::<u64>(), self.len)
            },
            None => &mut [],
        };
        words.iter_mut()
    }

    #[cfg(loom)]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut u64> {
        unimplemented!("loom's atomics cannot be borrowed as words");
        #[allow(unreachable_code)]
        std::iter::empty()
    }
}

#[cfg(loom)]
impl Deref for AtomicWords {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        &self.0
    }
}

#[cfg(not(loom))]
impl Deref for AtomicWords {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        match &self.region {
            // SAFETY: the region is aligned to cache lines and holds `len` words, which are
            // initialized and accessed only as atomics.
            Some(region) => unsafe { std::slice::from_raw_parts(region.start().cast(), self.len) },
            None => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Through all sizes at which the kind of memory changes; Miri has one kind, and is slow.
    #[test]
    fn growth_keeps_contents() {
        let mut words = AtomicWords::default();
        let mut len = 0;
        while len < if cfg!(miri) { 1 << 12 } else { 1 << 20 } {
            let longer = len * 5 / 4 + 100;
            assert!(words.extend_to(longer, 2));
            assert_eq!(words.len(), longer);
            for (word, number) in words[len..].iter().zip(len as u64 + 1..) {
                assert_eq!(word.swap(number, Ordering::Relaxed), 0);
            }
            len = longer;
        }
        assert!(words.extend_to(10, 2));
        assert!(words.iter_mut().zip(1..).all(|(word, number)| *word == number));
        assert_eq!(words.len(), len);
    }
}
