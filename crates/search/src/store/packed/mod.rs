//! The exact store: the state itself, in buckets of a cache line, without locks.
//!
//! One word of the state is replaced by an invertible hash of it, into which the other words are mixed. The bucket stands for the
//! high part of that hash and is not stored (Knuth's exercise on quotients; Cleary 1984), so a state of one word costs
//! a few bytes, and a larger one costs its other words and those few bytes. The table consists of segments that grow one by
//! one by a moderate factor. Buckets are in the order of hashes, so growing reads and writes memory in
//! sequence.

mod growth;
pub(super) mod permutation;
mod segment;
mod shape;

use super::{Guarantee, Insertion, Store};
use crate::threads::start_small;
use permutation::Permutation;
use rapidhash::v3::{RapidSecrets, rapidhash_v3_nano_inline};
use segment::Segment;
use shape::{Home, Shape};
use std::sync::{Mutex, PoisonError};

const SEGMENT_BITS: u32 = 3;
const SEGMENTS: usize = 1 << SEGMENT_BITS;
const FEWEST_BUCKETS: u64 = 64;
/// Narrower words are not worth narrower hashes: they would not spread well.
const FEWEST_BITS: u32 = 48;
/// Below this size all segments grow together: it does not take long, and each time all threads stop.
const SMALL_BYTES: u64 = 128 << 20;

/// Below this size it is not worth starting threads.
const PARALLEL_BYTES: u64 = 4 << 20;

/// See the module.
#[derive(Debug)]
pub struct Packed {
    identity_words: usize,
    /// The word that is hashed.
    hashed: usize,
    permutation: Permutation,
    hash_bits: u32,
    /// The other words, with the bytes each takes.
    others: Vec<(usize, usize)>,
    segments: Vec<Segment>,
}

/// Where a state belongs.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The bucket, and above [`SEGMENT_SHIFT`] the segment.
    place: u64,
    remainder: u64,
}

const SEGMENT_SHIFT: u32 = 64 - SEGMENT_BITS;

const SECRETS: RapidSecrets = RapidSecrets::seed(0x6c61_7269_6174);

#[inline]
fn hash_words(words: &[u64]) -> u64 {
    // SAFETY: the bytes of the words, of which each is as good as any.
    let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), size_of_val(words)) };
    rapidhash_v3_nano_inline::<false, false>(bytes, &SECRETS)
}

impl Packed {
    /// For states whose word `i` has only its lowest `bits[i]` bits ever set; with room for some states. `None` if there
    /// is no memory.
    pub fn new(bits: &[u32], states: u64) -> Option<Packed> {
        // The first of the widest: if it is the very first, the others lie together.
        let hashed = (0..bits.len()).rev().max_by_key(|&word| bits[word])?;
        let hash_bits = match bits {
            [only] => (*only).clamp(16, 64),
            _ if bits[hashed] < FEWEST_BITS => 64,
            _ => bits[hashed].min(64),
        };
        let others = (0..bits.len()).filter(|&word| word != hashed && bits[word] > 0);
        let others: Vec<_> = others.map(|word| (word, bits[word].min(64).div_ceil(8) as usize)).collect();
        let mut packed = Packed {
            identity_words: bits.len(),
            hashed,
            permutation: Permutation::new(hash_bits),
            hash_bits,
            others,
            segments: Vec::new(),
        };
        let first = packed.shape(FEWEST_BUCKETS);
        // Room for a quarter more than asked for.
        let buckets =
            (states as u128 * FEWEST_BUCKETS as u128 * 5 / 4 / SEGMENTS as u128 / u128::from(first.room()))
                as u64;
        for _ in 0..SEGMENTS {
            packed.segments.push(Segment::new(packed.shape(buckets.max(FEWEST_BUCKETS)))?);
        }
        Some(packed)
    }

    /// The shape of a segment with so many buckets.
    fn shape(&self, buckets: u64) -> Shape {
        let bytes = self.others.iter().map(|(_, bytes)| bytes).sum();
        Shape::new(self.hash_bits - SEGMENT_BITS, buckets, bytes)
    }

    /// What is mixed into the hashed word.
    #[inline]
    fn mixed(&self, state: &[u64]) -> u64 {
        if self.others.is_empty() {
            return 0;
        }
        let hash = match self.hashed {
            0 => hash_words(&state[1..]),
            hashed => hash_words(&state[..hashed]) ^ hash_words(&state[hashed + 1..]).rotate_left(32),
        };
        hash >> (64 - self.hash_bits)
    }

    /// The segment of a hash, and the rest of the hash.
    #[inline]
    fn locate(&self, hash: u64) -> (usize, u64) {
        let bits = self.hash_bits - SEGMENT_BITS;
        ((hash >> bits) as usize % SEGMENTS, hash & ((1 << bits) - 1))
    }

    /// Calls `visit` with every state, and gives memory back on the way.
    pub fn drain(mut self, visit: &mut dyn FnMut(&[u64])) {
        for (number, segment) in std::mem::take(&mut self.segments).into_iter().enumerate() {
            self.visit(number, &segment, visit);
        }
    }

    /// Calls `visit` with every state of the segment that has this number.
    fn visit(&self, number: usize, segment: &Segment, visit: &mut dyn FnMut(&[u64])) {
        let mut state = vec![0; self.identity_words];
        segment.for_each(&mut state, &self.others, &mut |rest, state| {
            let hash = (number as u64) << (self.hash_bits - SEGMENT_BITS) | rest;
            state[self.hashed] = self.permutation.invert(hash) ^ self.mixed(state);
            visit(state);
        });
    }

    #[inline]
    fn home(&self, key: Key) -> (&Segment, Home) {
        let bucket = key.place & ((1 << SEGMENT_SHIFT) - 1);
        (&self.segments[(key.place >> SEGMENT_SHIFT) as usize], Home { bucket, remainder: key.remainder })
    }

    /// The shape of a segment that is to be larger by this part.
    fn larger(&self, index: usize, growth: f64) -> Shape {
        let old = &self.segments[index].shape;
        let buckets = old.buckets + (old.buckets as f64 * growth) as u64;
        let shape = self.shape(buckets);
        // With more buckets entries may be shorter, and more of them fit into each: then fewer buckets will do.
        let fewer = self.shape(buckets * old.slots as u64 / shape.slots as u64);
        if fewer.slots == shape.slots && fewer.buckets > old.buckets { fewer } else { shape }
    }
}

impl Store for Packed {
    type Key = Key;

    #[inline]
    fn key(&self, state: &[u64]) -> Key {
        let hash = self.permutation.apply(state[self.hashed] ^ self.mixed(state));
        let (segment, rest) = self.locate(hash);
        let Home { bucket, remainder } = self.segments[segment].shape.home(rest);
        Key { place: bucket | (segment as u64) << SEGMENT_SHIFT, remainder }
    }

    #[inline]
    fn fetch(&self, key: Key) {
        let (segment, home) = self.home(key);
        segment.fetch(home.bucket);
    }

    #[inline]
    fn insert(&self, state: &[u64], key: Key) -> Insertion {
        let (segment, home) = self.home(key);
        segment.insert::<false>(home, state, &self.others)
    }

    #[inline]
    unsafe fn insert_alone(&self, state: &[u64], key: Key) -> Insertion {
        let (segment, home) = self.home(key);
        segment.insert::<true>(home, state, &self.others)
    }

    fn grow(&mut self, memory_bytes: u64, threads: usize) -> bool {
        let total = self.memory_bytes();
        let growth = match total {
            0..0x10_0000 => 3.0,
            0x10_0000..SMALL_BYTES => 1.0,
            // From here on half-empty tables would be felt.
            _ => 0.5,
        };
        let mut due: Vec<usize> = (0..SEGMENTS).collect();
        due.sort_by_key(|&index| (!self.segments[index].is_full(), self.segments[index].room()));
        if total >= SMALL_BYTES {
            // Those that are full, and those that will be full soon, so that every thread has one.
            let full = self.segments.iter().filter(|segment| segment.is_full()).count();
            due.truncate(full.next_multiple_of(threads.max(1)));
        }
        // Where memory is short, a little more room is better than none.
        let Some(shapes) = [growth, 0.2].into_iter().find_map(|growth| {
            let shapes: Vec<(usize, Shape)> =
                due.iter().map(|&index| (index, self.larger(index, growth))).collect();
            let before: u64 = due.iter().map(|&index| self.segments[index].bytes()).sum();
            let after: u64 =
                shapes.iter().filter_map(|(_, shape)| shape.bytes()).map(|bytes| bytes as u64).sum();
            (total - before + after <= memory_bytes).then_some(shapes)
        }) else {
            return false;
        };
        let (words, others) = (self.identity_words, &self.others[..]);
        let mut parts: Vec<(&mut Segment, Shape)> = Vec::new();
        for (index, segment) in self.segments.iter_mut().enumerate() {
            if let Some((_, shape)) = shapes.iter().find(|(due, _)| *due == index) {
                parts.push((segment, shape.clone()));
            }
        }
        let grow = |parts: &mut [(&mut Segment, Shape)]| {
            parts.iter_mut().all(|(segment, shape)| segment.grow(shape.clone(), words, others))
        };
        if threads < 2 || total < PARALLEL_BYTES {
            return grow(&mut parts);
        }
        let share = parts.len().div_ceil(threads);
        // Each thread takes the next part; where no more threads can be had, fewer will do.
        let queue = Mutex::new(parts.chunks_mut(share));
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || std::iter::from_fn(next).all(grow);
        std::thread::scope(|scope| {
            let work = &work;
            let others: Vec<_> = (1..threads).map_while(|_| start_small(scope, work).ok()).collect();
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
        // About as large as this one, unless states become wider. Without memory for that many it may still grow step by
        // step.
        let words = bits.len().max(1).div_ceil(self.identity_words.max(1)) as u64;
        let states = if self.memory_bytes().saturating_mul(words) <= memory_bytes { self.len() } else { 0 };
        Packed::new(bits, states).or_else(|| Packed::new(bits, 0))
    }
}

#[cfg(test)]
mod tests;
