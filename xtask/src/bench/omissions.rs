//! `cargo xtask bench omissions`: estimated and real omissions of `bitstate` and `compact`.
//!
//! An exact run gives the number of states. Each lossy store then gets too little memory, with
//! several seeds, because a single run says little about an expectation. The mean of the real
//! omissions is compared with the mean of the estimates.

use std::ops::Range;
use std::path::PathBuf;

use super::Selection;
use super::lariat_runs::Lariat;
use super::machine::Machine;
use super::models::Model;
use super::results::geometric_mean;
use super::table::{grouped, number, render};

/// An estimate that is too large or too small by this factor is wrong.
const FACTOR: f64 = 3.0;
/// With fewer omissions, the result depends on chance.
const NOTICEABLE: f64 = 10.0;
/// Arguments of an exact run.
const EXACT: &[&str] = &["--raw", "--all-errors", "--store", "packed"];
/// Memory limit of the process; doubled until the search fits.
const FIRST_MEGABYTES: u64 = 24;
const MOST_MEGABYTES: u64 = 1 << 14;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Number of runs, each with another hash function
    #[arg(long, default_value_t = 3, value_name = "N")]
    seeds: u64,
    /// The first seed; the others follow
    #[arg(long, default_value_t = 0, value_name = "SEED")]
    first_seed: u64,
    /// Write the page to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A lossy store, and the arguments that make it omit some of a number of states.
struct Lossy {
    name: &'static str,
    arguments: fn(u64) -> Vec<String>,
}

const STORES: &[Lossy] = &[
    Lossy {
        name: "bitstate, 1 function",
        arguments: |_| strings(&["--store", "bitstate", "--hash-functions", "1"]),
    },
    Lossy {
        name: "bitstate, 3 functions",
        arguments: |_| strings(&["--store", "bitstate", "--hash-functions", "3"]),
    },
    // Of n states with hashes of b bits, about n² / 2^(b+1) collide with others: here about 2^8.
    Lossy {
        name: "compact",
        arguments: |states| {
            let bits = (2 * states.max(2).ilog2()).saturating_sub(9).clamp(8, 64);
            strings(&["--store", "compact", "--hash-bits", &bits.to_string()])
        },
    },
];

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Means over the seeds.
struct Finding {
    states: u64,
    estimated: f64,
    omitted: f64,
    megabytes: u64,
}

pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let models = arguments.selection.find(None)?;
    let lariat = arguments.selection.build_lariat()?;
    let machine = Machine::observe(Some(&lariat.program));
    let seeds = arguments.first_seed..arguments.first_seed + arguments.seeds.max(1);
    let mut rows = Vec::new();
    let mut wrong = 0;
    let mut factors = vec![Vec::new(); STORES.len()];
    for model in &models {
        let exact = lariat.check(&model.path, EXACT)?.states;
        for (store, factors) in STORES.iter().zip(&mut factors) {
            let finding = match study(model, exact, store, &lariat, seeds.clone()) {
                Ok(finding) => finding,
                Err(message) => {
                    wrong += 1;
                    eprintln!("{}, {}: failed: {message}", model.name, store.name);
                    continue;
                }
            };
            let factor = finding.estimated.max(1e-9) / finding.omitted.max(1e-9);
            let counts = finding.omitted.max(finding.estimated) >= NOTICEABLE;
            let good = !counts || (1.0 / FACTOR..=FACTOR).contains(&factor);
            wrong += usize::from(!good);
            if counts {
                factors.push(factor);
            }
            eprintln!(
                "{}, {}: {} omitted, {} expected",
                model.name, store.name, finding.omitted, finding.estimated
            );
            rows.push(vec![
                model.name.clone(),
                store.name.to_owned(),
                grouped(finding.states),
                finding.megabytes.to_string(),
                number(Some(finding.omitted)),
                number(Some(finding.estimated)),
                if counts { number(Some(factor)) } else { "too few".to_owned() },
                if good { "yes" } else { "NO" }.to_owned(),
            ]);
        }
    }
    let headings =
        ["model", "store", "states", "MB", "omitted", "expected", "expected / omitted", "within 3"];
    let means = STORES.iter().zip(&factors).map(|(store, factors)| {
        let (least, most) =
            factors.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), factor| {
                (least.min(*factor), most.max(*factor))
            });
        format!(
            "- {}: expected / omitted {} in geometric mean over {} models, from {} to {}\n",
            store.name,
            number(geometric_mean(factors)),
            factors.len(),
            number(Some(least).filter(|least| least.is_finite())),
            number(Some(most))
        )
    });
    let page = format!(
        "# Omissions, {}\n\n{}States that `bitstate` and `compact` left out, known from an exact run, and what they said they expect to have left out \
         (`cargo xtask bench omissions`); means over the seeds {} to {}. Below {NOTICEABLE} chance decides.\n\n{}\n{}",
        machine.date,
        machine.setting(1),
        seeds.start,
        seeds.end - 1,
        render(&headings, &rows),
        means.collect::<String>()
    );
    println!("{page}");
    if let Some(path) = &arguments.out {
        std::fs::write(path, page).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(wrong == 0)
}

/// Precondition: there are `seeds`.
fn study(
    model: &Model,
    exact: u64,
    store: &Lossy,
    lariat: &Lariat,
    seeds: Range<u64>,
) -> Result<Finding, String> {
    let count = (seeds.end - seeds.start) as f64;
    let mut finding =
        Finding { states: exact, estimated: 0.0, omitted: 0.0, megabytes: FIRST_MEGABYTES };
    let mut seed = seeds.start;
    while seed < seeds.end {
        let mut words =
            strings(&["--raw", "--all-errors", "--threads", "1", "--seed", &seed.to_string()]);
        words.extend((store.arguments)(exact));
        words.extend(strings(&["--memory", &format!("{}M", finding.megabytes)]));
        let sample = lariat.check(&model.path, &words)?;
        // The frontier did not fit in memory: repeat all seeds with more.
        if sample.reason.as_ref().is_some_and(|reason| reason.contains("limit")) {
            finding.megabytes *= 2;
            if finding.megabytes > MOST_MEGABYTES {
                return Err("does not fit in memory".to_owned());
            }
            (seed, finding.estimated, finding.omitted) = (seeds.start, 0.0, 0.0);
            continue;
        }
        let estimate = sample.details.get("expected_omissions").and_then(serde_json::Value::as_f64);
        finding.estimated += estimate.ok_or("no estimate in the report")? / count;
        finding.omitted += (exact as f64 - sample.states as f64) / count;
        seed += 1;
    }
    Ok(finding)
}
