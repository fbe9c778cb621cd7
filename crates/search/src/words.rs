//! Words that threads share, zero at first, in a [`Region`]: a long list of them is in huge pages, where looking here and there is quicker, and grows where it is.

use crate::region::Region;
use std::alloc::{Layout, handle_alloc_error};
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

/// See the module. To make it longer takes the whole list.
#[derive(Debug, Default)]
pub(crate) struct Words {
    region: Option<Region>,
    len: usize,
}

impl Words {
    /// A few kilobytes, without which no program goes on.
    pub fn few(len: usize) -> Words {
        let layout = Layout::new::<AtomicU64>();
        Words::zeroed(len).unwrap_or_else(|| handle_alloc_error(layout))
    }

    /// `None` if there is no memory.
    pub fn zeroed(len: usize) -> Option<Words> {
        let mut words = Words::default();
        words.extend_to(len, 1).then_some(words)
    }

    /// Appends zeros, unless there are so many words already. So many threads may work on it. `false` if there is no
    /// memory; then nothing has changed.
    #[must_use]
    pub fn extend_to(&mut self, len: usize, threads: usize) -> bool {
        if len <= self.len {
            return true;
        }
        let Some(bytes) = len.checked_mul(size_of::<AtomicU64>()) else { return false };
        if !self.region.as_mut().is_some_and(|region| region.extend(bytes, threads)) {
            let Some(region) = Region::new(bytes) else { return false };
            // SAFETY: both have memory for so many words, and are two.
            unsafe { std::ptr::copy_nonoverlapping(self.as_ptr().cast(), region.start(), 8 * self.len) };
            self.region = Some(region);
        }
        self.len = len;
        true
    }

    /// Sets bits of a word, which is returned as it was. Who sees them set sees all that was done before. `alone`: no other thread looks at them meanwhile, so it need not be kept from that.
    #[inline]
    pub fn set(&self, index: usize, bits: u64, alone: bool) -> u64 {
        let word = &self[index];
        let before = word.load(Ordering::Acquire);
        // Most often they are set; looking first leaves the memory to all threads.
        if before & bits == bits {
            before
        } else if alone {
            word.store(before | bits, Ordering::Relaxed);
            before
        } else {
            word.fetch_or(bits, Ordering::AcqRel)
        }
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut u64> {
        // SAFETY: as below; and borrowed mutably, nobody else looks at them, so they are plain words.
        let words = match &self.region {
            Some(region) => unsafe { std::slice::from_raw_parts_mut(region.start().cast::<u64>(), self.len) },
            None => &mut [],
        };
        words.iter_mut()
    }
}

impl Deref for Words {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        match &self.region {
            // SAFETY: the region begins at a cache line and has memory for so many words; each bit pattern is one.
            Some(region) => unsafe { std::slice::from_raw_parts(region.start().cast(), self.len) },
            None => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Through all the sizes at which a region changes its ways.
    #[test]
    fn what_was_written_stays() {
        let mut words = Words::default();
        let mut len = 0;
        while len < 1 << 20 {
            let longer = len * 5 / 4 + 100;
            assert!(words.extend_to(longer, 2));
            assert_eq!(words.len(), longer);
            for index in len..longer {
                assert_eq!(words[index].swap(index as u64 + 1, Ordering::Relaxed), 0);
            }
            len = longer;
        }
        assert!(words.extend_to(10, 2));
        assert!(words.iter_mut().zip(1..).all(|(word, number)| *word == number));
        assert_eq!(words.len(), len);
    }
}
