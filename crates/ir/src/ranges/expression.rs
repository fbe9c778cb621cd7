//! The interval of an expression's value, and the restrictions of variables that follow from a
//! condition being true or false.

use super::Analysis;
use super::environment::Environment;
use super::interval::{TRUTH, between, binary, common, truth, unary};
use crate::access::ChannelSet;
use crate::expression::{BinaryOp, ChannelQuery, Expr, Place, Scope, UnaryOp};
use crate::layout::Interval;
use crate::program::{ChannelTypeId, ProcessTypeId};

/// The process that evaluates an expression.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub kind: ProcessTypeId,
    /// Whether the process is being created: other processes are then in the middle of their step.
    pub prologue: bool,
}

impl Analysis<'_> {
    /// The interval of the value; `None` if the evaluation certainly fails.
    pub(super) fn value(
        &self,
        reader: Reader,
        known: &Environment,
        expr: &Expr,
    ) -> Option<Interval> {
        Some(match expr {
            Expr::Const(value) => Interval::point(*value),
            Expr::Read(place) => self.read(reader, known, place)?,
            Expr::Unary(op, operand) => unary(*op, self.value(reader, known, operand)?),
            Expr::Binary(BinaryOp::And, left, right) => {
                let left = self.value(reader, known, left)?;
                if truth(left) == Some(false) {
                    return Some(Interval::point(0));
                }
                match self.value(reader, known, right) {
                    Some(right) => binary(BinaryOp::And, left, right)?,
                    // The right side fails, but is not always evaluated.
                    None if truth(left).is_none() => Interval::point(0),
                    None => return None,
                }
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                let left = self.value(reader, known, left)?;
                if truth(left) == Some(true) {
                    return Some(Interval::point(1));
                }
                match self.value(reader, known, right) {
                    Some(right) => binary(BinaryOp::Or, left, right)?,
                    None if truth(left).is_none() => Interval::point(1),
                    None => return None,
                }
            }
            Expr::Binary(op, left, right) => {
                binary(*op, self.value(reader, known, left)?, self.value(reader, known, right)?)?
            }
            Expr::Conditional(condition, yes, no) => {
                match truth(self.value(reader, known, condition)?) {
                    Some(true) => self.value(reader, known, yes)?,
                    Some(false) => self.value(reader, known, no)?,
                    None => {
                        let yes = self.value(reader, known, yes);
                        let no = self.value(reader, known, no);
                        yes.into_iter().chain(no).reduce(Interval::join)?
                    }
                }
            }
            Expr::Channel(ChannelQuery::Len, channel) => {
                let types = self.types_of(reader, channel);
                let longest =
                    types.into_iter().map(|kind| self.program.channel_type(kind).capacity.max(1));
                between(0, longest.max().unwrap_or(1).into())
            }
            Expr::Channel(..) | Expr::Poll { .. } | Expr::Timeout | Expr::Enabled(_) => TRUTH,
            Expr::NonProgress | Expr::At { .. } => TRUTH,
            Expr::Pid => {
                let (low, high) = self.instances.numbers(reader.kind);
                between(low, high)
            }
            Expr::ProcessCount => between(0, self.instances.most_processes().into()),
            Expr::Last | Expr::Partner | Expr::Spawned => {
                between(0, i64::from(self.instances.most_processes().max(1)) - 1)
            }
            Expr::PcValue(_) => self.location_numbers,
            Expr::Priority(_) => between(0, 255),
            Expr::ReadRemote { process_type, variable, .. } => {
                let kind = self.program.process_type(*process_type);
                let all = Interval::of_domain(kind.variables.get(*variable).domain);
                // The value is 0 if there is no such process.
                let mut value = Interval::point(0);
                if reader.prologue {
                    value = value.join(all);
                } else {
                    value = self
                        .local(*process_type, *variable)
                        .map_or(value, |other| value.join(other));
                    if *process_type == reader.kind {
                        value = value.join(known.locals[variable.index()]);
                    }
                }
                value
            }
        })
    }

    fn read(&self, reader: Reader, known: &Environment, place: &Place) -> Option<Interval> {
        for index in &place.indices {
            self.value(reader, known, index)?;
        }
        if let Some(value) = known.fact(place) {
            return Some(value);
        }
        Some(match place.scope {
            Scope::Local => known.locals[place.variable.index()],
            Scope::Global => {
                let value = self.global(place.variable);
                known.pending(place.variable).map_or(value, |pending| value.join(pending))
            }
        })
    }

    /// The possible types of a channel.
    pub(super) fn types_of(&self, reader: Reader, channel: &Expr) -> Vec<ChannelTypeId> {
        match self.channels.value(Some(reader.kind), channel) {
            ChannelSet::Known(numbers)
                if numbers.iter().all(|&number| self.channels.is_known(number)) =>
            {
                let mut types: Vec<ChannelTypeId> = numbers
                    .into_iter()
                    .filter_map(|number| self.channels.type_of(number))
                    .collect();
                types.sort();
                types.dedup();
                types
            }
            _ => (0..self.program.channel_types.len() as u32).map(ChannelTypeId).collect(),
        }
    }

    /// Adds the facts that follow from the condition being true (or false). `None` if it cannot be.
    pub(super) fn assume(
        &self,
        reader: Reader,
        known: &mut Environment,
        condition: &Expr,
        expected: bool,
    ) -> Option<()> {
        match condition {
            Expr::Unary(UnaryOp::Not, operand) => {
                return self.assume(reader, known, operand, !expected);
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let both = (*op == BinaryOp::And) == expected;
                if both {
                    self.assume(reader, known, left, expected)?;
                    return self.assume(reader, known, right, expected);
                }
                let mut first = known.clone();
                let by_left = self.assume(reader, &mut first, left, expected);
                let by_right = self
                    .assume(reader, known, left, !expected)
                    .and_then(|()| self.assume(reader, known, right, expected));
                match (by_left, by_right) {
                    (Some(()), Some(())) => known.join(&first),
                    (Some(()), None) => *known = first,
                    (None, Some(())) => {}
                    (None, None) => return None,
                }
                return Some(());
            }
            Expr::Binary(op, left, right) => {
                if let Some(op) = comparison(*op, expected) {
                    self.compare(reader, known, op, left, right)?;
                    return self.compare(reader, known, mirrored(op), right, left);
                }
            }
            Expr::Read(_) => {
                let op = if expected { BinaryOp::NotEqual } else { BinaryOp::Equal };
                return self.compare(reader, known, op, condition, &Expr::Const(0));
            }
            _ => {}
        }
        match truth(self.value(reader, known, condition)?) {
            Some(truth) if truth != expected => None,
            _ => Some(()),
        }
    }

    /// Adds the facts that follow from the evaluation having succeeded: array indices are within
    /// their bounds. If the value is also known to be true, `holds` is set. `None` if the
    /// evaluation always fails.
    pub(super) fn within_bounds(
        &self,
        reader: Reader,
        known: &mut Environment,
        expr: &Expr,
        holds: bool,
    ) -> Option<()> {
        match expr {
            Expr::Read(place) => self.indices_within_bounds(reader, known, place),
            Expr::Unary(_, operand) => self.within_bounds(reader, known, operand, false),
            Expr::Binary(BinaryOp::And, left, right) if holds => {
                self.within_bounds(reader, known, left, true)?;
                self.within_bounds(reader, known, right, true)
            }
            // The right side is not always evaluated.
            Expr::Binary(BinaryOp::And | BinaryOp::Or, left, _) => {
                self.within_bounds(reader, known, left, false)
            }
            Expr::Binary(_, left, right) => {
                self.within_bounds(reader, known, left, false)?;
                self.within_bounds(reader, known, right, false)
            }
            Expr::Conditional(condition, ..) => self.within_bounds(reader, known, condition, false),
            _ => Some(()),
        }
    }

    /// Adds the facts that follow from the element of a place existing.
    pub(super) fn indices_within_bounds(
        &self,
        reader: Reader,
        known: &mut Environment,
        place: &Place,
    ) -> Option<()> {
        let variables = match place.scope {
            Scope::Global => &self.program.variables,
            Scope::Local => &self.program.process_type(reader.kind).variables,
        };
        for (index, dimension) in
            place.indices.iter().zip(&variables.get(place.variable).dimensions)
        {
            self.within_bounds(reader, known, index, false)?;
            let last = Expr::Const(*dimension as i32 - 1);
            self.compare(reader, known, BinaryOp::GreaterEqual, index, &Expr::Const(0))?;
            self.compare(reader, known, BinaryOp::LessEqual, index, &last)?;
        }
        Some(())
    }

    /// Restricts `left` by `left op right`.
    fn compare(
        &self,
        reader: Reader,
        known: &mut Environment,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
    ) -> Option<()> {
        let own = self.value(reader, known, left)?;
        let other = self.value(reader, known, right)?;
        let allowed = match op {
            BinaryOp::Equal => other,
            BinaryOp::NotEqual if other.is_point() && own.is_point() && own == other => {
                return None;
            }
            BinaryOp::NotEqual if other.is_point() && own.low == other.low => {
                between(own.low + 1, own.high)
            }
            BinaryOp::NotEqual if other.is_point() && own.high == other.low => {
                between(own.low, own.high - 1)
            }
            BinaryOp::NotEqual => own,
            BinaryOp::Less => between(i64::MIN, other.high - 1),
            BinaryOp::LessEqual => between(i64::MIN, other.high),
            BinaryOp::Greater => between(other.low + 1, i64::MAX),
            _ => between(other.low, i64::MAX),
        };
        common(own, allowed)?;
        match left {
            Expr::Read(place) => known.narrow(place, own, allowed),
            // If x + c is in an interval, x is in that interval minus c, unless the sum wraps.
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), inner, constant) => {
                let (Expr::Read(place), Expr::Const(constant)) = (&**inner, &**constant) else {
                    return Some(());
                };
                let offset =
                    if *op == BinaryOp::Add { i64::from(*constant) } else { -i64::from(*constant) };
                let inside = self.read(reader, known, place)?;
                if between(inside.low + offset, inside.high + offset) != own {
                    return Some(());
                }
                let shifted = between(
                    allowed.low.saturating_sub(offset),
                    allowed.high.saturating_sub(offset),
                );
                known.narrow(place, inside, shifted)
            }
            _ => Some(()),
        }
    }
}

/// The comparison that holds if `op` is true (or false).
fn comparison(op: BinaryOp, expected: bool) -> Option<BinaryOp> {
    let (yes, no) = match op {
        BinaryOp::Equal => (BinaryOp::Equal, BinaryOp::NotEqual),
        BinaryOp::NotEqual => (BinaryOp::NotEqual, BinaryOp::Equal),
        BinaryOp::Less => (BinaryOp::Less, BinaryOp::GreaterEqual),
        BinaryOp::LessEqual => (BinaryOp::LessEqual, BinaryOp::Greater),
        BinaryOp::Greater => (BinaryOp::Greater, BinaryOp::LessEqual),
        BinaryOp::GreaterEqual => (BinaryOp::GreaterEqual, BinaryOp::Less),
        _ => return None,
    };
    Some(if expected { yes } else { no })
}

/// The comparison with its operands exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        same => same,
    }
}
