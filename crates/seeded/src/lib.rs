//! The configuration of every generated test: a fixed seed, so that two runs of the tests check the
//! same cases.
//!
//! `LARIAT_SEED=N` chooses other cases and `PROPTEST_CASES=N` another number of them. The seed is
//! printed to the captured output of a test, so it is shown only when that test fails.

#![forbid(unsafe_code)]

use proptest::test_runner::{Config, RngSeed};

/// The seed of all generated tests unless `LARIAT_SEED` is set.
const DEFAULT_SEED: u64 = 20;

/// Limit on shrinking steps: a failing case is reported soon, possibly not in its
/// smallest form.
const MAX_SHRINK_ITERS: u32 = 5_000;

/// The value of `LARIAT_SEED`, or the default seed.
///
/// # Panics
///
/// If `LARIAT_SEED` is not a number, because a run with other cases would be misleading.
pub fn seed() -> u64 {
    let Ok(text) = std::env::var("LARIAT_SEED") else { return DEFAULT_SEED };
    text.parse().unwrap_or_else(|_| panic!("LARIAT_SEED={text}: expected a whole number"))
}

/// `count` generated cases with the seed of [`seed`]. No file with failing cases is written:
/// a case that fails becomes a test of its own.
pub fn cases(count: u32) -> Config {
    let seed = seed();
    println!("generated with LARIAT_SEED={seed}");
    let default = Config::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { count };
    Config {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_iters: MAX_SHRINK_ITERS,
        ..default
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    #[test]
    fn two_runners_generate_the_same_values() {
        let values = || {
            let mut runner = TestRunner::new(cases(3));
            let strategy = proptest::collection::vec(any::<u64>(), 5);
            strategy.new_tree(&mut runner).expect("a list of numbers").current()
        };
        assert_eq!(values(), values());
    }

    #[test]
    fn no_files_are_written() {
        assert!(cases(3).failure_persistence.is_none());
    }
}
