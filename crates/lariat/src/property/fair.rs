//! Is an infinite run fair? Asked of the reference semantics, with the definitions of Peled's survey as they stand, so that no run is shown that the
//! search only took to be fair.

use super::lasso::Lasso;
use model::system::Move;
use model::trace::moves;
use model::{Interpreter, Program};
use search::liveness::fairness::{Actor, Fairness, Strength};
use std::collections::BTreeSet;

/// Who moves: a process, or one of its transitions.
type Who = (u8, Option<(u32, u32, u32)>);

fn who(taken: &Move, actor: Actor) -> Who {
    let transition = (taken.process_type.0, taken.location, taken.transition);
    (taken.pid, (actor == Actor::Transition).then_some(transition))
}

/// Does every actor move on the cycle that is always enabled on it (or, if strong, at least once)?
/// States inside atomic sequences do not count, unless the whole cycle lies inside one: then only
/// actors that have control are enabled. A run without a cycle can be continued fairly.
pub fn is_fair(program: &Program, lasso: &Lasso, fairness: Fairness) -> bool {
    let interpreter = Interpreter::new(program);
    let mut moved = BTreeSet::new();
    for step in &lasso.cycle {
        moved.extend(moves(step).map(|taken| who(&taken, fairness.actor)));
    }
    let mut claims: Option<BTreeSet<Who>> = None;
    let mut successors = Vec::new();
    let on_cycle = || lasso.states.iter().skip(lasso.prefix.len()).take(lasso.cycle.len());
    let is_endless = on_cycle().all(|state| interpreter.is_transient(state));
    for state in on_cycle().filter(|state| is_endless || !interpreter.is_transient(state)) {
        successors.clear();
        interpreter.successors(state, &mut successors);
        let enabled: BTreeSet<Who> = successors
            .iter()
            .flat_map(|successor| moves(&successor.step))
            .map(|taken| who(&taken, fairness.actor))
            .collect();
        claims = Some(match (claims, fairness.strength) {
            (None, _) => enabled,
            (Some(claims), Strength::Weak) => claims.intersection(&enabled).copied().collect(),
            (Some(claims), Strength::Strong) => claims.union(&enabled).copied().collect(),
        });
    }
    claims.is_none_or(|claims| claims.is_subset(&moved))
}
