//! `cargo xtask spin-fuzz`: compares SPIN and Lariat on random Promela programs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use crate::lariat::{Tool, target_directory};
use crate::spin;
use compare::{Comparison, Difference, Reason};
use programs::Programs;
use tree::{Node, print};

mod channel;
mod compare;
mod control;
mod declaration;
mod expression;
mod generator;
mod program;
pub mod programs;
pub mod random;
mod scope;
pub mod shrink;
mod statement;
pub mod tree;
pub mod words;

/// Limit on the comparisons for shrinking one program.
const SHRINKING_BUDGET: usize = 1500;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Programs to compare; those that SPIN cannot search do not count
    #[arg(long, default_value_t = 200)]
    count: u64,
    #[command(flatten)]
    programs: Programs,
    /// Time limit of each tool and program in seconds
    #[arg(long, default_value_t = 10)]
    time: u64,
    /// Stop after this number of differences
    #[arg(long, default_value_t = 10)]
    max_failures: u64,
    /// Folder for shrunk programs that differ [default: target/spin-fuzz]
    #[arg(long)]
    output: Option<PathBuf>,
    /// A built `lariat` to use instead of building one
    #[arg(long)]
    lariat: Option<PathBuf>,
    /// Print the programs instead of comparing
    #[arg(long)]
    print: bool,
    /// Run only SPIN, and print what it rejects, to test the generator
    #[arg(long)]
    spin_only: bool,
}

#[derive(Debug, Default)]
struct Progress {
    generated: u64,
    passed: u64,
    failed: u64,
    skipped: Vec<(Reason, u64)>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.print {
        for seed in seeds(arguments) {
            println!("/* seed {seed} */\n{}", print(&program::program(seed)));
        }
        return ExitCode::SUCCESS;
    }
    if arguments.spin_only {
        return check_generator(arguments);
    }
    let limit = Duration::from_secs(arguments.time);
    let prepared =
        spin::ensure_installed().and_then(|()| Tool::new(arguments.lariat.clone(), limit * 2));
    let tool = match prepared {
        Ok(tool) => tool,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let output = arguments.output.clone().unwrap_or_else(|| target_directory().join("spin-fuzz"));
    let progress = Mutex::new(Progress::default());
    let compared = arguments.programs.in_parallel(|| {
        while let Some(seed) = next_seed(arguments, &progress) {
            examine(seed, &tool, limit, &output, &progress)?;
        }
        Ok(())
    });
    if let Err(error) = compared {
        eprintln!("{error}");
        return ExitCode::from(2);
    }
    let progress = progress.into_inner().expect("no worker panics");
    summarise(&progress);
    if progress.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn seeds(arguments: &Arguments) -> impl Iterator<Item = u64> {
    let programs = &arguments.programs;
    (0..programs.number(arguments.count)).map(|index| programs.seed(index))
}

/// The next program to compare, or `None` after enough programs. Also ends if the generator
/// produces too few usable programs.
fn next_seed(arguments: &Arguments, progress: &Mutex<Progress>) -> Option<u64> {
    let mut progress = progress.lock().expect("no worker panics");
    let count = arguments.programs.number(arguments.count);
    if progress.passed + progress.failed >= count
        || progress.failed >= arguments.max_failures
        || progress.generated >= 5 * count
    {
        return None;
    }
    progress.generated += 1;
    Some(arguments.programs.seed(progress.generated - 1))
}

fn examine(
    seed: u64,
    tool: &Tool,
    limit: Duration,
    output: &Path,
    progress: &Mutex<Progress>,
) -> io::Result<()> {
    let program = program::program(seed);
    let comparison = compare::compare(&print(&program), tool, limit)?;
    let difference = match comparison {
        Comparison::Same => {
            progress.lock().expect("no worker panics").passed += 1;
            return Ok(());
        }
        Comparison::Skipped(reason) => {
            progress.lock().expect("no worker panics").skipped.push((reason, seed));
            return Ok(());
        }
        Comparison::Different(difference) => difference,
    };
    progress.lock().expect("no worker panics").failed += 1;
    let (small, difference) = reduce(program, difference, tool, limit);
    let text = format!(
        "/* seed {seed}\n   SPIN:   {}\n   Lariat: {}\n*/\n{}",
        difference.spin,
        difference.lariat.replace("*/", "* /").trim(),
        print(&small)
    );
    fs::create_dir_all(output)?;
    let path = output.join(format!("{seed}.pml"));
    fs::write(&path, &text)?;
    println!("{}:\n{text}", path.display());
    Ok(())
}

/// The smallest program found with a difference of the same kind, and its difference.
fn reduce(program: Node, first: Difference, tool: &Tool, limit: Duration) -> (Node, Difference) {
    let mut last = first;
    let quick = tool.with_limit(limit);
    let small =
        shrink::shrink(program, SHRINKING_BUDGET, |candidate| {
            match compare::compare_quickly(&print(candidate), &quick, limit) {
                Ok(Comparison::Different(difference)) if difference.kind == last.kind => {
                    last = difference;
                    true
                }
                _ => false,
            }
        });
    (small, last)
}

fn summarise(progress: &Progress) {
    for reason in [Reason::RejectedBySpin, Reason::BrokenVerifier, Reason::TooBig] {
        let seeds: Vec<_> = progress
            .skipped
            .iter()
            .filter(|(other, _)| *other == reason)
            .map(|(_, seed)| *seed)
            .collect();
        if !seeds.is_empty() {
            let shown: Vec<_> = seeds.iter().take(5).map(u64::to_string).collect();
            println!("skipped, {reason:?}: {} (seeds {} …)", seeds.len(), shown.join(", "));
        }
    }
    println!("{} passed, {} failed", progress.passed, progress.failed);
}

/// Runs only SPIN: counts the programs that it accepts and searches, and the reasons for others.
fn check_generator(arguments: &Arguments) -> ExitCode {
    let options = spin::Options::quick(Duration::from_secs(arguments.time));
    let mut counts = [0usize; 6];
    for seed in seeds(arguments) {
        let model = print(&program::program(seed));
        match spin::check_text(&model, &options) {
            Ok(spin::Outcome::Searched(figures)) if figures.truncated => counts[1] += 1,
            Ok(spin::Outcome::Searched(figures)) if figures.fatal => {
                counts[2] += 1;
                println!("seed {seed}: {:?}", figures.error_kinds);
            }
            Ok(spin::Outcome::Searched(figures)) => {
                counts[0] += 1;
                println!("seed {seed}: {} states", figures.states);
            }
            Ok(spin::Outcome::OutOfTime) => counts[1] += 1,
            Ok(spin::Outcome::Rejected(why)) => {
                counts[3] += 1;
                println!("seed {seed}: rejected: {}", why.trim());
            }
            Ok(spin::Outcome::NotCompiled(why)) => {
                counts[4] += 1;
                println!("seed {seed}: not compiled: {}", why.trim());
            }
            Ok(spin::Outcome::Crashed(why)) => {
                counts[5] += 1;
                println!("seed {seed}: crashed: {}", why.trim());
            }
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(2);
            }
        }
    }
    let [searched, big, fatal, rejected, uncompiled, crashed] = counts;
    println!(
        "searched {searched}, too big {big}, fatal {fatal}, rejected {rejected}, not compiled {uncompiled}, crashed {crashed}"
    );
    ExitCode::SUCCESS
}
