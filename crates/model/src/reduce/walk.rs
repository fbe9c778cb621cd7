//! Visits every part of a program: the passes look at programs through this, so that what is read where is said once.

use crate::expression::{Expr, Pattern, Place};
use crate::program::{Action, Body, BranchKind, Operation, PrintPart, ProcessTypeId, Program};

/// Every outermost expression of the program, indices of places included.
pub(crate) fn expressions<'p>(program: &'p Program, visit: &mut dyn FnMut(&'p Expr)) {
    program.prologue.iter().for_each(|action| in_action(action, visit));
    outside_processes(program, visit);
    for kind in &program.process_types {
        kind.prologue.iter().for_each(|action| in_action(action, visit));
        kind.provided.iter().for_each(&mut *visit);
        kind.exclusive.iter().for_each(|claim| visit(&claim.channel));
        for transition in kind.locations.iter().flat_map(|location| &location.transitions) {
            in_operation(&transition.operation, visit);
        }
    }
}

/// The expressions that no process evaluates for its own steps: conditions and the event trace.
pub(crate) fn outside_processes<'p>(program: &'p Program, visit: &mut dyn FnMut(&'p Expr)) {
    program.initial_condition.iter().for_each(&mut *visit);
    program.invariants.iter().for_each(|invariant| visit(&invariant.condition));
    program.end_condition.iter().for_each(&mut *visit);
    if let Some(trace) = &program.event_trace {
        trace.send_scope.iter().chain(&trace.receive_scope).for_each(&mut *visit);
        for event in trace.locations.iter().flatten() {
            visit(&event.channel);
            event.fields.iter().flatten().for_each(&mut *visit);
        }
    }
}

pub(crate) fn in_operation<'p>(operation: &'p Operation, visit: &mut dyn FnMut(&'p Expr)) {
    match operation {
        Operation::Guarded { guard, actions } => {
            visit(guard);
            actions.iter().for_each(|action| in_action(action, visit));
        }
        Operation::Send { channel, arguments, .. } => {
            visit(channel);
            arguments.iter().for_each(visit);
        }
        Operation::Receive { channel, patterns, .. } => {
            visit(channel);
            for pattern in patterns {
                match pattern {
                    Pattern::Bind(place) => place.indices.iter().for_each(&mut *visit),
                    Pattern::Match(value) => visit(value),
                    Pattern::Ignore => {}
                }
            }
        }
        Operation::Deterministic(body) => for_each_part(body, &mut |part| in_operation(part, visit)),
        Operation::Else | Operation::End => {}
    }
}

pub(crate) fn in_action<'p>(action: &'p Action, visit: &mut dyn FnMut(&'p Expr)) {
    match action {
        Action::Assign(assignments) => {
            for (place, value) in assignments {
                place.indices.iter().for_each(&mut *visit);
                visit(value);
            }
        }
        Action::NewChannel { place, .. } => place.indices.iter().for_each(visit),
        Action::Run { arguments, .. } => arguments.iter().for_each(visit),
        Action::Assert { condition, .. } => visit(condition),
        Action::Print { format } => format.iter().filter_map(printed).for_each(visit),
        Action::SetPriority { process, priority } => {
            visit(process);
            visit(priority);
        }
    }
}

pub(crate) fn printed(part: &PrintPart) -> Option<&Expr> {
    match part {
        PrintPart::Text(_) => None,
        PrintPart::Decimal(value)
        | PrintPart::Unsigned(value)
        | PrintPart::Hexadecimal(value)
        | PrintPart::Octal(value)
        | PrintPart::Character(value)
        | PrintPart::Name(value, _) => Some(value),
    }
}

/// Every place that an operation writes to.
pub(crate) fn written_by_operation<'p>(operation: &'p Operation, visit: &mut dyn FnMut(&'p Place)) {
    match operation {
        Operation::Guarded { actions, .. } => {
            actions.iter().for_each(|action| written_by_action(action, visit));
        }
        Operation::Receive { patterns, .. } => {
            for pattern in patterns {
                if let Pattern::Bind(place) = pattern {
                    visit(place);
                }
            }
        }
        Operation::Deterministic(body) => for_each_part(body, &mut |part| written_by_operation(part, visit)),
        Operation::Send { .. } | Operation::Else | Operation::End => {}
    }
}

pub(crate) fn written_by_action<'p>(action: &'p Action, visit: &mut dyn FnMut(&'p Place)) {
    match action {
        Action::Assign(assignments) => assignments.iter().for_each(|(place, _)| visit(place)),
        Action::NewChannel { place, .. } => visit(place),
        _ => {}
    }
}

/// The types of the processes that an operation creates.
pub(crate) fn for_each_run(operation: &Operation, visit: &mut dyn FnMut(ProcessTypeId)) {
    match operation {
        Operation::Guarded { actions, .. } => {
            for action in actions {
                if let Action::Run { process_type, .. } = action {
                    visit(*process_type);
                }
            }
        }
        Operation::Deterministic(body) => for_each_part(body, &mut |part| for_each_run(part, visit)),
        _ => {}
    }
}

/// The channels that an operation receives from.
pub(crate) fn for_each_receive(operation: &Operation, visit: &mut dyn FnMut(&Expr)) {
    match operation {
        Operation::Receive { channel, .. } => visit(channel),
        Operation::Deterministic(body) => for_each_part(body, &mut |part| for_each_receive(part, visit)),
        _ => {}
    }
}

/// The operations inside a d_step.
pub(crate) fn for_each_part<'p>(body: &'p Body, visit: &mut dyn FnMut(&'p Operation)) {
    for branch in body.nodes.iter().flatten() {
        if let BranchKind::Operation(operation) = &branch.kind {
            visit(operation);
        }
    }
}
