//! Operators of `ltl` blocks. There `->` is implication; `U`, `V`, `W`, `X` and their long forms
//! are operators instead of names; and `_moves(P[1])` or `_moves(1)` holds if process 1 makes the
//! next step, alone or in a rendezvous.

use super::expression::{Operator, OperatorKind, Tree};
use super::{Parse, Parser};
use crate::ast::{
    BinaryOp, Expr, ExprKind, Ident, Part, Reference, TemporalBinaryOp, TemporalUnaryOp,
};
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;

/// The receiver of the last step, if it was a rendezvous. The name cannot be written by users.
pub(crate) const PARTNER: &str = "partner of _last";

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

    /// Suggests `[]` and `<>` after a name `G` or `F` where an operator is expected, since other
    /// tools use these letters.
    pub(super) fn hint_letters(&self, diagnostic: Diagnostic) -> Diagnostic {
        let TokenKind::Word(word) = self.previous().kind else { return diagnostic };
        match &**self.interner.word(word) {
            "G" | "F" => diagnostic.help("write `[]` for `G` and `<>` for `F`"),
            _ => diagnostic,
        }
    }

    /// `_moves(…)`, whose name has been parsed. The process that moves is known only after the
    /// step: `X (_last == … || PARTNER == …)`.
    pub(super) fn moves(&mut self, name: Ident, start: usize) -> Parse<Tree> {
        let process = self.parenthesised("_moves", |parser| {
            match parser.kind() {
                // `P[1]` means the process with number 1.
                TokenKind::Word(word)
                    if parser.names.proctypes.contains(&word)
                        && parser.ahead(1) == TokenKind::OpenBracket =>
                {
                    parser.advance();
                    parser.advance();
                    let process = parser.tree()?;
                    parser.expect(TokenKind::CloseBracket, "after the number of the process")?;
                    Ok(process)
                }
                _ => parser.tree(),
            }
        })?;
        let span = self.span_from(start);
        let is = |who: &str| {
            let part = Part { name: Ident { text: who.into(), span: name.span }, index: None };
            let who = Reference { parts: vec![part], span: name.span };
            let who = Box::new(Expr { kind: ExprKind::Reference(who), span: name.span });
            let kind = ExprKind::Binary(BinaryOp::Equal, who, Box::new(process.expr.clone()));
            Box::new(Expr { kind, span })
        };
        let mover = ExprKind::Binary(BinaryOp::Or, is("_last"), is(PARTNER));
        let mover = Box::new(Expr { kind: mover, span });
        let kind = ExprKind::TemporalUnary(TemporalUnaryOp::Next, mover);
        self.grown(kind, start, process.height + 2, false)
    }

    /// A prefix operator and its number of tokens.
    pub(super) fn temporal_prefix(&self) -> Option<(TemporalUnaryOp, usize)> {
        use TemporalUnaryOp as T;
        match self.kind() {
            TokenKind::OpenBracket if self.ahead(1) == TokenKind::CloseBracket => {
                Some((T::Always, 2))
            }
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
