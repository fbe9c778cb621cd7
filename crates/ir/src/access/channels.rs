//! The channels that an expression can denote: a flow-insensitive points-to analysis (Andersen
//! 1994). Every variable, and every field of every channel type, has a set of channel numbers;
//! assignments, `run` and messages propagate numbers until a fixpoint.
//!
//! Channels of the program's prologue have known numbers and exist forever. Channels of processes
//! do not, and neither do results of arithmetic: a variable that may hold such a number may denote
//! any channel.

use crate::domain::Domain;
use crate::expression::{Expr, Pattern, Place, Scope};
use crate::program::{
    Action, ChannelTypeId, Operation, ProcessTypeId, Program, Variable, VariableId,
};
use std::collections::{BTreeSet, HashMap};

/// The possible channel numbers of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelSet {
    /// Any number.
    Any,
    /// Only these numbers.
    Known(BTreeSet<i32>),
}

/// The largest set that is tracked; larger ones become [`ChannelSet::Any`]. Not measured.
const KNOWN_LIMIT: usize = 64;

impl ChannelSet {
    fn one(number: i32) -> ChannelSet {
        ChannelSet::Known(BTreeSet::from([number]))
    }

    /// Adds the numbers of `other`; returns whether the set changed.
    fn join(&mut self, other: &ChannelSet) -> bool {
        match (&mut *self, other) {
            (ChannelSet::Any, _) => false,
            (ChannelSet::Known(own), ChannelSet::Known(others)) if others.is_subset(own) => false,
            (ChannelSet::Known(own), ChannelSet::Known(others))
                if own.len() + others.len() <= KNOWN_LIMIT =>
            {
                own.extend(others);
                true
            }
            _ => {
                *self = ChannelSet::Any;
                true
            }
        }
    }

    /// The numbers after a store into the domain.
    fn stored(&self, domain: Domain) -> ChannelSet {
        match self {
            ChannelSet::Any => ChannelSet::Any,
            ChannelSet::Known(numbers) => ChannelSet::Known(
                numbers.iter().filter_map(|&number| domain.store(number)).collect(),
            ),
        }
    }
}

impl Default for ChannelSet {
    fn default() -> ChannelSet {
        ChannelSet::Known(BTreeSet::new())
    }
}

/// A node of the flow graph of channel numbers. The slots of global variables are distinguished in
/// the program's prologue only.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum FlowNode {
    GlobalStart(usize),
    Global(VariableId),
    Local(ProcessTypeId, VariableId),
    Field(ChannelTypeId, usize),
}

pub(crate) struct Channels<'p> {
    program: &'p Program,
    cells: HashMap<FlowNode, ChannelSet>,
    /// The types of the channels that the program's prologue creates, by number from 1.
    types: Vec<ChannelTypeId>,
    changed: bool,
}

impl<'p> Channels<'p> {
    pub fn new(program: &'p Program) -> Channels<'p> {
        let mut channels =
            Channels { program, cells: HashMap::new(), types: Vec::new(), changed: false };
        channels.start();
        if program.channel_types.is_empty() {
            return channels;
        }
        loop {
            channels.changed = false;
            channels.flow();
            if !channels.changed {
                return channels;
            }
        }
    }

    /// The type of a channel of the program's prologue.
    pub fn type_of(&self, number: i32) -> Option<ChannelTypeId> {
        self.types.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// Computes the values of the variables after the program's prologue.
    fn start(&mut self) {
        let program = self.program;
        for (id, variable) in program.variables.iter().enumerate() {
            let mentioned = program.initial_condition.as_ref().is_some_and(|condition| {
                condition.any(&|expr| mentions(expr, VariableId(id as u32)))
            });
            let value = match mentioned {
                true => ChannelSet::Any,
                false => ChannelSet::one(variable.domain.default_value()),
            };
            for slot in variable.slots() {
                self.cells.insert(FlowNode::GlobalStart(slot), value.clone());
            }
        }
        for action in &program.prologue {
            match action {
                Action::NewChannel { place, channel_type } => {
                    self.types.push(*channel_type);
                    let number = ChannelSet::one(self.types.len() as i32);
                    self.set_start(place, &number);
                }
                Action::Assign(assignments) => {
                    for (place, value) in assignments {
                        let value = self.value(None, value);
                        self.set_start(place, &value);
                    }
                }
                _ => {}
            }
        }
    }

    fn set_start(&mut self, place: &Place, value: &ChannelSet) {
        let variable = self.program.variables.get(place.variable);
        let value = value.stored(variable.domain);
        match constant_element(variable, &place.indices) {
            Some(element) => {
                let slot = variable.first_slot() + element as usize;
                // A variable in the initial condition stays unknown.
                if self.cells.get(&FlowNode::GlobalStart(slot)) != Some(&ChannelSet::Any) {
                    self.cells.insert(FlowNode::GlobalStart(slot), value);
                }
            }
            None => {
                for slot in variable.slots() {
                    self.cells.entry(FlowNode::GlobalStart(slot)).or_default().join(&value);
                }
            }
        }
    }

    /// Propagates numbers once through all operations.
    fn flow(&mut self) {
        let program = self.program;
        let initial: BTreeSet<u32> =
            program.initial_processes.iter().map(|instance| instance.process_type.0).collect();
        for (index, kind) in program.process_types.iter().enumerate() {
            let id = ProcessTypeId(index as u32);
            for (variable, content) in kind.variables.iter().enumerate() {
                let is_parameter = variable < kind.parameters as usize;
                if !is_parameter || initial.contains(&id.0) {
                    let start = ChannelSet::one(content.domain.default_value());
                    self.add(FlowNode::Local(id, VariableId(variable as u32)), &start);
                }
            }
            for &variable in kind.locations.iter().flat_map(|location| &location.dead) {
                let forgotten =
                    ChannelSet::one(kind.variables.get(variable).domain.default_value());
                self.add(FlowNode::Local(id, variable), &forgotten);
            }
            kind.prologue.iter().for_each(|action| self.action(id, action));
            for transition in kind.locations.iter().flat_map(|location| &location.transitions) {
                self.operation(id, &transition.operation);
            }
        }
    }

    fn operation(&mut self, reader: ProcessTypeId, operation: &Operation) {
        match operation {
            Operation::Guarded { actions, .. } => {
                actions.iter().for_each(|action| self.action(reader, action));
            }
            // If the number of arguments is wrong, missing fields are 0.
            Operation::Send { channel, arguments, .. } => {
                for kind in self.types_of(reader, channel) {
                    for (index, field) in self.program.channel_type(kind).fields.iter().enumerate()
                    {
                        let value = arguments.get(index).unwrap_or(&Expr::Const(0));
                        let value = self.value(Some(reader), value).stored(field.domain);
                        self.add(FlowNode::Field(kind, index), &value);
                    }
                }
            }
            Operation::Receive { channel, patterns, .. } => {
                for kind in self.types_of(reader, channel) {
                    let fields = self.program.channel_type(kind).fields.len();
                    for (index, pattern) in patterns.iter().enumerate() {
                        if let Pattern::Bind(place) = pattern {
                            let value = match index < fields {
                                true => self
                                    .cells
                                    .get(&FlowNode::Field(kind, index))
                                    .cloned()
                                    .unwrap_or_default(),
                                false => ChannelSet::one(0),
                            };
                            self.assign(reader, place, &value);
                        }
                    }
                }
            }
            Operation::Deterministic(body) => {
                body.for_each_part(&mut |part| self.operation(reader, part));
            }
            Operation::Else | Operation::End => {}
        }
    }

    fn action(&mut self, reader: ProcessTypeId, action: &Action) {
        match action {
            Action::Assign(assignments) => {
                for (place, value) in assignments {
                    let value = self.value(Some(reader), value);
                    self.assign(reader, place, &value);
                }
            }
            Action::NewChannel { place, .. } => self.assign(reader, place, &ChannelSet::Any),
            Action::Run { process_type, arguments, .. } => {
                let kind = self.program.process_type(*process_type);
                for (index, (argument, parameter)) in
                    arguments.iter().zip(kind.variables.iter()).enumerate()
                {
                    let value = self.value(Some(reader), argument).stored(parameter.domain);
                    self.add(FlowNode::Local(*process_type, VariableId(index as u32)), &value);
                }
            }
            Action::Assert { .. } | Action::Print { .. } | Action::SetPriority { .. } => {}
        }
    }

    fn assign(&mut self, reader: ProcessTypeId, place: &Place, value: &ChannelSet) {
        let (variables, cell) = match place.scope {
            Scope::Global => (&self.program.variables, FlowNode::Global(place.variable)),
            Scope::Local => (
                &self.program.process_type(reader).variables,
                FlowNode::Local(reader, place.variable),
            ),
        };
        let value = value.stored(variables.get(place.variable).domain);
        self.add(cell, &value);
    }

    fn add(&mut self, cell: FlowNode, value: &ChannelSet) {
        self.changed |= self.cells.entry(cell).or_default().join(value);
    }

    /// The possible channel numbers of an expression.
    pub fn value(&self, reader: Option<ProcessTypeId>, expr: &Expr) -> ChannelSet {
        match expr {
            Expr::Const(value) => ChannelSet::one(*value),
            Expr::Conditional(_, yes, no) => {
                let mut value = self.value(reader, yes);
                value.join(&self.value(reader, no));
                value
            }
            Expr::Read(Place { scope: Scope::Global, variable: id, indices }) => {
                let variable = self.program.variables.get(*id);
                let slots = match constant_element(variable, indices) {
                    Some(element) => {
                        let slot = variable.first_slot() + element as usize;
                        slot..slot + 1
                    }
                    None => variable.slots(),
                };
                let mut value = self.cells.get(&FlowNode::Global(*id)).cloned().unwrap_or_default();
                for slot in slots {
                    self.cells.get(&FlowNode::GlobalStart(slot)).map(|start| value.join(start));
                }
                value
            }
            Expr::Read(Place { scope: Scope::Local, variable, .. }) => match reader {
                Some(reader) => {
                    self.cells.get(&FlowNode::Local(reader, *variable)).cloned().unwrap_or_default()
                }
                None => ChannelSet::Any,
            },
            _ => ChannelSet::Any,
        }
    }

    /// The possible types of a channel.
    fn types_of(&self, reader: ProcessTypeId, channel: &Expr) -> Vec<ChannelTypeId> {
        match self.value(Some(reader), channel) {
            ChannelSet::Known(numbers) if numbers.iter().all(|&number| self.is_known(number)) => {
                numbers.into_iter().filter_map(|number| self.type_of(number)).collect()
            }
            _ => (0..self.program.channel_types.len() as u32).map(ChannelTypeId).collect(),
        }
    }

    /// Whether the number denotes the same channel, or none, at all times.
    pub fn is_known(&self, number: i32) -> bool {
        number <= self.types.len() as i32
    }
}

fn mentions(expr: &Expr, variable: VariableId) -> bool {
    matches!(expr, Expr::Read(place) if place.scope == Scope::Global && place.variable == variable)
}

/// The element with these indices, if they are constant and in range.
pub(crate) fn constant_element(variable: &Variable, indices: &[Expr]) -> Option<u32> {
    let mut element = 0;
    for (index, &dimension) in indices.iter().zip(&variable.dimensions) {
        match index {
            Expr::Const(index) => match u32::try_from(*index) {
                Ok(index) if index < dimension => element = element * dimension + index,
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(element)
}
