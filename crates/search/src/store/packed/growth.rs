//! Growing a segment: in place if address space is reserved after it, otherwise by moving to a
//! larger region.
//!
//! Buckets are in the order of hashes, so with more buckets no state belongs nearer to the start
//! than before. In place, the old buckets are read and cleared from the last to the first, and
//! states are placed in memory that has been read already. The few states for which that is not
//! possible (they were displaced far from home, or have to be) are set aside and added at the end.
//!
//! Every state moves several times in a search, so the stored words are copied without decoding
//! the state; only the remainder of the hash changes.

use super::entry::StoredWords;
use super::segment::{BucketDecoder, Segment};
use super::shape::{Home, NEIGHBOURS, PROBES, SegmentShape};
use super::tags::{FIRST_TAG, TAGS_PER_WORD, extract, shift, tag, taken};
use crate::memory::sync::Ordering;
use std::sync::atomic::AtomicBool;

/// Where an entry may be placed.
#[derive(Clone, Copy, Debug)]
struct Allowed {
    probes: u64,
    /// Buckets before this one have not been read yet.
    first_bucket: u64,
}

impl Allowed {
    const EVERYWHERE: Allowed = Allowed { probes: PROBES, first_bucket: 0 };
}

impl Segment {
    /// Changes to a larger shape; `false` if there is no memory, and then nothing has changed.
    /// States have `words` words.
    pub fn grow(&mut self, shape: SegmentShape, words: usize, stored: &StoredWords) -> bool {
        let Some(bytes) = shape.bytes() else { return false };
        let mut state = vec![0; words];
        if bytes >= self.region.bytes() && self.region.extend(bytes, 1) {
            self.rearrange(shape, &mut state, stored);
            return true;
        }
        let Some(mut larger) = Segment::new(shape) else { return false };
        let mut aside = std::mem::take(&mut self.overflow);
        let mut entries = vec![0; self.shape.bucket_bytes / 8];
        for bucket in 0..self.shape.buckets {
            self.region.take_words(bucket as usize * self.shape.bucket_bytes, &mut entries);
            larger.carry_bucket(
                &self.shape,
                bucket,
                &entries,
                Allowed::EVERYWHERE,
                |hash, entry| {
                    // SAFETY: the entry is complete and belongs to the copy of a bucket.
                    unsafe { self.shape.read_entry(entry, &mut state, stored) };
                    aside.push((hash, state.clone()));
                },
            );
        }
        for (hash, state) in aside {
            larger.add_or_overflow(hash, state, stored);
        }
        *self = larger;
        true
    }

    /// Moves the entries to the buckets of another shape. Precondition: the region is large enough
    /// for both shapes, and zero beyond the old one.
    fn rearrange(&mut self, shape: SegmentShape, state: &mut [u64], stored: &StoredWords) {
        let old = std::mem::replace(&mut self.shape, shape);
        self.full = AtomicBool::new(false);
        let mut aside = std::mem::take(&mut self.overflow);
        let mut entries = vec![0; old.bucket_bytes / 8];
        for bucket in (0..old.buckets).rev() {
            let start = bucket as usize * old.bucket_bytes;
            self.region.take_words(start, &mut entries);
            let first_bucket = start.div_ceil(self.shape.bucket_bytes) as u64;
            let allowed = Allowed { probes: NEIGHBOURS, first_bucket };
            self.carry_bucket(&old, bucket, &entries, allowed, |hash, entry| {
                // SAFETY: the entry is complete and belongs to the copy of a bucket.
                unsafe { old.read_entry(entry, state, stored) };
                aside.push((hash, state.to_vec()));
            });
        }
        for (hash, state) in aside {
            self.add_or_overflow(hash, state, stored);
        }
    }

    /// Adds the entries of `bucket`, a copy of a bucket of the shape `old` with this number. Calls
    /// `reject` with the hash of each entry that found no free slot.
    fn carry_bucket(
        &mut self,
        old: &SegmentShape,
        number: u64,
        bucket: &[u64],
        allowed: Allowed,
        mut reject: impl FnMut(u64, *const u8),
    ) {
        debug_assert_eq!(bucket.len() * 8, old.bucket_bytes);
        let decoder = BucketDecoder::new(old, number);
        for slot in 0..old.slots {
            let tag = extract(bucket[slot / TAGS_PER_WORD], slot);
            if tag < FIRST_TAG {
                break;
            }
            // SAFETY: the bucket holds all slots of its shape, and the tag says that the entry is
            // complete.
            unsafe {
                let entry = bucket.as_ptr().cast::<u8>().add(old.entry_offset(slot));
                let hash = decoder.hash(old, tag, old.read_rest(entry));
                if !self.carry(hash, entry, allowed) {
                    reject(hash, entry);
                }
            }
        }
    }

    /// Adds an entry of any shape that the segment does not hold; `false` if it found no free slot.
    ///
    /// SAFETY: `entry` points to a complete entry outside of this segment.
    unsafe fn carry(&mut self, hash: u64, entry: *const u8, allowed: Allowed) -> bool {
        let Home { bucket: home, remainder } = self.shape.home(hash);
        for probe in 0..allowed.probes {
            let bucket = if probe == 0 { home } else { self.shape.probe(home, probe, remainder) };
            if bucket < allowed.first_bucket {
                return false;
            }
            let Some((slot, tags)) = (0..self.shape.tag_words).find_map(|word| {
                let tags = self.tags(bucket, word).load(Ordering::Relaxed);
                let taken = taken(tags);
                (taken < TAGS_PER_WORD).then_some((TAGS_PER_WORD * word + taken, tags))
            }) else {
                continue;
            };
            if slot >= self.shape.slots {
                continue;
            }
            // SAFETY: the slot is free, and the segment is borrowed exclusively.
            unsafe { self.shape.copy_entry(entry, self.entry(bucket, slot), remainder) };
            let tags = tags | tag(probe, remainder) << shift(slot);
            self.tags(bucket, slot / TAGS_PER_WORD).store(tags, Ordering::Relaxed);
            return true;
        }
        false
    }

    fn add_or_overflow(&mut self, hash: u64, state: Vec<u64>, stored: &StoredWords) {
        let mut entry = vec![0; self.shape.entry_bytes];
        // SAFETY: the vector has the size of an entry; `carry` only copies its stored words.
        let added = unsafe {
            self.shape.write_entry(entry.as_mut_ptr(), 0, &state, stored);
            self.carry(hash, entry.as_ptr(), Allowed::EVERYWHERE)
        };
        if !added {
            self.overflow.push((hash, state));
        }
    }
}
