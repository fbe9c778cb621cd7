//! Macro expansion as in the C standard: arguments are expanded first, the result is scanned again,
//! and a macro's name inside its own expansion is not expanded.
//!
//! The text being scanned is a stack of [`Context`]s above the open files. Inside contexts, a
//! token's span is the position of its text; the call shown to the user is
//! [`Preprocessor::outer_call`].

use super::macros::Macro;
use super::{MAX_WORK, Preprocessor};
use crate::diagnostic::Diagnostic;
use crate::lexer::Lexer;
use crate::token::{Flags, Symbol, Token, TokenKind};
use std::rc::Rc;

/// Limit on the nesting of macro calls in arguments of macro calls.
const MAX_ARGUMENT_DEPTH: usize = 200;

/// A list of tokens being scanned; meanwhile its macro is not expanded.
pub(super) struct Context {
    tokens: Rc<[Token]>,
    at: usize,
    name: Option<Symbol>,
}

impl Preprocessor<'_> {
    /// The next unexpanded token, and whether it comes from a macro.
    fn next_raw(&mut self) -> (Token, bool) {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(&token) = context.tokens.get(context.at) {
                context.at += 1;
                return (token, true);
            }
            if let Some(name) = context.name {
                self.disabled.remove(&name);
            }
            self.contexts.pop();
        }
        if self.isolated {
            return (
                Token { kind: TokenKind::End, span: self.outer_call, flags: Flags::default() },
                true,
            );
        }
        (self.next_file_token(), false)
    }

    /// The next token after expansion, and whether it comes from a macro.
    pub(super) fn next_expanded(&mut self) -> (Token, bool) {
        loop {
            let (mut token, from_macro) = self.next_raw();
            let TokenKind::Word(name) = token.kind else { return (token, from_macro) };
            if token.flags.has(Flags::PAINTED) {
                return (token, from_macro);
            }
            if let Some(called) = self.macros.get(&name).cloned() {
                if self.disabled.contains(&name) {
                    token.flags = token.flags.with(Flags::PAINTED);
                    return (token, from_macro);
                }
                if !self.call(&called, token, from_macro) {
                    return (token, from_macro);
                }
            } else if name == self.words.line || name == self.words.file {
                let span = if from_macro { self.outer_call } else { token.span };
                let location = self.sources.locate(span);
                token.kind = if name == self.words.line {
                    TokenKind::Number(location.line as i32)
                } else {
                    TokenKind::String(self.interner.intern(location.file))
                };
                return (token, from_macro);
            } else {
                return (token, from_macro);
            }
        }
    }

    /// Expands a separate list of tokens completely.
    pub(super) fn expand_list(&mut self, tokens: Rc<[Token]>) -> Vec<Token> {
        if self.argument_depth >= MAX_ARGUMENT_DEPTH {
            self.stop(
                Diagnostic::error("macro calls are nested too deeply")
                    .at(self.outer_call, format!("more than {MAX_ARGUMENT_DEPTH} nested calls")),
            );
            return Vec::new();
        }
        self.argument_depth += 1;
        let contexts = std::mem::take(&mut self.contexts);
        let isolated = std::mem::replace(&mut self.isolated, true);
        self.push(tokens, None);
        let mut expanded = Vec::new();
        loop {
            let (token, _) = self.next_expanded();
            if token.kind == TokenKind::End {
                break;
            }
            expanded.push(token);
        }
        self.isolated = isolated;
        self.contexts = contexts;
        self.argument_depth -= 1;
        if self.stopped {
            self.contexts.clear();
            expanded.clear();
        }
        expanded
    }

    fn push(&mut self, tokens: Rc<[Token]>, name: Option<Symbol>) {
        self.work += tokens.len() + 1;
        if self.work > MAX_WORK {
            self.stop(
                Diagnostic::error("macro expansion produces too many tokens")
                    .at(self.outer_call, format!("more than {MAX_WORK} tokens from here"))
                    .note("each macro that uses another macro twice doubles the number of tokens"),
            );
            return;
        }
        if let Some(name) = name {
            self.disabled.insert(name);
        }
        self.contexts.push(Context { tokens, at: 0, name });
    }

    /// Replaces a macro's name by its body; `false` if its argument list is missing.
    fn call(&mut self, called: &Macro, name: Token, from_macro: bool) -> bool {
        let Some(parameters) = &called.parameters else {
            self.begin_call(name, from_macro);
            let body = self.plain_body(called);
            self.push(body, Some(called.name));
            return true;
        };
        if !self.paren_follows() {
            return false;
        }
        self.begin_call(name, from_macro);
        let (paren, from_macro_too) = self.next_raw();
        self.line_inside_call |= !from_macro_too && paren.starts_line();
        let Some((arguments, last)) = self.arguments(called) else {
            self.error_in_call(
                called,
                format!("unterminated call of macro `{}`", self.word(called.name)),
            );
            return true;
        };
        if !from_macro {
            self.outer_call = name.span.to(last.span);
        }
        let fits = arguments.len() == parameters.len()
            || parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty()
            || called.variadic && arguments.len() + 1 == parameters.len();
        if !fits {
            let given = arguments.len();
            let message = format!(
                "macro `{}` takes {}, but {given} {} given",
                self.word(called.name),
                crate::diagnostic::count(parameters.len(), "argument"),
                if given == 1 { "is" } else { "are" }
            );
            self.error_in_call(called, message);
            return true;
        }
        let body = self.substitute(called, parameters, arguments);
        self.push(body.into(), Some(called.name));
        true
    }

    fn begin_call(&mut self, name: Token, from_macro: bool) {
        if !from_macro {
            self.outer_call = name.span;
            self.line_before_call |=
                name.starts_line() | std::mem::take(&mut self.line_inside_call);
        }
    }

    fn error_in_call(&mut self, called: &Macro, message: String) {
        let diagnostic =
            Diagnostic::error(message).at(self.outer_call, "").also(called.span, "defined here");
        self.diagnostics.push(diagnostic);
    }

    fn word(&self, symbol: Symbol) -> String {
        self.interner.word(symbol).to_string()
    }

    fn paren_follows(&mut self) -> bool {
        for context in self.contexts.iter().rev() {
            if let Some(token) = context.tokens.get(context.at) {
                return token.kind == TokenKind::OpenParen;
            }
        }
        if self.isolated {
            return false;
        }
        let token = self.next_file_token();
        if let Some(file) = self.files.last_mut() {
            file.peeked = Some(token);
        }
        token.kind == TokenKind::OpenParen
    }

    /// The arguments and the closing parenthesis; `None` if the input ends before it.
    fn arguments(&mut self, called: &Macro) -> Option<(Vec<Vec<Token>>, Token)> {
        let count = called.parameters.as_ref().map_or(0, |parameters| parameters.len());
        let mut arguments = vec![Vec::new()];
        let mut depth = 0;
        loop {
            let (mut token, from_macro) = self.next_raw();
            self.line_inside_call |= !from_macro && token.starts_line();
            match token.kind {
                TokenKind::End => return None,
                TokenKind::CloseParen if depth == 0 => return Some((arguments, token)),
                TokenKind::CloseParen => depth -= 1,
                TokenKind::OpenParen => depth += 1,
                TokenKind::Comma
                    if depth == 0 && !(called.variadic && arguments.len() == count) =>
                {
                    arguments.push(Vec::new());
                    continue;
                }
                TokenKind::Word(name) if self.disabled.contains(&name) => {
                    token.flags = token.flags.with(Flags::PAINTED);
                }
                _ => {}
            }
            if token.starts_line() {
                token.flags = token.flags.spaced_as(Flags::SPACE);
            }
            if let Some(argument) = arguments.last_mut() {
                argument.push(token);
            }
        }
    }

    /// The body of an object-like macro after `##`.
    fn plain_body(&mut self, called: &Macro) -> Rc<[Token]> {
        if called.has_operators {
            let pasted = self.paste(called.body.to_vec());
            return pasted.into();
        }
        called.body.clone()
    }

    /// The body with arguments for parameters. Next to `##` an argument is inserted as written,
    /// after `#` as a string, and elsewhere after expansion.
    fn substitute(
        &mut self,
        called: &Macro,
        parameters: &[Symbol],
        arguments: Vec<Vec<Token>>,
    ) -> Vec<Token> {
        let written: Vec<Rc<[Token]>> = arguments.into_iter().map(Rc::from).collect();
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; written.len()];
        let mut result: Vec<Token> = Vec::new();
        let body = &called.body;
        let mut at = 0;
        while let Some(&token) = body.get(at) {
            let before = at.checked_sub(1).map(|index| body[index].kind);
            let after = body.get(at + 1).map(|token| token.kind);
            at += 1;
            let parameter = |kind: Option<TokenKind>| match kind {
                Some(TokenKind::Word(name)) => {
                    parameters.iter().position(|parameter| *parameter == name)
                }
                _ => None,
            };
            if token.kind == TokenKind::Hash
                && let Some(index) = parameter(after)
            {
                at += 1;
                let text = self.stringify(written.get(index).map_or(&[], |tokens| tokens));
                result.push(Token { kind: text, ..token });
                continue;
            }
            match parameter(Some(token.kind)) {
                None => result.push(token),
                Some(index) => {
                    let Some(argument) = written.get(index) else { continue };
                    let pasted =
                        before == Some(TokenKind::HashHash) || after == Some(TokenKind::HashHash);
                    let start = result.len();
                    if pasted {
                        result.extend_from_slice(argument);
                        if argument.is_empty() {
                            // `##` needs an operand on each side: a lone `#` denotes an empty one.
                            result.push(Token { kind: TokenKind::Hash, ..token });
                        }
                    } else {
                        if expanded[index].is_none() {
                            expanded[index] = Some(self.expand_list(argument.clone()));
                        }
                        result.extend_from_slice(expanded[index].as_deref().unwrap_or_default());
                    }
                    if let Some(first) = result.get_mut(start) {
                        first.flags = first.flags.spaced_as(token.flags);
                    }
                    if result.len() > MAX_WORK {
                        self.push(result.into(), None);
                        return Vec::new();
                    }
                }
            }
        }
        if called.has_operators { self.paste(result) } else { result }
    }

    fn spelling(&self, token: &Token) -> String {
        match token.kind {
            TokenKind::Word(word) => self.interner.word(word).to_string(),
            TokenKind::Number(value) => value.to_string(),
            TokenKind::String(text) => format!("\"{}\"", self.interner.word(text)),
            TokenKind::InvalidToken(_) | TokenKind::End => {
                self.sources.text(token.span).to_string()
            }
            kind => kind.spelling().unwrap_or_default().to_string(),
        }
    }

    fn stringify(&mut self, tokens: &[Token]) -> TokenKind {
        let mut text = String::new();
        for token in tokens {
            if !text.is_empty() && token.flags.has(Flags::SPACE) {
                text.push(' ');
            }
            text.push_str(&self.spelling(token).replace('\\', "\\\\").replace('"', "\\\""));
        }
        TokenKind::String(self.interner.intern(&text))
    }

    /// Joins the tokens on both sides of each `##`. A lone `#` denotes an empty operand.
    fn paste(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let mut result: Vec<Token> = Vec::new();
        let mut tokens = tokens.into_iter();
        while let Some(token) = tokens.next() {
            if token.kind != TokenKind::HashHash || result.is_empty() {
                result.push(token);
                continue;
            }
            let (Some(left), Some(right)) = (result.pop(), tokens.next()) else { break };
            let empty = |token: &Token| token.kind == TokenKind::Hash;
            if empty(&left) || empty(&right) {
                result.push(if empty(&left) { right } else { left });
                continue;
            }
            let text = format!("{}{}", self.spelling(&left), self.spelling(&right));
            let mut lexer = Lexer::new(0);
            let joined = lexer.next(&text, &mut self.interner);
            if lexer.next(&text, &mut self.interner).kind == TokenKind::End {
                result.push(Token { kind: joined.kind, span: left.span, flags: left.flags });
            } else {
                let message = format!("`##` produces `{text}`, which is not a single token");
                self.diagnostics.push(Diagnostic::error(message).at(left.span, ""));
                result.extend([left, right]);
            }
        }
        result.retain(|token| !matches!(token.kind, TokenKind::Hash | TokenKind::HashHash));
        result
    }
}
