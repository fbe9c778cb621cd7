//! Send and receive statements.

use super::{Parse, Parser};
use crate::ast::{Expr, ReceiveArgument, Reference, StatementKind};
use crate::token::{TokenKind, kw};

impl Parser {
    /// `!` or `!!` and the message; the channel has been parsed.
    pub(super) fn send(&mut self, channel: Reference) -> Parse<StatementKind> {
        let sorted = self.advance().kind == TokenKind::BangBang;
        let arguments = self.send_arguments()?;
        Ok(StatementKind::Send { channel, sorted, arguments })
    }

    /// `a, b, c` or `a(b, c)`
    fn send_arguments(&mut self) -> Parse<Vec<Expr>> {
        let mut arguments = vec![self.expr()?];
        if self.is(TokenKind::OpenParen) && self.same_line() {
            arguments.extend(self.parenthesised("message", |parser| parser.list(Parser::expr))?);
            return Ok(arguments);
        }
        while self.eat(TokenKind::Comma) {
            arguments.push(self.expr()?);
        }
        Ok(arguments)
    }

    /// `?`, `??`, `?<…>` or `??<…>`; the channel has been parsed.
    pub(super) fn receive(&mut self, channel: Reference) -> Parse<StatementKind> {
        let random = self.advance().kind == TokenKind::QuestionQuestion;
        let keep = self.eat(TokenKind::Less);
        let arguments = if keep {
            let arguments = self.bracketed(Parser::receive_arguments)?;
            self.expect(TokenKind::Greater, "after the message")?;
            arguments
        } else {
            self.receive_arguments()?
        };
        Ok(StatementKind::Receive { channel, random, keep, arguments })
    }

    /// `a, b`, `a(b)`, `(a, b)` and mixtures; the parentheses have no meaning.
    pub(super) fn receive_arguments(&mut self) -> Parse<Vec<ReceiveArgument>> {
        let mut arguments = Vec::new();
        loop {
            if self.is(TokenKind::OpenParen) {
                arguments.extend(self.receive_group()?);
                return Ok(arguments);
            }
            arguments.push(self.receive_argument()?);
            if self.is(TokenKind::OpenParen) && self.same_line() {
                arguments.extend(self.receive_group()?);
                return Ok(arguments);
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(arguments);
            }
        }
    }

    fn receive_group(&mut self) -> Parse<Vec<ReceiveArgument>> {
        self.nested(|parser| parser.parenthesised("message", Parser::receive_arguments))
    }

    fn receive_argument(&mut self) -> Parse<ReceiveArgument> {
        let token = self.peek();
        match token.kind {
            TokenKind::Word(kw::EVAL) => {
                self.advance();
                self.parenthesised("eval", Parser::expr).map(ReceiveArgument::Eval)
            }
            TokenKind::Word(word) if !word.is_keyword() => {
                self.reference().map(ReceiveArgument::Reference)
            }
            TokenKind::Minus => {
                self.advance();
                match self.constant() {
                    Some(value) => Ok(ReceiveArgument::Constant(
                        value.wrapping_neg(),
                        token.span.to(self.previous().span),
                    )),
                    None => Err(self.expected("a number")),
                }
            }
            _ => match self.constant() {
                Some(value) => Ok(ReceiveArgument::Constant(value, token.span)),
                None => {
                    let diagnostic = self
                        .expected_diagnostic("a variable, a constant or `eval`")
                        .note("a receive stores into variables and compares with constants");
                    Err(self
                        .report(diagnostic.help("to compare with an expression, write `eval(…)`")))
                }
            },
        }
    }
}
