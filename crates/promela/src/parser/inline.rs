//! Inlines: definitions are kept as tokens, and a call parses the definition's tokens.
//!
//! A call's arguments are lists of tokens that replace the parameters in the body, as in SPIN.
//! Tokens of the body keep their position in the definition.

use super::{MAX_INLINED_TOKENS, Parse, Parser, Reported};
use crate::ast::{Ident, Reference, StatementKind};
use crate::diagnostic::{Diagnostic, count};
use crate::source::Span;
use crate::token::{Flags, Symbol, Token, TokenKind, kw};
use std::ops::Range;
use std::rc::Rc;

pub(super) struct Inline {
    name: Span,
    parameters: Vec<Symbol>,
    /// The body including its braces, as a range of the program's tokens.
    body: Range<usize>,
    program: Rc<[Token]>,
}

/// A call being parsed.
pub(super) struct Call {
    symbol: Symbol,
    pub ident: Ident,
    /// `x` in `x = f(…)`.
    result: Option<Reference>,
}

impl Parser {
    /// Finds the names of types, proctypes and inlines before parsing.
    pub(super) fn collect_names(&mut self) {
        let mut braces = 0usize;
        while !self.is(TokenKind::End) {
            match (self.kind(), self.ahead(1)) {
                (TokenKind::OpenBrace, _) => braces += 1,
                (TokenKind::CloseBrace, _) => braces = braces.saturating_sub(1),
                (TokenKind::Word(kw::TYPEDEF), TokenKind::Word(name)) => {
                    self.names.typedefs.insert(name);
                }
                (TokenKind::Word(kw::PROCTYPE | kw::D_PROCTYPE), TokenKind::Word(name)) => {
                    self.names.proctypes.insert(name);
                }
                (TokenKind::Word(kw::INLINE), TokenKind::Word(name)) => {
                    let start = self.at;
                    if let Some(inline) = self.scan_inline() {
                        self.inlines.entry(name).or_insert_with(|| Rc::new(inline));
                        continue;
                    }
                    self.at = start;
                }
                _ => {}
            }
            self.advance();
        }
        self.at = 0;
    }

    /// Skips a definition without reporting errors; `None` when it is malformed.
    fn scan_inline(&mut self) -> Option<Inline> {
        self.advance();
        let name = self.advance().span;
        let mut parameters = Vec::new();
        if !self.eat(TokenKind::OpenParen) {
            return None;
        }
        while !self.eat(TokenKind::CloseParen) {
            let TokenKind::Word(parameter) = self.advance().kind else { return None };
            parameters.push(parameter);
            if !self.eat(TokenKind::Comma) && !self.is(TokenKind::CloseParen) {
                return None;
            }
        }
        let start = self.at;
        if !self.is(TokenKind::OpenBrace) || !self.skip_braces() {
            return None;
        }
        Some(Inline { name, parameters, body: start..self.at, program: self.tokens.clone() })
    }

    /// Checks and skips a definition at its position in the program.
    pub(super) fn inline_definition(&mut self) -> Parse<()> {
        self.advance();
        let (symbol, name) = self.name("the inline's name")?;
        if let Some(first) = self.inlines.get(&symbol).filter(|first| first.name != name.span) {
            let diagnostic = Diagnostic::error(format!("inline `{}` is defined twice", name.text))
                .at(name.span, "defined again")
                .also(first.name, "first defined here");
            self.report(diagnostic);
        }
        let open = self.expect(TokenKind::OpenParen, "before the parameters")?.span;
        let mut parameters = Vec::new();
        while !self.is(TokenKind::CloseParen) {
            let what = if parameters.is_empty() { "a parameter or `)`" } else { "a parameter" };
            let (parameter, ident) = self.name(what)?;
            if parameters.contains(&parameter) {
                self.report(
                    Diagnostic::error(format!("parameter `{}` occurs twice", ident.text))
                        .at(ident.span, "again"),
                );
            }
            parameters.push(parameter);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close_paren(open)?;
        if !self.is(TokenKind::OpenBrace) {
            return Err(self.expected("`{` before an inline's body"));
        }
        let brace = self.peek().span;
        if !self.skip_braces() {
            let diagnostic = self.expected_diagnostic("`}`").also(brace, "to close this");
            return Err(self.report(diagnostic));
        }
        Ok(())
    }

    /// Parses `f(a, b)`; `result` receives the value of `return`.
    pub(super) fn inline_call(&mut self, result: Option<Reference>) -> Parse<StatementKind> {
        let (symbol, ident) = self.name("an inline's name")?;
        let Some(inline) = self.inlines.get(&symbol).cloned() else {
            return Err(self.expected("a statement"));
        };
        let arguments = self.call_arguments()?;
        let given =
            if inline.parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
                0
            } else {
                arguments.len()
            };
        if given != inline.parameters.len() {
            let takes = count(inline.parameters.len(), "argument");
            let verb = if given == 1 { "is" } else { "are" };
            return Err(self.report(
                Diagnostic::error(format!(
                    "inline `{}` takes {takes}, but {given} {verb} given",
                    ident.text
                ))
                .at(ident.span, "called here")
                .also(inline.name, "defined here"),
            ));
        }
        if self.calls.iter().any(|call| call.symbol == symbol) {
            return Err(self.report(
                Diagnostic::error(format!("inline `{}` calls itself", ident.text))
                    .at(ident.span, "the expansion of this call would never end")
                    .note("an inline call is replaced by the inline's text; for recursion, `run` a proctype"),
            ));
        }
        let text = self.inline_text(&inline, &arguments);
        self.inlined_tokens += text.len();
        if self.inlined_tokens > MAX_INLINED_TOKENS {
            self.stop(
                Diagnostic::error("the inline calls expand to too many tokens")
                    .at(ident.span, format!("more than {MAX_INLINED_TOKENS} tokens in total")),
            );
            return Err(Reported);
        }
        let tokens = std::mem::replace(&mut self.tokens, text.into());
        let at = std::mem::replace(&mut self.at, 0);
        let selections = std::mem::take(&mut self.selections);
        self.calls.push(Call { symbol, ident: ident.clone(), result });
        let body = self.block("an inline's body");
        self.calls.pop();
        self.selections = selections;
        self.tokens = tokens;
        self.at = if self.stopped { self.tokens.len() - 1 } else { at };
        Ok(StatementKind::Inline { name: ident, body: body? })
    }

    /// The tokens between the parentheses, split at the outermost commas.
    fn call_arguments(&mut self) -> Parse<Vec<Vec<Token>>> {
        let open = self.advance().span;
        let mut arguments = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::End
                | TokenKind::CloseBrace
                | TokenKind::OpenBrace
                | TokenKind::Semicolon => {
                    let diagnostic = self.expected_diagnostic("`)`").also(open, "to close this");
                    return Err(self.report(diagnostic));
                }
                TokenKind::OpenParen | TokenKind::OpenBracket => depth += 1,
                TokenKind::CloseParen if depth == 0 => {
                    self.advance();
                    return Ok(arguments);
                }
                TokenKind::CloseParen | TokenKind::CloseBracket => depth = depth.saturating_sub(1),
                TokenKind::Comma if depth == 0 => {
                    self.advance();
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(argument) = arguments.last_mut() {
                argument.push(token);
            }
            self.advance();
        }
    }

    /// The body with arguments substituted for parameters, followed by `End`.
    fn inline_text(&mut self, inline: &Inline, arguments: &[Vec<Token>]) -> Vec<Token> {
        let body = &inline.program[inline.body.clone()];
        let mut text = Vec::with_capacity(body.len() + 1);
        for token in body {
            let parameter = match token.kind {
                TokenKind::Word(word) => {
                    inline.parameters.iter().position(|parameter| *parameter == word)
                }
                _ => None,
            };
            match parameter.and_then(|index| arguments.get(index)) {
                None => text.push(*token),
                Some(argument) => {
                    if text.len() + argument.len() > MAX_INLINED_TOKENS {
                        self.inlined_tokens = MAX_INLINED_TOKENS;
                        break;
                    }
                    for (index, replacement) in argument.iter().enumerate() {
                        let spacing = if index == 0 { token.flags } else { Flags::SPACE };
                        text.push(Token {
                            kind: replacement.kind,
                            span: self.sources.expanded(token.span.seen(), replacement.span),
                            flags: replacement.flags.spaced_as(spacing),
                        });
                    }
                }
            }
        }
        let end = body.last().map_or(inline.name, |token| token.span);
        text.push(Token { kind: TokenKind::End, span: end, flags: Flags::default() });
        text
    }

    pub(super) fn return_value(&mut self) -> Parse<StatementKind> {
        let span = self.advance().span;
        let value = self.full_expr()?;
        match self.calls.last() {
            Some(Call { result: Some(result), .. }) => {
                Ok(StatementKind::Assign(result.clone(), value))
            }
            Some(call) => {
                let text = call.ident.text.clone();
                Err(self.report(
                    Diagnostic::error("this `return` has no variable to assign its value to")
                        .at(span, "")
                        .help(format!("call the inline as `x = {text}(…)`")),
                ))
            }
            None => Err(self.report(
                Diagnostic::error("`return` outside an inline")
                    .at(span, "only an inline returns a value"),
            )),
        }
    }
}
