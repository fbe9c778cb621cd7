//! `cargo xtask bench`: Lariat and real SPIN on the same models, in one run on one machine.
//!
//! The variants are run alternately (A B C, A B C, …), so that a change of the machine's speed
//! affects all of them. Medians are reported.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::lariat::{self, workspace};
use crate::pan::is_printed_as;
use crate::spin;
use lariat_runs::Lariat;
use machine::Machine;
use models::Model;
use results::{Cell, Results, Row};
use spin_runs::Verifier;

mod cache;
mod deepening;
mod first_answer;
mod lariat_runs;
mod liveness;
mod machine;
mod measure;
mod models;
mod omissions;
mod preparation;
mod record;
mod report;
mod results;
mod spin_runs;
mod summary;
mod table;
mod wild;

/// `--quick` leaves out models with more states.
const QUICK_STATES: u64 = 2_000_000;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    study: Option<Study>,
    #[command(flatten)]
    comparison: Comparison,
}

#[derive(Debug, clap::Subcommand)]
enum Study {
    /// Compare the omissions that `bitstate` and `compact` estimate with the real ones
    Omissions(omissions::Arguments),
    /// Time to the answer on small models
    FirstAnswer(first_answer::Arguments),
    /// Count repeated insertions of the bounded `cache` store
    Cache(cache::Arguments),
    /// Check formulas about the models with Lariat and with `pan -a`
    Liveness(liveness::Arguments),
    /// All models of a directory beside four verifiers of SPIN, within a time budget per run
    Wild(wild::Arguments),
    /// Run SPIN once and write states, depth and vector size into the models' headers
    Record(record::Arguments),
}

/// The models and the program: common to all studies.
#[derive(Debug, clap::Args)]
struct Selection {
    /// Directories of models, or models [default: bench/models]
    #[arg(long, num_args = 1.., value_name = "DIR")]
    models: Vec<PathBuf>,
    /// Only models whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only models with at most this number of states, according to their headers
    #[arg(long, value_name = "STATES")]
    max_states: Option<u64>,
    /// Time limit of one run in seconds
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    limit: u64,
    /// A built `lariat` to use instead of building one
    #[arg(long, value_name = "PROGRAM")]
    lariat: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct Comparison {
    #[command(flatten)]
    selection: Selection,
    /// Number of runs of each variant
    #[arg(long, default_value_t = 3, value_name = "N")]
    repeat: usize,
    /// Only these variants, such as pan,packed
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    only: Vec<String>,
    /// Write the page to this file [default: bench/results/DATE-MACHINE.md]; the raw samples are
    /// written as JSON to target/bench
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// One run of the smaller models, without a result file unless --out is given
    #[arg(long)]
    quick: bool,
}

impl Selection {
    fn find(&self, at_most: Option<u64>) -> Result<Vec<Model>, String> {
        let standard = [workspace().join("bench/models")];
        let places: &[PathBuf] = if self.models.is_empty() { &standard } else { &self.models };
        let bound = self.max_states.or(at_most).unwrap_or(u64::MAX);
        let mut found = models::find(places, self.filter.as_deref())?;
        found.retain(|model| model.expected_states() <= bound);
        if found.is_empty() { Err("no such model".to_owned()) } else { Ok(found) }
    }

    fn build_lariat(&self) -> Result<Lariat, String> {
        let program = match &self.lariat {
            Some(program) => program.clone(),
            None => lariat::build()?,
        };
        Ok(Lariat { program, limit: Duration::from_secs(self.limit) })
    }
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let outcome = match &arguments.study {
        Some(Study::Omissions(arguments)) => omissions::run(arguments),
        Some(Study::FirstAnswer(arguments)) => first_answer::run(arguments),
        Some(Study::Cache(arguments)) => cache::run(arguments),
        Some(Study::Liveness(arguments)) => liveness::run(arguments),
        Some(Study::Wild(arguments)) => wild::run(arguments),
        Some(Study::Record(arguments)) => record::run(arguments),
        None => compare(&arguments.comparison),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// The comparison with SPIN; true if all runs ended and agree.
fn compare(arguments: &Comparison) -> Result<bool, String> {
    let models = arguments.selection.find(arguments.quick.then_some(QUICK_STATES))?;
    let known: Vec<&str> = spin_runs::VARIANTS
        .iter()
        .map(|variant| variant.name)
        .chain(lariat_runs::VARIANTS.iter().map(|variant| variant.name))
        .collect();
    if let Some(name) = arguments.only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("there is no variant {name}; there are {}", known.join(", ")));
    }
    let wanted =
        |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
    let spin_variants: Vec<_> =
        spin_runs::VARIANTS.iter().copied().filter(|variant| wanted(variant.name)).collect();
    let lariat_variants: Vec<_> =
        lariat_runs::VARIANTS.iter().copied().filter(|variant| wanted(variant.name)).collect();
    if !spin_variants.is_empty() {
        spin::ensure_installed()?;
    }
    let lariat =
        if lariat_variants.is_empty() { None } else { Some(arguments.selection.build_lariat()?) };
    let mut results = Results {
        machine: Machine::observe(lariat.as_ref().map(|lariat| lariat.program.as_path())),
        repeats: if arguments.quick { 1 } else { arguments.repeat.max(1) },
        rows: Vec::new(),
        disagreements: Vec::new(),
    };
    let limit = Duration::from_secs(arguments.selection.limit);
    for model in &models {
        let sides =
            Sides { spin: &spin_variants, lariat: lariat.as_ref().zip(Some(&lariat_variants)) };
        let row = measure_model(model, &sides, &results, limit);
        for disagreement in disagreements(model, &row) {
            eprintln!("DIFFERENT: {disagreement}");
            results.disagreements.push(disagreement);
        }
        results.rows.push(row);
    }
    let page = report::page(&results);
    println!("{page}");
    let standard = || workspace().join("bench/results").join(results.machine.file_stem() + ".md");
    if let Some(path) = arguments.out.clone().or_else(|| (!arguments.quick).then(standard)) {
        write(&path, &page, &results)?;
    }
    Ok(results.disagreements.is_empty() && results.failures().is_empty())
}

/// The variants of both tools; `lariat` is `None` if only SPIN is measured.
struct Sides<'a> {
    spin: &'a [spin_runs::Variant],
    lariat: Option<(&'a Lariat, &'a Vec<lariat_runs::Variant>)>,
}

fn measure_model(model: &Model, sides: &Sides<'_>, results: &Results, limit: Duration) -> Row {
    let memory_megabytes = results.machine.memory_megabytes * 9 / 10;
    let mut cells = Vec::new();
    let mut verifiers = Vec::new();
    for &variant in sides.spin {
        let mut cell = Cell::new(variant.name);
        match Verifier::prepare(variant, model, memory_megabytes, preparation::LIMIT) {
            Ok(verifier) => {
                cell.preparation = Some(verifier.preparation);
                verifiers.push(Some(verifier));
            }
            Err(message) => {
                cell.failure = Some(message);
                verifiers.push(None);
            }
        }
        cells.push(cell);
    }
    let lariat_variants = sides.lariat.map_or(&[][..], |(_, variants)| variants.as_slice());
    cells.extend(lariat_variants.iter().map(|variant| Cell::new(variant.name)));

    for _ in 0..results.repeats {
        for (index, cell) in cells.iter_mut().enumerate() {
            // A variant that failed once would fail again, after the whole time limit.
            if cell.failure.is_some() {
                continue;
            }
            let outcome = match (verifiers.get_mut(index), sides.lariat) {
                (Some(Some(verifier)), _) => verifier.run(measure::Limit::Kill(limit)),
                (None, Some((lariat, variants))) => {
                    lariat.check(&model.path, variants[index - verifiers.len()].arguments)
                }
                _ => continue,
            };
            match outcome {
                Ok(sample) => {
                    eprintln!(
                        "{:<22} {:<13} {:>10} states {:>8.2} s {:>8.2} s processor {:>7} MB",
                        model.name,
                        cell.variant,
                        sample.states,
                        sample.wall_seconds,
                        sample.processor_seconds,
                        sample.peak_bytes >> 20
                    );
                    cell.samples.push(sample);
                }
                Err(message) => {
                    eprintln!("{:<22} {:<13} failed: {message}", model.name, cell.variant);
                    cell.failure = Some(message);
                }
            }
        }
    }
    Row { model: model.name.clone(), kind: model.kind.clone(), cells }
}

/// Exact variants must agree with each other and with the header in states, transitions and
/// verdict, in every repeat.
fn disagreements(model: &Model, row: &Row) -> Vec<String> {
    let exact = |name: &str| {
        name == "pan"
            || lariat_runs::VARIANTS.iter().any(|variant| variant.exact && variant.name == name)
    };
    let mut found = Vec::new();
    let mut reference: Option<(&str, &results::Sample)> = None;
    for cell in row.cells.iter().filter(|cell| exact(cell.variant)) {
        for sample in &cell.samples {
            let (name, first) = *reference.get_or_insert((cell.variant, sample));
            let same = is_printed_as(sample.states, first.states)
                && is_printed_as(sample.transitions, first.transitions)
                && sample.verdict == first.verdict;
            if !same {
                found.push(format!(
                    "{}: {} has {} states, {} transitions, {}; {name} has {} states, {} transitions, {}",
                    model.name,
                    cell.variant,
                    sample.states,
                    sample.transitions,
                    sample.verdict,
                    first.states,
                    first.transitions,
                    first.verdict
                ));
                break;
            }
        }
    }
    if let (Some((name, sample)), Some(figures)) = (reference, model.figures)
        && !is_printed_as(figures.states, sample.states)
    {
        found.push(format!(
            "{}: {name} has {} states, the header says {}",
            model.name, sample.states, figures.states
        ));
    }
    found
}

/// Writes the page to `path`, and the samples as JSON to `target/bench`, outside version control.
fn write(path: &Path, page: &str, results: &Results) -> Result<(), String> {
    let json = serde_json::to_string_pretty(&results.json()).map_err(|error| error.to_string())?;
    let name = Path::new(path.file_stem().unwrap_or_default()).with_extension("json");
    let samples = crate::lariat::target_directory().join("bench").join(name);
    for (path, text) in [(path, page), (&samples, &json)] {
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).map_err(fail)?;
        fs::write(path, text).map_err(fail)?;
        eprintln!("written: {}", path.display());
    }
    Ok(())
}
