//! Random programs with formulas and claims.

mod claim;
mod formula;
mod program;

use crate::fuzz::random::Random;

/// Properties per program: compiling SPIN's verifier takes most of the time.
pub const PROPERTIES: usize = 4;

#[derive(Debug)]
pub struct Writer {
    random: Random,
    /// The number of labels generated.
    labels: usize,
    /// Conditions about the processes of the generated program.
    remote: Vec<String>,
    /// Whether formulas may use the next operator.
    next: bool,
}

impl Writer {
    pub fn new(seed: u64) -> Writer {
        Writer { random: Random::new(seed), labels: 0, remote: Vec::new(), next: false }
    }

    /// A new label that begins with one of these words, or none.
    fn label(&mut self, words: &[&str]) -> String {
        self.labels += 1;
        match *self.random.pick(words) {
            "" => String::new(),
            word => format!("{word}_{}: ", self.labels),
        }
    }
}
