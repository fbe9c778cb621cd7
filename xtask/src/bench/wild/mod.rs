//! `cargo xtask bench wild DIR`: every model of a directory beside verifiers of SPIN, one thread,
//! each run within a time budget. Models that were not chosen for a benchmark have wide states,
//! large programs and state spaces of any size, so a run that does not finish is measured as well:
//! its transitions per second count.

mod page;

use super::lariat_runs::{self, Lariat};
use super::machine::Machine;
use super::measure::Limit;
use super::models::{self, Model};
use super::results::{Cell, Results, Row};
use super::spin_runs::{self, Verifier};
use super::write;
use crate::lariat::{self, workspace};
use crate::pan::is_printed_as;
use crate::spin;
use std::path::PathBuf;
use std::time::Duration;

/// Each variant of SPIN, from the one that is compared state by state.
const SPIN: [&str; 4] = ["pan", "pan-merge", "pan-default", "pan-collapse"];

/// The exact states of `pan`; Lariat's own reductions; and the set-up alone.
const LARIAT: [lariat_runs::Variant; 3] = [
    lariat_runs::Variant {
        name: RAW,
        arguments: &["--raw", "--all-errors", "--threads", "1"],
        exact: true,
    },
    lariat_runs::Variant {
        name: REDUCED,
        arguments: &["--all-errors", "--threads", "1"],
        exact: false,
    },
    lariat_runs::Variant {
        name: FIRST_STATE,
        arguments: &["--raw", "--threads", "1", "--max-states", "1"],
        exact: false,
    },
];

const RAW: &str = "raw";
const REDUCED: &str = "reduced";
const FIRST_STATE: &str = "first-state";

/// Extra time after which a run of Lariat that ignores its time limit is killed.
const OVERRUN: Duration = Duration::from_secs(20);

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The directory of models
    directory: PathBuf,
    /// Only models whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Time of one run in seconds [default: 10, with --quick 2]
    #[arg(long, value_name = "SECONDS")]
    budget: Option<u64>,
    /// Time in seconds that SPIN and the C compiler may each take for one verifier [default: 60,
    /// with --quick 15]
    #[arg(long, value_name = "SECONDS")]
    build_limit: Option<u64>,
    /// Number of runs of each variant
    #[arg(long, default_value_t = 1, value_name = "N")]
    repeat: usize,
    /// Only these variants of SPIN, such as pan,pan-collapse
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    only: Vec<String>,
    /// A built `lariat` to use instead of building one
    #[arg(long, value_name = "PROGRAM")]
    lariat: Option<PathBuf>,
    /// Write the page to this file [default: bench/results/wild-DATE-MACHINE.md]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Short runs, without a result file unless --out is given
    #[arg(long)]
    quick: bool,
}

impl Arguments {
    fn budget(&self) -> Duration {
        Duration::from_secs(self.budget.unwrap_or(if self.quick { 2 } else { 10 }))
    }

    fn build_limit(&self) -> Duration {
        Duration::from_secs(self.build_limit.unwrap_or(if self.quick { 15 } else { 60 }))
    }
}

/// True if all counts agree.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let found =
        models::find(std::slice::from_ref(&arguments.directory), arguments.filter.as_deref())?;
    if found.is_empty() {
        return Err("no such model".to_owned());
    }
    spin::ensure_installed()?;
    let program = arguments.lariat.clone().map_or_else(lariat::build, Ok)?;
    let budget = arguments.budget();
    let lariat = Lariat { program, limit: budget + OVERRUN };
    let mut results = Results {
        machine: Machine::observe(Some(&lariat.program)),
        repeats: arguments.repeat.max(1),
        rows: Vec::new(),
        disagreements: Vec::new(),
    };
    for model in &found {
        let row = measure(model, arguments, &lariat, &results);
        results.disagreements.extend(disagreement(&row));
        results.rows.push(row);
    }
    let page = page::page(&results, budget, arguments.build_limit());
    println!("{page}");
    let name = format!("wild-{}.md", results.machine.file_stem());
    let standard = || workspace().join("bench/results").join(name);
    if let Some(path) = arguments.out.clone().or_else(|| (!arguments.quick).then(standard)) {
        write(&path, &page, &results)?;
    }
    Ok(results.disagreements.is_empty())
}

/// Builds the verifiers of a model and runs everything alternately.
fn measure(model: &Model, arguments: &Arguments, lariat: &Lariat, results: &Results) -> Row {
    let memory_megabytes = results.machine.memory_megabytes / 2;
    let (budget, build_limit) = (arguments.budget(), arguments.build_limit());
    let mut cells = Vec::new();
    let mut verifiers: Vec<Option<Verifier>> = Vec::new();
    let mut impossible: Option<String> = None;
    let wanted = |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|n| n == name);
    for name in SPIN.into_iter().filter(|name| wanted(name)) {
        let mut cell = Cell::new(name);
        let variant = spin_runs::VARIANTS.iter().find(|variant| variant.name == name);
        let built = match (&impossible, variant) {
            (Some(message), _) => Err(message.clone()),
            (None, Some(variant)) => {
                Verifier::prepare(*variant, model, memory_megabytes, build_limit).inspect_err(
                    // What fails or takes too long for one variant does for all.
                    |message| impossible = Some(message.clone()),
                )
            }
            (None, None) => Err("unknown variant".to_owned()),
        };
        let ready = built.and_then(|mut verifier| {
            cell.preparation = Some(verifier.preparation);
            verifier.calibrate(budget).map(|()| verifier)
        });
        cell.failure = ready.as_ref().err().cloned();
        verifiers.push(ready.ok());
        cells.push(cell);
    }
    cells.extend(LARIAT.iter().map(|variant| Cell::new(variant.name)));
    let time = format!("{}s", budget.as_secs());
    let memory = format!("{memory_megabytes}M");
    for _ in 0..results.repeats {
        for (index, cell) in cells.iter_mut().enumerate() {
            if cell.failure.is_some() {
                continue;
            }
            let outcome = match verifiers.get_mut(index) {
                Some(Some(verifier)) => verifier.run(Limit::Interrupt(budget)),
                Some(None) => continue,
                None => {
                    let variant = LARIAT[index - verifiers.len()];
                    let limits = ["--time", &time, "--memory", &memory];
                    lariat.check(&model.path, &[variant.arguments, &limits].concat())
                }
            };
            match outcome {
                Ok(sample) => {
                    eprintln!(
                        "{:<40.40} {:<12} {:>10} states {:>8.2} s",
                        model.name, cell.variant, sample.states, sample.wall_seconds
                    );
                    cell.samples.push(sample);
                }
                Err(message) => {
                    eprintln!("{:<40.40} {:<12} failed: {message}", model.name, cell.variant);
                    cell.failure = Some(message);
                }
            }
        }
    }
    Row { model: model.name.clone(), kind: model.kind.clone(), cells }
}

/// If both searches are exhaustive, they have the same states and transitions.
fn disagreement(row: &Row) -> Option<String> {
    let sample = |name| row.cell(name)?.samples.iter().find(|sample| sample.exhaustive);
    let (spin, ours) = (sample(SPIN[0])?, sample(RAW)?);
    let same = is_printed_as(ours.states, spin.states)
        && is_printed_as(ours.transitions, spin.transitions);
    (!same).then(|| {
        format!(
            "{}: pan has {} states, {} transitions; Lariat has {} states, {} transitions",
            row.model, spin.states, spin.transitions, ours.states, ours.transitions
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::results::Sample;

    #[test]
    fn only_exhaustive_searches_are_compared() {
        let cell = |variant, states, exhaustive| Cell {
            variant,
            samples: vec![Sample { states, exhaustive, ..Sample::default() }],
            ..Cell::default()
        };
        let row = |ours| Row {
            model: "m".to_owned(),
            kind: String::new(),
            cells: vec![cell("pan", 7, true), ours],
        };
        assert_eq!(disagreement(&row(cell(RAW, 7, true))), None);
        assert_eq!(disagreement(&row(cell(RAW, 8, false))), None);
        assert!(disagreement(&row(cell(RAW, 8, true))).is_some());
    }
}
