//! A list that grows while threads read it. Its elements are in blocks, each about an eighth as
//! long as the list before it, allocated on first access. Elements never move, so no thread waits.

use std::sync::OnceLock;

/// Blocks for each power of two, as a power of two.
const SPLIT: u32 = 3;
/// The block sizes begin as if there were this many elements already, as a power of two.
const FIRST: u32 = 8;
const BLOCKS: usize = (33 - FIRST as usize) << SPLIT;

/// Elements by number, below 2³²; each has the default value at first.
#[derive(Debug)]
pub(in crate::liveness) struct SegmentedList<T> {
    blocks: Box<[OnceLock<Box<[T]>>]>,
}

impl<T> Default for SegmentedList<T> {
    fn default() -> SegmentedList<T> {
        SegmentedList { blocks: (0..BLOCKS).map(|_| OnceLock::new()).collect() }
    }
}

impl<T: Default> SegmentedList<T> {
    #[inline]
    pub fn get(&self, index: u32) -> &T {
        let place = u64::from(index) + (1 << FIRST);
        let power = place.ilog2();
        let shift = power - SPLIT;
        let block = ((power - FIRST) << SPLIT) + (place >> shift) as u32 - (1 << SPLIT);
        let within = place & ((1 << shift) - 1);
        let block = &self.blocks[block as usize];
        match block.get() {
            Some(elements) => &elements[within as usize],
            None => &make(block, 1 << shift)[within as usize],
        }
    }
}

#[cold]
fn make<T: Default>(block: &OnceLock<Box<[T]>>, length: usize) -> &[T] {
    block.get_or_init(|| (0..length).map(|_| T::default()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn every_number_has_an_element_of_its_own() {
        let segments: SegmentedList<AtomicU32> = SegmentedList::default();
        let count = if cfg!(miri) { 3000 } else { 100_000 };
        for index in 0..count {
            assert_eq!(segments.get(index).swap(index + 1, Ordering::Relaxed), 0);
        }
        for index in 0..count {
            assert_eq!(segments.get(index).load(Ordering::Relaxed), index + 1);
        }
    }
}
