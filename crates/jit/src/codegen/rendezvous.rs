//! Rendezvous: the sender moves first, into an intermediate state that only these functions see;
//! then every process that can receive the message yields a successor.

use crate::codegen::channel::ChannelTarget;
use crate::codegen::operation::Readiness;
use crate::codegen::state_view::{Base, StateView};
use crate::codegen::transition::Attempt;
use crate::codegen::value::Value;
use crate::codegen::{FunctionKey, Generator, trusted};
use crate::plan::{Actor, Plan};
use crate::units::Part;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use lariat_ir::expression::{Expr, Pattern};
use lariat_ir::layout::Interval;
use lariat_ir::program::{Body, BranchKind, Operation};
use std::rc::Rc;

impl<'p> Plan<'p> {
    /// Whether a process at this location may receive in a rendezvous on a channel, or raise an
    /// error when it is tried.
    fn may_receive(&self, actor: Actor, location: u32, channel: usize) -> bool {
        let transitions = &self.process_type(actor).locations[location as usize].transitions;
        transitions.iter().any(|transition| match &transition.operation {
            Operation::Deterministic(body) => self.node_may_receive(actor, body, 0, channel),
            operation => self.operation_may_receive(actor, operation, channel),
        })
    }

    fn node_may_receive(&self, actor: Actor, body: &Body, node: u32, channel: usize) -> bool {
        body.nodes[node as usize].iter().any(|branch| match (&branch.kind, branch.next) {
            (BranchKind::Operation(operation), _) => {
                self.operation_may_receive(actor, operation, channel)
            }
            (BranchKind::Enter, Some(next)) => self.node_may_receive(actor, body, next, channel),
            (BranchKind::Enter, None) => false,
        })
    }

    fn operation_may_receive(&self, actor: Actor, operation: &Operation, channel: usize) -> bool {
        let Operation::Receive { channel: from, keep, .. } = operation else { return false };
        let Some(number) = self.fold(Some(actor), from) else { return true };
        let exists = number >= 1 && i64::from(number) <= self.channel_count_range().low;
        // A receive from another existing channel cannot take part.
        let elsewhere = exists && number != channel as i32 + 1;
        !elsewhere || *keep && self.may_be_rendezvous(number as usize - 1)
    }

    /// For each location, whether the process may receive there.
    fn receiving_locations(&self, actor: Actor, channel: usize) -> Rc<Vec<bool>> {
        let mut known = self.receiving_locations.borrow_mut();
        let locations = known.entry((actor, channel)).or_insert_with(|| {
            let count = self.process_type(actor).locations.len() as u32;
            Rc::new((0..count).map(|location| self.may_receive(actor, location, channel)).collect())
        });
        Rc::clone(locations)
    }
}

impl Generator<'_, '_> {
    /// Tests whether a send is enabled and makes its steps; then goes to `done`.
    pub fn send(
        &mut self,
        mut view: StateView,
        target: ChannelTarget,
        arguments: &[Expr],
        attempt: &Attempt<'_>,
    ) {
        match target {
            ChannelTarget::Direct(index) if self.plan.may_be_rendezvous(index) => {
                self.rendezvous(view, index, 0, arguments, attempt);
            }
            ChannelTarget::Direct(_) => {
                let operation = &attempt.transition.operation;
                self.buffered(&mut view, target, operation, attempt);
            }
            ChannelTarget::Number(number) => {
                let candidates: Vec<usize> = (0..self.plan.layout.channels.len())
                    .filter(|index| number.range.contains(Interval::point(*index as i32 + 1)))
                    .filter(|index| self.plan.may_be_rendezvous(*index))
                    .collect();
                let otherwise = self.block();
                let arms: Vec<(i32, Block)> =
                    candidates.iter().map(|index| (*index as i32 + 1, self.block())).collect();
                self.switch(number, &arms, otherwise);
                for ((_, block), index) in arms.into_iter().zip(candidates) {
                    self.at(block);
                    let exists = self.channel_exists(&view, index);
                    self.require(exists);
                    let kinds = self.plan.layout.channels[index].kinds.len();
                    for kind in 0..kinds {
                        if self.plan.capacity(self.known_channel(index, kind).kind) > 0 {
                            continue;
                        }
                        let next = self.block();
                        let is = self.channel_has_kind(&view, index, kind);
                        self.require_or(is, next);
                        self.rendezvous(view.clone(), index, kind, arguments, attempt);
                        self.at(next);
                    }
                    self.go_to(otherwise);
                }
                self.at(otherwise);
                let operation = &attempt.transition.operation;
                self.buffered(&mut view, target, operation, attempt);
            }
        }
    }

    /// A step that sends to a buffered channel.
    fn buffered(
        &mut self,
        view: &mut StateView,
        target: ChannelTarget,
        operation: &Operation,
        attempt: &Attempt<'_>,
    ) {
        self.require_room(view, target, attempt.done);
        self.perform_operation(
            view,
            operation,
            Readiness::Message(target, crate::codegen::state_view::Index::Fixed(0)),
        );
        self.finish_step(view.clone(), attempt);
    }

    fn rendezvous(
        &mut self,
        mut view: StateView,
        index: usize,
        kind: usize,
        arguments: &[Expr],
        attempt: &Attempt<'_>,
    ) {
        let Some(actor) = view.actor else { return };
        let plan = self.plan;
        let channel_type =
            plan.program.channel_type(self.known_channel(index, kind).kind.channel_type);
        let values: Vec<Value> =
            arguments.iter().map(|argument| self.value(&view, argument)).collect();
        if values.len() != channel_type.fields.len() {
            self.bail_out();
            return self.go_to(attempt.done);
        }
        self.check_exclusive(&view, Value::constant(index as i32 + 1), false);
        let message: Vec<Value> = values
            .iter()
            .zip(&channel_type.fields)
            .map(|(value, field)| self.convert_to_domain(*value, field.domain))
            .collect();
        view.occupied = Some(index);
        if plan.program.event_trace.is_some() {
            self.materialize(&mut view);
        }
        self.trace_rendezvous_event(&mut view, index, &message, true);
        // The processes that may receive, judging by their locations.
        let mut receivers: Vec<(Actor, Value)> = Vec::new();
        let mut anyone = Value::constant(0);
        for other in plan.actors().rev().filter(|other| other.slot != actor.slot) {
            let receiving_locations = plan.receiving_locations(other, index);
            if !receiving_locations.contains(&true) {
                continue;
            }
            let location = self.location(&view, other);
            let at =
                self.is_member(location, &|at| receiving_locations.get(at as usize) == Some(&true));
            let exists = self.process_exists(&view, other.slot);
            let is = self.has_kind(&view, other);
            let present = self.both(exists, is);
            let may = self.both(present, at);
            anyone = self.either(anyone, may);
            receivers.push((other, may));
        }
        self.require_or(anyone, attempt.done);
        let code = self.move_code(actor, attempt);
        let code = self.word_constant(code);
        self.arrive(&mut view, attempt, false);
        let half = match self.half_step_slot {
            Some(slot) => slot,
            None => {
                let slot = self.stack_slot(plan.layout.width.all as u32 * 8);
                self.half_step_slot = Some(slot);
                slot
            }
        };
        let half = self.stack_address(half);
        self.copy_state(&view, half, 0);
        let buffer = self.message_buffer();
        for (field, value) in message.iter().enumerate() {
            self.store_in_buffer(buffer, field, *value);
        }
        let before = self.builder.use_var(self.out);
        let zero = self.word_constant(0);
        let context = self.context.unwrap_or(zero);
        for (other, may) in receivers {
            self.when(may, |generator| {
                let out = generator.builder.use_var(generator.out);
                let key = FunctionKey::Receive(other, index);
                let next = generator.call(key, &[half, buffer, out, context, code]);
                generator.check_result(key, next);
                generator.builder.def_var(generator.out, next);
            });
        }
        if plan.process_type(actor).deterministic && attempt.index > 0 {
            let out = self.builder.use_var(self.out);
            let received = self.builder.ins().icmp(IntCC::NotEqual, out, before);
            let earlier = self.builder.ins().icmp(IntCC::NotEqual, before, attempt.start);
            let both = self.builder.ins().band(received, earlier);
            self.bail_out_if(Value::truth(both));
        }
        self.go_to(attempt.done);
    }

    /// Generates [`FunctionKey::Receive`].
    pub fn receive_function(&mut self, actor: Actor, channel: usize) {
        let Some((view, code)) = self.receiver(actor, channel) else { return };
        let end = self.block();
        self.require_provided(&view, actor, end);
        if self.plan.split {
            // The sender has tested that the process may receive at its location.
            let arguments = self.parameters.clone();
            let part = Part::Receive(actor, channel);
            let out = self.call_unit(&view, actor, part, &arguments);
            self.builder.def_var(self.out, out);
            self.go_to(end);
        } else {
            let receiving_locations = self.plan.receiving_locations(actor, channel);
            self.expand_location(&view, actor, end, Some(code), &|location| {
                receiving_locations[location as usize]
            });
        }
        self.at(end);
        let out = self.builder.use_var(self.out);
        self.return_value(out);
    }

    /// Generates the unit of [`FunctionKey::Receive`] for one location.
    pub fn receive_unit(&mut self, actor: Actor, channel: usize, location: u32) {
        let Some((view, code)) = self.receiver(actor, channel) else { return };
        let end = self.block();
        self.expand_transitions(&view.at(location), actor, location, end, Some(code));
        self.at(end);
        let out = self.builder.use_var(self.out);
        self.return_value(out);
    }

    /// The half-step state as the receiver sees it, and the code of the send.
    fn receiver(&mut self, actor: Actor, channel: usize) -> Option<(StateView, ir::Value)> {
        let [half, message, out, context, code] = self.parameters[..] else { return None };
        self.context = Some(context);
        self.builder.def_var(self.out, out);
        let mut view = StateView::new(Base::Input(half), Some(actor));
        view.handshake = Some((channel, message));
        view.occupied = Some(channel);
        Some((view, code))
    }

    /// A field of the rendezvous message; 0 if the message has no such field.
    pub fn handshake_field(&mut self, index: usize, message: ir::Value, field: usize) -> Value {
        let plan = self.plan;
        let kinds = plan.layout.channels[index].kinds.iter();
        let types = kinds.map(|kind| plan.program.channel_type(kind.channel_type));
        let domains = types.filter(|kind| kind.capacity == 0).map(|kind| kind.fields.get(field));
        let mut range: Option<Interval> = None;
        for domain in domains {
            let Some(domain) = domain else {
                // Depends on the channel's kind at run time, which the interpreter handles.
                self.bail_out();
                return Value::constant(0);
            };
            let allowed = Interval::of_domain(domain.domain);
            range = Some(range.map_or(allowed, |range| range.join(allowed)));
        }
        match range {
            Some(range) => {
                let flags = trusted().with_readonly();
                let number = self.builder.ins().load(types::I32, flags, message, field as i32 * 4);
                Value::number(number, range)
            }
            None => Value::constant(0),
        }
    }

    pub fn receive_handshake(
        &mut self,
        view: &mut StateView,
        patterns: &[Pattern],
        index: usize,
        message: ir::Value,
    ) {
        self.check_exclusive(view, Value::constant(index as i32 + 1), true);
        let plan = self.plan;
        let mut kinds =
            plan.layout.channels[index].kinds.iter().filter(|kind| plan.capacity(kind) == 0);
        if kinds.any(|kind| kind.fields.len() != patterns.len()) {
            return self.bail_out();
        }
        for (field, pattern) in patterns.iter().enumerate() {
            if let Pattern::Bind(place) = pattern {
                let value = self.handshake_field(index, message, field);
                let element = self.place_element(view, place);
                self.store(view, place, element, value);
            }
        }
        let values: Vec<Value> = match plan.program.event_trace {
            Some(_) => (0..patterns.len())
                .map(|field| self.handshake_field(index, message, field))
                .collect(),
            None => Vec::new(),
        };
        self.trace_rendezvous_event(view, index, &values, false);
        view.handshake = None;
        view.occupied = None;
    }
}
