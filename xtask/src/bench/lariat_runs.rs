//! Runs of Lariat: `lariat check` as a user runs it, from source text to verdict.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::measure;
use super::results::Sample;

/// A set of options of `lariat check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    pub name: &'static str,
    pub arguments: &'static [&'static str],
    /// Whether it stores every state without reductions: its counts must equal SPIN's.
    pub exact: bool,
}

/// The first variant is the one compared with SPIN's first variant.
pub const VARIANTS: &[Variant] = &[
    Variant {
        name: "packed",
        arguments: &["--raw", "--all-errors", "--threads", "1", "--store", "packed"],
        exact: true,
    },
    Variant {
        name: "reduced",
        arguments: &["--all-errors", "--threads", "1", "--store", "packed"],
        exact: false,
    },
    Variant {
        name: "packed-2",
        arguments: &["--raw", "--all-errors", "--threads", "2", "--store", "packed"],
        exact: true,
    },
    Variant {
        name: "interned",
        arguments: &["--raw", "--all-errors", "--threads", "1", "--store", "interned"],
        exact: true,
    },
    Variant {
        name: "bitstate",
        arguments: &["--raw", "--all-errors", "--threads", "1", "--store", "bitstate"],
        exact: false,
    },
    Variant { name: "plain", arguments: &[], exact: false },
];

/// The built program.
#[derive(Debug, Clone)]
pub struct Lariat {
    pub program: PathBuf,
    pub limit: Duration,
}

impl Lariat {
    /// One `lariat check --json` of a model.
    pub fn check<S: AsRef<std::ffi::OsStr>>(
        &self,
        model: &Path,
        arguments: &[S],
    ) -> Result<Sample, String> {
        let asked = ["--property", "safety"].map(std::ffi::OsStr::new).into_iter();
        let all: Vec<_> = asked.chain(arguments.iter().map(AsRef::as_ref)).collect();
        self.property(model, &all, "safety")
    }

    /// One `lariat check --json`; returns the figures of the first property of a kind.
    pub fn property<S: AsRef<std::ffi::OsStr>>(
        &self,
        model: &Path,
        arguments: &[S],
        kind: &str,
    ) -> Result<Sample, String> {
        let mut command = Command::new(&self.program);
        command.args(["check", "--json"]).args(arguments).arg(model);
        let measured = measure::run(&mut command, self.limit).map_err(|error| error.to_string())?;
        if measured.out_of_time {
            return Err(format!("more than {} s", self.limit.as_secs()));
        }
        let report = serde_json::from_str(&measured.stdout).ok();
        let found = report.as_ref().and_then(|report| of_kind(report, kind));
        let Found { statistics, verdict, reason, exhaustive } =
            found.ok_or_else(|| measured.complaint())?;
        let number = |name: &str| statistics.get(name).and_then(Value::as_u64).unwrap_or_default();
        Ok(Sample {
            wall_seconds: measured.wall_seconds,
            processor_seconds: measured.processor_seconds,
            peak_bytes: measured.peak_bytes,
            states: number("states"),
            transitions: number("transitions"),
            depth: number("depth"),
            vector_bytes: number("state_bytes"),
            verdict: verdict.to_owned(),
            exhaustive,
            search_seconds: statistics.get("seconds").and_then(Value::as_f64),
            details: statistics.clone(),
            reason: reason.map(str::to_owned),
        })
    }
}

/// The report's entry for a property.
struct Found<'r> {
    statistics: &'r Value,
    verdict: &'r str,
    /// The reason if the verdict is not "holds".
    reason: Option<&'r str>,
    exhaustive: bool,
}

fn of_kind<'r>(report: &'r Value, kind: &str) -> Option<Found<'r>> {
    let properties = report.get("properties")?.as_array()?;
    let found = properties.iter().find(|property| property["kind"] == kind)?;
    Some(Found {
        statistics: found.get("statistics")?,
        verdict: found.get("verdict")?.as_str()?,
        reason: found.get("reason").and_then(Value::as_str),
        exhaustive: found.get("exhaustive").and_then(Value::as_bool).unwrap_or(false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report() {
        let report = serde_json::json!({ "properties": [
            { "kind": "ltl" },
            { "kind": "safety", "verdict": "holds", "exhaustive": true, "statistics": { "states": 7 } }
        ]});
        let found = of_kind(&report, "safety").expect("a safety property");
        assert_eq!(
            (found.statistics["states"].as_u64(), found.verdict, found.reason),
            (Some(7), "holds", None)
        );
        assert!(found.exhaustive && of_kind(&serde_json::json!({}), "safety").is_none());
    }
}
