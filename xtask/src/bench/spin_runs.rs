//! Runs of SPIN: for each variant, a verifier is generated and compiled once and run repeatedly.

use std::fs;
use std::time::Duration;

use super::deepening;
use super::measure::Limit;
use super::models::Model;
use super::preparation::prepare;
use super::results::{Preparation, Sample};
use crate::spin::PrivateDirectory;

/// A set of options for building and running SPIN's verifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    pub name: &'static str,
    pub explanation: &'static str,
    /// Options that switch off optimisations of SPIN's translator.
    translator: &'static [&'static str],
    compiler: &'static [&'static str],
    bitstate: bool,
}

/// `-n -c0`: no list of unreached code, do not stop at errors. The first variant is the baseline.
pub const VARIANTS: &[Variant] = &[
    Variant {
        name: "pan",
        explanation: "spin -o1 -o2 -o3 -a; cc -O3 -march=native -DNOREDUCE -DSAFETY -DNOCLAIM; exact, no reduction",
        translator: &["-o1", "-o2", "-o3"],
        compiler: &["-DNOREDUCE"],
        bitstate: false,
    },
    Variant {
        name: "pan-merge",
        explanation: "spin -a; cc -O3 -march=native -DNOREDUCE -DSAFETY -DNOCLAIM; exact, merging and data-flow optimization, no partial order",
        translator: &[],
        compiler: &["-DNOREDUCE"],
        bitstate: false,
    },
    Variant {
        name: "pan-default",
        explanation: "spin -a; cc -O3 -march=native -DSAFETY -DNOCLAIM; exact, partial order and merging",
        translator: &[],
        compiler: &[],
        bitstate: false,
    },
    Variant {
        name: "pan-collapse",
        explanation: "as pan, with -DCOLLAPSE; exact, compressed",
        translator: &["-o1", "-o2", "-o3"],
        compiler: &["-DNOREDUCE", "-DCOLLAPSE"],
        bitstate: false,
    },
    Variant {
        name: "pan-bitstate",
        explanation: "as pan, with -DBITSTATE and at least 16 bits a state; may miss states",
        translator: &["-o1", "-o2", "-o3"],
        compiler: &["-DNOREDUCE", "-DBITSTATE"],
        bitstate: true,
    },
];

/// The part of a budget that a search takes to choose the hash table.
const CALIBRATION: u32 = 5;

/// A compiled verifier in a directory of its own.
#[derive(Debug)]
pub struct Verifier {
    directory: PrivateDirectory,
    hash_exponent: u32,
    depth: u64,
    pub preparation: Preparation,
}

impl Verifier {
    /// Builds the verifier; SPIN and the C compiler may each take `limit`.
    pub fn prepare(
        variant: Variant,
        model: &Model,
        memory_megabytes: u64,
        limit: Duration,
    ) -> Result<Self, String> {
        let fail = |error: std::io::Error| error.to_string();
        let directory = PrivateDirectory::new().map_err(fail)?;
        fs::copy(&model.path, directory.path.join("model.pml")).map_err(fail)?;
        let compiler = [&["-DSAFETY", "-DNOCLAIM"], variant.compiler].concat();
        let translator = variant.translator.iter().map(ToString::to_string);
        let preparation = prepare(&directory.path, translator, &compiler, memory_megabytes, limit)?;
        Ok(Self {
            directory,
            hash_exponent: hash_exponent(model.expected_states(), variant.bitstate),
            depth: model.figures.map_or(1_000_000, |figures| deeper(figures.depth)),
            preparation,
        })
    }

    /// Chooses the hash table and the stack by a search of a fraction of a budget.
    pub fn calibrate(&mut self, budget: Duration) -> Result<(), String> {
        let sample = self.run(Limit::Interrupt(budget / CALIBRATION))?;
        let growth = if sample.exhaustive { 1 } else { u64::from(CALIBRATION) };
        self.hash_exponent = hash_exponent(sample.states * growth, false);
        if sample.exhaustive {
            self.depth = deeper(sample.depth);
        }
        Ok(())
    }

    /// One search.
    pub fn run(&mut self, limit: Limit) -> Result<Sample, String> {
        let arguments = ["-n", "-c0", &format!("-w{}", self.hash_exponent)];
        deepening::run(&self.directory.path, &arguments, &mut self.depth, false, limit)
    }
}

/// A stack for a search of this depth. The search order, and with it the depth, differs slightly
/// between variants.
fn deeper(depth: u64) -> u64 {
    depth + depth / 10 + 1_000
}

/// `pan` has 2^w hash chains, or 2^w bits. One chain per state makes lookups short without spending
/// more memory on the table than on the states; a bit array works best with about 16 bits per
/// state.
fn hash_exponent(states: u64, bitstate: bool) -> u32 {
    let target = if bitstate { states.saturating_mul(16) } else { states };
    target.next_power_of_two().trailing_zeros().clamp(18, if bitstate { 36 } else { 28 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_sizes() {
        assert_eq!(hash_exponent(1_000_000, false), 20);
        assert_eq!(hash_exponent(1_100_000, false), 21);
        assert_eq!(hash_exponent(1_000_000, true), 24);
        assert_eq!(hash_exponent(10, false), 18);
    }
}
