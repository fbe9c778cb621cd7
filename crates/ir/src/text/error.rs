//! Errors of the text form, with their positions.

use std::fmt;
use std::ops::Range;

/// The most errors reported for one text.
pub(super) const ERROR_LIMIT: usize = 50;

/// An error in the text form of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes of the text that are wrong; empty at the end of the text.
    pub span: Range<usize>,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1 in characters.
    pub column: u32,
    /// The description of the error.
    pub message: String,
    /// The alternatives that would have been right here, if they can be listed.
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
