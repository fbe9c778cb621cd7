//! Heads of packets that are looked up together: memory is fetched for all of them before any is looked at.
//!
//! Independent steps commute, so much of what a search comes to it has met a moment ago (see [`recent`](crate::recent)). Such heads are found in a small cache near the processor, with
//! their numbers, and not looked up in the table at all. It holds whole heads, so it is exact; and as heads keep their numbers, only other words for all of them make it
//! worthless.

use super::packets::Packets;
use crate::liveness::Node;

/// Words in all: they stay in the processor's second cache, with room beside them.
const WORDS: usize = 1 << 14;
/// In place of a number: the head must be looked up.
const UNKNOWN: Node = Node::MAX;

/// See the module. One that holds nothing is for heads without words.
#[derive(Debug, Default)]
pub(super) struct Lookup {
    /// Words of a head.
    words: usize,
    /// One less than the number of entries in the cache, a power of two.
    mask: usize,
    /// For each entry the words of a head, and one more than its number; 0 where there is none.
    recent: Vec<u64>,
    hashes: Vec<u32>,
    /// The numbers of the heads that are looked up together.
    pub heads: Vec<Node>,
}

impl Lookup {
    /// For heads of so many words.
    pub fn new(words: usize) -> Lookup {
        let entries = 1usize << (WORDS / (words + 1)).max(1).ilog2();
        Lookup { words, mask: entries - 1, recent: vec![0; entries * (words + 1)], ..Lookup::default() }
    }

    #[inline]
    fn entry(&self, hash: u32) -> usize {
        // The table's places are chosen by the high bits.
        (hash as usize & self.mask) * (self.words + 1)
    }

    /// Begins to look up these heads: now those met a moment ago have numbers.
    #[inline]
    pub fn begin<'w>(&mut self, table: &Packets, list: impl Iterator<Item = &'w [u64]>) {
        self.hashes.clear();
        self.heads.clear();
        for head in list {
            let hash = table.hash(head);
            let entry = &self.recent[self.entry(hash)..][..=self.words];
            let number = entry[self.words];
            let known = is_same(&entry[..self.words], head) && number != 0;
            if !known {
                table.prepare(hash);
            }
            self.hashes.push(hash);
            self.heads.push(if known { number as Node - 1 } else { UNKNOWN });
        }
        for (hash, head) in self.hashes.iter().zip(&self.heads) {
            if *head == UNKNOWN {
                table.fetch(*hash);
            }
        }
    }

    /// The hash value of one of the heads, if it is not known.
    #[inline]
    pub fn unknown(&self, index: usize) -> Option<u32> {
        (self.heads[index] == UNKNOWN).then(|| self.hashes[index])
    }

    /// One of the heads has this number.
    #[inline]
    pub fn found(&mut self, index: usize, head: &[u64], number: Node) {
        self.heads[index] = number;
        let place = self.entry(self.hashes[index]);
        let entry = &mut self.recent[place..][..=self.words];
        copy(head, &mut entry[..self.words]);
        entry[self.words] = u64::from(number) + 1;
    }
}

/// Copies a head. Of few words, as most often, one by one: that is quicker than to call somebody who copies many.
#[inline]
fn copy(head: &[u64], known: &mut [u64]) {
    match (head, known) {
        ([x], [a]) => *a = *x,
        ([x, y], [a, b]) => (*a, *b) = (*x, *y),
        ([x, y, z], [a, b, c]) => (*a, *b, *c) = (*x, *y, *z),
        (head, known) => known.copy_from_slice(head),
    }
}

/// Are these the same words? Of few words, as most often, all are compared at once: that is quicker than to ask after each.
#[inline]
fn is_same(known: &[u64], head: &[u64]) -> bool {
    match (known, head) {
        ([a], [x]) => a == x,
        ([a, b], [x, y]) => (a ^ x) | (b ^ y) == 0,
        ([a, b, c], [x, y, z]) => (a ^ x) | (b ^ y) | (c ^ z) == 0,
        _ => known == head,
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Numbers;
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #![proptest_config(seeded::cases(256))]

        /// Whether a head was met a moment ago, long ago or never, it has its number.
        #[test]
        fn heads_keep_their_numbers(
            words in 0usize..6,
            last_bits in 45u32..=64,
            batches in prop::collection::vec(prop::collection::vec(0u64..40, 0..12), 1..40),
        ) {
            let mut table = Packets::new(words, last_bits, 2);
            let (mut lookup, mut numbers) = (Lookup::new(words), Numbers::default());
            let mut known: HashMap<Vec<u64>, Node> = HashMap::new();
            for batch in batches {
                let head = |key: u64| (0..words as u64).map(|word| key.wrapping_mul(word * 77 + 1)).collect();
                let heads: Vec<Vec<u64>> = batch.into_iter().map(head).collect();
                lookup.begin(&table, heads.iter().map(|head| &head[..]));
                for (index, head) in heads.iter().enumerate() {
                    if let Some(hash) = lookup.unknown(index) {
                        let number = loop {
                            match table.intern_head(head, hash, &mut numbers, true) {
                                Some(number) => break number,
                                None => prop_assert!(table.grow(u64::MAX, 1).is_ok()),
                            }
                        };
                        lookup.found(index, head, number);
                    }
                    let number = *known.entry(head.clone()).or_insert(lookup.heads[index]);
                    prop_assert_eq!(number, lookup.heads[index]);
                }
            }
            prop_assert_eq!(table.packets(), known.len());
        }
    }
}
