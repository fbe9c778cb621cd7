//! Statement merging: a step that other processes can neither observe nor influence is merged with
//! the step before it, so that the intermediate state is never made. Such steps are movers (Lipton
//! 1975); SPIN's statement merging is similar.
//!
//! A step can be merged into the previous one if it is the only step at its location, is always
//! enabled, and
//! - the first step keeps control, so no other process moves between the two; or
//! - the second is a mover: it accesses only variables private to its process and cannot fail, so
//!   it commutes with the steps of other processes; or
//! - the first is a mover and can be delayed until the second: other processes can move while its
//!   process is at the source location.
//!
//! Only assignments can be merged with assignments. After a send, a receive or an `else` only empty
//! steps are merged, such as remain when dead stores are dropped (`dead_stores.rs`); not after a
//! rendezvous, which is a step of two processes.
//!
//! The intermediate location must be invisible: not an end, accept or progress location, and not
//! tested by an expression. Other processes can observe that a process is ready for a rendezvous
//! (an `else` depends on it), so such a location counts as visible. Programs that use the last
//! process, `enabled`, program counters or priorities are not changed, nor are processes with
//! `provided`.

use super::back::Back;
use super::outside::Outside;
use crate::expression::{Expr, Scope};
use crate::program::{
    Action, Location, LocationId, Operation, ProcessType, ProcessTypeId, Program, Transition,
};
use crate::ranges::Ranges;
use std::collections::HashSet;

/// The most steps merged into one; bounds the chains that loops of movers would form.
const LONGEST: usize = 64;

/// Merges steps. Without `movers`, only steps inside atomic sequences are merged, whose
/// intermediate states are not stored anyway.
pub(super) fn merge(
    program: &Program,
    movers: bool,
    outside: &Outside,
    ranges: &Ranges,
    back: &mut Back,
) -> Program {
    if outside.asks_for_progress || program.has_priorities || program.remembers_last {
        return program.clone();
    }
    let mut changed = program.clone();
    for (kind, process_type) in (0u32..).map(ProcessTypeId).zip(&program.process_types) {
        if process_type.provided.is_some() {
            continue;
        }
        let all = process_type.locations.iter().flat_map(|each| &each.transitions);
        let controlled = all.filter(|each| each.keeps_control).map(|each| each.target).collect();
        let merger = Merger { program, process_type, kind, movers, controlled, outside, ranges };
        for (from, location) in (0u32..).map(LocationId).zip(&process_type.locations) {
            for (index, transition) in location.transitions.iter().enumerate() {
                if let Some((merged, chain)) = merger.chain(from, transition) {
                    changed.process_types[kind.index()].locations[from.index()].transitions
                        [index] = merged;
                    back.record(kind, from, index as u32, chain);
                }
            }
        }
    }
    changed
}

struct Merger<'p> {
    program: &'p Program,
    process_type: &'p ProcessType,
    kind: ProcessTypeId,
    movers: bool,
    /// The locations at which a process may have exclusive control.
    controlled: HashSet<LocationId>,
    outside: &'p Outside,
    ranges: &'p Ranges,
}

impl Merger<'_> {
    /// The transition with all steps that can be merged into it, and their source locations.
    fn chain(&self, from: LocationId, first: &Transition) -> Option<(Transition, Vec<LocationId>)> {
        let mut merged = first.clone();
        // Other operations than assignments are merged with empty steps only.
        let (mut all, mut mover, mut visible) = match &first.operation {
            Operation::Guarded { guard, actions } => {
                let visible = self.is_visible(actions) || self.is_tested(from);
                (Some(actions.clone()), self.is_mover(guard, actions), visible)
            }
            Operation::End => return None,
            other if self.has_rendezvous() && may_communicate(other) => return None,
            _ => (None, false, self.outside.observed),
        };
        let mut chain: Vec<LocationId> = Vec::new();
        let source = self.process_type.location(from);
        // While a delayed step waits, other processes move: the source location must be invisible
        // and without escapes, and the process must not have exclusive control.
        let can_wait = !self.is_visible_at(from)
            && !self.may_have_control(from)
            && source.transitions.iter().all(|each| each.escape == 0);
        while chain.len() < LONGEST {
            let between = merged.target;
            if between == from || chain.contains(&between) {
                break;
            }
            let Some((second, more)) = self.only_step(between) else { break };
            let second_moves = self.is_mover(&Expr::TRUE, more);
            let second_visible = self.is_visible(more) || self.is_tested(second.target);
            let second_follows =
                second_moves && !second.keeps_control && !self.is_visible_at(second.target);
            let joins =
                merged.keeps_control || self.movers && (second_follows || mover && can_wait);
            // A step that fails has no successor, so the visible effect of the first step would be
            // lost.
            if !joins || (visible && (second_visible || self.may_stop(more))) {
                break;
            }
            match &mut all {
                Some(all) => all.extend(more.iter().cloned()),
                None if more.is_empty() => {}
                None => break,
            }
            mover &= second_moves;
            visible |= second_visible;
            merged.target = second.target;
            merged.keeps_control = second.keeps_control;
            chain.push(between);
        }
        if chain.is_empty() {
            return None;
        }
        if let (Operation::Guarded { actions, .. }, Some(all)) = (&mut merged.operation, all) {
            *actions = all;
        }
        Some((merged, chain))
    }

    /// The step of a location with a single, always enabled transition that is invisible.
    fn only_step(&self, location: LocationId) -> Option<(&Transition, &[Action])> {
        let tested = self.is_tested(location);
        let location = self.process_type.location(location);
        let visible = location.end || location.accept || location.progress || tested;
        match &location.transitions[..] {
            [only] if !visible && only.escape == 0 => match &only.operation {
                Operation::Guarded { guard: Expr::Const(guard), actions } if *guard != 0 => {
                    Some((only, actions))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether other processes can neither influence nor observe the step, and it cannot fail.
    fn is_mover(&self, guard: &Expr, actions: &[Action]) -> bool {
        let own = |expr: &Expr| {
            !expr.any(&|part| !self.is_private(part))
                && !self.ranges.can_fail(self.program, Some(self.kind), expr)
        };
        own(guard)
            && actions.iter().all(|action| match action {
                Action::Print { .. } => true,
                Action::Assign(assignments) => assignments.iter().all(|(place, value)| {
                    let domain = match place.scope {
                        Scope::Global => return false,
                        Scope::Local => self.process_type.variables.get(place.variable).domain,
                    };
                    own(value)
                        && own(&Expr::Read(place.clone()))
                        && !self.ranges.store_can_fail(Some(self.kind), domain, value)
                }),
                _ => false,
            })
    }

    fn is_private(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Conditional(..)
            | Expr::Pid => true,
            Expr::Read(place) => {
                place.scope == Scope::Local && self.outside.is_private(self.kind, place.variable)
            }
            _ => false,
        }
    }

    /// Whether the step may change the value of an observed condition.
    fn is_visible(&self, actions: &[Action]) -> bool {
        self.outside.observed
            && actions.iter().any(|action| {
                let mut visible = matches!(action, Action::Run { .. });
                action.for_each_written(&mut |place| {
                    visible |= match place.scope {
                        Scope::Global => self.outside.is_observed_global(place.variable),
                        Scope::Local => !self.outside.is_private(self.kind, place.variable),
                    };
                });
                visible
            })
    }

    /// Whether an error may abort the actions; `false` if no condition is observed.
    fn may_stop(&self, actions: &[Action]) -> bool {
        let fails = |expr: &Expr| self.ranges.can_fail(self.program, Some(self.kind), expr);
        self.outside.observed
            && actions.iter().any(|action| match action {
                Action::Print { .. } => false,
                Action::Assert { condition, .. } => fails(condition),
                Action::Assign(assignments) => assignments.iter().any(|(place, value)| {
                    let variables = match place.scope {
                        Scope::Global => &self.program.variables,
                        Scope::Local => &self.process_type.variables,
                    };
                    let domain = variables.get(place.variable).domain;
                    fails(value)
                        || fails(&Expr::Read(place.clone()))
                        || self.ranges.store_can_fail(Some(self.kind), domain, value)
                }),
                Action::Run { .. } | Action::NewChannel { .. } | Action::SetPriority { .. } => true,
            })
    }

    fn may_have_control(&self, location: LocationId) -> bool {
        self.controlled.contains(&location)
    }

    fn is_tested(&self, location: LocationId) -> bool {
        self.outside.is_observed_location(self.process_type.location(location).number)
    }

    /// Whether other processes can observe that a process is at the location.
    fn is_visible_at(&self, location: LocationId) -> bool {
        self.is_tested(location) || self.awaits_rendezvous(self.process_type.location(location))
    }

    /// Whether a process at the location may receive from a rendezvous channel.
    fn awaits_rendezvous(&self, location: &Location) -> bool {
        self.has_rendezvous()
            && location.transitions.iter().any(|transition| may_receive(&transition.operation))
    }

    fn has_rendezvous(&self) -> bool {
        self.program.channel_types.iter().any(|channel| channel.capacity == 0)
    }
}

fn may_receive(operation: &Operation) -> bool {
    has_simple(operation, &|simple| matches!(simple, Operation::Receive { .. }))
}

fn may_communicate(operation: &Operation) -> bool {
    let communicates =
        |simple: &Operation| matches!(simple, Operation::Receive { .. } | Operation::Send { .. });
    has_simple(operation, &communicates)
}

/// Whether the test holds for the operation or, for a `d_step`, for an operation inside.
fn has_simple(operation: &Operation, test: &dyn Fn(&Operation) -> bool) -> bool {
    let mut found = false;
    operation.for_each_simple(&mut |simple| found |= test(simple));
    found
}
