//! Collects the accesses of operations, actions and expressions, in the cases and the order of the
//! interpreter.

use super::channels::{ChannelSet, Channels, constant_element};
use super::rendezvous::{Receiver, receives};
use super::{Access, ChannelUse, Resource, widen};
use crate::expression::{Expr, Pattern, Place, Remote, Scope};
use crate::program::{
    Action, LocationId, Operation, ProcessTypeId, Program, Transition, VariableId, Variables,
};
use std::collections::HashSet;

pub(super) struct Collector<'p> {
    pub program: &'p Program,
    pub channels: Channels<'p>,
    /// By process type: the targets of transitions that keep control, where a process may have
    /// exclusive control.
    controlled: Vec<HashSet<LocationId>>,
    pub receivers: Vec<Receiver>,
}

/// The situation in which a transition is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Start,
    /// In the middle of a rendezvous, or inside a d_step: no send finds a receiver.
    HalfWay,
}

impl<'p> Collector<'p> {
    pub fn new(program: &'p Program) -> Collector<'p> {
        let controlled = program
            .process_types
            .iter()
            .map(|kind| {
                let transitions = kind.locations.iter().flat_map(|location| &location.transitions);
                transitions
                    .filter(|earlier| earlier.keeps_control)
                    .map(|earlier| earlier.target)
                    .collect()
            })
            .collect();
        let channels = Channels::new(program);
        let mut collector = Collector { program, channels, controlled, receivers: Vec::new() };
        collector.receivers = collector.receivers();
        collector
    }

    pub fn transition(&self, kind: ProcessTypeId, location: LocationId, index: usize) -> Access {
        let mut access = self.one_side(kind, location, index, Phase::Start);
        let transition = &self.program.process_type(kind).location(location).transitions[index];
        // A rendezvous inside a d_step is an error, independently of receivers.
        if let Operation::Send { channel, .. } = &transition.operation
            && self.may_be_rendezvous(kind, channel)
        {
            self.partners(kind, channel, &mut access);
        }
        access.reads.extend(&access.enabling);
        access
    }

    /// The access of the transition without that of the other side of a rendezvous.
    pub fn one_side(
        &self,
        kind: ProcessTypeId,
        location: LocationId,
        index: usize,
        phase: Phase,
    ) -> Access {
        let process_type = self.program.process_type(kind);
        let transitions = &process_type.location(location).transitions;
        let transition = &transitions[index];
        let mut access = Access::default();
        access.enabling.extend([Resource::Location, Resource::Control]);
        if let Some(condition) = &process_type.provided {
            self.expression(Some(kind), condition, &mut access);
        }
        if self.program.has_priorities {
            access.enabling.insert(Resource::Everything);
        }
        for earlier in &transitions[..index] {
            if phase == Phase::HalfWay && receives(&earlier.operation).is_empty() {
                // In the middle of a rendezvous only receives are tried.
                continue;
            }
            if transition.operation == Operation::Else
                || earlier.escape > 0
                || process_type.deterministic
            {
                self.enabling(kind, &earlier.operation, phase, &mut access);
            }
        }
        self.enabling(kind, &transition.operation, phase, &mut access);
        access.enabling.append(&mut access.reads);
        self.effect(kind, &transition.operation, &mut access);
        self.arrival(kind, location, transition, &mut access);
        access
    }

    fn arrival(
        &self,
        kind: ProcessTypeId,
        location: LocationId,
        transition: &Transition,
        access: &mut Access,
    ) {
        if transition.operation != Operation::End {
            let dead = &self.program.process_type(kind).location(transition.target).dead;
            access.writes.extend(dead.iter().map(|&variable| Resource::Local(variable, None)));
            if transition.target != location {
                access.writes.insert(Resource::Location);
            }
        }
        if self.program.remembers_last {
            access.writes.insert(Resource::Last);
        }
        if transition.keeps_control || self.controlled[kind.index()].contains(&location) {
            access.writes.insert(Resource::Control);
        }
    }

    /// Adds the reads that decide whether the operation is enabled.
    fn enabling(
        &self,
        reader: ProcessTypeId,
        operation: &Operation,
        phase: Phase,
        access: &mut Access,
    ) {
        let by = Some(reader);
        match operation {
            Operation::Guarded { guard, .. } => self.expression(by, guard, access),
            Operation::Else => {}
            Operation::Send { channel, .. } => {
                self.expression(by, channel, access);
                self.contents(by, channel, access);
                // The send is enabled only if a receiver accepts the message, whose evaluation may
                // fail.
                if phase == Phase::Start && self.may_be_rendezvous(reader, channel) {
                    let mut both_sides = Access::default();
                    self.effect(reader, operation, &mut both_sides);
                    self.partners(reader, channel, &mut both_sides);
                    access.reads.append(&mut both_sides.reads);
                    access.reads.append(&mut both_sides.enabling);
                }
            }
            Operation::Receive { channel, patterns, .. } => {
                self.expression(by, channel, access);
                self.contents(by, channel, access);
                for pattern in patterns {
                    pattern.for_each_expression(&mut |expr| self.expression(by, expr, access));
                }
            }
            Operation::End => {
                access.reads.insert(Resource::Processes);
            }
            // Only the first branches matter; including the others is conservative.
            Operation::Deterministic(body) => {
                body.for_each_part(&mut |part| {
                    self.enabling(reader, part, Phase::HalfWay, access);
                });
            }
        }
    }

    fn effect(&self, reader: ProcessTypeId, operation: &Operation, access: &mut Access) {
        let by = Some(reader);
        match operation {
            Operation::Guarded { actions, .. } => {
                actions.iter().for_each(|action| self.action(reader, action, access));
            }
            Operation::Else => {}
            Operation::Send { channel, arguments, .. } => {
                arguments.iter().for_each(|argument| self.expression(by, argument, access));
                self.change_contents(by, channel, ChannelUse::Send, access);
                self.watchers(true, access);
            }
            Operation::Receive { channel, patterns, keep, .. } => {
                for pattern in patterns {
                    if let Pattern::Bind(place) = pattern {
                        self.write(reader, place, access);
                    }
                }
                if *keep {
                    self.note_use(by, channel, ChannelUse::Inspect, access);
                } else {
                    self.change_contents(by, channel, ChannelUse::Receive, access);
                }
                self.watchers(false, access);
            }
            Operation::End => {
                access.writes.insert(Resource::Processes);
                let prologue = &self.program.process_type(reader).prologue;
                if prologue.iter().any(|action| matches!(action, Action::NewChannel { .. })) {
                    access.writes.insert(Resource::Channels);
                }
            }
            Operation::Deterministic(body) => {
                body.for_each_part(&mut |part| self.effect(reader, part, access));
            }
        }
    }

    fn action(&self, reader: ProcessTypeId, action: &Action, access: &mut Access) {
        let by = Some(reader);
        match action {
            Action::Assign(assignments) => {
                for (place, value) in assignments {
                    self.expression(by, value, access);
                    self.write(reader, place, access);
                }
            }
            Action::NewChannel { place, .. } => {
                access.reads.insert(Resource::Channels);
                access.writes.insert(Resource::Channels);
                self.write(reader, place, access);
            }
            Action::Run { process_type, arguments, .. } => {
                arguments.iter().for_each(|argument| self.expression(by, argument, access));
                access.reads.insert(Resource::Processes);
                access.writes.insert(Resource::Processes);
                let mut birth = Access::default();
                for action in &self.program.process_type(*process_type).prologue {
                    self.action(*process_type, action, &mut birth);
                }
                // The local accesses of the new process concern no existing process; `Processes`
                // covers them.
                birth.reads.retain(|resource| !matches!(resource, Resource::Local(..)));
                birth.writes.retain(|resource| !matches!(resource, Resource::Local(..)));
                access.include(&birth);
            }
            Action::Assert { condition, .. } => self.expression(by, condition, access),
            Action::Print { .. } => {
                action.for_each_expression(&mut |value| self.expression(by, value, access));
            }
            Action::SetPriority { process, priority } => {
                self.expression(by, process, access);
                self.expression(by, priority, access);
                access.reads.insert(Resource::Processes);
                access.writes.insert(Resource::Priorities);
            }
        }
    }

    pub fn expression(&self, reader: Option<ProcessTypeId>, expr: &Expr, access: &mut Access) {
        let reads = &mut access.reads;
        match expr {
            Expr::Read(place) => {
                if let Some(resource) = self.resource(reader, place) {
                    reads.insert(resource);
                }
            }
            Expr::Channel(_, channel) => {
                self.contents(reader, channel, access);
                self.note_use(reader, channel, ChannelUse::Inspect, access);
            }
            Expr::Poll { channel, .. } => {
                self.contents(reader, channel, access);
                self.note_use(reader, channel, ChannelUse::Inspect, access);
            }
            Expr::Timeout | Expr::Enabled(_) => {
                reads.insert(Resource::Everything);
            }
            Expr::ProcessCount => {
                reads.insert(Resource::Processes);
            }
            // The partner is written exactly when the last process is.
            Expr::Last | Expr::Partner => {
                reads.insert(Resource::Last);
            }
            Expr::Priority(_) => reads.extend([Resource::Priorities, Resource::Processes]),
            // The number of a location is compared even if the process has another type.
            Expr::PcValue(_) | Expr::NonProgress | Expr::At { process: Remote::Pid(_), .. } => {
                reads.insert(Resource::Processes);
                let kinds = 0..self.program.process_types.len() as u32;
                reads.extend(kinds.map(|kind| Resource::LocationOf(ProcessTypeId(kind))));
            }
            Expr::At { process_type, process: Remote::Only, .. } => {
                reads.extend([Resource::Processes, Resource::LocationOf(*process_type)]);
            }
            Expr::ReadRemote { process_type, variable, indices, .. } => {
                let variables = &self.program.process_type(*process_type).variables;
                let element = element(variables, *variable, indices);
                reads.extend([
                    Resource::Processes,
                    Resource::Remote(*process_type, *variable, element),
                ]);
            }
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Conditional(..)
            | Expr::Pid
            | Expr::Spawned => {}
        }
        expr.for_each_child(&mut |child| self.expression(reader, child, access));
    }

    fn write(&self, reader: ProcessTypeId, place: &Place, access: &mut Access) {
        place.indices.iter().for_each(|index| self.expression(Some(reader), index, access));
        access.writes.extend(self.resource(Some(reader), place));
    }

    pub fn resource(&self, reader: Option<ProcessTypeId>, place: &Place) -> Option<Resource> {
        match place.scope {
            Scope::Global => {
                let element = element(&self.program.variables, place.variable, &place.indices);
                Some(Resource::Global(place.variable, element))
            }
            Scope::Local => {
                let variables = &self.program.process_type(reader?).variables;
                Some(Resource::Local(
                    place.variable,
                    element(variables, place.variable, &place.indices),
                ))
            }
        }
    }

    /// Adds a read of the contents of the channel.
    fn contents(&self, reader: Option<ProcessTypeId>, channel: &Expr, access: &mut Access) {
        match self.channels.value(reader, channel) {
            ChannelSet::Any => access.reads.extend([Resource::AnyChannel, Resource::Channels]),
            ChannelSet::Known(numbers) => {
                for number in numbers {
                    if self.channels.type_of(number).is_some() {
                        access.reads.insert(Resource::Channel(number as u32));
                    } else if !self.channels.is_known(number) {
                        // A process may have created the channel.
                        access.reads.extend([Resource::AnyChannel, Resource::Channels]);
                    }
                }
            }
        }
    }

    fn change_contents(
        &self,
        reader: Option<ProcessTypeId>,
        channel: &Expr,
        how: ChannelUse,
        access: &mut Access,
    ) {
        let mut contents = Access::default();
        self.contents(reader, channel, &mut contents);
        contents.reads.remove(&Resource::Channels);
        access.writes.append(&mut contents.reads);
        self.note_use(reader, channel, how, access);
    }

    fn note_use(
        &self,
        reader: Option<ProcessTypeId>,
        channel: &Expr,
        how: ChannelUse,
        access: &mut Access,
    ) {
        match self.channels.value(reader, channel) {
            ChannelSet::Any => {
                access.channels.insert((None, how));
            }
            ChannelSet::Known(numbers) => {
                let known = |number: i32| self.channels.type_of(number).map(|_| number as u32);
                access.channels.extend(numbers.into_iter().map(|number| (known(number), how)));
            }
        }
    }

    /// Adds the effects of a send or receive on observers: the event trace, and processes with
    /// exclusive rights.
    fn watchers(&self, send: bool, access: &mut Access) {
        if let Some(trace) = &self.program.event_trace {
            let scope = if send { &trace.send_scope } else { &trace.receive_scope };
            if !scope.is_empty() {
                scope.iter().for_each(|channel| self.expression(None, channel, access));
                for event in trace.locations.iter().flatten() {
                    self.expression(None, &event.channel, access);
                    event
                        .fields
                        .iter()
                        .flatten()
                        .for_each(|field| self.expression(None, field, access));
                }
                access.reads.insert(Resource::Event);
                access.writes.insert(Resource::Event);
            }
        }
        for (index, kind) in self.program.process_types.iter().enumerate() {
            let claimant = ProcessTypeId(index as u32);
            for claim in kind.exclusive.iter().filter(|claim| claim.receive != send) {
                let mut claimed = Access::default();
                self.expression(Some(claimant), &claim.channel, &mut claimed);
                access.reads.insert(Resource::Processes);
                access
                    .reads
                    .extend(claimed.reads.into_iter().map(|resource| widen(resource, claimant)));
            }
        }
    }
}

fn element(variables: &Variables, variable: VariableId, indices: &[Expr]) -> Option<u32> {
    constant_element(variables.get(variable), indices)
}
