//! `cargo xtask bench omissions`: what `bitstate` and `compact` say they left out, against what they did.
//!
//! An exact run gives the number of states; each lossy store is then given so little that some are missed, with
//! several seeds, because a single run says little about an expectation. The mean of the true omissions is
//! compared with the mean of the estimates.

use super::Selection;
use super::lariat_runs::Lariat;
use super::models::Model;
use super::results::{Sample, geometric_mean};
use super::table::{grouped, number, render};

/// An estimate this many times too large or too small counts as wrong.
const FACTOR: f64 = 3.0;
/// Below so many omissions chance decides, not the estimate.
const NOTICEABLE: f64 = 10.0;
/// Arguments of an exact run.
const EXACT: &[&str] = &["--raw", "--all-errors", "--store", "packed"];

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Bits of memory for each state of `bitstate`
    #[arg(long, default_value_t = 8, value_name = "BITS")]
    bits: u64,
    /// Runs with different hash functions
    #[arg(long, default_value_t = 3, value_name = "N")]
    seeds: u64,
}

/// A lossy store and the arguments that make it lose some of `states` states.
struct Lossy {
    name: &'static str,
    arguments: fn(u64, u64) -> Vec<String>,
}

const STORES: &[Lossy] = &[
    Lossy {
        name: "bitstate",
        arguments: |states, bits| strings(&["--store", "bitstate", "--bits", &(states * bits).to_string()]),
    },
    // n states in hashes of b bits: some n² / 2^(b+1) are taken for others.
    Lossy {
        name: "compact",
        arguments: |states, _| {
            let bits = (2 * states.max(2).ilog2()).saturating_sub(9).max(16);
            strings(&["--store", "compact", "--hash-bits", &bits.to_string()])
        },
    },
];

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let models = arguments.selection.find(None)?;
    let lariat = arguments.selection.build_lariat()?;
    let mut rows = Vec::new();
    let mut wrong = 0;
    for store in STORES {
        let mut factors = Vec::new();
        for model in &models {
            match study(model, store, &lariat, arguments) {
                Ok((states, estimated, omitted)) => {
                    let factor = estimated.max(1e-9) / omitted.max(1e-9);
                    let counts = omitted.max(estimated) >= NOTICEABLE;
                    let good = !counts || (1.0 / FACTOR..=FACTOR).contains(&factor);
                    wrong += usize::from(!good);
                    if counts {
                        factors.push(factor);
                    }
                    eprintln!("{} {}: {omitted} omitted, {estimated} expected", model.name, store.name);
                    rows.push(vec![
                        model.name.clone(),
                        store.name.to_owned(),
                        grouped(states),
                        number(Some(omitted)),
                        number(Some(estimated)),
                        if counts { number(Some(factor)) } else { "too few".to_owned() },
                        if good { "yes" } else { "NO" }.to_owned(),
                    ]);
                }
                Err(message) => {
                    wrong += 1;
                    eprintln!("{} {}: failed: {message}", model.name, store.name);
                }
            }
        }
        println!("{}: estimate / truth {} in geometric mean", store.name, number(geometric_mean(&factors)));
    }
    let headings = ["model", "store", "states", "omitted", "expected", "expected / omitted", "within 3"];
    println!("{}", render(&headings, &rows));
    Ok(wrong == 0)
}

/// States of the exact run, mean estimate and mean of the true omissions.
fn study(
    model: &Model,
    store: &Lossy,
    lariat: &Lariat,
    arguments: &Arguments,
) -> Result<(u64, f64, f64), String> {
    let exact = lariat.check(&model.path, EXACT)?.states;
    let (mut estimated, mut omitted) = (0.0, 0.0);
    for seed in 0..arguments.seeds.max(1) {
        let mut words = strings(&["--raw", "--all-errors", "--threads", "1", "--seed", &seed.to_string()]);
        words.extend((store.arguments)(exact, arguments.bits));
        let sample = lariat.check(&model.path, &words)?;
        estimated += estimate(&sample).ok_or("no estimate in the report")?;
        omitted += exact as f64 - sample.states as f64;
    }
    let runs = arguments.seeds.max(1) as f64;
    Ok((exact, estimated / runs, omitted / runs))
}

fn estimate(sample: &Sample) -> Option<f64> {
    sample.details.get("expected_omissions")?.as_f64()
}
