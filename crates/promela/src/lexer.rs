//! The lexer: the text of one file to tokens.
//!
//! It owns comments, line continuations and the spelling of tokens. It must not know directives,
//! macros or grammar: invalid text becomes an [`InvalidToken`] for the parser to report.

use crate::source::Span;
use crate::token::{Flags, Interner, InvalidToken, Token, TokenKind};

/// A position in the text of one file. The text and the interner are passed in, so that several
/// files can be open at once.
#[derive(Clone, Debug)]
pub struct Lexer {
    offset: usize,
    /// Position of the file's first byte in the source map.
    base: u32,
    at_line_start: bool,
    /// The start of an unterminated comment.
    pub unterminated_comment: Option<Span>,
    /// A `*/` outside comments, which SPIN ignores.
    pub stray_comment_end: Option<Span>,
}

impl Lexer {
    pub fn new(base: u32) -> Lexer {
        Lexer {
            offset: 0,
            base,
            at_line_start: true,
            unterminated_comment: None,
            stray_comment_end: None,
        }
    }

    /// The next token; at the end always [`TokenKind::End`].
    pub fn next(&mut self, text: &str, interner: &mut Interner) -> Token {
        let flags = self.skip_blank(text.as_bytes());
        let start = self.offset;
        let (kind, number_flags) = self.scan(text, interner);
        let flags = if number_flags { flags.with(Flags::OVERFLOW) } else { flags };
        Token { kind, span: self.span(start, self.offset), flags }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start as u32, self.base + end as u32)
    }

    /// Skips white space, comments and escaped newlines.
    fn skip_blank(&mut self, text: &[u8]) -> Flags {
        let mut flags = Flags::default();
        if self.at_line_start {
            flags = flags.with(Flags::NEWLINE).with(Flags::LINE);
            self.at_line_start = false;
        }
        let start = self.offset;
        let mut blank = false;
        loop {
            let next = text.get(self.offset + 1);
            match text.get(self.offset) {
                Some(b'\n') => {
                    flags = flags.with(Flags::NEWLINE);
                    self.offset += 1;
                }
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => self.offset += 1,
                Some(b'\\') => match continuation(&text[self.offset..]) {
                    Some(length) => {
                        // An escaped newline alone joins two lines invisibly; next to blanks, `cpp`
                        // outputs it.
                        self.offset += length;
                        continue;
                    }
                    None => break,
                },
                Some(b'/') if next == Some(&b'/') => self.skip_line_comment(text),
                Some(b'/') if next == Some(&b'*') => self.skip_block_comment(text),
                Some(b'*') if next == Some(&b'/') => {
                    self.stray_comment_end = Some(self.span(self.offset, self.offset + 2));
                    self.offset += 2;
                }
                _ => break,
            }
            blank = true;
        }
        if !blank {
            return flags;
        }
        let flags = flags.with(Flags::SPACE);
        if text[start..self.offset].contains(&b'\n') { flags.with(Flags::LINE) } else { flags }
    }

    fn skip_line_comment(&mut self, text: &[u8]) {
        while let Some(&byte) = text.get(self.offset) {
            match byte {
                b'\n' => return,
                b'\\' => self.offset += continuation(&text[self.offset..]).unwrap_or(1),
                _ => self.offset += 1,
            }
        }
    }

    fn skip_block_comment(&mut self, text: &[u8]) {
        let start = self.offset;
        self.offset += 2;
        while self.offset < text.len() {
            if text[self.offset] == b'*' && text.get(self.offset + 1) == Some(&b'/') {
                self.offset += 2;
                return;
            }
            self.offset += 1;
        }
        self.unterminated_comment = Some(self.span(start, start + 2));
    }

    /// Scans one token; the flag is set if a number overflows.
    fn scan(&mut self, text: &str, interner: &mut Interner) -> (TokenKind, bool) {
        let rest = &text.as_bytes()[self.offset..];
        let Some(&first) = rest.first() else { return (TokenKind::End, false) };
        let kind = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let word = &text[self.offset..self.offset + word_length(rest)];
                self.offset += word.len();
                TokenKind::Word(interner.intern(word))
            }
            b'0'..=b'9' => return self.number(rest),
            b'"' => self.string(text, interner),
            b'\'' => self.character(&text[self.offset..]),
            _ => {
                let (kind, length) = punctuation(rest);
                match kind {
                    Some(kind) => {
                        self.offset += length;
                        kind
                    }
                    None => {
                        let character = text[self.offset..].chars().next().unwrap_or('\0');
                        self.offset += character.len_utf8();
                        TokenKind::InvalidToken(InvalidToken::Character(character))
                    }
                }
            }
        };
        (kind, false)
    }

    /// Decimal only: SPIN reads `012` as twelve. A number that is too large is truncated as in C.
    fn number(&mut self, rest: &[u8]) -> (TokenKind, bool) {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let length = word_length(rest);
        self.offset += length;
        if length > digits {
            return (TokenKind::InvalidToken(InvalidToken::Number), false);
        }
        let value = rest[..digits].iter().fold(0i64, |value, digit| {
            value.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
        });
        (TokenKind::Number(value as i32), i32::try_from(value).is_err())
    }

    fn string(&mut self, text: &str, interner: &mut Interner) -> TokenKind {
        let start = self.offset + 1;
        let bytes = text.as_bytes();
        self.offset = start;
        while let Some(&byte) = bytes.get(self.offset) {
            match byte {
                b'"' => {
                    self.offset += 1;
                    return TokenKind::String(interner.intern(&text[start..self.offset - 1]));
                }
                b'\n' => break,
                b'\\' if bytes.len() > self.offset + 1 => self.offset += 2,
                _ => self.offset += 1,
            }
        }
        while !text.is_char_boundary(self.offset) {
            self.offset += 1;
        }
        TokenKind::InvalidToken(InvalidToken::UnterminatedString)
    }

    /// `'a'`, `'\n'`; an unknown escape denotes the escaped character.
    fn character(&mut self, rest: &str) -> TokenKind {
        let mut characters = rest.chars();
        characters.next();
        let mut length = 1;
        let value = match characters.next() {
            Some('\\') => {
                length += 1;
                characters.next().inspect(|c| length += c.len_utf8()).map(|escaped| match escaped {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'f' => '\u{c}',
                    other => other,
                })
            }
            other => other.inspect(|c| length += c.len_utf8()),
        };
        match (value, characters.next()) {
            (Some(value), Some('\'')) if value != '\n' || length == 3 => {
                self.offset += length + 1;
                TokenKind::Number(value as i32)
            }
            _ => {
                self.offset += 1;
                TokenKind::InvalidToken(InvalidToken::UnterminatedCharacter)
            }
        }
    }
}

fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}

/// The length of a backslash, white space and newline at the beginning of `bytes`.
fn continuation(bytes: &[u8]) -> Option<usize> {
    let blank = bytes[1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    (bytes.get(1 + blank) == Some(&b'\n')).then_some(blank + 2)
}

fn punctuation(bytes: &[u8]) -> (Option<TokenKind>, usize) {
    use TokenKind as T;
    let two = match bytes {
        [b'-', b'>', ..] => T::Arrow,
        [b'-', b'-', ..] => T::Decrement,
        [b'+', b'+', ..] => T::Increment,
        [b':', b':', ..] => T::Separator,
        [b'.', b'.', ..] => T::DotDot,
        [b'=', b'=', ..] => T::Equal,
        [b'!', b'=', ..] => T::NotEqual,
        [b'!', b'!', ..] => T::BangBang,
        [b'?', b'?', ..] => T::QuestionQuestion,
        [b'<', b'=', ..] => T::LessEqual,
        [b'<', b'<', ..] => T::ShiftLeft,
        [b'>', b'=', ..] => T::GreaterEqual,
        [b'>', b'>', ..] => T::ShiftRight,
        [b'&', b'&', ..] => T::AndAnd,
        [b'|', b'|', ..] => T::OrOr,
        [b'#', b'#', ..] => T::HashHash,
        _ => {
            let one = match bytes[0] {
                b';' => T::Semicolon,
                b',' => T::Comma,
                b':' => T::Colon,
                b'.' => T::Dot,
                b'@' => T::At,
                b'(' => T::OpenParen,
                b')' => T::CloseParen,
                b'{' => T::OpenBrace,
                b'}' => T::CloseBrace,
                b'[' => T::OpenBracket,
                b']' => T::CloseBracket,
                b'=' => T::Assign,
                b'!' => T::Bang,
                b'?' => T::Question,
                b'~' => T::Tilde,
                b'+' => T::Plus,
                b'-' => T::Minus,
                b'*' => T::Star,
                b'/' => T::Slash,
                b'%' => T::Percent,
                b'&' => T::And,
                b'|' => T::Or,
                b'^' => T::Caret,
                b'<' => T::Less,
                b'>' => T::Greater,
                b'#' => T::Hash,
                _ => return (None, 0),
            };
            return (Some(one), 1);
        }
    };
    (Some(two), 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        let mut interner = Interner::new();
        let mut lexer = Lexer::new(0);
        let mut kinds = Vec::new();
        loop {
            let token = lexer.next(text, &mut interner);
            let line = if token.starts_line() && !kinds.is_empty() { "/" } else { "" };
            kinds.push(match token.kind {
                TokenKind::End => return kinds,
                TokenKind::Word(word) => format!("{line}{}", interner.word(word)),
                TokenKind::Number(value) => format!("{line}{value}"),
                TokenKind::String(text) => format!("{line}\"{}\"", interner.word(text)),
                TokenKind::InvalidToken(bad) => format!("{line}{bad:?}"),
                kind => format!("{line}{}", kind.spelling().unwrap()),
            });
        }
    }

    #[test]
    fn text_becomes_tokens() {
        for (text, expected) in [
            ("a->b--c-d", "a -> b -- c - d"),
            ("x=y==z!=!q!!r", "x = y == z != ! q !! r"),
            ("a::b:c..d.e", "a :: b : c .. d . e"),
            ("<<=>>=<>", "<< = >> = < >"),
            ("012 'a' '\\n' '\\'' '\\0' '''", "12 97 10 39 48 39"),
            ("4294967295", "-1"),
            ("0x1f", "Number"),
            ("'ab'", "UnterminatedCharacter ab UnterminatedCharacter"),
            ("\"a\\\"b\" \"c", "\"a\\\"b\" UnterminatedString"),
            ("a // b\nc /* d\n */ e", "a /c /e"),
            ("a \\\n b \\ \r\n c \\ d", "a /b /c Character('\\\\') d"),
            ("// a \\\n b\nc", "c"),
            ("a /* b", "a"),
            ("a\\\nb c \\\nd", "a b c /d"),
            ("a */ b", "a b"),
            ("\u{e9}$", "Character('\u{e9}') Character('$')"),
        ] {
            assert_eq!(kinds(text).join(" "), expected, "{text}");
        }
    }
}
