//! Arithmetic on intervals of 32-bit numbers (Moore 1966; Cousot and Cousot 1976): for all operands
//! in the given intervals, the result is in the resulting interval. If the arithmetic may wrap, the
//! result is the interval of all numbers.

use crate::domain::Domain;
use crate::expression::{BinaryOp, UnaryOp};
use crate::layout::Interval;

/// All 32-bit numbers.
pub(super) const EVERYTHING: Interval = Interval { low: i32::MIN as i64, high: i32::MAX as i64 };
pub(super) const TRUTH: Interval = Interval { low: 0, high: 1 };

pub(super) fn between(low: i64, high: i64) -> Interval {
    Interval { low, high }
}

/// The intersection, if it is not empty.
pub(super) fn common(one: Interval, other: Interval) -> Option<Interval> {
    let both = one.meet(other);
    (both.low <= both.high).then_some(both)
}

/// The values after storing a value of the interval; `None` if each of them is an error.
pub(super) fn stored(domain: Domain, value: Interval) -> Option<Interval> {
    let all = Interval::of_domain(domain);
    match domain {
        Domain::Range { .. } => common(all, value),
        Domain::Bits { .. } if all.contains(value) => Some(value),
        Domain::Bits { .. } => Some(all),
    }
}

pub(super) fn unary(op: UnaryOp, value: Interval) -> Interval {
    match op {
        UnaryOp::Not => match truth(value) {
            Some(truth) => Interval::point(i32::from(!truth)),
            None => TRUTH,
        },
        UnaryOp::Negate => wrapped(-value.high, -value.low),
        UnaryOp::Complement => between(!value.high, !value.low),
    }
}

/// Whether every value is true, or every value is false.
pub(super) fn truth(value: Interval) -> Option<bool> {
    if value == Interval::point(0) {
        Some(false)
    } else if value.low > 0 || value.high < 0 {
        Some(true)
    } else {
        None
    }
}

/// `None` if every pair of operands is an error.
pub(super) fn binary(op: BinaryOp, left: Interval, right: Interval) -> Option<Interval> {
    let decided = |yes: bool, no: bool| match (yes, no) {
        (true, _) => Interval::point(1),
        (_, true) => Interval::point(0),
        _ => TRUTH,
    };
    Some(match op {
        BinaryOp::Add => wrapped(left.low + right.low, left.high + right.high),
        BinaryOp::Subtract => wrapped(left.low - right.high, left.high - right.low),
        BinaryOp::Multiply => corners(left, right, |a, b| a * b),
        BinaryOp::Divide => quotient(left, right)?,
        BinaryOp::Remainder => remainder(left, right)?,
        BinaryOp::BitAnd => bit_and(left, right),
        BinaryOp::BitOr | BinaryOp::BitXor => match left.low >= 0 && right.low >= 0 {
            true => {
                let low = if op == BinaryOp::BitOr { left.low.max(right.low) } else { 0 };
                between(low, ones(left.high | right.high))
            }
            false => EVERYTHING,
        },
        BinaryOp::ShiftLeft if right.low >= 0 && right.high < 32 => {
            corners(left, right, |value, count| value << count)
        }
        BinaryOp::ShiftRight if right.low >= 0 && right.high < 32 => {
            corners(left, right, |value, count| value >> count)
        }
        BinaryOp::ShiftLeft => EVERYTHING,
        BinaryOp::ShiftRight => between(left.low.min(0), left.high.max(0)),
        BinaryOp::Equal => decided(
            left.is_point() && left == right,
            left.high < right.low || right.high < left.low,
        ),
        BinaryOp::NotEqual => decided(
            left.high < right.low || right.high < left.low,
            left.is_point() && left == right,
        ),
        BinaryOp::Less => decided(left.high < right.low, left.low >= right.high),
        BinaryOp::LessEqual => decided(left.high <= right.low, left.low > right.high),
        BinaryOp::Greater => decided(left.low > right.high, left.high <= right.low),
        BinaryOp::GreaterEqual => decided(left.low >= right.high, left.high < right.low),
        BinaryOp::And => decided(truth(left) == Some(true) && truth(right) == Some(true), {
            truth(left) == Some(false) || truth(right) == Some(false)
        }),
        BinaryOp::Or => decided(truth(left) == Some(true) || truth(right) == Some(true), {
            truth(left) == Some(false) && truth(right) == Some(false)
        }),
    })
}

fn wrapped(low: i64, high: i64) -> Interval {
    let exact = between(low, high);
    if EVERYTHING.contains(exact) { exact } else { EVERYTHING }
}

/// The result of an operation that is monotone in each operand.
fn corners(left: Interval, right: Interval, apply: impl Fn(i64, i64) -> i64) -> Interval {
    let [a, b, c, d] = [
        apply(left.low, right.low),
        apply(left.low, right.high),
        apply(left.high, right.low),
        apply(left.high, right.high),
    ];
    wrapped(a.min(b).min(c).min(d), a.max(b).max(c).max(d))
}

/// The divisors without 0, as at most two intervals.
fn divisors(right: Interval) -> impl Iterator<Item = Interval> {
    let parts = [common(right, between(i64::MIN, -1)), common(right, between(1, i64::MAX))];
    parts.into_iter().flatten()
}

fn quotient(left: Interval, right: Interval) -> Option<Interval> {
    divisors(right).map(|part| corners(left, part, |a, b| a / b)).reduce(Interval::join)
}

/// It has the sign of the dividend, is smaller than the divisor and at most the dividend in size.
fn remainder(left: Interval, right: Interval) -> Option<Interval> {
    let largest = divisors(right).map(|part| part.low.abs().max(part.high.abs()) - 1).max()?;
    let low = if left.low < 0 { (-largest).max(left.low) } else { 0 };
    let high = if left.high > 0 { largest.min(left.high) } else { 0 };
    Some(between(low, high))
}

fn bit_and(left: Interval, right: Interval) -> Interval {
    match (left.low >= 0, right.low >= 0) {
        (true, true) => between(0, left.high.min(right.high)),
        (true, false) => between(0, left.high),
        (false, true) => between(0, right.high),
        (false, false) => EVERYTHING,
    }
}

/// The smallest number of the form 2ⁿ - 1 that is at least the value.
fn ones(value: i64) -> i64 {
    match value {
        0 => 0,
        value => (1i64 << (64 - value.leading_zeros())) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATORS: [BinaryOp; 18] = [
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
        BinaryOp::And,
        BinaryOp::Or,
    ];

    /// Tests every pair of members of every pair of intervals with these ends.
    #[test]
    fn results_are_in_the_interval() {
        let ends = [
            i32::MIN,
            i32::MIN + 1,
            -9,
            -2,
            -1,
            0,
            1,
            2,
            3,
            7,
            8,
            31,
            32,
            33,
            i32::MAX - 1,
            i32::MAX,
        ];
        let intervals: Vec<Interval> = ends
            .iter()
            .enumerate()
            .flat_map(|(index, &low)| {
                ends[index..].iter().map(move |&high| between(low.into(), high.into()))
            })
            .collect();
        for op in OPERATORS {
            for &left in &intervals {
                for &right in &intervals {
                    let result = binary(op, left, right);
                    let members = |interval: Interval| {
                        ends.into_iter().filter(move |&end| interval.contains(Interval::point(end)))
                    };
                    for a in members(left) {
                        for b in members(right) {
                            if let Ok(value) = op.apply(a, b) {
                                let result = result.expect("some pair has a value");
                                assert!(
                                    result.contains(Interval::point(value)),
                                    "{a} {op:?} {b} is {value}, not in {result:?} of {left:?} and {right:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn stores_truncate_or_fail() {
        assert_eq!(stored(Domain::BYTE, between(3, 9)), Some(between(3, 9)));
        assert_eq!(stored(Domain::BYTE, between(3, 256)), Some(between(0, 255)));
        assert_eq!(stored(Domain::Range { low: 1, high: 5 }, between(3, 256)), Some(between(3, 5)));
        assert_eq!(stored(Domain::Range { low: 1, high: 5 }, between(6, 256)), None);
    }
}
