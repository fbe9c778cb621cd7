//! Finds messages in channels: the first match of a receive, the position of a sorted send.

use crate::codegen::Generator;
use crate::codegen::channel::{KnownChannel, MessageQuery};
use crate::codegen::state_view::{Index, StateView};
use crate::codegen::value::Value;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use lariat_ir::expression::{BinaryOp, Pattern};
use lariat_ir::layout::Interval;

impl Generator<'_, '_> {
    /// The position of the first matching message. Goes to `otherwise` if there is none.
    pub fn find_message(
        &mut self,
        view: &StateView,
        channel: KnownChannel<'_>,
        query: MessageQuery<'_>,
    ) -> Index {
        let length = self.channel_length(view, channel);
        let some = self.binary(BinaryOp::Greater, length, Value::constant(0));
        self.require_or(some, query.otherwise);
        let fetch = |generator: &mut Self, position: Index, field: usize| {
            generator.message_field(view, channel, position, field)
        };
        self.find_among(view, length, query, &fetch)
    }

    /// Finds the first match in a channel that is not empty; `fetch` reads fields of its messages.
    pub fn find_among(
        &mut self,
        view: &StateView,
        length: Value,
        query: MessageQuery<'_>,
        fetch: &dyn Fn(&mut Self, Index, usize) -> Value,
    ) -> Index {
        let MessageQuery { patterns, random, otherwise } = query;
        let selective = patterns.iter().any(|pattern| matches!(pattern, Pattern::Match(_)));
        if !random || !selective || length.range.high <= 1 {
            self.match_message(view, patterns, Index::Fixed(0), otherwise, fetch);
            return Index::Fixed(0);
        }
        let (head, next) = (self.block(), self.block());
        let position = self.builder.append_block_param(head, types::I32);
        let zero = self.number_constant(0);
        self.jump_with(head, zero);
        self.at(next);
        let one = self.number_constant(1);
        let further = self.builder.ins().iadd(position, one);
        let length_number = self.number(length);
        let more = self.builder.ins().icmp(IntCC::SignedLessThan, further, length_number);
        let again = self.block();
        self.branch(Value::truth(more), again, otherwise);
        self.at(again);
        self.jump_with(head, further);
        self.at(head);
        let last = length.range.high - 1;
        let index = Index::Variable(Value::number(position, Interval { low: 0, high: last }));
        self.match_message(view, patterns, index, next, fetch);
        index
    }

    fn match_message(
        &mut self,
        view: &StateView,
        patterns: &[Pattern],
        position: Index,
        otherwise: Block,
        fetch: &dyn Fn(&mut Self, Index, usize) -> Value,
    ) {
        for (field, pattern) in patterns.iter().enumerate() {
            if let Pattern::Match(expr) = pattern {
                let expected = self.value(view, expr);
                let found = fetch(self, position, field);
                let equal = self.binary(BinaryOp::Equal, expected, found);
                self.require_or(equal, otherwise);
            }
        }
    }

    /// The position at which a sorted send inserts: before the first larger message, or at the end.
    pub fn sorted_position(
        &mut self,
        view: &StateView,
        channel: KnownChannel<'_>,
        message: &[Value],
    ) -> Index {
        let length = self.channel_length(view, channel);
        if length.range.high == 0 {
            return Index::Fixed(0);
        }
        let (head, body, next, found) = (self.block(), self.block(), self.block(), self.block());
        let position = self.builder.append_block_param(head, types::I32);
        let zero = self.number_constant(0);
        self.jump_with(head, zero);
        self.at(head);
        let length_number = self.number(length);
        let more = self.builder.ins().icmp(IntCC::SignedLessThan, position, length_number);
        self.branch(Value::truth(more), body, found);
        self.at(body);
        let range = Interval { low: 0, high: length.range.high - 1 };
        let here = Index::of(Value::number(position, range));
        for (field, value) in message.iter().enumerate() {
            let other = self.message_field(view, channel, here, field);
            let smaller = self.binary(BinaryOp::Less, *value, other);
            let not_smaller = self.block();
            self.branch(smaller, found, not_smaller);
            self.at(not_smaller);
            let equal = self.binary(BinaryOp::Equal, *value, other);
            self.require_or(equal, next);
        }
        self.go_to(next);
        self.at(next);
        let one = self.number_constant(1);
        let further = self.builder.ins().iadd(position, one);
        self.jump_with(head, further);
        self.at(found);
        Index::of(Value::number(position, Interval { low: 0, high: length.range.high }))
    }
}
