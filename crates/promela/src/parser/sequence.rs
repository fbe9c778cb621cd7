//! Sequences of steps and their separators.
//!
//! SPIN treats `;` and `->` alike, and inserts a `;` after `}`, after `else`, and at the end of a
//! line outside parentheses if the last token can end a statement. A new line therefore separates
//! two steps, unless its first token can only continue the statement before, such as `&&` (SPIN
//! rejects this case, the parser accepts it). Where a token could do either (`-`, `!` and `(` also
//! begin statements), the line end decides, as in SPIN: see [`Parser::same_line`].

use super::{Parse, Parser};
use crate::ast::{Block, Exclusive, Statement, StatementKind, Step};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{TokenKind, kw};

impl Parser {
    /// `{ step; step; … }`
    pub(super) fn block(&mut self, what: &str) -> Parse<Block> {
        let start = self.at;
        let open = self.expect(TokenKind::OpenBrace, &format!("before {what}"))?.span;
        let errors = self.error_count();
        let steps = self.sequence();
        if self.is(TokenKind::CloseBrace) {
            self.advance();
        } else {
            let diagnostic = self.expected_diagnostic("`}`").also(open, "to close this");
            self.report(diagnostic);
        }
        let span = self.span_from(start);
        if steps.is_empty() && self.error_count() == errors {
            self.empty(span);
        }
        Ok(Block { steps, span })
    }

    pub(super) fn empty(&mut self, span: Span) {
        self.report(
            Diagnostic::error("expected at least one statement")
                .at(span, "empty")
                .help("write `skip` where there is nothing to do"),
        );
    }

    /// Steps up to `}`, `::`, `fi`, `od` or the end, recovering from errors in between.
    pub(super) fn sequence(&mut self) -> Vec<Step> {
        let brackets = std::mem::replace(&mut self.brackets, 0);
        let mut steps = Vec::new();
        if matches!(self.kind(), TokenKind::Semicolon | TokenKind::Arrow) {
            self.expected("a statement");
            self.skip_separators();
        }
        loop {
            if self.skip_stray_closer() {
                continue;
            }
            if self.at_sequence_end() {
                break;
            }
            let start = self.at;
            match self.step() {
                Ok(step) => steps.push(step),
                Err(_) => {
                    self.brackets = 0;
                    self.skip_step();
                    if self.at == start && !self.at_sequence_end() {
                        self.advance();
                    }
                    self.skip_separators();
                    continue;
                }
            }
            let called = steps.last().is_some_and(ends_with_call);
            if !self.skip_separators()
                && !self.at_sequence_end()
                && !called
                && !self.implied_separator()
            {
                self.missing_separator();
            }
        }
        self.brackets = brackets;
        steps
    }

    fn skip_separators(&mut self) -> bool {
        let start = self.at;
        while matches!(self.kind(), TokenKind::Semicolon | TokenKind::Arrow) {
            self.advance();
        }
        self.at > start
    }

    fn at_sequence_end(&self) -> bool {
        match self.kind() {
            TokenKind::CloseBrace | TokenKind::Separator | TokenKind::End => true,
            TokenKind::Word(kw::FI | kw::OD) => true,
            _ => self.starts_unit(),
        }
    }

    /// Reports and skips a `fi` or `od` without an opening `if` or `do`.
    fn skip_stray_closer(&mut self) -> bool {
        let TokenKind::Word(word @ (kw::FI | kw::OD)) = self.kind() else { return false };
        if !self.selections.is_empty() {
            return false;
        }
        let (text, opener) = (self.word_text(word), if word == kw::FI { "if" } else { "do" });
        let span = self.advance().span;
        self.report(
            Diagnostic::error(format!("unmatched `{text}`"))
                .at(span, format!("no `{opener}` is open here")),
        );
        self.skip_separators();
        true
    }

    fn implied_separator(&self) -> bool {
        self.peek().starts_line()
            || matches!(self.previous().kind, TokenKind::CloseBrace | TokenKind::Word(kw::ELSE))
    }

    /// Reports the token found in place of a separator; the token may begin the next step.
    fn missing_separator(&mut self) {
        let mut diagnostic = self.expected_diagnostic("`;`, `->` or the end of the line");
        let previous = self.previous();
        diagnostic = match (previous.kind, self.kind()) {
            (_, TokenKind::Assign) => self.hint_equality(diagnostic),
            (TokenKind::Word(word), TokenKind::OpenParen) if !word.is_keyword() => {
                let text = self.word_text(word);
                let message = format!("there is no inline `{text}`");
                let diagnostic = Diagnostic::error(message).at(previous.span, "called here");
                let mut inlines: Vec<_> =
                    self.inlines.keys().map(|&word| self.word_text(word)).collect();
                inlines.sort();
                let keywords = ["printf", "assert", "select", "len", "run", "printm"];
                let close = crate::suggest::closest(
                    &text,
                    inlines.iter().map(|word| &**word).chain(keywords),
                );
                diagnostic.maybe_help(close.map(|close| format!("did you mean `{close}`?")))
            }
            _ => diagnostic,
        };
        self.report(diagnostic);
        let begins = match self.kind() {
            TokenKind::Word(_) | TokenKind::OpenBrace => true,
            TokenKind::OpenParen => !matches!(previous.kind, TokenKind::Word(_)),
            _ => false,
        };
        if !begins {
            self.skip_step();
            self.skip_separators();
        }
    }

    fn step(&mut self) -> Parse<Step> {
        if matches!(self.kind(), TokenKind::Word(kw::XR | kw::XS)) {
            return self.exclusive().map(Step::Exclusive);
        }
        if self.starts_mtype_names() {
            let names = self.mtype_names()?;
            return Err(self.report(
                Diagnostic::error("message names must be declared outside processes")
                    .at(names.span, "move this to the top level"),
            ));
        }
        if self.starts_declaration() {
            return self.declaration().map(Step::Declaration);
        }
        let main = self.statement()?;
        if self.eat_word(kw::UNLESS) {
            let escape = self.statement()?;
            return Ok(Step::Unless(main, escape));
        }
        Ok(Step::Statement(main))
    }

    fn exclusive(&mut self) -> Parse<Exclusive> {
        let start = self.at;
        let receive = self.advance().kind == TokenKind::Word(kw::XR);
        let channels = self.list(Parser::reference)?;
        Ok(Exclusive { receive, channels, span: self.span_from(start) })
    }
}

/// Whether the step is an inline call: its text ends with `}`, so no separator is needed.
fn ends_with_call(step: &Step) -> bool {
    fn is_call(statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::Labelled(_, statement) => is_call(statement),
            StatementKind::Inline { .. } => true,
            _ => false,
        }
    }
    match step {
        Step::Statement(statement) | Step::Unless(_, statement) => is_call(statement),
        Step::Declaration(_) | Step::Exclusive(_) => false,
    }
}
