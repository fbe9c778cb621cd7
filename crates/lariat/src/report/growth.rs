//! The result of the test for unbounded channels, as text and as JSON.

use super::columns::table;
use super::text::{Detail, Style};
use super::{printable, printable_json};
use crate::run::steps::{show_run, show_step};
use lariat_ir::Program;
use lariat_ir::trace::channel_name;
use lariat_search::unbounded::{Boundedness, Growth};
use serde_json::{Value, json};
use std::fmt::Write;

/// The report as text. The program is the one without channel capacities.
pub fn render(program: &Program, found: &Boundedness, style: Style, detail: Detail) -> String {
    let quiet = detail == Detail::Verdicts;
    let text = match found {
        Boundedness::Bounded { longest, states } => {
            let mut out = format!("channels: {}\n", style.good("bounded"));
            if !quiet {
                let _ = writeln!(
                    out,
                    "  {}",
                    style.faint(&format!("{states} states, all reachable states"))
                );
                for (number, messages) in
                    longest.iter().enumerate().filter(|(_, messages)| **messages > 0)
                {
                    let messages = lariat_promela::diagnostic::count(*messages, "message");
                    let _ =
                        writeln!(out, "  channel {} never holds more than {messages}", number + 1);
                }
            }
            out
        }
        Boundedness::Unbounded(growth) => {
            let mut out = format!("channels: {}", style.bad("UNBOUNDED"));
            let _ = writeln!(out, "  {}", names(program, growth).join(", "));
            if !quiet {
                out += &run(program, growth, style);
            }
            out
        }
        Boundedness::Undecided { limit, states } => {
            let mut out = format!("channels: {}\n", style.unsure("inconclusive"));
            let _ = writeln!(out, "  {states} states, the search was not exhaustive: {limit}");
            if !quiet {
                out += "  no growth was found; whether channels are bounded is undecidable in general\n";
            }
            out
        }
        Boundedness::Failed(error) => {
            format!("channels: {}  {}\n", style.bad("VIOLATED"), printable(&error.to_string()))
        }
    };
    style.fitted(text)
}

fn names(program: &Program, growth: &Growth) -> Vec<String> {
    let Some(last) = growth.states.last() else { return Vec::new() };
    let name =
        |(number, _): &(u32, usize)| printable(&channel_name(program, last, *number as usize - 1));
    growth.channels.iter().map(name).collect()
}

fn run(program: &Program, growth: &Growth, style: Style) -> String {
    let mut out = String::new();
    let prefix = show_run(program, &growth.prefix.steps, &growth.states);
    if !prefix.is_empty() {
        let count = lariat_promela::diagnostic::count(prefix.len(), "step");
        let _ = writeln!(out, "\n{}", style.bold(&format!("After {count}:")));
        out += &table(&prefix, style);
    }
    let start = growth.prefix.steps.len().min(growth.states.len());
    let cycle = show_run(program, &growth.cycle, &growth.states[start..]);
    let _ = writeln!(out, "\n{}", style.bold("these steps can be repeated forever:"));
    out += &table(&cycle, style);
    for (name, (_, added)) in names(program, growth).iter().zip(&growth.channels) {
        let messages = lariat_promela::diagnostic::count(*added, "message");
        let _ = writeln!(out, "  each round leaves {messages} more in {name}");
    }
    out
}

/// The report as JSON.
pub fn render_json(model: &str, program: &Program, found: &Boundedness) -> String {
    let mut report = json!({ "model": model, "kind": "unbounded" });
    let (verdict, details) = match found {
        Boundedness::Bounded { longest, states } => {
            ("holds", json!({ "states": states, "longest": longest }))
        }
        Boundedness::Unbounded(growth) => {
            let named = names(program, growth);
            let channels = growth.channels.iter().zip(named);
            let channels: Vec<Value> = channels
                .map(|((number, added), name)| json!({ "number": number, "name": name, "added": added }))
                .collect();
            let steps: Vec<_> = growth.prefix.steps.iter().chain(&growth.cycle).collect();
            let texts: Vec<Value> = steps
                .iter()
                .zip(growth.states.windows(2))
                .filter_map(|(step, states)| show_step(program, step, &states[0], states.get(1)))
                .map(|step| json!({ "mover": step.mover, "receiver": step.receiver }))
                .collect();
            let cycle = growth.prefix.steps.len();
            ("violated", json!({ "channels": channels, "steps": texts, "cycle_starts_at": cycle }))
        }
        Boundedness::Undecided { limit, states } => {
            ("inconclusive", json!({ "states": states, "reason": limit.to_string() }))
        }
        Boundedness::Failed(error) => ("violated", json!({ "error": error.to_string() })),
    };
    report["verdict"] = verdict.into();
    report["details"] = details;
    printable_json(&format!("{report:#}\n"))
}
