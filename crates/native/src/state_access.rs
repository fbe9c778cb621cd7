//! Reading and writing the packed words of a state.
//!
//! A step begins with the words of its state, which stay as they are. What it writes is first kept in registers, word
//! by word, and stored with the rest when the entry is complete. Where that does not work (loops, elements in several
//! words at an unknown index, other functions) the whole state is first copied to the entry and changed there.

use crate::function::{Generator, trusted};
use crate::plan::{Actor, mask};
use crate::shadow::Shadow;
use crate::value::Value;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, types};
use cranelift_frontend::Variable;
use model::expression::Scope;
use model::layout::{Field, Interval, Row};
use std::collections::BTreeMap;

/// Where the words are that were not written since.
#[derive(Clone, Copy, Debug)]
pub enum Base {
    /// Nobody writes here while the function runs.
    Input(ir::Value),
    /// In the entry being made: writes go there directly.
    Output,
    /// Elsewhere in memory that may be written.
    Memory(ir::Value),
}

/// A state as one process sees it in the middle of a step.
#[derive(Clone, Debug)]
pub struct Scene {
    pub base: Base,
    /// Words in registers, newer than those of the base.
    pub written: Vec<(u32, ir::Value)>,
    pub actor: Option<Actor>,
    /// Where the actor is, if that is known.
    pub location: Option<u32>,
    /// Half way through a rendezvous, as the receiver: the channel's index and where the message is.
    pub handshake: Option<(usize, ir::Value)>,
    /// The rendezvous channel that has a message in it, which the words do not show.
    pub occupied: Option<usize>,
    /// The number of the process that the step created.
    pub spawned: Option<Variable>,
    /// While the actor is being created: what locals hold that the layout takes for constants, by variable and element.
    pub settling: BTreeMap<(u32, u32), i32>,
    /// Variables that live in registers.
    pub shadows: Vec<Shadow>,
}

impl Scene {
    pub fn new(base: Base, actor: Option<Actor>) -> Scene {
        Scene {
            base,
            written: Vec::new(),
            actor,
            location: None,
            handshake: None,
            occupied: None,
            spawned: None,
            settling: BTreeMap::new(),
            shadows: Vec::new(),
        }
    }

    /// The same state as another process sees it.
    pub fn of(&self, actor: Actor) -> Scene {
        let mut scene = Scene { actor: Some(actor), location: None, ..self.clone() };
        scene.shadows.retain(|shadow| shadow.scope == Scope::Global);
        scene
    }

    /// Can it be addressed and written in memory?
    pub fn in_memory(&self) -> bool {
        !matches!(self.base, Base::Input(_))
    }

    /// Are all words where the base is?
    pub fn is_addressable(&self) -> bool {
        self.written.is_empty()
    }
}

/// How a cell of a row is named.
#[derive(Clone, Copy, Debug)]
pub enum Index {
    Fixed(u32),
    /// Certainly one of the row's.
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
    /// Pointer and offset of the first word, and how it may be loaded.
    fn location_of(&mut self, base: Base) -> (ir::Value, i32, MemFlagsData) {
        match base {
            Base::Input(pointer) => (pointer, 0, trusted().with_readonly()),
            Base::Output => (self.builder.use_var(self.out), 8, trusted()),
            Base::Memory(pointer) => (pointer, 0, trusted()),
        }
    }

    /// The address of the state, which must be in memory in full.
    pub fn address(&mut self, scene: &Scene) -> ir::Value {
        if !scene.is_addressable() {
            self.give_up();
        }
        let (pointer, offset, _) = self.location_of(scene.base);
        self.add_offset(pointer, offset.into())
    }

    pub fn word(&mut self, scene: &Scene, word: u32) -> ir::Value {
        if let Some((_, value)) = scene.written.iter().find(|(number, _)| *number == word) {
            return *value;
        }
        let (pointer, offset, flags) = self.location_of(scene.base);
        self.builder.ins().load(types::I64, flags, pointer, offset + word as i32 * 8)
    }

    pub fn set_word(&mut self, scene: &mut Scene, word: u32, value: ir::Value) {
        if scene.in_memory() {
            let (pointer, offset, flags) = self.location_of(scene.base);
            self.builder.ins().store(flags, value, pointer, offset + word as i32 * 8);
            return;
        }
        match scene.written.iter_mut().find(|(number, _)| *number == word) {
            Some((_, old)) => *old = value,
            None => scene.written.push((word, value)),
        }
    }

    /// The value in a field, known to be in `allowed`.
    pub fn read_field(&mut self, scene: &Scene, field: Field, allowed: Interval) -> Value {
        let range = field.interval().meet(allowed);
        if field.width == 0 {
            return Value::constant(field.low);
        }
        if range.is_point() {
            return Value::constant(range.low as i32);
        }
        let word = self.word(scene, field.word);
        let bits = self.shift_right(word, field.shift);
        self.number_of_bits(bits, field.width, field.shift + field.width >= 64, field.low, range)
    }

    /// A number from its bits at the bottom of a word; `clean` if nothing is above them.
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

    /// The bits that stand for a value in a field of this width, which must have room for it.
    pub fn bits_of(&mut self, value: Value, low: i32, width: u8) -> Result<u64, ir::Value> {
        let room = Interval { low: low.into(), high: i64::from(low) + mask(width) as i64 };
        if let Some(constant) = value.as_constant() {
            if !room.contains(Interval::point(constant)) {
                self.give_up();
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

    /// Stores a value in a field; abnormal if it does not fit.
    pub fn write_field(&mut self, scene: &mut Scene, field: Field, value: Value) {
        let bits = self.bits_of(value, field.low, field.width);
        if field.width == 0 {
            return;
        }
        let ones = mask(field.width) << field.shift;
        let word = self.word(scene, field.word);
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
        self.set_word(scene, field.word, word);
    }

    /// How far up in its word a cell is, as a word; only for rows within one word or cells within theirs.
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

    /// The address of the word of a cell in a row of several words.
    fn cell_address(&mut self, scene: &Scene, row: &Row, index: Value) -> ir::Value {
        let (pointer, offset, _) = self.location_of(scene.base);
        let index = self.wide(index);
        let word = self.shift_right(index, row.per_word.max(1).trailing_zeros() as u8);
        let bytes = self.shift_left(word, 3);
        let address = self.builder.ins().iadd(pointer, bytes);
        self.add_offset(address, i64::from(offset) + i64::from(row.word) * 8)
    }

    /// The bits of a cell, with others above them.
    pub fn read_cell(&mut self, scene: &Scene, row: &Row, index: Index, count: u32) -> ir::Value {
        match index {
            Index::Fixed(index) => {
                let (word, shift) = row.cell(index);
                let word = self.word(scene, word);
                self.shift_right(word, shift)
            }
            Index::Variable(index) if count <= row.per_word => {
                let word = self.word(scene, row.word);
                let shift = self.cell_shift(row, index, count);
                self.builder.ins().ushr(word, shift)
            }
            Index::Variable(index) => {
                if !scene.is_addressable() {
                    self.give_up();
                }
                let address = self.cell_address(scene, row, index);
                let (_, _, flags) = self.location_of(scene.base);
                let word = self.builder.ins().load(types::I64, flags, address, 0);
                if row.per_word == 1 {
                    return self.shift_right(word, row.shift);
                }
                let shift = self.cell_shift(row, index, count);
                self.builder.ins().ushr(word, shift)
            }
        }
    }

    /// Replaces a cell. `bits` must have nothing above the cell's width.
    pub fn write_cell(&mut self, scene: &mut Scene, row: &Row, index: Index, count: u32, bits: ir::Value) {
        let ones = mask(row.width);
        match index {
            Index::Fixed(index) => {
                let (word, shift) = row.cell(index);
                let old = self.word(scene, word);
                let rest = self.and_mask(old, !(ones << shift));
                let bits = self.shift_left(bits, shift);
                let new = self.builder.ins().bor(rest, bits);
                self.set_word(scene, word, new);
            }
            Index::Variable(index) if count <= row.per_word => {
                let old = self.word(scene, row.word);
                let shift = self.cell_shift(row, index, count);
                let new = self.replace_bits(old, shift, ones, bits);
                self.set_word(scene, row.word, new);
            }
            Index::Variable(index) => {
                if !scene.in_memory() {
                    self.give_up();
                }
                let address = self.cell_address(scene, row, index);
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

    fn replace_bits(&mut self, old: ir::Value, shift: ir::Value, ones: u64, bits: ir::Value) -> ir::Value {
        let ones = self.word_constant(ones);
        let ones = self.builder.ins().ishl(ones, shift);
        let rest = self.builder.ins().band_not(old, ones);
        let bits = self.builder.ins().ishl(bits, shift);
        self.builder.ins().bor(rest, bits)
    }

    /// A number of a field that lies at `shift` within a cell read by [`read_cell`](Self::read_cell).
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
    pub fn copy_state(&mut self, scene: &Scene, target: ir::Value, target_offset: i32) {
        let count = self.plan.layout.width.all as u32;
        let (pointer, offset, flags) = self.location_of(scene.base);
        let fresh = |word: u32| scene.written.iter().any(|(number, _)| *number == word);
        let mut word = 0;
        while word < count {
            let place = word as i32 * 8;
            if word + 1 < count && !fresh(word) && !fresh(word + 1) {
                // Two words at once; they need not be aligned to both.
                let unaligned = MemFlagsData::new().with_notrap();
                let two = self.builder.ins().load(types::I8X16, unaligned, pointer, offset + place);
                self.builder.ins().store(unaligned, two, target, target_offset + place);
                word += 2;
                continue;
            }
            let value = match fresh(word) {
                true => self.word(scene, word),
                false => self.builder.ins().load(types::I64, flags, pointer, offset + place),
            };
            self.builder.ins().store(trusted(), value, target, target_offset + place);
            word += 1;
        }
    }

    /// Moves the state to the entry being made, where it can be addressed.
    pub fn materialize(&mut self, scene: &mut Scene) {
        if !scene.in_memory() {
            let out = self.builder.use_var(self.out);
            self.copy_state(scene, out, 8);
            scene.base = Base::Output;
            scene.written.clear();
        }
    }
}
