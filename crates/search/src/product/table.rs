//! Nodes and their numbers: the words of each node, one after the other, and a hash table that leads from words to the number.
//!
//! An entry of the table is 32 bits of the hash value and a number. The hash value's highest bits say where the
//! entry belongs, so the table grows without looking at the nodes, and nearly always only equal words are compared.

use crate::liveness::Node;
use crate::store::hash::Hasher;
use crate::store::prefetch;

/// An empty place; no node has this number.
const EMPTY: u64 = u32::MAX as u64;

#[derive(Debug)]
pub(super) struct NodeTable {
    /// Words of a node.
    stride: usize,
    words: Vec<u64>,
    entries: Vec<u64>,
    len: usize,
    hasher: Hasher,
}

impl NodeTable {
    /// For nodes of so many words.
    pub fn new(stride: usize) -> NodeTable {
        NodeTable { stride, words: Vec::new(), entries: vec![EMPTY; 1 << 10], len: 0, hasher: Hasher::new(0) }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn memory_bytes(&self) -> u64 {
        8 * (self.words.capacity() + self.entries.len()) as u64
    }

    #[inline]
    pub fn words(&self, node: Node) -> &[u64] {
        &self.words[node as usize * self.stride..][..self.stride]
    }

    /// The hash value of words, whose place is being fetched from now on.
    #[inline]
    pub fn prepare(&self, words: &[u64]) -> u32 {
        let hash = (self.hasher.hash(words) >> 32) as u32;
        prefetch::line(&self.entries[self.home(hash)]);
        hash
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        // At least 2¹⁰ entries and at most 2³² of them.
        ((u64::from(hash) * self.entries.len() as u64) >> 32) as usize
    }

    /// The number of the node with these words; a new one if there is none. `None` if all numbers are taken.
    #[inline]
    pub fn intern(&mut self, words: &[u64], hash: u32) -> Option<Node> {
        let mask = self.entries.len() - 1;
        let mut place = self.home(hash);
        loop {
            let entry = self.entries[place];
            if entry == EMPTY {
                return self.add(words, hash, place);
            }
            if (entry >> 32) as u32 == hash && self.words(entry as u32) == words {
                return Some(entry as u32);
            }
            place = (place + 1) & mask;
        }
    }

    fn add(&mut self, words: &[u64], hash: u32, place: usize) -> Option<Node> {
        if self.len >= u32::MAX as usize {
            return None;
        }
        let node = self.len as u32;
        self.entries[place] = u64::from(hash) << 32 | u64::from(node);
        self.words.extend_from_slice(words);
        self.len += 1;
        if self.len * 3 > self.entries.len() * 2 {
            self.grow();
        }
        Some(node)
    }

    fn grow(&mut self) {
        let larger = vec![EMPTY; self.entries.len() * 2];
        let old = std::mem::replace(&mut self.entries, larger);
        for entry in old.into_iter().filter(|entry| *entry != EMPTY) {
            self.put(entry);
        }
    }

    fn put(&mut self, entry: u64) {
        let mask = self.entries.len() - 1;
        let mut place = self.home((entry >> 32) as u32);
        while self.entries[place] != EMPTY {
            place = (place + 1) & mask;
        }
        self.entries[place] = entry;
    }

    /// Replaces the words of every node; the numbers remain.
    pub fn recode(&mut self, stride: usize, mut recode: impl FnMut(&[u64], &mut Vec<u64>)) {
        let old = std::mem::take(&mut self.words);
        let old_stride = std::mem::replace(&mut self.stride, stride);
        self.entries.fill(EMPTY);
        let mut words = Vec::new();
        for node in 0..self.len {
            recode(&old[node * old_stride..][..old_stride], &mut words);
            let hash = (self.hasher.hash(&words[..stride]) >> 32) as u32;
            self.words.extend_from_slice(&words[..stride]);
            self.put(u64::from(hash) << 32 | node as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn equal_words_have_one_number(keys in prop::collection::vec((0u64..40, 0u64..40), 1..3000), widen in 0usize..3000) {
            let mut table = NodeTable::new(2);
            let mut known: HashMap<(u64, u64), Node> = HashMap::new();
            for (index, key) in keys.into_iter().enumerate() {
                if index == widen {
                    table.recode(3, |old, new| {
                        new.clear();
                        new.extend([7, old[0], old[1]]);
                    });
                }
                let words: &[u64] = if index >= widen { &[7, key.0, key.1] } else { &[key.0, key.1] };
                let hash = table.prepare(words);
                let number = table.intern(words, hash).expect("there is room");
                let next = known.len() as Node;
                prop_assert_eq!(number, *known.entry(key).or_insert(next));
                prop_assert_eq!(table.words(number), words);
            }
            prop_assert_eq!(table.len(), known.len());
        }
    }
}
