//! The exact set of visited states: packed bytes in an arena, found through a hash table of their numbers.
//!
//! A state costs its packed bytes, four bytes for where they end, and five to ten for the table. It
//! must not know what the bytes mean.

use hashbrown::HashTable;
use rapidhash::v3::rapidhash_v3;

/// A stored state, numbered in the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// How many states share a chunk of the arena. Chunks never move once full, so growing copies little.
const CHUNK_STATES: usize = 4096;

#[derive(Debug, Default)]
struct Chunk {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Chunk {
    fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.bytes[start..self.ends[index] as usize]
    }
}

/// A set of byte strings.
#[derive(Debug, Default)]
pub struct StateSet {
    chunks: Vec<Chunk>,
    table: HashTable<u32>,
    longest: usize,
    arena_bytes: usize,
}

fn get(chunks: &[Chunk], id: u32) -> &[u8] {
    chunks[id as usize / CHUNK_STATES].get(id as usize % CHUNK_STATES)
}

impl StateSet {
    pub fn new() -> StateSet {
        StateSet::default()
    }

    pub fn len(&self) -> usize {
        self.table.len()
    }

    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Can one more state be numbered?
    pub fn has_room(&self) -> bool {
        self.len() < u32::MAX as usize
    }

    /// The number of the new state, or `None` if it was there.
    ///
    /// Precondition: [`has_room`](Self::has_room).
    pub fn insert(&mut self, bytes: &[u8]) -> Option<StateId> {
        let hash = rapidhash_v3(bytes);
        let chunks = &self.chunks;
        if self.table.find(hash, |&id| get(chunks, id) == bytes).is_some() {
            return None;
        }
        let id = self.table.len() as u32;
        self.append(bytes);
        let chunks = &self.chunks;
        self.table.insert_unique(hash, id, |&id| rapidhash_v3(get(chunks, id)));
        Some(StateId(id))
    }

    pub fn get(&self, id: StateId) -> &[u8] {
        get(&self.chunks, id.0)
    }

    /// The length of the longest state.
    pub fn longest(&self) -> usize {
        self.longest
    }

    pub fn memory_bytes(&self) -> u64 {
        let ends = self.len() * size_of::<u32>();
        (self.arena_bytes + ends + self.table.allocation_size()) as u64
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.chunks.last().is_none_or(|chunk| chunk.ends.len() == CHUNK_STATES) {
            if let Some(full) = self.chunks.last_mut() {
                full.bytes.shrink_to_fit();
            }
            self.chunks.push(Chunk::default());
        }
        let chunk = self.chunks.last_mut().expect("there is a chunk with room");
        chunk.bytes.extend_from_slice(bytes);
        chunk.ends.push(chunk.bytes.len() as u32);
        self.longest = self.longest.max(bytes.len());
        self.arena_bytes += bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn behaves_like_a_map(inputs in prop::collection::vec(prop::collection::vec(0u8..4, 0..6), 0..9000)) {
            let mut set = StateSet::new();
            let mut oracle = HashMap::new();
            for bytes in &inputs {
                let fresh = !oracle.contains_key(bytes);
                let id = set.insert(bytes);
                prop_assert_eq!(id.is_some(), fresh);
                if let Some(id) = id {
                    oracle.insert(bytes.clone(), id);
                }
            }
            prop_assert_eq!(set.len(), oracle.len());
            for (bytes, id) in oracle {
                prop_assert_eq!(set.get(id), bytes.as_slice());
            }
        }
    }
}
