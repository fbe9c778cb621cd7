//! Text to formula: precedence climbing for SPIN's and Spot's grammars.
//!
//! Owns precedence and associativity. Spot's grammar is the usual one (`U` and `->` associate to
//! the right). SPIN's `-f` grammar has only two ranks of binary operators, both left-associative:
//! `U V W R M` bind tighter than `&& || -> <->`, which have equal rank. A syntax error has a byte
//! span, a message and the expected tokens.

use super::lexer::{Token, tokenize};
use super::{Formula, Formulas};
use std::fmt;
use std::ops::Range;

/// The grammar that determines precedence and associativity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Precedence `<-> ->`, `xor`, `|`, `&`, `U R W M`; arrows and temporal operators associate
    /// to the right.
    #[default]
    Spot,
    /// Two ranks, both left-associative; words such as `always`, `until` and `implies` are
    /// operators.
    Spin,
}

/// What the parser accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Syntax {
    /// Precedence and words.
    pub dialect: Dialect,
    /// Whether `A` and `E` are path quantifiers (CTL, CTL*).
    pub branching: bool,
}

impl Syntax {
    /// Spot's grammar, linear time.
    pub const SPOT: Syntax = Syntax { dialect: Dialect::Spot, branching: false };
    /// SPIN's grammar, linear time.
    pub const SPIN: Syntax = Syntax { dialect: Dialect::Spin, branching: false };
    /// Spot's grammar with path quantifiers.
    pub const CTL_STAR: Syntax = Syntax { dialect: Dialect::Spot, branching: true };
}

/// Why a text is not a formula, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The bytes of the text that caused the error; empty at the end of the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What the parser expected here.
    pub expected: Vec<&'static str>,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.message)?;
        if !self.expected.is_empty() {
            write!(out, "; expected {}", self.expected.join(" or "))?;
        }
        Ok(())
    }
}

impl std::error::Error for SyntaxError {}

/// The parser rejects deeper nesting, so that recursion over the tree cannot exhaust the stack.
const MAX_DEPTH: u32 = 1000;

impl Formulas {
    /// Parses a formula in Spot's grammar (which SPIN's fully parenthesised formulas share).
    ///
    /// # Errors
    /// The text is not a formula.
    pub fn parse(&mut self, text: &str) -> Result<Formula, SyntaxError> {
        self.parse_with(text, Syntax::SPOT)
    }

    /// Parses a formula in the given grammar.
    ///
    /// # Errors
    /// The text is not a formula.
    pub fn parse_with(&mut self, text: &str, syntax: Syntax) -> Result<Formula, SyntaxError> {
        let tokens = tokenize(text, syntax)?;
        let mut parser = Parser { store: self, tokens, at: 0, syntax, depth: 0 };
        let f = parser.binary(0)?;
        match parser.peek() {
            Token::End => Ok(f),
            _ => Err(parser.unexpected(vec!["an operator", "the end of the formula"])),
        }
    }
}

struct Parser<'a> {
    store: &'a mut Formulas,
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    syntax: Syntax,
    depth: u32,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    fn unexpected(&self, expected: Vec<&'static str>) -> SyntaxError {
        let message = match self.peek() {
            Token::End => "the formula ends here".to_string(),
            Token::Word(name) => format!("unexpected atom `{name}`"),
            Token::Open(c) | Token::Close(c) => format!("unexpected `{c}`"),
            token => format!("unexpected operator ({token:?})"),
        };
        SyntaxError { span: self.span(), message, expected }
    }

    fn too_deep(&self, span: Range<usize>) -> SyntaxError {
        SyntaxError {
            span,
            message: format!("the formula is nested deeper than {MAX_DEPTH} levels"),
            expected: Vec::new(),
        }
    }

    /// The rank of the current binary operator (higher binds tighter) and whether it is
    /// right-associative.
    fn rank(&self) -> Option<(u32, bool)> {
        let temporal = matches!(
            self.peek(),
            Token::Until | Token::Release | Token::WeakUntil | Token::StrongRelease
        );
        Some(match (self.syntax.dialect, self.peek()) {
            (Dialect::Spot, Token::Iff | Token::Implies) => (1, true),
            (Dialect::Spot, Token::Xor) => (2, false),
            (Dialect::Spot, Token::Or) => (3, false),
            (Dialect::Spot, Token::And) => (4, false),
            (Dialect::Spot, _) if temporal => (5, true),
            (Dialect::Spin, Token::Iff | Token::Implies | Token::Xor | Token::Or | Token::And) => {
                (1, false)
            }
            (Dialect::Spin, _) if temporal => (2, false),
            _ => return None,
        })
    }

    /// Parses a formula whose binary operators outside parentheses have at least rank `minimum`.
    fn binary(&mut self, minimum: u32) -> Result<Formula, SyntaxError> {
        let start = self.span().start;
        let mut left = self.unary()?;
        while let Some((rank, right_grouping)) = self.rank() {
            if rank < minimum {
                break;
            }
            let operator = self.peek().clone();
            self.at += 1;
            let right = self.nested(|p| p.binary(if right_grouping { rank } else { rank + 1 }))?;
            let store = &mut *self.store;
            left = match operator {
                Token::And => store.and(left, right),
                Token::Or => store.or(left, right),
                Token::Implies => store.implies(left, right),
                Token::Iff => store.iff(left, right),
                Token::Xor => store.xor(left, right),
                Token::Until => store.until(left, right),
                Token::Release => store.release(left, right),
                Token::WeakUntil => store.weak_until(left, right),
                Token::StrongRelease => store.strong_release(left, right),
                _ => unreachable!("rank() knows only binary operators"),
            };
            if self.store.depth(left) > MAX_DEPTH {
                let end = self.tokens[self.at - 1].1.end;
                return Err(self.too_deep(start..end));
            }
        }
        Ok(left)
    }

    fn nested(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<Formula, SyntaxError>,
    ) -> Result<Formula, SyntaxError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let f = parse(self)?;
        self.depth -= 1;
        Ok(f)
    }

    fn unary(&mut self) -> Result<Formula, SyntaxError> {
        let token = self.peek().clone();
        if matches!(token, Token::End | Token::Close(_)) || self.rank().is_some() {
            return Err(self.unexpected(vec!["an atom", "`(`", "a prefix operator"]));
        }
        let opened_at = self.span();
        self.at += 1;
        Ok(match token {
            Token::True => Formula::TRUE,
            Token::False => Formula::FALSE,
            Token::Word(name) => self.store.atom(&name),
            Token::Open(open) => {
                let f = self.nested(|p| p.binary(0))?;
                let close = match open {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                };
                if *self.peek() != Token::Close(close) {
                    let mut error = self.unexpected(vec!["an operator", "the closing parenthesis"]);
                    if *self.peek() == Token::End {
                        error.message = format!("this `{open}` is never closed");
                        error.span = opened_at;
                    }
                    return Err(error);
                }
                self.at += 1;
                f
            }
            prefix => {
                let f = self.nested(Self::unary)?;
                let store = &mut *self.store;
                match prefix {
                    Token::Not => store.not(f),
                    Token::Next => store.next(f),
                    Token::Finally => store.finally(f),
                    Token::Globally => store.globally(f),
                    Token::ForAll => store.for_all_paths(f),
                    Token::Exists => store.exists_path(f),
                    other => unreachable!("{other:?} is not a prefix operator"),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Spelling;

    fn roundtrip(text: &str, syntax: Syntax) -> String {
        let mut store = Formulas::new();
        let f = store.parse_with(text, syntax).unwrap_or_else(|e| panic!("{text}: {e}"));
        store.display(f, Spelling::Spot).to_string()
    }

    #[test]
    fn both_spellings_mean_the_same() {
        assert_eq!(
            roundtrip("[]<>p && !q V r", Syntax::SPOT),
            roundtrip("GFp & (~q R r)", Syntax::SPOT)
        );
        assert_eq!(
            roundtrip("p /\\ q \\/ r", Syntax::SPOT),
            roundtrip("(p & q) | r", Syntax::SPOT)
        );
    }

    #[test]
    fn spot_groups_to_the_right_and_spin_to_the_left() {
        assert_eq!(roundtrip("a U b U c", Syntax::SPOT), roundtrip("a U (b U c)", Syntax::SPOT));
        assert_eq!(roundtrip("a U b U c", Syntax::SPIN), roundtrip("(a U b) U c", Syntax::SPOT));
        assert_eq!(
            roundtrip("a -> b -> c", Syntax::SPIN),
            roundtrip("(a -> b) -> c", Syntax::SPOT)
        );
        assert_eq!(roundtrip("a || b && c", Syntax::SPIN), roundtrip("(a | b) & c", Syntax::SPOT));
        assert_eq!(roundtrip("a && b U c", Syntax::SPIN), roundtrip("a & (b U c)", Syntax::SPOT));
        assert_eq!(roundtrip("always p implies eventually q", Syntax::SPIN), "G p -> F q");
    }

    #[test]
    fn words_and_quotes() {
        assert_eq!(roundtrip("GFp0 & X2", Syntax::SPOT), "G F p0 & X2");
        assert_eq!(roundtrip("\"x == 1\" U Gate", Syntax::SPOT), "\"x == 1\" U G ate");
        assert_eq!(roundtrip("AGEF p & A[p U q]", Syntax::CTL_STAR), "A G E F p & A (p U q)");
    }

    #[test]
    fn errors_point_at_the_culprit() {
        let mut store = Formulas::new();
        let e = store.parse("p U (q & )").unwrap_err();
        assert_eq!(e.span, 9..10);
        let e = store.parse("(p U q").unwrap_err();
        assert_eq!((e.span.clone(), e.message.as_str()), (0..1, "this `(` is never closed"));
        assert_eq!(store.parse("p q").unwrap_err().span, 2..3);
        assert_eq!(store.parse("p & ?").unwrap_err().span, 4..5);
        assert_eq!(store.parse("").unwrap_err().span, 0..0);
        assert!(store.parse(&"(".repeat(100_000)).is_err());
        assert!(store.parse(&"! X ".repeat(100_000)).is_err());
        assert!(store.parse(&"p U ".repeat(100_000)).is_err());
        assert!(store.parse_with(&format!("p {}", "-> p ".repeat(100_000)), Syntax::SPIN).is_err());
    }
}
