//! `cargo xtask bench liveness`: formulas about the benchmark models, checked by Lariat and by
//! SPIN's `pan -a`.
//!
//! One more variant explores the same product without a cycle search, to measure the cost of the
//! cycle search. Variants are run alternately, as in the comparison of state spaces.

use std::path::PathBuf;
use std::time::Duration;

use super::lariat_runs::Lariat;
use super::machine::Machine;
use super::results::{Cell, Results, Row, Sample};
use crate::lariat::{self, workspace};
use crate::spin;
use instance::Instance;
use verifier::Verifier;

mod instance;
mod page;
mod verifier;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The list of models and formulas [default: bench/liveness/instances.txt]
    #[arg(long, value_name = "FILE")]
    instances: Option<PathBuf>,
    /// Only those whose model or formula contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Number of runs of each variant
    #[arg(long, default_value_t = 3, value_name = "N")]
    repeat: usize,
    /// Time limit of one run in seconds
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    limit: u64,
    /// A built `lariat` to use instead of building one
    #[arg(long, value_name = "PROGRAM")]
    lariat: Option<PathBuf>,
    /// Write the page to this file [default: bench/results/liveness-DATE-MACHINE.md]; the raw
    /// samples are written as JSON to target/bench
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Options of `lariat check`, besides the formula.
#[derive(Debug, Clone, Copy)]
struct Variant {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Only for formulas that hold: for others it explores more than a check does.
    holds_only: bool,
}

const VARIANTS: &[Variant] = &[
    Variant {
        name: "check",
        arguments: &["--raw", "--as-found", "--threads", "1"],
        holds_only: false,
    },
    Variant {
        name: "check-2",
        arguments: &["--raw", "--as-found", "--threads", "2"],
        holds_only: false,
    },
    Variant {
        name: "explore",
        arguments: &["--raw", "--threads", "1", "--search", "explore"],
        holds_only: true,
    },
    Variant { name: "plain", arguments: &[], holds_only: false },
];

/// Measures and writes the results; true if all runs ended with the verdict in the list.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    spin::ensure_installed()?;
    let list = arguments
        .instances
        .clone()
        .unwrap_or_else(|| workspace().join("bench/liveness/instances.txt"));
    let mut instances = instance::read(&list, &workspace().join("bench/models"))?;
    instances.retain(|instance| {
        arguments.filter.as_ref().is_none_or(|text| instance.title().contains(text.as_str()))
    });
    if instances.is_empty() {
        return Err("no such model or formula".to_owned());
    }
    let program = match &arguments.lariat {
        Some(program) => program.clone(),
        None => lariat::build()?,
    };
    let lariat = Lariat { program, limit: Duration::from_secs(arguments.limit) };
    let mut results = Results {
        machine: Machine::observe(Some(&lariat.program)),
        repeats: arguments.repeat.max(1),
        rows: Vec::new(),
        disagreements: Vec::new(),
    };
    for instance in &instances {
        let row = measure(instance, &lariat, &results);
        for cell in row.cells.iter().filter(|cell| cell.variant != "explore") {
            let other = cell.samples.iter().find(|sample| sample.verdict != instance.verdict);
            if let Some(sample) = other {
                let different = format!(
                    "{}: {} reports {}, the list has {}",
                    row.model, cell.variant, sample.verdict, instance.verdict
                );
                eprintln!("DIFFERENT: {different}");
                results.disagreements.push(different);
            }
        }
        results.rows.push(row);
    }
    let text = page::page(&results, VARIANTS);
    println!("{text}");
    let stem = format!("liveness-{}.md", results.machine.file_stem());
    let path =
        arguments.out.clone().unwrap_or_else(|| workspace().join("bench/results").join(stem));
    super::write(&path, &text, &results)?;
    Ok(results.disagreements.is_empty() && results.failures().is_empty())
}

fn measure(instance: &Instance, lariat: &Lariat, results: &Results) -> Row {
    let limit = lariat.limit;
    let mut pan = Cell::new("pan -a");
    let mut verifier = match Verifier::prepare(instance, results.machine.memory_megabytes * 9 / 10)
    {
        Ok(verifier) => {
            pan.preparation = Some(verifier.preparation);
            Some(verifier)
        }
        Err(message) => {
            pan.failure = Some(message);
            None
        }
    };
    let variants: Vec<Variant> = VARIANTS
        .iter()
        .copied()
        .filter(|variant| instance.verdict == "holds" || !variant.holds_only)
        .collect();
    let mut cells: Vec<Cell> = variants.iter().map(|variant| Cell::new(variant.name)).collect();
    for _ in 0..results.repeats {
        if let (Some(verifier), None) = (&mut verifier, &pan.failure) {
            note(&mut pan, instance, verifier.run(limit));
        }
        for (cell, variant) in cells.iter_mut().zip(&variants) {
            if cell.failure.is_none() {
                let arguments = instance.arguments(variant.arguments);
                note(cell, instance, lariat.property(&instance.model, &arguments, "ltl"));
            }
        }
    }
    cells.insert(0, pan);
    Row { model: instance.title(), kind: instance.verdict.clone(), cells }
}

fn note(cell: &mut Cell, instance: &Instance, outcome: Result<Sample, String>) {
    match outcome {
        Ok(sample) => {
            eprintln!(
                "{:<60} {:<8} {:>9} states {:>8.3} s {:>8.3} s processor {:>6} MB {}",
                instance.title(),
                cell.variant,
                sample.states,
                sample.wall_seconds,
                sample.processor_seconds,
                sample.peak_bytes >> 20,
                sample.verdict
            );
            cell.samples.push(sample);
        }
        Err(message) => {
            eprintln!("{:<60} {:<8} failed: {message}", instance.title(), cell.variant);
            cell.failure = Some(message);
        }
    }
}
