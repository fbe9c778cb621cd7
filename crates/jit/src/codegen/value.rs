//! Values during code generation: a constant or a Cranelift value, with an interval that contains
//! it. The intervals eliminate most checks: a sum that cannot overflow its field needs none.

use cranelift_codegen::ir;
use lariat_ir::expression::BinaryOp;
use lariat_ir::layout::Interval;

/// A compile-time constant or a Cranelift value of a certain type.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    Constant(i32),
    /// 32 bits.
    Number(ir::Value),
    /// 8 bits, 0 or 1.
    Truth(ir::Value),
}

/// An operand with the interval that contains it.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub operand: Operand,
    pub range: Interval,
}

pub const FULL: Interval = Interval { low: i32::MIN as i64, high: i32::MAX as i64 };
pub const BIT: Interval = Interval { low: 0, high: 1 };

impl Value {
    pub fn constant(value: i32) -> Value {
        Value { operand: Operand::Constant(value), range: Interval::point(value) }
    }

    pub fn number(value: ir::Value, range: Interval) -> Value {
        match range.is_point() {
            true => Value::constant(range.low as i32),
            false => Value { operand: Operand::Number(value), range },
        }
    }

    pub fn truth(value: ir::Value) -> Value {
        Value { operand: Operand::Truth(value), range: BIT }
    }

    pub fn as_constant(&self) -> Option<i32> {
        match self.operand {
            Operand::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the value is non-zero, if constant or interval decide that.
    pub fn known_truth(&self) -> Option<bool> {
        match self.operand {
            Operand::Constant(value) => Some(value != 0),
            _ if self.range.low > 0 || self.range.high < 0 => Some(true),
            _ => None,
        }
    }

    pub fn is_within(&self, low: i64, high: i64) -> bool {
        low <= self.range.low && self.range.high <= high
    }
}

/// The interval, or all numbers if it exceeds 32 bits and the result may wrap around.
fn unless_wrapping(low: i64, high: i64) -> Interval {
    let range = Interval { low, high };
    if FULL.contains(range) { range } else { FULL }
}

/// An interval that contains the result of an operation on any numbers of two intervals.
pub fn binary_range(op: BinaryOp, left: Interval, right: Interval) -> Interval {
    let natural = left.low >= 0 && right.low >= 0;
    match op {
        BinaryOp::Add => unless_wrapping(left.low + right.low, left.high + right.high),
        BinaryOp::Subtract => unless_wrapping(left.low - right.high, left.high - right.low),
        BinaryOp::Multiply => {
            let corners = [
                left.low * right.low,
                left.low * right.high,
                left.high * right.low,
                left.high * right.high,
            ];
            let low = corners.into_iter().min().unwrap_or(0);
            unless_wrapping(low, corners.into_iter().max().unwrap_or(0))
        }
        BinaryOp::Divide if natural => {
            Interval { low: left.low / right.high.max(1), high: left.high / right.low.max(1) }
        }
        BinaryOp::Remainder if natural => {
            Interval { low: 0, high: left.high.min((right.high - 1).max(0)) }
        }
        BinaryOp::Remainder if right.low > 0 => {
            Interval { low: 1 - right.high, high: right.high - 1 }
        }
        BinaryOp::BitAnd if natural => Interval { low: 0, high: left.high.min(right.high) },
        BinaryOp::BitAnd if right.low >= 0 => Interval { low: 0, high: right.high },
        BinaryOp::BitAnd if left.low >= 0 => Interval { low: 0, high: left.high },
        BinaryOp::BitOr | BinaryOp::BitXor if natural => {
            let bits = u64::BITS - ((left.high | right.high) as u64).leading_zeros();
            Interval { low: 0, high: (1 << bits) - 1 }
        }
        BinaryOp::ShiftLeft if natural && right.is_point() && right.low < 32 => {
            unless_wrapping(left.low << right.low, left.high << right.low)
        }
        BinaryOp::ShiftRight if natural && right.high < 32 => {
            Interval { low: left.low >> right.high, high: left.high >> right.low }
        }
        BinaryOp::Divide
        | BinaryOp::Remainder
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight => FULL,
        _ => BIT,
    }
}

/// The result of a comparison, if the operands' intervals decide it.
pub fn comparison_by_ranges(op: BinaryOp, left: Interval, right: Interval) -> Option<bool> {
    let below = left.high < right.low;
    let not_above = left.high <= right.low;
    let above = left.low > right.high;
    let not_below = left.low >= right.high;
    let either = |yes: bool, no: bool| (yes || no).then_some(yes);
    match op {
        BinaryOp::Equal => either(left.is_point() && left == right, below || above),
        BinaryOp::NotEqual => either(below || above, left.is_point() && left == right),
        BinaryOp::Less => either(below, not_below),
        BinaryOp::LessEqual => either(not_above, above),
        BinaryOp::Greater => either(above, not_above),
        BinaryOp::GreaterEqual => either(not_below, below),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATORS: [BinaryOp; 16] = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Remainder,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
    ];

    #[test]
    fn intervals_contain_every_result() {
        let edges = [i32::MIN, -70_000, -3, -1, 0, 1, 2, 5, 31, 33, 65_535, i32::MAX];
        let intervals = || {
            edges.iter().enumerate().flat_map(|(index, &low)| {
                edges[index..]
                    .iter()
                    .map(move |&high| Interval { low: low.into(), high: high.into() })
            })
        };
        for left in intervals() {
            for right in intervals() {
                for op in OPERATORS {
                    let range = binary_range(op, left, right);
                    let known = comparison_by_ranges(op, left, right);
                    for &a in edges.iter().filter(|&&a| left.contains(Interval::point(a))) {
                        for &b in edges.iter().filter(|&&b| right.contains(Interval::point(b))) {
                            let Ok(result) = op.apply(a, b) else { continue };
                            assert!(
                                range.contains(Interval::point(result)),
                                "{op:?} {a} {b} {range:?}"
                            );
                            assert!(
                                known.is_none_or(|known| i32::from(known) == result),
                                "{op:?} {a} {b}"
                            );
                        }
                    }
                }
            }
        }
    }
}
