//! Graphs in the language of Graphviz.

use super::StateGraph;
use super::automata::DrawnAutomaton;
use lariat_ir::printable::printable;
use std::fmt::Write;

/// The state graph.
pub fn states(name: &str, graph: &StateGraph) -> String {
    let mut out = format!("digraph {} {{\n  node [shape=box, fontname=monospace];\n", quoted(name));
    for (number, node) in graph.states.iter().enumerate() {
        let mut lines = vec![number.to_string()];
        lines.extend(node.values.iter().cloned());
        lines.extend(node.errors.iter().map(|error| format!("! {error}")));
        let mut style = Vec::new();
        if node.initial {
            style.push("penwidth=2");
        }
        if node.transient {
            style.push("style=dashed");
        }
        if node.end {
            style.push("peripheries=2");
        }
        if !node.errors.is_empty() {
            style.push("color=red");
        }
        let style: String = style.iter().map(|each| format!(", {each}")).collect();
        let _ = writeln!(out, "  s{number} [label={}{style}];", label(&lines));
    }
    for (number, edge) in graph.edges.iter().enumerate() {
        let mut text = vec![format!("{}: {}", edge.process, edge.statement)];
        text.extend(edge.errors.iter().map(|error| format!("! {error}")));
        let color = if edge.errors.is_empty() { "" } else { ", color=red" };
        let target = match edge.to {
            Some(to) => format!("s{to}"),
            None => {
                let _ = writeln!(out, "  x{number} [label=\"\", shape=point, color=red];");
                format!("x{number}")
            }
        };
        let _ = writeln!(out, "  s{} -> {target} [label={}{color}];", edge.from, label(&text));
    }
    if graph.truncated {
        out += "  more [label=\"there are more states\", shape=plaintext];\n";
    }
    out + "}\n"
}

/// The automata of the process types.
pub fn automata(name: &str, list: &[DrawnAutomaton]) -> String {
    let mut out =
        format!("digraph {} {{\n  node [shape=circle, fontname=monospace];\n", quoted(name));
    for (kind, automaton) in list.iter().enumerate() {
        let _ =
            writeln!(out, "  subgraph cluster_{kind} {{\n    label={};", quoted(&automaton.name));
        let shown = automaton.locations.iter().enumerate().filter(|(_, place)| place.reachable);
        for (number, place) in shown {
            let mut lines = vec![number.to_string()];
            lines.extend(place.labels.iter().cloned());
            let rings = if place.end || place.accept { ", peripheries=2" } else { "" };
            let start = if number == automaton.initial { ", penwidth=2" } else { "" };
            let _ = writeln!(out, "    p{kind}_{number} [label={}{rings}{start}];", label(&lines));
        }
        let reached =
            automaton.edges.iter().filter(|edge| automaton.locations[edge.from].reachable);
        for (number, edge) in reached.enumerate() {
            let target = match edge.to {
                Some(to) => format!("p{kind}_{to}"),
                None => {
                    let _ = writeln!(
                        out,
                        "    e{kind}_{number} [label=\"\", shape=doublecircle, width=0.15];"
                    );
                    format!("e{kind}_{number}")
                }
            };
            let text = label(&[edge.statement.clone(), format!("line {}", edge.line)]);
            let style = if edge.atomic { ", style=bold" } else { "" };
            let _ = writeln!(out, "    p{kind}_{} -> {target} [label={text}{style}];", edge.from);
        }
        out += "  }\n";
    }
    out + "}\n"
}

fn quoted(text: &str) -> String {
    label(&[text.to_string()])
}

/// Lines as a quoted string, escaped for Graphviz.
fn label(lines: &[String]) -> String {
    let escape = |line: &String| printable(line).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", lines.iter().map(escape).collect::<Vec<_>>().join("\\n"))
}
