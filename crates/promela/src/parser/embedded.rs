//! Embedded C: reported and skipped.

use super::Parser;
use crate::diagnostic::Diagnostic;
use crate::token::{Symbol, TokenKind, kw};

impl Parser {
    /// Reports and skips the construct that begins here.
    pub(super) fn embedded(&mut self) {
        let start = self.at;
        let token = self.advance();
        match token.kind {
            TokenKind::Word(word) if word == kw::C_STATE || word == kw::C_TRACK => {
                while matches!(self.kind(), TokenKind::String(_)) {
                    self.advance();
                }
                self.report_embedded(start, word);
            }
            TokenKind::Word(word) => {
                if self.is(TokenKind::OpenBracket) {
                    while !matches!(
                        self.kind(),
                        TokenKind::CloseBracket | TokenKind::OpenBrace | TokenKind::End
                    ) {
                        self.advance();
                    }
                    self.eat(TokenKind::CloseBracket);
                }
                self.report_embedded(start, word);
                if self.is(TokenKind::OpenBrace) && !self.skip_braces() {
                    self.expected("`}`");
                }
            }
            _ => {}
        }
    }

    fn report_embedded(&mut self, start: usize, word: Symbol) {
        let text = self.word_text(word);
        let span = self.tokens[start].span;
        self.report(
            Diagnostic::error(format!("embedded C code is not supported: `{text}`"))
                .at(span, "this needs a C compiler")
                .help("express it in Promela, for example with an inline or a d_step"),
        );
    }
}
