//! Is an infinite run fair? Decided on the reference semantics by the definitions of Peled's
//! survey, independently of the search that found the run.

use crate::run::Counterexample;
use lariat_ir::system::Move;
use lariat_ir::trace::moves;
use lariat_ir::{Interpreter, Program};
use lariat_search::liveness::fairness::{Actor, Fairness, Strength};
use std::collections::BTreeSet;

/// A process, or one of its transitions.
type ActorId = (u8, Option<(u32, u32, u32)>);

fn actor_of(taken: &Move, actor: Actor) -> ActorId {
    let transition = (taken.process_type.0, taken.location, taken.transition);
    (taken.pid, (actor == Actor::Transition).then_some(transition))
}

/// Does every actor that is enabled in all states of the cycle (strong fairness: in at least one)
/// move on the cycle? States inside atomic sequences are not counted, unless the whole cycle lies
/// inside one: then only actors that have control are enabled. A finite run can be extended to a
/// fair one, so it counts as fair.
pub(super) fn is_fair(program: &Program, run: &Counterexample, fairness: Fairness) -> bool {
    let interpreter = Interpreter::new(program);
    let mut moved = BTreeSet::new();
    for step in &run.cycle {
        moved.extend(moves(step).map(|taken| actor_of(&taken, fairness.actor)));
    }
    let mut required: Option<BTreeSet<ActorId>> = None;
    let mut successors = Vec::new();
    let on_cycle = || run.states.iter().skip(run.prefix.len()).take(run.cycle.len());
    let is_endless = on_cycle().all(|state| interpreter.is_transient(state));
    for state in on_cycle().filter(|state| is_endless || !interpreter.is_transient(state)) {
        successors.clear();
        interpreter.successors(state, &mut successors);
        let enabled: BTreeSet<ActorId> = successors
            .iter()
            .flat_map(|successor| moves(&successor.step))
            .map(|taken| actor_of(&taken, fairness.actor))
            .collect();
        required = Some(match (required, fairness.strength) {
            (None, _) => enabled,
            (Some(required), Strength::Weak) => required.intersection(&enabled).copied().collect(),
            (Some(required), Strength::Strong) => required.union(&enabled).copied().collect(),
        });
    }
    required.is_none_or(|required| required.is_subset(&moved))
}
