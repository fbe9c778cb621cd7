//! Variables that count processes at locations, such as `inside++ … inside--` around a critical
//! section. If all paths from the initial location of a process type to a location add the same
//! amount to a variable, then the variable is its initial value plus the amount of each process's
//! location: a place invariant (Lautenbach 1975) with one weight per location. The number of
//! processes then bounds the variable for every interleaving, where intervals alone would grow
//! without bound.

use super::Instances;
use crate::expression::{BinaryOp, Expr, Place, Scope};
use crate::layout::Interval;
use crate::program::{
    Action, Body, BranchKind, Operation, ProcessType, ProcessTypeId, Program, VariableId,
};

/// A variable that counts processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The values that it can have between steps.
    pub values: Interval,
    /// By process type: whether it counts some of these processes.
    pub counted: Vec<bool>,
}

/// By global variable: its count, if it counts processes. `start` are the initial values.
pub(super) fn counts(
    program: &Program,
    instances: &Instances,
    start: &[Interval],
) -> Vec<Option<Count>> {
    let mut counts = vec![None; program.variables.len()];
    for variable in candidates(program) {
        counts[variable.index()] = count(program, instances, variable, start[variable.index()]);
    }
    counts
}

fn count(
    program: &Program,
    instances: &Instances,
    variable: VariableId,
    start: Interval,
) -> Option<Count> {
    let (mut values, mut counted) = (start, Vec::new());
    for (number, kind) in (0..).zip(&program.process_types) {
        let owed = weights(kind, variable)?.of_all(instances.created(ProcessTypeId(number)))?;
        values = Interval { low: values.low + owed.low, high: values.high + owed.high };
        counted.push(owed.high > 0);
    }
    // Within the domain no store wraps, so the sum is the value.
    let domain = Interval::of_domain(program.variables.get(variable).domain);
    domain.contains(values).then_some(Count { values, counted })
}

/// Scalars that are written only by adding constants to them.
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
            action.for_each_written(&mut |place| note(place, false));
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
                    _ => action.for_each_written(&mut |place| note(place, false)),
                }
            }
        }
        Operation::Deterministic(body) => body.for_each_part(&mut |part| note_writes(part, note)),
        _ => operation.for_each_written(&mut |place| note(place, false)),
    }
}

/// The constant that `place = value` adds to the place, if the assignment has that form.
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

/// The amounts that a process of a type can have added to a variable.
struct Weights {
    /// While it exists.
    anywhere: Interval,
    /// After it has ceased to exist; `None` if it never does.
    gone: Option<Interval>,
}

impl Weights {
    /// The amounts that all processes of the type can have added, if at most `created` are created.
    fn of_all(&self, created: Option<u32>) -> Option<Interval> {
        let nothing = Interval::point(0);
        let most = match created {
            Some(created) => created,
            _ if self.anywhere == nothing => 0,
            // Processes that have ceased to exist contribute nothing, and at most this many
            // coexist.
            None if self.gone.is_none_or(|gone| gone == nothing) => MOST_PROCESSES,
            None => return None,
        };
        let most = i64::from(most);
        Some(Interval { low: most * self.anywhere.low, high: most * self.anywhere.high })
    }
}

const MOST_PROCESSES: u32 = 255;

/// `None` if paths to the same location add different amounts.
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

/// The amount that an operation adds; `None` if it depends on the path through a `d_step`.
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
        Operation::Else | Operation::Send { .. } | Operation::Receive { .. } | Operation::End => {
            Some(0)
        }
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
    // A body without an exit has no successors, so it adds nothing to any state.
    let exits = potential(body.nodes.len(), 0, edges)?.at_exits.unwrap_or(Interval::point(0));
    exits.is_point().then_some(exits.low)
}

struct Potential {
    anywhere: Interval,
    /// The amounts at the exits of the graph, if there are any.
    at_exits: Option<Interval>,
}

/// Computes the amount that the paths to each reachable node add, if it is the same for all paths
/// to that node. An edge is a target (`None` leaves the graph) and an amount, if that is known.
fn potential<E: Iterator<Item = (Option<usize>, Option<i64>)>>(
    nodes: usize,
    first: usize,
    edges: impl Fn(usize) -> E,
) -> Option<Potential> {
    /// Larger than all domains; multiplied by any number of processes it still fits into 64 bits.
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
                found.at_exits =
                    Some(found.at_exits.map_or(there_alone, |exits| exits.join(there_alone)));
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
