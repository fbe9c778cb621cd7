//! Conversion of [`HoaAutomaton`]s to transition-based generalized Büchi automata.
//!
//! State labels and acceptance move to edges, implicit labels become explicit, `Inf(!k)` becomes a
//! separate mark. Alternation and conditions other than conjunctions of `Inf` are [`Unsupported`],
//! which is not a syntax error.

use super::{AcceptanceCondition, HoaAutomaton, Label};
use crate::automaton::{Marks, StateId, Tgba};
use crate::guard::{Guard, Guards};
use std::fmt;

/// The automaton is well-formed but of an unsupported kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

impl fmt::Display for Unsupported {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Unsupported {}

fn unsupported<T>(message: impl Into<String>) -> Result<T, Unsupported> {
    Err(Unsupported(message.into()))
}

/// Collects the conjuncts of a generalized Büchi condition: sets, with a flag for complemented
/// ones. Returns false if the condition is false.
fn conjuncts(
    condition: &AcceptanceCondition,
    list: &mut Vec<(u32, bool)>,
) -> Result<bool, Unsupported> {
    match condition {
        AcceptanceCondition::Constant(value) => Ok(*value),
        AcceptanceCondition::Inf(set, negated) => {
            if !list.contains(&(*set, *negated)) {
                list.push((*set, *negated));
            }
            Ok(true)
        }
        AcceptanceCondition::And(a, b) => Ok(conjuncts(a, list)? & conjuncts(b, list)?),
        AcceptanceCondition::Or(a, b) => {
            // A disjunction is generalized Büchi only if one side is constant.
            let (mut left, mut right) = (Vec::new(), Vec::new());
            match (conjuncts(a, &mut left)?, conjuncts(b, &mut right)?) {
                (false, false) => Ok(false),
                (true, _) if left.is_empty() => Ok(true),
                (_, true) if right.is_empty() => Ok(true),
                (true, false) => {
                    list.extend(left);
                    Ok(true)
                }
                (false, true) => {
                    list.extend(right);
                    Ok(true)
                }
                (true, true) => unsupported(
                    "an acceptance condition with a choice of `Inf` is not generalized Büchi",
                ),
            }
        }
        AcceptanceCondition::Fin(..) => {
            unsupported("an acceptance condition with `Fin` is not generalized Büchi")
        }
    }
}

fn guard(label: &Label, atoms: usize, guards: &mut Guards) -> Result<Guard, Unsupported> {
    Ok(match label {
        Label::Constant(true) => Guard::TRUE,
        Label::Constant(false) => Guard::FALSE,
        Label::Atom(a) if (*a as usize) < atoms => guards.variable(*a),
        Label::Atom(a) => return unsupported(format!("there is no atom {a}")),
        Label::Not(a) => {
            let a = guard(a, atoms, guards)?;
            guards.not(a)
        }
        Label::And(a, b) | Label::Or(a, b) => {
            let (x, y) = (guard(a, atoms, guards)?, guard(b, atoms, guards)?);
            if matches!(label, Label::And(..)) { guards.and(x, y) } else { guards.or(x, y) }
        }
    })
}

impl HoaAutomaton {
    /// The automaton as a transition-based generalized Büchi automaton.
    ///
    /// # Errors
    /// It is alternating, its condition is not generalized Büchi, or it refers to atoms, sets or
    /// states that do not exist.
    pub fn to_tgba(&self) -> Result<Tgba, Unsupported> {
        let mut sets = Vec::new();
        let satisfiable = conjuncts(&self.condition, &mut sets)?;
        if sets.len() > 64 {
            return unsupported("more than 64 acceptance sets");
        }
        let mut result = Tgba::empty(self.atoms.iter().map(|a| a.as_str().into()).collect());
        result.sets = sets.len() as u32;
        for _ in &self.states {
            result.add_state();
        }
        for (q, state) in self.states.iter().enumerate() {
            let common = match &state.label {
                Some(label) => Some(guard(label, self.atoms.len(), &mut result.guards)?),
                None => None,
            };
            let implicit = common.is_none() && state.edges.iter().all(|e| e.label.is_none());
            if implicit && !state.edges.is_empty() {
                let letters = 1usize.checked_shl(self.atoms.len() as u32).unwrap_or(0);
                if state.edges.len() != letters {
                    return unsupported(format!(
                        "state {q} has {} edges without labels, not one for each of the letters",
                        state.edges.len()
                    ));
                }
            }
            for (i, edge) in state.edges.iter().enumerate() {
                let guard = match (&edge.label, common) {
                    (Some(label), _) => guard(label, self.atoms.len(), &mut result.guards)?,
                    (None, Some(common)) => common,
                    (None, None) => {
                        let cube: Vec<(u32, bool)> =
                            (0..self.atoms.len() as u32).map(|v| (v, i >> v & 1 == 1)).collect();
                        result.guards.cube(&cube)
                    }
                };
                let [target] = edge.targets[..] else {
                    return unsupported("the automaton is alternating");
                };
                let mut marks = Marks::NONE;
                for (k, (set, negated)) in sets.iter().enumerate() {
                    let inside = edge.marks.contains(set) || state.marks.contains(set);
                    if inside != *negated {
                        marks = marks.union(Marks::one(k as u32));
                    }
                }
                result.add_edge(StateId(q as u32), guard, marks, StateId(target));
            }
        }
        for conjunction in &self.start {
            let [q] = conjunction[..] else { return unsupported("the automaton is alternating") };
            result.initial.push(StateId(q));
        }
        result.initial.sort_unstable();
        result.initial.dedup();
        if !satisfiable {
            result.initial.clear();
        }
        Ok(result)
    }
}
