//! States that wait to be expanded: a queue with two ends, in chunks, so that it grows without copying and gives memory
//! back as it shrinks. An entry is a word of the search's own and the words of the state. Chunks far from the new end will wait
//! for long, and are kept [`Dense`].

use crate::dense::Dense;
use std::collections::VecDeque;

/// Entries in a chunk.
const CHUNK: usize = 512;
/// Empty chunks kept for later.
const SPARE: usize = 8;
/// So many of the newest chunks are as they were pushed: a search that goes to and fro there packs and unpacks nothing.
const PLAIN: usize = 16;

#[derive(Debug)]
enum Chunk {
    Plain(Vec<u64>),
    Dense(Dense),
}

impl Chunk {
    fn words(&self) -> usize {
        match self {
            Chunk::Plain(words) => words.len(),
            Chunk::Dense(dense) => dense.words(),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Frontier {
    /// Words of an entry.
    stride: usize,
    chunks: VecDeque<Chunk>,
    /// Words of the first chunk that were already taken; if there are any, it is plain.
    taken: usize,
    spare: Vec<Vec<u64>>,
    /// Room to pack in.
    buffer: Vec<u8>,
}

impl Frontier {
    /// For states of so many words.
    pub fn new(words: usize) -> Frontier {
        Frontier { stride: words + 1, ..Frontier::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.words() / self.stride
    }

    /// How many words all entries have.
    pub fn words(&self) -> usize {
        self.chunks.iter().map(Chunk::words).sum::<usize>() - self.taken
    }

    /// About how many there are, at once.
    pub fn estimate(&self) -> u64 {
        (self.chunks.len() * CHUNK) as u64
    }

    #[inline]
    pub fn push(&mut self, header: u64, state: &[u64]) {
        debug_assert_eq!(state.len() + 1, self.stride);
        let full = CHUNK * self.stride;
        let chunk = match self.chunks.back_mut() {
            Some(Chunk::Plain(chunk)) if chunk.len() < full => chunk,
            _ => self.begin(),
        };
        chunk.push(header);
        chunk.extend_from_slice(state);
    }

    /// Adds an empty chunk, and packs the one that is far enough from the end now.
    #[cold]
    fn begin(&mut self) -> &mut Vec<u64> {
        if let Some(place) = self.chunks.len().checked_sub(PLAIN)
            && (place > 0 || self.taken == 0)
            && let Chunk::Plain(words) = &mut self.chunks[place]
        {
            let words = std::mem::take(words);
            self.chunks[place] = Chunk::Dense(Dense::new(&words, self.stride, &mut self.buffer));
            self.retire(words);
        }
        let chunk = self.empty();
        self.chunks.push_back(Chunk::Plain(chunk));
        match self.chunks.back_mut() {
            Some(Chunk::Plain(chunk)) => chunk,
            _ => unreachable!("just added"),
        }
    }

    fn empty(&mut self) -> Vec<u64> {
        self.spare.pop().unwrap_or_else(|| Vec::with_capacity(CHUNK * self.stride))
    }

    /// The words of a chunk, as they were pushed.
    fn plain(&mut self, chunk: Chunk) -> Vec<u64> {
        match chunk {
            Chunk::Plain(words) => words,
            Chunk::Dense(dense) => {
                let mut words = self.empty();
                dense.expand(self.stride, &mut words);
                words
            }
        }
    }

    /// Moves at most `count` of the entries added last into `block`; an empty frontier gives none.
    #[inline]
    pub fn take_newest(&mut self, count: usize, block: &mut Vec<u64>) {
        let mut wanted = count * self.stride;
        while wanted > 0 {
            let first = if self.chunks.len() == 1 { self.taken } else { 0 };
            let chunk = match self.chunks.back_mut() {
                None => return,
                Some(Chunk::Plain(chunk)) => chunk,
                Some(Chunk::Dense(_)) => {
                    let packed = self.chunks.pop_back().expect("there is one");
                    let chunk = self.plain(packed);
                    self.chunks.push_back(Chunk::Plain(chunk));
                    continue;
                }
            };
            let start = chunk.len().saturating_sub(wanted).max(first);
            wanted -= chunk.len() - start;
            block.extend_from_slice(&chunk[start..]);
            chunk.truncate(start);
            if start == first {
                let chunk = std::mem::take(chunk);
                self.chunks.pop_back();
                self.retire(chunk);
                self.taken = if self.chunks.is_empty() { 0 } else { self.taken };
            }
        }
    }

    /// Moves at most `count` of the entries added first into `block`.
    #[inline]
    pub fn take_oldest(&mut self, count: usize, block: &mut Vec<u64>) {
        let Some(first) = self.chunks.pop_front() else { return };
        let chunk = self.plain(first);
        let end = chunk.len().min(self.taken + count * self.stride);
        block.extend_from_slice(&chunk[self.taken..end]);
        if end == chunk.len() {
            self.retire(chunk);
            self.taken = 0;
        } else {
            self.chunks.push_front(Chunk::Plain(chunk));
            self.taken = end;
        }
    }

    fn retire(&mut self, mut chunk: Vec<u64>) {
        if self.spare.len() < SPARE {
            chunk.clear();
            self.spare.push(chunk);
        }
    }

    /// Calls `visit` with the words of all entries, a chunk at a time.
    pub fn try_for_each_chunk<E>(&self, visit: &mut dyn FnMut(&[u64]) -> Result<(), E>) -> Result<(), E> {
        let mut expanded = Vec::new();
        for (number, chunk) in self.chunks.iter().enumerate() {
            match chunk {
                Chunk::Plain(words) => visit(&words[if number == 0 { self.taken } else { 0 }..])?,
                Chunk::Dense(dense) => {
                    expanded.clear();
                    dense.expand(self.stride, &mut expanded);
                    visit(&expanded)?;
                }
            }
        }
        Ok(())
    }

    /// Takes away the oldest entries, as one chunk, if others remain.
    pub fn share(&mut self) -> Option<Vec<u64>> {
        if self.chunks.len() > 1 {
            return self.take_chunk();
        }
        let half = self.len() / 2;
        if half == 0 {
            return None;
        }
        let mut chunk = Vec::with_capacity(half * self.stride);
        self.take_oldest(half, &mut chunk);
        Some(chunk)
    }

    /// Takes the first chunk away.
    pub fn take_chunk(&mut self) -> Option<Vec<u64>> {
        let first = self.chunks.pop_front()?;
        let mut chunk = self.plain(first);
        chunk.drain(..std::mem::take(&mut self.taken));
        Some(chunk)
    }

    /// Adds entries as they are.
    pub fn add_chunk(&mut self, chunk: Vec<u64>) {
        debug_assert!(chunk.len().is_multiple_of(self.stride));
        if !chunk.is_empty() {
            self.chunks.push_back(Chunk::Plain(chunk));
        }
    }

    /// Replaces every chunk by its translation, with states of so many words.
    pub fn translate(&mut self, words: usize, translate: &mut dyn FnMut(&[u64]) -> Vec<u64>) {
        let mut translated = Frontier::new(words);
        while let Some(chunk) = self.take_chunk() {
            translated.add_chunk(translate(&chunk));
        }
        *self = translated;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(seeded::cases(256))]

        #[test]
        fn behaves_like_a_queue(steps in prop::collection::vec((0u8..5, 1usize..9000), 0..40)) {
            let mut frontier = Frontier::new(1);
            let mut oracle = VecDeque::new();
            let mut number = 0;
            for (kind, count) in steps {
                let mut block = Vec::new();
                match kind {
                    0 | 1 => for _ in 0..count {
                        frontier.push(number, &[number * 2]);
                        oracle.push_back(number);
                        number += 1;
                    },
                    2 => {
                        frontier.take_newest(count, &mut block);
                        prop_assert_eq!(block.len() / 2, count.min(oracle.len()));
                        let mut taken: Vec<u64> = block.chunks(2).map(|entry| entry[0]).collect();
                        taken.sort_unstable();
                        let from = oracle.len() - taken.len();
                        prop_assert_eq!(oracle.split_off(from), taken);
                    }
                    3 => {
                        frontier.take_oldest(count, &mut block);
                        prop_assert_eq!(block.is_empty(), oracle.is_empty());
                        for entry in block.chunks(2) {
                            prop_assert_eq!(Some(entry[0]), oracle.pop_front());
                        }
                    }
                    _ => for entry in frontier.share().unwrap_or_default().chunks(2) {
                        prop_assert_eq!(Some(entry[0]), oracle.pop_front());
                    },
                }
                prop_assert_eq!(frontier.len(), oracle.len());
                prop_assert_eq!(frontier.is_empty(), oracle.is_empty());
            }
        }
    }
}
