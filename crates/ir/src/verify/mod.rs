//! The well-formedness rules of the IR. A program that follows them cannot make the interpreter or
//! the layout panic. The output of every front end is checked in debug and test builds.
//!
//! The rules, by file:
//! - here: domains, names and dimensions of variables; fields of channel types; parameters,
//!   locations, escapes and `else`; initial processes; the flags `has_priorities` and
//!   `remembers_last`; event traces;
//! - `operation`: targets, origins, d_step bodies, and which actions are allowed where;
//! - `expression`: ids, indices, and which expressions an evaluator may use.
//!
//! Independent of the front end that made the program.

mod expression;
mod operation;

use crate::domain::Domain;
use crate::expression::Expr;
use crate::program::{
    EventTrace, Location, Meaning, Operation, OriginId, ProcessType, Program, Variables,
};
use std::fmt;

/// A rule that a program breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The part of the program, outermost first.
    pub place: String,
    /// The description of the rule.
    pub message: String,
    /// The statement that breaks the rule, if there is one.
    pub origin: Option<OriginId>,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.message)
    }
}

/// The rules that the program breaks; empty for a well-formed program.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut verifier = Verifier {
        program,
        place: Vec::new(),
        origin: None,
        evaluator: Evaluator::Condition,
        spawned: false,
        violations: Vec::new(),
    };
    verifier.program();
    verifier.violations
}

/// The evaluator of an expression, which determines the allowed subexpressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evaluator {
    /// A process of this type.
    Process(usize),
    /// The program's prologue, before there are processes.
    Prologue,
    /// The initial condition: a formula over the variables.
    InitialCondition,
    /// No process: a condition on states.
    Condition,
    /// The event trace, in the step of some process.
    EventTrace,
}

struct Verifier<'p> {
    program: &'p Program,
    place: Vec<String>,
    origin: Option<OriginId>,
    evaluator: Evaluator,
    /// Whether the action list being checked has created a process.
    spawned: bool,
    violations: Vec<Violation>,
}

impl Verifier<'_> {
    fn report(&mut self, message: impl Into<String>) {
        let violation = Violation {
            place: self.place.join(", "),
            message: message.into(),
            origin: self.origin,
        };
        self.violations.push(violation);
    }

    fn require(&mut self, rule: bool, message: impl FnOnce() -> String) {
        if !rule {
            self.report(message());
        }
    }

    /// Checks a part of the program; violations name the part.
    fn in_part(&mut self, place: impl Into<String>, check: impl FnOnce(&mut Self)) {
        self.place.push(place.into());
        check(self);
        self.place.pop();
    }

    fn evaluated_by(&mut self, evaluator: Evaluator, place: &str, expr: &Expr) {
        self.evaluator = evaluator;
        self.spawned = false;
        self.in_part(place, |verifier| verifier.expression(expr));
    }

    fn program(&mut self) {
        let program = self.program;
        self.variables(&program.variables);
        for (index, kind) in program.channel_types.iter().enumerate() {
            self.in_part(format!("channel type {index} `{}`", kind.name), |verifier| {
                verifier
                    .require(!kind.fields.is_empty(), || "a message has at least one field".into());
                for field in &kind.fields {
                    verifier.domain(field.domain, field.meaning);
                }
            });
        }
        for (index, kind) in program.process_types.iter().enumerate() {
            self.in_part(format!("process type {index} `{}`", kind.name), |verifier| {
                verifier.process_type(index, kind);
            });
        }
        self.evaluator = Evaluator::Prologue;
        self.in_part("prologue", |verifier| verifier.prologue(&program.prologue));
        if let Some(condition) = &program.initial_condition {
            self.evaluated_by(Evaluator::InitialCondition, "initial condition", condition);
        }
        self.initial_processes();
        for invariant in &program.invariants {
            self.in_part(format!("invariant `{}`", invariant.name), |verifier| {
                verifier.origin(invariant.origin);
                verifier.evaluated_by(Evaluator::Condition, "condition", &invariant.condition);
            });
            self.origin = None;
        }
        if let Some(condition) = &program.end_condition {
            self.evaluated_by(Evaluator::Condition, "end condition", condition);
        }
        if let Some(trace) = &program.event_trace {
            self.in_part("event trace", |verifier| verifier.event_trace(trace));
        }
    }

    fn initial_processes(&mut self) {
        let program = self.program;
        let count = program.initial_processes.len();
        self.in_part("initial processes", |verifier| {
            verifier.require(count <= 255, || format!("{count} processes: at most 255 can exist"));
            for (pid, instance) in program.initial_processes.iter().enumerate() {
                verifier.process_type_id(instance.process_type);
                verifier.in_part(format!("number {pid}"), |verifier| {
                    verifier.priority(instance.priority)
                });
            }
        });
    }

    fn priority(&mut self, priority: u8) {
        self.require(priority > 0, || "a priority is at least 1".into());
        self.require(priority == 1 || self.program.has_priorities, || {
            format!("priority {priority} in a program without priorities")
        });
    }

    /// Attributes the following violations to this origin, which must exist.
    fn origin(&mut self, origin: OriginId) {
        self.origin = Some(origin);
        let count = self.program.origins.len();
        self.require(origin.index() < count, || {
            format!("no origin {}: there are {count}", origin.0)
        });
    }

    fn variables(&mut self, variables: &Variables) {
        let mut slots = 0u64;
        for (index, variable) in variables.iter().enumerate() {
            self.in_part(format!("variable {index} `{}`", variable.name), |verifier| {
                verifier.domain(variable.domain, variable.meaning);
                verifier.require(!variable.dimensions.contains(&0), || {
                    "an array without elements".into()
                });
                let length = variable
                    .dimensions
                    .iter()
                    .fold(1u64, |length, &dimension| length.saturating_mul(u64::from(dimension)));
                slots = slots.saturating_add(length);
                verifier.require(slots <= u64::from(u32::MAX), || {
                    "more elements than can be counted".into()
                });
                let indices = variable.name.matches("[]").count();
                verifier.require(indices <= variable.dimensions.len(), || {
                    format!(
                        "the name has {indices} indices, the variable {}",
                        variable.dimensions.len()
                    )
                });
            });
        }
    }

    fn domain(&mut self, domain: Domain, meaning: Meaning) {
        match domain {
            Domain::Bits { bits, .. } => {
                self.require((1..=32).contains(&bits), || {
                    format!("{bits} bits: a value has 1 to 32")
                });
            }
            Domain::Range { low, high } => {
                self.require(low <= high, || format!("the range {low}..{high} is empty"));
            }
        }
        if let Meaning::Name(set) = meaning {
            self.name_set(set);
        }
    }

    fn name_set(&mut self, set: crate::program::NameSetId) {
        let count = self.program.name_sets.len();
        self.require(set.index() < count, || {
            format!("no set of names {}: there are {count}", set.0)
        });
    }

    fn process_type(&mut self, index: usize, kind: &ProcessType) {
        self.evaluator = Evaluator::Process(index);
        self.spawned = false;
        self.variables(&kind.variables);
        let count = kind.variables.len();
        self.require(kind.parameters as usize <= count, || {
            format!("{} parameters among {count} variables", kind.parameters)
        });
        for parameter in kind.variables.iter().take(kind.parameters as usize) {
            self.require(parameter.dimensions.is_empty(), || {
                format!("parameter `{}` is an array", parameter.name)
            });
        }
        self.require(kind.initial_location.index() < kind.locations.len(), || {
            format!(
                "starts at location {}, but there are {}",
                kind.initial_location.0,
                kind.locations.len()
            )
        });
        self.in_part("prologue", |verifier| verifier.prologue(&kind.prologue));
        if let Some(condition) = &kind.provided {
            self.evaluated_by(Evaluator::Process(index), "provided", condition);
        }
        for claim in &kind.exclusive {
            let place = if claim.receive { "exclusive receive" } else { "exclusive send" };
            self.evaluated_by(Evaluator::Process(index), place, &claim.channel);
        }
        for (number, location) in kind.locations.iter().enumerate() {
            self.in_part(format!("location {number}"), |verifier| {
                verifier.location(kind, location)
            });
        }
    }

    fn location(&mut self, kind: &ProcessType, location: &Location) {
        let count = kind.variables.len();
        for variable in &location.dead {
            self.require(variable.index() < count, || {
                format!("no variable {}: there are {count}", variable.0)
            });
        }
        let mut elses = 0;
        let mut finished_groups: Vec<u32> = Vec::new();
        let mut group = None;
        for (index, transition) in location.transitions.iter().enumerate() {
            self.in_part(format!("transition {index}"), |verifier| {
                verifier.transition(kind, transition);
                if transition.operation == Operation::Else {
                    elses += 1;
                    verifier.require(elses == 1, || "a second `else` at one location".into());
                }
                if group != Some(transition.escape) {
                    finished_groups.extend(group);
                    group = Some(transition.escape);
                    let again = finished_groups.contains(&transition.escape);
                    verifier.require(!again, || {
                        format!("the transitions of escape {} are not together", transition.escape)
                    });
                    let late = transition.escape > 0 && finished_groups.contains(&0);
                    verifier.require(!late, || {
                        "an escape after a transition that it escapes from".into()
                    });
                }
            });
            self.origin = None;
        }
    }

    fn event_trace(&mut self, trace: &EventTrace) {
        let count = trace.locations.len();
        let exists = |verifier: &mut Self, what: &str, location: u32| {
            verifier.require((location as usize) < count, || {
                format!("{what} is location {location}, but there are {count}")
            });
        };
        exists(self, "the start", trace.initial);
        exists(self, "the end", trace.end);
        for &location in &trace.resting {
            exists(self, "a resting place", location);
        }
        for channel in trace.send_scope.iter().chain(&trace.receive_scope) {
            self.evaluated_by(Evaluator::EventTrace, "scope", channel);
        }
        for (number, events) in trace.locations.iter().enumerate() {
            self.in_part(format!("location {number}"), |verifier| {
                for event in events {
                    exists(verifier, "a target", event.target);
                    verifier.evaluated_by(Evaluator::EventTrace, "channel", &event.channel);
                    for field in event.fields.iter().flatten() {
                        verifier.evaluated_by(Evaluator::EventTrace, "field", field);
                    }
                }
            });
        }
    }
}
