//! Directives: lines that begin with `#`.
//!
//! It owns conditional groups, definitions and inclusion. It must not know macro expansion.

use super::{MAX_INCLUDE_DEPTH, MAX_INCLUDES, Preprocessor, condition, macros};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::suggest;
use crate::token::{Flags, Symbol, Token, TokenKind};
use std::path::Path;
use std::rc::Rc;

/// An `#if` whose `#endif` has not been read.
pub(super) struct Conditional {
    span: Span,
    /// Whether the enclosing text is included.
    outer: bool,
    /// Whether the current group is included.
    active: bool,
    /// Whether a group of this conditional has been included.
    taken: bool,
    seen_else: bool,
}

const DIRECTIVES: [&str; 12] = [
    "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "include", "error",
    "pragma", "line",
];

impl Preprocessor<'_> {
    pub(super) fn skipping(&self) -> bool {
        self.files
            .last()
            .and_then(|file| file.conditionals.last())
            .is_some_and(|group| !group.active)
    }

    pub(super) fn directive(&mut self, hash: Token) {
        let line = self.line();
        let Some((&first, rest)) = line.split_first() else { return };
        let TokenKind::Word(word) = first.kind else {
            // `# 12 "file"` is a line marker; anything else is an error.
            if !matches!(first.kind, TokenKind::Number(_)) && !self.skipping() {
                self.diagnostics.push(
                    Diagnostic::error("not a preprocessor directive")
                        .at(first.span, "expected a directive's name"),
                );
            }
            return;
        };
        let name = self.interner.word(word).clone();
        let place = hash.span.to(first.span);
        match &*name {
            "if" | "ifdef" | "ifndef" => self.begin_group(&name, place, rest),
            "elif" => self.elif_group(place, rest),
            "else" => self.else_group(place),
            "endif" => {
                if self.conditionals().pop().is_none() {
                    self.unmatched(place, &name);
                }
            }
            _ if self.skipping() => {}
            "define" => self.define(place, rest),
            "undef" => match directive_name(rest) {
                Some(name) => drop(self.macros.remove(&name)),
                None => self.needs_name(place, &name),
            },
            "include" => self.include(place, rest),
            "error" | "warning" => {
                let text = self.raw(rest);
                let message = format!("#{name} {text}");
                self.diagnostics.push(if &*name == "error" {
                    Diagnostic::error(message).at(place, "")
                } else {
                    Diagnostic::warning(message).at(place, "")
                });
            }
            "pragma" | "line" | "ident" => {}
            _ => {
                let hint = suggest::closest(&name, DIRECTIVES)
                    .map(|close| format!("did you mean `#{close}`?"));
                self.diagnostics.push(
                    Diagnostic::error(format!("unknown preprocessor directive `#{name}`"))
                        .at(place, "")
                        .maybe_help(hint),
                );
            }
        }
    }

    fn conditionals(&mut self) -> &mut Vec<Conditional> {
        // A directive is always read from an open file.
        let last = self.files.len() - 1;
        &mut self.files[last].conditionals
    }

    fn begin_group(&mut self, name: &str, place: Span, rest: &[Token]) {
        let outer = !self.skipping();
        let holds = outer
            && match name {
                "if" => self.condition(place, rest),
                _ => match directive_name(rest) {
                    Some(word) => self.macros.contains_key(&word) == (name == "ifdef"),
                    None => {
                        self.needs_name(place, name);
                        false
                    }
                },
            };
        let group =
            Conditional { span: place, outer, active: holds, taken: holds, seen_else: false };
        self.conditionals().push(group);
    }

    fn elif_group(&mut self, place: Span, rest: &[Token]) {
        let Some(group) = self.conditionals().last() else { return self.unmatched(place, "elif") };
        let open = group.outer && !group.taken && !group.seen_else;
        if group.seen_else {
            self.after_else(place, "elif");
        }
        let holds = open && self.condition(place, rest);
        if let Some(group) = self.conditionals().last_mut() {
            group.active = holds;
            group.taken |= holds;
        }
    }

    fn else_group(&mut self, place: Span) {
        let Some(group) = self.conditionals().last_mut() else {
            return self.unmatched(place, "else");
        };
        let twice = group.seen_else;
        group.active = group.outer && !group.taken && !twice;
        group.taken = true;
        group.seen_else = true;
        if twice {
            self.after_else(place, "else");
        }
    }

    fn unmatched(&mut self, place: Span, name: &str) {
        self.diagnostics
            .push(Diagnostic::error(format!("`#{name}` without an `#if`")).at(place, ""));
    }

    fn after_else(&mut self, place: Span, name: &str) {
        self.diagnostics.push(Diagnostic::error(format!("`#{name}` after `#else`")).at(place, ""));
    }

    fn needs_name(&mut self, place: Span, name: &str) {
        self.diagnostics.push(
            Diagnostic::error(format!("`#{name}` needs the name of a macro"))
                .at(place, "expected a name after this"),
        );
    }

    /// Reports conditionals that are open at the end of a file.
    pub(super) fn close_conditionals(&mut self) {
        let open: Vec<Span> = self
            .files
            .last_mut()
            .map(|file| file.conditionals.drain(..).map(|group| group.span).collect())
            .unwrap_or_default();
        for span in open {
            self.diagnostics.push(
                Diagnostic::error("unterminated conditional")
                    .at(span, "it begins here")
                    .help("close it with `#endif`"),
            );
        }
    }

    fn condition(&mut self, place: Span, line: &[Token]) -> bool {
        if line.is_empty() {
            self.diagnostics
                .push(Diagnostic::error("missing condition").at(place, "expected it after this"));
            return false;
        }
        let mut resolved = Vec::with_capacity(line.len());
        let mut at = 0;
        while let Some(&token) = line.get(at) {
            at += 1;
            if token.kind != TokenKind::Word(self.words.defined) {
                resolved.push(token);
                continue;
            }
            let kinds: Vec<TokenKind> = line[at..].iter().take(3).map(|token| token.kind).collect();
            let (name, length) = match kinds[..] {
                [TokenKind::OpenParen, TokenKind::Word(name), TokenKind::CloseParen] => (name, 3),
                [TokenKind::Word(name), ..] => (name, 1),
                _ => {
                    self.needs_name(token.span, "defined");
                    return false;
                }
            };
            at += length;
            let value = i32::from(self.macros.contains_key(&name));
            resolved.push(Token { kind: TokenKind::Number(value), ..token });
        }
        let (call, line) = (self.outer_call, self.line_before_call);
        self.outer_call = place;
        let expanded = self.expand_list(resolved.into());
        (self.outer_call, self.line_before_call) = (call, line);
        if self.stopped {
            return false;
        }
        condition::evaluate(&expanded, place).map(|value| value != 0).unwrap_or_else(|diagnostic| {
            self.diagnostics.push(*diagnostic);
            false
        })
    }

    fn define(&mut self, place: Span, rest: &[Token]) {
        match macros::define(rest, self.words.arguments) {
            Ok(mut defined) => {
                if defined.name == self.words.defined {
                    let message = "`defined` cannot be the name of a macro";
                    return self.diagnostics.push(Diagnostic::error(message).at(defined.span, ""));
                }
                if defined.body.first().is_some_and(|token| token.flags.has(Flags::SPACE)) {
                    // The space before the body is not part of it.
                    let mut body = defined.body.to_vec();
                    body[0].flags = body[0].flags.spaced_as(Flags::default());
                    defined.body = body.into();
                }
                if let Some(before) =
                    self.macros.get(&defined.name).filter(|before| differ(before, &defined))
                {
                    let message =
                        format!("macro `{}` is redefined", self.interner.word(defined.name));
                    self.diagnostics.push(
                        Diagnostic::warning(message)
                            .at(defined.span, "the new definition applies from here")
                            .also(before.span, "previous definition"),
                    );
                }
                self.macros.insert(defined.name, Rc::new(defined));
            }
            Err(diagnostic) => {
                let diagnostic = *diagnostic;
                let placed = diagnostic.primary.is_some();
                self.diagnostics.push(if placed {
                    diagnostic
                } else {
                    diagnostic.at(place, "expected after this")
                });
            }
        }
    }

    /// The text of a line's tokens as written.
    fn raw(&self, tokens: &[Token]) -> String {
        match tokens {
            [] => String::new(),
            [first, .., last] => self.sources.text(first.span.to(last.span)).to_string(),
            [only] => self.sources.text(only.span).to_string(),
        }
    }

    fn include(&mut self, place: Span, rest: &[Token]) {
        let text = self.raw(rest);
        let quoted = text.strip_prefix('"').and_then(|text| text.split('"').next());
        let angled = text.strip_prefix('<').and_then(|text| text.split('>').next());
        let Some(name) = quoted.or(angled).filter(|name| !name.is_empty()) else {
            self.diagnostics.push(
                Diagnostic::error("`#include` needs a file name in quotes")
                    .at(place, "expected `\"file\"` after this"),
            );
            return;
        };
        let span = place.to(rest.last().map_or(place, |token| token.span));
        self.includes += 1;
        if self.files.len() > MAX_INCLUDE_DEPTH || self.includes > MAX_INCLUDES {
            return self.stop(
                Diagnostic::error(format!(
                    "`{name}` is included too often; does it include itself?"
                ))
                .at(span, "the limit is reached here"),
            );
        }
        let from = self.files.last().map_or("", |file| self.sources.file(file.index).name.as_str());
        let path = Path::new(from).parent().unwrap_or(Path::new("")).join(name);
        let path = path.to_string_lossy().into_owned();
        match self.load(&path) {
            Ok(index) => self.open(index),
            Err(reason) => {
                let mut diagnostic =
                    Diagnostic::error(format!("cannot include `{name}`: {reason}"))
                        .at(span, "included here");
                if path != name {
                    diagnostic = diagnostic.note(format!("looked for `{path}`"));
                }
                self.diagnostics.push(diagnostic);
            }
        }
    }
}

fn differ(old: &macros::Macro, new: &macros::Macro) -> bool {
    old.parameters != new.parameters
        || old.body.len() != new.body.len()
        || old.body.iter().zip(new.body.iter()).any(|(old, new)| old.kind != new.kind)
}

fn directive_name(rest: &[Token]) -> Option<Symbol> {
    match rest.first().map(|token| token.kind) {
        Some(TokenKind::Word(name)) => Some(name),
        _ => None,
    }
}
