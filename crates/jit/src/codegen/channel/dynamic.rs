//! Channels whose number or kind is known only at run time. Functions generated once per program
//! select the channel and pass messages in memory, which keeps the code of transitions small.

use crate::codegen::channel::{KnownChannel, MessageQuery};
use crate::codegen::state_view::{Base, Index, StateView};
use crate::codegen::value::{FULL, Value};
use crate::codegen::{FunctionKey, Generator};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use lariat_ir::expression::BinaryOp;
use lariat_ir::layout::Interval;

impl<'p> Generator<'_, 'p> {
    /// Length and capacity (at least 1) of a channel. Bails out if it does not exist.
    pub fn size_of(&mut self, view: &StateView, number: Value) -> (Value, Value) {
        let size = self.channel_size(view, number);
        let length = self.low_half(size, Interval { low: 0, high: 255 });
        let capacity = self.shift_right(size, 32);
        let capacity = self.low_half(capacity, Interval { low: 0, high: FULL.high });
        let zero = self.equals(capacity, 0);
        let one = self.number_constant(1);
        let number = self.number(capacity);
        let zero = self.truth(zero);
        let capacity = self.builder.ins().select(zero, one, number);
        (length, Value::number(capacity, Interval { low: 1, high: FULL.high }))
    }

    fn channel_size(&mut self, view: &StateView, number: Value) -> ir::Value {
        let address = self.address(view);
        let number = self.signed_wide(number);
        let size = self.call(FunctionKey::ChannelSize, &[address, number]);
        self.check_result(FunctionKey::ChannelSize, size);
        size
    }

    fn signed_wide(&mut self, value: Value) -> ir::Value {
        let number = self.number(value);
        self.builder.ins().sextend(types::I64, number)
    }

    /// Whether the channel is a rendezvous channel. Bails out if it does not exist.
    pub fn is_rendezvous(&mut self, view: &StateView, number: Value) -> Value {
        let any =
            (0..self.plan.layout.channels.len()).any(|index| self.plan.may_be_rendezvous(index));
        let size = self.channel_size(view, number);
        if !any {
            return Value::constant(0);
        }
        let capacity = self.shift_right(size, 32);
        let zero = self.word_constant(0);
        Value::truth(self.builder.ins().icmp(IntCC::Equal, capacity, zero))
    }

    /// Bails out if the channel is a rendezvous channel.
    pub fn require_buffered(&mut self, view: &StateView, number: Value) {
        let rendezvous = self.is_rendezvous(view, number);
        self.bail_out_if(rendezvous);
    }

    /// The position of the first matching message. Goes to `otherwise` if there is none.
    pub fn find_dynamic(
        &mut self,
        view: &StateView,
        number: Value,
        query: MessageQuery<'_>,
    ) -> Index {
        let (length, _) = self.size_of(view, number);
        let some = self.binary(BinaryOp::Greater, length, Value::constant(0));
        self.require_or(some, query.otherwise);
        let read = |generator: &mut Self, position: Index, field: usize| {
            let buffer = generator.fetch(view, number, position);
            generator.fetched_field(buffer, field)
        };
        self.find_among(view, length, query, &read)
    }

    /// Unpacks an existing message into the message buffer, whose address it returns.
    pub fn fetch(&mut self, view: &StateView, number: Value, position: Index) -> ir::Value {
        let address = self.address(view);
        let number = self.signed_wide(number);
        let position = match position {
            Index::Fixed(position) => self.word_constant(position.into()),
            Index::Variable(value) => self.wide(value),
        };
        let buffer = self.message_buffer();
        let count = self.call(FunctionKey::Fetch, &[address, number, position, buffer]);
        self.check_result(FunctionKey::Fetch, count);
        buffer
    }

    /// A field of the message in the buffer; 0 if no channel's messages have such a field.
    fn fetched_field(&mut self, buffer: ir::Value, field: usize) -> Value {
        match field < self.plan.max_message_fields() {
            true => self.load_from_buffer(buffer, field, FULL),
            false => Value::constant(0),
        }
    }

    /// Bails out unless the channel's messages have `fields` fields.
    pub fn require_fields(&mut self, view: &StateView, number: Value, fields: usize) {
        let plan = self.plan;
        let candidates = || {
            let channels = plan.layout.channels.iter().enumerate();
            channels.filter(|(index, _)| number.range.contains(Interval::point(*index as i32 + 1)))
        };
        let same = |kind: &lariat_ir::layout::ChannelKind| kind.fields.len() == fields;
        if candidates().all(|(_, slot)| slot.kinds.iter().all(same)) {
            return;
        }
        let buffer = self.message_buffer();
        let address = self.address(view);
        let number = self.signed_wide(number);
        // Position -1 only returns the number of fields.
        let position = self.word_constant(u64::MAX);
        let count = self.call(FunctionKey::Fetch, &[address, number, position, buffer]);
        self.check_result(FunctionKey::Fetch, count);
        let fields = self.word_constant(fields as u64);
        let equal = self.builder.ins().icmp(IntCC::Equal, count, fields);
        self.require(Value::truth(equal));
    }

    pub fn send_dynamic(
        &mut self,
        view: &StateView,
        number: Value,
        message: &[Value],
        sorted: bool,
    ) {
        let buffer = self.message_buffer();
        for (field, value) in message.iter().enumerate() {
            self.store_in_buffer(buffer, field, *value);
        }
        let address = self.address(view);
        let number = self.signed_wide(number);
        let sorted = self.word_constant(sorted.into());
        let result = self.call(FunctionKey::Send, &[address, number, buffer, sorted]);
        self.check_result(FunctionKey::Send, result);
    }

    pub fn remove_dynamic(&mut self, view: &StateView, number: Value, position: Index) {
        let address = self.address(view);
        let number = self.signed_wide(number);
        let position = match position {
            Index::Fixed(position) => self.word_constant(position.into()),
            Index::Variable(value) => self.wide(value),
        };
        let result = self.call(FunctionKey::Remove, &[address, number, position]);
        self.check_result(FunctionKey::Remove, result);
    }

    /// Generates [`FunctionKey::ChannelSize`], [`FunctionKey::Fetch`], [`FunctionKey::Send`] or
    /// [`FunctionKey::Remove`].
    pub fn channel_function(&mut self) {
        let base = Base::Memory(self.parameters[0]);
        let view = StateView::new(base, None);
        let number = self.builder.ins().ireduce(types::I32, self.parameters[1]);
        let number = self.full_number(number);
        let arms: Vec<(i32, Block)> = (0..self.plan.layout.channels.len())
            .map(|index| (index as i32 + 1, self.block()))
            .collect();
        self.switch(number, &arms, self.bailout);
        for (number, block) in arms {
            let index = number as usize - 1;
            self.at(block);
            let exists = self.channel_exists(&view, index);
            self.require(exists);
            let kinds = self.plan.layout.channels[index].kinds.len();
            for kind in 0..kinds {
                let next = self.block();
                if kind + 1 < kinds {
                    let is = self.channel_has_kind(&view, index, kind);
                    self.require_or(is, next);
                }
                let known = self.known_channel(index, kind);
                self.channel_arm(view.clone(), known);
                self.at(next);
            }
            self.go_to(self.bailout);
        }
    }

    /// The function's code for a channel of a known kind; ends with a return.
    fn channel_arm(&mut self, mut view: StateView, channel: KnownChannel<'p>) {
        let slots = i64::from(channel.kind.slots);
        match self.key {
            FunctionKey::ChannelSize => {
                let length = self.channel_length(&view, channel);
                let length = self.wide(length);
                let size = self.or_mask(length, u64::from(self.plan.capacity(channel.kind)) << 32);
                self.return_value(size);
            }
            FunctionKey::Fetch => {
                let count = self.word_constant(channel.kind.fields.len() as u64);
                let none = self.word_constant(u64::MAX);
                let only_count = self.builder.ins().icmp(IntCC::Equal, self.parameters[2], none);
                let (fetch, done) = (self.block(), self.block());
                self.branch(Value::truth(only_count), done, fetch);
                self.at(fetch);
                if slots > 0 {
                    let position = self.position_parameter(slots - 1);
                    for field in 0..channel.kind.fields.len() {
                        let value = self.message_field(&view, channel, position, field);
                        self.store_in_buffer(self.parameters[3], field, value);
                    }
                    // Missing fields read as 0.
                    for field in channel.kind.fields.len()..self.plan.max_message_fields() {
                        self.store_in_buffer(self.parameters[3], field, Value::constant(0));
                    }
                }
                self.go_to(done);
                self.at(done);
                self.return_value(count);
            }
            FunctionKey::Send => {
                let fields = channel.kind.fields.len();
                let message: Vec<Value> = (0..fields)
                    .map(|field| self.load_from_buffer(self.parameters[2], field, FULL))
                    .collect();
                let (sorted, plain) = (self.block(), self.block());
                self.builder.ins().brif(self.parameters[3], sorted, &[], plain, &[]);
                self.at(sorted);
                let zero = self.word_constant(0);
                let position = self.sorted_position(&view, channel, &message);
                self.insert_message(&mut view, channel, &message, Some(position));
                self.return_value(zero);
                self.at(plain);
                let zero = self.word_constant(0);
                self.insert_message(&mut view, channel, &message, None);
                self.return_value(zero);
            }
            _ => {
                let position = self.position_parameter((slots - 1).max(0));
                self.remove_message(&mut view, channel, position);
                let zero = self.word_constant(0);
                self.return_value(zero);
            }
        }
    }

    fn position_parameter(&mut self, last: i64) -> Index {
        let position = self.builder.ins().ireduce(types::I32, self.parameters[2]);
        Index::of(Value::number(position, Interval { low: 0, high: last }))
    }
}
