//! Labels inside atomic sequences.
//!
//! A label counts in states of the run, and inside an atomic sequence there are none until the process is blocked there: as in SPIN, where neither a
//! claim nor the search for cycles looks at such states (`docs/spin-differences.md` has the exception). Somebody who put a label there probably
//! thinks otherwise and is told. (A label in front of an atomic sequence can hold inside too: at the places behind its first statement if that is
//! a selection and the first of an option.)

use super::monitor::asks_for_labels;
use model::{Expr, Program};
use std::fmt;

/// A place with labels that count, passed inside an atomic sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnseenLabel {
    proctype: String,
    /// As written; empty for a place that has its label from a statement around it.
    names: Vec<String>,
}

impl fmt::Display for UnseenLabel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnseenLabel { proctype, names } = self;
        match &names[..] {
            [] => write!(out, "a label of proctype {proctype}")?,
            names => write!(out, "the label {} of proctype {proctype}", names.join(", "))?,
        }
        out.write_str(
            " is passed inside an atomic sequence, where no label is seen unless the process is blocked at it; put it in front of the sequence or behind it",
        )
    }
}

/// The labels that these conditions ask for and that are passed unseen. Those that count are the program's progress labels.
pub(super) fn unseen_labels(program: &Program, conditions: &[Expr]) -> Vec<UnseenLabel> {
    let mut found = Vec::new();
    if !conditions.iter().any(asks_for_labels) {
        return found;
    }
    for process_type in &program.process_types {
        let transitions = process_type.locations.iter().flat_map(|location| &location.transitions);
        for taken in transitions.filter(|taken| taken.keeps_control) {
            let location = process_type.location(taken.target);
            let label = UnseenLabel { proctype: process_type.name.clone(), names: location.labels.clone() };
            if location.progress && !found.contains(&label) {
                found.push(label);
            }
        }
    }
    found
}
