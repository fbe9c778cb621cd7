//! The set of transitions that were taken.

use lariat_ir::system::StepCode;

/// A set of transitions, by [number](lariat_ir::system::Numbering).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    words: Vec<u64>,
}

impl Coverage {
    /// The empty set, for a program with this number of transitions.
    pub fn new(transitions: usize) -> Coverage {
        Coverage { words: vec![0; transitions.div_ceil(64)] }
    }

    /// Adds the transitions of a step.
    #[inline]
    pub fn mark(&mut self, code: StepCode) {
        for number in code.transitions() {
            let (word, bit) = (number as usize / 64, 1 << (number % 64));
            // The bit is nearly always set already, and reading is cheaper than writing.
            if let Some(word) = self.words.get_mut(word)
                && *word & bit == 0
            {
                *word |= bit;
            }
        }
    }

    /// Whether the transition with this number was taken.
    pub fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    /// Adds the transitions of another set.
    pub fn join(&mut self, other: &Coverage) {
        self.words.resize(self.words.len().max(other.words.len()), 0);
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// The set as a bit vector.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn from_words(words: Vec<u64>) -> Coverage {
        Coverage { words }
    }
}
