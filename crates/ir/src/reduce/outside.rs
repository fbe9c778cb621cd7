//! The parts of a process that are visible to other processes, to conditions on states and to
//! properties. No pass may hide them.

use super::Observed;
use crate::expression::{Expr, Scope};
use crate::program::{ProcessTypeId, Program, VariableId};
use std::collections::HashSet;

#[derive(Debug, Default)]
pub(super) struct Outside {
    /// Local variables that other processes read, or that conditions such as `provided` read.
    locals: HashSet<(ProcessTypeId, VariableId)>,
    /// Globals in observed conditions.
    observed_globals: HashSet<VariableId>,
    /// SPIN's numbers of the locations that expressions test.
    locations: HashSet<u32>,
    /// Whether an expression depends on program counters, on `enabled`, on progress or, in an
    /// observed condition, on `timeout`.
    pub asks_for_progress: bool,
    /// Whether there are observed conditions.
    pub observed: bool,
}

impl Outside {
    pub fn new(program: &Program, observed: &Observed) -> Outside {
        let mut outside =
            Outside { observed: !observed.conditions.is_empty(), ..Outside::default() };
        program.for_each_expression(&mut |expr| outside.expression(program, expr));
        for condition in &observed.conditions {
            outside.expression(program, condition);
            outside.condition(condition);
        }
        for (kind, process_type) in program.process_types.iter().enumerate() {
            let kind = ProcessTypeId(kind as u32);
            let claims = process_type.exclusive.iter().map(|claim| &claim.channel);
            for expr in process_type.provided.iter().chain(claims) {
                outside.at_any_time(kind, expr);
            }
        }
        outside
    }

    /// Whether only the process itself reads the variable, in its own steps.
    pub fn is_private(&self, kind: ProcessTypeId, variable: VariableId) -> bool {
        !self.locals.contains(&(kind, variable))
    }

    pub fn is_observed_global(&self, variable: VariableId) -> bool {
        self.observed_globals.contains(&variable)
    }

    /// Whether some expression tests for a location with this number.
    pub fn is_observed_location(&self, number: u32) -> bool {
        self.locations.contains(&number)
    }

    fn expression(&mut self, program: &Program, expr: &Expr) {
        match expr {
            Expr::ReadRemote { process_type, variable, .. } => {
                self.locals.insert((*process_type, *variable));
            }
            Expr::At { process_type, location, .. } => {
                self.locations
                    .insert(program.process_type(*process_type).location(*location).number);
            }
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::NonProgress => {
                self.asks_for_progress = true
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| self.expression(program, child));
    }

    fn condition(&mut self, expr: &Expr) {
        match expr {
            Expr::Read(place) => {
                self.observed_globals.insert(place.variable);
            }
            Expr::Timeout => self.asks_for_progress = true,
            _ => {}
        }
        expr.for_each_child(&mut |child| self.condition(child));
    }

    fn at_any_time(&mut self, kind: ProcessTypeId, expr: &Expr) {
        if let Expr::Read(place) = expr
            && place.scope == Scope::Local
        {
            self.locals.insert((kind, place.variable));
        }
        expr.for_each_child(&mut |child| self.at_any_time(kind, child));
    }
}
