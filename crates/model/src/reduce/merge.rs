//! Statement merging: a step that nobody else can see or disturb becomes part of the step before it (or carries
//! the one before it along), so that the states between are never made. Lipton 1975 calls such steps movers;
//! SPIN does the same with its statement merging.
//!
//! A step can be joined to the one before when it is the only one at its location and always possible, and
//! - the first keeps control, so nobody else moves between the two anyway; or
//! - the second is a mover: it reads and writes nothing but variables that only its process uses, and cannot fail. Others
//!   cannot tell whether it has happened yet; or
//! - the first is a mover, and waits for the second. It must be able to: where it is others must be allowed to move.
//!
//! Only assignments can carry others along. A send, a receive or an `else` takes along steps that do nothing, such as stores that nobody reads
//! (`dead_stores.rs`) leave behind; not at a rendezvous, which is a step of two processes.
//!
//! The place in between must not be seen: not an end, accept or progress location, not one somebody asks for. Where a
//! process waits for a rendezvous others can see that it does (an `else` that would not be possible otherwise), so such
//! a place is as good as a written variable. Programs that ask who moved last, who is enabled, or where
//! processes are, and those with priorities, are left alone; so are processes with `provided`.

use super::back::Back;
use super::outside::Outside;
use super::walk;
use crate::expression::{Expr, Scope};
use crate::program::{
    Action, Location, LocationId, Operation, ProcessType, ProcessTypeId, Program, Transition,
};
use crate::ranges::Ranges;
use std::collections::HashSet;

/// Longer chains are cut; a loop of movers is one.
const LONGEST: usize = 64;

/// Without `movers` only what is within an atomic sequence is joined: of that nobody sees anything in any case.
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
                    changed.process_types[kind.index()].locations[from.index()].transitions[index] = merged;
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
    /// Where a process may be that keeps control.
    controlled: HashSet<LocationId>,
    outside: &'p Outside,
    ranges: &'p Ranges,
}

impl Merger<'_> {
    /// The transition with all that can be joined to it, and where the joined ones are from.
    fn chain(&self, from: LocationId, first: &Transition) -> Option<(Transition, Vec<LocationId>)> {
        let mut merged = first.clone();
        // What is no assignment takes nothing along but steps that do nothing.
        let (mut all, mut mover, mut visible) = match &first.operation {
            Operation::Guarded { guard, actions } => {
                let visible = self.is_visible(actions) || self.is_asked_for(from);
                (Some(actions.clone()), self.is_mover(guard, actions), visible)
            }
            Operation::End => return None,
            other if self.has_rendezvous() && may_communicate(other) => return None,
            _ => (None, false, self.outside.observed),
        };
        let mut chain: Vec<LocationId> = Vec::new();
        let source = self.process_type.location(from);
        // A step that waits leaves the process where it is while others move: it must not be seen there, no escape
        // may come between, and it must not have control.
        let can_wait = !self.is_seen_at(from)
            && !self.may_have_control(from)
            && source.transitions.iter().all(|each| each.escape == 0);
        while chain.len() < LONGEST {
            let between = merged.target;
            if between == from || chain.contains(&between) {
                break;
            }
            let Some((second, more)) = self.only_step(between) else { break };
            let second_moves = self.is_mover(&Expr::TRUE, more);
            let second_visible = self.is_visible(more) || self.is_asked_for(second.target);
            let second_follows = second_moves && !second.keeps_control && !self.is_seen_at(second.target);
            let joins = merged.keeps_control || self.movers && (second_follows || mover && can_wait);
            // A step that fails leaves no state, so what could be seen before it would be lost.
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

    /// The step at a location where nothing else is possible, and always that.
    fn only_step(&self, location: LocationId) -> Option<(&Transition, &[Action])> {
        let asked_for = self.is_asked_for(location);
        let location = self.process_type.location(location);
        let seen = location.end || location.accept || location.progress || asked_for;
        match &location.transitions[..] {
            [only] if !seen && only.escape == 0 => match &only.operation {
                Operation::Guarded { guard: Expr::Const(guard), actions } if *guard != 0 => {
                    Some((only, actions))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Nothing outside the process can influence the step or notice it, and it does not fail.
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
            Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) | Expr::Pid => true,
            Expr::Read(place) => {
                place.scope == Scope::Local && self.outside.is_private(self.kind, place.variable)
            }
            _ => false,
        }
    }

    /// May the step change the value of an observed condition?
    fn is_visible(&self, actions: &[Action]) -> bool {
        self.outside.observed
            && actions.iter().any(|action| {
                let mut visible = matches!(action, Action::Run { .. });
                walk::written_by_action(action, &mut |place| {
                    visible |= match place.scope {
                        Scope::Global => self.outside.is_observed_global(place.variable),
                        Scope::Local => !self.outside.is_private(self.kind, place.variable),
                    };
                });
                visible
            })
    }

    /// May an action be an error that ends the step? Only asked where something is observed.
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

    fn is_asked_for(&self, location: LocationId) -> bool {
        self.outside.is_observed_location(self.process_type.location(location).number)
    }

    /// Can others notice that a process is there?
    fn is_seen_at(&self, location: LocationId) -> bool {
        self.is_asked_for(location) || self.awaits_rendezvous(self.process_type.location(location))
    }

    /// May a process at the location take a message from a rendezvous channel?
    fn awaits_rendezvous(&self, location: &Location) -> bool {
        self.has_rendezvous()
            && location.transitions.iter().any(|transition| may_receive(&transition.operation))
    }

    fn has_rendezvous(&self) -> bool {
        self.program.channel_types.iter().any(|channel| channel.capacity == 0)
    }
}

fn may_receive(operation: &Operation) -> bool {
    is_or_has(operation, &|part| matches!(part, Operation::Receive { .. }))
}

fn may_communicate(operation: &Operation) -> bool {
    is_or_has(operation, &|part| matches!(part, Operation::Receive { .. } | Operation::Send { .. }))
}

/// Of an operation and its parts, is one like that?
fn is_or_has(operation: &Operation, like_that: &dyn Fn(&Operation) -> bool) -> bool {
    let mut found = like_that(operation);
    if let Operation::Deterministic(body) = operation {
        walk::for_each_part(body, &mut |part| found |= like_that(part));
    }
    found
}
