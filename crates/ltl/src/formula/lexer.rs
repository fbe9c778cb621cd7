//! Tokens of temporal formulas, in SPIN's and in Spot's spelling.
//!
//! Splits text into tokens with byte spans; does not know precedence. Both spellings of every
//! operator are always accepted. The dialects differ only in words: Spot reads `GFp` as `G F p`,
//! SPIN has operators such as `always`, and CTL combines letters as in `AG` and `EF`.

use super::parse::{Dialect, Syntax, SyntaxError};
use std::ops::Range;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    True,
    False,
    Open(char),
    Close(char),
    Not,
    Next,
    Finally,
    Globally,
    ForAll,
    Exists,
    And,
    Or,
    Implies,
    Iff,
    Xor,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
    End,
}

/// Operators made of punctuation, longest first.
const PUNCTUATION: &[(&str, Token)] = &[
    ("<->", Token::Iff),
    ("<=>", Token::Iff),
    ("-->", Token::Implies),
    ("[]", Token::Globally),
    ("<>", Token::Finally),
    ("&&", Token::And),
    ("/\\", Token::And),
    ("||", Token::Or),
    ("\\/", Token::Or),
    ("->", Token::Implies),
    ("=>", Token::Implies),
    ("&", Token::And),
    ("*", Token::And),
    ("|", Token::Or),
    ("+", Token::Or),
    ("^", Token::Xor),
    ("!", Token::Not),
    ("~", Token::Not),
    ("\u{ac}", Token::Not),
    ("\u{2227}", Token::And),
    ("\u{2228}", Token::Or),
    ("\u{2192}", Token::Implies),
    ("\u{2194}", Token::Iff),
    ("\u{25a1}", Token::Globally),
    ("\u{25c7}", Token::Finally),
    ("\u{25cb}", Token::Next),
];

/// Operators and constants made of letters, when they stand alone.
fn keyword(word: &str, syntax: Syntax) -> Option<Token> {
    Some(match word {
        "true" | "1" => Token::True,
        "false" | "0" => Token::False,
        "X" | "next" if word == "X" || syntax.dialect == Dialect::Spin => Token::Next,
        "F" => Token::Finally,
        "G" => Token::Globally,
        "U" => Token::Until,
        "R" | "V" => Token::Release,
        "W" => Token::WeakUntil,
        "M" => Token::StrongRelease,
        "xor" => Token::Xor,
        "A" if syntax.branching => Token::ForAll,
        "E" if syntax.branching => Token::Exists,
        "always" if syntax.dialect == Dialect::Spin => Token::Globally,
        "eventually" if syntax.dialect == Dialect::Spin => Token::Finally,
        "until" | "stronguntil" if syntax.dialect == Dialect::Spin => Token::Until,
        "weakuntil" if syntax.dialect == Dialect::Spin => Token::WeakUntil,
        "release" if syntax.dialect == Dialect::Spin => Token::Release,
        "implies" if syntax.dialect == Dialect::Spin => Token::Implies,
        "equivalent" if syntax.dialect == Dialect::Spin => Token::Iff,
        _ => return None,
    })
}

fn is_word_start(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.' || c == '$' || c == '@' || c == '#'
}

fn is_word_part(c: char) -> bool {
    is_word_start(c) || c == '\''
}

/// The number of leading letters of `word` that are prefix operators written without a space.
fn compact_prefix(word: &str, syntax: Syntax) -> usize {
    if syntax.branching && word.len() > 1 && word.chars().all(|c| "AEFGX".contains(c)) {
        return 1;
    }
    let mut chars = word.chars();
    let first = chars.next().is_some_and(|c| "FGX".contains(c));
    // As in Spot, `G0` and `X2` are atoms, `Gp0` is not.
    let second = chars.next().is_some_and(|c| !c.is_ascii_digit());
    usize::from(first && second && syntax.dialect == Dialect::Spot)
}

/// Splits `text` into tokens; the last one is [`Token::End`].
pub(super) fn tokenize(
    text: &str,
    syntax: Syntax,
) -> Result<Vec<(Token, Range<usize>)>, SyntaxError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    'next: while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        for (spelling, token) in PUNCTUATION {
            if rest.starts_with(spelling) {
                tokens.push((token.clone(), at..at + spelling.len()));
                at += spelling.len();
                continue 'next;
            }
        }
        match c {
            '(' | '[' | '{' => tokens.push((Token::Open(c), at..at + 1)),
            ')' | ']' | '}' => tokens.push((Token::Close(c), at..at + 1)),
            '"' => {
                let (name, end) = quoted(text, at)?;
                tokens.push((Token::Word(name), at..end));
                at = end;
                continue;
            }
            _ if is_word_start(c) => {
                let length = rest.find(|c: char| !is_word_part(c)).unwrap_or(rest.len());
                let word = &rest[..length];
                let (word, token) = match keyword(word, syntax) {
                    Some(token) => (word, token),
                    None => match compact_prefix(word, syntax) {
                        0 => (word, Token::Word(word.to_string())),
                        n => (
                            &word[..n],
                            keyword(&word[..n], syntax).expect("prefix letters are operators"),
                        ),
                    },
                };
                tokens.push((token, at..at + word.len()));
                at += word.len();
                continue;
            }
            _ => {
                return Err(SyntaxError {
                    span: at..at + c.len_utf8(),
                    message: format!("`{c}` has no meaning in a temporal formula"),
                    expected: vec!["an atom", "an operator"],
                });
            }
        }
        at += 1;
    }
    tokens.push((Token::End, text.len()..text.len()));
    Ok(tokens)
}

/// Reads the quoted atom that starts at `start`. Returns its name and end.
fn quoted(text: &str, start: usize) -> Result<(String, usize), SyntaxError> {
    let mut name = String::new();
    let mut chars = text[start + 1..].char_indices();
    while let Some((offset, c)) = chars.next() {
        match c {
            '"' if name.is_empty() => {
                return Err(SyntaxError {
                    span: start..start + 1 + offset + 1,
                    message: "the name of an atom is empty".into(),
                    expected: vec!["a name between the quotes"],
                });
            }
            '"' => return Ok((name, start + 1 + offset + 1)),
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            _ => name.push(c),
        }
    }
    Err(SyntaxError {
        span: start..text.len(),
        message: "this quoted atom has no closing quote".into(),
        expected: vec!["`\"`"],
    })
}
