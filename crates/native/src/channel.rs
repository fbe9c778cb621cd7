//! Channels whose number and kind are known while code is generated: questions about them, and messages found, put
//! and taken in their packed rows. The others go through [`dynamic_channel`](crate::dynamic_channel).

use crate::function::Generator;
use crate::plan::mask;
use crate::state_access::{Index, Scene};
use crate::value::Value;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use model::expression::{BinaryOp, ChannelQuery, Expr, Pattern};
use model::layout::{ChannelKind, Interval, Row};

/// The channel an expression means.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// The channel with this index, which exists and has one kind only.
    Direct(usize),
    Number(Value),
}

/// A channel of a known kind.
#[derive(Clone, Copy)]
pub struct Known<'l> {
    pub kind: &'l ChannelKind,
}

impl<'p> Generator<'_, 'p> {
    /// The channel an expression means. Abnormal if it certainly means none.
    pub fn target(&mut self, scene: &Scene, channel: &Expr) -> Target {
        let number = self.value(scene, channel);
        let count = self.plan.layout.channels.len();
        if number.range.high < 1 || number.range.low > count as i64 {
            self.give_up();
            return Target::Number(Value::constant(0));
        }
        let Some(constant) = number.as_constant() else { return Target::Number(number) };
        let index = constant as usize - 1;
        if self.plan.only_channel_kind(index).is_none() {
            return Target::Number(number);
        }
        let exists = self.channel_exists(scene, index);
        self.require(exists);
        Target::Direct(index)
    }

    pub fn channel_count(&mut self, scene: &Scene) -> Value {
        let range = self.plan.channel_count_range();
        self.read_field(scene, self.plan.layout.channel_count, range)
    }

    pub fn channel_exists(&mut self, scene: &Scene, index: usize) -> Value {
        let count = self.channel_count(scene);
        self.binary(BinaryOp::Greater, count, Value::constant(index as i32))
    }

    /// Is the channel, which exists, of this kind?
    pub fn channel_has_kind(&mut self, scene: &Scene, index: usize, kind: usize) -> Value {
        let slot = &self.plan.layout.channels[index];
        if slot.kinds.len() == 1 {
            return Value::constant(1);
        }
        let last = slot.kinds.len() as i64 - 1;
        let tag = self.read_field(scene, slot.kind, Interval { low: 0, high: last });
        self.equals(tag, kind as i32)
    }

    pub fn known(&self, index: usize, kind: usize) -> Known<'p> {
        Known { kind: &self.plan.layout.channels[index].kinds[kind] }
    }

    pub fn length(&mut self, scene: &Scene, channel: Known<'_>) -> Value {
        let range = Interval { low: 0, high: channel.kind.slots.into() };
        self.read_field(scene, channel.kind.length, range)
    }

    pub fn channel_query(&mut self, scene: &Scene, query: ChannelQuery, channel: &Expr) -> Value {
        let (length, capacity) = match self.target(scene, channel) {
            Target::Direct(index) if scene.occupied != Some(index) => {
                let known = self.known(index, 0);
                let capacity = self.plan.capacity(known.kind).max(1);
                (self.length(scene, known), Value::constant(capacity as i32))
            }
            Target::Number(number) if scene.occupied.is_none() => self.size_of(scene, number),
            _ => {
                self.give_up();
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

    pub fn poll(&mut self, scene: &Scene, channel: &Expr, patterns: &[Pattern], random: bool) -> Value {
        let (no, after) = (self.block(), self.block());
        let result = self.builder.append_block_param(after, types::I8);
        match self.target(scene, channel) {
            Target::Direct(index) => {
                let known = self.known(index, 0);
                if self.plan.capacity(known.kind) == 0 {
                    // Asking a rendezvous channel is an error.
                    self.give_up();
                }
                self.find(scene, known, patterns, random, no);
            }
            Target::Number(_) if scene.occupied.is_some() => self.give_up(),
            Target::Number(number) => {
                self.require_buffered(scene, number);
                self.find_dynamic(scene, number, patterns, random, no);
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

    /// A field of the message at a position; 0 if messages have no such field.
    pub fn message_field(
        &mut self,
        scene: &Scene,
        channel: Known<'_>,
        position: Index,
        field: usize,
    ) -> Value {
        let Some(place) = channel.kind.fields.get(field).copied() else { return Value::constant(0) };
        let domain = self.plan.program.channel_type(channel.kind.channel_type).fields[field].domain;
        let allowed = Interval::of_domain(domain);
        let room = Interval { low: place.low.into(), high: i64::from(place.low) + mask(place.width) as i64 };
        let range = room.meet(allowed);
        if place.width == 0 || range.is_point() {
            return Value::constant(range.low as i32);
        }
        match position {
            Index::Fixed(position) => self.read_field(scene, channel.kind.field(position, field), allowed),
            Index::Variable(_) => {
                let row = &channel.kind.rows[place.row as usize];
                let cell = self.read_cell(scene, row, position, channel.kind.slots);
                self.number_in_cell(cell, place.shift, place.width, place.low, range)
            }
        }
    }

    /// Where the first message is that matches; goes to `otherwise` if there is none.
    pub fn find(
        &mut self,
        scene: &Scene,
        channel: Known<'_>,
        patterns: &[Pattern],
        random: bool,
        otherwise: Block,
    ) -> Index {
        let length = self.length(scene, channel);
        let some = self.binary(BinaryOp::Greater, length, Value::constant(0));
        self.require_or(some, otherwise);
        let fetch = |generator: &mut Self, position: Index, field: usize| {
            generator.message_field(scene, channel, position, field)
        };
        self.search(scene, length, patterns, random, otherwise, &fetch)
    }

    /// The search for a message among at least one, whatever reads their fields.
    pub fn search(
        &mut self,
        scene: &Scene,
        length: Value,
        patterns: &[Pattern],
        random: bool,
        otherwise: Block,
        fetch: &dyn Fn(&mut Self, Index, usize) -> Value,
    ) -> Index {
        let demanding = patterns.iter().any(|pattern| matches!(pattern, Pattern::Match(_)));
        if !random || !demanding || length.range.high <= 1 {
            self.match_message(scene, patterns, Index::Fixed(0), otherwise, fetch);
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
        self.match_message(scene, patterns, index, next, fetch);
        index
    }

    fn match_message(
        &mut self,
        scene: &Scene,
        patterns: &[Pattern],
        position: Index,
        otherwise: Block,
        fetch: &dyn Fn(&mut Self, Index, usize) -> Value,
    ) {
        for (field, pattern) in patterns.iter().enumerate() {
            if let Pattern::Match(expr) = pattern {
                let wanted = self.value(scene, expr);
                let found = fetch(self, position, field);
                let same = self.binary(BinaryOp::Equal, wanted, found);
                self.require_or(same, otherwise);
            }
        }
    }

    /// Puts a message at a position. There must be room in the channel; if there is none in the layout it is abnormal.
    pub fn insert(
        &mut self,
        scene: &mut Scene,
        channel: Known<'_>,
        message: &[Value],
        position: Option<Index>,
    ) {
        let kind = channel.kind;
        let length = self.length(scene, channel);
        let room = self.binary(BinaryOp::Less, length, Value::constant(kind.slots as i32));
        self.require(room);
        let cells = self.message_cells(channel, message);
        let at_end = position.is_none();
        // There was room, so the position is one of the row's.
        let last = Interval { low: 0, high: i64::from(kind.slots.max(1)) - 1 };
        let place = position.unwrap_or_else(|| Index::of(length));
        let place = match place {
            Index::Variable(value) => Index::of(Value { range: value.range.meet(last), ..value }),
            fixed => fixed,
        };
        let place = if last.high == 0 { Index::Fixed(0) } else { place };
        for (row, cell) in kind.rows.iter().zip(cells) {
            if at_end || kind.slots == 1 {
                self.put_cell(scene, row, place, kind.slots, cell);
            } else if kind.slots <= row.per_word {
                self.insert_in_word(scene, row, place, kind.slots, cell);
            } else {
                self.insert_in_words(scene, row, place, (kind.slots, length), cell);
            }
        }
        let longer = self.binary(BinaryOp::Add, length, Value::constant(1));
        self.write_field(scene, kind.length, longer);
    }

    /// The cells of a message, one for each row.
    fn message_cells(&mut self, channel: Known<'_>, message: &[Value]) -> Vec<ir::Value> {
        let kind = channel.kind;
        let fields = &self.plan.program.channel_type(kind.channel_type).fields;
        let mut constants = vec![0u64; kind.rows.len()];
        let mut cells: Vec<Option<ir::Value>> = vec![None; kind.rows.len()];
        for ((place, field), value) in kind.fields.iter().zip(fields).zip(message) {
            let value = self.cut(*value, field.domain);
            let bits = self.bits_of(value, place.low, place.width);
            if place.width == 0 {
                continue;
            }
            let row = place.row as usize;
            match bits {
                Ok(bits) => constants[row] |= bits << place.shift,
                Err(bits) => {
                    let bits = self.shift_left(bits, place.shift);
                    cells[row] = Some(match cells[row] {
                        Some(cell) => self.builder.ins().bor(cell, bits),
                        None => bits,
                    });
                }
            }
        }
        let parts = cells.into_iter().zip(constants);
        parts
            .map(|(cell, constant)| match cell {
                Some(cell) => self.or_mask(cell, constant),
                None => self.word_constant(constant),
            })
            .collect()
    }

    /// Fills a cell that is empty, so all its bits are 0.
    fn put_cell(&mut self, scene: &mut Scene, row: &Row, index: Index, count: u32, cell: ir::Value) {
        match index {
            Index::Fixed(index) => {
                let (word, shift) = row.cell(index);
                let old = self.word(scene, word);
                let cell = self.shift_left(cell, shift);
                let new = self.builder.ins().bor(old, cell);
                self.set_word(scene, word, new);
            }
            Index::Variable(value) if count <= row.per_word => {
                let shift = self.cell_shift(row, value, count);
                let cell = self.builder.ins().ishl(cell, shift);
                let old = self.word(scene, row.word);
                let new = self.builder.ins().bor(old, cell);
                self.set_word(scene, row.word, new);
            }
            Index::Variable(_) => self.write_cell(scene, row, index, count, cell),
        }
    }

    fn insert_in_word(&mut self, scene: &mut Scene, row: &Row, place: Index, count: u32, cell: ir::Value) {
        let region = region(row, count);
        let shift = self.index_shift(row, place, count);
        let old = self.word(scene, row.word);
        let outside = self.and_mask(old, !region);
        let inside = self.and_mask(old, region);
        let below = self.ones_below(shift);
        let kept = self.builder.ins().band(inside, below);
        let moved = self.builder.ins().band_not(inside, below);
        let moved = self.shift_left(moved, row.width);
        let moved = self.and_mask(moved, region);
        let cell = self.builder.ins().ishl(cell, shift);
        let new = self.builder.ins().bor(outside, kept);
        let new = self.builder.ins().bor(new, moved);
        let new = self.builder.ins().bor(new, cell);
        self.set_word(scene, row.word, new);
    }

    fn index_shift(&mut self, row: &Row, index: Index, count: u32) -> ir::Value {
        match index {
            Index::Fixed(index) => self.word_constant(row.cell(index).1.into()),
            Index::Variable(value) => self.cell_shift(row, value, count),
        }
    }

    fn ones_below(&mut self, shift: ir::Value) -> ir::Value {
        let one = self.word_constant(1);
        let bit = self.builder.ins().ishl(one, shift);
        self.add_offset(bit, -1)
    }

    /// Moves every cell from `place` on one up, last first, then fills the gap.
    fn insert_in_words(
        &mut self,
        scene: &mut Scene,
        row: &Row,
        place: Index,
        (count, length): (u32, Value),
        cell: ir::Value,
    ) {
        let place_number = self.index_number(place);
        let (head, body, done) = (self.block(), self.block(), self.block());
        let position = self.builder.append_block_param(head, types::I32);
        let length = self.number(length);
        self.jump_with(head, length);
        self.at(head);
        let more = self.builder.ins().icmp(IntCC::SignedGreaterThan, position, place_number);
        self.branch(Value::truth(more), body, done);
        self.at(body);
        let one = self.number_constant(1);
        let before = self.builder.ins().isub(position, one);
        self.move_cell(scene, row, count, before, position);
        self.jump_with(head, before);
        self.at(done);
        self.write_cell(scene, row, place, count, cell);
    }

    fn index_number(&mut self, index: Index) -> ir::Value {
        match index {
            Index::Fixed(index) => self.number_constant(index as i32),
            Index::Variable(value) => self.number(value),
        }
    }

    fn move_cell(&mut self, scene: &mut Scene, row: &Row, count: u32, from: ir::Value, to: ir::Value) {
        let range = Interval { low: 0, high: i64::from(count) - 1 };
        let bits = self.read_cell(scene, row, Index::Variable(Value::number(from, range)), count);
        let bits = self.and_mask(bits, mask(row.width));
        self.write_cell(scene, row, Index::Variable(Value::number(to, range)), count, bits);
    }

    /// Takes away the message at a position, of at least one.
    pub fn remove(&mut self, scene: &mut Scene, channel: Known<'_>, position: Index) {
        let kind = channel.kind;
        let length = self.length(scene, channel);
        for row in &kind.rows {
            if kind.slots <= row.per_word.max(1) {
                self.remove_in_word(scene, row, position, kind.slots);
            } else if let Index::Fixed(0) = position
                && word_count(row, kind.slots) <= UNROLLED
            {
                self.remove_head(scene, row, kind.slots);
            } else {
                self.remove_in_words(scene, row, position, (kind.slots, length));
            }
        }
        let shorter = self.binary(BinaryOp::Subtract, length, Value::constant(1));
        self.write_field(scene, kind.length, shorter);
    }

    fn remove_in_word(&mut self, scene: &mut Scene, row: &Row, position: Index, count: u32) {
        let region = region(row, count);
        let old = self.word(scene, row.word);
        let outside = self.and_mask(old, !region);
        if count <= 1 {
            return self.set_word(scene, row.word, outside);
        }
        let inside = self.and_mask(old, region);
        let moved = self.shift_right(inside, row.width);
        let new = match position {
            Index::Fixed(0) => {
                let moved = self.and_mask(moved, region);
                self.builder.ins().bor(outside, moved)
            }
            _ => {
                let shift = self.index_shift(row, position, count);
                let below = self.ones_below(shift);
                let kept = self.builder.ins().band(inside, below);
                let moved = self.builder.ins().band_not(moved, below);
                let new = self.builder.ins().bor(outside, kept);
                self.builder.ins().bor(new, moved)
            }
        };
        self.set_word(scene, row.word, new);
    }

    /// Moves the cells of all words one down, word by word.
    fn remove_head(&mut self, scene: &mut Scene, row: &Row, count: u32) {
        let words = word_count(row, count);
        let cells = |word: u32| row.per_word.min(count - word * row.per_word);
        let old: Vec<ir::Value> = (0..words).map(|word| self.word(scene, row.word + word)).collect();
        for word in 0..words {
            let region = region(row, cells(word));
            let mut new = self.and_mask(old[word as usize], !region);
            if cells(word) > 1 {
                let inside = self.and_mask(old[word as usize], region);
                let moved = self.shift_right(inside, row.width);
                let moved = self.and_mask(moved, region);
                new = self.builder.ins().bor(new, moved);
            }
            if word + 1 < words {
                let first = self.and_mask(old[word as usize + 1], mask(row.width) << row.shift);
                let first = self.shift_left(first, row.width * (row.per_word - 1) as u8);
                new = self.builder.ins().bor(new, first);
            }
            self.set_word(scene, row.word + word, new);
        }
    }

    fn remove_in_words(
        &mut self,
        scene: &mut Scene,
        row: &Row,
        position: Index,
        (count, length): (u32, Value),
    ) {
        let first = self.index_number(position);
        let length = self.number(length);
        let one = self.number_constant(1);
        let last = self.builder.ins().isub(length, one);
        let (head, body, done) = (self.block(), self.block(), self.block());
        let position = self.builder.append_block_param(head, types::I32);
        self.jump_with(head, first);
        self.at(head);
        let more = self.builder.ins().icmp(IntCC::SignedLessThan, position, last);
        self.branch(Value::truth(more), body, done);
        self.at(body);
        let one = self.number_constant(1);
        let next = self.builder.ins().iadd(position, one);
        self.move_cell(scene, row, count, next, position);
        self.jump_with(head, next);
        self.at(done);
        let zero = self.word_constant(0);
        let range = Interval { low: 0, high: i64::from(count) - 1 };
        self.write_cell(scene, row, Index::Variable(Value::number(last, range)), count, zero);
    }

    /// Before which message a sorted send puts its own: the first larger one, or behind all.
    pub fn sorted_position(&mut self, scene: &Scene, channel: Known<'_>, message: &[Value]) -> Index {
        let length = self.length(scene, channel);
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
            let other = self.message_field(scene, channel, here, field);
            let smaller = self.binary(BinaryOp::Less, *value, other);
            let not_smaller = self.block();
            self.branch(smaller, found, not_smaller);
            self.at(not_smaller);
            let same = self.binary(BinaryOp::Equal, *value, other);
            self.require_or(same, next);
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

/// How many words a row may have for code that moves all of them without a loop.
pub const UNROLLED: u32 = 8;

/// The bits of the first `count` cells in one word.
fn region(row: &Row, count: u32) -> u64 {
    mask((row.width as u32 * count).min(64) as u8) << row.shift
}

pub fn word_count(row: &Row, count: u32) -> u32 {
    count.div_ceil(row.per_word.max(1))
}
