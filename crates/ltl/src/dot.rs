//! Automata as GraphViz graphs.
//!
//! Accepting states of a state-based Büchi automaton are double circles; other marks follow the
//! label of the edge.

use crate::automaton::{Marks, Tgba};
use crate::guard::Guard;
use std::fmt::{self, Write};

/// Writes `automaton` as a GraphViz digraph.
///
/// # Errors
/// Writing to `out` fails.
pub fn write(automaton: &Tgba, name: Option<&str>, out: &mut impl Write) -> fmt::Result {
    let mut automaton = automaton.clone();
    automaton.merge_edges();
    let buchi = automaton.sets <= 1 && automaton.is_state_based();
    writeln!(out, "digraph automaton {{\n  rankdir=LR\n  node [shape=circle]")?;
    if let Some(name) = name {
        writeln!(out, "  label=\"{}\"", escape(name))?;
    }
    for (i, q) in automaton.initial.iter().enumerate() {
        writeln!(out, "  start{i} [label=\"\", shape=none, width=0]\n  start{i} -> {}", q.0)?;
    }
    for q in automaton.states() {
        let accepting = buchi && (automaton.sets == 0 || automaton.state_marks(q) != Marks::NONE);
        let shape = if accepting { " [peripheries=2]" } else { "" };
        writeln!(out, "  {}{shape}", q.0)?;
        for e in automaton.edges[q.index()].clone() {
            let mut label = escape(&guard_text(&mut automaton, e.guard, "&", "|", "!"));
            if !buchi && e.marks != Marks::NONE {
                let list: Vec<String> = e.marks.iter().map(|m| m.to_string()).collect();
                write!(label, "\\n{{{}}}", list.join(","))?;
            }
            writeln!(out, "  {} -> {} [label=\"{label}\"]", q.0, e.target.0)?;
        }
    }
    writeln!(out, "}}")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A guard as a sum of cubes over the names of the atoms.
pub(crate) fn guard_text(
    automaton: &mut Tgba,
    guard: Guard,
    and: &str,
    or: &str,
    not: &str,
) -> String {
    match guard {
        Guard::TRUE => return "1".into(),
        Guard::FALSE => return "0".into(),
        _ => {}
    }
    let cubes = automaton.guards.cubes(guard);
    let single = cubes.len() == 1;
    let texts: Vec<String> = cubes
        .iter()
        .map(|cube| {
            let literals: Vec<String> = cube
                .iter()
                .map(|(v, positive)| {
                    let name = &automaton.atoms[*v as usize];
                    let word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
                    let name = if word { name.to_string() } else { format!("({name})") };
                    if *positive { name } else { format!("{not}{name}") }
                })
                .collect();
            let text = literals.join(&format!(" {and} "));
            if single || literals.len() == 1 { text } else { format!("({text})") }
        })
        .collect();
    texts.join(&format!(" {or} "))
}
