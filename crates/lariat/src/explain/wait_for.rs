//! The wait-for graph: who could still remove the obstacles of whom, and a circle in it if there is one.

use super::obstacle::Obstacle;
use model::State;
use model::expression::{Expr, Pattern, Place, Scope};
use model::interp::Context;
use model::program::{Action, BranchKind, Meaning, Operation, Program, VariableId};
use std::cell::RefCell;
use std::collections::VecDeque;

/// The other processes with a statement ahead of them that could remove one of the obstacles.
pub fn helpers(program: &Program, state: &State, pid: usize, obstacles: &[Obstacle]) -> Vec<usize> {
    let others = (0..state.processes.len()).filter(|other| *other != pid);
    let helps = |other: &usize| {
        let noted = RefCell::default();
        let context = Context { pid: *other as u8, ..Context::outside(program, state, &noted) };
        let ahead = operations_ahead(program, state, *other);
        let mut changing = Vec::new();
        ahead.iter().for_each(|operation| written_locals(operation, &mut changing));
        let seen = Sight { context: &context, changing: &changing };
        obstacles.iter().any(|obstacle| match obstacle {
            Obstacle::Younger => *other > pid,
            _ => ahead.iter().any(|operation| removes(&seen, operation, obstacle)),
        })
    };
    others.filter(helps).collect()
}

/// All operations on ways from where a process is.
fn operations_ahead<'p>(program: &'p Program, state: &State, pid: usize) -> Vec<&'p Operation> {
    let process = &state.processes[pid];
    let kind = program.process_type(process.process_type);
    let mut seen = vec![false; kind.locations.len()];
    let mut todo = vec![process.location];
    seen[process.location.index()] = true;
    let mut found = Vec::new();
    while let Some(location) = todo.pop() {
        for transition in &kind.location(location).transitions {
            found.push(&transition.operation);
            let target = transition.target.index();
            let goes_on = transition.operation != Operation::End && target < seen.len();
            if goes_on && !std::mem::replace(&mut seen[target], true) {
                todo.push(transition.target);
            }
        }
    }
    found
}

/// What a process sees now, and which of its variables may be others by the time it gets to a statement.
struct Sight<'a> {
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

/// Could the operation, when its process gets to it, remove the obstacle?
fn removes(sight: &Sight<'_>, operation: &Operation, obstacle: &Obstacle) -> bool {
    match operation {
        Operation::Guarded { actions, .. } => actions.iter().any(|action| match action {
            Action::Assign(list) => list.iter().any(|(place, _)| writes(place, obstacle)),
            Action::NewChannel { place, .. } => writes(place, obstacle),
            _ => false,
        }),
        Operation::Send { channel, .. } => match obstacle {
            Obstacle::Empty(index) | Obstacle::NoMatch(index) | Obstacle::NoSender(index) => {
                may_mean(sight, channel, *index)
            }
            Obstacle::False { channels, .. } => channels.iter().any(|index| may_mean(sight, channel, *index)),
            _ => false,
        },
        Operation::Receive { channel, patterns, .. } => {
            let binds = patterns
                .iter()
                .any(|pattern| matches!(pattern, Pattern::Bind(place) if writes(place, obstacle)));
            binds
                || match obstacle {
                    Obstacle::Full(index) | Obstacle::NoMatch(index) | Obstacle::NoReceiver(index) => {
                        may_mean(sight, channel, *index)
                    }
                    Obstacle::False { channels, .. } => {
                        channels.iter().any(|index| may_mean(sight, channel, *index))
                    }
                    _ => false,
                }
        }
        Operation::Deterministic(body) => body.nodes.iter().flatten().any(|branch| match &branch.kind {
            BranchKind::Operation(inner) => removes(sight, inner, obstacle),
            BranchKind::Enter => false,
        }),
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

/// Could the expression mean this channel? One whose value may change until it is used could mean any.
fn may_mean(sight: &Sight<'_>, channel: &Expr, index: usize) -> bool {
    let changes = |expr: &Expr| match expr {
        Expr::Read(place) if place.scope == Scope::Local => sight.changing.contains(&place.variable),
        // An index that everybody can set.
        Expr::Read(place) => {
            sight.context.variables(Scope::Global).get(place.variable).meaning != Meaning::Channel
        }
        _ => false,
    };
    if channel.any(&changes) {
        return true;
    }
    sight.context.value(channel).map_or(true, |number| number as i64 == index as i64 + 1)
}

/// A shortest circle in the graph, from the lowest process in it.
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
        let mut way = vec![at];
        while at != start {
            let Some(previous) = before[at] else { break };
            way.push(previous);
            at = previous;
        }
        way.reverse();
        if best.is_empty() || way.len() < best.len() {
            best = way;
        }
    }
    best
}
