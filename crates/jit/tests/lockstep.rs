//! Compiled code makes exactly the steps of the interpreter on every model of the corpus: with the
//! layout of a first exploration, and with a layout for the initial states only, which must be
//! widened many times.

mod support;

use lariat_ir::Interpreter;
use lariat_ir::layout::Profile;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{ALL, load, lockstep, models};

#[test]
fn corpus_with_explored_layout() {
    run(&corpus(), 20_000, false);
}

#[test]
fn corpus_with_initial_layout() {
    run(&corpus(), 2_000, true);
}

/// Other models: environment variables give the folder and the number of states.
#[test]
#[ignore = "needs models that are not part of the repository"]
fn models_of_the_environment() {
    let folder = std::env::var("LOCKSTEP_MODELS").expect("LOCKSTEP_MODELS names a folder");
    let limit =
        std::env::var("LOCKSTEP_STATES").ok().and_then(|limit| limit.parse().ok()).unwrap_or(5_000);
    run(&models(Path::new(&folder)), limit, std::env::var("LOCKSTEP_INITIAL_LAYOUT").is_ok());
}

fn corpus() -> Vec<std::path::PathBuf> {
    let found = models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"));
    assert!(!found.is_empty(), "the corpus is empty");
    found
}

fn run(paths: &[std::path::PathBuf], limit: usize, initial_layout: bool) {
    let next = AtomicUsize::new(0);
    let report = Mutex::new((Vec::new(), 0, 0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result =
                        std::panic::catch_unwind(|| compare_engines(path, limit, initial_layout));
                    let mut report = report.lock().expect("no panic");
                    match result {
                        Ok(Ok((states, fallbacks))) => {
                            report.1 += states;
                            report.2 += fallbacks;
                            if fallbacks > 0 {
                                println!(
                                    "{}: {fallbacks} needless fallbacks in {states} states",
                                    path.display()
                                );
                            }
                        }
                        Ok(Err(difference)) => {
                            report.0.push(format!("{}: {difference}", path.display()))
                        }
                        Err(_) => report.0.push(format!("{}: panicked", path.display())),
                    }
                }
            });
        }
    });
    let (failures, states, fallbacks) = report.into_inner().expect("no panic");
    println!("{states} states, {fallbacks} needless fallbacks");
    assert!(
        failures.is_empty(),
        "{} of {} models differ\n{}",
        failures.len(),
        paths.len(),
        failures.join("\n")
    );
    assert!(states > 0, "no state was explored");
}

fn compare_engines(
    path: &Path,
    limit: usize,
    initial_layout: bool,
) -> Result<(usize, usize), String> {
    let Some(program) = load(path) else { return Ok((0, 0)) };
    let interpreter = Interpreter::new(&program);
    let profile = match initial_layout {
        false => Profile::sample(&interpreter).map(|sample| sample.profile),
        true => interpreter.initial_states().map(|states| Profile::initial(&program, &states)),
    };
    // An error in the initial state: there is nothing to compare.
    let Ok(profile) = profile else { return Ok((0, 0)) };
    let stats = lockstep(&program, profile, &ALL, limit)?;
    Ok((stats.states, stats.needless_fallbacks))
}
