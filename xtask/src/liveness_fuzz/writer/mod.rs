//! Random programs with formulas and claims.

mod claim;
mod formula;
mod program;

use crate::fuzz::random::Random;

/// Properties for each program: SPIN's compilation is what takes time.
pub const PROPERTIES: usize = 4;

#[derive(Debug)]
pub struct Writer {
    random: Random,
    /// So many labels were made.
    labels: usize,
    /// Conditions about the processes of the program that was written.
    remote: Vec<String>,
    /// May formulas speak of the next state?
    next: bool,
}

const CONDITIONS: [&str; 6] = ["(x == 1)", "(y > 0)", "(b)", "(!b)", "(x != y)", "(y == 0)"];

impl Writer {
    pub fn new(seed: u64) -> Writer {
        Writer { random: Random::new(seed), labels: 0, remote: Vec::new(), next: false }
    }

    /// A label of its own beginning with one of these words, if any.
    fn label(&mut self, words: &[&str]) -> String {
        self.labels += 1;
        match *self.random.pick(words) {
            "" => String::new(),
            word => format!("{word}_{}: ", self.labels),
        }
    }
}
