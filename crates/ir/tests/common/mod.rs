//! Random small programs that follow the rules of the IR, and random walks through them.
//!
//! A program is built from a list of numbers, each deciding one question (Hypothesis's technique):
//! a shorter list or smaller numbers give a simpler program, so proptest's shrinking of the list
//! shrinks the program.

#![allow(dead_code)] // Each test uses a part of this module.

pub mod operation;

use lariat_ir::Interpreter;
use lariat_ir::domain::Domain;
use lariat_ir::expression::{Expr, Place, Scope};
use lariat_ir::program::*;
use lariat_ir::state::State;
use lariat_ir::system::Successor;
use proptest::prelude::*;

/// Makes choices from a list of numbers; at the end of the list, every choice is the simplest.
pub struct Choices {
    numbers: std::vec::IntoIter<u16>,
}

impl Choices {
    pub fn new(numbers: Vec<u16>) -> Choices {
        Choices { numbers: numbers.into_iter() }
    }

    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.numbers.next().unwrap_or(0)) % count.max(1)
    }

    /// True with probability 1 / `count`.
    pub fn rarely(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub fn one<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// The features of a generated program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All: for tests that do not execute the program.
    Anything,
    /// Without `enabled`, whose value may depend on itself.
    Runnable,
}

pub fn numbers() -> impl Strategy<Value = Vec<u16>> {
    proptest::collection::vec(any::<u16>(), 0..600)
}

pub fn program(kind: Kind) -> impl Strategy<Value = Program> {
    numbers().prop_map(move |numbers| build(kind, numbers))
}

pub struct Builder {
    pub choices: Choices,
    pub kind: Kind,
    pub program: Program,
    /// The process type being built.
    pub reader: Option<usize>,
    /// Whether the action list being built contains a `run`.
    pub spawned: bool,
    pub depth: u32,
}

/// Ordinary names, words of the text form, paths, duplicates, and unusual names.
const NAMES: [&str; 14] = [
    "x",
    "y",
    "turn",
    "x",
    "pc.state",
    "s[].f",
    "a",
    "end",
    "var",
    "len",
    "two words",
    "",
    "é`\\\n",
    "a[]",
];

const DOMAINS: [Domain; 8] = [
    Domain::BIT,
    Domain::unsigned(2),
    Domain::BYTE,
    Domain::Range { low: 0, high: 3 },
    Domain::Range { low: -1, high: 2 },
    Domain::Range { low: 4, high: 4 },
    Domain::Bits { bits: 3, signed: true },
    Domain::INT,
];

pub fn build(kind: Kind, numbers: Vec<u16>) -> Program {
    let mut builder = Builder {
        choices: Choices::new(numbers),
        kind,
        program: Program::default(),
        reader: None,
        spawned: false,
        depth: 0,
    };
    builder.program();
    builder.program
}

impl Builder {
    fn program(&mut self) {
        self.program.has_priorities = self.choices.rarely(8);
        self.program.remembers_last = self.choices.rarely(6);
        self.program.remembers_partner = self.program.remembers_last && self.choices.below(2) == 1;
        for _ in 0..self.choices.below(3) {
            let names = (0..1 + self.choices.below(3)).map(|index| format!("n{index}")).collect();
            let name = self.name();
            self.program.name_sets.push(NameSet { name, names });
        }
        for _ in 0..self.choices.below(4) {
            let fields = (0..1 + self.choices.below(2)).map(|_| self.field()).collect();
            let capacity = self.choices.below(3) as u32;
            let name = self.name();
            self.program.channel_types.push(ChannelType { name, capacity, fields });
        }
        self.program.variables = self.variables(0);
        let process_types = 1 + self.choices.below(3);
        for _ in 0..process_types {
            self.process_type_skeleton();
        }
        self.program.prologue = self.prologue();
        for id in 0..process_types {
            self.reader = Some(id);
            self.process_type(id);
        }
        self.reader = None;
        self.conditions();
        if self.choices.rarely(5) {
            self.event_trace();
        }
        for _ in 0..1 + self.choices.below(3) {
            let process_type = ProcessTypeId(self.choices.below(process_types) as u32);
            let priority = self.priority();
            self.program.initial_processes.push(Instance { process_type, priority });
        }
    }

    pub fn priority(&mut self) -> u8 {
        if self.program.has_priorities { 1 + self.choices.below(3) as u8 } else { 1 }
    }

    pub fn name(&mut self) -> String {
        self.choices.one(&NAMES).to_string()
    }

    fn field(&mut self) -> FieldType {
        let (domain, meaning) = self.domain();
        FieldType { domain, meaning }
    }

    fn domain(&mut self) -> (Domain, Meaning) {
        let domain = *self.choices.one(&DOMAINS);
        let meaning = match self.choices.below(8) {
            1 => Meaning::Truth,
            2 => Meaning::Process,
            3 if !self.program.name_sets.is_empty() => {
                Meaning::Name(NameSetId(self.choices.below(self.program.name_sets.len()) as u32))
            }
            _ => Meaning::Number,
        };
        (domain, meaning)
    }

    /// A few variables: the parameters first, and some that hold channels.
    fn variables(&mut self, parameters: u32) -> Variables {
        let mut variables = Variables::default();
        for index in 0..parameters + self.choices.below(4) as u32 {
            let mut name = self.name();
            let mut dimensions = match self.choices.below(4) {
                1 => vec![2],
                2 => vec![2, 2],
                _ => Vec::new(),
            };
            if index < parameters {
                dimensions.clear();
            }
            if name.matches("[]").count() > dimensions.len() {
                name = format!("v{index}");
            }
            let (mut domain, mut meaning) = self.domain();
            if !self.program.channel_types.is_empty() && self.choices.below(2) == 1 {
                (domain, meaning) = (Domain::BYTE, Meaning::Channel);
            }
            let hidden = self.choices.rarely(6);
            variables.add(name, dimensions, domain, meaning, hidden);
        }
        variables
    }

    /// A process type without its transitions, so that other process types can refer to it.
    fn process_type_skeleton(&mut self) {
        let parameters = self.choices.below(2) as u32;
        let locations = 1 + self.choices.below(3);
        let kind = ProcessType {
            name: self.name(),
            parameters,
            variables: self.variables(parameters),
            prologue: Vec::new(),
            initial_location: LocationId(self.choices.below(locations) as u32),
            locations: (0..locations)
                .map(|index| Location {
                    transitions: Vec::new(),
                    end: self.choices.rarely(3),
                    accept: self.choices.rarely(8),
                    progress: self.choices.rarely(8),
                    labels: (0..self.choices.below(3)).map(|_| self.name()).collect(),
                    number: if self.choices.rarely(4) { 7 } else { index as u32 },
                    dead: Vec::new(),
                })
                .collect(),
            provided: None,
            deterministic: self.choices.rarely(8),
            exclusive: Vec::new(),
        };
        self.program.process_types.push(kind);
        if self.choices.rarely(6) {
            let kind = self.program.process_types.last_mut().expect("just added");
            let variables = kind.variables.len();
            if variables > 0 {
                let location = self.choices.below(kind.locations.len());
                kind.locations[location]
                    .dead
                    .push(VariableId(self.choices.below(variables) as u32));
            }
        }
    }

    fn process_type(&mut self, id: usize) {
        let prologue = self.prologue();
        let provided = self.choices.rarely(8).then(|| self.expr());
        let mut exclusive = Vec::new();
        if self.choices.rarely(8) {
            exclusive
                .push(Exclusive { channel: self.channel(), receive: self.choices.below(2) == 1 });
        }
        for location in 0..self.program.process_types[id].locations.len() {
            let transitions = self.transitions(id);
            self.program.process_types[id].locations[location].transitions = transitions;
        }
        let kind = &mut self.program.process_types[id];
        kind.prologue = prologue;
        kind.provided = provided;
        kind.exclusive = exclusive;
    }

    fn transitions(&mut self, id: usize) -> Vec<Transition> {
        let targets = self.program.process_types[id].locations.len();
        let mut transitions = Vec::new();
        let mut has_else = false;
        let mut escape = if self.choices.rarely(5) { 2 } else { 0 };
        for _ in 0..self.choices.below(4) {
            let mut operation = self.operation();
            if operation == Operation::Else && std::mem::replace(&mut has_else, true) {
                operation = Operation::SKIP;
            }
            let keeps_control = self.choices.rarely(5) && operation != Operation::End;
            transitions.push(Transition {
                operation,
                target: LocationId(self.choices.below(targets) as u32),
                keeps_control,
                escape,
                origin: self.origin(),
            });
            escape -= self.choices.below(2).min(escape as usize) as u32;
        }
        transitions
    }

    pub fn origin(&mut self) -> OriginId {
        let known = self.program.origins.len();
        if known > 0 && self.choices.rarely(3) {
            return OriginId(self.choices.below(known) as u32);
        }
        let (file, text) = (self.name(), self.name());
        let (line, number) = (self.choices.below(9) as u32, self.choices.below(9) as u32);
        let mut small = || self.choices.below(9) as u32;
        let extent = Extent { column: small(), end_line: small(), end_column: small() };
        let extent = Some(extent).filter(|extent| extent.column > 3);
        self.program.origins.push(Origin { file, line, extent, text, number });
        OriginId(known as u32)
    }

    /// Initial values, and channels for the variables that hold channels.
    fn prologue(&mut self) -> Vec<Action> {
        let scope = if self.reader.is_some() { Scope::Local } else { Scope::Global };
        let mut actions = Vec::new();
        for id in 0..self.variables_of(scope).len() as u32 {
            let variable = VariableId(id);
            let content = self.variables_of(scope).get(variable).clone();
            let indices = content
                .dimensions
                .iter()
                .map(|_| Expr::Const(self.choices.below(2) as i32))
                .collect();
            let place = Place { scope, variable, indices };
            if content.meaning == Meaning::Channel && self.choices.below(4) < 3 {
                let channel_type =
                    ChannelTypeId(self.choices.below(self.program.channel_types.len()) as u32);
                actions.push(Action::NewChannel { place, channel_type });
            } else if self.choices.rarely(4) {
                actions.push(Action::Assign(vec![(place, self.constant_in(content.domain))]));
            }
        }
        actions
    }

    /// A value of the domain, so that initialising the program succeeds.
    fn constant_in(&mut self, domain: Domain) -> Expr {
        let value = self.choices.below(4) as i32;
        Expr::Const(domain.store(value).unwrap_or(domain.default_value()))
    }

    pub fn variables_of(&self, scope: Scope) -> &Variables {
        match (scope, self.reader) {
            (Scope::Local, Some(id)) => &self.program.process_types[id].variables,
            _ => &self.program.variables,
        }
    }

    fn conditions(&mut self) {
        for _ in 0..self.choices.below(3) {
            let (name, condition) = (self.name(), self.expr());
            let origin = self.origin();
            self.program.invariants.push(Invariant { name, condition, origin });
        }
        if self.choices.rarely(3) {
            self.program.end_condition = Some(self.expr());
        }
        if self.choices.rarely(3) {
            self.program.initial_condition = self.initial_condition();
        }
    }

    /// A condition that bounds one variable with a small domain; `None` without such a variable.
    fn initial_condition(&mut self) -> Option<Expr> {
        let small =
            |variable: &Variable| variable.dimensions.is_empty() && variable.domain.width() <= 3;
        let candidates: Vec<u32> = (0u32..)
            .zip(self.program.variables.iter())
            .filter(|(_, known)| small(known))
            .map(|(id, _)| id)
            .collect();
        let &id = candidates.get(self.choices.below(candidates.len()))?;
        let place = Place { scope: Scope::Global, variable: VariableId(id), indices: Vec::new() };
        let bound = Expr::Const(self.choices.below(4) as i32);
        Some(Expr::binary(lariat_ir::expression::BinaryOp::LessEqual, Expr::Read(place), bound))
    }

    fn event_trace(&mut self) {
        let count = 1 + self.choices.below(3);
        let locations = (0..count)
            .map(|_| {
                (0..self.choices.below(3))
                    .map(|_| Event {
                        send: self.choices.below(2) == 0,
                        channel: self.channel(),
                        fields: (0..1 + self.choices.below(2))
                            .map(|_| (self.choices.below(2) == 1).then(|| self.expr()))
                            .collect(),
                        target: self.choices.below(count) as u32,
                    })
                    .collect()
            })
            .collect();
        self.program.event_trace = Some(EventTrace {
            negated: self.choices.below(2) == 1,
            send_scope: (0..self.choices.below(3)).map(|_| self.channel()).collect(),
            receive_scope: (0..self.choices.below(3)).map(|_| self.channel()).collect(),
            initial: self.choices.below(count) as u32,
            end: self.choices.below(count) as u32,
            resting: (0..self.choices.below(2)).map(|_| self.choices.below(count) as u32).collect(),
            locations,
        });
    }
}

/// A random walk from an initial state; `visit` is called with each state and its successors.
pub fn walk(
    program: &Program,
    choices: &mut Choices,
    steps: usize,
    mut visit: impl FnMut(&State, &[Successor], &mut Choices),
) {
    let interpreter = Interpreter::new(program);
    let Ok(initial) = interpreter.initial_states() else { return };
    if initial.is_empty() {
        return;
    }
    let mut state = choices.one(&initial).clone();
    for _ in 0..steps {
        let mut successors = Vec::new();
        interpreter.successors(&state, &mut successors);
        visit(&state, &successors, choices);
        let next: Vec<&State> =
            successors.iter().filter_map(|successor| successor.state.as_ref()).collect();
        if next.is_empty() {
            return;
        }
        state = (*choices.one(&next)).clone();
    }
}
