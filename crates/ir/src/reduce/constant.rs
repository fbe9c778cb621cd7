//! Constant propagation (Kildall 1973): reads of a variable that provably never changes are
//! replaced by its value, and the resulting constant expressions are evaluated. The variable
//! remains, but takes no bits in a packed state.
//!
//! Sound: in every reachable state the variable has that value, so every expression keeps its
//! value. The program's prologue is not changed, and in the prologue of a process the process's own
//! variables are not replaced.

use crate::expression::{BinaryOp, Expr, Place, Scope};
use crate::program::{Action, Operation, ProcessTypeId, Program, VariableId};
use crate::ranges::Ranges;

pub(super) fn constants(program: &Program, ranges: &Ranges) -> Program {
    let known = Constants::find(program, ranges);
    let mut changed = program.clone();
    for (kind, process_type) in changed.process_types.iter_mut().enumerate() {
        let reader = Some(ProcessTypeId(kind as u32));
        let mut globals = |expr: &mut Expr| known.replace(program, ranges, None, expr);
        process_type
            .prologue
            .iter_mut()
            .for_each(|action| action.for_each_expression_mut(&mut globals));
        let mut all = |expr: &mut Expr| known.replace(program, ranges, reader, expr);
        process_type.provided.iter_mut().for_each(&mut all);
        process_type.exclusive.iter_mut().for_each(|claim| all(&mut claim.channel));
        for transition in
            process_type.locations.iter_mut().flat_map(|location| &mut location.transitions)
        {
            transition.operation.for_each_expression_mut(&mut all);
        }
    }
    let mut globals = |expr: &mut Expr| known.replace(program, ranges, None, expr);
    changed.invariants.iter_mut().for_each(|invariant| globals(&mut invariant.condition));
    changed.end_condition.iter_mut().for_each(&mut globals);
    if let Some(trace) = &mut changed.event_trace {
        trace.send_scope.iter_mut().chain(&mut trace.receive_scope).for_each(&mut globals);
        for event in trace.locations.iter_mut().flatten() {
            globals(&mut event.channel);
            event.fields.iter_mut().flatten().for_each(&mut globals);
        }
    }
    changed
}

struct Constants {
    globals: Vec<Option<i32>>,
    locals: Vec<Vec<Option<i32>>>,
}

impl Constants {
    fn find(program: &Program, ranges: &Ranges) -> Constants {
        let point =
            |interval: crate::layout::Interval| interval.is_point().then_some(interval.low as i32);
        let ids = |count: usize| (0..count as u32).map(VariableId);
        let mut known = Constants {
            globals: ids(program.variables.len()).map(|id| point(ranges.global(id))).collect(),
            locals: (0u32..)
                .zip(&program.process_types)
                .map(|(kind, process_type)| {
                    let of_kind = ids(process_type.variables.len());
                    of_kind.map(|id| point(ranges.local(ProcessTypeId(kind), id))).collect()
                })
                .collect(),
        };
        // A variable may have another value inside a step, unless every write stores its constant.
        for (kind, process_type) in program.process_types.iter().enumerate() {
            for transition in
                process_type.locations.iter().flat_map(|location| &location.transitions)
            {
                known.exclude(program, kind, &transition.operation);
            }
        }
        known
    }

    fn exclude(&mut self, program: &Program, kind: usize, operation: &Operation) {
        match operation {
            Operation::Guarded { actions, .. } => {
                for action in actions {
                    let Action::Assign(assignments) = action else { continue };
                    for (place, value) in assignments {
                        let domain = match place.scope {
                            Scope::Global => program.variables.get(place.variable).domain,
                            Scope::Local => {
                                program.process_types[kind].variables.get(place.variable).domain
                            }
                        };
                        let cell = self.cell(kind, place);
                        let same =
                            matches!(value, Expr::Const(value) if domain.store(*value) == *cell);
                        if !same {
                            *cell = None;
                        }
                    }
                }
            }
            Operation::Deterministic(body) => {
                body.for_each_part(&mut |part| self.exclude(program, kind, part));
            }
            other => other.for_each_written(&mut |place| *self.cell(kind, place) = None),
        }
    }

    fn cell(&mut self, kind: usize, place: &Place) -> &mut Option<i32> {
        match place.scope {
            Scope::Global => &mut self.globals[place.variable.index()],
            Scope::Local => &mut self.locals[kind][place.variable.index()],
        }
    }

    /// Replaces reads by constants; `reader` is the type of the evaluating process.
    fn replace(
        &self,
        program: &Program,
        ranges: &Ranges,
        reader: Option<ProcessTypeId>,
        expr: &mut Expr,
    ) {
        expr.for_each_child_mut(&mut |child| self.replace(program, ranges, reader, child));
        if let Expr::Read(place) = expr {
            let value = match (place.scope, reader) {
                (Scope::Global, _) => self.globals[place.variable.index()],
                (Scope::Local, Some(kind)) => self.locals[kind.index()][place.variable.index()],
                (Scope::Local, None) => None,
            };
            if let Some(value) = value
                && (place.indices.is_empty() || !ranges.place_can_fail(program, reader, place))
            {
                *expr = Expr::Const(value);
            }
        }
        fold(expr);
    }
}

/// Evaluates an expression whose subexpressions are already folded.
fn fold(expr: &mut Expr) {
    let value = match expr {
        Expr::Unary(op, operand) => match **operand {
            Expr::Const(value) => Some(Expr::Const(op.apply(value))),
            _ => None,
        },
        Expr::Binary(op, left, right) => match (&**left, &**right) {
            (Expr::Const(left), Expr::Const(right)) => {
                op.apply(*left, *right).ok().map(Expr::Const)
            }
            (Expr::Const(left), _) => match (op, *left != 0) {
                (BinaryOp::And, false) => Some(Expr::Const(0)),
                (BinaryOp::Or, true) => Some(Expr::Const(1)),
                (BinaryOp::And, true) | (BinaryOp::Or, false) if is_truth(right) => {
                    Some((**right).clone())
                }
                _ => None,
            },
            (_, Expr::Const(right)) => match (op, *right != 0) {
                (BinaryOp::And, true) | (BinaryOp::Or, false) if is_truth(left) => {
                    Some((**left).clone())
                }
                _ => None,
            },
            _ => None,
        },
        Expr::Conditional(condition, yes, no) => match **condition {
            Expr::Const(0) => Some((**no).clone()),
            Expr::Const(_) => Some((**yes).clone()),
            _ => None,
        },
        _ => None,
    };
    if let Some(value) = value {
        *expr = value;
    }
}

/// Whether the value is always 0 or 1.
fn is_truth(expr: &Expr) -> bool {
    match expr {
        Expr::Unary(op, _) => *op == crate::expression::UnaryOp::Not,
        Expr::Binary(op, ..) => matches!(
            op,
            BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
                | BinaryOp::And
                | BinaryOp::Or
        ),
        Expr::Const(value) => matches!(value, 0 | 1),
        Expr::Poll { .. }
        | Expr::Timeout
        | Expr::Enabled(_)
        | Expr::NonProgress
        | Expr::At { .. } => true,
        _ => false,
    }
}
