//! Dead variables: if a process writes a variable before reading it again, the value is irrelevant
//! and is reset to the default, so that states that differ only in it become equal
//! (live-variable analysis, Aho, Sethi and Ullman 1986; for model checking Bozga, Fernandez and
//! Ghirvu 1999, and SPIN's data-flow optimization).
//!
//! The pass marks dead variables at locations; the interpreter resets them. Variables that other
//! processes read, or that `provided`, `xr` and `xs` read, never die. Sound: a state and the state
//! with its dead variables reset have the same steps and errors, and their successors are again
//! equal up to dead variables.

use super::outside::Outside;
use crate::expression::{Expr, Pattern, Place, Scope};
use crate::program::{
    Action, Body, BranchKind, Operation, ProcessType, ProcessTypeId, Program, VariableId,
};

pub(super) fn mark_dead(program: &Program, outside: &Outside) -> Program {
    let mut changed = program.clone();
    for (kind, process_type) in (0u32..).zip(&mut changed.process_types) {
        let live = liveness(process_type);
        let set = possibly_set(process_type, &live);
        let mut dead = vec![Vec::new(); process_type.locations.len()];
        for (variable, content) in (0u32..).map(VariableId).zip(process_type.variables.iter()) {
            if content.hidden || !outside.is_private(ProcessTypeId(kind), variable) {
                continue;
            }
            for (location, dead) in dead.iter_mut().enumerate() {
                if set[location][variable.index()] && !live[location][variable.index()] {
                    dead.push(variable);
                }
            }
        }
        for (location, dead) in process_type.locations.iter_mut().zip(dead) {
            location.dead.extend(dead);
            location.dead.sort();
            location.dead.dedup();
        }
    }
    changed
}

/// By variable: whether it may be read before it is written.
pub(super) type Live = Vec<bool>;

/// The live variables of each location.
pub(super) fn liveness(kind: &ProcessType) -> Vec<Live> {
    let mut live = vec![vec![false; kind.variables.len()]; kind.locations.len()];
    let mut entering: Vec<Vec<usize>> = vec![Vec::new(); kind.locations.len()];
    for (number, location) in kind.locations.iter().enumerate() {
        for transition in
            location.transitions.iter().filter(|each| each.operation != Operation::End)
        {
            entering[transition.target.index()].push(number);
        }
    }
    let mut waiting: Vec<usize> = (0..kind.locations.len()).collect();
    while let Some(number) = waiting.pop() {
        let mut now = live[number].clone();
        for transition in &kind.locations[number].transitions {
            let mut before = match transition.operation {
                Operation::End => vec![false; kind.variables.len()],
                _ => live[transition.target.index()].clone(),
            };
            before_operation(kind, &transition.operation, &mut before);
            join(&mut now, &before);
        }
        if now != live[number] {
            live[number] = now;
            waiting.extend(&entering[number]);
        }
    }
    live
}

/// By location: the variables that may differ from their defaults when a process arrives, if dead
/// variables are reset at every location.
fn possibly_set(kind: &ProcessType, live: &[Live]) -> Vec<Vec<bool>> {
    let mut set = vec![vec![false; kind.variables.len()]; kind.locations.len()];
    let start = &mut set[kind.initial_location.index()];
    start[..kind.parameters as usize].fill(true);
    for action in &kind.prologue {
        action.for_each_written(&mut |place| {
            if place.scope == Scope::Local {
                start[place.variable.index()] = true;
            }
        });
    }
    for (from, location) in kind.locations.iter().enumerate() {
        for transition in
            location.transitions.iter().filter(|each| each.operation != Operation::End)
        {
            let target = &mut set[transition.target.index()];
            join(target, &live[from]);
            transition.operation.for_each_written(&mut |place| {
                if place.scope == Scope::Local {
                    target[place.variable.index()] = true;
                }
            });
        }
    }
    set
}

fn join(live: &mut Live, other: &Live) {
    live.iter_mut().zip(other).for_each(|(own, other)| *own |= *other);
}

/// Replaces the variables that are live after an operation by those live before it.
fn before_operation(kind: &ProcessType, operation: &Operation, live: &mut Live) {
    match operation {
        Operation::Guarded { guard, actions } => {
            actions.iter().rev().for_each(|action| before_action(kind, action, live));
            read(guard, live);
        }
        Operation::Send { channel, arguments, .. } => {
            read(channel, live);
            arguments.iter().for_each(|argument| read(argument, live));
        }
        Operation::Receive { channel, patterns, .. } => {
            for pattern in patterns {
                if let Pattern::Bind(place) = pattern {
                    written(kind, place, live);
                }
            }
            for pattern in patterns {
                match pattern {
                    Pattern::Bind(place) => {
                        place.indices.iter().for_each(|index| read(index, live))
                    }
                    Pattern::Match(value) => read(value, live),
                    Pattern::Ignore => {}
                }
            }
            read(channel, live);
        }
        Operation::Deterministic(body) => before_body(kind, body, live),
        Operation::Else | Operation::End => {}
    }
}

pub(super) fn before_action(kind: &ProcessType, action: &Action, live: &mut Live) {
    action.for_each_written(&mut |place| written(kind, place, live));
    match action {
        // Printed values do not influence a search.
        Action::Print { .. } => {}
        other => other.for_each_expression(&mut |expr| read(expr, live)),
    }
}

/// Writing one element of an array does not kill the other elements.
fn written(kind: &ProcessType, place: &Place, live: &mut Live) {
    if place.scope == Scope::Local && kind.variables.get(place.variable).dimensions.is_empty() {
        live[place.variable.index()] = false;
    }
}

fn read(expr: &Expr, live: &mut Live) {
    if let Expr::Read(place) = expr
        && place.scope == Scope::Local
    {
        live[place.variable.index()] = true;
    }
    expr.for_each_child(&mut |child| read(child, live));
}

/// The nodes of a d_step form a graph of their own.
fn before_body(kind: &ProcessType, body: &Body, live: &mut Live) {
    let nothing = vec![false; kind.variables.len()];
    let mut at = vec![nothing; body.nodes.len()];
    let mut stable = false;
    while !stable {
        stable = true;
        for node in (0..body.nodes.len()).rev() {
            let mut now = at[node].clone();
            for branch in &body.nodes[node] {
                let mut before = match branch.next {
                    Some(next) => at[next as usize].clone(),
                    None => live.clone(),
                };
                if let BranchKind::Operation(operation) = &branch.kind {
                    before_operation(kind, operation, &mut before);
                }
                join(&mut now, &before);
            }
            if now != at[node] {
                at[node] = now;
                stable = false;
            }
        }
    }
    *live = at.swap_remove(0);
}
