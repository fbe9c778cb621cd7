//! Ultimately periodic words: a prefix and a cycle.
//!
//! Every nonempty ω-regular language contains such a word, so emptiness checks return lassos and
//! formulas are evaluated on them.

use std::fmt;

/// The word `prefix · cycle^ω`; the cycle is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso<L> {
    /// The letters read once.
    pub prefix: Vec<L>,
    /// The letters repeated forever.
    pub cycle: Vec<L>,
}

impl<L> Lasso<L> {
    /// A lasso from its parts.
    ///
    /// # Panics
    /// If the cycle is empty.
    pub fn new(prefix: Vec<L>, cycle: Vec<L>) -> Self {
        assert!(!cycle.is_empty(), "the cycle of a lasso has at least one letter");
        Lasso { prefix, cycle }
    }

    /// Number of distinct positions.
    #[allow(clippy::len_without_is_empty)] // A lasso is never empty.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// The letter at position `i < len()`.
    pub fn letter(&self, i: usize) -> &L {
        if i < self.prefix.len() { &self.prefix[i] } else { &self.cycle[i - self.prefix.len()] }
    }

    /// The position after `i`.
    pub fn next(&self, i: usize) -> usize {
        if i + 1 < self.len() { i + 1 } else { self.prefix.len() }
    }

    /// The lasso with every letter mapped.
    pub fn map<M>(&self, mut translate: impl FnMut(&L) -> M) -> Lasso<M> {
        Lasso {
            prefix: self.prefix.iter().map(&mut translate).collect(),
            cycle: self.cycle.iter().map(&mut translate).collect(),
        }
    }
}

/// `a; b; cycle{c; d}`, as Spot writes words.
impl<L: fmt::Display> fmt::Display for Lasso<L> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in &self.prefix {
            write!(out, "{letter}; ")?;
        }
        out.write_str("cycle{")?;
        for (i, letter) in self.cycle.iter().enumerate() {
            if i > 0 {
                out.write_str("; ")?;
            }
            write!(out, "{letter}")?;
        }
        out.write_str("}")
    }
}
