//! Top-level units: processes, claims, formulas and global declarations.

use super::{Parse, Parser};
use crate::ast::{
    Active, Claim, Declaration, EventTrace, Expr, Ident, Init, Ltl, Proctype, Program, Typedef,
    Unit,
};
use crate::diagnostic::Diagnostic;
use crate::token::{TokenKind, kw};

/// The words that can begin a unit, for hints.
const UNIT_WORDS: [&str; 25] = [
    "active",
    "proctype",
    "D_proctype",
    "init",
    "never",
    "ltl",
    "trace",
    "notrace",
    "typedef",
    "inline",
    "mtype",
    "chan",
    "bit",
    "bool",
    "byte",
    "pid",
    "short",
    "int",
    "unsigned",
    "hidden",
    "show",
    "local",
    "c_code",
    "c_decl",
    "c_state",
];

impl Parser {
    pub(super) fn program(&mut self) -> Program {
        let mut units = Vec::new();
        while !self.is(TokenKind::End) {
            let start = self.at;
            match self.unit() {
                Ok(Some(unit)) => units.push(unit),
                Ok(None) => {}
                Err(_) => self.skip_unit(start),
            }
        }
        Program { units }
    }

    fn unit(&mut self) -> Parse<Option<Unit>> {
        let token = self.peek();
        let TokenKind::Word(word) = token.kind else {
            return match token.kind {
                TokenKind::Semicolon | TokenKind::Arrow => {
                    self.advance();
                    Ok(None)
                }
                TokenKind::CloseBrace => Err(self.report(
                    Diagnostic::error("unmatched `}`").at(token.span, "no block is open here"),
                )),
                _ => Err(self.expected("a process or a declaration")),
            };
        };
        Ok(Some(match word {
            kw::ACTIVE | kw::PROCTYPE | kw::D_PROCTYPE => Unit::Proctype(self.proctype()?),
            kw::INIT => Unit::Init(self.init()?),
            kw::NEVER => Unit::Never(self.never()?),
            kw::LTL => Unit::Ltl(self.ltl_block()?),
            kw::TRACE | kw::NOTRACE => Unit::Trace(self.event_trace(word == kw::NOTRACE)?),
            kw::TYPEDEF => Unit::Typedef(self.typedef()?),
            kw::INLINE => {
                self.inline_definition()?;
                return Ok(None);
            }
            kw::C_CODE | kw::C_DECL | kw::C_EXPR | kw::C_STATE | kw::C_TRACK => {
                self.embedded();
                return Ok(None);
            }
            _ if self.starts_mtype_names() => Unit::Mtype(self.mtype_names()?),
            _ if self.starts_declaration() => Unit::Declaration(self.declaration()?),
            _ => {
                let diagnostic = self
                    .expected_diagnostic("a process or a declaration")
                    .maybe_help(self.keyword_hint(token, &UNIT_WORDS));
                return Err(self.report(diagnostic));
            }
        }))
    }

    fn proctype(&mut self) -> Parse<Proctype> {
        let start = self.at;
        let active = if self.is_word(kw::ACTIVE) { Some(self.active()?) } else { None };
        let deterministic = match self.kind() {
            TokenKind::Word(kw::PROCTYPE) => false,
            TokenKind::Word(kw::D_PROCTYPE) => true,
            _ => {
                let hint = self.keyword_hint(self.peek(), &["proctype", "D_proctype"]);
                let diagnostic = self.expected_diagnostic("`proctype`").maybe_help(hint);
                return Err(self.report(diagnostic));
            }
        };
        self.advance();
        let (symbol, name) = self.name("the proctype's name")?;
        self.names.declared_proctypes.insert(symbol);
        let parameters = match self.parenthesised(&name.text, Parser::parameters) {
            Ok(parameters) => parameters,
            Err(_) => {
                // The body can still be parsed.
                while !matches!(self.kind(), TokenKind::OpenBrace | TokenKind::End)
                    && !self.starts_unit()
                {
                    self.advance();
                }
                Vec::new()
            }
        };
        let priority = self.priority()?;
        let provided = if self.eat_word(kw::PROVIDED) {
            Some(self.parenthesised("provided", Parser::full_expr)?)
        } else {
            None
        };
        let body = self.block("a proctype's body")?;
        Ok(Proctype {
            name,
            active,
            deterministic,
            parameters,
            priority,
            provided,
            body,
            span: self.span_from(start),
        })
    }

    fn active(&mut self) -> Parse<Active> {
        let start = self.at;
        self.advance();
        let count = if self.eat(TokenKind::OpenBracket) {
            let count = self.bracketed(Parser::expr)?;
            self.expect(TokenKind::CloseBracket, "after the number of processes")?;
            Some(count)
        } else {
            None
        };
        Ok(Active { count, span: self.span_from(start) })
    }

    fn parameters(&mut self) -> Parse<Vec<Declaration>> {
        let mut parameters = Vec::new();
        while !self.is(TokenKind::CloseParen) {
            if !self.starts_declaration() {
                return Err(self.expected("a parameter's type or `)`"));
            }
            parameters.push(self.declaration()?);
            if !self.eat(TokenKind::Semicolon) {
                break;
            }
            while self.eat(TokenKind::Semicolon) {}
        }
        Ok(parameters)
    }

    /// An optional `priority 3`.
    pub(super) fn priority(&mut self) -> Parse<Option<Expr>> {
        if self.eat_word(kw::PRIORITY) { self.operand().map(Some) } else { Ok(None) }
    }

    fn init(&mut self) -> Parse<Init> {
        let start = self.at;
        self.advance();
        let priority = self.priority()?;
        let body = self.block("the body of `init`")?;
        Ok(Init { priority, body, span: self.span_from(start) })
    }

    /// The name, if there is one before the next opening brace.
    fn name_before_brace(&mut self, expected: &str) -> Parse<Option<Ident>> {
        if self.is(TokenKind::OpenBrace) {
            return Ok(None);
        }
        Ok(Some(self.name(expected)?.1))
    }

    fn never(&mut self) -> Parse<Claim> {
        let start = self.at;
        self.advance();
        let name = self.name_before_brace("the claim's name or `{`")?;
        let body = self.block("a claim's body")?;
        Ok(Claim { name, body, span: self.span_from(start) })
    }

    fn event_trace(&mut self, negated: bool) -> Parse<EventTrace> {
        let start = self.at;
        self.advance();
        let body = self.block("a trace's body")?;
        Ok(EventTrace { negated, body, span: self.span_from(start) })
    }

    fn ltl_block(&mut self) -> Parse<Ltl> {
        let start = self.at;
        self.advance();
        let name = self.name_before_brace("the formula's name or `{`")?;
        let open = self.expect(TokenKind::OpenBrace, "before the formula")?.span;
        self.in_ltl = true;
        let formula = self.bracketed(Parser::full_expr);
        self.in_ltl = false;
        let formula = formula?;
        while self.eat(TokenKind::Semicolon) {}
        let given = crate::extra_formulas::is_formula_name(self.sources.locate(open).file);
        if given && self.is(TokenKind::CloseBrace) && !self.at_formula_end() {
            return Err(self.report(
                Diagnostic::error("this `}` ends the formula")
                    .at(self.peek().span, "no block of the formula is open here")
                    .help("write one formula at a time, without braces"),
            ));
        }
        if !self.eat(TokenKind::CloseBrace) {
            let diagnostic = match given {
                // The user did not write this brace.
                true => self.expected_diagnostic("an operator or the end of the formula"),
                false => self
                    .expected_diagnostic("a temporal operator or `}`")
                    .also(open, "to close this"),
            };
            let diagnostic = self.hint_equality(diagnostic);
            let diagnostic = self.hint_letters(diagnostic);
            return Err(self.report(diagnostic));
        }
        Ok(Ltl { name, formula, span: self.span_from(start) })
    }

    fn typedef(&mut self) -> Parse<Typedef> {
        let start = self.at;
        self.advance();
        let (_, name) = self.name("the type's name")?;
        let open = self.expect(TokenKind::OpenBrace, "before the fields")?.span;
        let mut fields = Vec::new();
        loop {
            while self.eat(TokenKind::Semicolon) {}
            if self.eat(TokenKind::CloseBrace) {
                break;
            }
            if !self.starts_declaration() {
                let diagnostic =
                    self.expected_diagnostic("a field or `}`").also(open, "to close this");
                return Err(self.report(diagnostic));
            }
            fields.push(self.declaration()?);
            let separated = matches!(self.kind(), TokenKind::Semicolon | TokenKind::CloseBrace);
            if !separated && !self.peek().starts_line() {
                return Err(self.expected("`;`, `}` or the end of the line"));
            }
        }
        let span = self.span_from(start);
        if fields.is_empty() {
            self.report(
                Diagnostic::error(format!("type `{}` has no fields", name.text)).at(span, ""),
            );
        }
        Ok(Typedef { name, fields, span })
    }
}
