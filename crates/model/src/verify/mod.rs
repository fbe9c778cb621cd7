//! The IR's own rules. A program that keeps them cannot make the interpreter or the layout panic, and means
//! what its parts say; every front end's output is checked in debug and test builds.
//!
//! The rules, by where they are tested:
//! - here: domains, names and dimensions of variables; fields of channel types; parameters, locations,
//!   escapes and `else`; initial processes; what the flags `has_priorities` and `remembers_last` promise; event traces;
//! - `operation`: targets, origins, d_step bodies, actions and where each may stand;
//! - `expression`: ids, indices, and which questions make sense to whom.
//!
//! Knows nothing of where a program came from.

mod expression;
mod operation;

use crate::domain::Domain;
use crate::expression::Expr;
use crate::program::{EventTrace, Location, Meaning, Operation, OriginId, ProcessType, Program, Variables};
use std::fmt;

/// A rule that a program breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which part of the program, from the outside inwards.
    pub place: String,
    pub message: String,
    /// The statement it belongs to, if there is one.
    pub origin: Option<OriginId>,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.message)
    }
}

/// All rules the program breaks; empty for a good one.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut verifier = Verifier {
        program,
        place: Vec::new(),
        origin: None,
        reader: Reader::Condition,
        spawned: false,
        violations: Vec::new(),
    };
    verifier.program();
    verifier.violations
}

/// Who evaluates an expression; each may ask different questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// A process of this type.
    Process(usize),
    /// The program's prologue, before there are processes.
    Prologue,
    /// The initial condition: a formula over the variables.
    InitialCondition,
    /// Nobody: a condition on states.
    Condition,
    /// The event trace, in the step of some process.
    EventTrace,
}

struct Verifier<'p> {
    program: &'p Program,
    place: Vec<String>,
    origin: Option<OriginId>,
    reader: Reader,
    /// Has the action list being checked created a process?
    spawned: bool,
    violations: Vec<Violation>,
}

impl Verifier<'_> {
    fn report(&mut self, message: impl Into<String>) {
        let violation =
            Violation { place: self.place.join(", "), message: message.into(), origin: self.origin };
        self.violations.push(violation);
    }

    fn require(&mut self, rule: bool, message: impl FnOnce() -> String) {
        if !rule {
            self.report(message());
        }
    }

    /// Checks a part of the program under its name.
    fn within(&mut self, place: impl Into<String>, check: impl FnOnce(&mut Self)) {
        self.place.push(place.into());
        check(self);
        self.place.pop();
    }

    fn reading(&mut self, reader: Reader, place: &str, expr: &Expr) {
        self.reader = reader;
        self.spawned = false;
        self.within(place, |verifier| verifier.expression(expr));
    }

    fn program(&mut self) {
        let program = self.program;
        self.variables(&program.variables);
        for (index, kind) in program.channel_types.iter().enumerate() {
            self.within(format!("channel type {index} `{}`", kind.name), |verifier| {
                verifier.require(!kind.fields.is_empty(), || "a message has at least one field".into());
                for field in &kind.fields {
                    verifier.domain(field.domain, field.meaning);
                }
            });
        }
        for (index, kind) in program.process_types.iter().enumerate() {
            self.within(format!("process type {index} `{}`", kind.name), |verifier| {
                verifier.process_type(index, kind);
            });
        }
        self.reader = Reader::Prologue;
        self.within("prologue", |verifier| verifier.prologue(&program.prologue));
        if let Some(condition) = &program.initial_condition {
            self.reading(Reader::InitialCondition, "initial condition", condition);
        }
        self.initial_processes();
        for invariant in &program.invariants {
            self.within(format!("invariant `{}`", invariant.name), |verifier| {
                verifier.origin(invariant.origin);
                verifier.reading(Reader::Condition, "condition", &invariant.condition);
            });
            self.origin = None;
        }
        if let Some(condition) = &program.end_condition {
            self.reading(Reader::Condition, "end condition", condition);
        }
        if let Some(trace) = &program.event_trace {
            self.within("event trace", |verifier| verifier.event_trace(trace));
        }
    }

    fn initial_processes(&mut self) {
        let program = self.program;
        let count = program.initial_processes.len();
        self.within("initial processes", |verifier| {
            verifier.require(count <= 255, || format!("{count} processes: at most 255 can exist"));
            for (pid, instance) in program.initial_processes.iter().enumerate() {
                verifier.process_type_id(instance.process_type);
                verifier.within(format!("number {pid}"), |verifier| verifier.priority(instance.priority));
            }
        });
    }

    fn priority(&mut self, priority: u8) {
        self.require(priority > 0, || "a priority is at least 1".into());
        self.require(priority == 1 || self.program.has_priorities, || {
            format!("priority {priority} in a program that says it has no priorities")
        });
    }

    /// Remembers whose rules are checked, and that it exists.
    fn origin(&mut self, origin: OriginId) {
        self.origin = Some(origin);
        let count = self.program.origins.len();
        self.require(origin.index() < count, || format!("no origin {}: there are {count}", origin.0));
    }

    fn variables(&mut self, variables: &Variables) {
        let mut slots = 0u64;
        for (index, variable) in variables.iter().enumerate() {
            self.within(format!("variable {index} `{}`", variable.name), |verifier| {
                verifier.domain(variable.domain, variable.meaning);
                verifier.require(!variable.dimensions.contains(&0), || "an array without elements".into());
                let length = variable
                    .dimensions
                    .iter()
                    .fold(1u64, |length, &dimension| length.saturating_mul(u64::from(dimension)));
                slots = slots.saturating_add(length);
                verifier.require(slots <= u64::from(u32::MAX), || "more elements than can be counted".into());
                let indices = variable.name.matches("[]").count();
                verifier.require(indices <= variable.dimensions.len(), || {
                    format!("the name has {indices} indices, the variable {}", variable.dimensions.len())
                });
            });
        }
    }

    fn domain(&mut self, domain: Domain, meaning: Meaning) {
        match domain {
            Domain::Bits { bits, .. } => {
                self.require((1..=32).contains(&bits), || format!("{bits} bits: a value has 1 to 32"));
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
        self.require(set.index() < count, || format!("no set of names {}: there are {count}", set.0));
    }

    fn process_type(&mut self, index: usize, kind: &ProcessType) {
        self.reader = Reader::Process(index);
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
            format!("starts at location {}, but there are {}", kind.initial_location.0, kind.locations.len())
        });
        self.within("prologue", |verifier| verifier.prologue(&kind.prologue));
        if let Some(condition) = &kind.provided {
            self.reading(Reader::Process(index), "provided", condition);
        }
        for claim in &kind.exclusive {
            let place = if claim.receive { "exclusive receive" } else { "exclusive send" };
            self.reading(Reader::Process(index), place, &claim.channel);
        }
        for (number, location) in kind.locations.iter().enumerate() {
            self.within(format!("location {number}"), |verifier| verifier.location(kind, location));
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
            self.within(format!("transition {index}"), |verifier| {
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
                    verifier.require(!late, || "an escape after what it escapes from".into());
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
            self.reading(Reader::EventTrace, "scope", channel);
        }
        for (number, events) in trace.locations.iter().enumerate() {
            self.within(format!("location {number}"), |verifier| {
                for event in events {
                    exists(verifier, "a target", event.target);
                    verifier.reading(Reader::EventTrace, "channel", &event.channel);
                    for field in event.fields.iter().flatten() {
                        verifier.reading(Reader::EventTrace, "field", field);
                    }
                }
            });
        }
    }
}
