//! Which transitions were ever taken.

use model::system::StepCode;

/// A set of transitions, by [number](model::system::Numbering).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    words: Vec<u64>,
}

impl Coverage {
    /// For a program with so many transitions.
    pub fn new(transitions: usize) -> Coverage {
        Coverage { words: vec![0; transitions.div_ceil(64)] }
    }

    /// Marks what the step took.
    #[inline]
    pub fn mark(&mut self, code: StepCode) {
        for number in code.transitions() {
            let (word, bit) = (number as usize / 64, 1 << (number % 64));
            // Nearly always it is marked already, and reading is cheaper than writing.
            if let Some(word) = self.words.get_mut(word)
                && *word & bit == 0
            {
                *word |= bit;
            }
        }
    }

    pub fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    /// Adds what another search took.
    pub fn join(&mut self, other: &Coverage) {
        self.words.resize(self.words.len().max(other.words.len()), 0);
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// As numbers, 64 transitions to each.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn from_words(words: Vec<u64>) -> Coverage {
        Coverage { words }
    }
}
