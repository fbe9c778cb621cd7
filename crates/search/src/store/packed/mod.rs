//! The exact store: the state itself, in buckets of cache lines, without locks.
//!
//! One word of the state is replaced by an invertible hash of it, into which the other words are
//! mixed. The bucket stands for the high part of that hash, which is not stored (Knuth's exercise
//! on quotients; Cleary 1984), so a state of one word costs a few bytes, and a larger one costs its
//! other words and those few bytes. The table consists of segments that grow separately, by a
//! moderate factor. Buckets are in the order of hashes, so growth accesses memory sequentially.

mod entry;
mod growth;
#[cfg(all(test, loom))]
mod loom_models;
pub(super) mod permutation;
mod segment;
mod shape;
mod tags;

use super::{Guarantee, Insertion, Store};
use crate::threads::start_small;
use crate::tuning::store::{
    PACKED_GROWTH, PACKED_GROWTH_SCARCE, PACKED_PARALLEL_BYTES, PACKED_SEPARATE_BYTES,
};
use permutation::Permutation;
use rapidhash::v3::{RapidSecrets, rapidhash_v3_nano_inline};
use segment::Segment;
use shape::{Home, SegmentShape};
use std::sync::{Mutex, PoisonError};

const SEGMENT_BITS: u32 = 3;
const SEGMENTS: usize = 1 << SEGMENT_BITS;
const MIN_BUCKETS: u64 = 64;
/// A narrower word gets a 64-bit hash: hashes of few bits distribute badly.
const MIN_HASHED_BITS: u32 = 48;

/// See the module.
#[derive(Debug)]
pub struct Packed {
    identity_words: usize,
    /// The word that is hashed.
    hashed: usize,
    permutation: Permutation,
    hash_bits: u32,
    /// The other words that are ever not 0, with the bytes each takes.
    stored: Vec<(usize, usize)>,
    segments: Vec<Segment>,
}

/// The home of a state.
#[derive(Clone, Copy, Debug)]
pub struct PackedKey {
    /// The bucket, and from bit [`SEGMENT_SHIFT`] on the segment.
    bucket: u64,
    remainder: u64,
}

const SEGMENT_SHIFT: u32 = 64 - SEGMENT_BITS;

const SECRETS: RapidSecrets = RapidSecrets::seed(0x6c61_7269_6174);

#[inline]
fn hash_words(words: &[u64]) -> u64 {
    // SAFETY: the bytes are exactly those of `words`, which is borrowed and initialized.
    let bytes =
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), size_of_val(words)) };
    rapidhash_v3_nano_inline::<false, false>(bytes, &SECRETS)
}

impl Packed {
    /// For states whose word `i` only ever has its lowest `bits[i]` bits set, with room for
    /// `states` states. `None` if there is no memory.
    pub fn new(bits: &[u32], states: u64) -> Option<Packed> {
        Packed::within(bits, states, u64::MAX)
    }

    /// Like [`new`](Self::new). If room for `states` states takes more than `memory_bytes` bytes,
    /// the table is as small as possible and can still grow step by step.
    fn within(bits: &[u32], states: u64, memory_bytes: u64) -> Option<Packed> {
        // The first of the widest words: if it is word 0, the others are contiguous.
        let hashed = (0..bits.len()).rev().max_by_key(|&word| bits[word])?;
        let hash_bits = match bits {
            [only] => (*only).clamp(16, 64),
            _ if bits[hashed] < MIN_HASHED_BITS => 64,
            _ => bits[hashed].min(64),
        };
        let stored = (0..bits.len()).filter(|&word| word != hashed && bits[word] > 0);
        let stored: Vec<_> =
            stored.map(|word| (word, bits[word].min(64).div_ceil(8) as usize)).collect();
        let mut packed = Packed {
            identity_words: bits.len(),
            hashed,
            permutation: Permutation::new(hash_bits),
            hash_bits,
            stored,
            segments: Vec::new(),
        };
        let first = packed.shape(MIN_BUCKETS);
        // A quarter more, because buckets fill unevenly.
        let buckets = (states as u128 * MIN_BUCKETS as u128 * 5
            / 4
            / SEGMENTS as u128
            / u128::from(first.capacity())) as u64;
        let wanted = packed.shape(buckets.max(MIN_BUCKETS));
        let bytes = wanted.bytes().map(|bytes| bytes as u64 * SEGMENTS as u64);
        let shape = if bytes? <= memory_bytes { wanted } else { first };
        for _ in 0..SEGMENTS {
            packed.segments.push(Segment::new(shape.clone())?);
        }
        Some(packed)
    }

    /// The shape of a segment with `buckets` buckets.
    fn shape(&self, buckets: u64) -> SegmentShape {
        let bytes = self.stored.iter().map(|(_, bytes)| bytes).sum();
        SegmentShape::new(self.hash_bits - SEGMENT_BITS, buckets, bytes)
    }

    /// A hash of the other words, which is mixed into the hashed word.
    #[inline]
    fn mixed(&self, state: &[u64]) -> u64 {
        if self.stored.is_empty() {
            return 0;
        }
        let hash = match self.hashed {
            0 => hash_words(&state[1..]),
            hashed => {
                hash_words(&state[..hashed]) ^ hash_words(&state[hashed + 1..]).rotate_left(32)
            }
        };
        hash >> (64 - self.hash_bits)
    }

    /// The segment of a hash, and the hash within the segment.
    #[inline]
    fn locate(&self, hash: u64) -> (usize, u64) {
        let bits = self.hash_bits - SEGMENT_BITS;
        ((hash >> bits) as usize % SEGMENTS, hash & ((1 << bits) - 1))
    }

    /// Calls `visit` with every state, and releases each segment after its states.
    pub fn drain(mut self, visit: &mut dyn FnMut(&[u64])) {
        for (number, segment) in std::mem::take(&mut self.segments).into_iter().enumerate() {
            self.visit(number, &segment, visit);
        }
    }

    /// Calls `visit` with every state of segment `number`.
    fn visit(&self, number: usize, segment: &Segment, visit: &mut dyn FnMut(&[u64])) {
        let mut state = vec![0; self.identity_words];
        segment.for_each(&mut state, &self.stored, &mut |rest, state| {
            let hash = (number as u64) << (self.hash_bits - SEGMENT_BITS) | rest;
            state[self.hashed] = self.permutation.invert(hash) ^ self.mixed(state);
            visit(state);
        });
    }

    #[inline]
    fn home(&self, key: PackedKey) -> (&Segment, Home) {
        let bucket = key.bucket & ((1 << SEGMENT_SHIFT) - 1);
        (
            &self.segments[(key.bucket >> SEGMENT_SHIFT) as usize],
            Home { bucket, remainder: key.remainder },
        )
    }

    /// The shape of a segment after growth by the factor `1 + growth`.
    fn larger(&self, index: usize, growth: f64) -> SegmentShape {
        let old = &self.segments[index].shape;
        let buckets = old.buckets + (old.buckets as f64 * growth) as u64;
        let shape = self.shape(buckets);
        // With more buckets the entries may be shorter, so that more of them fit in a bucket and
        // fewer buckets suffice.
        let fewer = self.shape(buckets * old.slots as u64 / shape.slots as u64);
        if fewer.slots == shape.slots && fewer.buckets > old.buckets { fewer } else { shape }
    }
}

impl Store for Packed {
    type Key = PackedKey;

    #[inline]
    fn key(&self, state: &[u64]) -> PackedKey {
        let hash = self.permutation.apply(state[self.hashed] ^ self.mixed(state));
        let (segment, rest) = self.locate(hash);
        let Home { bucket, remainder } = self.segments[segment].shape.home(rest);
        PackedKey { bucket: bucket | (segment as u64) << SEGMENT_SHIFT, remainder }
    }

    #[inline]
    fn fetch(&self, key: PackedKey) {
        let (segment, home) = self.home(key);
        segment.fetch(home.bucket);
    }

    #[inline]
    fn insert(&self, state: &[u64], key: PackedKey) -> Insertion {
        let (segment, home) = self.home(key);
        segment.insert::<false>(home, state, &self.stored)
    }

    #[inline]
    unsafe fn insert_alone(&self, state: &[u64], key: PackedKey) -> Insertion {
        let (segment, home) = self.home(key);
        segment.insert::<true>(home, state, &self.stored)
    }

    fn grow(&mut self, memory_bytes: u64, threads: usize) -> bool {
        let total = self.memory_bytes();
        let growth = PACKED_GROWTH
            .iter()
            .find_map(|&(below, growth)| (total < below).then_some(growth))
            .unwrap_or(PACKED_GROWTH_SCARCE);
        let mut due: Vec<usize> = (0..SEGMENTS).collect();
        due.sort_by_key(|&index| {
            let segment = &self.segments[index];
            (!segment.is_full(), segment.capacity())
        });
        if total >= PACKED_SEPARATE_BYTES {
            // The full segments, and the next smallest ones so that every thread grows one.
            let full = self.segments.iter().filter(|segment| segment.is_full()).count();
            due.truncate(full.next_multiple_of(threads.max(1)));
        }
        let Some(shapes) = [growth, PACKED_GROWTH_SCARCE].into_iter().find_map(|growth| {
            let shapes: Vec<(usize, SegmentShape)> =
                due.iter().map(|&index| (index, self.larger(index, growth))).collect();
            let before: u64 = due.iter().map(|&index| self.segments[index].bytes()).sum();
            let after: u64 = shapes
                .iter()
                .filter_map(|(_, shape)| shape.bytes())
                .map(|bytes| bytes as u64)
                .sum();
            (total - before + after <= memory_bytes).then_some(shapes)
        }) else {
            return false;
        };
        let (words, stored) = (self.identity_words, &self.stored[..]);
        let mut parts: Vec<(&mut Segment, SegmentShape)> = Vec::new();
        for (index, segment) in self.segments.iter_mut().enumerate() {
            if let Some((_, shape)) = shapes.iter().find(|(due, _)| *due == index) {
                parts.push((segment, shape.clone()));
            }
        }
        let grow = |parts: &mut [(&mut Segment, SegmentShape)]| {
            parts.iter_mut().all(|(segment, shape)| segment.grow(shape.clone(), words, stored))
        };
        if threads < 2 || total < PACKED_PARALLEL_BYTES {
            return grow(&mut parts);
        }
        let share = parts.len().div_ceil(threads);
        // Each thread takes the next chunk; if the system refuses threads, fewer do the work.
        let queue = Mutex::new(parts.chunks_mut(share));
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || std::iter::from_fn(next).all(grow);
        std::thread::scope(|scope| {
            let work = &work;
            let others: Vec<_> =
                (1..threads).map_while(|_| start_small(scope, work).ok()).collect();
            let grown = work();
            others.into_iter().fold(grown, |grown, thread| thread.join().unwrap_or(false) && grown)
        })
    }

    fn len(&self) -> u64 {
        self.segments.iter().map(Segment::count).sum()
    }

    fn memory_bytes(&self) -> u64 {
        self.segments.iter().map(Segment::bytes).sum()
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Exact
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u64])) -> bool {
        for (number, segment) in self.segments.iter().enumerate() {
            self.visit(number, segment, visit);
        }
        true
    }

    fn emptied(&self, identity_words: usize, memory_bytes: u64) -> Option<Packed> {
        self.emptied_for(&vec![64; identity_words], memory_bytes)
    }

    fn emptied_for(&self, bits: &[u32], memory_bytes: u64) -> Option<Packed> {
        Packed::within(bits, self.len(), memory_bytes).or_else(|| Packed::new(bits, 0))
    }
}

#[cfg(test)]
mod tests;
