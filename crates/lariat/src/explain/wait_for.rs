//! The wait-for graph: an edge leads to every process that could still remove an obstacle.

use super::obstacle::Obstacle;
use lariat_ir::State;
use lariat_ir::expression::{Expr, Pattern, Place, Scope};
use lariat_ir::interp::Context;
use lariat_ir::program::{Action, BranchKind, Meaning, Operation, Program, VariableId};
use std::cell::RefCell;
use std::collections::VecDeque;

/// The processes that can reach a statement that could remove one of the obstacles of `pid`.
pub fn helpers(program: &Program, state: &State, pid: usize, obstacles: &[Obstacle]) -> Vec<usize> {
    let others = (0..state.processes.len()).filter(|other| *other != pid);
    let helps = |other: &usize| {
        let noted = RefCell::default();
        let context = Context { pid: *other as u8, ..Context::outside(program, state, &noted) };
        let ahead = operations_ahead(program, state, *other);
        let mut changing = Vec::new();
        ahead.iter().for_each(|operation| written_locals(operation, &mut changing));
        let future = FutureContext { context: &context, changing: &changing };
        obstacles.iter().any(|obstacle| match obstacle {
            Obstacle::Younger => *other > pid,
            _ => ahead.iter().any(|operation| removes(&future, operation, obstacle)),
        })
    };
    others.filter(helps).collect()
}

/// All operations reachable from the location of a process.
fn operations_ahead<'p>(program: &'p Program, state: &State, pid: usize) -> Vec<&'p Operation> {
    let process = &state.processes[pid];
    let kind = program.process_type(process.process_type);
    let mut seen = vec![false; kind.locations.len()];
    let mut worklist = vec![process.location];
    seen[process.location.index()] = true;
    let mut found = Vec::new();
    while let Some(location) = worklist.pop() {
        for transition in &kind.location(location).transitions {
            found.push(&transition.operation);
            let target = transition.target.index();
            let goes_on = transition.operation != Operation::End && target < seen.len();
            if goes_on && !std::mem::replace(&mut seen[target], true) {
                worklist.push(transition.target);
            }
        }
    }
    found
}

/// The context of a process, and the local variables that may change before it reaches a statement.
struct FutureContext<'a> {
    context: &'a Context<'a>,
    changing: &'a [VariableId],
}

fn written_locals(operation: &Operation, out: &mut Vec<VariableId>) {
    let mut note = |place: &Place| {
        if place.scope == Scope::Local {
            out.push(place.variable);
        }
    };
    match operation {
        Operation::Guarded { actions, .. } => {
            for action in actions {
                match action {
                    Action::Assign(list) => list.iter().for_each(|(place, _)| note(place)),
                    Action::NewChannel { place, .. } => note(place),
                    _ => {}
                }
            }
        }
        Operation::Receive { patterns, .. } => {
            for pattern in patterns {
                if let Pattern::Bind(place) = pattern {
                    note(place);
                }
            }
        }
        Operation::Deterministic(body) => {
            for branch in body.nodes.iter().flatten() {
                if let BranchKind::Operation(inner) = &branch.kind {
                    written_locals(inner, out);
                }
            }
        }
        Operation::Send { .. } | Operation::Else | Operation::End => {}
    }
}

/// Could the operation remove the obstacle?
fn removes(future: &FutureContext<'_>, operation: &Operation, obstacle: &Obstacle) -> bool {
    match operation {
        Operation::Guarded { actions, .. } => actions.iter().any(|action| match action {
            Action::Assign(list) => list.iter().any(|(place, _)| writes(place, obstacle)),
            Action::NewChannel { place, .. } => writes(place, obstacle),
            _ => false,
        }),
        Operation::Send { channel, .. } => match obstacle {
            Obstacle::Empty(index) | Obstacle::NoMatch(index) | Obstacle::NoSender(index) => {
                may_denote(future, channel, *index)
            }
            Obstacle::False { channels, .. } => {
                channels.iter().any(|index| may_denote(future, channel, *index))
            }
            _ => false,
        },
        Operation::Receive { channel, patterns, .. } => {
            let binds = patterns
                .iter()
                .any(|pattern| matches!(pattern, Pattern::Bind(place) if writes(place, obstacle)));
            binds
                || match obstacle {
                    Obstacle::Full(index)
                    | Obstacle::NoMatch(index)
                    | Obstacle::NoReceiver(index) => may_denote(future, channel, *index),
                    Obstacle::False { channels, .. } => {
                        channels.iter().any(|index| may_denote(future, channel, *index))
                    }
                    _ => false,
                }
        }
        Operation::Deterministic(body) => {
            body.nodes.iter().flatten().any(|branch| match &branch.kind {
                BranchKind::Operation(inner) => removes(future, inner, obstacle),
                BranchKind::Enter => false,
            })
        }
        Operation::Else | Operation::End => false,
    }
}

fn writes(place: &Place, obstacle: &Obstacle) -> bool {
    let wanted = |variable: VariableId| place.scope == Scope::Global && place.variable == variable;
    match obstacle {
        Obstacle::False { reads, .. } => reads.iter().filter_map(|read| read.global).any(wanted),
        _ => false,
    }
}

/// Could the expression denote this channel? An expression whose value may change could denote any.
fn may_denote(future: &FutureContext<'_>, channel: &Expr, index: usize) -> bool {
    let changes = |expr: &Expr| match expr {
        Expr::Read(place) if place.scope == Scope::Local => {
            future.changing.contains(&place.variable)
        }
        // A global index can be changed by every process.
        Expr::Read(place) => {
            future.context.variables(Scope::Global).get(place.variable).meaning != Meaning::Channel
        }
        _ => false,
    };
    if channel.any(&changes) {
        return true;
    }
    future.context.value(channel).map_or(true, |number| number as i64 == index as i64 + 1)
}

/// A shortest cycle of the graph, beginning with its lowest process.
pub fn circle(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::new();
    for start in 0..edges.len() {
        let mut before = vec![None; edges.len()];
        let mut queue = VecDeque::from([start]);
        let mut found = None;
        'search: while let Some(at) = queue.pop_front() {
            for &next in &edges[at] {
                if next == start {
                    found = Some(at);
                    break 'search;
                }
                if before[next].is_none() {
                    before[next] = Some(at);
                    queue.push_back(next);
                }
            }
        }
        let Some(mut at) = found else { continue };
        let mut cycle = vec![at];
        while at != start {
            let Some(previous) = before[at] else { break };
            cycle.push(previous);
            at = previous;
        }
        cycle.reverse();
        if best.is_empty() || cycle.len() < best.len() {
            best = cycle;
        }
    }
    best
}
