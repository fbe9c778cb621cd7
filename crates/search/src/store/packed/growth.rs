//! How a segment gets larger: where it is, if there is address space behind it, otherwise by moving to another.
//!
//! Buckets are in the order of hashes, so with more of them every state belongs no nearer to the start than before. Going through the
//! old buckets from the last to the first, what was read can be cleared, and states find their new buckets in memory
//! that has been read already. The few that do not (they had moved far from where they belong, or have to) are put aside and
//! added in the end.
//!
//! Every state is moved some times in a search, so entries are carried over as they are: only what remains of the hash changes.

use super::segment::{Decoder, FIRST_TAG, Others, Segment};
use super::shape::{NEIGHBOURS, PLACES, Shape};
use std::sync::atomic::AtomicBool;

impl Segment {
    /// Changes to another number of buckets; `false` if there is no memory, and then nothing has changed. States have
    /// so many words. Precondition: `shape` is larger.
    pub fn grow(&mut self, shape: Shape, words: usize, others: &Others) -> bool {
        let Some(bytes) = shape.bytes() else { return false };
        let mut state = vec![0; words];
        if bytes >= self.region.bytes() && self.region.extend(bytes, 1) {
            self.spread(shape, &mut state, others);
            return true;
        }
        let Some(mut larger) = Segment::new(shape) else { return false };
        let mut aside = std::mem::take(&mut self.strays);
        for bucket in 0..self.shape.buckets {
            let entries = self.bucket(bucket).cast_const();
            // SAFETY: the bucket is in use and nobody writes it meanwhile; `larger` lies elsewhere.
            unsafe {
                larger.take(&self.shape, bucket, entries, PLACES, 0, &mut |hash, entry| {
                    self.shape.read(entry, &mut state, others);
                    aside.push((hash, state.clone()));
                });
            }
        }
        for (hash, stray) in aside {
            larger.add_or_keep(hash, &stray, others);
        }
        *self = larger;
        true
    }

    /// Arranges the entries in another shape. Precondition: the region is large enough for both, and what was added to it
    /// is zero.
    fn spread(&mut self, shape: Shape, state: &mut [u64], others: &Others) {
        let old = std::mem::replace(&mut self.shape, shape);
        self.full = AtomicBool::new(false);
        let mut aside = std::mem::take(&mut self.strays);
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
            let entries = copy.as_ptr().cast::<u8>();
            // SAFETY: the copy is a bucket of the old shape, and nobody writes it meanwhile.
            unsafe {
                self.take(&old, bucket, entries, NEIGHBOURS, first, &mut |hash, entry| {
                    old.read(entry, state, others);
                    aside.push((hash, state.to_vec()));
                });
            }
        }
        for (hash, state) in aside {
            self.add_or_keep(hash, &state, others);
        }
    }

    /// Adds the entries of a bucket of another shape; those without room in so many places, or with none from bucket
    /// `first` on, are given to `left`, each with its hash.
    ///
    /// SAFETY: `entries` points to such a bucket, which is not this segment's and is not written meanwhile.
    unsafe fn take(
        &mut self,
        old: &Shape,
        bucket: u64,
        entries: *const u8,
        places: u64,
        first: u64,
        left: &mut dyn FnMut(u64, *const u8),
    ) {
        let decoder = Decoder::new(old, bucket);
        for slot in 0..old.slots {
            // SAFETY: a bucket has so many slots, and a tag that was published says that there is an entry.
            unsafe {
                let tag = entries.cast::<u64>().add(slot / 4).read() >> (16 * (slot % 4)) & 0xffff;
                if tag < FIRST_TAG {
                    break;
                }
                let entry = entries.add(old.entry_offset(slot));
                let hash = decoder.hash(old, tag, old.read_rest(entry));
                if !self.carry(hash, entry, places, first) {
                    left(hash, entry);
                }
            }
        }
    }

    fn add_or_keep(&mut self, hash: u64, state: &[u64], others: &Others) {
        let mut entry = vec![0; self.shape.entry_bytes];
        // SAFETY: room for an entry that is nobody else's; what is carried are the other words.
        let added = unsafe {
            self.write(entry.as_mut_ptr(), 0, state, others);
            self.carry(hash, entry.as_ptr(), PLACES, 0)
        };
        if !added {
            self.strays.push((hash, state.to_vec()));
        }
    }
}
