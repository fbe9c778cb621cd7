//! One part of the table: buckets of cache lines, filled without locks.
//!
//! A state whose home bucket is full goes to one of the next few, and if these are full too to a
//! bucket that depends on its hash: neighbours cost few cache misses, jumps avoid clustering.
//!
//! A bucket begins with its [tags](super::tags); the [entries](super::entry) follow. A thread that
//! adds a state claims the first free slot by exchanging its tag, writes the entry, and publishes
//! the final tag. A thread that finds a slot being written waits, because the entry may be the
//! state it is about to add. Entries are never removed, so a free slot ends a lookup. `growth.rs`
//! makes a segment larger.

use super::entry::StoredWords;
use super::shape::{Home, PROBES, SegmentShape, TAG_BITS};
use super::tags::{FIRST_TAG, TAGS_PER_WORD, WRITING, compare, extract, parts_of, shift, tag};
use crate::liveness::stress;
use crate::memory::region::Region;
use crate::memory::sync::{AtomicU64, Ordering, spin_loop};
use crate::store::Insertion;
use std::sync::atomic::AtomicBool;

/// The most words of tags that a bucket has.
const MAX_TAG_WORDS: usize = 4;

#[derive(Debug)]
pub(super) struct Segment {
    pub(super) shape: SegmentShape,
    pub(super) region: Region,
    /// An insertion found no free slot.
    pub(super) full: AtomicBool,
    /// States with their hashes that found no free slot when the segment grew.
    pub(super) overflow: Vec<(u64, Vec<u64>)>,
}

impl Segment {
    /// An empty segment; `None` if there is no memory.
    pub fn new(shape: SegmentShape) -> Option<Segment> {
        let region = Region::new(shape.bytes()?)?;
        Some(Segment { shape, region, full: AtomicBool::new(false), overflow: Vec::new() })
    }

    pub fn bytes(&self) -> u64 {
        self.region.bytes() as u64
    }

    /// The number of slots.
    pub fn capacity(&self) -> u64 {
        self.shape.capacity()
    }

    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Precondition: `bucket < buckets`.
    #[inline]
    fn bucket(&self, bucket: u64) -> *mut u8 {
        debug_assert!(bucket < self.shape.buckets);
        // SAFETY: the region contains the bucket.
        unsafe { self.region.start().add(bucket as usize * self.shape.bucket_bytes) }
    }

    #[inline]
    pub(super) fn tags(&self, bucket: u64, word: usize) -> &AtomicU64 {
        debug_assert!(bucket < self.shape.buckets && word < self.shape.tag_words);
        // SAFETY: the word lies within the bucket, is aligned because buckets are, and is accessed
        // only atomically while the segment is shared.
        unsafe { self.region.atomic(bucket as usize * self.shape.bucket_bytes + 8 * word) }
    }

    /// Prefetches a bucket.
    #[inline]
    pub fn fetch(&self, bucket: u64) {
        let bucket = self.bucket(bucket);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch does not access memory, and the bucket is valid.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(bucket.cast());
            for line in (64..self.shape.bucket_bytes).step_by(64) {
                _mm_prefetch::<_MM_HINT_T0>(bucket.add(line).cast());
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = bucket;
    }

    /// Adds a state whose hash belongs to `home`. `ALONE`: no other thread uses the segment
    /// meanwhile.
    #[inline]
    pub fn insert<const ALONE: bool>(
        &self,
        home: Home,
        state: &[u64],
        stored: &StoredWords,
    ) -> Insertion {
        // The number of tag words is a constant of the compiled code, so tags stay in registers.
        match self.shape.tag_words {
            1 => self.insert_from::<1, ALONE>(home, state, stored),
            2 => self.insert_from::<2, ALONE>(home, state, stored),
            3 => self.insert_from::<3, ALONE>(home, state, stored),
            _ => self.insert_from::<MAX_TAG_WORDS, ALONE>(home, state, stored),
        }
    }

    #[inline]
    fn insert_from<const WORDS: usize, const ALONE: bool>(
        &self,
        home: Home,
        state: &[u64],
        stored: &StoredWords,
    ) -> Insertion {
        let Home { bucket, remainder } = home;
        if let Some(insertion) =
            self.insert_at::<WORDS, ALONE>(bucket, tag(0, remainder), remainder, state, stored)
        {
            return insertion;
        }
        self.insert_displaced::<WORDS, ALONE>(home, state, stored)
    }

    fn insert_displaced<const WORDS: usize, const ALONE: bool>(
        &self,
        home: Home,
        state: &[u64],
        stored: &StoredWords,
    ) -> Insertion {
        let Home { bucket, remainder } = home;
        for probe in 1..PROBES {
            let bucket = self.shape.probe(bucket, probe, remainder);
            let tag = tag(probe, remainder);
            if let Some(insertion) =
                self.insert_at::<WORDS, ALONE>(bucket, tag, remainder, state, stored)
            {
                return insertion;
            }
        }
        let is_state = |(hash, overflowed): &(u64, Vec<u64>)| {
            self.shape.home(*hash) == home
                && stored.iter().all(|&(word, _)| overflowed[word] == state[word])
        };
        if self.overflow.iter().any(is_state) {
            return Insertion::Known;
        }
        self.full.store(true, Ordering::Relaxed);
        Insertion::Full
    }

    /// Adds a state to a bucket; `None` if the bucket is full and does not hold the state.
    /// Precondition: buckets have `WORDS` words of tags.
    #[inline]
    fn insert_at<const WORDS: usize, const ALONE: bool>(
        &self,
        bucket: u64,
        tag: u64,
        remainder: u64,
        state: &[u64],
        stored: &StoredWords,
    ) -> Option<Insertion> {
        loop {
            let words: [u64; WORDS] =
                std::array::from_fn(|word| self.tags(bucket, word).load(Ordering::Acquire));
            let (mut same, open) = compare(words, tag);
            while same != 0 {
                let slot = same.trailing_zeros() as usize;
                let entry = self.entry(bucket, slot);
                self.region.note_read(entry);
                // SAFETY: the tag was published, so the entry is complete and will not change.
                if unsafe { self.shape.entry_equals(entry, remainder, state, stored) } {
                    return Some(Insertion::Known);
                }
                same &= same - 1;
            }
            // Slots are taken in order, so the first one without a complete entry is being written
            // or ends the bucket.
            let slot = open.trailing_zeros() as usize;
            if slot >= self.shape.slots {
                return None;
            }
            stress::point();
            let tags = self.tags(bucket, slot / TAGS_PER_WORD);
            let found = tags.load(Ordering::Relaxed);
            match extract(found, slot) {
                0 => {}
                WRITING => {
                    spin_loop();
                    continue;
                }
                // Another thread has completed the entry since.
                _ => continue,
            }
            let entry = self.entry(bucket, slot);
            if ALONE {
                // SAFETY: the slot is free, and no other thread uses the segment.
                unsafe { self.shape.write_entry(entry, remainder, state, stored) };
                tags.store(found | tag << shift(slot), Ordering::Relaxed);
                return Some(Insertion::New);
            }
            let claimed = found | WRITING << shift(slot);
            if tags
                .compare_exchange_weak(found, claimed, Ordering::Relaxed, Ordering::Relaxed)
                .is_err()
            {
                continue;
            }
            stress::point();
            self.region.note_write(entry);
            // SAFETY: this thread claimed the slot; others read the entry after its tag is
            // published.
            unsafe { self.shape.write_entry(entry, remainder, state, stored) };
            stress::point();
            tags.fetch_add((tag - WRITING) << shift(slot), Ordering::Release);
            return Some(Insertion::New);
        }
    }

    #[inline]
    pub(super) fn entry(&self, bucket: u64, slot: usize) -> *mut u8 {
        debug_assert!(slot < self.shape.slots);
        // SAFETY: the entry lies within the bucket.
        unsafe { self.bucket(bucket).add(self.shape.entry_offset(slot)) }
    }

    /// Calls `visit` with the hash of every entry, in nearly ascending order, and with `state`
    /// holding the entry's stored words. Entries added meanwhile may be missed.
    pub fn for_each(
        &self,
        state: &mut [u64],
        stored: &StoredWords,
        visit: &mut dyn FnMut(u64, &mut [u64]),
    ) {
        for bucket in 0..self.shape.buckets {
            let decoder = BucketDecoder::new(&self.shape, bucket);
            for slot in 0..self.shape.slots {
                let tags = self.tags(bucket, slot / TAGS_PER_WORD).load(Ordering::Acquire);
                let tag = extract(tags, slot);
                if tag < FIRST_TAG {
                    break;
                }
                let entry = self.entry(bucket, slot);
                self.region.note_read(entry);
                // SAFETY: the tag was published, so the entry is complete and will not change.
                let rest = unsafe { self.shape.read_entry(entry, state, stored) };
                visit(decoder.hash(&self.shape, tag, rest), state);
            }
        }
        for (hash, overflowed) in &self.overflow {
            state.copy_from_slice(overflowed);
            visit(*hash, state);
        }
    }

    /// The number of entries.
    pub fn count(&self) -> u64 {
        let mut count = self.overflow.len() as u64;
        for bucket in 0..self.shape.buckets {
            for word in 0..self.shape.tag_words {
                let tags = self.tags(bucket, word).load(Ordering::Relaxed);
                let complete = compare([tags], 0).1.trailing_zeros();
                count += u64::from(complete.min(TAGS_PER_WORD as u32));
            }
        }
        count
    }
}

/// Computes the hashes of the entries of a bucket.
#[derive(Debug)]
pub(super) struct BucketDecoder {
    bucket: u64,
    /// The lowest hash whose home is this bucket; most entries are in their home bucket.
    first: u64,
}

impl BucketDecoder {
    pub fn new(shape: &SegmentShape, bucket: u64) -> BucketDecoder {
        BucketDecoder { bucket, first: shape.first_hash(bucket) }
    }

    /// The hash of the entry with this tag and this rest.
    #[inline]
    pub fn hash(&self, shape: &SegmentShape, tag: u64, rest: u64) -> u64 {
        let (probe, low) = parts_of(tag);
        let remainder = rest << TAG_BITS | low;
        if probe == 0 {
            return shape.hash(Home { bucket: self.bucket, remainder }, self.first);
        }
        let displacement = shape.probe(0, probe, remainder);
        let home = if self.bucket >= displacement {
            self.bucket - displacement
        } else {
            self.bucket + shape.buckets - displacement
        };
        shape.hash(Home { bucket: home, remainder }, shape.first_hash(home))
    }
}
