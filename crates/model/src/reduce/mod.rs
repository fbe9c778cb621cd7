//! Lossless reductions: passes that make a program's state space smaller and change no verdict.
//!
//! Each pass is a function from program to program in a file of its own, with the reason why it is sound:
//! [constants](constant) are put in where they are read, [write-only](write_only) variables dropped, [dead](dead) variables
//! reset and what is [stored](dead_stores) in them left out, steps that nobody can see [merged](merge). None of them renumbers anything, so a run of the reduced program is
//! a run of the original once merged steps are [taken apart](Reduced::expansions).
//!
//! `walk` and `rewrite` visit programs, `outside` knows what others see of a process, `back` is the way back.
//! Nothing here knows searches or where properties come from.

mod back;
mod constant;
mod dead;
mod dead_stores;
mod merge;
mod outside;
mod rewrite;
pub(crate) mod walk;
mod write_only;

use crate::budget::{Budget, UNLIMITED};
use crate::expression::Expr;
use crate::program::Program;
use crate::ranges;
use crate::system::{Move, Step};
use back::Back;
use outside::Outside;

/// What the properties to be checked look at, besides the errors a program can make, its invariants and end states. Those
/// are always kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Conditions that will be evaluated in every state: the atoms of formulas.
    pub conditions: Vec<Expr>,
    /// How many steps are made matters, too (a formula with `X`).
    pub steps: bool,
}

/// Which reductions to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passes {
    pub constants: bool,
    pub write_only: bool,
    pub dead: bool,
    /// Of [merging](merge), that of steps within atomic sequences: the states, and the transitions between them, remain the same.
    pub atomic: bool,
    /// All of it.
    pub merge: bool,
}

impl Passes {
    pub const ALL: Passes =
        Passes { constants: true, write_only: true, dead: true, atomic: true, merge: true };
    pub const NONE: Passes =
        Passes { constants: false, write_only: false, dead: false, atomic: false, merge: false };
    /// After which a program has the same states.
    pub const SAME_STATES: Passes = Passes { atomic: true, ..Passes::NONE };
}

/// A program with the same verdict, and the way back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    pub program: Program,
    back: Back,
}

/// Makes all reductions. The program must keep the IR's rules; the result does.
pub fn reduce(program: &Program, observed: &Observed) -> Reduced {
    reduce_by(program, observed, Passes::ALL, &UNLIMITED)
}

/// Makes some reductions, and no more of them once the budget has run out.
pub fn reduce_by(program: &Program, observed: &Observed, passes: Passes, budget: &Budget) -> Reduced {
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
        // Where the number of steps matters, that of the steps between states does.
        let movers = passes.merge && !observed.steps;
        *program = merge::merge(program, movers, &outside, &known, &mut reduced.back);
    }
    // Last, since a merged step arrives at another place.
    if wants(passes.dead) {
        *program = dead::mark_dead(program, &Outside::new(program, observed));
    }
    reduced
}

impl Reduced {
    /// The moves of the original that a move of the reduced program stands for, in order.
    pub fn moves(&self, taken: &Move) -> Vec<Move> {
        self.back.moves(taken)
    }

    /// The steps of the original program for steps of the reduced one.
    pub fn expand(&self, steps: &[Step]) -> Vec<Step> {
        steps.iter().flat_map(|step| self.back.steps(step)).collect()
    }

    /// Runs of the original for a run of the reduced program that ends with an error. Where the last step stands for
    /// several, the error may be that of any of them, so there are several candidates: the longest first, then those that
    /// end earlier in the last step.
    pub fn expansions(&self, steps: &[Step]) -> impl Iterator<Item = Vec<Step>> {
        let whole = self.expand(steps);
        let last = steps.last().map_or(1, |step| self.back.steps(step).len());
        (0..last).map(move |cut| whole[..whole.len() - cut].to_vec())
    }
}
