//! Reads and writes the packed words of a state.
//!
//! A step reads the words of its input state, which never change. It keeps the words it writes in
//! registers and stores them with the others when the entry is complete. Where this is impossible
//! (loops, elements in several words at an index known only at run time, calls) it first copies the
//! whole state to the entry and changes it there.

use crate::codegen::promotion::PromotedVariable;
use crate::codegen::value::Value;
use crate::codegen::{Generator, trusted};
use crate::plan::{Actor, mask};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, types};
use cranelift_frontend::Variable;
use lariat_ir::expression::Scope;
use lariat_ir::layout::{Field, Interval, Row};
use std::collections::BTreeMap;

/// The memory that holds the words of a state, except those in registers.
#[derive(Clone, Copy, Debug)]
pub enum Base {
    /// The input state, which is read-only.
    Input(ir::Value),
    /// The entry being written; writes go there directly.
    Output,
    /// Other writable memory.
    Memory(ir::Value),
}

/// A state during a step, as one process sees it.
#[derive(Clone, Debug)]
pub struct StateView {
    pub base: Base,
    /// Words in registers, which replace those of the base.
    pub written: Vec<(u32, ir::Value)>,
    pub actor: Option<Actor>,
    /// The actor's location, if it is known at compile time.
    pub location: Option<u32>,
    /// In the receiving half of a rendezvous: the channel's index and the message's address.
    pub handshake: Option<(usize, ir::Value)>,
    /// The rendezvous channel that holds a message, which the words do not record.
    pub occupied: Option<usize>,
    /// The number of the process that the step started.
    pub spawned: Option<Variable>,
    /// During the actor's creation: the current values of locals that the layout declares
    /// constant, by variable and element. They may differ from the constants until
    /// initialization ends.
    pub provisional: BTreeMap<(u32, u32), i32>,
    /// Variables that live in registers.
    pub promoted: Vec<PromotedVariable>,
}

impl StateView {
    pub fn new(base: Base, actor: Option<Actor>) -> StateView {
        StateView {
            base,
            written: Vec::new(),
            actor,
            location: None,
            handshake: None,
            occupied: None,
            spawned: None,
            provisional: BTreeMap::new(),
            promoted: Vec::new(),
        }
    }

    /// This state as another process sees it.
    pub fn of(&self, actor: Actor) -> StateView {
        let mut view = StateView { actor: Some(actor), location: None, ..self.clone() };
        view.promoted.retain(|promoted| promoted.scope == Scope::Global);
        view
    }

    /// Whether the state is in writable memory.
    fn in_memory(&self) -> bool {
        !matches!(self.base, Base::Input(_))
    }

    /// Whether no word is in a register.
    pub fn is_addressable(&self) -> bool {
        self.written.is_empty()
    }
}

/// The index of a cell in a row.
#[derive(Clone, Copy, Debug)]
pub enum Index {
    Fixed(u32),
    /// Known only at run time; always within the row.
    Variable(Value),
}

impl Index {
    pub fn of(value: Value) -> Index {
        match value.as_constant() {
            Some(constant) => Index::Fixed(constant as u32),
            None => Index::Variable(value),
        }
    }
}

impl Generator<'_, '_> {
    /// Pointer and offset of the first word, and the flags for loading it.
    fn location_of(&mut self, base: Base) -> (ir::Value, i32, MemFlagsData) {
        match base {
            Base::Input(pointer) => (pointer, 0, trusted().with_readonly()),
            Base::Output => (self.builder.use_var(self.out), 8, trusted()),
            Base::Memory(pointer) => (pointer, 0, trusted()),
        }
    }

    /// The address of the state. Bails out if a word is in a register.
    pub fn address(&mut self, view: &StateView) -> ir::Value {
        if !view.is_addressable() {
            self.bail_out();
        }
        let (pointer, offset, _) = self.location_of(view.base);
        self.add_offset(pointer, offset.into())
    }

    pub fn word(&mut self, view: &StateView, word: u32) -> ir::Value {
        if let Some((_, value)) = view.written.iter().find(|(number, _)| *number == word) {
            return *value;
        }
        let (pointer, offset, flags) = self.location_of(view.base);
        self.builder.ins().load(types::I64, flags, pointer, offset + word as i32 * 8)
    }

    pub fn set_word(&mut self, view: &mut StateView, word: u32, value: ir::Value) {
        if view.in_memory() {
            let (pointer, offset, flags) = self.location_of(view.base);
            self.builder.ins().store(flags, value, pointer, offset + word as i32 * 8);
            return;
        }
        match view.written.iter_mut().find(|(number, _)| *number == word) {
            Some((_, old)) => *old = value,
            None => view.written.push((word, value)),
        }
    }

    /// The value of a field, known to be in `allowed`.
    pub fn read_field(&mut self, view: &StateView, field: Field, allowed: Interval) -> Value {
        let range = field.interval().meet(allowed);
        if field.width == 0 {
            return Value::constant(field.low);
        }
        if range.is_point() {
            return Value::constant(range.low as i32);
        }
        let word = self.word(view, field.word);
        let bits = self.shift_right(word, field.shift);
        self.number_of_bits(bits, field.width, field.shift + field.width >= 64, field.low, range)
    }

    /// The number encoded by the lowest bits of a word; `clean` if all other bits are 0.
    fn number_of_bits(
        &mut self,
        bits: ir::Value,
        width: u8,
        clean: bool,
        low: i32,
        range: Interval,
    ) -> Value {
        let bits = if clean || width >= 32 { bits } else { self.and_mask(bits, mask(width)) };
        let number = self.builder.ins().ireduce(types::I32, bits);
        if low == 0 {
            return Value::number(number, range);
        }
        let low = self.number_constant(low);
        let number = self.builder.ins().iadd(number, low);
        Value::number(number, range)
    }

    /// The bits that encode a value in a field of this width: a constant or a word. Bails out if
    /// the value does not fit.
    pub fn bits_of(&mut self, value: Value, low: i32, width: u8) -> Result<u64, ir::Value> {
        let room = Interval { low: low.into(), high: i64::from(low) + mask(width) as i64 };
        if let Some(constant) = value.as_constant() {
            if !room.contains(Interval::point(constant)) {
                self.bail_out();
            }
            return Ok((i64::from(constant) - i64::from(low)) as u64 & mask(width));
        }
        let mut number = self.number(value);
        if low != 0 {
            let low = self.number_constant(low);
            number = self.builder.ins().isub(number, low);
        }
        if !room.contains(value.range) {
            let fits = self.compare(IntCC::UnsignedLessThanOrEqual, number, mask(width) as i32);
            self.require(Value::truth(fits));
        }
        if width == 0 {
            return Ok(0);
        }
        Err(self.builder.ins().uextend(types::I64, number))
    }

    /// Stores a value in a field. Bails out if it does not fit.
    pub fn write_field(&mut self, view: &mut StateView, field: Field, value: Value) {
        let bits = self.bits_of(value, field.low, field.width);
        if field.width == 0 {
            return;
        }
        let ones = mask(field.width) << field.shift;
        let word = self.word(view, field.word);
        let word = match bits {
            Ok(bits) if bits == mask(field.width) => self.or_mask(word, ones),
            Ok(bits) => {
                let rest = self.and_mask(word, !ones);
                self.or_mask(rest, bits << field.shift)
            }
            Err(bits) => {
                let rest = self.and_mask(word, !ones);
                let bits = self.shift_left(bits, field.shift);
                self.builder.ins().bor(rest, bits)
            }
        };
        self.set_word(view, field.word, word);
    }

    /// The position of a cell's lowest bit within its word.
    pub fn cell_shift(&mut self, row: &Row, index: Value, count: u32) -> ir::Value {
        let mut index = self.wide(index);
        if count > row.per_word {
            index = self.and_mask(index, u64::from(row.per_word) - 1);
        }
        let distance = match row.width.is_power_of_two() {
            true => self.shift_left(index, row.width.trailing_zeros() as u8),
            false => {
                let width = self.word_constant(row.width.into());
                self.builder.ins().imul(index, width)
            }
        };
        self.add_offset(distance, row.shift.into())
    }

    /// The address of a cell's word in a row of several words.
    fn cell_address(&mut self, view: &StateView, row: &Row, index: Value) -> ir::Value {
        let (pointer, offset, _) = self.location_of(view.base);
        let index = self.wide(index);
        let word = self.shift_right(index, row.per_word.max(1).trailing_zeros() as u8);
        let bytes = self.shift_left(word, 3);
        let address = self.builder.ins().iadd(pointer, bytes);
        self.add_offset(address, i64::from(offset) + i64::from(row.word) * 8)
    }

    /// The bits of a cell at the bottom of a word; the bits above them are unspecified.
    pub fn read_cell(
        &mut self,
        view: &StateView,
        row: &Row,
        index: Index,
        count: u32,
    ) -> ir::Value {
        match index {
            Index::Fixed(index) => {
                let (word, shift) = row.cell(index);
                let word = self.word(view, word);
                self.shift_right(word, shift)
            }
            Index::Variable(index) if count <= row.per_word => {
                let word = self.word(view, row.word);
                let shift = self.cell_shift(row, index, count);
                self.builder.ins().ushr(word, shift)
            }
            Index::Variable(index) => {
                if !view.is_addressable() {
                    self.bail_out();
                }
                let address = self.cell_address(view, row, index);
                let (_, _, flags) = self.location_of(view.base);
                let word = self.builder.ins().load(types::I64, flags, address, 0);
                if row.per_word == 1 {
                    return self.shift_right(word, row.shift);
                }
                let shift = self.cell_shift(row, index, count);
                self.builder.ins().ushr(word, shift)
            }
        }
    }

    /// Replaces a cell. Bits of `bits` above the cell's width must be 0.
    pub fn write_cell(
        &mut self,
        view: &mut StateView,
        row: &Row,
        index: Index,
        count: u32,
        bits: ir::Value,
    ) {
        let ones = mask(row.width);
        match index {
            Index::Fixed(index) => {
                let (word, shift) = row.cell(index);
                let old = self.word(view, word);
                let rest = self.and_mask(old, !(ones << shift));
                let bits = self.shift_left(bits, shift);
                let new = self.builder.ins().bor(rest, bits);
                self.set_word(view, word, new);
            }
            Index::Variable(index) if count <= row.per_word => {
                let old = self.word(view, row.word);
                let shift = self.cell_shift(row, index, count);
                let new = self.replace_bits(old, shift, ones, bits);
                self.set_word(view, row.word, new);
            }
            Index::Variable(index) => {
                if !view.in_memory() {
                    self.bail_out();
                }
                let address = self.cell_address(view, row, index);
                let old = self.builder.ins().load(types::I64, trusted(), address, 0);
                let shift = match row.per_word {
                    1 => self.word_constant(row.shift.into()),
                    _ => self.cell_shift(row, index, count),
                };
                let new = self.replace_bits(old, shift, ones, bits);
                self.builder.ins().store(trusted(), new, address, 0);
            }
        }
    }

    fn replace_bits(
        &mut self,
        old: ir::Value,
        shift: ir::Value,
        ones: u64,
        bits: ir::Value,
    ) -> ir::Value {
        let ones = self.word_constant(ones);
        let ones = self.builder.ins().ishl(ones, shift);
        let rest = self.builder.ins().band_not(old, ones);
        let bits = self.builder.ins().ishl(bits, shift);
        self.builder.ins().bor(rest, bits)
    }

    /// The number in a field at `shift` within a cell that [`read_cell`](Self::read_cell) returned.
    pub fn number_in_cell(
        &mut self,
        cell: ir::Value,
        shift: u8,
        width: u8,
        low: i32,
        range: Interval,
    ) -> Value {
        let bits = self.shift_right(cell, shift);
        self.number_of_bits(bits, width, false, low, range)
    }

    /// Copies all words to memory.
    pub fn copy_state(&mut self, view: &StateView, target: ir::Value, target_offset: i32) {
        let count = self.plan.layout.width.all as u32;
        let (pointer, offset, flags) = self.location_of(view.base);
        let fresh = |word: u32| view.written.iter().any(|(number, _)| *number == word);
        let mut word = 0;
        while word < count {
            let place = word as i32 * 8;
            if word + 1 < count && !fresh(word) && !fresh(word + 1) {
                // Two words at once; the address is aligned to one word only.
                let unaligned = MemFlagsData::new().with_notrap();
                let two = self.builder.ins().load(types::I8X16, unaligned, pointer, offset + place);
                self.builder.ins().store(unaligned, two, target, target_offset + place);
                word += 2;
                continue;
            }
            let value = match fresh(word) {
                true => self.word(view, word),
                false => self.builder.ins().load(types::I64, flags, pointer, offset + place),
            };
            self.builder.ins().store(trusted(), value, target, target_offset + place);
            word += 1;
        }
    }

    /// Copies the state to the entry being written, unless it is in writable memory already.
    pub fn materialize(&mut self, view: &mut StateView) {
        if !view.in_memory() {
            let out = self.builder.use_var(self.out);
            self.copy_state(view, out, 8);
            view.base = Base::Output;
            view.written.clear();
        }
    }
}
