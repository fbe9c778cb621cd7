//! Recursive-descent parser: tokens to the syntax tree.
//!
//! This file owns the cursor, error reporting and the limits. Each submodule owns a part of the
//! grammar (`unit`, `declaration`, `sequence`, `statement`, `message`, `expression`, `ltl`,
//! `inline`, `embedded`); `recover` resynchronises after an error. The parser must not know the
//! meaning of names. The grammar and the treatment of line ends are SPIN's: see `sequence`.
//!
//! Parsing terminates without a stack overflow on every input: [`MAX_DEPTH`] bounds nesting,
//! [`MAX_HEIGHT`] the height of expression trees, [`MAX_INLINED_TOKENS`] the inlined text, and
//! parsing stops after [`MAX_ERRORS`] errors.

mod declaration;
mod embedded;
mod expression;
mod inline;
mod ltl;
pub(crate) use ltl::PARTNER;
mod message;
mod recover;
mod sequence;
mod statement;
mod unit;

#[cfg(test)]
mod tests;

use crate::ast::{Ident, Program};
use crate::diagnostic::Diagnostic;
use crate::preprocess::Preprocessed;
use crate::source::{SourceMap, Span};
use crate::suggest;
use crate::token::{Flags, Interner, InvalidToken, Symbol, Token, TokenKind, kw};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Maximal nesting of brackets, blocks and inline calls.
pub const MAX_DEPTH: usize = 250;
/// Maximal height of an expression tree; a sum of `n` terms has height `n`.
pub const MAX_HEIGHT: u32 = 2_000;
/// Maximal number of tokens that all inline calls together expand to.
pub const MAX_INLINED_TOKENS: usize = 2_000_000;
/// Parsing stops after this number of errors.
pub const MAX_ERRORS: usize = 100;
/// Limit on suppressed errors at already reported positions: a macro or inline can fail many times.
const MAX_REPEATED: usize = 1_000;

/// An error has been reported; the caller resynchronises.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Parse<T> = Result<T, Reported>;

struct Parser {
    sources: SourceMap,
    interner: Interner,
    diagnostics: Vec<Diagnostic>,
    /// The current token list: the program, or the text of an inline. The last token is `End`.
    tokens: Rc<[Token]>,
    at: usize,
    /// Parentheses and brackets open since the innermost sequence began: inside them, line ends
    /// do not separate statements.
    brackets: usize,
    depth: usize,
    in_ltl: bool,
    names: Names,
    inlines: HashMap<Symbol, Rc<inline::Inline>>,
    /// The inline calls being parsed, outermost first.
    calls: Vec<inline::Call>,
    inlined_tokens: usize,
    /// The `if` and `do` selections being parsed, to recover from a mismatched `fi` or `od`.
    selections: Vec<Symbol>,
    errors: usize,
    repeated: usize,
    stopped: bool,
    word_in: Symbol,
}

/// The names that the grammar depends on.
#[derive(Default)]
struct Names {
    typedefs: HashSet<Symbol>,
    /// All proctypes of the program.
    proctypes: HashSet<Symbol>,
    /// The proctypes whose declaration has begun.
    declared_proctypes: HashSet<Symbol>,
}

/// Parses a preprocessed program.
pub(crate) fn parse(preprocessed: Preprocessed) -> (SourceMap, Program, Vec<Diagnostic>) {
    let Preprocessed { tokens, sources, mut interner, diagnostics } = preprocessed;
    let word_in = interner.intern("in");
    let end = Token { kind: TokenKind::End, span: Span::default(), flags: Flags::default() };
    let mut parser = Parser {
        sources,
        interner,
        diagnostics,
        tokens: if tokens.is_empty() { Rc::from([end]) } else { Rc::from(tokens) },
        at: 0,
        brackets: 0,
        depth: 0,
        in_ltl: false,
        names: Names::default(),
        inlines: HashMap::new(),
        calls: Vec::new(),
        inlined_tokens: 0,
        selections: Vec::new(),
        errors: 0,
        repeated: 0,
        stopped: false,
        word_in,
    };
    parser.collect_names();
    let program = parser.program();
    (parser.sources, program, parser.diagnostics)
}

impl Parser {
    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The kind of the token `ahead` positions after the current one.
    fn ahead(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    /// The token before the current one.
    fn previous(&self) -> Token {
        self.tokens[self.at.saturating_sub(1)]
    }

    /// Consumes the current token; `End` is never consumed.
    fn advance(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn is_word(&self, word: Symbol) -> bool {
        self.kind() == TokenKind::Word(word)
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.is(kind);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: Symbol) -> bool {
        self.eat(TokenKind::Word(word))
    }

    fn expect(&mut self, kind: TokenKind, purpose: &str) -> Parse<Token> {
        if self.is(kind) {
            return Ok(self.advance());
        }
        let spelling = kind.spelling().unwrap_or_default();
        Err(self.expected(&format!(
            "`{spelling}`{}{purpose}",
            if purpose.is_empty() { "" } else { " " }
        )))
    }

    /// A name that is not reserved.
    fn name(&mut self, what: &str) -> Parse<(Symbol, Ident)> {
        match self.kind() {
            TokenKind::Word(word) if !word.is_keyword() => {
                let span = self.advance().span;
                Ok((word, Ident { text: self.interner.word(word).clone(), span }))
            }
            TokenKind::Word(word) => {
                let text = self.interner.word(word).clone();
                let span = self.peek().span;
                Err(self.report(
                    Diagnostic::error(format!("expected {what}, found `{text}`"))
                        .at(span, "a reserved word of Promela"),
                ))
            }
            _ => Err(self.expected(what)),
        }
    }

    fn word_text(&self, word: Symbol) -> Rc<str> {
        self.interner.word(word).clone()
    }

    /// The span from the token at index `start` to the last token consumed.
    fn span_from(&self, start: usize) -> Span {
        let end = self.at.saturating_sub(1).max(start);
        self.tokens[start].span.to(self.tokens[end].span)
    }

    /// Whether the current token can continue the previous statement, judging by line ends.
    fn same_line(&self) -> bool {
        self.brackets > 0 || !self.peek().starts_line()
    }

    /// Runs `parse` one nesting level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.peek().span;
            self.stop(
                Diagnostic::error("the program is nested too deeply")
                    .at(span, format!("more than {MAX_DEPTH} nested levels")),
            );
            return Err(Reported);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Runs `parse` between brackets, where line ends do not separate statements.
    fn bracketed<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        self.brackets += 1;
        let result = parse(self);
        self.brackets = self.brackets.saturating_sub(1);
        result
    }

    /// `( … )`
    fn parenthesised<T>(
        &mut self,
        of: &str,
        parse: impl FnOnce(&mut Parser) -> Parse<T>,
    ) -> Parse<T> {
        let open = self.expect(TokenKind::OpenParen, &format!("after `{of}`"))?.span;
        self.bracketed(|parser| {
            let value = parse(parser)?;
            parser.close_paren(open)?;
            Ok(value)
        })
    }

    fn close_paren(&mut self, open: Span) -> Parse<Token> {
        if self.is(TokenKind::CloseParen) {
            return Ok(self.advance());
        }
        if self.at_formula_end() {
            let unclosed = Diagnostic::error("this `(` is never closed").at(open, "it begins here");
            return Err(
                self.report(unclosed.help("the formula ends before the `)` that closes it"))
            );
        }
        let diagnostic = self.expected_diagnostic("`)`").also(open, "to close this");
        Err(self.report(self.hint_equality(diagnostic)))
    }

    /// Hints at `==` where an expression is followed by `=`.
    fn hint_equality(&self, diagnostic: Diagnostic) -> Diagnostic {
        if self.is(TokenKind::Assign) {
            diagnostic.help("to compare two values, write `==`")
        } else {
            diagnostic
        }
    }

    /// Reports an error, unless its position already has one.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.stopped {
            return Reported;
        }
        let place = |diagnostic: &Diagnostic| diagnostic.span().map(Span::seen);
        let repeated = self.diagnostics.iter().rev().take(MAX_ERRORS).any(|earlier| {
            earlier.is_error() == diagnostic.is_error()
                && earlier.span().is_some()
                && place(earlier) == place(&diagnostic)
        });
        if repeated {
            self.repeated += 1;
            if self.repeated >= MAX_REPEATED {
                self.stopped = true;
                self.at = self.tokens.len() - 1;
            }
            return Reported;
        }
        let mut diagnostic = diagnostic;
        for call in self.calls.iter().rev().take(3) {
            let text = format!("in this call of inline `{}`", call.ident.text);
            diagnostic = diagnostic.also(call.ident.span, text);
        }
        self.errors += usize::from(diagnostic.is_error());
        self.diagnostics.push(diagnostic);
        if self.errors >= MAX_ERRORS {
            self.stop(Diagnostic::error("too many errors; the rest of the program is not read"));
        }
        Reported
    }

    /// The number of errors so far, including suppressed ones.
    fn error_count(&self) -> usize {
        self.errors + self.repeated
    }

    /// Reports that a limit is exceeded, and stops parsing.
    fn stop(&mut self, diagnostic: Diagnostic) {
        if !self.stopped {
            self.stopped = true;
            self.diagnostics.push(diagnostic);
        }
        self.at = self.tokens.len() - 1;
    }

    fn expected(&mut self, what: &str) -> Reported {
        let diagnostic = self.expected_diagnostic(what);
        self.report(diagnostic)
    }

    /// "expected …, found …" at the current token.
    fn expected_diagnostic(&self, what: &str) -> Diagnostic {
        let token = self.peek();
        let text = self.sources.text(token.span);
        match token.kind {
            TokenKind::InvalidToken(bad) => {
                let message = match bad {
                    InvalidToken::Character(character)
                        if character.is_control() || character == '\u{fffd}' =>
                    {
                        "unexpected control character".to_string()
                    }
                    InvalidToken::Character(character) => {
                        format!("unexpected character `{character}`")
                    }
                    InvalidToken::UnterminatedString => "unterminated string".to_string(),
                    InvalidToken::UnterminatedCharacter => "invalid character constant".to_string(),
                    InvalidToken::Number => format!("`{text}` is not a number"),
                };
                let diagnostic =
                    Diagnostic::error(message).at(token.span, format!("expected {what}"));
                match bad {
                    InvalidToken::Number if text.starts_with("0x") || text.starts_with("0X") => {
                        diagnostic.help("Promela has only decimal numbers")
                    }
                    InvalidToken::UnterminatedCharacter => {
                        diagnostic.help("write one character between quotes: 'a'")
                    }
                    _ => diagnostic,
                }
            }
            TokenKind::End => {
                let place = self.previous().span.after();
                Diagnostic::error(format!(
                    "expected {what}, found the end of the {}",
                    self.list_name()
                ))
                .at(
                    if self.calls.is_empty() { place } else { token.span },
                    format!("expected {what}"),
                )
            }
            _ if self.at_formula_end() => {
                Diagnostic::error(format!("expected {what}, found the end of the formula"))
                    .at(self.previous().span.after(), format!("expected {what}"))
            }
            _ => Diagnostic::error(format!("expected {what}, found {}", self.describe(token)))
                .at(token.span, format!("expected {what}")),
        }
    }

    /// Whether the current token is the brace that [`crate::extra_formulas`] appended to a formula,
    /// which the user did not write.
    fn at_formula_end(&self) -> bool {
        let brace = self.peek();
        brace.kind == TokenKind::CloseBrace
            && self.sources.resolve(brace.span).is_some_and(|(file, range)| {
                crate::extra_formulas::is_formula_name(&file.name) && range.end == file.text.len()
            })
    }

    fn list_name(&self) -> &'static str {
        if self.calls.is_empty() { "file" } else { "inline" }
    }

    fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Word(word) => format!("`{}`", self.interner.word(word)),
            TokenKind::Number(value) => format!("the number {value}"),
            TokenKind::String(_) => "a string".to_string(),
            TokenKind::End => format!("the end of the {}", self.list_name()),
            TokenKind::InvalidToken(_) => format!("`{}`", self.sources.text(token.span)),
            kind => format!("`{}`", kind.spelling().unwrap_or_default()),
        }
    }

    /// "did you mean …?" for a word that may be a mistyped keyword.
    fn keyword_hint(&self, token: Token, candidates: &[&'static str]) -> Option<String> {
        let TokenKind::Word(word) = token.kind else { return None };
        let close = suggest::closest(self.interner.word(word), candidates.iter().copied())?;
        Some(format!("did you mean `{close}`?"))
    }

    /// Words that cannot occur inside a body: one of them at the start of a line means that a `}`
    /// is missing.
    fn starts_unit(&self) -> bool {
        let TokenKind::Word(word) = self.kind() else { return false };
        self.peek().starts_line()
            && [
                kw::ACTIVE,
                kw::PROCTYPE,
                kw::D_PROCTYPE,
                kw::INIT,
                kw::NEVER,
                kw::LTL,
                kw::TRACE,
                kw::NOTRACE,
                kw::INLINE,
                kw::TYPEDEF,
            ]
            .contains(&word)
    }
}
