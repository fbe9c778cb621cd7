//! Writing automata in the HOA format.
//!
//! Writes version 1 without aliases: acceptance on states if the automaton is state-based and on
//! edges otherwise, labels on edges as sums of cubes, and the properties that were checked.

use crate::automaton::{Marks, Tgba};
use crate::guard::{Cube, Guard};
use std::fmt::{self, Write};

/// Writes `automaton`; `name` is usually the formula.
///
/// # Errors
/// Writing to `out` fails.
pub fn write(automaton: &Tgba, name: Option<&str>, out: &mut impl Write) -> fmt::Result {
    let mut automaton = automaton.clone();
    automaton.merge_edges();
    let state_based = automaton.is_state_based();
    writeln!(out, "HOA: v1")?;
    if let Some(name) = name {
        write!(out, "name: ")?;
        string(name, out)?;
        writeln!(out)?;
    }
    writeln!(out, "tool: \"lariat\" \"{}\"", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "States: {}", automaton.state_count())?;
    for q in &automaton.initial {
        writeln!(out, "Start: {}", q.0)?;
    }
    write!(out, "AP: {}", automaton.atoms.len())?;
    for a in &automaton.atoms {
        write!(out, " ")?;
        string(a, out)?;
    }
    writeln!(out)?;
    match automaton.sets {
        0 => writeln!(out, "acc-name: all\nAcceptance: 0 t")?,
        n => {
            if n == 1 {
                writeln!(out, "acc-name: Buchi")?;
            } else {
                writeln!(out, "acc-name: generalized-Buchi {n}")?;
            }
            let sets: Vec<String> = (0..n).map(|k| format!("Inf({k})")).collect();
            writeln!(out, "Acceptance: {n} {}", sets.join(" & "))?;
        }
    }
    write!(out, "properties: trans-labels explicit-labels")?;
    write!(out, " {}", if state_based { "state-acc" } else { "trans-acc" })?;
    if automaton.is_complete() {
        write!(out, " complete")?;
    }
    if automaton.is_deterministic() {
        write!(out, " deterministic")?;
    }
    writeln!(out, "\n--BODY--")?;
    for q in automaton.states() {
        write!(out, "State: {}", q.0)?;
        if state_based {
            marks(automaton.state_marks(q), out)?;
        }
        writeln!(out)?;
        for e in automaton.edges[q.index()].clone() {
            write!(out, "[")?;
            label(&mut automaton, e.guard, out)?;
            write!(out, "] {}", e.target.0)?;
            if !state_based {
                marks(e.marks, out)?;
            }
            writeln!(out)?;
        }
    }
    writeln!(out, "--END--")
}

fn string(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        if c == '"' || c == '\\' {
            out.write_char('\\')?;
        }
        out.write_char(c)?;
    }
    out.write_char('"')
}

fn marks(marks: Marks, out: &mut impl Write) -> fmt::Result {
    if marks == Marks::NONE {
        return Ok(());
    }
    let list: Vec<String> = marks.iter().map(|m| m.to_string()).collect();
    write!(out, " {{{}}}", list.join(" "))
}

fn label(automaton: &mut Tgba, guard: Guard, out: &mut impl Write) -> fmt::Result {
    match guard {
        Guard::TRUE => return out.write_char('t'),
        Guard::FALSE => return out.write_char('f'),
        _ => {}
    }
    let text = |cube: &Cube| {
        let literals: Vec<String> = cube
            .iter()
            .map(|(v, positive)| format!("{}{v}", if *positive { "" } else { "!" }))
            .collect();
        literals.join("&")
    };
    let cubes: Vec<String> = automaton.guards.cubes(guard).iter().map(text).collect();
    out.write_str(&cubes.join(" | "))
}
