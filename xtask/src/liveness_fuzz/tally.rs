//! Statistics of the comparisons.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

/// The name and value of an option.
type Setting = (&'static str, String);

#[derive(Debug, Default)]
pub struct Tally {
    pub programs: usize,
    /// Programs rejected by SPIN or its compiler, and by Lariat.
    pub refused_by_spin: usize,
    pub refused_by_us: usize,
    /// Properties with a verdict of SPIN, and of the oracle.
    pub judged_by_spin: usize,
    pub judged_by_oracle: usize,
    /// The number of violated and of satisfied properties among them.
    pub violated: usize,
    pub holding: usize,
    /// Lariat's verdicts that agree.
    pub same: usize,
    /// Inconclusive verdicts, because a store may omit states or a limit was reached.
    pub undecided: usize,
    /// Configurations that Lariat rejects.
    pub unsuited: usize,
    /// Counterexamples that were replayed, and those that the oracle accepts.
    pub followed: usize,
    pub shown: usize,
    /// Lassos that are shortest in the searched product, and runs without a cycle.
    pub shortest: usize,
    pub shortest_prefixes: usize,
    /// Lassos that are shortest for every automaton, and lassos for which another automaton has a
    /// shorter one.
    pub shortest_of_all: usize,
    pub shorter_elsewhere: usize,
    /// The search for a shortest lasso took too long.
    pub unproven: usize,
    /// Verdicts found with the program as the stem of the product, and those with a lasso that
    /// must be shortest.
    pub stems: usize,
    pub shortest_stems: usize,
    /// Seeds of programs that took long.
    pub slow: Vec<(u64, Duration)>,
    /// Verdicts of `pan -f` that agree with the oracle, and programs for which they do not.
    pub fair_same: usize,
    pub fair_different: Vec<String>,
    pub differences: Vec<String>,
    /// The number of states of each program that the oracle explored.
    sizes: Vec<usize>,
    settings: BTreeSet<Setting>,
    pairs: BTreeMap<(Setting, Setting), usize>,
}

impl Tally {
    pub fn differs(&mut self, what: String) {
        println!("{what}");
        self.differences.push(what);
    }

    pub fn size(&mut self, states: usize) {
        self.sizes.push(states);
    }

    /// Records a compared verdict and its configuration.
    pub fn compared(&mut self, settings: &[Setting]) {
        for (place, first) in settings.iter().enumerate() {
            self.settings.insert(first.clone());
            for second in &settings[place + 1..] {
                *self.pairs.entry((first.clone(), second.clone())).or_default() += 1;
            }
        }
    }

    pub fn add(&mut self, other: Tally) {
        self.programs += other.programs;
        self.refused_by_spin += other.refused_by_spin;
        self.refused_by_us += other.refused_by_us;
        self.judged_by_spin += other.judged_by_spin;
        self.judged_by_oracle += other.judged_by_oracle;
        self.violated += other.violated;
        self.holding += other.holding;
        self.same += other.same;
        self.undecided += other.undecided;
        self.unsuited += other.unsuited;
        self.followed += other.followed;
        self.shown += other.shown;
        self.shortest += other.shortest;
        self.shortest_prefixes += other.shortest_prefixes;
        self.shortest_of_all += other.shortest_of_all;
        self.shorter_elsewhere += other.shorter_elsewhere;
        self.unproven += other.unproven;
        self.stems += other.stems;
        self.shortest_stems += other.shortest_stems;
        self.slow.extend(other.slow);
        self.fair_same += other.fair_same;
        self.fair_different.extend(other.fair_different);
        self.differences.extend(other.differences);
        self.sizes.extend(other.sizes);
        self.settings.extend(other.settings);
        for (pair, count) in other.pairs {
            *self.pairs.entry(pair).or_default() += count;
        }
    }

    /// Pairs of settings that were never compared together.
    fn missing(&self) -> Vec<String> {
        let order = |axis: &str| self.pairs.keys().any(|(_, second)| second.0 == axis);
        let mut missing = Vec::new();
        for first in &self.settings {
            for second in
                self.settings.iter().filter(|second| second.0 != first.0 && order(second.0))
            {
                let known = |pair: &(Setting, Setting)| self.pairs.contains_key(pair);
                let axes =
                    self.pairs.keys().any(|(left, right)| left.0 == first.0 && right.0 == second.0);
                if axes && !known(&(first.clone(), second.clone())) {
                    missing.push(format!("{} {} × {} {}", first.0, first.1, second.0, second.1));
                }
            }
        }
        missing
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{} programs, {} refused by SPIN, {} by Lariat",
            self.programs, self.refused_by_spin, self.refused_by_us
        )?;
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable();
        if let (Some(least), Some(most)) = (sizes.first(), sizes.last()) {
            let middle = sizes[sizes.len() / 2];
            writeln!(
                out,
                "states of {} programs: {least} to {most}, median {middle}",
                sizes.len()
            )?;
        }
        writeln!(
            out,
            "{} properties are violated, {} hold; judged by SPIN: {}, by the oracle: {}",
            self.violated, self.holding, self.judged_by_spin, self.judged_by_oracle
        )?;
        writeln!(
            out,
            "{} verdicts agree, {} undecided, {} configurations rejected; {} runs replayed, {} by the oracle",
            self.same, self.undecided, self.unsuited, self.followed, self.shown
        )?;
        writeln!(
            out,
            "shortest by the oracle too: {} lassos ({} for every automaton, {} not), {} runs without a cycle; {} took too long",
            self.shortest,
            self.shortest_of_all,
            self.shorter_elsewhere,
            self.shortest_prefixes,
            self.unproven
        )?;
        writeln!(
            out,
            "{} verdicts with a stem, {} of them with a shortest lasso",
            self.stems, self.shortest_stems
        )?;
        if !self.slow.is_empty() {
            let slow =
                self.slow.iter().map(|(seed, took)| format!("{seed} ({} s)", took.as_secs()));
            writeln!(out, "slow: {}", slow.collect::<Vec<_>>().join(", "))?;
        }
        let missing = self.missing();
        let some = if missing.len() > 60 {
            format!("{} of them", missing.len())
        } else {
            missing.join(", ")
        };
        writeln!(out, "{} pairs of settings compared; never: {some}", self.pairs.len())?;
        writeln!(
            out,
            "pan -f agrees with the oracle {} times, differs: {:?}",
            self.fair_same, self.fair_different
        )?;
        write!(out, "{} differences", self.differences.len())
    }
}
