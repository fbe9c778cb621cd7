//! Tokens to the syntax tree, by recursive descent.
//!
//! This file owns the cursor, the reporting of errors and the limits; its neighbours own the
//! grammar, one part each: `unit`, `declaration`, `sequence`, `statement`, `message`, `expression`,
//! `ltl`, `inline`, `embedded`; `recover` finds the place to go on after an error. None of them
//! knows what names mean.
//!
//! The grammar is SPIN's, and so is its treatment of line ends: see `sequence`.
//!
//! Whatever the input, parsing ends and the stack holds: nesting is bounded by [`MAX_DEPTH`],
//! the height of expression trees by [`MAX_HEIGHT`], inlined text by [`MAX_INLINED_TOKENS`], and
//! after [`MAX_ERRORS`] errors nothing more is read.

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
use crate::token::{Bad, Flags, Interner, Symbol, Token, TokenKind, kw};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Brackets, blocks and inline calls may be nested so deep.
pub const MAX_DEPTH: usize = 250;
/// An expression's tree may be so high: a sum of so many terms.
pub const MAX_HEIGHT: u32 = 2_000;
/// Inline calls may stand for so many tokens in all.
pub const MAX_INLINED_TOKENS: usize = 2_000_000;
pub const MAX_ERRORS: usize = 100;
/// Errors at places that have one already: one macro or inline can go wrong in many ways.
const MAX_REPEATED: usize = 1_000;

/// An error has been reported; the caller looks for a place to go on.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Parse<T> = Result<T, Reported>;

struct Parser {
    sources: SourceMap,
    interner: Interner,
    diagnostics: Vec<Diagnostic>,
    /// The list being read: the program, or an inline's text. The last token is always `End`.
    tokens: Rc<[Token]>,
    at: usize,
    /// Parentheses and brackets open since the innermost sequence began: inside them a line's end
    /// means nothing.
    brackets: usize,
    depth: usize,
    in_ltl: bool,
    names: Names,
    inlines: HashMap<Symbol, Rc<inline::Inline>>,
    /// The inline calls being read, outermost first.
    calls: Vec<inline::Call>,
    inlined_tokens: usize,
    /// `do` loops and `if`s being read, for the mending of `fi` and `od`.
    selections: Vec<Symbol>,
    errors: usize,
    repeated: usize,
    stopped: bool,
    word_in: Symbol,
}

/// What the grammar must know of names.
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

    /// The kind of the token `ahead` of the current one.
    fn ahead(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    /// The token before the current one.
    fn previous(&self) -> Token {
        self.tokens[self.at.saturating_sub(1)]
    }

    /// Moves on, though never past the end.
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
        Err(self.expected(&format!("`{spelling}`{}{purpose}", if purpose.is_empty() { "" } else { " " })))
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

    /// Everything from the token at index `start` to the last one read.
    fn span_from(&self, start: usize) -> Span {
        let end = self.at.saturating_sub(1).max(start);
        self.tokens[start].span.to(self.tokens[end].span)
    }

    /// Whether the current token goes on with the statement before it, as far as line ends tell.
    fn same_line(&self) -> bool {
        self.brackets > 0 || !self.peek().starts_line()
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.peek().span;
            self.stop(
                Diagnostic::error("the program is nested too deeply")
                    .at(span, format!("more than {MAX_DEPTH} levels, one in the other")),
            );
            return Err(Reported);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Runs `parse` with line ends meaning nothing, between brackets.
    fn bracketed<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        self.brackets += 1;
        let result = parse(self);
        self.brackets = self.brackets.saturating_sub(1);
        result
    }

    /// `( … )`
    fn parenthesised<T>(&mut self, of: &str, parse: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
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
            return Err(self.report(unclosed.help("the formula ends before the `)` that closes it")));
        }
        let diagnostic = self.expected_diagnostic("`)`").also(open, "to close this");
        Err(self.report(self.hint_equality(diagnostic)))
    }

    /// `=` where an expression ends was meant to compare.
    fn hint_equality(&self, diagnostic: Diagnostic) -> Diagnostic {
        if self.is(TokenKind::Assign) {
            diagnostic.help("to compare two values, write `==`")
        } else {
            diagnostic
        }
    }

    /// Reports an error, unless one has just been reported for the same place.
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

    /// Errors so far, also those that were not worth repeating.
    fn error_count(&self) -> usize {
        self.errors + self.repeated
    }

    /// Reports that a limit is passed, and reads nothing more.
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
            TokenKind::Bad(bad) => {
                let message = match bad {
                    Bad::Character(character) if character.is_control() || character == '\u{fffd}' => {
                        "this character does not belong in a program".to_string()
                    }
                    Bad::Character(character) => format!("`{character}` does not belong in a program"),
                    Bad::UnterminatedString => "this string does not end on its line".to_string(),
                    Bad::UnterminatedCharacter => "this is not a character constant".to_string(),
                    Bad::Number => format!("`{text}` is not a number"),
                };
                let diagnostic = Diagnostic::error(message).at(token.span, format!("expected {what}"));
                match bad {
                    Bad::Number if text.starts_with("0x") || text.starts_with("0X") => {
                        diagnostic.help("Promela has decimal numbers only")
                    }
                    Bad::UnterminatedCharacter => diagnostic.help("write one character between quotes: 'a'"),
                    _ => diagnostic,
                }
            }
            TokenKind::End => {
                let place = self.previous().span.after();
                Diagnostic::error(format!("expected {what}, found the end of the {}", self.list_name()))
                    .at(if self.calls.is_empty() { place } else { token.span }, format!("expected {what}"))
            }
            _ if self.at_formula_end() => {
                Diagnostic::error(format!("expected {what}, found the end of the formula"))
                    .at(self.previous().span.after(), format!("expected {what}"))
            }
            _ => Diagnostic::error(format!("expected {what}, found {}", self.describe(token)))
                .at(token.span, format!("expected {what}")),
        }
    }

    /// Does a formula end here that was given beside the model? The brace that closes it is none that the user wrote.
    fn at_formula_end(&self) -> bool {
        let brace = self.peek();
        brace.kind == TokenKind::CloseBrace
            && self.sources.resolve(brace.span).is_some_and(|(file, range)| {
                crate::given::is_formula_name(&file.name) && range.end == file.text.len()
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
            TokenKind::Bad(_) => format!("`{}`", self.sources.text(token.span)),
            kind => format!("`{}`", kind.spelling().unwrap_or_default()),
        }
    }

    /// "did you mean …?" for a word that may be a mistyped keyword.
    fn keyword_hint(&self, token: Token, candidates: &[&'static str]) -> Option<String> {
        let TokenKind::Word(word) = token.kind else { return None };
        let close = suggest::closest(self.interner.word(word), candidates.iter().copied())?;
        Some(format!("did you mean `{close}`?"))
    }

    /// The words that cannot stand inside a body: one of them at the start of a line means that a
    /// `}` is missing.
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
