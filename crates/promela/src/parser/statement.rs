//! Statements, except sends and receives.

use super::{Parse, Parser};
use crate::ast::{Block, Expr, ExprKind, ForRange, Statement, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Symbol, TokenKind, kw};

impl Parser {
    pub(super) fn statement(&mut self) -> Parse<Statement> {
        self.nested(|parser| {
            let start = parser.at;
            let kind = parser.statement_kind()?;
            Ok(Statement { kind, span: parser.span_from(start) })
        })
    }

    fn statement_kind(&mut self) -> Parse<StatementKind> {
        let token = self.peek();
        let TokenKind::Word(word) = token.kind else {
            return match token.kind {
                TokenKind::OpenBrace => self.block("a block").map(StatementKind::Block),
                _ => self.condition(),
            };
        };
        if !word.is_keyword() {
            return self.named(word);
        }
        match word {
            kw::IF | kw::DO => {
                let options = self.selection(word)?;
                Ok(if word == kw::IF {
                    StatementKind::If(options)
                } else {
                    StatementKind::Do(options)
                })
            }
            kw::ATOMIC => {
                self.advance();
                self.block("an atomic sequence").map(StatementKind::Atomic)
            }
            kw::D_STEP => {
                self.advance();
                self.block("a d_step").map(StatementKind::DStep)
            }
            kw::ELSE => {
                self.advance();
                Ok(StatementKind::Else)
            }
            kw::BREAK => {
                self.advance();
                Ok(StatementKind::Break)
            }
            kw::GOTO => {
                self.advance();
                Ok(StatementKind::Goto(self.name("a label")?.1))
            }
            kw::FOR => self.for_loop(),
            kw::SELECT => self.select(),
            kw::PRINTF => self.print(),
            kw::PRINTM => {
                self.advance();
                self.parenthesised("printm", Parser::operand).map(StatementKind::PrintMtype)
            }
            kw::ASSERT => {
                self.advance();
                self.full_expr().map(StatementKind::Assert)
            }
            kw::SET_PRIORITY => {
                self.advance();
                self.parenthesised("set_priority", |parser| {
                    let process = parser.expr()?;
                    parser.expect(TokenKind::Comma, "after the process")?;
                    Ok(StatementKind::SetPriority(process, parser.expr()?))
                })
            }
            kw::RETURN => self.return_value(),
            kw::C_CODE | kw::C_DECL | kw::C_STATE | kw::C_TRACK => {
                self.embedded();
                Ok(StatementKind::Condition(Expr { kind: ExprKind::Constant(1), span: token.span }))
            }
            _ => self.condition(),
        }
    }

    fn condition(&mut self) -> Parse<StatementKind> {
        const WORDS: &str = "a statement";
        match self.kind() {
            TokenKind::CloseParen
            | TokenKind::CloseBracket
            | TokenKind::Comma
            | TokenKind::Assign => Err(self.expected(WORDS)),
            _ => self.full_expr().map(StatementKind::Condition),
        }
    }

    /// A statement that begins with a name: a label, an inline call, an assignment, a message
    /// operation or an expression.
    fn named(&mut self, word: Symbol) -> Parse<StatementKind> {
        if self.ahead(1) == TokenKind::Colon && !self.is_remote_variable(word) {
            return self.labelled();
        }
        if self.ahead(1) == TokenKind::OpenParen && self.inlines.contains_key(&word) {
            return self.inline_call(None);
        }
        let start = self.at;
        let reference = self.reference()?;
        match self.kind() {
            TokenKind::Assign => {
                self.advance();
                if let TokenKind::Word(word) = self.kind()
                    && self.ahead(1) == TokenKind::OpenParen
                    && self.inlines.contains_key(&word)
                {
                    return self.inline_call(Some(reference));
                }
                Ok(StatementKind::Assign(reference, self.full_expr()?))
            }
            TokenKind::Increment => {
                self.advance();
                Ok(StatementKind::Increment(reference))
            }
            TokenKind::Decrement => {
                self.advance();
                Ok(StatementKind::Decrement(reference))
            }
            TokenKind::Bang if self.same_line() => self.send(reference),
            TokenKind::BangBang => self.send(reference),
            TokenKind::Question | TokenKind::QuestionQuestion
                if self.ahead(1) != TokenKind::OpenBracket =>
            {
                self.receive(reference)
            }
            _ => {
                self.at = start;
                self.condition()
            }
        }
    }

    /// `P:x` is a variable of process `P` if `P` is an already declared proctype, and a label
    /// otherwise.
    fn is_remote_variable(&self, word: Symbol) -> bool {
        self.names.declared_proctypes.contains(&word)
            && matches!(self.ahead(2), TokenKind::Word(name) if !name.is_keyword())
    }

    fn labelled(&mut self) -> Parse<StatementKind> {
        let (_, label) = self.name("a label")?;
        let colon = self.advance().span;
        let statement = match self.kind() {
            TokenKind::CloseBrace
            | TokenKind::Semicolon
            | TokenKind::Arrow
            | TokenKind::Separator
            | TokenKind::End
            | TokenKind::Word(kw::FI | kw::OD | kw::UNLESS) => {
                let span = label.span.to(colon);
                let skip = Expr { kind: ExprKind::Constant(1), span };
                Statement { kind: StatementKind::Condition(skip), span }
            }
            TokenKind::Word(kw::XR | kw::XS) => return Err(self.labelled_declaration(label.span)),
            _ if self.starts_declaration() => return Err(self.labelled_declaration(label.span)),
            _ => self.statement()?,
        };
        Ok(StatementKind::Labelled(label, Box::new(statement)))
    }

    fn labelled_declaration(&mut self, label: Span) -> super::Reported {
        let span = self.peek().span;
        self.report(
            Diagnostic::error("a declaration cannot have a label")
                .at(span, "expected a statement")
                .also(label, "the label")
                .help("write the declaration first, or `skip;` after the label"),
        )
    }

    /// `if … fi` or `do … od`
    fn selection(&mut self, word: Symbol) -> Parse<Vec<Block>> {
        let open = self.advance().span;
        let (closer, other) = if word == kw::IF { (kw::FI, kw::OD) } else { (kw::OD, kw::FI) };
        let mut options = Vec::new();
        self.selections.push(word);
        while self.is(TokenKind::Separator) || options.is_empty() {
            let start = self.at;
            if !self.is(TokenKind::Separator) {
                // Continue as if `::` were present.
                let what = format!("`::` after `{}`", self.word_text(word));
                let diagnostic = self.expected_diagnostic(&what);
                self.report(diagnostic.note("each option of a selection begins with `::`"));
            }
            let separator = self.peek().span;
            self.eat(TokenKind::Separator);
            let errors = self.error_count();
            let steps = self.sequence();
            if steps.is_empty() && self.error_count() == errors {
                self.empty(separator);
            }
            options.push(Block { steps, span: self.span_from(start) });
        }
        self.selections.pop();
        if !self.eat_word(closer) {
            let what = format!("`{}`", self.word_text(closer));
            let text = format!("to close this `{}`", self.word_text(word));
            let diagnostic = self.expected_diagnostic(&what).also(open, text);
            self.report(diagnostic);
            let other_opener = if word == kw::IF { kw::DO } else { kw::IF };
            if self.is_word(other) && !self.selections.contains(&other_opener) {
                self.advance();
            }
        }
        Ok(options)
    }

    fn for_loop(&mut self) -> Parse<StatementKind> {
        self.advance();
        let (variable, range) = self.parenthesised("for", |parser| {
            let variable = parser.reference()?;
            if parser.eat_word(parser.word_in) {
                return Ok((variable, ForRange::In(parser.reference()?)));
            }
            parser.expect(TokenKind::Colon, "or `in` after the loop's variable")?;
            let from = parser.expr()?;
            parser.expect(TokenKind::DotDot, "between the bounds")?;
            Ok((variable, ForRange::Values(from, parser.expr()?)))
        })?;
        self.eat(TokenKind::Semicolon);
        let body = self.block("a loop's body")?;
        Ok(StatementKind::For { variable, range, body })
    }

    fn select(&mut self) -> Parse<StatementKind> {
        self.advance();
        let start = self.at + 1;
        let (variable, from, to) = self.parenthesised("select", |parser| {
            let variable = parser.reference()?;
            parser.expect(TokenKind::Colon, "after the variable")?;
            let from = parser.expr()?;
            parser.expect(TokenKind::DotDot, "between the bounds")?;
            Ok((variable, from, parser.expr()?))
        })?;
        let literal = self.is_literal_select(start);
        Ok(StatementKind::Select { variable, from, to, in_inline: !self.calls.is_empty(), literal })
    }

    /// Whether the text from index `start` reads `name : digits .. digits )` on one line, with only
    /// letters and digits in the name: SPIN matches the characters.
    fn is_literal_select(&self, start: usize) -> bool {
        let tokens = &self.tokens[start.min(self.at)..self.at];
        let digits = |index: usize| {
            let text = self.sources.text(tokens[index].span);
            matches!(tokens[index].kind, TokenKind::Number(_))
                && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_plain = |word| !self.interner.word(word).contains('_');
        tokens.len() == 6
            && !tokens.iter().any(|token| token.starts_line())
            && matches!(tokens[0].kind, TokenKind::Word(word) if is_plain(word))
            && digits(2)
            && digits(4)
    }

    fn print(&mut self) -> Parse<StatementKind> {
        self.advance();
        self.parenthesised("printf", |parser| {
            let TokenKind::String(text) = parser.kind() else {
                return Err(parser.expected("a string"));
            };
            parser.advance();
            let arguments =
                if parser.eat(TokenKind::Comma) { parser.list(Parser::expr)? } else { Vec::new() };
            Ok(StatementKind::Print { format: parser.word_text(text), arguments })
        })
    }
}
