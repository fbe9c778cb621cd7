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
use crate::product::nodes::growth::rehash_in_place;
use crate::store::hash::Hasher;
use crate::store::prefetch;
use crate::tuning::product::{
    INITIAL_ENTRIES, INITIAL_NODES, MEDIUM_TABLE_ENTRIES, NUMBERS_PER_THREAD, SMALL_TABLE_ENTRIES,
};

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

    /// Numbers that no other thread has; `None` if there are none left.
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

    /// Grows the table with the given number of threads, to at most `memory_bytes`. Then it is not
    /// [full](Self::is_full), unless it has reached [`max_nodes`](Self::max_nodes).
    pub fn grow(&mut self, memory_bytes: u64, threads: usize) -> Result<(), OutOfMemory> {
        let reserved = self.number_bound() as usize;
        // When memory is scarce, grow by a small part instead of failing.
        for part in [4, 32] {
            let nodes = (reserved + reserved / part + INITIAL_NODES).min(self.max_nodes as usize);
            let bytes = 8 * (nodes * self.stride + self.entries_for(nodes)) as u64;
            if bytes <= memory_bytes {
                return if self.reserve(nodes, threads) { Ok(()) } else { Err(OutOfMemory) };
            }
        }
        Err(OutOfMemory)
    }

    /// The number of hash table entries for `nodes` nodes.
    fn entries_for(&self, nodes: usize) -> usize {
        let before = self.entries.len();
        // The load factor is at most 0.7.
        if nodes * 10 <= before * 7 {
            return before;
        }
        // Every growth moves all entries, so small tables grow by larger factors.
        let longer = match before {
            ..SMALL_TABLE_ENTRIES => before * 4,
            SMALL_TABLE_ENTRIES..MEDIUM_TABLE_ENTRIES => before * 2,
            _ => before / 2 * 3,
        };
        (nodes * 10 / 7 + 1).max(longer).max(INITIAL_ENTRIES)
    }

    /// Makes room for `nodes` nodes; `false`, without a change, if there is no memory.
    pub fn reserve(&mut self, nodes: usize, threads: usize) -> bool {
        let (before, entries) = (self.entries.len(), self.entries_for(nodes));
        if !self.words.extend_to(nodes * self.stride, threads)
            || !self.entries.extend_to(entries, threads)
        {
            return false;
        }
        if entries > before {
            rehash_in_place(&self.entries, before, threads, |entry| {
                self.home((entry >> 32) as u32)
            });
        }
        self.capacity = nodes as u32;
        true
    }

    fn insert_entry(&mut self, entry: u64) {
        let mut place = self.home((entry >> 32) as u32);
        while self.entries[place].load(Ordering::Relaxed) != EMPTY {
            place = self.next_place(place);
        }
        self.entries[place].store(entry, Ordering::Relaxed);
    }

    /// Replaces the words of every node; the numbers remain. Keeps as many of the bits that do not
    /// belong to the nodes as fit. Changes nothing if there is no memory for the old and the new
    /// words together.
    pub fn recode(
        &mut self,
        stride: usize,
        last_bits: u32,
        mut recode: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<(), OutOfMemory> {
        let words = AtomicWords::zeroed(self.capacity as usize * stride).ok_or(OutOfMemory)?;
        let empty = AtomicWords::zeroed(self.entries.len()).ok_or(OutOfMemory)?;
        let old = std::mem::replace(&mut self.words, words);
        let old_mask = self.mask();
        let old_stride = std::mem::replace(&mut self.stride, stride);
        let old_bits = std::mem::replace(&mut self.last_bits, last_bits);
        let entries = std::mem::replace(&mut self.entries, empty);
        let (mut old_words, mut words) = (Vec::new(), Vec::new());
        let entries = entries.iter().map(|entry| entry.load(Ordering::Relaxed));
        for entry in entries.filter(|entry| *entry != EMPTY) {
            let node = (entry as u32 - 1) as usize;
            old_words.clear();
            let slots = &old[node * old_stride..][..old_stride];
            old_words.extend(slots.iter().map(|word| word.load(Ordering::Relaxed)));
            let mut others = 0;
            if let Some(last) = old_words.last_mut() {
                others = last.checked_shr(old_bits).unwrap_or(0);
                *last &= old_mask;
            }
            recode(&old_words, &mut words);
            let hash = self.hash(&words[..stride]);
            if let Some(last) = words[..stride].last_mut() {
                *last |= others.checked_shl(last_bits).unwrap_or(0);
            }
            for (slot, word) in self.words[node * stride..].iter().zip(&words[..stride]) {
                slot.store(*word, Ordering::Relaxed);
            }
            self.insert_entry(u64::from(hash) << 32 | u64::from(entry as u32));
        }
        Ok(())
    }

    /// Reduces the capacity again. Precondition: no number from `nodes` on is reserved.
    pub fn reduce_capacity(&mut self, nodes: usize) {
        self.capacity = self.capacity.min(nodes as u32);
    }

    /// The bytes that [`recode`](Self::recode) to nodes of `stride` words needs in addition.
    pub fn recoding_bytes(&self, stride: usize) -> u64 {
        8 * (self.capacity as usize * stride + self.entries.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn number(
        table: &mut NodeTable,
        words: &[u64],
        numbers: &mut NumberRange,
        threads: usize,
    ) -> Node {
        let hash = table.hash(words);
        loop {
            match table.intern(words, hash, numbers, threads == 1) {
                Some(node) => return node,
                None => assert_eq!(table.grow(u64::MAX, threads), Ok(()), "there are numbers left"),
            }
        }
    }

    proptest! {
        #![proptest_config(seeded::cases(50))]

        #[test]
        fn equal_words_have_one_number(
            keys in prop::collection::vec((0u64..40, 0u64..40), 1..3000),
            widen in 0usize..3000,
        ) {
            let mut table = NodeTable::new(2, 64, MAX_NODES);
            let mut known: HashMap<(u64, u64), Node> = HashMap::new();
            let mut numbers = NumberRange::default();
            for (index, key) in keys.into_iter().enumerate() {
                if index == widen {
                    table.recode(3, 64, |old, new| {
                        new.clear();
                        new.extend([7, old[0], old[1]]);
                    }).expect("there is memory");
                }
                let words: &[u64] =
                    if index >= widen { &[7, key.0, key.1] } else { &[key.0, key.1] };
                let found = number(&mut table, words, &mut numbers, 2);
                let next = known.len() as Node;
                prop_assert_eq!(found, *known.entry(key).or_insert(next));
                let mut read = Vec::new();
                table.load(found, &mut read);
                prop_assert_eq!(&read[..], words);
            }
            prop_assert_eq!(table.len(), known.len());
        }
    }

    /// Every node is found again after any number of growths by any number of threads.
    #[test]
    fn grows_where_it_is() {
        let key = |index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for threads in 1..4 {
            let mut table = NodeTable::new(1, 64, MAX_NODES);
            let mut own = NumberRange::default();
            for _ in 0..2 {
                for index in 0..200_000 {
                    let node = number(&mut table, &[key(index)], &mut own, threads);
                    assert_eq!(u64::from(node), index);
                }
            }
            assert_eq!(table.len(), 200_000);
        }
    }

    /// Threads that add the same words concurrently get the same numbers, and no number is given
    /// twice.
    #[test]
    fn threads_agree_on_numbers() {
        let mut table = NodeTable::new(2, 64, MAX_NODES);
        assert!(table.reserve(20_000, 1));
        let table = &table;
        let add = |thread: u64| -> Vec<Node> {
            let key = |step: u64| (step * (2 * thread + 1)) % 16_384;
            let (mut numbers, mut own) = (vec![0; 16_384], NumberRange::default());
            for step in 0..16_384 {
                let words = [key(step), !key(step)];
                let node = table
                    .intern(&words, table.hash(&words), &mut own, false)
                    .expect("there is room");
                assert!(table.has_words(node, &words));
                numbers[key(step) as usize] = node;
            }
            numbers
        };
        let numbers: Vec<Vec<Node>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || add(thread))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(numbers.iter().all(|list| *list == numbers[0]));
        let mut all = numbers[0].clone();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 16_384);
        assert!(all.iter().all(|node| *node < table.number_bound()));
        assert_eq!(table.len(), 16_384);
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use crate::memory::sync::{Arc, explore};
    use loom::thread;

    fn intern(table: &NodeTable, keys: &[u64]) -> Vec<Node> {
        let mut numbers = NumberRange::default();
        let intern = |&key: &u64| {
            let words = [key, !key];
            // Equal hash values, so that entries collide.
            let node = table.intern(&words, 0, &mut numbers, false).expect("there is room");
            assert!(table.has_words(node, &words), "a published node is complete");
            node
        };
        keys.iter().map(intern).collect()
    }

    /// Threads that add the same nodes agree on their numbers, no two nodes share a number, and
    /// growth keeps them.
    #[test]
    fn loom_threads_agree_on_numbers() {
        explore(3, || {
            let table = Arc::new(NodeTable::new(2, 64, MAX_NODES));
            let other = Arc::clone(&table);
            let thread = thread::spawn(move || intern(&other, &[2, 1]));
            let numbers = intern(&table, &[1, 2]);
            let mut others = thread.join().expect("no panic");
            others.reverse();
            assert_eq!(numbers, others);
            assert_ne!(numbers[0], numbers[1]);
            let mut table = Arc::try_unwrap(table).expect("the thread has ended");
            assert_eq!(table.len(), 2);
            assert!(table.reserve(12, 1));
            for (key, node) in [1u64, 2].into_iter().zip(numbers) {
                assert_eq!(table.find(&[key, !key], 0), Some(node));
            }
        });
    }
}
