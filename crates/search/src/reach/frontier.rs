//! The states to expand: a double-ended queue of chunks, which grows without copying and frees
//! memory as it shrinks. An entry is a header word and the words of the state. Chunks far from the
//! newest end will wait for a long time and are [delta-coded](DeltaCoded).

use crate::reach::delta_coding::DeltaCoded;
use crate::tuning::reach::{CHUNK_STATES, PLAIN_CHUNKS, SPARE_CHUNKS};
use std::collections::VecDeque;

/// Entries of a frontier.
#[derive(Debug)]
pub(crate) enum FrontierChunk {
    Plain(Vec<u64>),
    Coded(DeltaCoded),
}

impl FrontierChunk {
    fn words(&self) -> usize {
        match self {
            FrontierChunk::Plain(words) => words.len(),
            FrontierChunk::Coded(coded) => coded.words(),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Frontier {
    /// Words of an entry.
    stride: usize,
    chunks: VecDeque<FrontierChunk>,
    /// Words of the first chunk that were already taken; if there are any, the chunk is plain.
    taken: usize,
    spare: Vec<Vec<u64>>,
    /// Scratch memory for coding.
    buffer: Vec<u8>,
    /// Bytes allocated for chunks so far, including those that were freed since.
    allocated_bytes: u64,
}

impl Frontier {
    /// For states of `words` words.
    pub fn new(words: usize) -> Frontier {
        Frontier { stride: words + 1, ..Frontier::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.words() / self.stride
    }

    /// The number of words of all entries.
    pub fn words(&self) -> usize {
        self.chunks.iter().map(FrontierChunk::words).sum::<usize>() - self.taken
    }

    /// An estimate of the number of entries, in constant time.
    pub fn estimate(&self) -> u64 {
        (self.chunks.len() * CHUNK_STATES) as u64
    }

    /// Bytes allocated for chunks so far, including those that were freed since.
    pub fn allocated_bytes(&self) -> u64 {
        self.allocated_bytes
    }

    #[inline]
    pub fn push(&mut self, header: u64, state: &[u64]) {
        debug_assert_eq!(state.len() + 1, self.stride);
        let full = CHUNK_STATES * self.stride;
        let chunk = match self.chunks.back_mut() {
            Some(FrontierChunk::Plain(chunk)) if chunk.len() < full => chunk,
            _ => self.begin_chunk(),
        };
        chunk.push(header);
        chunk.extend_from_slice(state);
    }

    /// Adds an empty chunk, and codes the chunk that is now far enough from the newest end.
    #[cold]
    fn begin_chunk(&mut self) -> &mut Vec<u64> {
        if let Some(index) = self.chunks.len().checked_sub(PLAIN_CHUNKS)
            && (index > 0 || self.taken == 0)
            && let FrontierChunk::Plain(words) = &mut self.chunks[index]
        {
            let words = std::mem::take(words);
            let coded = DeltaCoded::new(&words, self.stride, &mut self.buffer);
            self.allocated_bytes += coded.bytes() as u64;
            self.chunks[index] = FrontierChunk::Coded(coded);
            self.retire(words);
        }
        let chunk = self.empty_chunk();
        self.chunks.push_back(FrontierChunk::Plain(chunk));
        match self.chunks.back_mut() {
            Some(FrontierChunk::Plain(chunk)) => chunk,
            _ => unreachable!("just added"),
        }
    }

    fn empty_chunk(&mut self) -> Vec<u64> {
        self.spare.pop().unwrap_or_else(|| {
            let words = CHUNK_STATES * self.stride;
            self.allocated_bytes += (words * size_of::<u64>()) as u64;
            Vec::with_capacity(words)
        })
    }

    /// The words of a chunk, decoded if necessary.
    fn plain(&mut self, chunk: FrontierChunk) -> Vec<u64> {
        match chunk {
            FrontierChunk::Plain(words) => words,
            FrontierChunk::Coded(coded) => {
                let mut words = self.empty_chunk();
                coded.decode(self.stride, &mut words);
                words
            }
        }
    }

    /// Moves at most `count` of the newest entries into `block`.
    #[inline]
    pub fn take_newest(&mut self, count: usize, block: &mut Vec<u64>) {
        let mut wanted = count * self.stride;
        while wanted > 0 {
            let first = if self.chunks.len() == 1 { self.taken } else { 0 };
            let chunk = match self.chunks.back_mut() {
                None => return,
                Some(FrontierChunk::Plain(chunk)) => chunk,
                Some(FrontierChunk::Coded(_)) => {
                    let coded = self.chunks.pop_back().expect("there is a chunk");
                    let chunk = self.plain(coded);
                    self.chunks.push_back(FrontierChunk::Plain(chunk));
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

    /// Moves at most `count` of the oldest entries into `block`.
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
            self.chunks.push_front(FrontierChunk::Plain(chunk));
            self.taken = end;
        }
    }

    fn retire(&mut self, mut chunk: Vec<u64>) {
        if self.spare.len() < SPARE_CHUNKS {
            chunk.clear();
            self.spare.push(chunk);
        }
    }

    /// Calls `visit` with the words of all entries, a chunk at a time.
    pub fn try_for_each_chunk<E>(
        &self,
        visit: &mut dyn FnMut(&[u64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut decoded = Vec::new();
        for (number, chunk) in self.chunks.iter().enumerate() {
            match chunk {
                FrontierChunk::Plain(words) => {
                    visit(&words[if number == 0 { self.taken } else { 0 }..])?;
                }
                FrontierChunk::Coded(coded) => {
                    decoded.clear();
                    coded.decode(self.stride, &mut decoded);
                    visit(&decoded)?;
                }
            }
        }
        Ok(())
    }

    /// Removes the oldest entries as a chunk, if other entries remain.
    pub fn share(&mut self) -> Option<FrontierChunk> {
        if self.chunks.len() > 1 {
            return self.take_chunk();
        }
        let half = self.len() / 2;
        if half == 0 {
            return None;
        }
        let mut chunk = Vec::with_capacity(half * self.stride);
        self.take_oldest(half, &mut chunk);
        Some(FrontierChunk::Plain(chunk))
    }

    /// Removes the oldest chunk. A coded chunk stays coded: decoding a whole level at once would
    /// take several times its memory.
    pub fn take_chunk(&mut self) -> Option<FrontierChunk> {
        let mut chunk = self.chunks.pop_front()?;
        let taken = std::mem::take(&mut self.taken);
        if let FrontierChunk::Plain(words) = &mut chunk {
            words.drain(..taken);
        }
        Some(chunk)
    }

    /// Adds a chunk at the newest end. Precondition: its entries have this frontier's stride.
    pub fn add_chunk(&mut self, chunk: FrontierChunk) {
        debug_assert!(chunk.words().is_multiple_of(self.stride));
        if chunk.words() > 0 {
            self.chunks.push_back(chunk);
        }
    }

    /// Moves all entries of another frontier to the newest end.
    pub fn append(&mut self, other: &mut Frontier) {
        while let Some(chunk) = other.take_chunk() {
            self.add_chunk(chunk);
        }
    }

    /// Replaces the words of every chunk by `recode` of them, for states of `words` words. Coded
    /// chunks stay coded: plain ones would take several times the memory.
    pub fn recode(&mut self, words: usize, recode: &mut dyn FnMut(&[u64]) -> Vec<u64>) {
        let mut recoded = Frontier::new(words);
        while let Some(chunk) = self.take_chunk() {
            let is_coded = matches!(chunk, FrontierChunk::Coded(_));
            let chunk = self.plain(chunk);
            let words = recode(&chunk);
            self.retire(chunk);
            let stride = recoded.stride;
            let recoded_chunk = match is_coded {
                true => FrontierChunk::Coded(DeltaCoded::new(&words, stride, &mut recoded.buffer)),
                false => FrontierChunk::Plain(words),
            };
            recoded.add_chunk(recoded_chunk);
        }
        recoded.allocated_bytes = self.allocated_bytes;
        *self = recoded;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A frontier that is recoded has the same entries and coded chunks.
    #[test]
    fn recoding_keeps_chunks_coded() {
        let mut frontier = Frontier::new(1);
        let count = ((PLAIN_CHUNKS + 4) * CHUNK_STATES) as u64;
        (0..count).for_each(|number| frontier.push(number, &[number]));
        let coded = |frontier: &Frontier| {
            let is_coded = |chunk: &&FrontierChunk| matches!(chunk, FrontierChunk::Coded(_));
            frontier.chunks.iter().filter(is_coded).count()
        };
        let before = coded(&frontier);
        assert!(before > 0);
        frontier.recode(2, &mut |entries| {
            entries.chunks(2).flat_map(|entry| [entry[0], entry[1], 7]).collect()
        });
        assert_eq!(coded(&frontier), before);
        let mut block = Vec::new();
        while !frontier.is_empty() {
            frontier.take_oldest(1, &mut block);
        }
        let expected: Vec<u64> = (0..count).flat_map(|number| [number, number, 7]).collect();
        assert_eq!(block, expected);
    }

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
                    _ => {
                        let chunk = frontier.share().map(|chunk| frontier.plain(chunk));
                        for entry in chunk.unwrap_or_default().chunks(2) {
                            prop_assert_eq!(Some(entry[0]), oracle.pop_front());
                        }
                    }
                }
                prop_assert_eq!(frontier.len(), oracle.len());
                prop_assert_eq!(frontier.is_empty(), oracle.is_empty());
            }
        }
    }
}
