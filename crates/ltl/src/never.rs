//! SPIN never claims.
//!
//! Writes a state-based Büchi automaton as Promela text: one label per state, with the prefix
//! `accept_` if it accepts, the initial state first, `accept_all: skip` for a state from which
//! every word is accepted.

use crate::automaton::{Marks, StateId, Tgba};
use crate::dot::guard_text;
use crate::guard::Guard;
use std::fmt::{self, Write};

/// Writes `automaton` as a never claim. It must be a state-based Büchi automaton (or have no
/// acceptance set) with at most one initial state; see [`crate::degeneralize`] and
/// [`Tgba::with_single_initial`].
///
/// # Errors
/// Writing to `out` fails.
///
/// # Panics
/// If the automaton is not of that kind.
pub fn write(automaton: &Tgba, name: Option<&str>, out: &mut impl Write) -> fmt::Result {
    assert!(
        automaton.sets <= 1 && automaton.is_state_based() && automaton.initial.len() <= 1,
        "a never claim is a state-based Büchi automaton with one initial state"
    );
    let mut automaton = automaton.clone();
    automaton.merge_edges();
    let name = name.map_or(String::new(), |n| format!(" /* {} */", n.replace("*/", "* /")));
    writeln!(out, "never {{{name}")?;
    let initial = automaton.initial.first().copied();
    if initial.is_none_or(|q| automaton.edges[q.index()].is_empty()) {
        return writeln!(out, "T0_init:\n\tfalse;\n}}");
    }
    let accepting = |a: &Tgba, q: StateId| a.sets == 0 || a.state_marks(q) != Marks::NONE;
    let accepts_all = |a: &Tgba, q: StateId| {
        accepting(a, q)
            && matches!(a.edges[q.index()][..], [e] if e.target == q && e.guard == Guard::TRUE)
    };
    let label = |a: &Tgba, q: StateId| {
        if accepts_all(a, q) {
            return "accept_all".to_string();
        }
        let prefix = if accepting(a, q) { "accept" } else { "T0" };
        if Some(q) == initial { format!("{prefix}_init") } else { format!("{prefix}_S{}", q.0) }
    };
    // The state that accepts every word comes last: after its `skip` the claim reaches its closing
    // brace, which SPIN reports as a violation.
    let (all, mut order): (Vec<StateId>, Vec<StateId>) =
        automaton.states().partition(|q| accepts_all(&automaton, *q));
    order.sort_by_key(|q| Some(*q) != initial);
    if all.iter().any(|q| Some(*q) == initial) {
        order.clear();
    }
    for q in order {
        writeln!(out, "{}:", label(&automaton, q))?;
        let edges = automaton.edges[q.index()].clone();
        if edges.is_empty() {
            writeln!(out, "\tfalse;")?;
            continue;
        }
        writeln!(out, "\tif")?;
        for e in edges {
            let guard = guard_text(&mut automaton, e.guard, "&&", "||", "!");
            writeln!(out, "\t:: ({guard}) -> goto {}", label(&automaton, e.target))?;
        }
        writeln!(out, "\tfi;")?;
    }
    if !all.is_empty() {
        writeln!(out, "accept_all:\n\tskip")?;
    }
    writeln!(out, "}}")
}
