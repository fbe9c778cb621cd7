//! Evaluation of `#if` expressions, with C's operators and precedences.
//!
//! The input is the line after macro expansion, with `defined` already evaluated. A word that is
//! not a macro is 0. It must not know the origin of the line.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Token, TokenKind};

const MAX_DEPTH: usize = 200;

struct Evaluator<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    place: Span,
}

/// Evaluates the whole line; `place` is the directive, for errors about missing text.
pub(super) fn evaluate(tokens: &[Token], place: Span) -> Result<i64, Box<Diagnostic>> {
    let mut evaluator = Evaluator { tokens, at: 0, depth: 0, place };
    let value = evaluator.conditional()?;
    match tokens.get(evaluator.at) {
        None => Ok(value),
        Some(token) => {
            let message = "unexpected text after the condition";
            Err(Diagnostic::error(message).at(token.span, "not understood").into())
        }
    }
}

impl Evaluator<'_> {
    fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.place, |token| token.span)
    }

    fn expect(&mut self, kind: TokenKind) -> Result<(), Box<Diagnostic>> {
        if self.peek() == Some(kind) {
            self.at += 1;
            return Ok(());
        }
        let expected = kind.spelling().unwrap_or_default();
        Err(Diagnostic::error(format!("expected `{expected}` in a condition"))
            .at(self.span(), format!("expected `{expected}`"))
            .into())
    }

    fn conditional(&mut self) -> Result<i64, Box<Diagnostic>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Diagnostic::error("condition nested too deeply")
                .at(self.span(), "")
                .into());
        }
        let condition = self.binary(0)?;
        let value = if self.peek() == Some(TokenKind::Question) {
            self.at += 1;
            let yes = self.conditional()?;
            self.expect(TokenKind::Colon)?;
            let no = self.conditional()?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, least: u8) -> Result<i64, Box<Diagnostic>> {
        let mut left = self.unary()?;
        while let Some((operator, rank)) = self.peek().and_then(|kind| Some((kind, rank(kind)?))) {
            if rank < least {
                break;
            }
            let place = self.span();
            self.at += 1;
            let right = self.binary(rank + 1)?;
            left = apply(operator, left, right).ok_or_else(|| {
                Diagnostic::error("division by zero in a condition").at(place, "")
            })?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i64, Box<Diagnostic>> {
        let mut operators = Vec::new();
        while let Some(
            kind @ (TokenKind::Bang
            | TokenKind::BangBang
            | TokenKind::Minus
            | TokenKind::Plus
            | TokenKind::Tilde),
        ) = self.peek()
        {
            operators.push(kind);
            self.at += 1;
        }
        let span = self.span();
        let kind = self.peek();
        self.at += 1;
        let mut value = match kind {
            Some(TokenKind::Number(value)) => i64::from(value),
            Some(TokenKind::Word(_)) => 0,
            Some(TokenKind::OpenParen) => {
                let value = self.conditional()?;
                self.expect(TokenKind::CloseParen)?;
                value
            }
            _ => {
                return Err(Diagnostic::error("incomplete condition")
                    .at(span, "expected a number, a name or `(`")
                    .into());
            }
        };
        for operator in operators.into_iter().rev() {
            value = match operator {
                TokenKind::Bang => i64::from(value == 0),
                TokenKind::BangBang => i64::from(value != 0),
                TokenKind::Minus => value.wrapping_neg(),
                TokenKind::Tilde => !value,
                _ => value,
            };
        }
        Ok(value)
    }
}

fn rank(kind: TokenKind) -> Option<u8> {
    use TokenKind as T;
    Some(match kind {
        T::OrOr => 1,
        T::AndAnd => 2,
        T::Or => 3,
        T::Caret => 4,
        T::And => 5,
        T::Equal | T::NotEqual => 6,
        T::Less | T::LessEqual | T::Greater | T::GreaterEqual => 7,
        T::ShiftLeft | T::ShiftRight => 8,
        T::Plus | T::Minus => 9,
        T::Star | T::Slash | T::Percent => 10,
        _ => return None,
    })
}

/// Applies a binary operator; `None` for a division by zero.
fn apply(operator: TokenKind, left: i64, right: i64) -> Option<i64> {
    use TokenKind as T;
    let truth = |value: bool| Some(i64::from(value));
    match operator {
        T::OrOr => truth(left != 0 || right != 0),
        T::AndAnd => truth(left != 0 && right != 0),
        T::Or => Some(left | right),
        T::Caret => Some(left ^ right),
        T::And => Some(left & right),
        T::Equal => truth(left == right),
        T::NotEqual => truth(left != right),
        T::Less => truth(left < right),
        T::LessEqual => truth(left <= right),
        T::Greater => truth(left > right),
        T::GreaterEqual => truth(left >= right),
        T::ShiftLeft => Some(left.wrapping_shl(right as u32)),
        T::ShiftRight => Some(left.wrapping_shr(right as u32)),
        T::Plus => Some(left.wrapping_add(right)),
        T::Minus => Some(left.wrapping_sub(right)),
        T::Star => Some(left.wrapping_mul(right)),
        T::Slash => (right != 0).then(|| left.wrapping_div(right)),
        _ => (right != 0).then(|| left.wrapping_rem(right)),
    }
}
