//! Variables that count where processes are, such as `inside++ … inside--` around a critical section. If every way from a
//! type's first location to another adds the same to a variable, then the variable is its first value plus what each
//! process owes to the location it is at: a place invariant (Lautenbach 1975) with one weight for each location. So as
//! many processes as can exist bound it, however their steps interleave, where intervals alone see it grow for ever.

use super::Instances;
use crate::expression::{BinaryOp, Expr, Place, Scope};
use crate::layout::Interval;
use crate::program::{Action, Body, BranchKind, Operation, ProcessType, ProcessTypeId, Program, VariableId};
use crate::reduce::walk;

/// A variable that counts processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// What it can be between steps.
    pub values: Interval,
    /// By process type: does it count some of them?
    pub counted: Vec<bool>,
}

/// By variable of the program, `start` being what it is at first: does it count processes?
pub(super) fn counts(program: &Program, instances: &Instances, start: &[Interval]) -> Vec<Option<Count>> {
    let mut counts = vec![None; program.variables.len()];
    for variable in candidates(program) {
        counts[variable.index()] = count(program, instances, variable, start[variable.index()]);
    }
    counts
}

fn count(program: &Program, instances: &Instances, variable: VariableId, start: Interval) -> Option<Count> {
    let (mut values, mut counted) = (start, Vec::new());
    for (number, kind) in (0..).zip(&program.process_types) {
        let owed = weights(kind, variable)?.of_all(instances.created(ProcessTypeId(number)))?;
        values = Interval { low: values.low + owed.low, high: values.high + owed.high };
        counted.push(owed.high > 0);
    }
    // Within the domain nothing is ever cut off, so that the sum is the value.
    let domain = Interval::of_domain(program.variables.get(variable).domain);
    domain.contains(values).then_some(Count { values, counted })
}

/// Scalars that are written, and only by adding constants to them.
fn candidates(program: &Program) -> Vec<VariableId> {
    let mut written = vec![false; program.variables.len()];
    let mut otherwise = vec![false; program.variables.len()];
    let mut note = |place: &Place, adds: bool| {
        if place.scope == Scope::Global {
            written[place.variable.index()] = true;
            otherwise[place.variable.index()] |= !adds;
        }
    };
    for kind in &program.process_types {
        for action in &kind.prologue {
            walk::written_by_action(action, &mut |place| note(place, false));
        }
        for transition in kind.locations.iter().flat_map(|location| &location.transitions) {
            note_writes(&transition.operation, &mut note);
        }
    }
    let count = program.variables.len() as u32;
    (0..count).map(VariableId).filter(|id| written[id.index()] && !otherwise[id.index()]).collect()
}

fn note_writes(operation: &Operation, note: &mut dyn FnMut(&Place, bool)) {
    match operation {
        Operation::Guarded { actions, .. } => {
            for action in actions {
                match action {
                    Action::Assign(assignments) => {
                        let several = assignments.len() > 1;
                        assignments.iter().for_each(|(place, value)| {
                            note(place, !several && added(place, value).is_some());
                        });
                    }
                    _ => walk::written_by_action(action, &mut |place| note(place, false)),
                }
            }
        }
        Operation::Deterministic(body) => walk::for_each_part(body, &mut |part| note_writes(part, note)),
        _ => walk::written_by_operation(operation, &mut |place| note(place, false)),
    }
}

/// The constant that `place = value` adds to the place, if it does no more than that.
fn added(place: &Place, value: &Expr) -> Option<i64> {
    let Expr::Binary(op, left, right) = value else { return None };
    let is_place = |expr: &Expr| matches!(expr, Expr::Read(read) if read == place);
    match (op, &**left, &**right) {
        _ if !place.indices.is_empty() => None,
        (BinaryOp::Add, read, Expr::Const(more)) | (BinaryOp::Add, Expr::Const(more), read)
            if is_place(read) =>
        {
            Some(i64::from(*more))
        }
        (BinaryOp::Subtract, read, Expr::Const(less)) if is_place(read) => Some(-i64::from(*less)),
        _ => None,
    }
}

/// What a process of a type may owe a variable.
struct Weights {
    /// While it is somewhere.
    anywhere: Interval,
    /// When it has ceased to exist.
    gone: Option<Interval>,
}

impl Weights {
    /// What so many processes, one after the other or together, may owe in all.
    fn of_all(&self, created: Option<u32>) -> Option<Interval> {
        let nothing = Interval::point(0);
        let most = match created {
            Some(created) => created,
            _ if self.anywhere == nothing => 0,
            // However many there were, not more than this exist at a time.
            None if self.gone.is_none_or(|gone| gone == nothing) => MOST_PROCESSES,
            None => return None,
        };
        let most = i64::from(most);
        Some(Interval { low: most * self.anywhere.low, high: most * self.anywhere.high })
    }
}

const MOST_PROCESSES: u32 = 255;

/// `None` if the ways to some location differ in what they add.
fn weights(kind: &ProcessType, variable: VariableId) -> Option<Weights> {
    let edges = |location: usize| {
        let transitions = kind.locations[location].transitions.iter();
        transitions.map(move |transition| match transition.operation {
            Operation::End => (None, Some(0)),
            _ => (Some(transition.target.index()), sum(&transition.operation, variable)),
        })
    };
    let found = potential(kind.locations.len(), kind.initial_location.index(), edges)?;
    Some(Weights { anywhere: found.anywhere, gone: found.at_exits })
}

/// What an operation adds, whichever way it goes; `None` if that depends on the way.
fn sum(operation: &Operation, variable: VariableId) -> Option<i64> {
    match operation {
        Operation::Guarded { actions, .. } => {
            let mut sum = 0i64;
            for action in actions {
                let Action::Assign(assignments) = action else { continue };
                for (place, value) in assignments {
                    if place.scope == Scope::Global && place.variable == variable {
                        sum = sum.checked_add(added(place, value)?)?;
                    }
                }
            }
            Some(sum)
        }
        Operation::Deterministic(body) => sum_of_body(body, variable),
        Operation::Else | Operation::Send { .. } | Operation::Receive { .. } | Operation::End => Some(0),
    }
}

fn sum_of_body(body: &Body, variable: VariableId) -> Option<i64> {
    let edges = |node: usize| {
        body.nodes[node].iter().map(move |branch| {
            let sum = match &branch.kind {
                BranchKind::Operation(operation) => sum(operation, variable),
                BranchKind::Enter => Some(0),
            };
            (branch.next.map(|next| next as usize), sum)
        })
    };
    // A body that is never left changes no state.
    let exits = potential(body.nodes.len(), 0, edges)?.at_exits.unwrap_or(Interval::point(0));
    exits.is_point().then_some(exits.low)
}

struct Potential {
    anywhere: Interval,
    /// Where the graph is left, if it can be.
    at_exits: Option<Interval>,
}

/// Gives each node that can be reached what all ways to it add, if that is the same for all. An edge has a target, or none if
/// it leaves the graph, and what it adds, if that is known.
fn potential<E: Iterator<Item = (Option<usize>, Option<i64>)>>(
    nodes: usize,
    first: usize,
    edges: impl Fn(usize) -> E,
) -> Option<Potential> {
    /// Beyond all domains, and far from what 64 bits hold however many processes there are.
    const LARGE: i64 = 1 << 40;
    let mut at: Vec<Option<i64>> = vec![None; nodes];
    let mut found = Potential { anywhere: Interval::point(0), at_exits: None };
    at[first] = Some(0);
    let mut waiting = vec![(first, 0)];
    while let Some((node, here)) = waiting.pop() {
        for (target, added) in edges(node) {
            let there = here + added?;
            if there.abs() > LARGE {
                return None;
            }
            let there_alone = Interval { low: there, high: there };
            let Some(target) = target else {
                found.at_exits = Some(found.at_exits.map_or(there_alone, |exits| exits.join(there_alone)));
                continue;
            };
            match at[target] {
                Some(known) if known != there => return None,
                Some(_) => {}
                None => {
                    at[target] = Some(there);
                    found.anywhere = found.anywhere.join(there_alone);
                    waiting.push((target, there));
                }
            }
        }
    }
    Some(found)
}
