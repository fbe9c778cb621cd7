//! `cargo xtask record`: runs real SPIN on corpus models and writes the results into their headers,
//! so that no expectation is written by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::expectation::{self, Expectation, Kept, Verdict};
use crate::spin::{self, Options, Outcome};

/// SPIN's time limit for one corpus model; these are small.
const LIMIT: Duration = Duration::from_secs(120);

pub fn run(files: &[PathBuf]) -> ExitCode {
    if let Err(message) = spin::ensure_installed() {
        eprintln!("{message}");
        return ExitCode::from(2);
    }
    let mut failed = 0;
    for path in models(files) {
        match record(&path) {
            Ok(summary) => println!("{}: {summary}", path.display()),
            Err(message) => {
                failed += 1;
                println!("{}: not recorded: {message}", path.display());
            }
        }
    }
    if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The given files, and the models below the given directories.
fn models(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        if let Ok(entries) = fs::read_dir(path) {
            let mut inner: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
            inner.sort();
            inner.retain(|path| path.is_dir() || path.extension().is_some_and(|e| e == "pml"));
            found.extend(models(&inner));
        } else {
            found.push(path.clone());
        }
    }
    found
}

fn record(path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let (header, body) = expectation::split(&text);
    let kept = expectation::kept(&header);
    if kept.spin_differs.is_some() {
        return Ok("deliberately different from SPIN: unchanged".to_owned());
    }
    // Unreached lines are counted with the header, whose length depends on the outcome: repeat
    // until the file no longer changes.
    let mut current = text.clone();
    for _ in 0..4 {
        let outcome = spin::check_text(&current, &Options::reference(LIMIT))
            .map_err(|error| error.to_string())?;
        let expectation = expected(outcome, &kept)?;
        let next = format!("{expectation}{body}");
        if next == current {
            if current != text {
                fs::write(path, &current).map_err(|error| error.to_string())?;
            }
            return Ok(summary(&expectation));
        }
        current = next;
    }
    Err("the header does not settle".to_owned())
}

fn expected(outcome: Outcome, kept: &Kept) -> Result<Expectation, String> {
    let mut expectation = Expectation {
        verdict: Verdict::Rejected,
        counts: None,
        unreached: None,
        message: kept.message.clone(),
        spin: Some(spin::VERSION.to_owned()),
        spin_differs: None,
    };
    match outcome {
        Outcome::Rejected(_) if kept.expect_rejected => {}
        Outcome::Rejected(messages) => return Err(format!("SPIN rejects it: {messages}")),
        Outcome::Searched(_) if kept.expect_rejected => {
            return Err("expected to be rejected, but SPIN accepts it".to_owned());
        }
        Outcome::Searched(figures) if figures.truncated => {
            return Err("too deep or too big for SPIN's limits".to_owned());
        }
        Outcome::Searched(figures) => {
            if !figures.fatal {
                expectation.counts = Some((figures.states, figures.transitions));
                expectation.unreached = Some(figures.unreached_lines);
            }
            expectation.verdict = if figures.error_kinds.is_empty() {
                Verdict::Holds
            } else {
                Verdict::Violated(figures.error_kinds)
            };
        }
        Outcome::NotCompiled(messages) => {
            return Err(format!("pan.c does not compile: {messages}"));
        }
        Outcome::OutOfTime => return Err("out of time".to_owned()),
        Outcome::Crashed(how) => return Err(format!("the verifier crashed: {how}")),
    }
    Ok(expectation)
}

fn summary(expectation: &Expectation) -> String {
    let first = expectation.to_string();
    let verdict = first.lines().next().unwrap_or_default().trim_start_matches("// expect: ");
    match expectation.counts {
        Some((states, transitions)) => {
            format!("{verdict}, {states} states, {transitions} transitions")
        }
        None => verdict.to_owned(),
    }
}
