//! `cargo xtask self-fuzz`: compares Lariat's searches, engines and stores with each other and with
//! the oracle on random programs with features that comparisons with SPIN must avoid: infinite
//! atomic sequences, run-time errors under fairness and in branching time, priorities, `_moves`,
//! large products, interrupted searches.
//!
//! Everything runs in this process, so that tens of thousands of programs can be compared.

mod case;
mod report;
mod safety;
mod temporal;
mod writer;

use std::panic;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::fuzz::programs::Programs;
use crate::fuzz::shrink::shrink;
use crate::fuzz::tree::print;
use case::Case;
use report::{Difference, Tally};
use writer::{Sample, Subject};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Programs to compare
    #[arg(long, default_value_t = 1000)]
    count: u64,
    #[command(flatten)]
    programs: Programs,
    /// Time limit of each search in seconds; a search that exceeds it by a second is reported as
    /// late
    #[arg(long, default_value_t = 5)]
    time: u64,
    /// Features of the programs
    #[arg(long, value_enum, default_values_t = Subject::ALL)]
    subjects: Vec<Subject>,
    /// Limit on the programs tried for shrinking a difference; 0 disables shrinking
    #[arg(long, default_value_t = 300)]
    shrink: usize,
    /// Stop after this number of programs with differences
    #[arg(long, default_value_t = 20)]
    max_failures: usize,
    /// Print the programs instead of comparing
    #[arg(long)]
    print: bool,
}

/// Maximal number of characters shown of each difference.
const LONGEST: usize = 1500;

/// Number of programs between two progress reports.
const REPORT_EVERY: u64 = 1000;

pub fn run(arguments: &Arguments) -> ExitCode {
    let count = arguments.programs.number(arguments.count);
    let seed = |index: u64| arguments.programs.seed(index);
    if arguments.print {
        for sample in (0..count).map(|index| Sample::new(seed(index), &arguments.subjects)) {
            println!("{}", shown(&sample, &[]));
        }
        return ExitCode::SUCCESS;
    }
    // A panic is reported as a difference; its message is shown with the program.
    panic::set_hook(Box::new(|info| case::PANIC.set(Some(info.to_string()))));
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let failures = tally.lock().map_or(0, |tally: std::sync::MutexGuard<'_, Tally>| {
                let mut seeds: Vec<u64> = tally.differences.iter().map(|(seed, _)| *seed).collect();
                seeds.dedup();
                seeds.len()
            });
            if index >= count || failures >= arguments.max_failures {
                return Ok(());
            }
            let sample = Sample::new(seed(index), &arguments.subjects);
            let limit = Duration::from_secs(arguments.time);
            let start = Instant::now();
            let report = Case::examine(&sample, limit)?;
            let took = start.elapsed();
            if !report.differences.is_empty() {
                let (small, differences) =
                    smaller(sample.clone(), report.differences.clone(), arguments);
                println!("{}", shown(&small, &differences));
            }
            let Ok(mut tally) = tally.lock() else { return Ok(()) };
            tally.add(sample.seed, sample.subject, &report, took);
            if (index + 1).is_multiple_of(REPORT_EVERY) {
                eprintln!("{tally}\n");
            }
        }
    };
    if let Err(error) = arguments.programs.in_parallel(work) {
        eprintln!("{error}");
        return ExitCode::from(2);
    }
    let Ok(tally) = tally.into_inner() else { return ExitCode::from(2) };
    println!("{tally}");
    if tally.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The smallest program found with a difference of the first kind.
fn smaller(
    mut sample: Sample,
    mut differences: Vec<Difference>,
    arguments: &Arguments,
) -> (Sample, Vec<Difference>) {
    let Some(kind) = differences.first().map(|difference| difference.kind) else {
        return (sample, differences);
    };
    let limit = Duration::from_secs(arguments.time.min(2));
    let original = sample.clone();
    let program = shrink(sample.program.clone(), arguments.shrink, |program| {
        let candidate = Sample { program: program.clone(), ..original.clone() };
        let Ok(report) = Case::examine(&candidate, limit) else { return false };
        let fails = report.differences.iter().any(|difference| difference.kind == kind);
        if fails {
            differences = report.differences;
        }
        fails
    });
    sample.program = program;
    differences.retain(|difference| difference.kind == kind);
    (sample, differences)
}

/// The program, the formulas and what differs.
fn shown(sample: &Sample, differences: &[Difference]) -> String {
    let mut text = format!("/* seed {} ({:?})\n", sample.seed, sample.subject);
    for formula in &sample.ltl {
        text += &format!("   --ltl '{formula}'\n");
    }
    for formula in &sample.ctl {
        text += &format!("   --ctl '{formula}'\n");
    }
    for Difference { kind, what } in differences.iter().take(3) {
        let what: String = what.replace("*/", "* /").chars().take(LONGEST).collect();
        text += &format!("   {kind}: {what}\n");
    }
    format!("{text}*/\n{}", print(&sample.program))
}
