//! The node table: the words of each node, one node after the other, and a hash table from words to
//! node numbers.
//!
//! Threads share the table without locks. Each thread reserves a [range of numbers](NumberRange)
//! for the nodes that it adds, so that two threads rarely write to one cache line, here or in
//! anything else indexed by node number. A node keeps its number. Operations on the whole table
//! (growth, re-encoding) take `&mut self`. An entry of the hash table holds 32 bits of the hash and
//! a node number. The highest bits of the hash select the entry's place, so the table grows without
//! reading the nodes, and words are compared almost only when they are equal.
//!
//! Some high bits of a node's last word may not belong to the node: the owner of the table keeps
//! data about the node there, in a cache line that is loaded with the node.

use crate::liveness::Node;
use crate::liveness::stress;
use crate::memory::atomic_words::AtomicWords;
use crate::memory::padded::{CachePadded, ShardedCounter};
use crate::memory::sync::{AtomicU32, AtomicU64, Ordering, yield_now};
use crate::store::hash::Hasher;
use crate::store::prefetch;
use crate::tuning::product::{INITIAL_NODES, NUMBERS_PER_THREAD};

#[cfg(all(test, loom))]
mod loom_models;
mod resize;
#[cfg(test)]
mod tests;

/// An empty place.
pub(in crate::product) const EMPTY: u64 = 0;
/// In place of a number: a thread is writing the node. A complete entry holds the node's number
/// plus one.
const RESERVED: u32 = u32::MAX;
/// The maximal number of nodes.
pub(in crate::product) const MAX_NODES: u32 = u32::MAX - 1;
/// The maximal number of threads that may add nodes at the same time.
pub(in crate::product) const MAX_THREADS: usize = 256;

/// The node numbers that a thread has reserved and not used yet.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::product) struct NumberRange {
    next: u32,
    end: u32,
}

/// Memory is exhausted, or the limit does not allow the table to grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory;

#[derive(Debug)]
pub(in crate::product) struct NodeTable {
    /// Words of a node.
    stride: usize,
    /// The lowest bits of the last word that belong to the node.
    last_bits: u32,
    words: AtomicWords,
    entries: AtomicWords,
    len: ShardedCounter,
    /// All numbers below are reserved by threads.
    reserved: CachePadded<AtomicU32>,
    /// The number of nodes for which memory is allocated.
    capacity: u32,
    /// The maximal number of nodes.
    max_nodes: u32,
    hasher: Hasher,
}

impl NodeTable {
    /// A table for up to `max_nodes` nodes of `stride` words, of which the last has `last_bits`
    /// bits that belong to the node. Precondition: `1 <= last_bits <= 64`.
    pub fn new(stride: usize, last_bits: u32, max_nodes: u32) -> NodeTable {
        let mut table = NodeTable {
            stride,
            last_bits,
            words: AtomicWords::default(),
            entries: AtomicWords::one(),
            len: ShardedCounter::default(),
            reserved: CachePadded::default(),
            capacity: 0,
            max_nodes,
            hasher: Hasher::new(0),
        };
        // If even this allocation fails, the table is full until it grows.
        table.reserve((max_nodes as usize).min(INITIAL_NODES), 1);
        table
    }

    /// Words of a node.
    pub fn stride(&self) -> usize {
        self.stride
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len.sum() as usize
    }

    /// An upper bound (exclusive) on the numbers of all nodes.
    pub fn number_bound(&self) -> u32 {
        self.reserved.load(Ordering::Relaxed)
    }

    /// The maximal number of nodes.
    pub fn max_nodes(&self) -> u32 {
        self.max_nodes
    }

    /// The number of nodes for which there is room before the table must grow.
    pub fn capacity(&self) -> usize {
        self.capacity as usize
    }

    pub fn memory_bytes(&self) -> u64 {
        8 * (self.words.len() + self.entries.len()) as u64
    }

    #[inline]
    fn slots(&self, node: Node) -> &[AtomicU64] {
        &self.words[node as usize * self.stride..][..self.stride]
    }

    /// The bits of the last word that belong to the node.
    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (u64::BITS - self.last_bits)
    }

    #[inline]
    pub fn word(&self, node: Node, index: usize) -> u64 {
        let word = self.slots(node)[index].load(Ordering::Relaxed);
        if index + 1 == self.stride { word & self.mask() } else { word }
    }

    /// Appends all words of the node.
    #[inline]
    pub fn load(&self, node: Node, out: &mut Vec<u64>) {
        if let Some((last, others)) = self.slots(node).split_last() {
            out.extend(others.iter().map(|word| word.load(Ordering::Relaxed)));
            out.push(last.load(Ordering::Relaxed) & self.mask());
        }
    }

    #[inline]
    pub fn has_words(&self, node: Node, words: &[u64]) -> bool {
        let Some((last, others)) = self.slots(node).split_last() else { return true };
        (last.load(Ordering::Relaxed) ^ words[others.len()]) & self.mask() == 0
            && others.iter().zip(words).all(|(slot, word)| slot.load(Ordering::Relaxed) == *word)
    }

    /// The words of all nodes, for access to the bits that do not belong to the nodes.
    #[inline]
    pub fn words(&self) -> &AtomicWords {
        &self.words
    }

    /// The index of a node's last word in [`words`](Self::words). Precondition: `stride > 0`.
    #[inline]
    pub fn last_word(&self, node: Node) -> usize {
        node as usize * self.stride + self.stride - 1
    }

    /// The last word of every node. The bits that belong to the node must not be changed.
    pub fn last_words(&mut self) -> impl Iterator<Item = &mut u64> {
        let stride = self.stride.max(1);
        self.words.iter_mut().skip(stride - 1).step_by(stride)
    }

    #[inline]
    pub fn hash(&self, words: &[u64]) -> u32 {
        (self.hasher.hash(words) >> 32) as u32
    }

    /// Prefetches the home place of this hash.
    #[inline]
    pub fn prefetch_entry(&self, hash: u32) {
        prefetch::line(&self.entries[self.home(hash)]);
    }

    /// Prefetches the words of a node.
    #[inline]
    pub fn prefetch_words(&self, node: Node) {
        let first = node as usize * self.stride;
        // Few nodes span more than two cache lines.
        if let Some([first, others @ ..]) = self.words.get(first..first + self.stride) {
            prefetch::line(first);
            others.last().into_iter().for_each(prefetch::line);
        }
    }

    /// Prefetches the words of the node whose entry is in the home place of this hash, if the
    /// hashes are equal.
    #[inline]
    pub fn prefetch_candidate(&self, hash: u32) {
        let entry = self.entries[self.home(hash)].load(Ordering::Relaxed);
        if (entry >> 32) as u32 == hash {
            self.prefetch_words((entry as u32).wrapping_sub(1));
        }
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        // The product fits: there are between 2¹⁰ and about 2³² entries.
        ((u64::from(hash) * self.entries.len() as u64) >> 32) as usize
    }

    #[inline]
    fn next_place(&self, place: usize) -> usize {
        if place + 1 == self.entries.len() { 0 } else { place + 1 }
    }

    /// The number of the node with these words, if it is in the table. Precondition: no other
    /// thread adds nodes.
    pub fn find(&self, words: &[u64], hash: u32) -> Option<Node> {
        let mut place = self.home(hash);
        loop {
            let entry = self.entries[place].load(Ordering::Acquire);
            if entry == EMPTY {
                return None;
            }
            let node = (entry as u32).wrapping_sub(1);
            if (entry >> 32) as u32 == hash && self.has_words(node, words) {
                return Some(node);
            }
            place = self.next_place(place);
        }
    }

    /// The number of the node with these words, which is added if it is missing. `None` if the
    /// table is full. `exclusive`: no other thread adds nodes.
    #[inline]
    pub fn intern(
        &self,
        words: &[u64],
        hash: u32,
        numbers: &mut NumberRange,
        exclusive: bool,
    ) -> Option<Node> {
        let mut place = self.home(hash);
        loop {
            let entry = self.entries[place].load(Ordering::Acquire);
            if entry == EMPTY {
                if numbers.next == numbers.end {
                    *numbers = self.reserve_numbers()?;
                }
                if let Some(node) = self.add(words, hash, place, numbers, exclusive) {
                    return Some(node);
                }
                // Another thread took the place, possibly for the same words.
                continue;
            }
            if (entry >> 32) as u32 == hash {
                if entry as u32 == RESERVED {
                    yield_now();
                    continue;
                }
                let node = entry as u32 - 1;
                if self.has_words(node, words) {
                    return Some(node);
                }
            }
            place = self.next_place(place);
        }
    }

    /// Adds a node at a place that was empty; `None` if another thread has taken the place.
    fn add(
        &self,
        words: &[u64],
        hash: u32,
        place: usize,
        numbers: &mut NumberRange,
        exclusive: bool,
    ) -> Option<Node> {
        debug_assert!(
            words[..self.stride].last().is_none_or(|last| last & !self.mask() == 0),
            "bits that do not belong to the node"
        );
        let entry = u64::from(hash) << 32;
        let slot = &self.entries[place];
        let reserved = entry | u64::from(RESERVED);
        if !exclusive {
            slot.compare_exchange(EMPTY, reserved, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        }
        stress::point();
        let node = numbers.next;
        numbers.next += 1;
        self.len.add_one();
        for (slot, word) in self.slots(node).iter().zip(words) {
            slot.store(*word, Ordering::Relaxed);
        }
        // Release: a thread that reads the number sees the words.
        slot.store(entry | u64::from(node + 1), Ordering::Release);
        Some(node)
    }

    /// Reserves a range of node numbers for the calling thread; `None` if all numbers are in use.
    fn reserve_numbers(&self) -> Option<NumberRange> {
        let end = |next: u32| {
            Some(next.saturating_add(NUMBERS_PER_THREAD).min(self.capacity))
                .filter(|end| next < *end)
        };
        let next = self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, end).ok()?;
        Some(NumberRange { next, end: end(next)? })
    }

    /// Are all numbers reserved?
    pub fn is_full(&self) -> bool {
        self.number_bound() >= self.capacity
    }
}
