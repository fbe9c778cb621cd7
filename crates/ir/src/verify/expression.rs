//! Rules of expressions and places: ids exist, and the evaluator may use the expression.

use super::{Evaluator, Verifier};
use crate::expression::{Expr, Place, Remote, Scope};
use crate::program::{ProcessType, ProcessTypeId, VariableId, Variables};

impl<'p> Verifier<'p> {
    pub(super) fn expression(&mut self, expr: &Expr) {
        self.allowed(expr);
        match expr {
            Expr::Read(place) => return self.place(place),
            Expr::Poll { channel, patterns, .. } => {
                self.expression(channel);
                self.require(!patterns.is_empty(), || "a message has at least one field".into());
                return patterns.iter().for_each(|pattern| self.pattern(pattern));
            }
            Expr::At { process_type, location, .. } => {
                if let Some(kind) = self.process_type_id(*process_type) {
                    let count = kind.locations.len();
                    self.require(location.index() < count, || {
                        format!("`{}` has no location {}: it has {count}", kind.name, location.0)
                    });
                }
            }
            Expr::ReadRemote { process_type, process, variable, indices } => {
                if let Remote::Pid(pid) = process {
                    self.expression(pid);
                }
                if let Some(kind) = self.process_type_id(*process_type) {
                    self.element(&kind.variables, *variable, indices);
                }
                return;
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| self.expression(child));
    }

    /// Checks that the evaluator may use this expression, without its subexpressions.
    fn allowed(&mut self, expr: &Expr) {
        match (expr, self.evaluator) {
            (Expr::Spawned, _) => {
                self.require(self.spawned, || {
                    "`spawned` without a `run` before it in the same step".into()
                });
            }
            (Expr::Last, _) => self.require(self.program.remembers_last, || {
                "uses the last process in a program that does not remember it".into()
            }),
            (Expr::Partner, _) => {
                self.require(self.program.remembers_last && self.program.remembers_partner, || {
                    "uses the partner of the last process in a program that does not remember both"
                        .into()
                });
            }
            (
                Expr::Const(_)
                | Expr::Read(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Conditional(..),
                _,
            )
            | (_, Evaluator::Process(_)) => {}
            (_, Evaluator::InitialCondition) => {
                self.report("the initial condition is a formula over the variables alone");
            }
            (Expr::Pid | Expr::Enabled(_) | Expr::Timeout, _) => {
                self.report("refers to the process that evaluates it, but there is none");
            }
            (_, Evaluator::Prologue | Evaluator::Condition | Evaluator::EventTrace) => {}
        }
    }

    pub(super) fn place(&mut self, place: &Place) {
        let program = self.program;
        match (place.scope, self.evaluator) {
            (Scope::Global, _) => self.element(&program.variables, place.variable, &place.indices),
            (Scope::Local, Evaluator::Process(process_type)) => {
                let variables = &program.process_types[process_type].variables;
                self.element(variables, place.variable, &place.indices);
            }
            (Scope::Local, _) => self.report("a local variable, but no process evaluates this"),
        }
    }

    fn element(&mut self, variables: &Variables, variable: VariableId, indices: &[Expr]) {
        indices.iter().for_each(|index| self.expression(index));
        if variable.index() >= variables.len() {
            let count = variables.len();
            return self.report(format!("no variable {}: there are {count}", variable.0));
        }
        let variable = variables.get(variable);
        self.require(indices.len() == variable.dimensions.len(), || {
            let dimensions = variable.dimensions.len();
            format!("`{}` has {dimensions} dimensions, not {}", variable.name, indices.len())
        });
    }

    /// The process type, if it exists.
    pub(super) fn process_type_id(&mut self, id: ProcessTypeId) -> Option<&'p ProcessType> {
        let found = self.program.process_types.get(id.index());
        let count = self.program.process_types.len();
        self.require(found.is_some(), || format!("no process type {}: there are {count}", id.0));
        found
    }
}
