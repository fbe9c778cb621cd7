//! Expressions, places and patterns, as text.
//!
//! Precedence, weakest first: `=>`, `||`, `&&`, comparisons (which do not chain), `|`, `^`, `&`, shifts, `+ -`,
//! `* / %`, prefix operators. `a => b` is read as `!a || b`, and `=` as `==`.

use super::lexer::Token;
use super::parser::{HEIGHT_LIMIT, Parsed, Parser};
use super::symbols::Found;
use crate::expression::{BinaryOp, ChannelQuery, Expr, Pattern, Place, Remote, Scope, UnaryOp};
use crate::program::{LocationId, ProcessTypeId, VariableId};
use std::ops::Range;

/// The operators with their ranks; the printer uses the same table.
pub(super) const OPERATORS: [(BinaryOp, &str, u8); 18] = [
    (BinaryOp::Or, "||", 2),
    (BinaryOp::And, "&&", 3),
    (BinaryOp::Equal, "==", COMPARISON),
    (BinaryOp::NotEqual, "!=", COMPARISON),
    (BinaryOp::Less, "<", COMPARISON),
    (BinaryOp::LessEqual, "<=", COMPARISON),
    (BinaryOp::Greater, ">", COMPARISON),
    (BinaryOp::GreaterEqual, ">=", COMPARISON),
    (BinaryOp::BitOr, "|", 5),
    (BinaryOp::BitXor, "^", 6),
    (BinaryOp::BitAnd, "&", 7),
    (BinaryOp::ShiftLeft, "<<", 8),
    (BinaryOp::ShiftRight, ">>", 8),
    (BinaryOp::Add, "+", 9),
    (BinaryOp::Subtract, "-", 9),
    (BinaryOp::Multiply, "*", 10),
    (BinaryOp::Divide, "/", 10),
    (BinaryOp::Remainder, "%", 10),
];
const IMPLICATION: u8 = 1;
pub(super) const COMPARISON: u8 = 4;
pub(super) const PREFIX: u8 = 11;

/// An expression and the height of its tree.
type Tree = (Expr, u32);

/// A name with its indices, before anyone knows what it means.
struct Reference {
    /// `a[].b`
    pattern: String,
    indices: Vec<Expr>,
    height: u32,
    span: Range<usize>,
}

impl Parser<'_> {
    pub fn expression(&mut self) -> Parsed<Expr> {
        Ok(self.tree(IMPLICATION)?.0)
    }

    /// An expression whose operators have at least this rank.
    fn tree(&mut self, rank: u8) -> Parsed<Tree> {
        self.nested(|parser| parser.operators(rank))
    }

    fn operators(&mut self, rank: u8) -> Parsed<Tree> {
        let mut left = self.prefix()?;
        let mut compared = false;
        loop {
            let span = self.span();
            let Token::Symbol(symbol) = *self.peek() else { return Ok(left) };
            if symbol == "=>" && rank <= IMPLICATION {
                self.advance();
                let right = self.tree(IMPLICATION)?;
                let height = left.1.max(right.1) + 2;
                let premise = Expr::unary(UnaryOp::Not, left.0);
                return Ok((Expr::binary(BinaryOp::Or, premise, right.0), height));
            }
            let symbol = if symbol == "=" { "==" } else { symbol };
            let Some(&(operator, _, own)) =
                OPERATORS.iter().find(|(_, spelling, own)| *spelling == symbol && *own >= rank)
            else {
                return Ok(left);
            };
            if own == COMPARISON && compared {
                return Err(self.error(span, "comparisons do not chain; use parentheses or `&&`"));
            }
            compared = own == COMPARISON;
            self.advance();
            let right = self.tree(own + 1)?;
            let height = left.1.max(right.1) + 1;
            if height > HEIGHT_LIMIT {
                return Err(self.error(span, format!("an expression of more than {HEIGHT_LIMIT} levels")));
            }
            left = (Expr::binary(operator, left.0, right.0), height);
        }
    }

    fn prefix(&mut self) -> Parsed<Tree> {
        let operator = match self.peek() {
            Token::Symbol("-") => {
                if let Token::Number(value) = self.ahead(1) {
                    let span = self.span().start..self.lexemes[self.position + 1].span.end;
                    self.advance();
                    self.advance();
                    return self.number(-value, span);
                }
                UnaryOp::Negate
            }
            Token::Symbol("!") => UnaryOp::Not,
            Token::Symbol("~") => UnaryOp::Complement,
            Token::Symbol("!!") => {
                self.advance();
                let (expr, height) = self.nested(Parser::prefix)?;
                let once = Expr::unary(UnaryOp::Not, expr);
                return Ok((Expr::unary(UnaryOp::Not, once), height + 2));
            }
            _ => return self.primary(),
        };
        self.advance();
        let (operand, height) = self.nested(Parser::prefix)?;
        Ok((Expr::unary(operator, operand), height + 1))
    }

    fn number(&self, value: i64, span: Range<usize>) -> Parsed<Tree> {
        match i32::try_from(value) {
            Ok(value) => Ok((Expr::Const(value), 1)),
            Err(_) => Err(self.error(span, "values are signed and have 32 bits: this one is too large")),
        }
    }

    fn primary(&mut self) -> Parsed<Tree> {
        let leaf = match self.peek() {
            Token::Number(value) => {
                let span = self.span();
                self.advance();
                return self.number(*value, span);
            }
            Token::Symbol("(") => {
                self.advance();
                let inner = self.tree(IMPLICATION)?;
                self.expect_symbol(")")?;
                return Ok(inner);
            }
            Token::Symbol("::" | "#") => return self.place_tree(),
            Token::Word(word) => match word.as_str() {
                "if" => return self.conditional(),
                "true" => Expr::TRUE,
                "false" => Expr::Const(0),
                "timeout" => Expr::Timeout,
                "_pid" => Expr::Pid,
                "_nr_pr" => Expr::ProcessCount,
                "_last" => Expr::Last,
                "np_" => Expr::NonProgress,
                "spawned" => Expr::Spawned,
                _ if *self.ahead(1) == Token::Symbol("(") => return self.function(word),
                _ if self.at_name() => return self.name_tree(),
                _ => return Err(self.unexpected(&["an expression"])),
            },
            Token::Quoted(_) => return self.name_tree(),
            _ => return Err(self.unexpected(&["an expression"])),
        };
        self.advance();
        Ok((leaf, 1))
    }

    fn conditional(&mut self) -> Parsed<Tree> {
        self.advance();
        let condition = self.tree(IMPLICATION)?;
        self.expect_word("then")?;
        let yes = self.tree(IMPLICATION)?;
        self.expect_word("else")?;
        let no = self.tree(IMPLICATION)?;
        let height = condition.1.max(yes.1).max(no.1) + 1;
        Ok((Expr::Conditional(Box::new(condition.0), Box::new(yes.0), Box::new(no.0)), height))
    }

    /// `name(...)`: a question about channels or processes.
    fn function(&mut self, name: &str) -> Parsed<Tree> {
        let span = self.span();
        self.advance();
        self.expect_symbol("(")?;
        let query = match name {
            "len" => Some(ChannelQuery::Len),
            "full" => Some(ChannelQuery::Full),
            "empty" => Some(ChannelQuery::Empty),
            "nfull" => Some(ChannelQuery::NotFull),
            "nempty" => Some(ChannelQuery::NotEmpty),
            _ => None,
        };
        if let Some(query) = query {
            let (channel, height) = self.tree(IMPLICATION)?;
            self.expect_symbol(")")?;
            return Ok((Expr::Channel(query, Box::new(channel)), height + 1));
        }
        let tree = match name {
            "enabled" | "pc_value" | "priority" => {
                let (process, height) = self.tree(IMPLICATION)?;
                let process = Box::new(process);
                let expr = match name {
                    "enabled" => Expr::Enabled(process),
                    "pc_value" => Expr::PcValue(process),
                    _ => Expr::Priority(process),
                };
                (expr, height + 1)
            }
            "poll" | "poll_any" => {
                let channel = Box::new(self.expression()?);
                self.expect_symbol(";")?;
                let patterns = self.list_until(")", Parser::pattern)?;
                return self.measured(Expr::Poll { channel, patterns, random: name == "poll_any" }, span);
            }
            "at" => {
                let (process_type, process) = self.remote()?;
                self.expect_symbol(",")?;
                let location = self.location_of(process_type.index())?;
                self.expect_symbol(")")?;
                return self.measured(Expr::At { process_type, process, location }, span);
            }
            "remote" => {
                let (process_type, process) = self.remote()?;
                self.expect_symbol(",")?;
                let place = self.remote_place(process_type)?;
                self.expect_symbol(")")?;
                let Place { variable, indices, .. } = place;
                return self.measured(Expr::ReadRemote { process_type, process, variable, indices }, span);
            }
            _ => return Err(self.error(span, format!("there is no function `{name}`"))),
        };
        self.expect_symbol(")")?;
        Ok(tree)
    }

    /// For the few forms with many parts: the height, looked up afterwards.
    fn measured(&self, expr: Expr, span: Range<usize>) -> Parsed<Tree> {
        let height = height(&expr);
        if height > HEIGHT_LIMIT {
            return Err(self.error(span, format!("an expression of more than {HEIGHT_LIMIT} levels")));
        }
        Ok((expr, height))
    }

    /// `P` or `P[pid]`.
    fn remote(&mut self) -> Parsed<(ProcessTypeId, Remote)> {
        let process_type = self.process_type_reference()?;
        let mut process = Remote::Only;
        if self.take_symbol("[") {
            process = Remote::Pid(Box::new(self.expression()?));
            self.expect_symbol("]")?;
        }
        Ok((process_type, process))
    }

    pub fn process_type_reference(&mut self) -> Parsed<ProcessTypeId> {
        let count = self.program.process_types.len();
        self.reference("process type", count, |symbols| &symbols.process_types).map(ProcessTypeId)
    }

    /// A location of the process type, by label or number.
    pub fn location_of(&mut self, process_type: usize) -> Parsed<LocationId> {
        let span = self.span();
        if let Token::Number(_) = self.peek() {
            let id = self.natural()?;
            let kind = &self.program.process_types[process_type];
            // A process written without locations has one.
            if id as usize >= kind.locations.len().max(1) {
                return Err(self.error(span, format!("`{}` has no location number {id}", kind.name)));
            }
            return Ok(LocationId(id));
        }
        let count = self.program.process_types[process_type].locations.len();
        self.reference("label", count, |symbols| &symbols.labels[process_type]).map(LocationId)
    }

    /// A local variable of a process of another type; its indices are the reader's business.
    fn remote_place(&mut self, process_type: ProcessTypeId) -> Parsed<Place> {
        if self.take_symbol("#") {
            let count = self.program.process_type(process_type).variables.len();
            return self.numbered(Scope::Local, count);
        }
        let reference = self.path()?;
        match self.symbols.locals[process_type.index()].get(&reference.pattern) {
            Some(Found::One(id)) => {
                Ok(Place { scope: Scope::Local, variable: VariableId(id), indices: reference.indices })
            }
            found => Err(self.no_variable(&reference, found)),
        }
    }

    /// `#3[i]`: the third variable of a scope with `count` variables.
    fn numbered(&mut self, scope: Scope, count: usize) -> Parsed<Place> {
        let span = self.span();
        let id = self.natural()?;
        if id as usize >= count {
            return Err(self.error(span, format!("there is no variable number {id}: there are {count}")));
        }
        let mut indices = Vec::new();
        while self.take_symbol("[") {
            indices.push(self.expression()?);
            self.expect_symbol("]")?;
        }
        Ok(Place { scope, variable: VariableId(id), indices })
    }

    /// `::x` is global, `#1` is by number; `x` and `a[i].b` are looked up.
    pub fn place(&mut self) -> Parsed<Place> {
        if let Some(place) = self.explicit_place()? {
            return Ok(place);
        }
        let reference = self.path()?;
        match self.symbols.variable(self.process_type, &reference.pattern) {
            Some((scope, Found::One(id))) => {
                Ok(Place { scope, variable: VariableId(id), indices: reference.indices })
            }
            found => Err(self.no_variable(&reference, found.map(|(_, found)| found))),
        }
    }

    fn explicit_place(&mut self) -> Parsed<Option<Place>> {
        if self.take_symbol("::") {
            if self.take_symbol("#") {
                let count = self.program.variables.len();
                return self.numbered(Scope::Global, count).map(Some);
            }
            let reference = self.path()?;
            return match self.symbols.globals.get(&reference.pattern) {
                Some(Found::One(id)) => {
                    let (scope, variable) = (Scope::Global, VariableId(id));
                    Ok(Some(Place { scope, variable, indices: reference.indices }))
                }
                found => Err(self.no_variable(&reference, found)),
            };
        }
        if self.take_symbol("#") {
            let (scope, count) = match self.process_type {
                Some(id) => (Scope::Local, self.program.process_types[id].variables.len()),
                None => (Scope::Global, self.program.variables.len()),
            };
            return self.numbered(scope, count).map(Some);
        }
        Ok(None)
    }

    fn place_tree(&mut self) -> Parsed<Tree> {
        let span = self.span();
        let place = self.place()?;
        self.measured(Expr::Read(place), span)
    }

    fn path(&mut self) -> Parsed<Reference> {
        let start = self.span().start;
        let mut pattern = self.name()?;
        let mut indices = Vec::new();
        let mut height = 0;
        loop {
            if self.take_symbol("[") {
                let (index, own) = self.tree(IMPLICATION)?;
                indices.push(index);
                height = height.max(own);
                self.expect_symbol("]")?;
                pattern += "[]";
            } else if self.take_symbol(".") {
                pattern.push('.');
                pattern += &self.name()?;
            } else {
                break;
            }
        }
        Ok(Reference { pattern, indices, height, span: self.since(start) })
    }

    /// A variable's value, or a constant with a name.
    fn name_tree(&mut self) -> Parsed<Tree> {
        let reference = self.path()?;
        match self.symbols.variable(self.process_type, &reference.pattern) {
            Some((scope, Found::One(id))) => {
                let place = Place { scope, variable: VariableId(id), indices: reference.indices };
                Ok((Expr::Read(place), reference.height + 1))
            }
            Some((_, Found::Many)) => Err(self.no_variable(&reference, Some(Found::Many))),
            None => match self.named_constant(&reference.pattern) {
                Some(Found::One(value)) => Ok((Expr::Const(value), 1)),
                found => Err(self.no_variable(&reference, found.map(|_| Found::Many))),
            },
        }
    }

    fn named_constant(&self, name: &str) -> Option<Found<i32>> {
        self.symbols.constants.get(name).or_else(|| self.symbols.name_values.get(name))
    }

    fn no_variable(&self, reference: &Reference, found: Option<Found<u32>>) -> Box<super::ParseError> {
        let Reference { pattern, span, .. } = reference;
        if found.is_some() {
            let message = format!(
                "`{pattern}` means several things; a variable can be written as `#` and its number, a name of a set as `set.name`"
            );
            return self.error(span.clone(), message);
        }
        let base = pattern.replace("[]", "");
        let locals = self.process_type.and_then(|id| self.symbols.locals.get(id));
        let tables = locals.into_iter().chain([&self.symbols.globals]);
        for table in tables.clone() {
            // The same name with another number of indices deserves its own words.
            if let Some(near) = table.nearest(pattern).filter(|near| near.replace("[]", "") == base) {
                let count = near.matches("[]").count();
                let message = format!("`{base}` takes {count} indices: it is written `{near}`");
                return self.error(span.clone(), message);
            }
        }
        let nearest = tables
            .filter_map(|table| table.nearest(pattern))
            .chain(self.symbols.constants.nearest(pattern))
            .chain(self.symbols.name_values.nearest(pattern))
            .next()
            .map(str::to_string);
        self.unknown(span.clone(), "variable", pattern, nearest)
    }

    /// What a receive does with a field: `_`, a value, `eval(e)`, or a place to store it.
    pub fn pattern(&mut self) -> Parsed<Pattern> {
        if self.take_word("_") {
            return Ok(Pattern::Ignore);
        }
        if self.take_word("eval") {
            self.expect_symbol("(")?;
            let value = self.expression()?;
            self.expect_symbol(")")?;
            return Ok(Pattern::Match(value));
        }
        if self.at_symbol("#") || self.at_symbol("::") {
            return self.place().map(Pattern::Bind);
        }
        let constant = match self.peek() {
            Token::Number(_) | Token::Symbol("-") => true,
            Token::Word(word) => word == "true" || word == "false",
            _ => false,
        };
        let span = self.span();
        match if constant { self.prefix()? } else { self.name_tree()? } {
            (Expr::Read(place), _) => Ok(Pattern::Bind(place)),
            (Expr::Const(value), _) => Ok(Pattern::Match(Expr::Const(value))),
            _ => Err(self.error(span, "a value to compare with is written `eval(...)`")),
        }
    }
}

pub(super) fn height(expr: &Expr) -> u32 {
    let mut below = 0;
    expr.for_each_child(&mut |child| below = below.max(height(child)));
    below + 1
}
