//! Labels inside atomic sequences.
//!
//! As in SPIN, neither a claim nor the cycle search observes the states inside an atomic sequence,
//! unless the process blocks there (`docs/spin-differences.md` has the exception). A label at such
//! a place has no effect, which is reported as a warning. (A label in front of an atomic sequence
//! can also hold inside it: at the locations after its first statement if that statement is a
//! selection.)

use lariat_ir::{Expr, Program};
use std::fmt;

/// A labelled location that is passed inside an atomic sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnseenLabel {
    proctype: String,
    /// As written; empty for a location that inherits its label from an enclosing statement.
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
            " is passed inside an atomic sequence, where labels are ignored unless the process \
             blocks there; put the label before or after the sequence",
        )
    }
}

/// Does the value of the condition depend on labels?
fn depends_on_labels(condition: &Expr) -> bool {
    condition.any(&|part| matches!(part, Expr::NonProgress))
}

/// The labels that the conditions depend on and that are passed unobserved. The relevant labels
/// must be the program's progress labels.
pub(crate) fn unseen_labels(program: &Program, conditions: &[Expr]) -> Vec<UnseenLabel> {
    let mut found = Vec::new();
    if !conditions.iter().any(depends_on_labels) {
        return found;
    }
    for process_type in &program.process_types {
        let transitions = process_type.locations.iter().flat_map(|location| &location.transitions);
        for taken in transitions.filter(|taken| taken.keeps_control) {
            let location = process_type.location(taken.target);
            let label =
                UnseenLabel { proctype: process_type.name.clone(), names: location.labels.clone() };
            if location.progress && !found.contains(&label) {
                found.push(label);
            }
        }
    }
    found
}
