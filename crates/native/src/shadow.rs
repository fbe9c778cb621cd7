//! Variables that live in registers while a step is made.
//!
//! What a step writes and overwrites again, or writes into a variable that is dead where it leads, never shows in a state. The
//! layout learns from states, so it may have no room for such a value; in a register there is.

use crate::function::Generator;
use crate::plan::{any_expression, operations};
use crate::state_access::Scene;
use crate::value::Value;
use cranelift_codegen::ir::types;
use cranelift_frontend::Variable;
use model::expression::{Expr, Pattern, Place, Scope};
use model::layout::{Cells, Interval};
use model::program::{Action, LocationId, Meaning, Operation, Transition, VariableId};

/// A scalar variable in a register.
#[derive(Clone, Copy, Debug)]
pub struct Shadow {
    pub scope: Scope,
    pub variable: VariableId,
    pub register: Variable,
    pub range: Interval,
    /// Its value is of no interest to anybody when the step is done.
    dead: bool,
}

impl Scene {
    pub fn shadow(&self, place: &Place) -> Option<Shadow> {
        let found = |shadow: &&Shadow| shadow.scope == place.scope && shadow.variable == place.variable;
        self.shadows.iter().find(found).copied()
    }
}

impl Generator<'_, '_> {
    /// Puts those variables into registers that the step needs there.
    pub fn make_shadows(&mut self, scene: &mut Scene, transition: &Transition) {
        let Some(actor) = scene.actor else { return };
        let operation = &transition.operation;
        if *operation == Operation::End || self.plan.asks_remotely || asks_others(operation) {
            return;
        }
        let dead = &self.plan.process_type(actor).location(transition.target).dead;
        let mut places = Vec::new();
        collect_places(operation, &mut places);
        let several = places.len() > 1;
        for place in places {
            let Some((variable, cells)) = self.plan.variable(scene.actor, place) else { continue };
            if !place.indices.is_empty() || scene.shadow(place).is_some() {
                continue;
            }
            let range = Interval::of_domain(variable.domain);
            let dies = place.scope == Scope::Local && dead.contains(&place.variable);
            let fits = match cells {
                Cells::Constant(_) => false,
                Cells::Row { .. } => cells.field(0).interval().contains(range),
            };
            // One that is written last is written to the state, so a single one needs no register.
            let transient = several && !fits && variable.meaning != Meaning::Channel;
            if dies && !fits || transient {
                let register = self.builder.declare_var(types::I32);
                let value = self.read_field(scene, cells.field(0), range);
                let number = self.number(value);
                self.builder.def_var(register, number);
                let (scope, variable) = (place.scope, place.variable);
                scene.shadows.push(Shadow { scope, variable, register, range, dead: dies });
            }
        }
    }

    /// The step is done: what lives in registers goes where it belongs, and what is dead at `target` has its default.
    pub fn settle(&mut self, scene: &mut Scene, transition: &Transition) {
        let plan = self.plan;
        for shadow in std::mem::take(&mut scene.shadows) {
            if shadow.dead {
                continue;
            }
            let place = Place { scope: shadow.scope, variable: shadow.variable, indices: Vec::new() };
            if let Some((_, cells)) = plan.variable(scene.actor, &place) {
                let number = self.builder.use_var(shadow.register);
                self.write_field(scene, cells.field(0), Value::number(number, shadow.range));
            }
        }
        let Some(actor) = scene.actor else { return };
        let process_type = plan.process_type(actor);
        let before = scene.location.map(|location| &process_type.location(LocationId(location)).dead);
        let mut places = Vec::new();
        collect_places(&transition.operation, &mut places);
        for &variable in &process_type.location(transition.target).dead {
            // Nothing to do where it was dead before and nobody wrote it to the state.
            let unchanged = before.is_some_and(|dead| dead.contains(&variable));
            let written =
                places.iter().any(|place| place.scope == Scope::Local && place.variable == variable);
            if !unchanged || written {
                self.reset(scene, variable);
            }
        }
    }

    /// A local variable of the actor goes back to its default.
    pub fn reset(&mut self, scene: &mut Scene, variable: VariableId) {
        let Some(actor) = scene.actor else { return };
        let cells = &self.plan.kind(actor).variables[variable.index()];
        let known = self.plan.process_type(actor).variables.get(variable);
        let default = Value::constant(known.domain.default_value());
        for element in 0..known.length() {
            self.write_field(scene, cells.field(element), default);
        }
    }
}

/// May the operation, or what it calls, look at variables in ways that registers do not show?
fn asks_others(operation: &Operation) -> bool {
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

/// The places an operation writes, each as often as it is named.
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
