//! The automaton of an event trace, which moves on sends and receives in its scope. An event that it does not allow, or that
//! completes what must not happen, is abnormal.

use crate::channel::Target;
use crate::function::Generator;
use crate::state_access::{Index, Scene};
use crate::value::{FULL, Value};
use cranelift_codegen::ir::{Block, InstBuilder, types};
use model::expression::{BinaryOp, Expr};
use model::layout::Interval;
use model::program::{Event, EventTrace};

impl Generator<'_, '_> {
    /// Moves the trace on a message of a buffer: the last one after a send, the head before it is received.
    pub fn watch_buffer(&mut self, scene: &mut Scene, target: Target, send: bool) {
        let Some(trace) = &self.plan.program.event_trace else { return };
        let number = match target {
            Target::Direct(index) => Value::constant(index as i32 + 1),
            Target::Number(number) => number,
        };
        let after = self.block();
        self.require_watched(scene, trace, number, send, after);
        let fields = match target {
            Target::Direct(index) => {
                let known = self.known(index, 0);
                let position = match send {
                    true => {
                        let length = self.length(scene, known);
                        let last = self.binary(BinaryOp::Subtract, length, Value::constant(1));
                        let range =
                            last.range.meet(Interval { low: 0, high: i64::from(known.kind.slots) - 1 });
                        Index::of(Value { range, ..last })
                    }
                    false => Index::Fixed(0),
                };
                let fields = known.kind.fields.len();
                (0..fields).map(|field| self.message_field(scene, known, position, field)).collect()
            }
            Target::Number(number) => {
                let position = match send {
                    true => {
                        let (length, _) = self.size_of(scene, number);
                        Index::of(self.binary(BinaryOp::Subtract, length, Value::constant(1)))
                    }
                    false => Index::Fixed(0),
                };
                let buffer = self.fetch(scene, number, position);
                let types = &self.plan.program.channel_types;
                let most = types.iter().map(|kind| kind.fields.len()).max().unwrap_or(0);
                (0..most).map(|field| self.load_from_buffer(buffer, field, FULL)).collect::<Vec<_>>()
            }
        };
        self.advance(scene, trace, number, &fields, send);
        self.go_to(after);
        self.at(after);
    }

    /// Moves the trace on a message of a rendezvous.
    pub fn watch_message(&mut self, scene: &mut Scene, index: usize, message: &[Value], send: bool) {
        let Some(trace) = &self.plan.program.event_trace else { return };
        let number = Value::constant(index as i32 + 1);
        let after = self.block();
        self.require_watched(scene, trace, number, send, after);
        self.advance(scene, trace, number, message, send);
        self.go_to(after);
        self.at(after);
    }

    fn require_watched(
        &mut self,
        scene: &Scene,
        trace: &EventTrace,
        number: Value,
        send: bool,
        otherwise: Block,
    ) {
        let scope = if send { &trace.send_scope } else { &trace.receive_scope };
        let mut watched = Value::constant(0);
        for channel in scope {
            let channel = self.value(scene, channel);
            let same = self.binary(BinaryOp::Equal, channel, number);
            watched = self.either(watched, same);
        }
        self.require_or(watched, otherwise);
    }

    /// The state is in memory, so that the location can be written in several branches.
    fn advance(
        &mut self,
        scene: &mut Scene,
        trace: &EventTrace,
        number: Value,
        fields: &[Value],
        send: bool,
    ) {
        let event_field = self.plan.layout.event;
        let last = Interval { low: 0, high: trace.locations.len() as i64 - 1 };
        let location = self.read_field(scene, event_field, last);
        let after = self.block();
        let otherwise = self.abnormal;
        let arms: Vec<(i32, Block)> =
            (location.range.low as i32..=location.range.high as i32).map(|at| (at, self.block())).collect();
        self.switch(location, &arms, otherwise);
        for (at, block) in arms {
            self.at(block);
            let events: &[Event] = if at as u32 == trace.end { &[] } else { &trace.locations[at as usize] };
            // How many match, and where the one that does leads.
            let mut matches = self.number_constant(0);
            let mut next = self.number_constant(0);
            for event in events.iter().filter(|event| event.send == send) {
                let same = self.event_matches(scene, &event.channel, event, number, fields);
                let same = self.truth(same);
                let one = self.builder.ins().uextend(types::I32, same);
                matches = self.builder.ins().iadd(matches, one);
                let target = self.number_constant(event.target as i32);
                next = self.builder.ins().select(same, target, next);
            }
            let count = Value::number(matches, Interval { low: 0, high: events.len().max(1) as i64 });
            let single = self.equals(count, 1);
            let (one, other) = (self.block(), self.block());
            self.branch(single, one, other);
            self.at(one);
            let next = Value::number(next, last);
            if trace.negated {
                let ends = self.equals(next, trace.end as i32);
                self.refuse(ends);
            }
            self.write_field(scene, event_field, next);
            self.go_to(after);
            self.at(other);
            let none = self.equals(count, 0);
            self.require(none);
            if !trace.negated {
                self.give_up();
            }
            self.write_field(scene, event_field, Value::constant(trace.end as i32));
            self.go_to(after);
        }
        self.at(after);
    }

    fn event_matches(
        &mut self,
        scene: &Scene,
        channel: &Expr,
        event: &Event,
        number: Value,
        fields: &[Value],
    ) -> Value {
        let channel = self.value(scene, channel);
        let mut matches = self.binary(BinaryOp::Equal, channel, number);
        for (wanted, field) in event.fields.iter().zip(fields) {
            if let Some(wanted) = wanted {
                let wanted = self.value(scene, wanted);
                let same = self.binary(BinaryOp::Equal, wanted, *field);
                matches = self.both(matches, same);
            }
        }
        matches
    }
}
