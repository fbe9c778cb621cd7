//! Resynchronisation after a syntax error.

use super::Parser;
use crate::token::{TokenKind, kw};

impl Parser {
    /// Skips to the next step of the sequence: a separator, the start of a line, or the end of the
    /// sequence. Nested blocks and selections are skipped as a unit.
    pub(super) fn skip_step(&mut self) {
        let start = self.at;
        let mut brackets = 0usize;
        let mut selections = 0usize;
        loop {
            let outside = brackets == 0 && selections == 0;
            match self.kind() {
                TokenKind::End => return,
                _ if self.starts_unit() => return,
                TokenKind::Semicolon | TokenKind::Arrow | TokenKind::Separator if outside => return,
                TokenKind::CloseBrace if outside => return,
                TokenKind::Word(kw::FI | kw::OD) if outside => return,
                _ if outside && self.at > start && self.peek().starts_line() => return,
                TokenKind::OpenBrace | TokenKind::OpenParen | TokenKind::OpenBracket => {
                    brackets += 1
                }
                TokenKind::CloseBrace | TokenKind::CloseParen | TokenKind::CloseBracket => {
                    brackets = brackets.saturating_sub(1);
                }
                TokenKind::Word(kw::IF | kw::DO) if self.ahead(1) == TokenKind::Separator => {
                    selections += 1
                }
                TokenKind::Word(kw::FI | kw::OD) => selections = selections.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    /// Skips to a token outside braces that can begin a unit.
    pub(super) fn skip_unit(&mut self, start: usize) {
        if self.at == start {
            self.advance();
        }
        let mut braces = 0usize;
        loop {
            match self.kind() {
                TokenKind::End => return,
                _ if self.starts_unit() => return,
                TokenKind::Semicolon if braces == 0 => return,
                TokenKind::OpenBrace => braces += 1,
                TokenKind::CloseBrace if braces <= 1 => {
                    self.advance();
                    return;
                }
                TokenKind::CloseBrace => braces -= 1,
                _ if braces == 0 && self.peek().starts_line() && self.starts_declaration() => {
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Skips `{ … }`; `false` if the closing brace is missing.
    pub(super) fn skip_braces(&mut self) -> bool {
        let mut braces = 0usize;
        loop {
            match self.advance().kind {
                TokenKind::End => return false,
                TokenKind::OpenBrace => braces += 1,
                TokenKind::CloseBrace if braces <= 1 => return true,
                TokenKind::CloseBrace => braces -= 1,
                _ => {}
            }
        }
    }
}
