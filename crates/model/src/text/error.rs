//! What is wrong with a text, and where. Knows nothing of what the text means.

use std::fmt;
use std::ops::Range;

/// A text with more mistakes than this has something else wrong with it: nobody wants to hear the rest.
pub(super) const ERROR_LIMIT: usize = 50;

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Bytes of the text that are to blame; empty at the end of the text.
    pub span: Range<usize>,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub message: String,
    /// What would have been right here, if that can be listed.
    pub expected: Vec<&'static str>,
}

impl ParseError {
    pub(super) fn new(source: &str, span: Range<usize>, message: impl Into<String>) -> ParseError {
        let before = &source[..span.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ParseError {
            line: 1 + before.bytes().filter(|&byte| byte == b'\n').count() as u32,
            column: 1 + before[line_start..].chars().count() as u32,
            span,
            message: message.into(),
            expected: Vec::new(),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.line, self.column, self.message)?;
        match self.expected.as_slice() {
            [] => Ok(()),
            [only] => write!(out, "; expected {only}"),
            [first @ .., last] => write!(out, "; expected {} or {last}", first.join(", ")),
        }
    }
}

impl std::error::Error for ParseError {}
