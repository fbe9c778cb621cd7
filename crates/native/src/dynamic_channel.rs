//! Channels whose number is only known when the code runs (or that were seen with several kinds under one number): functions
//! that find out and hand messages over in memory. They are made once per program, so that the code of
//! transitions stays small.

use crate::channel::Known;
use crate::function::{FunctionKey, Generator};
use crate::state_access::{Base, Index, Scene};
use crate::value::{FULL, Value};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use model::expression::{BinaryOp, Pattern};
use model::layout::Interval;

impl<'p> Generator<'_, 'p> {
    /// Length and capacity (at least 1) of a channel; abnormal if there is none.
    pub fn size_of(&mut self, scene: &Scene, number: Value) -> (Value, Value) {
        let size = self.channel_size(scene, number);
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

    fn channel_size(&mut self, scene: &Scene, number: Value) -> ir::Value {
        let address = self.address(scene);
        let number = self.signed_wide(number);
        let size = self.call(FunctionKey::ChannelSize, &[address, number]);
        self.check_result(FunctionKey::ChannelSize, size);
        size
    }

    pub fn signed_wide(&mut self, value: Value) -> ir::Value {
        let number = self.number(value);
        self.builder.ins().sextend(types::I64, number)
    }

    /// Is the channel one with rendezvous? Abnormal if there is none.
    pub fn is_rendezvous(&mut self, scene: &Scene, number: Value) -> Value {
        let any = (0..self.plan.layout.channels.len()).any(|index| self.plan.may_be_rendezvous(index));
        let size = self.channel_size(scene, number);
        if !any {
            return Value::constant(0);
        }
        let capacity = self.shift_right(size, 32);
        let zero = self.word_constant(0);
        Value::truth(self.builder.ins().icmp(IntCC::Equal, capacity, zero))
    }

    pub fn require_buffered(&mut self, scene: &Scene, number: Value) {
        let rendezvous = self.is_rendezvous(scene, number);
        self.refuse(rendezvous);
    }

    /// Where the first message is that matches; goes to `otherwise` if there is none.
    pub fn find_dynamic(
        &mut self,
        scene: &Scene,
        number: Value,
        patterns: &[Pattern],
        random: bool,
        otherwise: Block,
    ) -> Index {
        let (length, _) = self.size_of(scene, number);
        let some = self.binary(BinaryOp::Greater, length, Value::constant(0));
        self.require_or(some, otherwise);
        let read = |generator: &mut Self, position: Index, field: usize| {
            let buffer = generator.fetch(scene, number, position);
            generator.fetched_field(scene, number, buffer, field)
        };
        self.search(scene, length, patterns, random, otherwise, &read)
    }

    /// Unpacks a message that exists into the buffer.
    pub fn fetch(&mut self, scene: &Scene, number: Value, position: Index) -> ir::Value {
        let address = self.address(scene);
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

    /// A field of a message just unpacked; 0 if messages have no such field.
    fn fetched_field(&mut self, _: &Scene, _: Value, buffer: ir::Value, field: usize) -> Value {
        let most = self.plan.program.channel_types.iter().map(|kind| kind.fields.len()).max().unwrap_or(0);
        match field < most {
            true => self.load_from_buffer(buffer, field, FULL),
            false => Value::constant(0),
        }
    }

    /// How many fields the channel's messages have must be `wanted`.
    pub fn require_fields(&mut self, scene: &Scene, number: Value, wanted: usize) {
        let plan = self.plan;
        let candidates = || {
            let channels = plan.layout.channels.iter().enumerate();
            channels.filter(|(index, _)| number.range.contains(Interval::point(*index as i32 + 1)))
        };
        let same = |kind: &model::layout::ChannelKind| kind.fields.len() == wanted;
        if candidates().all(|(_, slot)| slot.kinds.iter().all(same)) {
            return;
        }
        let buffer = self.message_buffer();
        let address = self.address(scene);
        let number = self.signed_wide(number);
        // Position -1: nothing is unpacked, only counted.
        let position = self.word_constant(u64::MAX);
        let count = self.call(FunctionKey::Fetch, &[address, number, position, buffer]);
        self.check_result(FunctionKey::Fetch, count);
        let wanted = self.word_constant(wanted as u64);
        let same = self.builder.ins().icmp(IntCC::Equal, count, wanted);
        self.require(Value::truth(same));
    }

    pub fn send_dynamic(&mut self, scene: &Scene, number: Value, message: &[Value], sorted: bool) {
        let buffer = self.message_buffer();
        for (field, value) in message.iter().enumerate() {
            self.store_in_buffer(buffer, field, *value);
        }
        let address = self.address(scene);
        let number = self.signed_wide(number);
        let sorted = self.word_constant(sorted.into());
        let result = self.call(FunctionKey::Send, &[address, number, buffer, sorted]);
        self.check_result(FunctionKey::Send, result);
    }

    pub fn remove_dynamic(&mut self, scene: &Scene, number: Value, position: Index) {
        let address = self.address(scene);
        let number = self.signed_wide(number);
        let position = match position {
            Index::Fixed(position) => self.word_constant(position.into()),
            Index::Variable(value) => self.wide(value),
        };
        let result = self.call(FunctionKey::Remove, &[address, number, position]);
        self.check_result(FunctionKey::Remove, result);
    }

    /// Writes one of the functions that these calls mean.
    pub fn channel_function(&mut self) {
        let base = Base::Memory(self.parameters[0]);
        let scene = Scene::new(base, None);
        let number = self.builder.ins().ireduce(types::I32, self.parameters[1]);
        let number = self.full_number(number);
        let arms: Vec<(i32, Block)> =
            (0..self.plan.layout.channels.len()).map(|index| (index as i32 + 1, self.block())).collect();
        self.switch(number, &arms, self.abnormal);
        for (number, block) in arms {
            let index = number as usize - 1;
            self.at(block);
            let exists = self.channel_exists(&scene, index);
            self.require(exists);
            let kinds = self.plan.layout.channels[index].kinds.len();
            for kind in 0..kinds {
                let next = self.block();
                if kind + 1 < kinds {
                    let is = self.channel_has_kind(&scene, index, kind);
                    self.require_or(is, next);
                }
                let known = self.known(index, kind);
                self.channel_arm(scene.clone(), known);
                self.at(next);
            }
            self.go_to(self.abnormal);
        }
    }

    /// What the function does with a channel of a known kind; ends with a return.
    fn channel_arm(&mut self, mut scene: Scene, channel: Known<'p>) {
        let slots = i64::from(channel.kind.slots);
        match self.key {
            FunctionKey::ChannelSize => {
                let length = self.length(&scene, channel);
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
                        let value = self.message_field(&scene, channel, position, field);
                        self.store_in_buffer(self.parameters[3], field, value);
                    }
                    // Fields that these messages do not have read as 0.
                    let types = &self.plan.program.channel_types;
                    let most = types.iter().map(|kind| kind.fields.len()).max().unwrap_or(0);
                    for field in channel.kind.fields.len()..most {
                        self.store_in_buffer(self.parameters[3], field, Value::constant(0));
                    }
                }
                self.go_to(done);
                self.at(done);
                self.return_value(count);
            }
            FunctionKey::Send => {
                let fields = channel.kind.fields.len();
                let message: Vec<Value> =
                    (0..fields).map(|field| self.load_from_buffer(self.parameters[2], field, FULL)).collect();
                let (sorted, plain) = (self.block(), self.block());
                self.builder.ins().brif(self.parameters[3], sorted, &[], plain, &[]);
                self.at(sorted);
                let zero = self.word_constant(0);
                let position = self.sorted_position(&scene, channel, &message);
                self.insert(&mut scene, channel, &message, Some(position));
                self.return_value(zero);
                self.at(plain);
                let zero = self.word_constant(0);
                self.insert(&mut scene, channel, &message, None);
                self.return_value(zero);
            }
            _ => {
                let position = self.position_parameter((slots - 1).max(0));
                self.remove(&mut scene, channel, position);
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
