//! Register promotion: variables that live in registers during a step.
//!
//! A value that the same step overwrites, or that it stores in a variable that is dead at the
//! target, never occurs in a state. The layout is derived from states and may have no room for such
//! a value; a register does.

use crate::codegen::Generator;
use crate::codegen::state_view::StateView;
use crate::codegen::value::Value;
use crate::plan::{any_expression, operations};
use cranelift_codegen::ir::types;
use cranelift_frontend::Variable;
use lariat_ir::expression::{Expr, Pattern, Place, Scope};
use lariat_ir::layout::{Cells, Interval};
use lariat_ir::program::{Action, LocationId, Meaning, Operation, Transition, VariableId};

/// A scalar variable in a register.
#[derive(Clone, Copy, Debug)]
pub struct PromotedVariable {
    pub scope: Scope,
    pub variable: VariableId,
    pub register: Variable,
    pub range: Interval,
    /// Whether the variable is dead at the target of the step.
    dead: bool,
}

impl StateView {
    pub fn promoted(&self, place: &Place) -> Option<PromotedVariable> {
        let found = |promoted: &&PromotedVariable| {
            promoted.scope == place.scope && promoted.variable == place.variable
        };
        self.promoted.iter().find(found).copied()
    }
}

impl Generator<'_, '_> {
    /// Promotes the variables whose intermediate values may not fit the layout.
    pub fn promote_variables(&mut self, view: &mut StateView, transition: &Transition) {
        let Some(actor) = view.actor else { return };
        let operation = &transition.operation;
        if *operation == Operation::End
            || self.plan.reads_remote_locals
            || observes_other_processes(operation)
        {
            return;
        }
        let dead = &self.plan.process_type(actor).location(transition.target).dead;
        let mut places = Vec::new();
        collect_places(operation, &mut places);
        let several = places.len() > 1;
        for place in places {
            let Some((variable, cells)) = self.plan.variable(view.actor, place) else { continue };
            if !place.indices.is_empty() || view.promoted(place).is_some() {
                continue;
            }
            let range = Interval::of_domain(variable.domain);
            let dies = place.scope == Scope::Local && dead.contains(&place.variable);
            let fits = match cells {
                Cells::Constant(_) => false,
                Cells::Row { .. } => cells.field(0).interval().contains(range),
            };
            // The last write goes to the state anyway, so a single write needs no register.
            let transient = several && !fits && variable.meaning != Meaning::Channel;
            if dies && !fits || transient {
                let register = self.builder.declare_var(types::I32);
                let value = self.read_field(view, cells.field(0), range);
                let number = self.number(value);
                self.builder.def_var(register, number);
                let (scope, variable) = (place.scope, place.variable);
                view.promoted.push(PromotedVariable {
                    scope,
                    variable,
                    register,
                    range,
                    dead: dies,
                });
            }
        }
    }

    /// At the end of a step, writes promoted variables back to the state and resets the variables
    /// that are dead at the target to their defaults.
    pub fn write_back(&mut self, view: &mut StateView, transition: &Transition) {
        let plan = self.plan;
        for promoted in std::mem::take(&mut view.promoted) {
            if promoted.dead {
                continue;
            }
            let place =
                Place { scope: promoted.scope, variable: promoted.variable, indices: Vec::new() };
            if let Some((_, cells)) = plan.variable(view.actor, &place) {
                let number = self.builder.use_var(promoted.register);
                self.write_field(view, cells.field(0), Value::number(number, promoted.range));
            }
        }
        let Some(actor) = view.actor else { return };
        let process_type = plan.process_type(actor);
        let before =
            view.location.map(|location| &process_type.location(LocationId(location)).dead);
        let mut places = Vec::new();
        collect_places(&transition.operation, &mut places);
        for &variable in &process_type.location(transition.target).dead {
            // A variable that was dead before and not written already has its default.
            let unchanged = before.is_some_and(|dead| dead.contains(&variable));
            let written = places
                .iter()
                .any(|place| place.scope == Scope::Local && place.variable == variable);
            if !unchanged || written {
                self.reset(view, variable);
            }
        }
    }

    /// Resets a local variable of the process to its default.
    pub fn reset(&mut self, view: &mut StateView, variable: VariableId) {
        let Some(actor) = view.actor else { return };
        let cells = &self.plan.kind(actor).variables[variable.index()];
        let known = self.plan.process_type(actor).variables.get(variable);
        let default = Value::constant(known.domain.default_value());
        for element in 0..known.length() {
            self.write_field(view, cells.field(element), default);
        }
    }
}

/// Whether the operation, or a function that it calls, may read variables from the state in memory,
/// where promoted values are missing.
fn observes_other_processes(operation: &Operation) -> bool {
    let runs = |operation: &Operation| match operation {
        Operation::Guarded { actions, .. } => {
            actions.iter().any(|action| matches!(action, Action::Run { .. }))
        }
        _ => false,
    };
    let runs_inside = match operation {
        Operation::Deterministic(body) => operations(body).any(runs),
        operation => runs(operation),
    };
    runs_inside
        || any_expression(operation, &|expr| {
            expr.any(&|part| matches!(part, Expr::ReadRemote { .. } | Expr::Enabled(_)))
        })
}

/// The places that an operation writes, one entry for each write.
fn collect_places<'o>(operation: &'o Operation, places: &mut Vec<&'o Place>) {
    match operation {
        Operation::Guarded { actions, .. } => {
            for action in actions {
                if let Action::Assign(assignments) = action {
                    places.extend(assignments.iter().map(|(place, _)| place));
                }
            }
        }
        Operation::Receive { patterns, .. } => {
            places.extend(patterns.iter().filter_map(|pattern| match pattern {
                Pattern::Bind(place) => Some(place),
                _ => None,
            }));
        }
        Operation::Deterministic(body) => {
            for operation in operations(body) {
                collect_places(operation, places);
            }
        }
        _ => {}
    }
}
