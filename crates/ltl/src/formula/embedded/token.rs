//! Tokens of embedded formulas: temporal operators, brackets, and pieces of atoms.

use super::super::SyntaxError;
use super::error;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Arrow,
    DoubleArrow,
    Or,
    And,
    /// `U`, `R`, `V`, `W` or `M`.
    Until(char),
    Not,
    /// `[]` or `<>`.
    Box,
    Diamond,
    /// A word of the letters `A E F G X`.
    Prefix,
    Open,
    Close,
    /// A part of an atom.
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct EmbeddedToken {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
}

pub(super) fn tokenize(text: &str) -> Result<Vec<EmbeddedToken>, SyntaxError> {
    const FIXED: [(&str, TokenKind); 9] = [
        ("<->", TokenKind::DoubleArrow),
        ("->", TokenKind::Arrow),
        ("||", TokenKind::Or),
        ("&&", TokenKind::And),
        ("[]", TokenKind::Box),
        ("<>", TokenKind::Diamond),
        ("!=", TokenKind::Other),
        ("==", TokenKind::Other),
        ("!", TokenKind::Not),
    ];
    let mut tokens: Vec<EmbeddedToken> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let fixed = FIXED.iter().find(|(spelling, _)| rest.starts_with(spelling));
        let (kind, length) = match c {
            _ if fixed.is_some() => {
                fixed.map_or((TokenKind::Other, 1), |(spelling, kind)| (*kind, spelling.len()))
            }
            '(' | '[' | '{' => (TokenKind::Open, 1),
            ')' | ']' | '}' => (TokenKind::Close, 1),
            '"' => match rest[1..].find('"') {
                Some(length) => (TokenKind::Other, length + 2),
                None => {
                    return Err(error(
                        at..text.len(),
                        "this quoted name has no closing quote",
                        &["`\"`"],
                    ));
                }
            },
            _ if c.is_alphanumeric() || c == '_' => {
                let length =
                    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                // After these a word is a label or a field, even if spelled like an operator.
                let named = tokens.last().is_some_and(|last| {
                    last.span.end == at && matches!(&text[last.span.clone()], "@" | "." | ":")
                });
                (if named { TokenKind::Other } else { word(&rest[..length]) }, length)
            }
            _ => (TokenKind::Other, c.len_utf8()),
        };
        tokens.push(EmbeddedToken { kind, span: at..at + length });
        at += length;
    }
    Ok(tokens)
}

fn word(word: &str) -> TokenKind {
    match word {
        "U" | "R" | "V" | "W" | "M" => TokenKind::Until(word.chars().next().unwrap_or('U')),
        _ if word.chars().all(|c| "AEFGX".contains(c)) => TokenKind::Prefix,
        _ => TokenKind::Other,
    }
}

/// For each bracket, the index of its partner.
pub(super) fn partners(text: &str, tokens: &[EmbeddedToken]) -> Result<Vec<usize>, SyntaxError> {
    let mut partners = vec![0; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let shown = &text[token.span.clone()];
        match token.kind {
            TokenKind::Open => open.push(place),
            TokenKind::Close => {
                let Some(partner) = open.pop() else {
                    return Err(error(
                        token.span.clone(),
                        format!("this `{shown}` closes nothing"),
                        &[],
                    ));
                };
                let opened = &text[tokens[partner].span.clone()];
                if !matches!((opened, shown), ("(", ")") | ("[", "]") | ("{", "}")) {
                    let message = format!("this `{shown}` does not close the `{opened}` before it");
                    return Err(error(token.span.clone(), message, &["the same kind of bracket"]));
                }
                (partners[place], partners[partner]) = (partner, place);
            }
            _ => {}
        }
    }
    match open.last() {
        Some(&place) => {
            let span = tokens[place].span.clone();
            let message = format!("this `{}` is never closed", &text[span.clone()]);
            Err(error(span, message, &[]))
        }
        None => Ok(partners),
    }
}

/// Turns words that are spelled like operators into names where only a name can stand.
pub(super) fn name_operands(text: &str, tokens: &mut [EmbeddedToken], partners: &[usize]) {
    // Operators between two values. `-` and `!` are missing: they may also begin a value.
    const INFIX: [&str; 11] = ["==", "!=", "<", ">", "=", "+", "*", "/", "%", "&", "|"];
    for at in 0..tokens.len() {
        let is_one_of = |place: Option<usize>, list: &[&str]| {
            place
                .and_then(|place| tokens.get(place))
                .is_some_and(|token| list.contains(&&text[token.span.clone()]))
        };
        let kind = |place: Option<usize>| {
            place.and_then(|place| tokens.get(place)).map(|token| token.kind)
        };
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        let continues = |place| is_one_of(place, &["@", ":", "."]) || is_one_of(place, &INFIX);
        let index = is_one_of(after, &["["]).then(|| partners[at + 1]);
        let can_end = match kind(after) {
            None | Some(TokenKind::Close | TokenKind::Arrow | TokenKind::DoubleArrow) => true,
            Some(TokenKind::Or | TokenKind::And | TokenKind::Until(_)) => true,
            Some(TokenKind::Open) => index.is_some(),
            Some(TokenKind::Other) => continues(after) || is_one_of(after, &["-", "^", ",", "?"]),
            Some(TokenKind::Not | TokenKind::Box | TokenKind::Diamond | TokenKind::Prefix) => false,
        };
        let named = match tokens[at].kind {
            // A binary operator has an operand on each side.
            TokenKind::Until(_) => {
                let no_operand = !matches!(kind(before), Some(TokenKind::Close | TokenKind::Other));
                can_end && (no_operand || is_one_of(before, &INFIX))
            }
            // A quantifier may also be followed by brackets, but they do not contain just a number,
            // and no operator on values follows them.
            TokenKind::Prefix => {
                let number = |close: usize| {
                    close == at + 3
                        && text[tokens[at + 2].span.clone()].chars().all(|c| c.is_ascii_digit())
                };
                can_end && is_one_of(before, &INFIX)
                    || continues(after)
                    || index.is_some_and(|close| number(close) || continues(Some(close + 1)))
            }
            _ => false,
        };
        if named {
            tokens[at].kind = TokenKind::Other;
        }
    }
}
