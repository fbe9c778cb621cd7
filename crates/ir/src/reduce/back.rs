//! Translation of steps of a reduced program to steps of the original program.
//!
//! Reductions do not renumber locations and transitions, so only steps to which others were merged
//! have to be translated.

use crate::program::{LocationId, ProcessTypeId};
use crate::system::{Move, Step};
use std::collections::HashMap;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Back {
    /// By process type, location and transition: the locations whose only transitions were merged
    /// into this one.
    joined: HashMap<(ProcessTypeId, u32, u32), Vec<LocationId>>,
}

impl Back {
    pub fn record(
        &mut self,
        kind: ProcessTypeId,
        from: LocationId,
        transition: u32,
        chain: Vec<LocationId>,
    ) {
        self.joined.insert((kind, from.0, transition), chain);
    }

    /// The moves of the original program that make up a move, in order.
    pub fn moves(&self, taken: &Move) -> Vec<Move> {
        let chain = self.joined.get(&(taken.process_type, taken.location, taken.transition));
        let rest = chain.into_iter().flatten();
        let rest = rest.map(|location| Move { location: location.0, transition: 0, ..*taken });
        std::iter::once(*taken).chain(rest).collect()
    }

    /// The steps of the original program that make up a step.
    pub fn steps(&self, step: &Step) -> Vec<Step> {
        match step {
            Step::Move(taken) => self.moves(taken).into_iter().map(Step::Move).collect(),
            other => vec![*other],
        }
    }
}
