//! Rules of transitions, d_step bodies and actions.

use super::{Evaluator, Verifier};
use crate::expression::{Expr, Pattern, Scope};
use crate::program::{
    Action, Body, BranchKind, Operation, PrintPart, ProcessType, ProcessTypeId, Transition,
};

impl Verifier<'_> {
    pub(super) fn transition(&mut self, kind: &ProcessType, transition: &Transition) {
        self.origin(transition.origin);
        let count = kind.locations.len();
        let ends = transition.operation == Operation::End;
        let arrives = transition.target.index() < count || ends;
        self.require(arrives, || {
            format!("no target {}: there are {count} locations", transition.target.0)
        });
        self.require(!(ends && transition.keeps_control), || {
            "a process that ends cannot keep control".into()
        });
        match &transition.operation {
            Operation::Deterministic(body) => {
                self.in_part("d_step", |verifier| verifier.body(body))
            }
            operation => self.operation(operation),
        }
    }

    fn operation(&mut self, operation: &Operation) {
        self.spawned = false;
        match operation {
            Operation::Guarded { guard, actions } => {
                self.expression(guard);
                self.actions(actions);
            }
            Operation::Send { channel, arguments, .. } => {
                self.expression(channel);
                arguments.iter().for_each(|argument| self.expression(argument));
                self.require(!arguments.is_empty(), || "a message has at least one field".into());
            }
            Operation::Receive { channel, patterns, .. } => {
                self.expression(channel);
                patterns.iter().for_each(|pattern| self.pattern(pattern));
                self.require(!patterns.is_empty(), || "a message has at least one field".into());
            }
            Operation::Else | Operation::End | Operation::Deterministic(_) => {}
        }
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Bind(place) => self.place(place),
            Pattern::Match(value) => self.expression(value),
            Pattern::Ignore => {}
        }
    }

    fn body(&mut self, body: &Body) {
        let count = body.nodes.len();
        self.require(count > 0, || "a d_step has at least one node".into());
        for (number, branches) in body.nodes.iter().enumerate() {
            self.in_part(format!("node {number}"), |verifier| {
                for (index, branch) in branches.iter().enumerate() {
                    verifier.origin(branch.origin);
                    if let Some(next) = branch.next {
                        let exists = (next as usize) < count;
                        verifier.require(exists, || format!("no node {next}: there are {count}"));
                    }
                    match &branch.kind {
                        BranchKind::Enter => {}
                        BranchKind::Operation(Operation::End | Operation::Deterministic(_)) => {
                            verifier.report("only simple operations happen inside a d_step");
                        }
                        BranchKind::Operation(operation) => verifier.operation(operation),
                    }
                    let last = index + 1 == branches.len();
                    let is_else = matches!(branch.kind, BranchKind::Operation(Operation::Else));
                    verifier.require(last || !is_else, || {
                        "a branch after `else` is never taken".into()
                    });
                }
            });
        }
        self.require(enters_end(body), || "nodes enter one another in a cycle".into());
    }

    /// Initial values are made by assignments and new channels only, each in its own scope.
    pub(super) fn prologue(&mut self, actions: &[Action]) {
        self.spawned = false;
        let own = if self.evaluator == Evaluator::Prologue { Scope::Global } else { Scope::Local };
        for (index, action) in actions.iter().enumerate() {
            self.in_part(format!("action {index}"), |verifier| {
                match action {
                    Action::Assign(assignments) => {
                        let stays = assignments.iter().all(|(place, _)| place.scope == own);
                        verifier.require(stays, || {
                            "a prologue sets the variables of its own scope".into()
                        });
                    }
                    Action::NewChannel { place, .. } => {
                        let stays = place.scope == own;
                        verifier.require(stays, || {
                            "a prologue sets the variables of its own scope".into()
                        });
                    }
                    _ => verifier.report("a prologue only assigns and creates channels"),
                }
                verifier.action(action);
            });
        }
    }

    fn actions(&mut self, actions: &[Action]) {
        for (index, action) in actions.iter().enumerate() {
            self.in_part(format!("action {index}"), |verifier| {
                // Processes and their channels form parallel stacks; the layout relies on this.
                let creates = matches!(action, Action::NewChannel { .. });
                verifier.require(!creates, || "channels are created by prologues only".into());
                verifier.action(action);
            });
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Assign(assignments) => {
                for (place, value) in assignments {
                    self.place(place);
                    self.expression(value);
                }
            }
            Action::NewChannel { place, channel_type } => {
                self.place(place);
                let count = self.program.channel_types.len();
                self.require(channel_type.index() < count, || {
                    format!("no channel type {}: there are {count}", channel_type.0)
                });
            }
            Action::Run { process_type, arguments, priority } => {
                arguments.iter().for_each(|argument| self.expression(argument));
                self.priority(*priority);
                self.arguments(*process_type, arguments);
                self.spawned = true;
            }
            Action::Assert { condition, .. } => self.expression(condition),
            Action::Print { format } => format.iter().for_each(|part| self.print_part(part)),
            Action::SetPriority { process, priority } => {
                self.expression(process);
                self.expression(priority);
                self.require(self.program.has_priorities, || {
                    "sets a priority in a program without priorities".into()
                });
            }
        }
    }

    fn arguments(&mut self, process_type: ProcessTypeId, arguments: &[Expr]) {
        if let Some(kind) = self.process_type_id(process_type) {
            self.require(arguments.len() == kind.parameters as usize, || {
                format!(
                    "`{}` has {} parameters, not {}",
                    kind.name,
                    kind.parameters,
                    arguments.len()
                )
            });
        }
    }

    fn print_part(&mut self, part: &PrintPart) {
        part.value().into_iter().for_each(|value| self.expression(value));
        if let PrintPart::Name(_, set) = part {
            self.name_set(*set);
        }
    }
}

/// Whether the `Enter` branches form no cycle. Testing whether a node is enabled follows them
/// recursively, so a cycle would never end.
fn enters_end(body: &Body) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Unseen,
        Open,
        Done,
    }
    let count = body.nodes.len();
    let mut marks = vec![Mark::Unseen; count];
    for start in 0..count {
        // A stack of nodes, each with its next branch; a body may be too long for recursion.
        let mut path = vec![(start, 0)];
        if marks[start] != Mark::Unseen {
            continue;
        }
        marks[start] = Mark::Open;
        while let Some((node, branch)) = path.last_mut() {
            let Some(next) = body.nodes[*node].get(*branch) else {
                marks[*node] = Mark::Done;
                path.pop();
                continue;
            };
            *branch += 1;
            let entered = next.next.map(|next| next as usize).filter(|&next| next < count);
            if let (BranchKind::Enter, Some(entered)) = (&next.kind, entered) {
                match marks[entered] {
                    Mark::Open => return false,
                    Mark::Done => {}
                    Mark::Unseen => {
                        marks[entered] = Mark::Open;
                        path.push((entered, 0));
                    }
                }
            }
        }
    }
    true
}
