//! Write-only variables (program slicing, Weiser 1981): the values of variables that are never read
//! are not stored. Assignments to them, receives into them and arguments for them are removed.
//!
//! A variable is needed if a condition, an index, a message, an assertion or a property reads it,
//! or if the value of a needed variable depends on it. Printing is not a read, because searches do
//! not print. Sound: the variable influences no step. An evaluation that may fail is kept, as an
//! assertion that is always true.

use super::Observed;
use crate::domain::Domain;
use crate::expression::{BinaryOp, Expr, Pattern, Place, Scope};
use crate::program::{Action, Operation, ProcessTypeId, Program, VariableId};
use crate::ranges::Ranges;
use std::collections::HashSet;

pub(super) fn drop_write_only(program: &Program, observed: &Observed, ranges: &Ranges) -> Program {
    let mut needs = Needs { program, ranges, needed: HashSet::new(), changed: true };
    program.for_each_condition(&mut |expr| needs.read(None, expr));
    observed.conditions.iter().for_each(|condition| needs.read(None, condition));
    while std::mem::take(&mut needs.changed) {
        program.prologue.iter().for_each(|action| needs.action(None, action, true));
        for (kind, process_type) in (0u32..).zip(&program.process_types) {
            let reader = Some(ProcessTypeId(kind));
            process_type.prologue.iter().for_each(|action| needs.action(reader, action, true));
            process_type.provided.iter().for_each(|condition| needs.read(reader, condition));
            process_type.exclusive.iter().for_each(|claim| needs.read(reader, &claim.channel));
            for transition in
                process_type.locations.iter().flat_map(|location| &location.transitions)
            {
                needs.operation(ProcessTypeId(kind), &transition.operation);
            }
        }
    }
    let mut changed = program.clone();
    for (kind, process_type) in (0u32..).zip(&mut changed.process_types) {
        for transition in
            process_type.locations.iter_mut().flat_map(|location| &mut location.transitions)
        {
            needs.shorten(ProcessTypeId(kind), &mut transition.operation);
        }
    }
    changed
}

/// A variable of the program, or of a process type.
type Variable = (Option<ProcessTypeId>, VariableId);

struct Needs<'p> {
    program: &'p Program,
    ranges: &'p Ranges,
    needed: HashSet<Variable>,
    changed: bool,
}

impl Needs<'_> {
    fn need(&mut self, variable: Variable) {
        self.changed |= self.needed.insert(variable);
    }

    fn is_needed(&self, reader: Option<ProcessTypeId>, place: &Place) -> bool {
        self.needed.contains(&variable(reader, place))
    }

    /// Marks all variables that the expression reads as needed.
    fn read(&mut self, reader: Option<ProcessTypeId>, expr: &Expr) {
        match expr {
            Expr::Read(place) => self.need(variable(reader, place)),
            Expr::ReadRemote { process_type, variable, .. } => {
                self.need((Some(*process_type), *variable))
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| self.read(reader, child));
    }

    fn operation(&mut self, reader: ProcessTypeId, operation: &Operation) {
        match operation {
            Operation::Guarded { guard, actions } => {
                self.read(Some(reader), guard);
                actions.iter().for_each(|action| self.action(Some(reader), action, false));
            }
            Operation::Send { channel, arguments, .. } => {
                self.read(Some(reader), channel);
                arguments.iter().for_each(|argument| self.read(Some(reader), argument));
            }
            Operation::Receive { channel, patterns, .. } => {
                self.read(Some(reader), channel);
                for pattern in patterns {
                    match pattern {
                        Pattern::Match(value) => self.read(Some(reader), value),
                        Pattern::Bind(place) if self.keeps_bind(reader, pattern) => {
                            // A store that stays needs its variable, so all stores to the variable
                            // stay.
                            self.need(variable(Some(reader), place));
                            place.indices.iter().for_each(|index| self.read(Some(reader), index));
                        }
                        Pattern::Bind(_) | Pattern::Ignore => {}
                    }
                }
            }
            Operation::Deterministic(body) => {
                body.for_each_part(&mut |part| self.operation(reader, part));
            }
            Operation::Else | Operation::End => {}
        }
    }

    /// Marks the variables that the action needs; a `whole` action is not shortened.
    fn action(&mut self, reader: Option<ProcessTypeId>, action: &Action, whole: bool) {
        match action {
            Action::Assign(assignments) => {
                let together = self.stays_together(reader, assignments);
                for (place, value) in assignments {
                    let kept = whole
                        || together
                        || self.is_needed(reader, place)
                        || self.domain_can_fail(reader, place, value);
                    if kept || self.ranges.place_can_fail(self.program, reader, place) {
                        place.indices.iter().for_each(|index| self.read(reader, index));
                    }
                    if kept || self.ranges.can_fail(self.program, reader, value) {
                        self.read(reader, value);
                    }
                    if together || self.domain_can_fail(reader, place, value) {
                        self.need(variable(reader, place));
                    }
                }
            }
            Action::Run { process_type, arguments, .. } => {
                for (index, argument) in (0u32..).zip(arguments) {
                    if whole
                        || self.keeps_argument(reader, *process_type, VariableId(index), argument)
                    {
                        self.read(reader, argument);
                        self.need((Some(*process_type), VariableId(index)));
                    }
                }
            }
            Action::NewChannel { place, .. } => {
                place.indices.iter().for_each(|index| self.read(reader, index));
            }
            Action::Assert { condition, .. } => self.read(reader, condition),
            Action::Print { .. } => {}
            Action::SetPriority { process, priority } => {
                self.read(reader, process);
                self.read(reader, priority);
            }
        }
    }

    /// Whether the assignments must be kept because one may fail: the error depends on their order.
    fn stays_together(&self, reader: Option<ProcessTypeId>, assignments: &[(Place, Expr)]) -> bool {
        assignments.len() > 1
            && assignments.iter().any(|(place, value)| {
                self.ranges.place_can_fail(self.program, reader, place)
                    || self.ranges.can_fail(self.program, reader, value)
            })
    }

    fn domain_can_fail(&self, reader: Option<ProcessTypeId>, place: &Place, value: &Expr) -> bool {
        let variables = match (place.scope, reader) {
            (Scope::Local, Some(kind)) => &self.program.process_type(kind).variables,
            _ => &self.program.variables,
        };
        self.ranges.store_can_fail(reader, variables.get(place.variable).domain, value)
    }

    fn keeps_argument(
        &self,
        reader: Option<ProcessTypeId>,
        started: ProcessTypeId,
        parameter: VariableId,
        argument: &Expr,
    ) -> bool {
        let domain = self.program.process_type(started).variables.get(parameter).domain;
        self.needed.contains(&(Some(started), parameter))
            || matches!(domain, Domain::Range { .. })
            || self.ranges.can_fail(self.program, reader, argument)
    }

    fn keeps_bind(&self, reader: ProcessTypeId, pattern: &Pattern) -> bool {
        let Pattern::Bind(place) = pattern else { return false };
        self.is_needed(Some(reader), place)
            || self.ranges.bind_can_fail(self.program, reader, pattern)
    }

    fn shorten(&self, reader: ProcessTypeId, operation: &mut Operation) {
        match operation {
            Operation::Guarded { actions, .. } => {
                let old = std::mem::take(actions);
                for action in old {
                    self.shorten_action(reader, action, actions);
                }
            }
            Operation::Receive { patterns, .. } => {
                for pattern in patterns {
                    if matches!(pattern, Pattern::Bind(_)) && !self.keeps_bind(reader, pattern) {
                        *pattern = Pattern::Ignore;
                    }
                }
            }
            Operation::Deterministic(body) => {
                body.for_each_part_mut(&mut |part| self.shorten(reader, part))
            }
            Operation::Send { .. } | Operation::Else | Operation::End => {}
        }
    }

    fn shorten_action(&self, reader: ProcessTypeId, action: Action, out: &mut Vec<Action>) {
        match action {
            Action::Assign(assignments) if self.stays_together(Some(reader), &assignments) => {
                out.push(Action::Assign(assignments));
            }
            Action::Assign(assignments) => {
                let mut kept = Vec::new();
                for (place, value) in assignments {
                    if self.is_needed(Some(reader), &place) {
                        kept.push((place, value));
                        continue;
                    }
                    if self.ranges.place_can_fail(self.program, Some(reader), &place) {
                        out.push(evaluation(Expr::Read(place)));
                    }
                    if self.ranges.can_fail(self.program, Some(reader), &value) {
                        out.push(evaluation(value));
                    }
                }
                if !kept.is_empty() {
                    out.push(Action::Assign(kept));
                }
            }
            Action::Run { process_type, mut arguments, priority } => {
                for (index, argument) in (0u32..).zip(&mut arguments) {
                    if !self.keeps_argument(Some(reader), process_type, VariableId(index), argument)
                    {
                        *argument = Expr::Const(0);
                    }
                }
                out.push(Action::Run { process_type, arguments, priority });
            }
            other => out.push(other),
        }
    }
}

fn variable(reader: Option<ProcessTypeId>, place: &Place) -> Variable {
    match place.scope {
        Scope::Global => (None, place.variable),
        Scope::Local => (reader, place.variable),
    }
}

/// An action that evaluates an expression only for its errors.
fn evaluation(value: Expr) -> Action {
    let condition = Expr::binary(BinaryOp::Or, value, Expr::TRUE);
    Action::Assert { condition, text: String::new() }
}
