//! Reductions of programs: passes that reduce the state space and preserve all verdicts.
//!
//! Each pass is a function from program to program in its own file, which states why it is sound:
//! [constants](constant) are propagated, [write-only](write_only) variables dropped, [dead](dead)
//! variables reset, [stores](dead_stores) to them removed and invisible steps [merged](merge). No
//! pass renumbers locations or transitions, so a run of the reduced program is a run of the
//! original once its merged steps are [expanded](Reduced::expansions).
//!
//! `outside` finds the visible parts of a process, `back` translates runs back. Nothing here
//! depends on searches or on the origin of the properties.

mod back;
mod constant;
mod dead;
mod dead_stores;
mod merge;
mod outside;
mod write_only;

use crate::budget::{Budget, UNLIMITED};
use crate::expression::Expr;
use crate::program::Program;
use crate::ranges;
use crate::system::{Move, Step};
use back::Back;
use outside::Outside;

/// The observations of the properties, besides the program's errors, invariants and end states,
/// which are always preserved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Conditions that are evaluated in every state: the atoms of formulas.
    pub conditions: Vec<Expr>,
    /// Whether the number of steps matters, too (a formula with `X`).
    pub steps: bool,
}

/// The passes to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passes {
    /// Constant propagation.
    pub constants: bool,
    /// Removal of write-only variables.
    pub write_only: bool,
    /// Reset of dead variables and removal of dead stores.
    pub dead: bool,
    /// [Merging](merge) inside atomic sequences: preserves the stored states and the transitions
    /// between them.
    pub atomic: bool,
    /// All [merging](merge).
    pub merge: bool,
}

impl Passes {
    /// All passes.
    pub const ALL: Passes =
        Passes { constants: true, write_only: true, dead: true, atomic: true, merge: true };
    /// No pass.
    pub const NONE: Passes =
        Passes { constants: false, write_only: false, dead: false, atomic: false, merge: false };
    /// The passes that preserve the stored states.
    pub const SAME_STATES: Passes = Passes { atomic: true, ..Passes::NONE };
}

/// A reduced program, and the translation of its runs to runs of the original program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The reduced program.
    pub program: Program,
    back: Back,
}

/// Runs all passes. The program must follow the rules of the IR, and the result does.
pub fn reduce(program: &Program, observed: &Observed) -> Reduced {
    reduce_by(program, observed, Passes::ALL, &UNLIMITED)
}

/// Runs some passes until the budget runs out.
pub fn reduce_by(
    program: &Program,
    observed: &Observed,
    passes: Passes,
    budget: &Budget,
) -> Reduced {
    let mut reduced = Reduced { program: program.clone(), back: Back::default() };
    let program = &mut reduced.program;
    let known = ranges::analyse_within(program, budget);
    let wants = |pass: bool| pass && !budget.is_over();
    if wants(passes.constants) {
        *program = constant::constants(program, &known);
    }
    if wants(passes.write_only) {
        *program = write_only::drop_write_only(program, observed, &known);
    }
    if wants(passes.dead) {
        *program = dead_stores::drop_dead_stores(program, &Outside::new(program, observed), &known);
    }
    if wants(passes.merge || passes.atomic) {
        let outside = Outside::new(program, observed);
        // Where the number of steps matters, only steps inside atomic sequences may be merged.
        let movers = passes.merge && !observed.steps;
        *program = merge::merge(program, movers, &outside, &known, &mut reduced.back);
    }
    // Last, because merging changes the targets of steps.
    if wants(passes.dead) {
        *program = dead::mark_dead(program, &Outside::new(program, observed));
    }
    reduced
}

impl Reduced {
    /// The moves of the original program that make up a move of the reduced one, in order.
    pub fn moves(&self, taken: &Move) -> Vec<Move> {
        self.back.moves(taken)
    }

    /// The steps of the original program for steps of the reduced one.
    pub fn expand(&self, steps: &[Step]) -> Vec<Step> {
        steps.iter().flat_map(|step| self.back.steps(step)).collect()
    }

    /// Runs of the original program for a run of the reduced program that ends with an error. If
    /// the last step was merged from several, any of them may have raised the error; the candidates
    /// are ordered from the longest to the shortest.
    pub fn expansions(&self, steps: &[Step]) -> impl Iterator<Item = Vec<Step>> {
        let whole = self.expand(steps);
        let last = steps.last().map_or(1, |step| self.back.steps(step).len());
        (0..last).map(move |cut| whole[..whole.len() - cut].to_vec())
    }
}
