//! Nodes and their numbers: the words of each node, one after the other, and a hash table that leads from words to the number.
//!
//! Threads share it: looking up and adding take no lock. Each takes a share of [numbers](Numbers) for the nodes it adds, so that what two of them write, here and
//! wherever something is kept by number, is seldom in the same cache line. A node keeps its number; what needs the table whole (growing, other words for
//! all nodes) borrows it `&mut`. An entry of the hash table is 32 bits of the hash value and a number. The hash value's
//! highest bits say where the entry belongs, so the table grows without looking at the nodes, and nearly always only equal words
//! are compared.
//!
//! Of a node's last word some high bits may not be the node's: whoever knows more of nodes than their words keeps it there, in memory that is at hand whenever the
//! node is.

use super::spread::spread;
use crate::apart::{Apart, Count};
use crate::liveness::Node;
use crate::liveness::stress;
use crate::store::hash::Hasher;
use crate::store::prefetch;
use crate::words::Words;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// An empty place.
pub(super) const EMPTY: u64 = 0;
/// In place of a number: the node is being written down. Otherwise an entry has one more than the number.
const RESERVED: u32 = u32::MAX;
/// How many numbers there can be.
pub(super) const MOST_NODES: u32 = u32::MAX - 1;
/// So many threads may add nodes at the same time.
pub(super) const MOST_THREADS: usize = 256;

/// The numbers that a thread may give to new nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    next: u32,
    end: u32,
}

/// So many numbers a thread takes at once.
const SHARE: u32 = 256;

/// There is room for so many nodes at first, and the hash table has so many entries.
const FIRST_NODES: usize = 1 << 8;
const FEWEST_ENTRIES: usize = 1 << 10;

/// There is no memory for more nodes, or the limit does not allow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoMemory;

/// Below so many entries a table that is nearly empty does not matter.
const VERY_FEW_ENTRIES: usize = 1 << 17;
/// Below so many entries a table that is half empty does not matter.
const FEW_ENTRIES: usize = 1 << 22;

#[derive(Debug)]
pub(super) struct NodeTable {
    /// Words of a node.
    stride: usize,
    /// So many bits of the last are the node's.
    last_bits: u32,
    words: Words,
    entries: Words,
    len: Count,
    /// All numbers below have been given to threads.
    given: Apart<AtomicU32>,
    /// For so many nodes there is room.
    room: u32,
    /// For so many there can be.
    most: u32,
    hasher: Hasher,
}

impl NodeTable {
    /// For nodes of so many words, so many bits of the last of which are theirs, and at most so many nodes. Precondition: `1 <= last_bits <= 64`.
    pub fn new(stride: usize, last_bits: u32, most: u32) -> NodeTable {
        let mut table = NodeTable {
            stride,
            last_bits,
            words: Words::default(),
            entries: Words::few(FEWEST_ENTRIES),
            len: Count::default(),
            given: Apart::default(),
            room: 0,
            most,
            hasher: Hasher::new(0),
        };
        // Without memory even for these it is full until it grows.
        table.make_room((most as usize).min(FIRST_NODES), 1);
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

    /// All numbers of nodes are below.
    pub fn numbers(&self) -> u32 {
        self.given.load(Ordering::Relaxed)
    }

    /// How many nodes there can be.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// So many numbers there can be before it is grown.
    pub fn capacity(&self) -> usize {
        self.room as usize
    }

    pub fn memory_bytes(&self) -> u64 {
        8 * (self.words.len() + self.entries.len()) as u64
    }

    #[inline]
    fn slots(&self, node: Node) -> &[AtomicU64] {
        &self.words[node as usize * self.stride..][..self.stride]
    }

    /// Those bits of the last word that are the node's.
    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (u64::BITS - self.last_bits)
    }

    /// One of the node's words.
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

    /// Are these the words of the node?
    #[inline]
    pub fn is(&self, node: Node, words: &[u64]) -> bool {
        let Some((last, others)) = self.slots(node).split_last() else { return true };
        (last.load(Ordering::Relaxed) ^ words[others.len()]) & self.mask() == 0
            && others.iter().zip(words).all(|(slot, word)| slot.load(Ordering::Relaxed) == *word)
    }

    /// The words of all nodes, for the sake of those bits that are not the nodes'.
    #[inline]
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// Where among them the last word of a node is. Precondition: nodes have words.
    #[inline]
    pub fn last_word(&self, node: Node) -> usize {
        node as usize * self.stride + self.stride - 1
    }

    /// The last word of every node. Those bits that are the node's must not be changed.
    pub fn last_words(&mut self) -> impl Iterator<Item = &mut u64> {
        let stride = self.stride.max(1);
        self.words.iter_mut().skip(stride - 1).step_by(stride)
    }

    /// The hash value of words.
    #[inline]
    pub fn hash(&self, words: &[u64]) -> u32 {
        (self.hasher.hash(words) >> 32) as u32
    }

    /// Starts to fetch the place of this hash value.
    #[inline]
    pub fn prepare(&self, hash: u32) {
        prefetch::line(&self.entries[self.home(hash)]);
    }

    /// Starts to fetch the words of a node.
    #[inline]
    pub fn fetch_words(&self, node: Node) {
        let first = node as usize * self.stride;
        // Few nodes have more than two cache lines.
        if let Some([first, others @ ..]) = self.words.get(first..first + self.stride) {
            prefetch::line(first);
            others.last().into_iter().for_each(prefetch::line);
        }
    }

    /// Starts to fetch the words of the node that is likely to be the one with this hash value.
    #[inline]
    pub fn fetch(&self, hash: u32) {
        let entry = self.entries[self.home(hash)].load(Ordering::Relaxed);
        if (entry >> 32) as u32 == hash {
            self.fetch_words((entry as u32).wrapping_sub(1));
        }
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        // At least 2¹⁰ entries and about 2³² at most.
        ((u64::from(hash) * self.entries.len() as u64) >> 32) as usize
    }

    #[inline]
    fn after(&self, place: usize) -> usize {
        if place + 1 == self.entries.len() { 0 } else { place + 1 }
    }

    /// The number of the node with these words, if it was met. Precondition: nobody else adds nodes meanwhile.
    pub fn find(&self, words: &[u64], hash: u32) -> Option<Node> {
        let mut place = self.home(hash);
        loop {
            let entry = self.entries[place].load(Ordering::Acquire);
            if entry == EMPTY {
                return None;
            }
            let node = (entry as u32).wrapping_sub(1);
            if (entry >> 32) as u32 == hash && self.is(node, words) {
                return Some(node);
            }
            place = self.after(place);
        }
    }

    /// The number of the node with these words; a new one if there is none. `None` if there is no room for it. `alone`: no other
    /// thread adds any.
    #[inline]
    pub fn intern(&self, words: &[u64], hash: u32, numbers: &mut Numbers, alone: bool) -> Option<Node> {
        let mut place = self.home(hash);
        loop {
            let entry = self.entries[place].load(Ordering::Acquire);
            if entry == EMPTY {
                if numbers.next == numbers.end {
                    *numbers = self.give()?;
                }
                if let Some(node) = self.add(words, hash, place, numbers, alone) {
                    return Some(node);
                }
                // Somebody else was quicker; perhaps with these very words.
                continue;
            }
            if (entry >> 32) as u32 == hash {
                if entry as u32 == RESERVED {
                    std::thread::yield_now();
                    continue;
                }
                let node = entry as u32 - 1;
                if self.is(node, words) {
                    return Some(node);
                }
            }
            place = self.after(place);
        }
    }

    /// Adds a node in a place that was empty; `None` if it is no more.
    fn add(
        &self,
        words: &[u64],
        hash: u32,
        place: usize,
        numbers: &mut Numbers,
        alone: bool,
    ) -> Option<Node> {
        debug_assert!(
            words[..self.stride].last().is_none_or(|last| last & !self.mask() == 0),
            "only a node's own bits"
        );
        let entry = u64::from(hash) << 32;
        let slot = &self.entries[place];
        let reserved = entry | u64::from(RESERVED);
        if !alone {
            slot.compare_exchange(EMPTY, reserved, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        }
        stress::point();
        let node = numbers.next;
        numbers.next += 1;
        self.len.add_one();
        for (slot, word) in self.slots(node).iter().zip(words) {
            slot.store(*word, Ordering::Relaxed);
        }
        // Whoever reads the number sees the words.
        slot.store(entry | u64::from(node + 1), Ordering::Release);
        Some(node)
    }

    /// Some numbers that nobody else has; `None` if there are none left.
    fn give(&self) -> Option<Numbers> {
        let end = |next: u32| Some(next.saturating_add(SHARE).min(self.room)).filter(|end| next < *end);
        let next = self.given.fetch_update(Ordering::Relaxed, Ordering::Relaxed, end).ok()?;
        Some(Numbers { next, end: end(next)? })
    }

    /// Have all numbers been given away?
    pub fn is_full(&self) -> bool {
        self.numbers() >= self.room
    }

    /// Makes room for more nodes, with so many threads, so that the table takes at most so many bytes. Then it is not
    /// [full](Self::is_full), unless it [cannot](Self::most) have more nodes.
    pub fn grow(&mut self, memory_bytes: u64, threads: usize) -> Result<(), NoMemory> {
        let given = self.numbers() as usize;
        // Where memory is short, a little more room is better than none.
        for part in [4, 32] {
            let nodes = (given + given / part + FIRST_NODES).min(self.most as usize);
            let bytes = 8 * (nodes * self.stride + self.entries_for(nodes)) as u64;
            if bytes <= memory_bytes {
                return if self.make_room(nodes, threads) { Ok(()) } else { Err(NoMemory) };
            }
        }
        Err(NoMemory)
    }

    /// How many entries the hash table has with room for so many nodes.
    fn entries_for(&self, nodes: usize) -> usize {
        let before = self.entries.len();
        // Seven of ten places are taken at most.
        if nodes * 10 <= before * 7 {
            return before;
        }
        // Each time all entries move: not too often while they are few.
        let longer = match before {
            ..VERY_FEW_ENTRIES => before * 4,
            VERY_FEW_ENTRIES..FEW_ENTRIES => before * 2,
            _ => before / 2 * 3,
        };
        (nodes * 10 / 7 + 1).max(longer).max(FEWEST_ENTRIES)
    }

    /// Makes room for so many nodes; `false` if there is no memory, and then there is as much room as before.
    pub fn make_room(&mut self, nodes: usize, threads: usize) -> bool {
        let (before, entries) = (self.entries.len(), self.entries_for(nodes));
        if !self.words.extend_to(nodes * self.stride, threads) || !self.entries.extend_to(entries, threads) {
            return false;
        }
        if entries > before {
            spread(&self.entries, before, threads, |entry| self.home((entry >> 32) as u32));
        }
        self.room = nodes as u32;
        true
    }

    fn put(&mut self, entry: u64) {
        let mut place = self.home((entry >> 32) as u32);
        while self.entries[place].load(Ordering::Relaxed) != EMPTY {
            place = self.after(place);
        }
        self.entries[place].store(entry, Ordering::Relaxed);
    }

    /// Replaces the words of every node; the numbers remain. Of the bits that are not the nodes' as many are kept as there is room for.
    /// Without memory for both at once, nothing changes.
    pub fn recode(
        &mut self,
        stride: usize,
        last_bits: u32,
        mut recode: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<(), NoMemory> {
        let words = Words::zeroed(self.room as usize * stride).ok_or(NoMemory)?;
        let empty = Words::zeroed(self.entries.len()).ok_or(NoMemory)?;
        let old = std::mem::replace(&mut self.words, words);
        let old_mask = self.mask();
        let old_stride = std::mem::replace(&mut self.stride, stride);
        let old_bits = std::mem::replace(&mut self.last_bits, last_bits);
        let mut entries = std::mem::replace(&mut self.entries, empty);
        let (mut narrow, mut words) = (Vec::new(), Vec::new());
        for entry in entries.iter_mut().map(|entry| *entry).filter(|entry| *entry != EMPTY) {
            let node = (entry as u32 - 1) as usize;
            narrow.clear();
            let slots = &old[node * old_stride..][..old_stride];
            narrow.extend(slots.iter().map(|word| word.load(Ordering::Relaxed)));
            let mut others = 0;
            if let Some(last) = narrow.last_mut() {
                others = last.checked_shr(old_bits).unwrap_or(0);
                *last &= old_mask;
            }
            recode(&narrow, &mut words);
            let hash = self.hash(&words[..stride]);
            if let Some(last) = words[..stride].last_mut() {
                *last |= others.checked_shl(last_bits).unwrap_or(0);
            }
            for (slot, word) in self.words[node * stride..].iter().zip(&words[..stride]) {
                slot.store(*word, Ordering::Relaxed);
            }
            self.put(u64::from(hash) << 32 | u64::from(entry as u32));
        }
        Ok(())
    }

    /// Takes back room that was made. Precondition: no number from there on has been given away.
    pub fn cut_room(&mut self, nodes: usize) {
        self.room = self.room.min(nodes as u32);
    }

    /// What [`recode`](Self::recode) to nodes of so many words needs beside what there is.
    pub fn recoding_bytes(&self, stride: usize) -> u64 {
        8 * (self.room as usize * stride + self.entries.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn number(table: &mut NodeTable, words: &[u64], numbers: &mut Numbers, threads: usize) -> Node {
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
        fn equal_words_have_one_number(keys in prop::collection::vec((0u64..40, 0u64..40), 1..3000), widen in 0usize..3000) {
            let mut table = NodeTable::new(2, 64, MOST_NODES);
            let mut known: HashMap<(u64, u64), Node> = HashMap::new();
            let mut numbers = Numbers::default();
            for (index, key) in keys.into_iter().enumerate() {
                if index == widen {
                    table.recode(3, 64, |old, new| {
                        new.clear();
                        new.extend([7, old[0], old[1]]);
                    }).expect("there is memory");
                }
                let words: &[u64] = if index >= widen { &[7, key.0, key.1] } else { &[key.0, key.1] };
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

    /// However often it grows, and however many threads do it, everything is found again.
    #[test]
    fn grows_where_it_is() {
        let key = |index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for threads in 1..4 {
            let mut table = NodeTable::new(1, 64, MOST_NODES);
            let mut own = Numbers::default();
            for _ in 0..2 {
                for index in 0..200_000 {
                    let node = number(&mut table, &[key(index)], &mut own, threads);
                    assert_eq!(u64::from(node), index);
                }
            }
            assert_eq!(table.len(), 200_000);
        }
    }

    /// Threads that add the same words at once are given the same numbers, and no number is given twice.
    #[test]
    fn threads_agree_on_numbers() {
        let mut table = NodeTable::new(2, 64, MOST_NODES);
        assert!(table.make_room(20_000, 1));
        let table = &table;
        let add = |thread: u64| -> Vec<Node> {
            let key = |step: u64| (step * (2 * thread + 1)) % 16_384;
            let (mut numbers, mut own) = (vec![0; 16_384], Numbers::default());
            for step in 0..16_384 {
                let words = [key(step), !key(step)];
                let node = table.intern(&words, table.hash(&words), &mut own, false).expect("there is room");
                assert!(table.is(node, &words));
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
        assert!(all.iter().all(|node| *node < table.numbers()));
        assert_eq!(table.len(), 16_384);
    }
}
