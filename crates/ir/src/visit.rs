//! Traversal of programs: the expressions, written places and operations inside their parts.
//!
//! The read-only visitor and the rewriter (`…_mut`) are generated from one definition.

use crate::expression::{Expr, Pattern, Place, Remote};
use crate::program::{Action, Body, BranchKind, Operation, PrintPart, ProcessTypeId, Program};

macro_rules! traversal {
    ($iter:ident, $child:ident, $expression:ident, $part:ident, $print:ident, $($mutable:tt)?) => {
        impl Expr {
            /// Calls `visit` on the direct subexpressions.
            pub fn $child<'p>(
                &'p $($mutable)? self,
                visit: &mut dyn FnMut(&'p $($mutable)? Expr),
            ) {
                match self {
                    Expr::Const(_)
                    | Expr::Timeout
                    | Expr::Pid
                    | Expr::ProcessCount
                    | Expr::Last
                    | Expr::Partner
                    | Expr::Spawned
                    | Expr::NonProgress
                    | Expr::At { process: Remote::Only, .. } => {}
                    Expr::Read(place) => place.indices.$iter().for_each(visit),
                    Expr::Unary(_, operand)
                    | Expr::Channel(_, operand)
                    | Expr::Enabled(operand)
                    | Expr::PcValue(operand)
                    | Expr::Priority(operand)
                    | Expr::At { process: Remote::Pid(operand), .. } => visit(operand),
                    Expr::Binary(_, left, right) => {
                        visit(left);
                        visit(right);
                    }
                    Expr::Conditional(condition, yes, no) => {
                        visit(condition);
                        visit(yes);
                        visit(no);
                    }
                    Expr::Poll { channel, patterns, .. } => {
                        visit(channel);
                        patterns.$iter().for_each(|pattern| pattern.$expression(visit));
                    }
                    Expr::ReadRemote { process, indices, .. } => {
                        if let Remote::Pid(pid) = process {
                            visit(pid);
                        }
                        indices.$iter().for_each(visit);
                    }
                }
            }
        }

        impl Pattern {
            /// Calls `visit` on the value to match, or on the indices of the place to bind.
            pub fn $expression<'p>(
                &'p $($mutable)? self,
                visit: &mut dyn FnMut(&'p $($mutable)? Expr),
            ) {
                match self {
                    Pattern::Bind(place) => place.indices.$iter().for_each(visit),
                    Pattern::Match(value) => visit(value),
                    Pattern::Ignore => {}
                }
            }
        }

        impl Operation {
            /// Calls `visit` on the outermost expressions, including the indices of places.
            pub fn $expression<'p>(
                &'p $($mutable)? self,
                visit: &mut dyn FnMut(&'p $($mutable)? Expr),
            ) {
                match self {
                    Operation::Guarded { guard, actions } => {
                        visit(guard);
                        actions.$iter().for_each(|action| action.$expression(visit));
                    }
                    Operation::Send { channel, arguments, .. } => {
                        visit(channel);
                        arguments.$iter().for_each(visit);
                    }
                    Operation::Receive { channel, patterns, .. } => {
                        visit(channel);
                        patterns.$iter().for_each(|pattern| pattern.$expression(visit));
                    }
                    Operation::Deterministic(body) => {
                        body.$part(&mut |part| part.$expression(visit));
                    }
                    Operation::Else | Operation::End => {}
                }
            }
        }

        impl Action {
            /// Calls `visit` on the outermost expressions, including the indices of places.
            pub fn $expression<'p>(
                &'p $($mutable)? self,
                visit: &mut dyn FnMut(&'p $($mutable)? Expr),
            ) {
                match self {
                    Action::Assign(assignments) => {
                        for (place, value) in assignments {
                            place.indices.$iter().for_each(&mut *visit);
                            visit(value);
                        }
                    }
                    Action::NewChannel { place, .. } => place.indices.$iter().for_each(visit),
                    Action::Run { arguments, .. } => arguments.$iter().for_each(visit),
                    Action::Assert { condition, .. } => visit(condition),
                    Action::Print { format } => $print(format, visit),
                    Action::SetPriority { process, priority } => {
                        visit(process);
                        visit(priority);
                    }
                }
            }
        }

        impl Body {
            /// Calls `visit` on the operations of a `d_step`.
            pub fn $part<'p>(
                &'p $($mutable)? self,
                visit: &mut dyn FnMut(&'p $($mutable)? Operation),
            ) {
                for branch in self.nodes.$iter().flatten() {
                    if let BranchKind::Operation(operation) = &$($mutable)? branch.kind {
                        visit(operation);
                    }
                }
            }
        }
    };
}

traversal!(iter, for_each_child, for_each_expression, for_each_part, visit_printed,);
traversal!(
    iter_mut,
    for_each_child_mut,
    for_each_expression_mut,
    for_each_part_mut,
    keep_printed,
    mut
);

fn visit_printed<'p>(format: &'p [PrintPart], visit: &mut dyn FnMut(&'p Expr)) {
    format.iter().filter_map(PrintPart::value).for_each(visit);
}

/// The rewriter leaves printed values as they are: they do not influence a search.
fn keep_printed<'p>(_: &'p mut [PrintPart], _: &mut dyn FnMut(&'p mut Expr)) {}

impl PrintPart {
    /// The expression whose value is printed, unless the part is a fixed text.
    pub fn value(&self) -> Option<&Expr> {
        match self {
            PrintPart::Text(_) => None,
            PrintPart::Decimal(value)
            | PrintPart::Unsigned(value)
            | PrintPart::Hexadecimal(value)
            | PrintPart::Octal(value)
            | PrintPart::Character(value)
            | PrintPart::Name(value, _) => Some(value),
        }
    }
}

impl Action {
    /// Calls `visit` on the places that the action writes to.
    pub fn for_each_written<'p>(&'p self, visit: &mut dyn FnMut(&'p Place)) {
        match self {
            Action::Assign(assignments) => assignments.iter().for_each(|(place, _)| visit(place)),
            Action::NewChannel { place, .. } => visit(place),
            _ => {}
        }
    }
}

impl Operation {
    /// Calls `visit` on the operation itself or, for a `d_step`, on the operations inside.
    pub fn for_each_simple<'p>(&'p self, visit: &mut dyn FnMut(&'p Operation)) {
        match self {
            Operation::Deterministic(body) => body.for_each_part(visit),
            _ => visit(self),
        }
    }

    /// Calls `visit` on the places that the operation writes to.
    pub fn for_each_written<'p>(&'p self, visit: &mut dyn FnMut(&'p Place)) {
        self.for_each_simple(&mut |operation| match operation {
            Operation::Guarded { actions, .. } => {
                actions.iter().for_each(|action| action.for_each_written(visit));
            }
            Operation::Receive { patterns, .. } => {
                for pattern in patterns {
                    if let Pattern::Bind(place) = pattern {
                        visit(place);
                    }
                }
            }
            _ => {}
        });
    }

    /// Calls `visit` on the types of the processes that the operation creates.
    pub fn for_each_run(&self, visit: &mut dyn FnMut(ProcessTypeId)) {
        self.for_each_simple(&mut |operation| {
            let Operation::Guarded { actions, .. } = operation else { return };
            for action in actions {
                if let Action::Run { process_type, .. } = action {
                    visit(*process_type);
                }
            }
        });
    }

    /// Calls `visit` on the channels that the operation receives from.
    pub fn for_each_receive(&self, visit: &mut dyn FnMut(&Expr)) {
        self.for_each_simple(&mut |operation| {
            if let Operation::Receive { channel, .. } = operation {
                visit(channel);
            }
        });
    }
}

impl Program {
    /// Calls `visit` on the outermost expressions, including the indices of places.
    pub fn for_each_expression<'p>(&'p self, visit: &mut dyn FnMut(&'p Expr)) {
        self.prologue.iter().for_each(|action| action.for_each_expression(visit));
        self.for_each_condition(visit);
        for kind in &self.process_types {
            kind.prologue.iter().for_each(|action| action.for_each_expression(visit));
            kind.provided.iter().for_each(&mut *visit);
            kind.exclusive.iter().for_each(|claim| visit(&claim.channel));
            for transition in kind.locations.iter().flat_map(|location| &location.transitions) {
                transition.operation.for_each_expression(visit);
            }
        }
    }

    /// Calls `visit` on the expressions that belong to no process: the conditions on states and the
    /// expressions of the event trace.
    pub fn for_each_condition<'p>(&'p self, visit: &mut dyn FnMut(&'p Expr)) {
        self.initial_condition.iter().for_each(&mut *visit);
        self.invariants.iter().for_each(|invariant| visit(&invariant.condition));
        self.end_condition.iter().for_each(&mut *visit);
        if let Some(trace) = &self.event_trace {
            trace.send_scope.iter().chain(&trace.receive_scope).for_each(&mut *visit);
            for event in trace.locations.iter().flatten() {
                visit(&event.channel);
                event.fields.iter().flatten().for_each(&mut *visit);
            }
        }
    }
}
