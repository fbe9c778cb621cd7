//! Channels: which channel an expression denotes, queries, and fields of messages. Most code
//! handles channels whose number and kind are known at compile time; [`dynamic`] handles the
//! others.

mod buffer;
mod dynamic;
mod find;

pub use buffer::{MAX_UNROLLED_WORDS, word_count};

use crate::codegen::Generator;
use crate::codegen::state_view::{Index, StateView};
use crate::codegen::value::Value;
use crate::plan::mask;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use lariat_ir::expression::{BinaryOp, ChannelQuery, Expr, Pattern};
use lariat_ir::layout::{ChannelKind, Interval};

/// The channel that an expression denotes.
#[derive(Clone, Copy, Debug)]
pub enum ChannelTarget {
    /// The channel with this index, which exists and has only one kind.
    Direct(usize),
    /// The channel with this number (its index plus one).
    Number(Value),
}

/// The message that a receive or poll looks for.
#[derive(Clone, Copy)]
pub struct MessageQuery<'q> {
    pub patterns: &'q [Pattern],
    /// Whether any message may match (`??`), not only the first.
    pub random: bool,
    /// Where execution continues if no message matches.
    pub otherwise: Block,
}

/// A channel of a known kind.
#[derive(Clone, Copy)]
pub struct KnownChannel<'l> {
    pub kind: &'l ChannelKind,
}

impl<'p> Generator<'_, 'p> {
    /// The channel that an expression denotes. Bails out if it is known to denote none.
    pub fn channel_target(&mut self, view: &StateView, channel: &Expr) -> ChannelTarget {
        let number = self.value(view, channel);
        let count = self.plan.layout.channels.len();
        if number.range.high < 1 || number.range.low > count as i64 {
            self.bail_out();
            return ChannelTarget::Number(Value::constant(0));
        }
        let Some(constant) = number.as_constant() else { return ChannelTarget::Number(number) };
        let index = constant as usize - 1;
        if self.plan.only_channel_kind(index).is_none() {
            return ChannelTarget::Number(number);
        }
        let exists = self.channel_exists(view, index);
        self.require(exists);
        ChannelTarget::Direct(index)
    }

    pub fn channel_count(&mut self, view: &StateView) -> Value {
        let range = self.plan.channel_count_range();
        self.read_field(view, self.plan.layout.channel_count, range)
    }

    pub fn channel_exists(&mut self, view: &StateView, index: usize) -> Value {
        let count = self.channel_count(view);
        self.binary(BinaryOp::Greater, count, Value::constant(index as i32))
    }

    /// Whether the channel, which must exist, is of this kind.
    pub fn channel_has_kind(&mut self, view: &StateView, index: usize, kind: usize) -> Value {
        let slot = &self.plan.layout.channels[index];
        if slot.kinds.len() == 1 {
            return Value::constant(1);
        }
        let last = slot.kinds.len() as i64 - 1;
        let tag = self.read_field(view, slot.kind, Interval { low: 0, high: last });
        self.equals(tag, kind as i32)
    }

    pub fn known_channel(&self, index: usize, kind: usize) -> KnownChannel<'p> {
        KnownChannel { kind: &self.plan.layout.channels[index].kinds[kind] }
    }

    pub fn channel_length(&mut self, view: &StateView, channel: KnownChannel<'_>) -> Value {
        let range = Interval { low: 0, high: channel.kind.slots.into() };
        self.read_field(view, channel.kind.length, range)
    }

    pub fn channel_query(
        &mut self,
        view: &StateView,
        query: ChannelQuery,
        channel: &Expr,
    ) -> Value {
        let (length, capacity) = match self.channel_target(view, channel) {
            ChannelTarget::Direct(index) if view.occupied != Some(index) => {
                let known = self.known_channel(index, 0);
                let capacity = self.plan.capacity(known.kind).max(1);
                (self.channel_length(view, known), Value::constant(capacity as i32))
            }
            ChannelTarget::Number(number) if view.occupied.is_none() => self.size_of(view, number),
            _ => {
                self.bail_out();
                return Value::constant(0);
            }
        };
        match query {
            ChannelQuery::Len => length,
            ChannelQuery::Full => self.binary(BinaryOp::GreaterEqual, length, capacity),
            ChannelQuery::NotFull => self.binary(BinaryOp::Less, length, capacity),
            ChannelQuery::Empty => self.equals(length, 0),
            ChannelQuery::NotEmpty => self.binary(BinaryOp::Greater, length, Value::constant(0)),
        }
    }

    pub fn poll(
        &mut self,
        view: &StateView,
        channel: &Expr,
        patterns: &[Pattern],
        random: bool,
    ) -> Value {
        let (no, after) = (self.block(), self.block());
        let result = self.builder.append_block_param(after, types::I8);
        let query = MessageQuery { patterns, random, otherwise: no };
        match self.channel_target(view, channel) {
            ChannelTarget::Direct(index) => {
                let known = self.known_channel(index, 0);
                if self.plan.capacity(known.kind) == 0 {
                    // Polling a rendezvous channel is an error.
                    self.bail_out();
                }
                self.find_message(view, known, query);
            }
            ChannelTarget::Number(_) if view.occupied.is_some() => self.bail_out(),
            ChannelTarget::Number(number) => {
                self.require_buffered(view, number);
                self.find_dynamic(view, number, query);
            }
        }
        let one = self.builder.ins().iconst(types::I8, 1);
        self.jump_with(after, one);
        self.at(no);
        let zero = self.builder.ins().iconst(types::I8, 0);
        self.jump_with(after, zero);
        self.at(after);
        Value::truth(result)
    }

    /// A field of the message at a position; 0 if the channel's messages have no such field.
    pub fn message_field(
        &mut self,
        view: &StateView,
        channel: KnownChannel<'_>,
        position: Index,
        field: usize,
    ) -> Value {
        let Some(place) = channel.kind.fields.get(field).copied() else {
            return Value::constant(0);
        };
        let domain = self.plan.program.channel_type(channel.kind.channel_type).fields[field].domain;
        let allowed = Interval::of_domain(domain);
        let room = Interval {
            low: place.low.into(),
            high: i64::from(place.low) + mask(place.width) as i64,
        };
        let range = room.meet(allowed);
        if place.width == 0 || range.is_point() {
            return Value::constant(range.low as i32);
        }
        match position {
            Index::Fixed(position) => {
                self.read_field(view, channel.kind.field(position, field), allowed)
            }
            Index::Variable(_) => {
                let row = &channel.kind.rows[place.row as usize];
                let cell = self.read_cell(view, row, position, channel.kind.slots);
                self.number_in_cell(cell, place.shift, place.width, place.low, range)
            }
        }
    }
}
