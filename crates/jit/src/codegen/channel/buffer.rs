//! Inserts and removes messages in the packed rows of a channel. A row that fits one word is
//! shifted as a whole; longer rows are moved cell by cell, or word by word where the code is
//! unrolled.

use crate::codegen::Generator;
use crate::codegen::channel::KnownChannel;
use crate::codegen::state_view::{Index, StateView};
use crate::codegen::value::Value;
use crate::plan::mask;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use lariat_ir::expression::BinaryOp;
use lariat_ir::layout::{Interval, Row};

impl Generator<'_, '_> {
    /// Inserts a message at a position, or at the end. The channel must not be full; the code bails
    /// out if the layout has no room.
    pub fn insert_message(
        &mut self,
        view: &mut StateView,
        channel: KnownChannel<'_>,
        message: &[Value],
        position: Option<Index>,
    ) {
        let kind = channel.kind;
        let length = self.channel_length(view, channel);
        let room = self.binary(BinaryOp::Less, length, Value::constant(kind.slots as i32));
        self.require(room);
        let cells = self.message_cells(channel, message);
        let at_end = position.is_none();
        // The layout has room, so the position is within the row.
        let last = Interval { low: 0, high: i64::from(kind.slots.max(1)) - 1 };
        let place = position.unwrap_or_else(|| Index::of(length));
        let place = match place {
            Index::Variable(value) => Index::of(Value { range: value.range.meet(last), ..value }),
            fixed => fixed,
        };
        let place = if last.high == 0 { Index::Fixed(0) } else { place };
        for (row, cell) in kind.rows.iter().zip(cells) {
            if at_end || kind.slots == 1 {
                self.put_cell(view, row, place, kind.slots, cell);
            } else if kind.slots <= row.per_word {
                self.insert_in_word(view, row, place, kind.slots, cell);
            } else {
                self.insert_in_words(view, row, place, (kind.slots, length), cell);
            }
        }
        let longer = self.binary(BinaryOp::Add, length, Value::constant(1));
        self.write_field(view, kind.length, longer);
    }

    /// The packed cells of a message, one for each row.
    fn message_cells(&mut self, channel: KnownChannel<'_>, message: &[Value]) -> Vec<ir::Value> {
        let kind = channel.kind;
        let fields = &self.plan.program.channel_type(kind.channel_type).fields;
        let mut constants = vec![0u64; kind.rows.len()];
        let mut cells: Vec<Option<ir::Value>> = vec![None; kind.rows.len()];
        for ((place, field), value) in kind.fields.iter().zip(fields).zip(message) {
            let value = self.convert_to_domain(*value, field.domain);
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

    /// Fills an empty cell, all of whose bits are 0.
    fn put_cell(
        &mut self,
        view: &mut StateView,
        row: &Row,
        index: Index,
        count: u32,
        cell: ir::Value,
    ) {
        match index {
            Index::Fixed(index) => {
                let (word, shift) = row.cell(index);
                let old = self.word(view, word);
                let cell = self.shift_left(cell, shift);
                let new = self.builder.ins().bor(old, cell);
                self.set_word(view, word, new);
            }
            Index::Variable(value) if count <= row.per_word => {
                let shift = self.cell_shift(row, value, count);
                let cell = self.builder.ins().ishl(cell, shift);
                let old = self.word(view, row.word);
                let new = self.builder.ins().bor(old, cell);
                self.set_word(view, row.word, new);
            }
            Index::Variable(_) => self.write_cell(view, row, index, count, cell),
        }
    }

    fn insert_in_word(
        &mut self,
        view: &mut StateView,
        row: &Row,
        place: Index,
        count: u32,
        cell: ir::Value,
    ) {
        let region = region(row, count);
        let shift = self.index_shift(row, place, count);
        let old = self.word(view, row.word);
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
        self.set_word(view, row.word, new);
    }

    /// Moves every cell from `place` on up by one, the last first, then fills the gap.
    fn insert_in_words(
        &mut self,
        view: &mut StateView,
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
        self.move_cell(view, row, count, before, position);
        self.jump_with(head, before);
        self.at(done);
        self.write_cell(view, row, place, count, cell);
    }

    /// Removes the message at a position from a channel that is not empty.
    pub fn remove_message(
        &mut self,
        view: &mut StateView,
        channel: KnownChannel<'_>,
        position: Index,
    ) {
        let kind = channel.kind;
        let length = self.channel_length(view, channel);
        for row in &kind.rows {
            if kind.slots <= row.per_word.max(1) {
                self.remove_in_word(view, row, position, kind.slots);
            } else if let Index::Fixed(0) = position
                && word_count(row, kind.slots) <= MAX_UNROLLED_WORDS
            {
                self.remove_head(view, row, kind.slots);
            } else {
                self.remove_in_words(view, row, position, (kind.slots, length));
            }
        }
        let shorter = self.binary(BinaryOp::Subtract, length, Value::constant(1));
        self.write_field(view, kind.length, shorter);
    }

    fn remove_in_word(&mut self, view: &mut StateView, row: &Row, position: Index, count: u32) {
        let region = region(row, count);
        let old = self.word(view, row.word);
        let outside = self.and_mask(old, !region);
        if count <= 1 {
            return self.set_word(view, row.word, outside);
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
        self.set_word(view, row.word, new);
    }

    /// Removes the first message: moves the cells of all words down by one, word by word.
    fn remove_head(&mut self, view: &mut StateView, row: &Row, count: u32) {
        let words = word_count(row, count);
        let cells = |word: u32| row.per_word.min(count - word * row.per_word);
        let old: Vec<ir::Value> = (0..words).map(|word| self.word(view, row.word + word)).collect();
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
            self.set_word(view, row.word + word, new);
        }
    }

    fn remove_in_words(
        &mut self,
        view: &mut StateView,
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
        self.move_cell(view, row, count, next, position);
        self.jump_with(head, next);
        self.at(done);
        let zero = self.word_constant(0);
        let range = Interval { low: 0, high: i64::from(count) - 1 };
        self.write_cell(view, row, Index::Variable(Value::number(last, range)), count, zero);
    }

    fn move_cell(
        &mut self,
        view: &mut StateView,
        row: &Row,
        count: u32,
        from: ir::Value,
        to: ir::Value,
    ) {
        let range = Interval { low: 0, high: i64::from(count) - 1 };
        let bits = self.read_cell(view, row, Index::Variable(Value::number(from, range)), count);
        let bits = self.and_mask(bits, mask(row.width));
        self.write_cell(view, row, Index::Variable(Value::number(to, range)), count, bits);
    }

    fn index_shift(&mut self, row: &Row, index: Index, count: u32) -> ir::Value {
        match index {
            Index::Fixed(index) => self.word_constant(row.cell(index).1.into()),
            Index::Variable(value) => self.cell_shift(row, value, count),
        }
    }

    fn index_number(&mut self, index: Index) -> ir::Value {
        match index {
            Index::Fixed(index) => self.number_constant(index as i32),
            Index::Variable(value) => self.number(value),
        }
    }

    fn ones_below(&mut self, shift: ir::Value) -> ir::Value {
        let one = self.word_constant(1);
        let bit = self.builder.ins().ishl(one, shift);
        self.add_offset(bit, -1)
    }
}

/// The most words of a row for which removing the head is unrolled instead of a loop.
pub const MAX_UNROLLED_WORDS: u32 = 8;

/// The mask of the first `count` cells in one word.
fn region(row: &Row, count: u32) -> u64 {
    mask((row.width as u32 * count).min(64) as u8) << row.shift
}

pub fn word_count(row: &Row, count: u32) -> u32 {
    count.div_ceil(row.per_word.max(1))
}
