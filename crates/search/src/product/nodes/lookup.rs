//! Heads of packets that are interned together: the memory of all of them is prefetched before any
//! is looked up.
//!
//! Independent steps commute; therefore many successors were reached moments before (see
//! [`recent`](crate::reach::recent)). A small cache of complete heads with their numbers answers
//! these lookups without the table. Heads keep their numbers, so only re-encoding invalidates the
//! cache.

use crate::liveness::Node;
use crate::product::nodes::packets::Packets;
use crate::tuning::product::HEAD_CACHE_WORDS;

/// In place of a number: the head must be looked up in the table.
const UNKNOWN: Node = Node::MAX;

/// A batch of lookups and the cache of recent heads. The default value is for heads without words.
#[derive(Debug, Default)]
pub(in crate::product) struct HeadLookup {
    /// Words of a head.
    words: usize,
    /// The number of entries in the cache, a power of two, minus one.
    mask: usize,
    /// For each entry, the words of a head and its number plus one; 0 in an unused entry.
    recent: Vec<u64>,
    hashes: Vec<u32>,
    /// The numbers of the heads in the current batch.
    pub heads: Vec<Node>,
}

impl HeadLookup {
    pub fn new(words: usize) -> HeadLookup {
        let entries = 1usize << (HEAD_CACHE_WORDS / (words + 1)).max(1).ilog2();
        HeadLookup {
            words,
            mask: entries - 1,
            recent: vec![0; entries * (words + 1)],
            ..HeadLookup::default()
        }
    }

    #[inline]
    fn entry(&self, hash: u32) -> usize {
        // The low bits, since the table's places are selected by the high bits.
        (hash as usize & self.mask) * (self.words + 1)
    }

    /// Starts a batch: looks up each head in the cache and prefetches the others.
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
                table.prefetch_entry(hash);
            }
            self.hashes.push(hash);
            self.heads.push(if known { number as Node - 1 } else { UNKNOWN });
        }
        for (hash, head) in self.hashes.iter().zip(&self.heads) {
            if *head == UNKNOWN {
                table.prefetch_candidate(*hash);
            }
        }
    }

    /// The hash of a head in the batch that was not in the cache.
    #[inline]
    pub fn missing_hash(&self, index: usize) -> Option<u32> {
        (self.heads[index] == UNKNOWN).then(|| self.hashes[index])
    }

    /// Sets the number of a head in the batch and stores it in the cache.
    #[inline]
    pub fn record(&mut self, index: usize, head: &[u64], number: Node) {
        self.heads[index] = number;
        let place = self.entry(self.hashes[index]);
        let entry = &mut self.recent[place..][..=self.words];
        copy(head, &mut entry[..self.words]);
        entry[self.words] = u64::from(number) + 1;
    }
}

/// Copies a head. Up to three words are copied inline, which is faster than a call of `memcpy`.
#[inline]
fn copy(head: &[u64], known: &mut [u64]) {
    match (head, known) {
        ([x], [a]) => *a = *x,
        ([x, y], [a, b]) => (*a, *b) = (*x, *y),
        ([x, y, z], [a, b, c]) => (*a, *b, *c) = (*x, *y, *z),
        (head, known) => known.copy_from_slice(head),
    }
}

/// Compares heads. Up to three words are compared without branches, which is faster than a loop.
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
    use super::*;
    use crate::product::nodes::table::NumberRange;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #![proptest_config(seeded::cases(256))]

        /// A head has the same number whether it was looked up recently, long ago or never.
        #[test]
        fn heads_keep_their_numbers(
            words in 0usize..6,
            last_bits in 45u32..=64,
            batches in prop::collection::vec(prop::collection::vec(0u64..40, 0..12), 1..40),
        ) {
            let mut table = Packets::new(words, last_bits, 2);
            let (mut lookup, mut numbers) = (HeadLookup::new(words), NumberRange::default());
            let mut known: HashMap<Vec<u64>, Node> = HashMap::new();
            for batch in batches {
                let head = |key: u64| {
                    (0..words as u64).map(|word| key.wrapping_mul(word * 77 + 1)).collect()
                };
                let heads: Vec<Vec<u64>> = batch.into_iter().map(head).collect();
                lookup.begin(&table, heads.iter().map(|head| &head[..]));
                for (index, head) in heads.iter().enumerate() {
                    if let Some(hash) = lookup.missing_hash(index) {
                        let number = loop {
                            match table.intern_head(head, hash, &mut numbers, true) {
                                Some(number) => break number,
                                None => prop_assert!(table.grow(u64::MAX, 1).is_ok()),
                            }
                        };
                        lookup.record(index, head, number);
                    }
                    let number = *known.entry(head.clone()).or_insert(lookup.heads[index]);
                    prop_assert_eq!(number, lookup.heads[index]);
                }
            }
            prop_assert_eq!(table.packets(), known.len());
        }
    }
}
