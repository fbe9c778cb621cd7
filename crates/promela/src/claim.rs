//! A `never` claim as a Büchi automaton: what it says about runs, apart from how it is written.
//!
//! A location is a state, a condition an edge; `accept` labels become marks; behind the closing brace everything is
//! accepted, for a claim that gets there has found its error. The conditions are taken apart at
//! `&&`, `||` and `!`; what is left are the atoms, expressions of the model.

use model::expression::{BinaryOp, UnaryOp};
use model::program::{Action, Operation, ProcessType};
use model::{Expr, Program};
use omega::automaton::{Marks, StateId, Tgba};
use omega::guard::Guard;

/// An automaton whose atoms are expressions of a program.
#[derive(Clone, Debug)]
pub struct ClaimAutomaton {
    /// State-based, with one acceptance set.
    pub automaton: Tgba,
    /// What each atom stands for.
    pub atoms: Vec<Expr>,
}

/// A statement that has no place in a claim: the text of the statement and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotACondition {
    pub text: String,
    pub file: String,
    pub line: u32,
}

/// The automaton of a claim.
///
/// # Errors
/// A statement of the claim does more than wait for a condition.
pub fn automaton(program: &Program, claim: &ProcessType) -> Result<ClaimAutomaton, NotACondition> {
    let mut result = ClaimAutomaton { automaton: Tgba { sets: 1, ..Tgba::default() }, atoms: Vec::new() };
    for _ in &claim.locations {
        result.automaton.add_state();
    }
    result.automaton.initial = vec![StateId(claim.initial_location.0)];
    for (index, location) in claim.locations.iter().enumerate() {
        let source = StateId(index as u32);
        let marks = if location.accept { Marks::one(0) } else { Marks::NONE };
        let mut tried = Guard::FALSE;
        for transition in &location.transitions {
            let guard = match &transition.operation {
                Operation::End => {
                    result.automaton.add_edge(source, Guard::TRUE, Marks::one(0), source);
                    continue;
                }
                Operation::Else => result.automaton.guards.not(tried),
                Operation::Guarded { guard, actions }
                    if actions.iter().all(|action| matches!(action, Action::Print { .. })) =>
                {
                    result.guard(program, guard)
                }
                _ => {
                    let origin = program.origin(transition.origin);
                    return Err(NotACondition {
                        text: origin.text.clone(),
                        file: origin.file.clone(),
                        line: origin.line,
                    });
                }
            };
            tried = result.automaton.guards.or(tried, guard);
            result.automaton.add_edge(source, guard, marks, StateId(transition.target.0));
        }
    }
    Ok(result)
}

impl ClaimAutomaton {
    fn guard(&mut self, program: &Program, condition: &Expr) -> Guard {
        match condition {
            Expr::Const(0) => Guard::FALSE,
            Expr::Const(_) => Guard::TRUE,
            Expr::Unary(UnaryOp::Not, operand) => {
                let operand = self.guard(program, operand);
                self.automaton.guards.not(operand)
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let left = self.guard(program, left);
                let right = self.guard(program, right);
                match op {
                    BinaryOp::And => self.automaton.guards.and(left, right),
                    _ => self.automaton.guards.or(left, right),
                }
            }
            atom => {
                let index = self.atoms.iter().position(|known| known == atom).unwrap_or_else(|| {
                    let name = model::text::print_expression(program, None, atom);
                    self.automaton.atoms.push(name.into());
                    self.atoms.push(atom.clone());
                    self.atoms.len() - 1
                });
                self.automaton.guards.variable(index as u32)
            }
        }
    }
}
