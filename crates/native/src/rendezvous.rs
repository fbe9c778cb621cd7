//! Rendezvous: the sender moves first, into a half-way state that only these functions see; then every process that can
//! take the message gives a successor.

use crate::channel::Target;
use crate::function::{FunctionKey, Generator, trusted};
use crate::plan::{Actor, Plan};
use crate::state_access::{Base, Scene};
use crate::transition::{Attempt, Ready};
use crate::value::Value;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use model::expression::{Expr, Pattern};
use model::layout::Interval;
use model::program::{Body, BranchKind, Operation};

impl<'p> Plan<'p> {
    /// May a process of this kind at this location do anything, or go wrong, half way through a rendezvous on a channel?
    fn may_answer(&self, actor: Actor, location: u32, channel: usize) -> bool {
        let transitions = &self.process_type(actor).locations[location as usize].transitions;
        transitions.iter().any(|transition| match &transition.operation {
            Operation::Deterministic(body) => self.node_may_answer(actor, body, 0, channel),
            operation => self.operation_may_answer(actor, operation, channel),
        })
    }

    fn node_may_answer(&self, actor: Actor, body: &Body, node: u32, channel: usize) -> bool {
        body.nodes[node as usize].iter().any(|branch| match (&branch.kind, branch.next) {
            (BranchKind::Operation(operation), _) => self.operation_may_answer(actor, operation, channel),
            (BranchKind::Enter, Some(next)) => self.node_may_answer(actor, body, next, channel),
            (BranchKind::Enter, None) => false,
        })
    }

    fn operation_may_answer(&self, actor: Actor, operation: &Operation, channel: usize) -> bool {
        let Operation::Receive { channel: from, keep, .. } = operation else { return false };
        let Some(number) = self.fold(Some(actor), from) else { return true };
        let exists = number >= 1 && i64::from(number) <= self.channel_count_range().low;
        // One that receives elsewhere, without going wrong, does not take part.
        let elsewhere = exists && number != channel as i32 + 1;
        !elsewhere || *keep && self.may_be_rendezvous(number as usize - 1)
    }

    fn answering(&self, actor: Actor, channel: usize) -> Vec<bool> {
        let count = self.process_type(actor).locations.len() as u32;
        (0..count).map(|location| self.may_answer(actor, location, channel)).collect()
    }
}

impl Generator<'_, '_> {
    /// A send, enabled or not: every way it can go ends at `done`.
    pub fn send(&mut self, mut scene: Scene, target: Target, arguments: &[Expr], attempt: &Attempt<'_>) {
        match target {
            Target::Direct(index) if self.plan.may_be_rendezvous(index) => {
                self.rendezvous(scene, index, 0, arguments, attempt);
            }
            Target::Direct(_) => {
                let operation = &attempt.transition.operation;
                self.buffered(&mut scene, target, operation, attempt);
            }
            Target::Number(number) => {
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
                    let exists = self.channel_exists(&scene, index);
                    self.require(exists);
                    let kinds = self.plan.layout.channels[index].kinds.len();
                    for kind in 0..kinds {
                        if self.plan.capacity(self.known(index, kind).kind) > 0 {
                            continue;
                        }
                        let next = self.block();
                        let is = self.channel_has_kind(&scene, index, kind);
                        self.require_or(is, next);
                        self.rendezvous(scene.clone(), index, kind, arguments, attempt);
                        self.at(next);
                    }
                    self.go_to(otherwise);
                }
                self.at(otherwise);
                let operation = &attempt.transition.operation;
                self.buffered(&mut scene, target, operation, attempt);
            }
        }
    }

    /// A send on a channel that is not one of rendezvous.
    fn buffered(&mut self, scene: &mut Scene, target: Target, operation: &Operation, attempt: &Attempt<'_>) {
        self.has_room(scene, target, attempt.done);
        self.perform(scene, operation, Ready::Message(target, crate::state_access::Index::Fixed(0)));
        self.complete(scene.clone(), attempt);
    }

    fn rendezvous(
        &mut self,
        mut scene: Scene,
        index: usize,
        kind: usize,
        arguments: &[Expr],
        attempt: &Attempt<'_>,
    ) {
        let Some(actor) = scene.actor else { return };
        let plan = self.plan;
        let channel_type = plan.program.channel_type(self.known(index, kind).kind.channel_type);
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(&scene, argument)).collect();
        if values.len() != channel_type.fields.len() {
            self.give_up();
            return self.go_to(attempt.done);
        }
        self.check_exclusive(&scene, Value::constant(index as i32 + 1), false);
        let message: Vec<Value> = values
            .iter()
            .zip(&channel_type.fields)
            .map(|(value, field)| self.cut(*value, field.domain))
            .collect();
        scene.occupied = Some(index);
        if plan.program.event_trace.is_some() {
            self.materialize(&mut scene);
        }
        self.watch_message(&mut scene, index, &message, true);
        // Who might answer, judging by where they are?
        let mut answers: Vec<(Actor, Value)> = Vec::new();
        let mut anyone = Value::constant(0);
        for other in plan.actors().rev().filter(|other| other.slot != actor.slot) {
            let answering = plan.answering(other, index);
            if !answering.contains(&true) {
                continue;
            }
            let location = self.location(&scene, other);
            let at = self.is_member(location, &|at| answering.get(at as usize) == Some(&true));
            let exists = self.exists(&scene, other.slot);
            let is = self.has_kind(&scene, other);
            let there = self.both(exists, is);
            let may = self.both(there, at);
            anyone = self.either(anyone, may);
            answers.push((other, may));
        }
        self.require_or(anyone, attempt.done);
        let code = self.move_code(actor, attempt);
        let code = self.word_constant(code);
        self.arrive(&mut scene, attempt, false);
        let half = match self.half_slot {
            Some(slot) => slot,
            None => {
                let slot = self.stack_slot(plan.layout.width.all as u32 * 8);
                self.half_slot = Some(slot);
                slot
            }
        };
        let half = self.stack_address(half);
        self.copy_state(&scene, half, 0);
        let buffer = self.message_buffer();
        for (field, value) in message.iter().enumerate() {
            self.store_in_buffer(buffer, field, *value);
        }
        let before = self.builder.use_var(self.out);
        let zero = self.word_constant(0);
        let context = self.context.unwrap_or(zero);
        for (other, may) in answers {
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
            let met = self.builder.ins().icmp(IntCC::NotEqual, out, before);
            let earlier = self.builder.ins().icmp(IntCC::NotEqual, before, attempt.start);
            let both = self.builder.ins().band(met, earlier);
            self.refuse(Value::truth(both));
        }
        self.go_to(attempt.done);
    }

    /// Writes the function for the receiving half.
    pub fn receive_function(&mut self, actor: Actor, channel: usize) {
        let [half, message, out, context, code] = self.parameters[..] else { return };
        self.context = Some(context);
        self.builder.def_var(self.out, out);
        let mut scene = Scene::new(Base::Input(half), Some(actor));
        scene.handshake = Some((channel, message));
        scene.occupied = Some(channel);
        let end = self.block();
        self.provided(&scene, actor, end);
        let answering = self.plan.answering(actor, channel);
        self.locations(&scene, actor, end, Some(code), &|location| answering[location as usize]);
        self.at(end);
        let out = self.builder.use_var(self.out);
        self.return_value(out);
    }

    /// A field of the message that is handed over; 0 if it has no such field.
    pub fn handshake_field(&mut self, index: usize, message: ir::Value, field: usize) -> Value {
        let plan = self.plan;
        let kinds = plan.layout.channels[index].kinds.iter();
        let types = kinds.map(|kind| plan.program.channel_type(kind.channel_type));
        let domains = types.filter(|kind| kind.capacity == 0).map(|kind| kind.fields.get(field));
        let mut range: Option<Interval> = None;
        for domain in domains {
            let Some(domain) = domain else {
                // Which kind it is would have to be found out; the interpreter does.
                self.give_up();
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
        scene: &mut Scene,
        patterns: &[Pattern],
        index: usize,
        message: ir::Value,
    ) {
        self.check_exclusive(scene, Value::constant(index as i32 + 1), true);
        let plan = self.plan;
        let mut kinds = plan.layout.channels[index].kinds.iter().filter(|kind| plan.capacity(kind) == 0);
        if kinds.any(|kind| kind.fields.len() != patterns.len()) {
            return self.give_up();
        }
        for (field, pattern) in patterns.iter().enumerate() {
            if let Pattern::Bind(place) = pattern {
                let value = self.handshake_field(index, message, field);
                let element = self.place_element(scene, place);
                self.store(scene, place, element, value);
            }
        }
        let values: Vec<Value> = match plan.program.event_trace {
            Some(_) => (0..patterns.len()).map(|field| self.handshake_field(index, message, field)).collect(),
            None => Vec::new(),
        };
        self.watch_message(scene, index, &values, false);
        scene.handshake = None;
        scene.occupied = None;
    }
}
