//! The report as SARIF 2.1.0, with which code hosts show an error and its run at the source lines.

use super::findings::{Finding, Position, ShownRun};
use super::{printable_json, printable_lines};
use crate::model::Problem;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The document, with a final newline.
pub fn render(findings: &[Finding]) -> String {
    let mut rules: BTreeMap<String, &str> = BTreeMap::new();
    let mut results = Vec::new();
    for finding in findings {
        for run in finding.violations() {
            rules.insert(rule(run.kind), run.kind);
            results.push(result(finding, run));
        }
    }
    // An undecided property has no result; without a notification it would look like a success.
    let undecided = findings.iter().filter(|finding| finding.verdict == "inconclusive").map(|finding| {
        let reason = finding.reason.as_deref().unwrap_or("the search was not exhaustive");
        let text = format!("{}: inconclusive: {reason}", finding.name);
        json!({ "level": "warning", "descriptor": { "id": "inconclusive" }, "message": message(&text) })
    });
    document(&rules, results, undecided.collect(), true)
}

/// The document for a model that was rejected.
pub fn render_rejected(problems: &[Problem]) -> String {
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    for problem in problems {
        let position = problem.file.as_ref().map(|file| {
            let region = json!({
                "startLine": problem.line.unwrap_or(1).max(1),
                "startColumn": problem.column.unwrap_or(1).max(1),
            });
            json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": region } })
        });
        let locations: Vec<Value> = position.into_iter().collect();
        let text = message(&problem.message);
        if !locations.is_empty() {
            results.push(json!({
                "ruleId": REJECTED, "level": problem.severity, "message": text, "locations": locations,
            }));
        }
        notifications.push(json!({
            "level": problem.severity,
            "descriptor": { "id": REJECTED },
            "message": text,
            "locations": locations,
        }));
    }
    let rules = BTreeMap::from([(REJECTED.to_string(), "the model cannot be read")]);
    document(&rules, results, notifications, false)
}

/// The rule for problems in the text of a model.
const REJECTED: &str = "rejected";

fn document(
    rules: &BTreeMap<String, &str>,
    results: Vec<Value>,
    notifications: Vec<Value>,
    successful: bool,
) -> String {
    let rules: Vec<Value> = rules
        .iter()
        .map(|(id, kind)| json!({ "id": id, "shortDescription": { "text": kind } }))
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "lariat",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "invocations": [{
                "executionSuccessful": successful,
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    printable_json(&format!("{document:#}\n"))
}

/// A message without control characters.
fn message(text: &str) -> Value {
    json!({ "text": printable_lines(text) })
}

fn rule(kind: &str) -> String {
    kind.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect()
}

fn result(finding: &Finding, run: &ShownRun) -> Value {
    let steps =
        run.trace.events.iter().flat_map(|event| event.actions.iter().map(move |act| (event, act)));
    let flow: Vec<Value> = steps
        .filter(|(_, act)| !act.file.is_empty())
        .map(|(event, act)| {
            let process = run.trace.lanes.get(act.lane).map_or("", |lane| lane.process.as_str());
            let changed = event.set.iter().filter_map(|(variable, value)| {
                Some((
                    run.trace.variables.get(*variable)?.clone(),
                    json!({ "text": value.as_ref()? }),
                ))
            });
            let state: serde_json::Map<String, Value> = changed.collect();
            let mut place = location(&Position::from(act));
            place["message"] = message(&format!("{process}: {}", act.statement));
            json!({ "location": place, "state": state })
        })
        .collect();
    let mut text = run.error.clone();
    if let Some(deadlock) = &run.deadlock {
        text = format!("{text}\n{}", crate::explain::render(deadlock));
    }
    let mut result = json!({
        "ruleId": rule(run.kind),
        "level": "error",
        "message": message(&format!("{}: {}", finding.name, text.trim_end())),
        "locations": run.position().iter().map(location).collect::<Vec<_>>(),
    });
    if !flow.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
    }
    result
}

fn location(place: &Position) -> Value {
    let mut region = json!({ "startLine": place.line.max(1) });
    if let Some(extent) = place.extent {
        region["startColumn"] = extent.column.into();
        region["endLine"] = extent.end_line.into();
        region["endColumn"] = extent.end_column.into();
    }
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&place.file) }, "region": region } })
}

/// A path as a relative URI reference, percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.trim_start_matches("./").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}
