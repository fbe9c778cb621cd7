//! The lexer: defines words, numbers, quoted names, comments and the reserved words. The printer
//! uses it to spell names so that they are read back as names.

use super::error::{ERROR_LIMIT, ParseError};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a reserved word.
    Word(String),
    /// A name in backticks: never a reserved word.
    Quoted(String),
    Number(i64),
    Text(String),
    Symbol(&'static str),
    EndOfText,
}

#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub token: Token,
    pub span: Range<usize>,
}

/// The most tokens of a text, far above any real program; it bounds the memory.
const TOKEN_LIMIT: usize = 1 << 22;

/// Longest first, because the first symbol that matches is taken.
const SYMBOLS: [&str; 44] = [
    "::", ":=", "==", "=>", "!=", "!!", "??", "<=", "<<", ">=", ">>", "->", "&&", "||", "..", ":",
    "=", "!", "?", "<", ">", "-", "&", "|", ".", "^", "~", "+", "*", "/", "%", "(", ")", "[", "]",
    "{", "}", ",", ";", "@", "#", "\u{2227}", "\u{2228}", "\u{ac}",
];

/// Words that cannot be names unless quoted.
const RESERVED: &str = "_ _last _nr_pr _partner _pid as assert atomic bit bool byte chan channel \
    const d_step deterministic do else end enter escape eval exclusive false goto hidden if init \
    int leave location names new node notrace np_ option origin peek pid print priority process \
    proctype prologue provided receive run send set_priority short signed skip spawned start \
    terminate then timeout trace true unsigned var when";

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.split(' ').any(|reserved| reserved == word)
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_word_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A name as it must be written: bare if it is an ordinary word, otherwise in backticks.
pub(super) fn spell_name(name: &str) -> String {
    let ordinary = name.bytes().next().is_some_and(is_word_start)
        && name.bytes().all(is_word_part)
        && !is_reserved(name);
    if ordinary { name.to_string() } else { quote(name, '`') }
}

/// The text in `quote`s, with special characters escaped.
pub(super) fn quote(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for character in text.chars() {
        match character {
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '\\' => out += "\\\\",
            _ if character == quote => {
                out.push('\\');
                out.push(quote);
            }
            _ if character.is_control() => out += &format!("\\u{{{:x}}}", u32::from(character)),
            _ => out.push(character),
        }
    }
    out.push(quote);
    out
}

/// All tokens, the last of them [`Token::EndOfText`]. Characters that form no token are reported
/// and skipped.
pub(super) fn tokenize(source: &str, errors: &mut Vec<ParseError>) -> Vec<Lexeme> {
    let mut lexer = Lexer { source, position: 0, errors };
    let mut lexemes = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.position;
        if lexemes.len() == TOKEN_LIMIT {
            lexer.error(start, format!("the text has more than {TOKEN_LIMIT} words and symbols"));
        }
        if lexemes.len() >= TOKEN_LIMIT || lexer.errors.len() >= ERROR_LIMIT {
            lexer.position = source.len();
        }
        let Some(token) = lexer.token() else { continue };
        let at_end = token == Token::EndOfText;
        lexemes.push(Lexeme { token, span: start..lexer.position });
        if at_end {
            return lexemes;
        }
    }
}

struct Lexer<'s, 'e> {
    source: &'s str,
    position: usize,
    errors: &'e mut Vec<ParseError>,
}

impl Lexer<'_, '_> {
    fn rest(&self) -> &str {
        &self.source[self.position..]
    }

    fn error(&mut self, start: usize, message: impl Into<String>) {
        self.errors.push(ParseError::new(self.source, start..self.position, message));
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            if blank > 0 {
                self.position += blank;
            } else if rest.starts_with("//") {
                self.position += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let start = self.position;
                match rest.find("*/") {
                    Some(length) => self.position += length + 2,
                    None => {
                        self.position = self.source.len();
                        self.error(start, "this comment is never closed");
                    }
                }
            } else {
                return;
            }
        }
    }

    /// The next token; `None` if an error was reported and its characters skipped.
    fn token(&mut self) -> Option<Token> {
        let start = self.position;
        let Some(first) = self.rest().chars().next() else {
            return Some(Token::EndOfText);
        };
        if first.is_ascii_digit() {
            return self.number();
        }
        if first.is_ascii() && is_word_start(first as u8) {
            let length = self.rest().bytes().take_while(|&byte| is_word_part(byte)).count();
            self.position += length;
            return Some(Token::Word(self.source[start..self.position].to_string()));
        }
        if first == '"' || first == '`' {
            let text = self.quoted(first)?;
            return Some(if first == '"' { Token::Text(text) } else { Token::Quoted(text) });
        }
        let rest = self.rest().as_bytes();
        let fits =
            |symbol: &&str| symbol.as_bytes()[0] == rest[0] && rest.starts_with(symbol.as_bytes());
        if let Some(symbol) = SYMBOLS.into_iter().find(fits) {
            self.position += symbol.len();
            return Some(Token::Symbol(match symbol {
                "\u{2227}" => "&&",
                "\u{2228}" => "||",
                "\u{ac}" => "!",
                other => other,
            }));
        }
        self.position += first.len_utf8();
        self.error(start, format!("{first:?} does not belong here"));
        None
    }

    fn number(&mut self) -> Option<Token> {
        let start = self.position;
        self.position += self.rest().bytes().take_while(|&byte| is_word_part(byte)).count();
        // Unsigned numbers may exceed `i32`; the parser checks the numbers in expressions.
        match self.source[start..self.position].parse::<i64>() {
            Ok(value) if value <= i64::from(u32::MAX) => Some(Token::Number(value)),
            Ok(_) => {
                self.error(start, "numbers have 32 bits: this one is too large");
                None
            }
            Err(_) => {
                self.error(start, "a number consists of decimal digits and has 32 bits");
                None
            }
        }
    }

    /// The text between two `quote`s, without escapes.
    fn quoted(&mut self, quote: char) -> Option<String> {
        let start = self.position;
        let mut text = String::new();
        let mut characters = self.source[start + 1..].char_indices();
        self.position = start + 1;
        while let Some((offset, character)) = characters.next() {
            self.position = start + 1 + offset + character.len_utf8();
            match character {
                _ if character == quote => return Some(text),
                '\n' => {
                    self.position -= 1;
                    break;
                }
                '\\' => match characters.next().map(|(_, escaped)| escaped) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('u') => {
                        let rest = characters.as_str();
                        let code = rest
                            .strip_prefix('{')
                            .and_then(|rest| rest.split_once('}'))
                            .and_then(|(digits, _)| {
                                Some((digits, u32::from_str_radix(digits, 16).ok()?))
                            })
                            .and_then(|(digits, code)| Some((digits.len(), char::from_u32(code)?)));
                        let Some((digits, code)) = code else {
                            self.error(
                                start,
                                "an escape is written \\u{...}, with a character's number inside",
                            );
                            return None;
                        };
                        text.push(code);
                        characters.nth(digits + 1);
                    }
                    Some(escaped) => text.push(escaped),
                    None => break,
                },
                _ => text.push(character),
            }
        }
        self.error(start, format!("this {quote} is never closed on its line"));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_not_names() {
        assert!(
            is_reserved("var") && is_reserved("_pid") && is_reserved("_") && !is_reserved("pc")
        );
    }

    #[test]
    fn longer_symbols_come_first() {
        for (index, symbol) in SYMBOLS.iter().enumerate() {
            assert!(
                !SYMBOLS[..index].iter().any(|earlier| symbol.starts_with(earlier)),
                "{symbol}"
            );
        }
    }

    #[test]
    fn reading_inverts_quoting() {
        for text in ["", "plain", "a\nb\t\"`\\", "é\u{0}\u{7f}\u{2028}", "\\u{41}"] {
            for mark in ['"', '`'] {
                let mut errors = Vec::new();
                let lexemes = tokenize(&quote(text, mark), &mut errors);
                assert!(errors.is_empty(), "{text:?}: {errors:?}");
                let (Token::Text(read) | Token::Quoted(read)) = &lexemes[0].token else {
                    panic!("{lexemes:?}");
                };
                assert_eq!(read, text);
            }
        }
    }
}
