//! Changes expressions of a program where they stand.

use crate::expression::{Expr, Pattern, Place, Remote};
use crate::program::{Action, Body, BranchKind, Operation};

/// Every outermost expression of an operation, indices of places included.
pub(super) fn in_operation(operation: &mut Operation, change: &mut dyn FnMut(&mut Expr)) {
    match operation {
        Operation::Guarded { guard, actions } => {
            change(guard);
            actions.iter_mut().for_each(|action| in_action(action, change));
        }
        Operation::Send { channel, arguments, .. } => {
            change(channel);
            arguments.iter_mut().for_each(change);
        }
        Operation::Receive { channel, patterns, .. } => {
            change(channel);
            patterns.iter_mut().for_each(|pattern| in_pattern(pattern, change));
        }
        Operation::Deterministic(body) => for_each_part(body, &mut |part| in_operation(part, change)),
        Operation::Else | Operation::End => {}
    }
}

/// What is printed stays: a search does not look at it.
pub(super) fn in_action(action: &mut Action, change: &mut dyn FnMut(&mut Expr)) {
    match action {
        Action::Assign(assignments) => {
            for (place, value) in assignments {
                in_place(place, change);
                change(value);
            }
        }
        Action::NewChannel { place, .. } => in_place(place, change),
        Action::Run { arguments, .. } => arguments.iter_mut().for_each(change),
        Action::Assert { condition, .. } => change(condition),
        Action::Print { .. } => {}
        Action::SetPriority { process, priority } => {
            change(process);
            change(priority);
        }
    }
}

fn in_pattern(pattern: &mut Pattern, change: &mut dyn FnMut(&mut Expr)) {
    match pattern {
        Pattern::Bind(place) => in_place(place, change),
        Pattern::Match(value) => change(value),
        Pattern::Ignore => {}
    }
}

fn in_place(place: &mut Place, change: &mut dyn FnMut(&mut Expr)) {
    place.indices.iter_mut().for_each(change);
}

/// The operations inside a d_step.
pub(super) fn for_each_part(body: &mut Body, change: &mut dyn FnMut(&mut Operation)) {
    for branch in body.nodes.iter_mut().flatten() {
        if let BranchKind::Operation(operation) = &mut branch.kind {
            change(operation);
        }
    }
}

/// The direct subexpressions.
pub(super) fn for_each_child(expr: &mut Expr, change: &mut dyn FnMut(&mut Expr)) {
    let in_remote = |process: &mut Remote, change: &mut dyn FnMut(&mut Expr)| {
        if let Remote::Pid(pid) = process {
            change(pid);
        }
    };
    match expr {
        Expr::Const(_)
        | Expr::Timeout
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::Partner
        | Expr::Spawned
        | Expr::NonProgress => {}
        Expr::Read(place) => in_place(place, change),
        Expr::Unary(_, operand)
        | Expr::Channel(_, operand)
        | Expr::Enabled(operand)
        | Expr::PcValue(operand)
        | Expr::Priority(operand) => change(operand),
        Expr::Binary(_, left, right) => {
            change(left);
            change(right);
        }
        Expr::Conditional(condition, yes, no) => {
            change(condition);
            change(yes);
            change(no);
        }
        Expr::Poll { channel, patterns, .. } => {
            change(channel);
            patterns.iter_mut().for_each(|pattern| in_pattern(pattern, change));
        }
        Expr::At { process, .. } => in_remote(process, change),
        Expr::ReadRemote { process, indices, .. } => {
            in_remote(process, change);
            indices.iter_mut().for_each(change);
        }
    }
}
