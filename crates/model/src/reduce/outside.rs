//! What is seen of a process from outside: by other processes, by conditions on states, by the properties to be checked.
//! No pass may hide it.

use super::{Observed, walk};
use crate::expression::{Expr, Scope};
use crate::program::{ProcessTypeId, Program, VariableId};
use std::collections::HashSet;

#[derive(Debug, Default)]
pub(super) struct Outside {
    /// Local variables that others read, or that are read at any time.
    locals: HashSet<(ProcessTypeId, VariableId)>,
    /// Globals that the observed conditions read.
    observed_globals: HashSet<VariableId>,
    /// Numbers of locations somebody asks for.
    locations: HashSet<u32>,
    /// Somebody asks where processes are in general, whether they can move, or whether they make progress.
    pub asks_for_progress: bool,
    /// Some property is observed at all.
    pub observed: bool,
}

impl Outside {
    pub fn new(program: &Program, observed: &Observed) -> Outside {
        let mut outside = Outside { observed: !observed.conditions.is_empty(), ..Outside::default() };
        walk::expressions(program, &mut |expr| outside.expression(program, expr));
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

    /// Is the variable read by its own process alone, in its own steps?
    pub fn is_private(&self, kind: ProcessTypeId, variable: VariableId) -> bool {
        !self.locals.contains(&(kind, variable))
    }

    pub fn is_observed_global(&self, variable: VariableId) -> bool {
        self.observed_globals.contains(&variable)
    }

    /// Does somebody ask whether a process is at a location with this number?
    pub fn is_observed_location(&self, number: u32) -> bool {
        self.locations.contains(&number)
    }

    fn expression(&mut self, program: &Program, expr: &Expr) {
        match expr {
            Expr::ReadRemote { process_type, variable, .. } => {
                self.locals.insert((*process_type, *variable));
            }
            Expr::At { process_type, location, .. } => {
                self.locations.insert(program.process_type(*process_type).location(*location).number);
            }
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::NonProgress => self.asks_for_progress = true,
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
