//! Operators on values. Constant operands are folded, comparisons decided by intervals where
//! possible; only division can bail out.

use crate::codegen::Generator;
use crate::codegen::value::{BIT, Value, binary_range, comparison_by_ranges};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};
use lariat_ir::expression::{BinaryOp, UnaryOp};
use lariat_ir::layout::Interval;

impl Generator<'_, '_> {
    pub fn unary(&mut self, op: UnaryOp, value: Value) -> Value {
        if let Some(constant) = value.as_constant() {
            return Value::constant(op.apply(constant));
        }
        match op {
            UnaryOp::Not => self.negation(value),
            UnaryOp::Negate => {
                let range = binary_range(BinaryOp::Subtract, Interval::point(0), value.range);
                let number = self.number(value);
                Value::number(self.builder.ins().ineg(number), range)
            }
            UnaryOp::Complement => {
                let range = Interval { low: -1 - value.range.high, high: -1 - value.range.low };
                let number = self.number(value);
                Value::number(self.builder.ins().bnot(number), range)
            }
        }
    }

    pub fn binary(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        if let (Some(left), Some(right)) = (left.as_constant(), right.as_constant()) {
            return match op.apply(left, right) {
                Ok(value) => Value::constant(value),
                Err(_) => {
                    self.bail_out();
                    Value::constant(0)
                }
            };
        }
        if let Some(known) = comparison_by_ranges(op, left.range, right.range) {
            return Value::constant(i32::from(known));
        }
        let range = binary_range(op, left.range, right.range);
        let comparison = match op {
            BinaryOp::Equal => Some(IntCC::Equal),
            BinaryOp::NotEqual => Some(IntCC::NotEqual),
            BinaryOp::Less => Some(IntCC::SignedLessThan),
            BinaryOp::LessEqual => Some(IntCC::SignedLessThanOrEqual),
            BinaryOp::Greater => Some(IntCC::SignedGreaterThan),
            BinaryOp::GreaterEqual => Some(IntCC::SignedGreaterThanOrEqual),
            _ => None,
        };
        if let Some(truth) = self.truth_of_equality(op, left, right) {
            return truth;
        }
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
            return self.divide(op, left, right, range);
        }
        let (a, b) = (self.number(left), self.number(right));
        if let Some(comparison) = comparison {
            return Value::truth(self.builder.ins().icmp(comparison, a, b));
        }
        let code = self.builder.ins();
        let number = match op {
            BinaryOp::Add => code.iadd(a, b),
            BinaryOp::Subtract => code.isub(a, b),
            BinaryOp::Multiply => code.imul(a, b),
            BinaryOp::BitAnd => code.band(a, b),
            BinaryOp::BitOr => code.bor(a, b),
            BinaryOp::BitXor => code.bxor(a, b),
            // Cranelift's shifts use only the low bits of the count, as the IR's do.
            BinaryOp::ShiftLeft => code.ishl(a, b),
            _ => code.sshr(a, b),
        };
        Value::number(number, range)
    }

    /// Simplifies the comparison of a truth value with a constant to the value or its negation.
    fn truth_of_equality(&mut self, op: BinaryOp, left: Value, right: Value) -> Option<Value> {
        let same = match op {
            BinaryOp::Equal => true,
            BinaryOp::NotEqual => false,
            _ => return None,
        };
        let (value, constant) = match (left.as_constant(), right.as_constant()) {
            (None, Some(constant)) => (left, constant),
            (Some(constant), None) => (right, constant),
            _ => return None,
        };
        if !BIT.contains(value.range) {
            return None;
        }
        Some(match (constant == 1) == same {
            true => self.as_truth(value),
            false => self.negation(value),
        })
    }

    fn divide(&mut self, op: BinaryOp, left: Value, right: Value, range: Interval) -> Value {
        let b = self.number(right);
        let a = self.number(left);
        if right.range.low <= 0 && right.range.high >= 0 {
            let zero = self.compare(IntCC::Equal, b, 0);
            self.bail_out_if(Value::truth(zero));
        }
        let wraps = right.range.low <= -1
            && right.range.high >= -1
            && left.range.low == i64::from(i32::MIN);
        let number = if wraps {
            // `i32::MIN / -1` does not fit 32 bits and would trap; 64 bits hold it.
            let (a, b) = (
                self.builder.ins().sextend(types::I64, a),
                self.builder.ins().sextend(types::I64, b),
            );
            let wide = match op {
                BinaryOp::Divide => self.builder.ins().sdiv(a, b),
                _ => self.builder.ins().srem(a, b),
            };
            self.builder.ins().ireduce(types::I32, wide)
        } else if left.range.low >= 0 && right.range.low >= 0 {
            match op {
                BinaryOp::Divide => self.builder.ins().udiv(a, b),
                _ => self.builder.ins().urem(a, b),
            }
        } else {
            match op {
                BinaryOp::Divide => self.builder.ins().sdiv(a, b),
                _ => self.builder.ins().srem(a, b),
            }
        };
        Value::number(number, range)
    }
}
