//! The comparisons of one program, and the sum over all programs.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::writer::Subject;

/// Two results that should be equal.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The comparison; a smaller program must show a difference of the same kind.
    pub kind: &'static str,
    pub what: String,
}

/// The comparisons of one program.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of agreeing results, by kind.
    pub agreed: BTreeMap<&'static str, u64>,
    /// Number of inconclusive searches, by kind.
    pub undecided: BTreeMap<&'static str, u64>,
    /// Option combinations that Lariat rejects.
    pub unsuitable: u64,
    pub differences: Vec<Difference>,
    /// Searches that exceeded their time limit.
    pub late: Vec<String>,
    /// Whether the program was rejected.
    pub refused: bool,
    /// Whether the oracle could judge the program.
    pub judged_by_oracle: bool,
    pub has_endless_atomic: bool,
    pub has_errors: bool,
    pub states: u64,
    pub most_nodes: u64,
}

impl Report {
    pub fn agree(&mut self, kind: &'static str) {
        *self.agreed.entry(kind).or_default() += 1;
    }

    pub fn undecided(&mut self, kind: &'static str) {
        *self.undecided.entry(kind).or_default() += 1;
    }

    pub fn differs(&mut self, kind: &'static str, what: String) {
        self.differences.push(Difference { kind, what });
    }
}

/// The sum over all programs.
#[derive(Debug, Default)]
pub struct Tally {
    programs: BTreeMap<Subject, u64>,
    refused: u64,
    judged_by_oracle: u64,
    with_endless_atomic: u64,
    with_errors: u64,
    agreed: BTreeMap<&'static str, u64>,
    undecided: BTreeMap<&'static str, u64>,
    unsuitable: u64,
    /// Products of more than 20,000 nodes.
    large: u64,
    largest: u64,
    late: Vec<String>,
    slowest: Option<(Duration, u64)>,
    /// Seeds and kinds of differences.
    pub differences: Vec<(u64, &'static str)>,
}

/// Above this number of nodes, all threads take part in a search.
const LARGE: u64 = 20_000;

impl Tally {
    pub fn add(&mut self, seed: u64, subject: Subject, report: &Report, took: Duration) {
        *self.programs.entry(subject).or_default() += 1;
        self.refused += u64::from(report.refused);
        self.judged_by_oracle += u64::from(report.judged_by_oracle);
        self.with_endless_atomic += u64::from(report.has_endless_atomic);
        self.with_errors += u64::from(report.has_errors);
        for (kind, count) in &report.agreed {
            *self.agreed.entry(kind).or_default() += count;
        }
        for (kind, count) in &report.undecided {
            *self.undecided.entry(kind).or_default() += count;
        }
        self.unsuitable += report.unsuitable;
        self.large += u64::from(report.most_nodes > LARGE);
        self.largest = self.largest.max(report.most_nodes);
        self.late.extend(report.late.iter().map(|what| format!("seed {seed}: {what}")));
        self.slowest = self.slowest.max(Some((took, seed)));
        self.differences
            .extend(report.differences.iter().map(|difference| (seed, difference.kind)));
    }

    pub fn is_clean(&self) -> bool {
        self.differences.is_empty() && self.late.is_empty()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: u64 = self.programs.values().sum();
        writeln!(out, "{total} programs, {} rejected by Lariat", self.refused)?;
        for (subject, count) in &self.programs {
            writeln!(out, "  {subject:?}: {count}")?;
        }
        writeln!(
            out,
            "{} judged by the oracle; {} have an endless atomic sequence, {} run-time errors",
            self.judged_by_oracle, self.with_endless_atomic, self.with_errors
        )?;
        writeln!(
            out,
            "{} products of more than {LARGE} nodes, the largest has {}",
            self.large, self.largest
        )?;
        for (kind, count) in &self.agreed {
            let undecided = self.undecided.get(kind).copied().unwrap_or(0);
            writeln!(out, "  {kind}: {count} agree, {undecided} inconclusive")?;
        }
        for (kind, count) in
            self.undecided.iter().filter(|(kind, _)| !self.agreed.contains_key(*kind))
        {
            writeln!(out, "  {kind}: none agree, {count} inconclusive")?;
        }
        writeln!(out, "{} option combinations rejected", self.unsuitable)?;
        if let Some((took, seed)) = self.slowest {
            writeln!(out, "slowest program: seed {seed}, {:.1} s", took.as_secs_f64())?;
        }
        for what in &self.late {
            writeln!(out, "late: {what}")?;
        }
        for (seed, kind) in &self.differences {
            writeln!(out, "difference: seed {seed}, {kind}")?;
        }
        write!(out, "{} differences, {} late", self.differences.len(), self.late.len())
    }
}
