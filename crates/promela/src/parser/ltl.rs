//! The operators that exist only in `ltl` blocks. There `->` is implication, and `U`, `V`, `W`, `X` and
//! the long names are operators, not names.

use super::Parser;
use super::expression::{Operator, OperatorKind};
use crate::ast::{TemporalBinaryOp, TemporalUnaryOp};
use crate::token::TokenKind;

impl Parser {
    pub(super) fn temporal_operator(&self) -> Option<Operator> {
        use TemporalBinaryOp as T;
        let (operator, rank, length) = match self.kind() {
            TokenKind::Arrow => (T::Implies, 1, 1),
            TokenKind::Less if self.ahead(1) == TokenKind::Arrow => (T::Equivalent, 1, 2),
            TokenKind::Word(word) => match &**self.interner.word(word) {
                "implies" => (T::Implies, 1, 1),
                "equivalent" => (T::Equivalent, 1, 1),
                "U" | "until" | "stronguntil" => (T::Until, 5, 1),
                "W" | "weakuntil" => (T::WeakUntil, 5, 1),
                "V" | "release" => (T::Release, 5, 1),
                _ => return None,
            },
            _ => return None,
        };
        Some(Operator { kind: OperatorKind::Temporal(operator), rank, length })
    }

    /// A prefix operator and how many tokens it takes.
    pub(super) fn temporal_prefix(&self) -> Option<(TemporalUnaryOp, usize)> {
        use TemporalUnaryOp as T;
        match self.kind() {
            TokenKind::OpenBracket if self.ahead(1) == TokenKind::CloseBracket => Some((T::Always, 2)),
            TokenKind::Less if self.ahead(1) == TokenKind::Greater => Some((T::Eventually, 2)),
            TokenKind::Word(word) => match &**self.interner.word(word) {
                "X" | "next" => Some((T::Next, 1)),
                "always" => Some((T::Always, 1)),
                "eventually" => Some((T::Eventually, 1)),
                _ => None,
            },
            _ => None,
        }
    }
}
