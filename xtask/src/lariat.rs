//! Runs `lariat` as a program and reads its JSON report.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::pan::error_kind;
use crate::process;
use crate::spin::PrivateDirectory;

/// Exit codes of `lariat check`.
const BAD_INPUT: i32 = 2;
const INCONCLUSIVE: i32 = 3;

/// The result of `lariat check` on a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Searched(Figures),
    /// The model is not accepted; holds the diagnostics.
    Rejected(String),
    /// The search reached a limit; holds the reason.
    Inconclusive(String),
    OutOfTime,
    /// No JSON, a panic or an unknown exit code: always a defect of Lariat.
    Crashed(String),
}

/// The figures of the safety property.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    pub states: u64,
    pub transitions: u64,
    pub error_kinds: BTreeSet<String>,
}

/// The program `lariat`, built.
#[derive(Debug, Clone)]
pub struct Tool {
    program: PathBuf,
    limit: Duration,
    options: Vec<String>,
}

impl Tool {
    /// Builds the release program, or takes the one named by `program`.
    pub fn new(program: Option<PathBuf>, limit: Duration) -> Result<Self, String> {
        let program = match program {
            Some(program) => program,
            None => build()?,
        };
        if !program.exists() {
            return Err(format!("there is no {}", program.display()));
        }
        Ok(Self { program, limit, options: Vec::new() })
    }

    pub fn with_limit(&self, limit: Duration) -> Self {
        Self { limit, ..self.clone() }
    }

    /// Adds options to each check.
    pub fn with_options(self, options: &[String]) -> Self {
        Self { options: options.to_vec(), ..self }
    }

    pub fn check_text(&self, model: &str) -> io::Result<Outcome> {
        let directory = PrivateDirectory::new()?;
        let path = directory.path.join("model.pml");
        fs::write(&path, model)?;
        self.check_file(&path)
    }

    pub fn check_file(&self, path: &Path) -> io::Result<Outcome> {
        let finished = process::run(
            Command::new(&self.program)
                .args(["check", "--raw", "--all-errors", "--json", "--property", "safety"])
                .args(&self.options)
                .arg(path),
            self.limit,
        )?;
        let Some(status) = finished.status else {
            return Ok(Outcome::OutOfTime);
        };
        Ok(match status.code() {
            Some(BAD_INPUT) => Outcome::Rejected(finished.stderr),
            Some(INCONCLUSIVE) => {
                Outcome::Inconclusive(reason(&finished.stdout).unwrap_or(finished.stderr))
            }
            Some(0 | 1) => match parse(&finished.stdout) {
                Some(figures) => Outcome::Searched(figures),
                None => Outcome::Crashed(format!("unexpected JSON: {}", finished.stdout)),
            },
            _ => Outcome::Crashed(format!("{status}: {}", finished.stderr)),
        })
    }
}

impl Tool {
    /// The verdicts on the properties of a model, by name; empty if the model or the options are
    /// rejected.
    pub fn verdicts(
        &self,
        path: &Path,
        options: &[&str],
    ) -> io::Result<Option<BTreeMap<String, String>>> {
        let mut command = Command::new(&self.program);
        command.args(["check", "--json"]).args(options).args(&self.options).arg(path);
        let finished = process::run(&mut command, self.limit)?;
        if finished.status.and_then(|status| status.code()) == Some(BAD_INPUT) {
            return Ok(None);
        }
        let report: Value = serde_json::from_str(&finished.stdout).unwrap_or_default();
        let properties =
            report.get("properties").and_then(Value::as_array).cloned().unwrap_or_default();
        let text = |property: &Value, key: &str| property.get(key)?.as_str().map(str::to_owned);
        Ok(Some(
            properties
                .iter()
                .filter_map(|each| Some((text(each, "name")?, text(each, "verdict")?)))
                .collect(),
        ))
    }
}

/// The result of a search with bounded memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cached {
    pub insertions: u64,
    pub violated: bool,
}

impl Tool {
    /// Searches with memory for a number of states, or for all; `None` if the stack does not fit.
    pub fn check_cached(
        &self,
        path: &Path,
        states: Option<u64>,
        policy: &[&str],
    ) -> io::Result<Option<Cached>> {
        let mut command = Command::new(&self.program);
        command.args([
            "check",
            "--raw",
            "--all-errors",
            "--json",
            "--property",
            "safety",
            "--store",
            "cache",
        ]);
        command.args(policy);
        if let Some(states) = states {
            command.args(["--cache-states", &states.to_string()]);
        }
        let finished = process::run(command.arg(path), self.limit)?;
        if !matches!(finished.status.and_then(|status| status.code()), Some(0 | 1)) {
            return Ok(None);
        }
        let report: Value = serde_json::from_str(&finished.stdout).unwrap_or_default();
        let cached = || {
            let safety = safety(&report)?;
            // An error may be found before memory is full.
            if !safety.get("exhaustive")?.as_bool()? {
                return None;
            }
            let insertions = safety.get("statistics")?.get("insertions")?.as_u64()?;
            Some(Cached { insertions, violated: safety.get("verdict")?.as_str()? == "violated" })
        };
        Ok(cached())
    }
}

/// Cargo tells its subcommands where it is; the workspace is the parent of this crate.
pub fn build() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let workspace = workspace();
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--release", "-p", "lariat-cli"])
        .current_dir(&workspace)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !status.success() {
        return Err("`cargo build --release -p lariat-cli` failed".to_owned());
    }
    Ok(target_directory().join("release").join("lariat"))
}

pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

pub fn target_directory() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => workspace().join(directory),
        None => workspace().join("target"),
    }
}

fn safety(report: &Value) -> Option<&Value> {
    let properties = report.get("properties")?.as_array()?;
    properties
        .iter()
        .find(|property| property.get("kind").and_then(Value::as_str) == Some("safety"))
}

fn parse(text: &str) -> Option<Figures> {
    let report: Value = serde_json::from_str(text).ok()?;
    let property = safety(&report)?;
    let statistics = property.get("statistics")?;
    let kinds = property.get("error_kinds").and_then(Value::as_array);
    Some(Figures {
        states: statistics.get("states")?.as_u64()?,
        transitions: statistics.get("transitions")?.as_u64()?,
        error_kinds: kinds
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(error_kind)
            .collect(),
    })
}

fn reason(text: &str) -> Option<String> {
    let report: Value = serde_json::from_str(text).ok()?;
    safety(&report)?.get("reason")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report() {
        let text = r#"{"model":"m.pml","verdict":"violated","properties":[
            {"name":"p","kind":"ltl","verdict":"inconclusive"},
            {"name":"safety","kind":"safety","verdict":"violated","reason":null,
             "statistics":{"states":12,"transitions":20,"depth":4},
             "errors":2,"error_kinds":["assertion violated","invalid end state"],"trace":null}]}"#;
        let figures = parse(text).expect("figures");
        assert_eq!((figures.states, figures.transitions), (12, 20));
        assert_eq!(figures.error_kinds.len(), 2);
        assert_eq!(parse("{}"), None);
    }
}
