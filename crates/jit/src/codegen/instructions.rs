//! Single instructions: constants, words, and values with known intervals. Operations that the
//! intervals decide generate no code.

use crate::codegen::value::{BIT, FULL, Operand, Value};
use crate::codegen::{Generator, trusted};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use lariat_ir::layout::Interval;

impl Generator<'_, '_> {
    pub fn word_constant(&mut self, value: u64) -> ir::Value {
        self.builder.ins().iconst(types::I64, value as i64)
    }

    pub fn number_constant(&mut self, value: i32) -> ir::Value {
        self.builder.ins().iconst(types::I32, i64::from(value as u32))
    }

    /// The address of a constant table.
    fn table(&mut self, values: Vec<i32>) -> ir::Value {
        let table = values.into_boxed_slice();
        let address = table.as_ptr() as u64;
        self.registry.tables.push(table);
        self.word_constant(address)
    }

    /// An entry of a constant table; the index must be in range.
    pub fn table_entry(&mut self, values: Vec<i32>, index: Value) -> Value {
        let low = values.iter().copied().min().unwrap_or(0);
        let high = values.iter().copied().max().unwrap_or(0);
        if let Some(index) = index.as_constant() {
            return Value::constant(values.get(index as usize).copied().unwrap_or(0));
        }
        let range = Interval { low: low.into(), high: high.into() };
        if range.is_point() {
            return Value::constant(low);
        }
        let table = self.table(values);
        let index = self.wide(index);
        let offset = self.shift_left(index, 2);
        let address = self.builder.ins().iadd(table, offset);
        let entry = self.builder.ins().load(types::I32, trusted().with_readonly(), address, 0);
        Value::number(entry, range)
    }

    pub fn and_mask(&mut self, value: ir::Value, mask: u64) -> ir::Value {
        if mask == u64::MAX {
            return value;
        }
        let mask = self.word_constant(mask);
        self.builder.ins().band(value, mask)
    }

    pub fn or_mask(&mut self, value: ir::Value, mask: u64) -> ir::Value {
        if mask == 0 {
            return value;
        }
        let mask = self.word_constant(mask);
        self.builder.ins().bor(value, mask)
    }

    pub fn xor_mask(&mut self, value: ir::Value, mask: u64) -> ir::Value {
        if mask == 0 {
            return value;
        }
        let mask = self.word_constant(mask);
        self.builder.ins().bxor(value, mask)
    }

    pub fn shift_left(&mut self, value: ir::Value, by: u8) -> ir::Value {
        if by == 0 {
            return value;
        }
        let by = self.builder.ins().iconst(types::I64, i64::from(by));
        self.builder.ins().ishl(value, by)
    }

    pub fn shift_right(&mut self, value: ir::Value, by: u8) -> ir::Value {
        if by == 0 {
            return value;
        }
        let by = self.builder.ins().iconst(types::I64, i64::from(by));
        self.builder.ins().ushr(value, by)
    }

    pub fn add_offset(&mut self, pointer: ir::Value, bytes: i64) -> ir::Value {
        if bytes == 0 {
            return pointer;
        }
        let bytes = self.builder.ins().iconst(types::I64, bytes);
        self.builder.ins().iadd(pointer, bytes)
    }

    /// The value as 32 bits.
    pub fn number(&mut self, value: Value) -> ir::Value {
        match value.operand {
            Operand::Constant(value) => self.number_constant(value),
            Operand::Number(value) => value,
            Operand::Truth(value) => self.builder.ins().uextend(types::I32, value),
        }
    }

    /// The value, which must not be negative, as 64 bits.
    pub fn wide(&mut self, value: Value) -> ir::Value {
        match value.operand {
            Operand::Constant(value) => self.word_constant(u64::from(value as u32)),
            Operand::Number(value) | Operand::Truth(value) => {
                self.builder.ins().uextend(types::I64, value)
            }
        }
    }

    /// Whether the value is non-zero, as 8 bits: 0 or 1.
    pub fn truth(&mut self, value: Value) -> ir::Value {
        match value.operand {
            Operand::Constant(value) => self.builder.ins().iconst(types::I8, i64::from(value != 0)),
            Operand::Truth(value) => value,
            Operand::Number(number) if BIT.contains(value.range) => {
                self.builder.ins().ireduce(types::I8, number)
            }
            Operand::Number(number) => {
                let zero = self.number_constant(0);
                self.builder.ins().icmp(IntCC::NotEqual, number, zero)
            }
        }
    }

    /// The low half of a word, which is known to be in `range`.
    pub fn low_half(&mut self, word: ir::Value, range: Interval) -> Value {
        let number = self.builder.ins().ireduce(types::I32, word);
        Value::number(number, range)
    }

    pub fn full_number(&mut self, number: ir::Value) -> Value {
        Value::number(number, FULL)
    }

    pub fn compare(&mut self, condition: IntCC, left: ir::Value, right: i32) -> ir::Value {
        let right = self.number_constant(right);
        self.builder.ins().icmp(condition, left, right)
    }

    /// Whether the value equals a constant.
    pub fn equals(&mut self, value: Value, constant: i32) -> Value {
        if !value.range.contains(Interval::point(constant)) {
            return Value::constant(0);
        }
        if value.as_constant().is_some() {
            return Value::constant(1);
        }
        let number = self.number(value);
        Value::truth(self.compare(IntCC::Equal, number, constant))
    }

    pub fn both(&mut self, left: Value, right: Value) -> Value {
        match (left.known_truth(), right.known_truth()) {
            (Some(false), _) | (_, Some(false)) => Value::constant(0),
            (Some(true), _) => self.as_truth(right),
            (_, Some(true)) => self.as_truth(left),
            _ => {
                let (left, right) = (self.truth(left), self.truth(right));
                Value::truth(self.builder.ins().band(left, right))
            }
        }
    }

    pub fn either(&mut self, left: Value, right: Value) -> Value {
        match (left.known_truth(), right.known_truth()) {
            (Some(true), _) | (_, Some(true)) => Value::constant(1),
            (Some(false), _) => self.as_truth(right),
            (_, Some(false)) => self.as_truth(left),
            _ => {
                let (left, right) = (self.truth(left), self.truth(right));
                Value::truth(self.builder.ins().bor(left, right))
            }
        }
    }

    pub fn negation(&mut self, value: Value) -> Value {
        match value.known_truth() {
            Some(known) => Value::constant(i32::from(!known)),
            None => {
                let truth = self.truth(value);
                let zero = self.builder.ins().iconst(types::I8, 0);
                Value::truth(self.builder.ins().icmp(IntCC::Equal, truth, zero))
            }
        }
    }

    /// The value as 0 or 1.
    pub fn as_truth(&mut self, value: Value) -> Value {
        match value.known_truth() {
            Some(known) => Value::constant(i32::from(known)),
            None => Value::truth(self.truth(value)),
        }
    }

    /// Whether a predicate known at compile time holds for the value.
    pub fn is_member(&mut self, value: Value, member: &dyn Fn(i32) -> bool) -> Value {
        let (low, high) = (value.range.low as i32, value.range.high as i32);
        let members: Vec<i32> = (low..=high).filter(|value| member(*value)).collect();
        if members.is_empty() {
            return Value::constant(0);
        }
        if members.len() as i64 == value.range.high - value.range.low + 1 {
            return Value::constant(1);
        }
        if let [only] = members[..] {
            return self.equals(value, only);
        }
        if low >= 0 && high < 64 {
            let set = members.iter().fold(0u64, |set, member| set | 1 << member);
            let index = self.wide(value);
            let set = self.word_constant(set);
            let bit = self.builder.ins().ushr(set, index);
            let bit = self.and_mask(bit, 1);
            return Value::truth(self.builder.ins().ireduce(types::I8, bit));
        }
        let table = (low..=high).map(|value| i32::from(member(value))).collect();
        let index = self.number(value);
        let low = self.number_constant(low);
        let index = self.builder.ins().isub(index, low);
        let range = Interval { low: 0, high: value.range.high - value.range.low };
        self.table_entry(table, Value::number(index, range))
    }
}
