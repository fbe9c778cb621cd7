//! `cargo xtask bench cache`: state-space caching with too little memory.
//!
//! Jard and Jéron found that a depth-first search that remembers less than half of the states still
//! terminates and revisits few of them. The study limits the store to a share of the states of an
//! exact run. It reports the verdict, the number of insertions, and the number of times a stored
//! state was re-entered to expand successors that were asleep; each costs an expansion. A run with
//! unlimited memory measures the stack.

use std::path::PathBuf;

use serde_json::Value;

use super::Selection;
use super::lariat_runs::Lariat;
use super::machine::Machine;
use super::models::Model;
use super::results::{Sample, geometric_mean};
use super::table::{grouped, number, render};

/// The run fails if insertions and re-entries exceed this multiple of the number of states.
const FACTOR: f64 = 2.0;
/// Models with fewer states are shown but not judged.
const TINY: u64 = 100;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Percentage of the states that fit in memory
    #[arg(long, default_value_t = 10, value_name = "PERCENT")]
    share: u64,
    /// Replacement policy
    #[arg(long, default_value = "layers", value_name = "POLICY")]
    replace: String,
    /// Without sleep sets
    #[arg(long)]
    no_sleep_sets: bool,
    /// Write the page to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// One model: the exact run, a run with more memory than it needs, and a run with memory for a
/// share of the states.
struct Finding {
    exact: Sample,
    roomy: Sample,
    cached: Sample,
}

impl Finding {
    /// A statistic of the run with little memory, per state.
    fn share(&self, name: &str) -> Option<f64> {
        figure(&self.cached, name).map(|figure| figure as f64 / self.exact.states as f64)
    }

    /// Whether the verdict is right and the search was complete: an error may be found before
    /// memory is full.
    fn is_right(&self) -> bool {
        self.cached.exhaustive && self.cached.verdict == self.exact.verdict
    }

    fn is_tiny(&self) -> bool {
        self.exact.states < TINY
    }

    fn is_good(&self) -> bool {
        let work = self.share("insertions").zip(self.share("reentries"));
        self.is_right()
            && work.is_some_and(|(insertions, reentries)| insertions + reentries < FACTOR)
    }

    /// The percentage of all states that are on the stack at the same time if none is replaced.
    fn stack_percent(&self) -> Option<f64> {
        figure(&self.roomy, "kept").map(|kept| 100.0 * kept as f64 / self.exact.states as f64)
    }

    /// The reason for the failure, as an item of a list.
    fn failure(&self, name: &str) -> Option<String> {
        let reason = match &self.cached.reason {
            _ if self.is_good() => return None,
            _ if self.is_right() => "too many states are visited again",
            // The reason given for the verdict.
            Some(reason) if self.cached.verdict == "inconclusive" => reason,
            _ => "the search is incomplete",
        };
        Some(format!("- {name}: {reason}\n"))
    }

    fn row(&self, name: &str) -> Vec<String> {
        vec![
            name.to_owned(),
            grouped(self.exact.states),
            grouped(self.roomy.depth),
            number(self.stack_percent()),
            self.exact.verdict.clone(),
            if self.cached.exhaustive {
                self.cached.verdict.clone()
            } else {
                "incomplete".to_owned()
            },
            number(self.share("insertions")),
            number(self.share("reentries")),
            number(self.share("kept").map(|share| 100.0 * share)),
            number(Some(self.cached.processor_seconds / self.exact.processor_seconds)),
            match (self.is_good(), self.is_tiny()) {
                (true, _) => "yes",
                (false, true) => "tiny",
                (false, false) => "NO",
            }
            .to_owned(),
        ]
    }
}

const HEADINGS: [&str; 11] = [
    "model",
    "states",
    "depth",
    "stack %",
    "exact",
    "cache",
    "insertions / states",
    "entered again / states",
    "kept %",
    "time / time",
    "good",
];

pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let mut models = arguments.selection.find(None)?;
    models.sort_by_key(Model::expected_states);
    let lariat = arguments.selection.build_lariat()?;
    let machine = Machine::observe(Some(&lariat.program));
    let (mut rows, mut factors, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let (mut good, mut judged) = (0, 0);
    for model in &models {
        match study(model, &lariat, arguments) {
            Ok(finding) => {
                if !finding.is_tiny() {
                    judged += 1;
                    good += usize::from(finding.is_good());
                    factors.extend(finding.share("insertions").filter(|_| finding.is_right()));
                    failures.extend(finding.failure(&model.name));
                }
                let row = finding.row(&model.name);
                eprintln!("{}", row.join(" | "));
                rows.push(row);
            }
            Err(message) => {
                judged += 1;
                eprintln!("{}: failed: {message}", model.name);
                failures.push(format!("- {}: {message}\n", model.name));
                let mut row = vec!["–".to_owned(); HEADINGS.len()];
                row[0].clone_from(&model.name);
                "failed".clone_into(&mut row[HEADINGS.len() - 1]);
                rows.push(row);
            }
        }
    }
    let page = format!(
        "# State-space caching, {}\n\n{}{}\n{}\n{good} of {judged} models of at least {TINY} states are good; insertions / states {} in geometric mean over the {} with the right verdict.\n\n{}",
        machine.date,
        machine.setting(1),
        arguments.explanation(),
        render(&HEADINGS, &rows),
        number(geometric_mean(&factors)),
        factors.len(),
        failures.concat()
    );
    println!("{page}");
    if let Some(path) = &arguments.out {
        std::fs::write(path, page).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(good == judged)
}

impl Arguments {
    fn explanation(&self) -> String {
        format!(
            "`--store cache --replace {}{}` with room for {} % of the states of an exact run (`cargo xtask bench cache`). \
             \"stack %\" of all states are on the depth-first stack at the same time when nothing is forgotten, \"kept %\" had to be \
             kept in the run with little room. Good: the right verdict, and insertions and entries together below {FACTOR} a state.\n",
            self.replace,
            if self.no_sleep_sets { " --no-sleep-sets" } else { "" },
            self.share
        )
    }
}

fn study(model: &Model, lariat: &Lariat, arguments: &Arguments) -> Result<Finding, String> {
    let common = ["--raw", "--all-errors", "--threads", "1", "--store"];
    let exact = lariat.check(&model.path, &[&common[..], &["packed"]].concat())?;
    let cached = |states: u64| {
        let states = states.max(1).to_string();
        let words =
            [&common[..], &["cache", "--cache-states", &states, "--replace", &arguments.replace]];
        let mut words = words.concat();
        words.extend(arguments.no_sleep_sets.then_some("--no-sleep-sets"));
        lariat.check(&model.path, &words)
    };
    // Enough memory for a stack of all states.
    let roomy = cached(2 * exact.states)?;
    let cached = cached(exact.states * arguments.share / 100)?;
    Ok(Finding { exact, roomy, cached })
}

fn figure(sample: &Sample, name: &str) -> Option<u64> {
    sample.details.get(name).and_then(Value::as_u64)
}
