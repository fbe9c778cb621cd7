//! The memory of a quotient table: cache lines in one allocation that grows without a copy.

use super::geometry::{LINE_WORDS, LineWords};
use crate::memory::fallible;
use crate::memory::sync::{AtomicU64, Ordering};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Lines {
    words: Vec<AtomicU64>,
    /// Words before the first that starts a cache line.
    offset: usize,
    lines: usize,
}

impl Lines {
    /// Appends empty lines; `false` if there is no memory, and then nothing has changed. The system
    /// moves a large allocation by remapping its pages, which preserves its alignment.
    #[must_use]
    pub fn extend_to(&mut self, lines: usize) -> bool {
        if !fallible::extend_to(&mut self.words, (lines + 1) * LINE_WORDS) {
            return false;
        }
        let offset = Self::aligned_offset(&self.words);
        if offset != self.offset {
            self.shift_to(offset);
        }
        self.lines = lines;
        true
    }

    /// The first word that starts a cache line. Loom requires that each execution of a model has
    /// the same atomic operations, so in its models the offset does not depend on an address.
    fn aligned_offset(words: &[AtomicU64]) -> usize {
        if cfg!(loom) {
            return 0;
        }
        words.as_ptr().align_offset(LINE_WORDS * 8).min(LINE_WORDS - 1)
    }

    /// Moves all lines so that the first begins at word `to`.
    fn shift_to(&mut self, to: usize) {
        let used = self.lines * LINE_WORDS;
        let from = self.offset;
        let copy = |index: usize| {
            self.words[to + index]
                .store(self.words[from + index].load(Ordering::Relaxed), Ordering::Relaxed)
        };
        if from > to {
            (0..used).for_each(copy);
        } else {
            (0..used).rev().for_each(copy);
        }
        self.words[..to]
            .iter()
            .chain(&self.words[to + used..])
            .for_each(|word| word.store(0, Ordering::Relaxed));
        self.offset = to;
    }

    pub fn len(&self) -> usize {
        self.lines
    }

    pub fn memory_bytes(&self) -> usize {
        self.words.len() * 8
    }

    #[inline]
    pub fn line(&self, line: usize) -> &[AtomicU64; LINE_WORDS] {
        let start = self.offset + line * LINE_WORDS;
        (&self.words[start..start + LINE_WORDS]).try_into().expect("a line has eight words")
    }

    pub fn read(&self, line: usize) -> LineWords {
        let words = self.line(line);
        std::array::from_fn(|index| words[index].load(Ordering::Relaxed))
    }

    pub fn write(&mut self, line: usize, words: &LineWords) {
        for (word, value) in self.line(line).iter().zip(words) {
            word.store(*value, Ordering::Relaxed);
        }
    }
}
