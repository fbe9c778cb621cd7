//! Tokens of the HOA format, from a stream of bytes.
//!
//! Owns comments (which nest), strings with escapes, and positions. Uses one byte of look-ahead and
//! reads nothing beyond the current token, so automata can be processed as they arrive on a pipe.

use super::HoaError;
use std::io::BufRead;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HoaToken {
    /// `HOA:`, `States:`, …: a word with its colon.
    Header(String),
    Identifier(String),
    /// `@name`
    Alias(String),
    String(String),
    Integer(u32),
    Punctuation(char),
    /// `--BODY--`, `--END--`, `--ABORT--`
    Marker(String),
    End,
}

pub(super) struct HoaLexer<R> {
    input: R,
    peeked: Option<Option<u8>>,
    line: usize,
    column: usize,
    /// Line and column of the current token.
    pub(super) at: (usize, usize),
}

impl<R: BufRead> HoaLexer<R> {
    pub(super) fn new(input: R) -> Self {
        HoaLexer { input, peeked: None, line: 1, column: 1, at: (1, 1) }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> HoaError {
        HoaError { line: self.at.0, column: self.at.1, message: message.into() }
    }

    fn peek(&mut self) -> Result<Option<u8>, HoaError> {
        if let Some(byte) = self.peeked {
            return Ok(byte);
        }
        let mut byte = [0];
        let byte = loop {
            match self.input.read(&mut byte) {
                Ok(0) => break None,
                Ok(_) => break Some(byte[0]),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.error(e.to_string())),
            }
        };
        self.peeked = Some(byte);
        Ok(byte)
    }

    fn bump(&mut self) -> Result<Option<u8>, HoaError> {
        let byte = self.peek()?;
        if byte.is_some() {
            self.peeked = None;
        }
        match byte {
            Some(b'\n') => {
                self.line += 1;
                self.column = 1;
            }
            Some(_) => self.column += 1,
            None => {}
        }
        Ok(byte)
    }

    fn word(&mut self, first: u8) -> Result<String, HoaError> {
        let mut word = vec![first];
        while let Some(b) = self.peek()? {
            if !(b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
                break;
            }
            word.push(b);
            self.bump()?;
        }
        Ok(String::from_utf8_lossy(&word).into_owned())
    }

    fn comment(&mut self) -> Result<(), HoaError> {
        let mut depth = 1;
        let mut previous = 0;
        while depth > 0 {
            let Some(b) = self.bump()? else {
                return Err(self.error("this comment is never closed"));
            };
            match (previous, b) {
                (b'/', b'*') => {
                    depth += 1;
                    previous = 0;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    previous = 0;
                }
                _ => previous = b,
            }
        }
        Ok(())
    }

    pub(super) fn token(&mut self) -> Result<HoaToken, HoaError> {
        loop {
            self.at = (self.line, self.column);
            let Some(byte) = self.bump()? else { return Ok(HoaToken::End) };
            return Ok(match byte {
                b if b.is_ascii_whitespace() => continue,
                b'/' if self.peek()? == Some(b'*') => {
                    self.bump()?;
                    self.comment()?;
                    continue;
                }
                b'"' => {
                    let mut text = Vec::new();
                    loop {
                        match self.bump()? {
                            None => return Err(self.error("this string is never closed")),
                            Some(b'"') => break,
                            Some(b'\\') => text.extend(self.bump()?),
                            Some(b) => text.push(b),
                        }
                    }
                    HoaToken::String(String::from_utf8_lossy(&text).into_owned())
                }
                b'@' => {
                    let word = self.word(b'@')?;
                    HoaToken::Alias(word[1..].to_string())
                }
                b'-' => {
                    let word = self.word(b'-')?;
                    if !matches!(word.as_str(), "--BODY--" | "--END--" | "--ABORT--") {
                        return Err(self.error(format!("`{word}` is not a marker of the format")));
                    }
                    HoaToken::Marker(word)
                }
                b if b.is_ascii_digit() => {
                    let mut value = u32::from(b - b'0');
                    while let Some(d) = self.peek()?.filter(u8::is_ascii_digit) {
                        self.bump()?;
                        value = value
                            .checked_mul(10)
                            .and_then(|v| v.checked_add(u32::from(d - b'0')))
                            .filter(|v| *v < 1 << 31)
                            .ok_or_else(|| self.error("this number is too large"))?;
                    }
                    HoaToken::Integer(value)
                }
                b if b.is_ascii_alphabetic() || b == b'_' => {
                    let word = self.word(b)?;
                    if self.peek()? == Some(b':') {
                        self.bump()?;
                        HoaToken::Header(word)
                    } else {
                        HoaToken::Identifier(word)
                    }
                }
                b if b"!&|()[]{}".contains(&b) => HoaToken::Punctuation(b as char),
                b => return Err(self.error(format!("unexpected byte `{}`", b.escape_ascii()))),
            });
        }
    }
}
