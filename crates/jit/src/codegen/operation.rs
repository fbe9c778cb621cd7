//! Operations: when each is enabled, and what it does to the state.

use crate::codegen::Generator;
use crate::codegen::channel::{ChannelTarget, MessageQuery};
use crate::codegen::state_view::{Index, StateView};
use crate::codegen::value::{FULL, Value};
use cranelift_codegen::ir::{self, Block};
use lariat_ir::expression::{BinaryOp, Expr, Pattern};
use lariat_ir::program::{Action, Operation};

/// The result of a successful test whether an operation is enabled, reused to perform it.
#[derive(Clone, Copy, Debug)]
pub enum Readiness {
    Plain,
    /// The channel of a send or receive, and the position of the message.
    Message(ChannelTarget, Index),
    /// The receiving half of a rendezvous: the channel's index and the message's address.
    Handshake(usize, ir::Value),
}

impl Generator<'_, '_> {
    /// Goes to `otherwise` unless the operation is enabled.
    pub fn require_enabled(
        &mut self,
        view: &StateView,
        operation: &Operation,
        otherwise: Block,
    ) -> Readiness {
        match operation {
            Operation::Receive { channel, patterns, random, keep } => {
                return self.require_receivable(
                    view,
                    channel,
                    patterns,
                    (*random, *keep),
                    otherwise,
                );
            }
            // Only a receive can complete a rendezvous. `d_step` handles bodies.
            _ if view.handshake.is_some() => {
                self.go_to(otherwise);
                let dead = self.block();
                self.at(dead);
            }
            Operation::Guarded { guard, .. } => {
                let yes = self.block();
                self.branch_on(view, guard, yes, otherwise);
                self.at(yes);
            }
            Operation::Send { channel, .. } => {
                let target = self.channel_target(view, channel);
                self.require_room(view, target, otherwise);
                return Readiness::Message(target, Index::Fixed(0));
            }
            Operation::End => {
                let slot = view.actor.map_or(0, |actor| actor.slot);
                let count = self.process_count(view);
                let youngest = self.equals(count, slot as i32 + 1);
                self.require_or(youngest, otherwise);
            }
            Operation::Else | Operation::Deterministic(_) => {}
        }
        Readiness::Plain
    }

    pub fn require_room(&mut self, view: &StateView, target: ChannelTarget, otherwise: Block) {
        let (length, capacity) = match target {
            ChannelTarget::Direct(index) => {
                let known = self.known_channel(index, 0);
                let capacity = self.plan.capacity(known.kind).max(1);
                (self.channel_length(view, known), Value::constant(capacity as i32))
            }
            ChannelTarget::Number(number) => self.size_of(view, number),
        };
        let room = self.binary(BinaryOp::Less, length, capacity);
        self.require_or(room, otherwise);
    }

    fn require_receivable(
        &mut self,
        view: &StateView,
        channel: &Expr,
        patterns: &[Pattern],
        (random, keep): (bool, bool),
        otherwise: Block,
    ) -> Readiness {
        let target = self.channel_target(view, channel);
        // A receive that keeps the message is an error on a rendezvous channel.
        match target {
            ChannelTarget::Direct(index) if keep && self.plan.may_be_rendezvous(index) => {
                self.bail_out()
            }
            ChannelTarget::Number(number) if keep => self.require_buffered(view, number),
            _ => {}
        }
        if let Some((index, message)) = view.handshake {
            let same = match target {
                ChannelTarget::Direct(other) => Value::constant(i32::from(other == index)),
                ChannelTarget::Number(number) => {
                    // Bails out if the number is not that of a channel.
                    self.is_rendezvous(view, number);
                    self.equals(number, index as i32 + 1)
                }
            };
            self.require_or(same, otherwise);
            for (field, pattern) in patterns.iter().enumerate() {
                if let Pattern::Match(expr) = pattern {
                    let expected = self.value(view, expr);
                    let found = self.handshake_field(index, message, field);
                    let same = self.binary(BinaryOp::Equal, expected, found);
                    self.require_or(same, otherwise);
                }
            }
            return Readiness::Handshake(index, message);
        }
        let query = MessageQuery { patterns, random, otherwise };
        let position = match target {
            ChannelTarget::Direct(index) if self.plan.may_be_rendezvous(index) => {
                self.require_or(Value::constant(0), otherwise);
                Index::Fixed(0)
            }
            ChannelTarget::Direct(index) => {
                let known = self.known_channel(index, 0);
                self.find_message(view, known, query)
            }
            // A rendezvous channel is empty, so the search in it fails.
            ChannelTarget::Number(number) => self.find_dynamic(view, number, query),
        };
        Readiness::Message(target, position)
    }

    /// Performs an enabled operation, except rendezvous sends and d_steps.
    pub fn perform_operation(
        &mut self,
        view: &mut StateView,
        operation: &Operation,
        ready: Readiness,
    ) {
        if self.plan.needs_memory(view.actor, operation) {
            self.materialize(view);
        }
        match (operation, ready) {
            (Operation::Guarded { actions, .. }, _) => {
                for action in actions {
                    self.perform_action(view, action);
                }
            }
            (Operation::Send { arguments, sorted, .. }, Readiness::Message(target, _)) => {
                self.buffered_send(view, target, arguments, *sorted);
            }
            (Operation::Receive { patterns, keep, .. }, Readiness::Message(target, position)) => {
                self.receive(view, patterns, *keep, target, position);
            }
            (Operation::Receive { patterns, .. }, Readiness::Handshake(index, message)) => {
                self.receive_handshake(view, patterns, index, message);
            }
            (Operation::End, _) => {
                let slot = view.actor.map_or(0, |actor| actor.slot);
                self.end_process(view, slot);
            }
            _ => {}
        }
    }

    /// Sends to a buffered channel that is not full.
    fn buffered_send(
        &mut self,
        view: &mut StateView,
        target: ChannelTarget,
        arguments: &[Expr],
        sorted: bool,
    ) {
        let message: Vec<Value> =
            arguments.iter().map(|argument| self.value(view, argument)).collect();
        match target {
            ChannelTarget::Direct(index) => {
                let known = self.known_channel(index, 0);
                if message.len() != known.kind.fields.len() {
                    return self.bail_out();
                }
                self.check_exclusive(view, Value::constant(index as i32 + 1), false);
                let position = sorted.then(|| self.sorted_position(view, known, &message));
                self.insert_message(view, known, &message, position);
            }
            ChannelTarget::Number(number) => {
                self.require_fields(view, number, message.len());
                self.check_exclusive(view, number, false);
                self.send_dynamic(view, number, &message, sorted);
            }
        }
        self.trace_buffer_event(view, target, true);
    }

    fn receive(
        &mut self,
        view: &mut StateView,
        patterns: &[Pattern],
        keep: bool,
        target: ChannelTarget,
        position: Index,
    ) {
        match target {
            ChannelTarget::Direct(index) => {
                self.check_exclusive(view, Value::constant(index as i32 + 1), true);
                let known = self.known_channel(index, 0);
                if patterns.len() != known.kind.fields.len() {
                    return self.bail_out();
                }
                for (field, pattern) in patterns.iter().enumerate() {
                    if let Pattern::Bind(place) = pattern {
                        let value = self.message_field(view, known, position, field);
                        let element = self.place_element(view, place);
                        self.store(view, place, element, value);
                    }
                }
                if !keep {
                    self.trace_buffer_event(view, target, false);
                    self.remove_message(view, known, position);
                }
            }
            ChannelTarget::Number(number) => {
                self.check_exclusive(view, number, true);
                self.require_fields(view, number, patterns.len());
                let buffer = self.fetch(view, number, position);
                let values: Vec<Value> = (0..patterns.len())
                    .map(|field| self.load_from_buffer(buffer, field, FULL))
                    .collect();
                for (pattern, value) in patterns.iter().zip(values) {
                    if let Pattern::Bind(place) = pattern {
                        let element = self.place_element(view, place);
                        self.store(view, place, element, value);
                    }
                }
                if !keep {
                    self.trace_buffer_event(view, target, false);
                    self.remove_dynamic(view, number, position);
                }
            }
        }
    }

    /// Bails out if another process has declared exclusive access to the channel in this direction.
    pub fn check_exclusive(&mut self, view: &StateView, channel: Value, receive: bool) {
        let plan = self.plan;
        for actor in plan.actors() {
            let mut claims = plan
                .process_type(actor)
                .exclusive
                .iter()
                .filter(|claim| claim.receive == receive)
                .peekable();
            if view.actor.is_some_and(|own| own.slot == actor.slot) || claims.peek().is_none() {
                continue;
            }
            let exists = self.process_exists(view, actor.slot);
            let kind = self.has_kind(view, actor);
            let present = self.both(exists, kind);
            let other = view.of(actor);
            self.when(present, |generator| {
                for claim in claims {
                    let claimed = generator.value(&other, &claim.channel);
                    let same = generator.binary(BinaryOp::Equal, claimed, channel);
                    generator.bail_out_if(same);
                }
            });
        }
    }

    pub fn perform_action(&mut self, view: &mut StateView, action: &Action) {
        match action {
            Action::Assign(assignments) => {
                let stores: Vec<(Index, Value)> = assignments
                    .iter()
                    .map(|(place, value)| {
                        (self.place_element(view, place), self.value(view, value))
                    })
                    .collect();
                for ((place, _), (index, value)) in assignments.iter().zip(stores) {
                    self.store(view, place, index, value);
                }
            }
            Action::NewChannel { place, channel_type } => {
                self.new_channel(view, place, *channel_type)
            }
            Action::Run { process_type, arguments, priority } => {
                self.run(view, *process_type, arguments, *priority);
            }
            Action::Assert { condition, .. } => {
                let yes = self.block();
                self.branch_on(view, condition, yes, self.bailout);
                self.at(yes);
            }
            Action::Print { .. } => {}
            Action::SetPriority { process, priority } => self.set_priority(view, process, priority),
        }
    }
}
