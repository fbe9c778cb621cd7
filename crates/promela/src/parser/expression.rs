//! Expressions, by precedence climbing with SPIN's precedences.
//!
//! Every function returns the height of its tree, which bounds the recursion of later passes, and
//! whether the tree is a *probe*: `full`, `empty`, `nfull` or `nempty`, which SPIN only allows to
//! be combined with `&&` and `||`.

use super::{MAX_HEIGHT, Parse, Parser, Reported};
use crate::ast::{BinaryOp, ChannelQuery, Expr, ExprKind, Part, Reference, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Flags, Symbol, TokenKind, kw};

pub(super) struct Tree {
    pub expr: Expr,
    pub height: u32,
    probe: bool,
}

/// A binary operator in the token list.
pub(super) struct Operator {
    pub kind: OperatorKind,
    /// Higher binds tighter.
    pub rank: u8,
    /// Its number of tokens.
    pub length: usize,
}

#[derive(Clone, Copy)]
pub(super) enum OperatorKind {
    Plain(BinaryOp),
    Temporal(crate::ast::TemporalBinaryOp),
}

impl Parser {
    /// An expression that may be a probe.
    pub(super) fn full_expr(&mut self) -> Parse<Expr> {
        self.binary(0).map(|tree| tree.expr)
    }

    /// An expression that may not be a probe.
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.tree().map(|tree| tree.expr)
    }

    pub(super) fn tree(&mut self) -> Parse<Tree> {
        let tree = self.binary(0)?;
        self.reject_probe(&tree);
        Ok(tree)
    }

    /// One constant, name or parenthesised expression.
    pub(super) fn operand(&mut self) -> Parse<Expr> {
        self.unary().map(|tree| tree.expr)
    }

    fn binary(&mut self, least: u8) -> Parse<Tree> {
        let start = self.at;
        let mut left = self.unary()?;
        while let Some(operator) = self.binary_operator().filter(|operator| operator.rank >= least)
        {
            for _ in 0..operator.length {
                self.advance();
            }
            let right = self.binary(operator.rank + 1)?;
            let logical =
                matches!(operator.kind, OperatorKind::Plain(BinaryOp::And | BinaryOp::Or));
            if !logical {
                self.reject_probe(&left);
                self.reject_probe(&right);
            }
            let height = left.height.max(right.height);
            let probe = logical && (left.probe || right.probe);
            let (left_expr, right_expr) = (Box::new(left.expr), Box::new(right.expr));
            let kind = match operator.kind {
                OperatorKind::Plain(operator) => ExprKind::Binary(operator, left_expr, right_expr),
                OperatorKind::Temporal(operator) => {
                    ExprKind::TemporalBinary(operator, left_expr, right_expr)
                }
            };
            left = self.grown(kind, start, height, probe)?;
        }
        Ok(left)
    }

    /// A node whose highest child has height `height`.
    pub(super) fn grown(
        &mut self,
        kind: ExprKind,
        start: usize,
        height: u32,
        probe: bool,
    ) -> Parse<Tree> {
        let span = self.span_from(start);
        if height >= MAX_HEIGHT {
            self.stop(
                Diagnostic::error("this expression is too large")
                    .at(self.tokens[start].span, format!("more than {MAX_HEIGHT} operators deep")),
            );
            return Err(Reported);
        }
        Ok(Tree { expr: Expr { kind, span }, height: height + 1, probe })
    }

    fn binary_operator(&self) -> Option<Operator> {
        use BinaryOp as B;
        use TokenKind as T;
        if self.in_ltl
            && let Some(operator) = self.temporal_operator()
        {
            return Some(operator);
        }
        let (operator, rank) = match self.kind() {
            T::OrOr => (B::Or, 2),
            T::AndAnd => (B::And, 3),
            T::Or => (B::BitOr, 6),
            T::Caret => (B::BitXor, 7),
            T::And => (B::BitAnd, 8),
            T::Equal => (B::Equal, 9),
            T::NotEqual => (B::NotEqual, 9),
            T::Greater => (B::Greater, 10),
            T::Less => (B::Less, 10),
            T::GreaterEqual => (B::GreaterEqual, 10),
            T::LessEqual => (B::LessEqual, 10),
            T::ShiftLeft => (B::ShiftLeft, 11),
            T::ShiftRight => (B::ShiftRight, 11),
            T::Plus => (B::Add, 12),
            T::Minus if self.same_line() => (B::Subtract, 12),
            T::Star => (B::Multiply, 13),
            T::Slash => (B::Divide, 13),
            T::Percent => (B::Remainder, 13),
            _ => return None,
        };
        Some(Operator { kind: OperatorKind::Plain(operator), rank, length: 1 })
    }

    fn reject_probe(&mut self, tree: &Tree) {
        if !tree.probe || self.in_ltl {
            return;
        }
        let diagnostic = Diagnostic::error(
            "a test of a channel's state can only be combined with `&&` and `||`",
        )
        .at(tree.expr.span, "not allowed as part of this expression");
        self.report(match &tree.expr.kind {
            ExprKind::Channel(query, channel) => {
                let channel = crate::pretty::reference(channel);
                let opposite = match query {
                    ChannelQuery::Full => "nfull",
                    ChannelQuery::NotFull => "full",
                    ChannelQuery::Empty => "nempty",
                    ChannelQuery::NotEmpty => "empty",
                    ChannelQuery::Len => "len",
                };
                diagnostic.help(format!(
                    "its opposite is `{opposite}({channel})`; `len({channel})` may be used anywhere"
                ))
            }
            _ => diagnostic,
        });
    }

    fn unary(&mut self) -> Parse<Tree> {
        let start = self.at;
        let operator = match self.kind() {
            TokenKind::Bang => UnaryOp::Not,
            TokenKind::Minus => UnaryOp::Negate,
            TokenKind::Tilde => UnaryOp::Complement,
            TokenKind::BangBang => {
                return self.nested(|parser| {
                    parser.advance();
                    let operand = parser.unary()?;
                    parser.reject_probe(&operand);
                    let inner = ExprKind::Unary(UnaryOp::Not, Box::new(operand.expr));
                    let inner = parser.grown(inner, start, operand.height, false)?;
                    let outer = ExprKind::Unary(UnaryOp::Not, Box::new(inner.expr));
                    parser.grown(outer, start, inner.height, false)
                });
            }
            _ if self.in_ltl => {
                let Some((operator, length)) = self.temporal_prefix() else {
                    return self.primary();
                };
                return self.nested(|parser| {
                    for _ in 0..length {
                        parser.advance();
                    }
                    let operand = parser.unary()?;
                    let kind = ExprKind::TemporalUnary(operator, Box::new(operand.expr));
                    parser.grown(kind, start, operand.height, false)
                });
            }
            _ => return self.primary(),
        };
        self.nested(|parser| {
            parser.advance();
            let operand = parser.unary()?;
            parser.reject_probe(&operand);
            let kind = ExprKind::Unary(operator, Box::new(operand.expr));
            parser.grown(kind, start, operand.height, false)
        })
    }

    /// A number, or a word that denotes one; warns if the number does not fit in an `int`.
    pub(super) fn constant(&mut self) -> Option<i32> {
        let token = self.peek();
        let value = match token.kind {
            TokenKind::Number(value) => value,
            TokenKind::Word(kw::TRUE | kw::SKIP) => 1,
            TokenKind::Word(kw::FALSE) => 0,
            _ => return None,
        };
        if token.flags.has(Flags::OVERFLOW) {
            self.report(
                Diagnostic::warning(format!(
                    "this number does not fit in an `int`; its value becomes {value}"
                ))
                .at(token.span, "too large"),
            );
        }
        self.advance();
        Some(value)
    }

    fn primary(&mut self) -> Parse<Tree> {
        let start = self.at;
        if let Some(value) = self.constant() {
            return self.grown(ExprKind::Constant(value), start, 0, false);
        }
        let word = match self.kind() {
            TokenKind::OpenParen => return self.nested(Parser::in_parentheses),
            TokenKind::Word(word) => word,
            _ => return Err(self.expected("an expression")),
        };
        if !word.is_keyword() {
            return self.nested(|parser| parser.name_expr(word));
        }
        match word {
            kw::TIMEOUT => {
                self.advance();
                self.grown(ExprKind::Timeout, start, 0, false)
            }
            kw::NP_ => {
                self.advance();
                self.grown(ExprKind::NonProgress, start, 0, false)
            }
            kw::RUN => self.nested(Parser::run),
            kw::LEN | kw::FULL | kw::EMPTY | kw::NFULL | kw::NEMPTY => {
                self.nested(|parser| parser.query(word))
            }
            kw::ENABLED | kw::PC_VALUE | kw::GET_PRIORITY => self.nested(|parser| {
                parser.advance();
                let text = parser.word_text(word);
                let argument = parser.parenthesised(&text, Parser::tree)?;
                let process = Box::new(argument.expr);
                let kind = match word {
                    kw::ENABLED => ExprKind::Enabled(process),
                    kw::PC_VALUE => ExprKind::PcValue(process),
                    _ => ExprKind::GetPriority(process),
                };
                parser.grown(kind, start, argument.height, false)
            }),
            kw::C_EXPR => {
                self.embedded();
                self.grown(ExprKind::Constant(1), start, 0, false)
            }
            kw::ELSE => {
                let diagnostic = self
                    .expected_diagnostic("an expression")
                    .help("`else` can only be a guard of its own");
                Err(self.report(diagnostic))
            }
            _ => Err(self.expected(if self.at_line_or_step_start() {
                "a statement"
            } else {
                "an expression"
            })),
        }
    }

    fn at_line_or_step_start(&self) -> bool {
        self.brackets == 0
            && matches!(
                self.previous().kind,
                TokenKind::Semicolon
                    | TokenKind::Arrow
                    | TokenKind::Separator
                    | TokenKind::OpenBrace
                    | TokenKind::CloseBrace
            )
    }

    /// `(a)` or `(c -> a : b)`
    fn in_parentheses(&mut self) -> Parse<Tree> {
        let start = self.at;
        let open = self.advance().span;
        self.bracketed(|parser| {
            let inner = parser.binary(0)?;
            if !parser.is(TokenKind::Arrow) {
                parser.close_paren(open)?;
                let span = parser.span_from(start);
                return Ok(Tree { expr: Expr { span, ..inner.expr }, ..inner });
            }
            parser.advance();
            parser.reject_probe(&inner);
            let yes = parser.tree()?;
            parser
                .expect(TokenKind::Colon, "and the other value of this conditional expression")?;
            let no = parser.tree()?;
            parser.close_paren(open)?;
            let height = inner.height.max(yes.height).max(no.height);
            let kind =
                ExprKind::Conditional(Box::new(inner.expr), Box::new(yes.expr), Box::new(no.expr));
            parser.grown(kind, start, height, false)
        })
    }

    fn run(&mut self) -> Parse<Tree> {
        let start = self.at;
        self.advance();
        let (_, proctype) = self.name("a proctype's name")?;
        let trees = self.parenthesised(&proctype.text, |parser| {
            if parser.is(TokenKind::CloseParen) {
                Ok(Vec::new())
            } else {
                parser.list(Parser::tree)
            }
        })?;
        let height = trees.iter().map(|tree| tree.height).max().unwrap_or(0);
        let arguments = trees.into_iter().map(|tree| tree.expr).collect();
        let priority = self.priority()?.map(Box::new);
        self.grown(ExprKind::Run { proctype, arguments, priority }, start, height, false)
    }

    fn query(&mut self, word: Symbol) -> Parse<Tree> {
        let start = self.at;
        self.advance();
        let text = self.word_text(word);
        let (channel, height) = self.parenthesised(&text, Parser::measured_reference)?;
        let query = match word {
            kw::LEN => ChannelQuery::Len,
            kw::FULL => ChannelQuery::Full,
            kw::EMPTY => ChannelQuery::Empty,
            kw::NFULL => ChannelQuery::NotFull,
            _ => ChannelQuery::NotEmpty,
        };
        self.grown(ExprKind::Channel(query, channel), start, height, query != ChannelQuery::Len)
    }

    /// A variable, a poll of a channel or a remote reference.
    fn name_expr(&mut self, word: Symbol) -> Parse<Tree> {
        let start = self.at;
        let (reference, height) = self.measured_reference()?;
        let kind = match self.kind() {
            TokenKind::At if reference.parts.len() == 1 => {
                self.advance();
                let (_, label) = self.name("a label")?;
                let (proctype, pid) = only_part(reference);
                ExprKind::RemoteLabel { proctype, pid, label }
            }
            TokenKind::Colon
                if reference.parts.len() == 1 && self.names_process(word, &reference) =>
            {
                self.advance();
                let (_, variable) = self.name("a variable of the process")?;
                let (proctype, pid) = only_part(reference);
                let (index, index_height) = self.index()?;
                let kind = ExprKind::RemoteVariable { proctype, pid, variable, index };
                return self.grown(kind, start, height.max(index_height), false);
            }
            TokenKind::Question | TokenKind::QuestionQuestion
                if self.ahead(1) == TokenKind::OpenBracket =>
            {
                let random = self.advance().kind == TokenKind::QuestionQuestion;
                self.advance();
                let arguments = self.bracketed(Parser::receive_arguments)?;
                self.expect(TokenKind::CloseBracket, "after the message")?;
                ExprKind::Poll { channel: reference, random, arguments }
            }
            TokenKind::OpenParen if self.in_ltl && names_mover(&reference) => {
                let (name, _) = only_part(reference);
                return self.moves(name, start);
            }
            TokenKind::OpenParen
                if self.inlines.contains_key(&word) && reference.parts.len() == 1 =>
            {
                let text = self.word_text(word);
                let message = format!("inline `{text}` cannot be called inside an expression");
                return Err(self.report(
                    Diagnostic::error(message)
                        .at(reference.span, "called here")
                        .help(format!("assign its value first: `x = {text}(…)`")),
                ));
            }
            _ => ExprKind::Reference(reference),
        };
        self.grown(kind, start, height, false)
    }

    /// Whether `name:` begins a remote reference. In formulas all proctypes are known; elsewhere,
    /// as in SPIN, a bare name must be declared before.
    fn names_process(&self, word: Symbol, reference: &Reference) -> bool {
        if self.in_ltl || reference.parts[0].index.is_some() {
            return self.names.proctypes.contains(&word);
        }
        self.names.declared_proctypes.contains(&word)
    }

    pub(super) fn reference(&mut self) -> Parse<Reference> {
        self.measured_reference().map(|(reference, _)| reference)
    }

    /// `a[i].b`, and the height of its highest index.
    fn measured_reference(&mut self) -> Parse<(Reference, u32)> {
        let start = self.at;
        let mut parts = Vec::new();
        let mut height = 0;
        loop {
            let (_, name) =
                self.name(if parts.is_empty() { "a variable" } else { "a field's name" })?;
            let (index, index_height) = self.index()?;
            height = height.max(index_height);
            parts.push(Part { name, index });
            if !self.eat(TokenKind::Dot) {
                return Ok((Reference { parts, span: self.span_from(start) }, height));
            }
        }
    }

    /// An optional `[i]`.
    fn index(&mut self) -> Parse<(Option<Box<Expr>>, u32)> {
        if !self.is(TokenKind::OpenBracket) {
            return Ok((None, 0));
        }
        let open: Span = self.advance().span;
        let index = self.nested(|parser| parser.bracketed(Parser::tree))?;
        if !self.eat(TokenKind::CloseBracket) {
            let diagnostic = self.expected_diagnostic("`]`").also(open, "to close this");
            return Err(self.report(diagnostic));
        }
        Ok((Some(Box::new(index.expr)), index.height))
    }
}

/// Whether the reference is `_moves`, which before a parenthesis is a condition on steps.
fn names_mover(reference: &Reference) -> bool {
    matches!(&reference.parts[..], [Part { name, index: None }] if &*name.text == "_moves")
}

fn only_part(reference: Reference) -> (crate::ast::Ident, Option<Box<Expr>>) {
    let part = reference.parts.into_iter().next().expect("a reference has a part");
    (part.name, part.index)
}
