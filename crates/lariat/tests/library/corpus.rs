//! Runs every model of the corpus through every search that applies and compares with its header.
//! The grammar of headers is in `corpus/README.md`.

use lariat::check::safety::check_safety;
use lariat::{Engine, Model, Settings};
use lariat_search::{Limits, Options, Order};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The expectations in a header.
#[derive(Debug, Default)]
struct Header {
    expect: String,
    states: Option<u64>,
    transitions: Option<u64>,
    unreached: Option<BTreeSet<u32>>,
    message: Option<String>,
}

impl Header {
    fn read(text: &str) -> Result<Header, String> {
        let mut header = Header::default();
        for line in text.lines() {
            let Some((key, value)) = line.strip_prefix("// ").and_then(|line| line.split_once(':'))
            else {
                break;
            };
            let value = value.trim();
            let number = || value.parse().map_err(|_| format!("`{value}` is not a number"));
            match key {
                "expect" => header.expect = value.into(),
                "states" => header.states = Some(number()?),
                "transitions" => header.transitions = Some(number()?),
                "unreached" if value == "none" => header.unreached = Some(BTreeSet::new()),
                "unreached" => {
                    let lines: Result<_, _> = value.split_whitespace().map(str::parse).collect();
                    header.unreached =
                        Some(lines.map_err(|_| format!("`{value}` are not line numbers"))?);
                }
                "message" => header.message = Some(value.into()),
                "spin" | "spin-differs" => {}
                _ => break,
            }
        }
        if header.expect.is_empty() { Err("the header lacks `expect`".into()) } else { Ok(header) }
    }

    /// The kinds of error that must be found.
    fn kinds(&self) -> Result<BTreeSet<String>, String> {
        match self.expect.split_once(' ') {
            None if self.expect == "holds" => Ok(BTreeSet::new()),
            Some(("violated", kinds)) => Ok(kinds.split("; ").map(str::to_string).collect()),
            _ => Err(format!("unknown expectation `{}`", self.expect)),
        }
    }
}

/// SPIN's error message without its variable parts, as in the headers.
fn kind(words: &str) -> String {
    let end = words.find(['(', ',']).unwrap_or(words.len());
    words[..end].trim().to_string()
}

/// The aspect that a test compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aspect {
    /// Verdict, kinds of error, counts; diagnostics of rejected models.
    Verdict,
    Unreached,
}

/// All differences between a model and its header.
fn differences(path: &Path, aspect: Aspect) -> Vec<String> {
    let text = fs::read(path).expect("the model can be read");
    let header = match Header::read(&String::from_utf8_lossy(&text)) {
        Ok(header) => header,
        Err(message) => return vec![message],
    };
    let loaded = Model::from_file(path);
    if header.expect == "rejected" && aspect == Aspect::Unreached {
        return Vec::new();
    }
    if header.expect == "rejected" {
        return match loaded {
            Ok(_) => vec!["accepted, but must be rejected".into()],
            Err(error) => {
                let message = error.to_string();
                let wanted = header.message.unwrap_or_default();
                let missing = !message.contains(&wanted);
                missing
                    .then(|| format!("the diagnostic lacks `{wanted}`:\n{message}"))
                    .into_iter()
                    .collect()
            }
        };
    }
    let model = match loaded {
        Ok(model) => model,
        Err(error) => return vec![format!("rejected:\n{error}")],
    };
    let kinds = match header.kinds() {
        Ok(kinds) => kinds,
        Err(message) => return vec![message],
    };
    let mut found = Vec::new();
    // Reductions change the counts and nothing else.
    for (order, raw) in [
        (Order::DepthFirst, true),
        (Order::BreadthFirst, true),
        (Order::DepthFirst, false),
        (Order::BreadthFirst, false),
    ] {
        let budget = lariat_ir::Budget::of(Duration::from_secs(60));
        let limits = Limits { budget: &budget, ..Limits::default() };
        let options = Options { order, all_errors: true, limits, ..Options::default() };
        // Both the default engine and machine code.
        let engine = if order == Order::DepthFirst { Engine::Native } else { Engine::Automatic };
        let settings = Settings { engine, raw, ..Settings::default() };
        let checked = match check_safety(&model.program, &settings, &options) {
            Ok(checked) => checked,
            Err(error) => {
                found.push(format!("{order:?}: a counterexample does not replay: {error}"));
                continue;
            }
        };
        let outcome = &checked.outcome;
        let mut compare = |what: &str, expected: String, is: String| {
            if expected != is {
                found.push(format!("{order:?}, raw {raw}: {what}: expected {expected}, is {is}"));
            }
        };
        if let Some(limit) = outcome.limit {
            compare("limit", "none".into(), limit.to_string());
        }
        let widenings = outcome.statistics.widenings;
        compare("at most eight widenings", "true".into(), (widenings <= 8).to_string());
        if aspect == Aspect::Unreached {
            if let Some(lines) = &header.unreached {
                // SPIN's list also contains lines of claims and traces.
                let monitors = monitor_lines(&String::from_utf8_lossy(&text));
                let lines: BTreeSet<u32> = lines.difference(&monitors).copied().collect();
                // SPIN does not report statements that are reached but never executable.
                let is: BTreeSet<u32> = checked
                    .unreached
                    .iter()
                    .filter(|each| !each.never_executable && !monitors.contains(&each.line))
                    .map(|each| each.line)
                    .collect();
                compare("unreached", format!("{lines:?}"), format!("{is:?}"));
            }
            continue;
        }
        let mut is: BTreeSet<String> =
            outcome.error_kinds.iter().map(|words| kind(words)).collect();
        if header.states.is_none() {
            is.retain(|kind| kinds.contains(kind));
        }
        compare("errors", format!("{kinds:?}"), format!("{is:?}"));
        if !raw {
            let fewer = header.states.is_none_or(|states| outcome.statistics.states <= states);
            compare("at most as many states as raw", "true".into(), fewer.to_string());
            continue;
        }
        if let Some(states) = header.states {
            compare("states", states.to_string(), outcome.statistics.states.to_string());
        }
        if let Some(transitions) = header.transitions {
            compare(
                "transitions",
                transitions.to_string(),
                outcome.statistics.transitions.to_string(),
            );
        }
    }
    found
}

/// The lines of claims, traces and formulas: from the keyword to a brace at the start of a line.
/// SPIN numbers the lines of a formula's claim separately, so a model with a formula has no
/// comparable lines.
fn monitor_lines(text: &str) -> BTreeSet<u32> {
    let mut lines = BTreeSet::new();
    let mut inside = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("ltl ") {
            return (1..1000).collect();
        }
        inside |= ["trace", "notrace", "never"].iter().any(|word| line.starts_with(word));
        if inside {
            lines.insert(number);
        }
        inside &= !line.starts_with('}');
    }
    lines
}

#[test]
fn verdicts_and_counts() {
    run(Aspect::Verdict);
}

#[test]
fn unreached_statements() {
    run(Aspect::Unreached);
}

fn run(aspect: Aspect) {
    let root = crate::support::root();
    let paths = crate::support::corpus();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = std::panic::catch_unwind(|| differences(path, aspect))
                        .unwrap_or_else(|_| vec!["the checker panicked".into()]);
                    if !found.is_empty() {
                        failures.lock().expect("no panic").push((path, found));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no panic");
    failures.sort();
    let mut report = String::new();
    for (path, found) in &failures {
        report += &format!("{}:\n", path.strip_prefix(&root).unwrap_or(path).display());
        for difference in found {
            report += &format!("    {}\n", difference.replace('\n', "\n    "));
        }
    }
    assert!(failures.is_empty(), "{} of {} models differ\n{report}", failures.len(), paths.len());
}
