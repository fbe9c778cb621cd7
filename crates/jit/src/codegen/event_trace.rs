//! The automaton of an event trace, which advances on the sends and receives in its scope. Code
//! bails out on an event that the trace does not allow, or that completes a forbidden trace.

use crate::codegen::Generator;
use crate::codegen::channel::ChannelTarget;
use crate::codegen::state_view::{Index, StateView};
use crate::codegen::value::{FULL, Value};
use cranelift_codegen::ir::{Block, InstBuilder, types};
use lariat_ir::expression::{BinaryOp, Expr};
use lariat_ir::layout::Interval;
use lariat_ir::program::{Event, EventTrace};

impl Generator<'_, '_> {
    /// Advances the trace on a message in a buffer: the last one after a send, the first before a
    /// receive.
    pub fn trace_buffer_event(&mut self, view: &mut StateView, target: ChannelTarget, send: bool) {
        let Some(trace) = &self.plan.program.event_trace else { return };
        let number = match target {
            ChannelTarget::Direct(index) => Value::constant(index as i32 + 1),
            ChannelTarget::Number(number) => number,
        };
        let after = self.block();
        self.require_traced(view, trace, number, send, after);
        let fields = match target {
            ChannelTarget::Direct(index) => {
                let known = self.known_channel(index, 0);
                let position = match send {
                    true => {
                        let length = self.channel_length(view, known);
                        let last = self.binary(BinaryOp::Subtract, length, Value::constant(1));
                        let range = last
                            .range
                            .meet(Interval { low: 0, high: i64::from(known.kind.slots) - 1 });
                        Index::of(Value { range, ..last })
                    }
                    false => Index::Fixed(0),
                };
                let fields = known.kind.fields.len();
                (0..fields).map(|field| self.message_field(view, known, position, field)).collect()
            }
            ChannelTarget::Number(number) => {
                let position = match send {
                    true => {
                        let (length, _) = self.size_of(view, number);
                        Index::of(self.binary(BinaryOp::Subtract, length, Value::constant(1)))
                    }
                    false => Index::Fixed(0),
                };
                let buffer = self.fetch(view, number, position);
                (0..self.plan.max_message_fields())
                    .map(|field| self.load_from_buffer(buffer, field, FULL))
                    .collect::<Vec<_>>()
            }
        };
        self.advance_trace(view, trace, number, &fields, send);
        self.go_to(after);
        self.at(after);
    }

    /// Advances the trace on a rendezvous message.
    pub fn trace_rendezvous_event(
        &mut self,
        view: &mut StateView,
        index: usize,
        message: &[Value],
        send: bool,
    ) {
        let Some(trace) = &self.plan.program.event_trace else { return };
        let number = Value::constant(index as i32 + 1);
        let after = self.block();
        self.require_traced(view, trace, number, send, after);
        self.advance_trace(view, trace, number, message, send);
        self.go_to(after);
        self.at(after);
    }

    /// Goes to `otherwise` unless the channel is in the trace's scope for this direction.
    fn require_traced(
        &mut self,
        view: &StateView,
        trace: &EventTrace,
        number: Value,
        send: bool,
        otherwise: Block,
    ) {
        let scope = if send { &trace.send_scope } else { &trace.receive_scope };
        let mut watched = Value::constant(0);
        for channel in scope {
            let channel = self.value(view, channel);
            let same = self.binary(BinaryOp::Equal, channel, number);
            watched = self.either(watched, same);
        }
        self.require_or(watched, otherwise);
    }

    /// Advances the trace. The state must be in memory, because several branches write to it.
    fn advance_trace(
        &mut self,
        view: &mut StateView,
        trace: &EventTrace,
        number: Value,
        fields: &[Value],
        send: bool,
    ) {
        let event_field = self.plan.layout.event;
        let last = Interval { low: 0, high: trace.locations.len() as i64 - 1 };
        let location = self.read_field(view, event_field, last);
        let after = self.block();
        let otherwise = self.bailout;
        let arms: Vec<(i32, Block)> = (location.range.low as i32..=location.range.high as i32)
            .map(|at| (at, self.block()))
            .collect();
        self.switch(location, &arms, otherwise);
        for (at, block) in arms {
            self.at(block);
            let events: &[Event] =
                if at as u32 == trace.end { &[] } else { &trace.locations[at as usize] };
            // The number of matching events, and the target of the last match.
            let mut matches = self.number_constant(0);
            let mut next = self.number_constant(0);
            for event in events.iter().filter(|event| event.send == send) {
                let same = self.event_matches(view, &event.channel, event, number, fields);
                let same = self.truth(same);
                let one = self.builder.ins().uextend(types::I32, same);
                matches = self.builder.ins().iadd(matches, one);
                let target = self.number_constant(event.target as i32);
                next = self.builder.ins().select(same, target, next);
            }
            let count =
                Value::number(matches, Interval { low: 0, high: events.len().max(1) as i64 });
            let single = self.equals(count, 1);
            let (one, other) = (self.block(), self.block());
            self.branch(single, one, other);
            self.at(one);
            let next = Value::number(next, last);
            if trace.negated {
                let ends = self.equals(next, trace.end as i32);
                self.bail_out_if(ends);
            }
            self.write_field(view, event_field, next);
            self.go_to(after);
            self.at(other);
            let none = self.equals(count, 0);
            self.require(none);
            if !trace.negated {
                self.bail_out();
            }
            self.write_field(view, event_field, Value::constant(trace.end as i32));
            self.go_to(after);
        }
        self.at(after);
    }

    fn event_matches(
        &mut self,
        view: &StateView,
        channel: &Expr,
        event: &Event,
        number: Value,
        fields: &[Value],
    ) -> Value {
        let channel = self.value(view, channel);
        let mut matches = self.binary(BinaryOp::Equal, channel, number);
        for (expected, field) in event.fields.iter().zip(fields) {
            if let Some(expected) = expected {
                let expected = self.value(view, expected);
                let same = self.binary(BinaryOp::Equal, expected, *field);
                matches = self.both(matches, same);
            }
        }
        matches
    }
}
