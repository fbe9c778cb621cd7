//! Dead stores: removes stores whose value is not read before the next store (Aho, Sethi and Ullman
//! 1986).
//!
//! Models reset variables to have fewer states, which [dead variables](super::dead) make
//! unnecessary; steps that only reset become empty and can be [merged](super::merge) even where an
//! assignment cannot. Sound: no step reads the value, and the variable is reset before the next
//! state. Stores that may fail and stores to array elements stay.

use super::dead::{before_action, liveness};
use super::outside::Outside;
use crate::expression::{Expr, Place, Scope};
use crate::program::{Action, Operation, ProcessType, ProcessTypeId, Program};
use crate::ranges::Ranges;

pub(super) fn drop_dead_stores(program: &Program, outside: &Outside, ranges: &Ranges) -> Program {
    let mut changed = program.clone();
    for (number, kind) in (0u32..).zip(&program.process_types) {
        let stores = Stores { program, id: ProcessTypeId(number), kind, outside, ranges };
        let live = liveness(kind);
        let locations = &mut changed.process_types[number as usize].locations;
        for transition in locations.iter_mut().flat_map(|location| &mut location.transitions) {
            if let Operation::Guarded { actions, .. } = &mut transition.operation {
                stores.shorten(actions, live[transition.target.index()].clone());
            }
        }
    }
    changed
}

struct Stores<'p> {
    program: &'p Program,
    id: ProcessTypeId,
    kind: &'p ProcessType,
    outside: &'p Outside,
    ranges: &'p Ranges,
}

impl Stores<'_> {
    /// Removes dead stores, from the last action to the first; `live` are the variables live after
    /// them.
    fn shorten(&self, actions: &mut Vec<Action>, mut live: Vec<bool>) {
        let mut kept = Vec::new();
        while let Some(mut action) = actions.pop() {
            if let Action::Assign(assignments) = &mut action {
                assignments.retain(|(place, value)| !self.is_dead(place, value, &live));
                if assignments.is_empty() {
                    continue;
                }
            }
            before_action(self.kind, &action, &mut live);
            kept.push(action);
        }
        kept.reverse();
        *actions = kept;
    }

    fn is_dead(&self, place: &Place, value: &Expr, live: &[bool]) -> bool {
        if place.scope != Scope::Local || live[place.variable.index()] {
            return false;
        }
        let variable = self.kind.variables.get(place.variable);
        variable.dimensions.is_empty()
            && !variable.hidden
            && self.outside.is_private(self.id, place.variable)
            && !self.ranges.can_fail(self.program, Some(self.id), value)
            && !self.ranges.store_can_fail(Some(self.id), variable.domain, value)
    }
}
