//! A run in Apalache's Informal Trace Format (ADR 015) for trace viewers and test generators: all
//! variables in every state, and the state to which the cycle returns.

use super::printable_json;
use crate::run::trace::Trace;
use serde_json::{Map, Value, json};

/// The document, with a final newline.
pub fn render(model: &str, trace: &Trace) -> String {
    let mut values: Vec<Option<&str>> = vec![None; trace.variables.len()];
    for (variable, value) in &trace.initial {
        values[*variable] = Some(value);
    }
    let mut states = vec![state(trace, &values, 0, None)];
    for (index, event) in trace.events.iter().enumerate() {
        for (variable, value) in &event.set {
            values[*variable] = value.as_deref();
        }
        let acts = event.actions.iter().map(|act| {
            let process = trace.lanes.get(act.lane).map_or("", |lane| lane.process.as_str());
            format!("{process} {}:{} {}", act.file, act.line, act.statement)
        });
        states.push(state(
            trace,
            &values,
            index + 1,
            Some(acts.collect::<Vec<_>>().join(" with ")),
        ));
    }
    let mut document = json!({
        "#meta": { "format": "ITF", "source": model, "description": trace.title },
        "vars": trace.variables,
        "states": states,
    });
    if let Some(cycle) = trace.cycle {
        document["loop"] = cycle.into();
    }
    printable_json(&format!("{document:#}\n"))
}

fn state(trace: &Trace, values: &[Option<&str>], index: usize, step: Option<String>) -> Value {
    let mut fields = Map::new();
    let mut meta = json!({ "index": index });
    if let Some(step) = step {
        meta["step"] = step.into();
    }
    fields.insert("#meta".into(), meta);
    for (name, value) in trace.variables.iter().zip(values) {
        fields.insert(name.clone(), value.map_or_else(absent, typed));
    }
    Value::Object(fields)
}

/// The value of a variable whose process does not exist in the state.
fn absent() -> Value {
    json!({ "#unserializable": "absent" })
}

fn typed(text: &str) -> Value {
    match text {
        "true" => true.into(),
        "false" => false.into(),
        _ => text.parse::<i64>().map_or_else(|_| text.into(), Into::into),
    }
}
