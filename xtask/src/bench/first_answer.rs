//! `cargo xtask bench first-answer`: the time from the start of the command to the answer on small
//! models. Compares the command `lariat` with `spin -a`, the C compiler and `./pan`, run
//! alternately; reports medians of wall times.

use super::Selection;
use super::machine::Machine;
use super::measure;
use super::table::render;
use crate::lariat::workspace;
use crate::spin::{self, PrivateDirectory};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Targets: the time to the answer, and the factor by which SPIN's commands take longer.
const AIM_MILLISECONDS: f64 = 50.0;
const AIM_FACTOR: f64 = 20.0;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Number of runs
    #[arg(long, default_value_t = 11, value_name = "N")]
    repeat: usize,
    /// Write the page to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<bool, String> {
    spin::ensure_installed()?;
    let lariat = arguments.selection.build_lariat()?;
    let limit = Duration::from_secs(arguments.selection.limit);
    let machine = Machine::observe(Some(&lariat.program));
    let mut rows = Vec::new();
    let mut good = true;
    for model in models(&arguments.selection)? {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..arguments.repeat.max(1) {
            ours.push(timed(Command::new(&lariat.program).arg("check").arg(&model), limit)?);
            theirs.push(with_spin(&model, limit)?);
        }
        let (ours, theirs) = (median(&mut ours), median(&mut theirs));
        let reached = ours * 1e3 < AIM_MILLISECONDS && theirs / ours >= AIM_FACTOR;
        good &= reached;
        rows.push(vec![
            model.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            format!("{:.1}", ours * 1e3),
            format!("{:.0}", theirs * 1e3),
            format!("{:.0}", theirs / ours),
            if reached { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    let page = format!(
        "# The first answer, {}\n\n{}From the start of the command to its end on the models of `examples/`, in milliseconds. Aim: under {AIM_MILLISECONDS} ms, and at least {AIM_FACTOR} times as fast.\n\n{}",
        machine.date,
        machine.setting(arguments.repeat.max(1)),
        render(&["model", "lariat ms", "spin, cc, pan ms", "times", "aim"], &rows)
    );
    println!("{page}");
    if let Some(path) = &arguments.out {
        std::fs::write(path, page).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(good)
}

/// The examples, unless other models are selected.
fn models(selection: &Selection) -> Result<Vec<PathBuf>, String> {
    let standard = [workspace().join("examples")];
    let places = if selection.models.is_empty() { &standard[..] } else { &selection.models };
    let mut found = Vec::new();
    for place in places {
        if place.is_file() {
            found.push(place.clone());
            continue;
        }
        let entries =
            std::fs::read_dir(place).map_err(|error| format!("{}: {error}", place.display()))?;
        let files = entries.flatten().map(|entry| entry.path());
        found.extend(
            files.filter(|path| path.extension().is_some_and(|extension| extension == "pml")),
        );
    }
    let wanted = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        selection.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()))
    };
    found.retain(wanted);
    found.sort();
    if found.is_empty() { Err("no such model".to_owned()) } else { Ok(found) }
}

/// The three commands as in SPIN's manual, without optimisation in the C compiler: the fastest way
/// to an answer.
fn with_spin(model: &Path, limit: Duration) -> Result<f64, String> {
    let place = PrivateDirectory::new().map_err(|error| error.to_string())?;
    let model = std::path::absolute(model).map_err(|error| error.to_string())?;
    let mut seconds = 0.0;
    seconds += timed(Command::new("spin").arg("-a").arg(&model).current_dir(&place.path), limit)?;
    let compile = ["-w", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"];
    seconds += timed(Command::new("cc").args(compile).current_dir(&place.path), limit)?;
    if !place.path.join("pan").exists() {
        return Err(format!("SPIN makes no verifier of {}", model.display()));
    }
    seconds += timed(Command::new(place.path.join("pan")).current_dir(&place.path), limit)?;
    Ok(seconds)
}

fn timed(command: &mut Command, limit: Duration) -> Result<f64, String> {
    let measured = measure::run(command, limit).map_err(|error| error.to_string())?;
    // A violated property is also an answer.
    match measured.status.code() {
        Some(0 | 1) if !measured.out_of_time => Ok(measured.wall_seconds),
        _ => Err(measured.complaint()),
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
