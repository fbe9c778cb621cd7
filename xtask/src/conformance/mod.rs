//! `cargo xtask conformance DIR`: compares every model of a directory with recorded figures of
//! SPIN; with `--properties`, with SPIN itself.

mod properties;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::lariat::{Outcome, Tool};
use crate::reference::{self, Row, TABLE};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Directory with the models and expected.csv
    directory: PathBuf,
    /// Time limit of one model in seconds
    #[arg(long, default_value_t = 120)]
    time: u64,
    /// Only models whose path contains this text
    #[arg(long)]
    filter: Option<String>,
    /// Only models with at most this number of states in the table
    #[arg(long)]
    max_states: Option<u64>,
    /// Number of models checked in parallel
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Compare the verdicts on the models' own properties, by every search, with those of `pan -a`
    #[arg(long)]
    properties: bool,
    /// With `--properties`: under weak process fairness, `pan -f`
    #[arg(long, requires = "properties")]
    fairness: bool,
    /// A built `lariat` to use instead of building one
    #[arg(long)]
    lariat: Option<PathBuf>,
    /// Options for `lariat check`, such as `-- --threads 2 --store interned`
    #[arg(last = true)]
    options: Vec<String>,
}

enum Finding {
    Same,
    OutOfTime,
    Different(String),
}

pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.properties {
        return match properties::run(arguments) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(message) => {
                eprintln!("{message}");
                ExitCode::from(2)
            }
        };
    }
    let limit = Duration::from_secs(arguments.time);
    let prepared = reference::read(&arguments.directory.join(TABLE)).and_then(|rows| {
        Ok((rows, Tool::new(arguments.lariat.clone(), limit)?.with_options(&arguments.options)))
    });
    let (mut rows, tool) = match prepared {
        Ok(prepared) => prepared,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    rows.retain(|row| {
        arguments.filter.as_ref().is_none_or(|text| row.file.contains(text))
            && arguments.max_states.is_none_or(|limit| row.states <= limit)
    });

    let next = AtomicUsize::new(0);
    let findings = Mutex::new((0, Vec::new(), Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let finding = compare(row, &tool, &arguments.directory);
                    let seconds = start.elapsed().as_secs_f64();
                    let mut findings = findings.lock().expect("no checker panics");
                    match finding {
                        Finding::Same => findings.0 += 1,
                        Finding::OutOfTime => findings.1.push(row.file.clone()),
                        Finding::Different(how) => {
                            println!("{}: {how} ({seconds:.1} s)", row.file);
                            findings.2.push(row.file.clone());
                        }
                    }
                }
            });
        }
    });
    let (same, out_of_time, different) = findings.into_inner().expect("no checker panics");
    for file in &out_of_time {
        println!("{file}: out of time");
    }
    println!(
        "{} models: {same} agree, {} differ, {} out of time",
        rows.len(),
        different.len(),
        out_of_time.len()
    );
    if different.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn compare(row: &Row, tool: &Tool, directory: &Path) -> Finding {
    let path = directory.join(&row.file);
    let found = match tool.check_file(&path) {
        Ok(Outcome::Searched(found)) => found,
        Ok(Outcome::OutOfTime | Outcome::Inconclusive(_)) => return Finding::OutOfTime,
        Ok(Outcome::Rejected(message)) => {
            return Finding::Different(format!("rejected: {}", first_lines(&message)));
        }
        Ok(Outcome::Crashed(message)) => {
            return Finding::Different(format!("crashed: {}", first_lines(&message)));
        }
        Err(error) => return Finding::Different(error.to_string()),
    };
    let mut differences = Vec::new();
    if found.states != row.states {
        differences.push(format!("{} states, SPIN has {}", found.states, row.states));
    }
    if found.transitions != row.transitions {
        differences
            .push(format!("{} transitions, SPIN has {}", found.transitions, row.transitions));
    }
    if found.error_kinds != row.error_kinds {
        differences.push(format!("errors {:?}, SPIN has {:?}", found.error_kinds, row.error_kinds));
    }
    if differences.is_empty() { Finding::Same } else { Finding::Different(differences.join("; ")) }
}

fn first_lines(message: &str) -> String {
    message.lines().take(4).map(str::trim).collect::<Vec<_>>().join(" | ")
}
