//! Macro definitions: the parsing of `#define` lines. It must not know macro expansion.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::token::{Symbol, Token, TokenKind};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub name: Symbol,
    /// `None` for an object-like macro; `f()` has an empty list.
    pub parameters: Option<Rc<[Symbol]>>,
    /// `#define f(a, ...)`: the last parameter takes the remaining arguments.
    pub variadic: bool,
    pub body: Rc<[Token]>,
    pub span: Span,
    /// Whether the body contains `#` or `##`.
    pub has_operators: bool,
}

/// Parses the rest of a `#define` line. `arguments` is the word `__VA_ARGS__`.
pub(super) fn define(line: &[Token], arguments: Symbol) -> Result<Macro, Box<Diagnostic>> {
    let Some((&name, rest)) = line.split_first() else {
        return Err(Diagnostic::error("`#define` without a name").into());
    };
    let TokenKind::Word(symbol) = name.kind else {
        return Err(Diagnostic::error("a macro's name must be a word")
            .at(name.span, "not a word")
            .into());
    };
    let called = rest.first().is_some_and(|token| {
        token.kind == TokenKind::OpenParen && !token.flags.has(crate::token::Flags::SPACE)
    });
    let mut defined = Macro {
        name: symbol,
        parameters: None,
        variadic: false,
        body: Rc::from(rest),
        span: name.span,
        has_operators: false,
    };
    if called {
        let (parameters, length) = parameters(&rest[1..], arguments, &mut defined.variadic)
            .map_err(|span| bad_parameters(span.unwrap_or(name.span)))?;
        defined.parameters = Some(parameters.into());
        defined.body = Rc::from(&rest[1 + length..]);
    }
    let operator = |token: &Token| matches!(token.kind, TokenKind::Hash | TokenKind::HashHash);
    defined.has_operators = defined.body.iter().any(operator);
    Ok(defined)
}

fn bad_parameters(span: Span) -> Diagnostic {
    Diagnostic::error("malformed list of macro parameters")
        .at(span, "expected a parameter, `,` or `)`")
        .help("write a space before `(` when it belongs to the macro's text")
}

/// The parameters after `(` and the number of tokens up to `)`; the error is the invalid position.
fn parameters(
    tokens: &[Token],
    arguments: Symbol,
    variadic: &mut bool,
) -> Result<(Vec<Symbol>, usize), Option<Span>> {
    let mut names = Vec::new();
    let mut at = 0;
    loop {
        let token = tokens.get(at).ok_or(tokens.last().map(|last| last.span))?;
        at += 1;
        match token.kind {
            TokenKind::CloseParen if names.is_empty() => return Ok((names, at)),
            TokenKind::Word(name) if !names.contains(&name) => names.push(name),
            TokenKind::DotDot if tokens.get(at).is_some_and(|dot| dot.kind == TokenKind::Dot) => {
                at += 1;
                names.push(arguments);
                *variadic = true;
            }
            _ => return Err(Some(token.span)),
        }
        let token = tokens.get(at).ok_or(Some(token.span))?;
        at += 1;
        match token.kind {
            TokenKind::CloseParen => return Ok((names, at)),
            TokenKind::Comma if !*variadic => {}
            _ => return Err(Some(token.span)),
        }
    }
}
