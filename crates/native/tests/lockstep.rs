//! The machine code makes exactly the steps the interpreter makes: on every model of the corpus, with a layout made after a look
//! around and with one that knows only the initial states and must be widened again and again.

mod support;

use model::Interpreter;
use model::layout::Profile;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{load, lockstep, models};

#[test]
fn after_a_look_around() {
    run(&corpus(), 20_000, false);
}

#[test]
fn knowing_only_the_initial_states() {
    run(&corpus(), 2_000, true);
}

/// Any other models: the folder and the number of states come from the environment.
#[test]
#[ignore = "needs models that are not part of the repository"]
fn elsewhere() {
    let folder = std::env::var("LOCKSTEP_MODELS").expect("LOCKSTEP_MODELS names a folder");
    let limit = std::env::var("LOCKSTEP_STATES").ok().and_then(|limit| limit.parse().ok()).unwrap_or(5_000);
    run(&models(Path::new(&folder)), limit, std::env::var("LOCKSTEP_TINY").is_ok());
}

fn corpus() -> Vec<std::path::PathBuf> {
    let found = models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"));
    assert!(!found.is_empty(), "the corpus is empty");
    found
}

fn run(paths: &[std::path::PathBuf], limit: usize, tiny: bool) {
    let next = AtomicUsize::new(0);
    let report = Mutex::new((Vec::new(), 0, 0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = std::panic::catch_unwind(|| one(path, limit, tiny));
                    let mut report = report.lock().expect("no panic");
                    match result {
                        Ok(Ok((states, asked))) => {
                            report.1 += states;
                            report.2 += asked;
                            if asked > 0 {
                                println!("{}: needlessly asked about {asked} of {states}", path.display());
                            }
                        }
                        Ok(Err(difference)) => report.0.push(format!("{}: {difference}", path.display())),
                        Err(_) => report.0.push(format!("{}: panicked", path.display())),
                    }
                }
            });
        }
    });
    let (failures, states, asked) = report.into_inner().expect("no panic");
    println!("{states} states, the interpreter was needlessly asked about {asked}");
    assert!(
        failures.is_empty(),
        "{} of {} models differ\n{}",
        failures.len(),
        paths.len(),
        failures.join("\n")
    );
    assert!(states > 0, "nothing was walked");
}

fn one(path: &Path, limit: usize, tiny: bool) -> Result<(usize, usize), String> {
    let Some(program) = load(path) else { return Ok((0, 0)) };
    let interpreter = Interpreter::new(&program);
    let profile = match tiny {
        false => Profile::first_look(&interpreter).map(|look| look.profile),
        true => interpreter.initial_states().map(|states| Profile::initial(&program, &states)),
    };
    // An error in the initial state: there is nothing to compare.
    let Ok(profile) = profile else { return Ok((0, 0)) };
    let walked = lockstep(&program, profile, limit)?;
    Ok((walked.states, walked.needlessly_asked))
}
