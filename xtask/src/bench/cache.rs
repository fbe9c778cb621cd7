//! `cargo xtask bench cache`: state-space caching with too little memory.
//!
//! Jard and Jéron found that a depth-first search that remembers less than half of the states still ends, with
//! few of them visited twice. Here the store may hold a share of the states of an exact run; reported are the
//! verdict, how often a state was inserted, and how often one that was there was entered again for successors that had slept. Both
//! together count: either costs an expansion.

use serde_json::Value;

use super::Selection;
use super::lariat_runs::Lariat;
use super::models::Model;
use super::results::{Sample, geometric_mean};
use super::table::{grouped, number, render};

/// More insertions and entries than this many times the states count as a failure.
const FACTOR: f64 = 2.0;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Percentage of the states that may be remembered
    #[arg(long, default_value_t = 40, value_name = "PERCENT")]
    share: u64,
    /// Which states are replaced
    #[arg(long, default_value = "layers", value_name = "POLICY")]
    replace: String,
    /// Without sleep sets
    #[arg(long)]
    no_sleep_sets: bool,
}

pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let models = arguments.selection.find(None)?;
    let lariat = arguments.selection.build_lariat()?;
    let mut rows = Vec::new();
    let mut factors = Vec::new();
    let mut wrong = 0;
    for model in &models {
        match study(model, &lariat, arguments) {
            Ok((exact, cached)) => {
                let share = |name| figure(&cached, name).map(|figure| figure as f64 / exact.states as f64);
                let (factor, entries) = (share("insertions"), share("reentries"));
                let work = factor.zip(entries).map(|(factor, entries)| factor + entries);
                let good = cached.verdict == exact.verdict && work.is_some_and(|work| work < FACTOR);
                wrong += usize::from(!good);
                factors.extend(factor);
                eprintln!("{}: {}, {} insertions a state", model.name, cached.verdict, number(factor));
                rows.push(vec![
                    model.name.clone(),
                    model.kind.clone(),
                    grouped(exact.states),
                    grouped(exact.depth),
                    exact.verdict,
                    cached.verdict,
                    number(factor),
                    number(entries),
                    number(Some(cached.wall_seconds / exact.wall_seconds)),
                    if good { "yes" } else { "NO" }.to_owned(),
                ]);
            }
            Err(message) => {
                wrong += 1;
                eprintln!("{}: failed: {message}", model.name);
                let mut row = vec![model.name.clone(), model.kind.clone()];
                row.extend(["–"; 7].map(str::to_owned));
                row.push("failed".to_owned());
                rows.push(row);
            }
        }
    }
    let headings = [
        "model",
        "kind",
        "states",
        "depth",
        "exact",
        "cache",
        "insertions / states",
        "entered again / states",
        "time / time",
        "good",
    ];
    println!("{}", render(&headings, &rows));
    println!("insertions / states: {} in geometric mean", number(geometric_mean(&factors)));
    Ok(wrong == 0)
}

fn study(model: &Model, lariat: &Lariat, arguments: &Arguments) -> Result<(Sample, Sample), String> {
    let common = ["--raw", "--all-errors", "--threads", "1", "--store"];
    let exact = lariat.check(&model.path, &[&common[..], &["packed"]].concat())?;
    let states = (exact.states * arguments.share / 100).max(1).to_string();
    let cached = [&common[..], &["cache", "--cache-states", &states, "--replace", &arguments.replace]];
    let mut cached = cached.concat();
    cached.extend(arguments.no_sleep_sets.then_some("--no-sleep-sets"));
    let cached = lariat.check(&model.path, &cached)?;
    Ok((exact, cached))
}

fn figure(sample: &Sample, name: &str) -> Option<u64> {
    sample.details.get(name).and_then(Value::as_u64)
}
