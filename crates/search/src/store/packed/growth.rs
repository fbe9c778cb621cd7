//! How a segment gets larger: where it is, if there is address space behind it, otherwise by moving to another.
//!
//! Buckets are in the order of hashes, so with more of them every state belongs no nearer to the start than before. Going through the
//! old buckets from the last to the first, what was read can be cleared, and states find their new buckets in memory
//! that has been read already. The few that do not (they had moved far from where they belong, or have to) are put aside and
//! added in the end.

use super::segment::{Decoder, FIRST_TAG, Others, Segment};
use super::shape::{NEIGHBOURS, PLACES, Shape};
use std::sync::atomic::AtomicBool;

impl Segment {
    /// Changes to another number of buckets; `false` if there is no memory, and then nothing has changed. States have
    /// so many words. Precondition: `shape` is larger.
    pub fn grow(&mut self, shape: Shape, words: usize, others: &Others) -> bool {
        let Some(bytes) = shape.bytes() else { return false };
        if bytes >= self.region.bytes() && self.region.extend(bytes, 1) {
            self.spread(shape, words, others);
            return true;
        }
        let Some(mut larger) = Segment::new(shape) else { return false };
        let mut state = vec![0; words];
        self.for_each(&mut state, others, &mut |hash, state| larger.add_or_keep(hash, state, others));
        *self = larger;
        true
    }

    fn add_or_keep(&mut self, hash: u64, state: &[u64], others: &Others) {
        if !self.add(hash, state, others, PLACES, 0) {
            self.strays.push((hash, state.to_vec()));
        }
    }

    /// Arranges the entries in another shape. Precondition: the region is large enough for both, and what was added to it
    /// is zero.
    fn spread(&mut self, shape: Shape, words: usize, others: &Others) {
        let old = std::mem::replace(&mut self.shape, shape);
        self.full = AtomicBool::new(false);
        let mut aside = std::mem::take(&mut self.strays);
        let mut state = vec![0; words];
        let mut decoder = Decoder::default();
        let mut copy = vec![0u64; old.bucket_bytes / 8];
        for bucket in (0..old.buckets).rev() {
            let start = bucket as usize * old.bucket_bytes;
            // SAFETY: the region still has the old buckets, in whole words, and nobody else uses it.
            unsafe {
                let place = self.region.start().add(start).cast::<u64>();
                std::ptr::copy_nonoverlapping(place, copy.as_mut_ptr(), copy.len());
                std::ptr::write_bytes(place, 0, copy.len());
            }
            // Buckets from here on lie where everything has been read.
            let first = start.div_ceil(self.shape.bucket_bytes) as u64;
            for slot in 0..old.slots {
                let tag = copy[slot / 4] >> (16 * (slot % 4)) & 0xffff;
                if tag < FIRST_TAG {
                    break;
                }
                // SAFETY: the tag says that there is an entry, and nobody writes the copy.
                let rest = unsafe {
                    let entry = copy.as_ptr().cast::<u8>().add(old.entry_offset(slot));
                    old.read(entry, &mut state, others)
                };
                let hash = decoder.hash(&old, bucket, tag, rest);
                if !self.add(hash, &state, others, NEIGHBOURS, first) {
                    aside.push((hash, state.clone()));
                }
            }
        }
        for (hash, state) in aside {
            self.add_or_keep(hash, &state, others);
        }
    }
}
