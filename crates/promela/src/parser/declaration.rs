//! Declarations of variables, channels and mtype names.

use super::{Parse, Parser};
use crate::ast::{
    ChannelInitializer, Declaration, Initializer, MtypeDeclaration, TypeKind, TypeName, Variable,
    Visibility,
};
use crate::diagnostic::Diagnostic;
use crate::token::{TokenKind, kw};

impl Parser {
    /// Whether a declaration starts here: a type, possibly after `hidden`, `show` or `local`. Two
    /// names in sequence on a line also count, as a declaration with an unknown type.
    pub(super) fn starts_declaration(&self) -> bool {
        match self.kind() {
            TokenKind::Word(kw::HIDDEN | kw::SHOW | kw::LOCAL) => true,
            TokenKind::Word(word) if basic_type(word).is_some() => true,
            TokenKind::Word(word) if !word.is_keyword() => match self.tokens.get(self.at + 1) {
                Some(next) => match next.kind {
                    TokenKind::Word(name) if !name.is_keyword() => {
                        self.names.typedefs.contains(&word)
                            || !next.starts_line()
                                && name != self.word_in
                                && self.ahead(2) != TokenKind::OpenParen
                    }
                    _ => false,
                },
                None => false,
            },
            _ => false,
        }
    }

    /// `mtype = {`, `mtype {` or `mtype:set = {`, possibly after `hidden`.
    pub(super) fn starts_mtype_names(&self) -> bool {
        let skip =
            usize::from(matches!(self.kind(), TokenKind::Word(kw::HIDDEN | kw::SHOW | kw::LOCAL)));
        if self.ahead(skip) != TokenKind::Word(kw::MTYPE) {
            return false;
        }
        let after = if self.ahead(skip + 1) == TokenKind::Colon { skip + 3 } else { skip + 1 };
        match self.ahead(after) {
            TokenKind::Assign => true,
            kind => kind == TokenKind::OpenBrace,
        }
    }

    pub(super) fn mtype_names(&mut self) -> Parse<MtypeDeclaration> {
        let start = self.at;
        if let Some((_, span)) = self.visibility() {
            self.report(
                Diagnostic::error("message names cannot be hidden, shown or local")
                    .at(span, "remove this word"),
            );
        }
        self.advance();
        let set =
            if self.eat(TokenKind::Colon) { Some(self.name("the set's name")?.1) } else { None };
        self.eat(TokenKind::Assign);
        let open = self.expect(TokenKind::OpenBrace, "before the message names")?.span;
        let mut names = Vec::new();
        loop {
            self.skip_last_separator();
            if self.eat(TokenKind::CloseBrace) {
                break;
            }
            if self.is(TokenKind::Comma) && !names.is_empty() {
                self.advance();
                continue;
            }
            if !matches!(self.kind(), TokenKind::Word(_)) {
                let diagnostic =
                    self.expected_diagnostic("a message name or `}`").also(open, "to close this");
                return Err(self.report(diagnostic));
            }
            names.push(self.name("a message name")?.1);
        }
        let span = self.span_from(start);
        if names.is_empty() {
            self.report(Diagnostic::error("an `mtype` needs at least one name").at(span, ""));
        }
        Ok(MtypeDeclaration { set, names, span })
    }

    fn visibility(&mut self) -> Option<(Visibility, crate::source::Span)> {
        let visibility = match self.kind() {
            TokenKind::Word(kw::HIDDEN) => Visibility::Hidden,
            TokenKind::Word(kw::SHOW) => Visibility::Show,
            TokenKind::Word(kw::LOCAL) => Visibility::Local,
            _ => return None,
        };
        Some((visibility, self.advance().span))
    }

    /// One type and its variables; the caller parses the separator after the declaration.
    pub(super) fn declaration(&mut self) -> Parse<Declaration> {
        let start = self.at;
        let visibility = self.visibility();
        let ty = self.type_name()?;
        let mut variables = Vec::new();
        loop {
            if let TokenKind::Word(word) = self.kind()
                && !variables.is_empty()
                && (basic_type(word).is_some() || self.names.typedefs.contains(&word))
            {
                let diagnostic = self
                    .expected_diagnostic("a variable's name")
                    .help("put `;`, not `,`, between declarations of different types");
                return Err(self.report(diagnostic));
            }
            variables.push(self.variable()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(Declaration { visibility, ty, variables, span: self.span_from(start) })
    }

    fn type_name(&mut self) -> Parse<TypeName> {
        let start = self.at;
        let token = self.peek();
        let TokenKind::Word(word) = token.kind else { return Err(self.expected("a type")) };
        let kind = match basic_type(word) {
            Some(TypeKind::Mtype(_)) => {
                self.advance();
                let set = if self.eat(TokenKind::Colon) {
                    Some(self.name("the name of an mtype")?.1)
                } else {
                    None
                };
                TypeKind::Mtype(set)
            }
            Some(kind) => {
                self.advance();
                kind
            }
            None => {
                let (symbol, name) = self.name("a type")?;
                if !self.names.typedefs.contains(&symbol) {
                    self.unknown_type(&name);
                }
                TypeKind::User(name)
            }
        };
        Ok(TypeName { kind, span: self.span_from(start) })
    }

    fn unknown_type(&mut self, name: &crate::ast::Ident) {
        const TYPES: [&str; 9] =
            ["bit", "bool", "byte", "pid", "short", "int", "unsigned", "chan", "mtype"];
        const OTHERS: [&str; 5] = ["proctype", "active", "typedef", "inline", "never"];
        let mut typedefs: Vec<_> =
            self.names.typedefs.iter().map(|&word| self.word_text(word)).collect();
        typedefs.sort();
        let candidates = typedefs.iter().map(|word| &**word).chain(TYPES).chain(OTHERS);
        let hint = crate::suggest::closest(&name.text, candidates)
            .map(|close| format!("did you mean `{close}`?"));
        self.report(
            Diagnostic::error(format!("`{}` is not a type", name.text))
                .at(name.span, "not a type")
                .maybe_help(hint),
        );
    }

    fn variable(&mut self) -> Parse<Variable> {
        let start = self.at;
        let (_, name) = self.name("a variable's name")?;
        let width = if self.eat(TokenKind::Colon) { Some(self.operand()?) } else { None };
        let length = if self.eat(TokenKind::OpenBracket) {
            let length = self.bracketed(Parser::expr)?;
            self.expect(TokenKind::CloseBracket, "after the length of an array")?;
            Some(length)
        } else {
            None
        };
        if self.is(TokenKind::OpenBracket) && length.is_some() {
            let diagnostic = self.expected_diagnostic("`=`, `,` or `;`").help(
                "arrays have one dimension; for two, declare an array of a `typedef` that contains an array",
            );
            return Err(self.report(diagnostic));
        }
        let initializer =
            if self.eat(TokenKind::Assign) { Some(self.initializer()?) } else { None };
        Ok(Variable { name, width, length, initializer, span: self.span_from(start) })
    }

    fn initializer(&mut self) -> Parse<Initializer> {
        match self.kind() {
            TokenKind::OpenBracket => self.channel_initializer().map(Initializer::Channel),
            TokenKind::OpenBrace => {
                self.advance();
                let values = self.bracketed(|parser| parser.list(Parser::expr))?;
                self.skip_last_separator();
                self.expect(TokenKind::CloseBrace, "after the array's values")?;
                Ok(Initializer::List(values))
            }
            _ => self.expr().map(Initializer::Expr),
        }
    }

    fn channel_initializer(&mut self) -> Parse<ChannelInitializer> {
        let start = self.at;
        self.advance();
        let capacity = self.bracketed(Parser::expr)?;
        self.expect(TokenKind::CloseBracket, "after the channel's capacity")?;
        if !self.eat_word(kw::OF) {
            return Err(self.expected("`of`"));
        }
        self.expect(TokenKind::OpenBrace, "before the message's fields")?;
        let fields = self.list(Parser::type_name)?;
        self.skip_last_separator();
        self.expect(TokenKind::CloseBrace, "after the message's fields")?;
        Ok(ChannelInitializer { capacity, fields, span: self.span_from(start) })
    }

    /// Skips an optional `;` before `}`.
    fn skip_last_separator(&mut self) {
        while matches!(self.kind(), TokenKind::Semicolon | TokenKind::Arrow)
            && matches!(
                self.ahead(1),
                TokenKind::Semicolon | TokenKind::Arrow | TokenKind::CloseBrace
            )
        {
            self.advance();
        }
    }

    /// `a, b, c`
    pub(super) fn list<T>(&mut self, parse: impl Fn(&mut Parser) -> Parse<T>) -> Parse<Vec<T>> {
        let mut list = vec![parse(self)?];
        while self.eat(TokenKind::Comma) {
            list.push(parse(self)?);
        }
        Ok(list)
    }
}

/// The type a keyword names.
fn basic_type(word: crate::token::Symbol) -> Option<TypeKind> {
    Some(match word {
        kw::BIT => TypeKind::Bit,
        kw::BOOL => TypeKind::Bool,
        kw::BYTE => TypeKind::Byte,
        kw::PID => TypeKind::Pid,
        kw::SHORT => TypeKind::Short,
        kw::INT => TypeKind::Int,
        kw::UNSIGNED => TypeKind::Unsigned,
        kw::CHAN => TypeKind::Chan,
        kw::MTYPE => TypeKind::Mtype(None),
        _ => return None,
    })
}
