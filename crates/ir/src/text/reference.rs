//! Parsing of names: variables with their indices, processes, locations and named constants; and of
//! receive patterns, which are mostly names.

use super::error::ParseError;
use super::expression::Tree;
use super::lexer::Token;
use super::parser::{Parsed, Parser};
use super::symbols::Found;
use crate::expression::{Expr, Pattern, Place, Remote, Scope};
use crate::program::{LocationId, ProcessTypeId, VariableId};
use std::ops::Range;

/// A name with its indices, not yet resolved.
struct Reference {
    /// `a[].b`
    pattern: String,
    indices: Vec<Expr>,
    height: u32,
    span: Range<usize>,
}

impl Parser<'_> {
    /// `P` or `P[pid]`.
    pub fn remote(&mut self) -> Parsed<(ProcessTypeId, Remote)> {
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
            // A process written without locations gets one.
            if id as usize >= kind.locations.len().max(1) {
                return Err(
                    self.error(span, format!("`{}` has no location number {id}", kind.name))
                );
            }
            return Ok(LocationId(id));
        }
        let count = self.program.process_types[process_type].locations.len();
        self.reference("label", count, |symbols| &symbols.labels[process_type]).map(LocationId)
    }

    /// A local variable of another process; the reading process evaluates its indices.
    pub fn remote_place(&mut self, process_type: ProcessTypeId) -> Parsed<Place> {
        if self.take_symbol("#") {
            let count = self.program.process_type(process_type).variables.len();
            return self.numbered(Scope::Local, count);
        }
        let reference = self.path()?;
        match self.symbols.locals[process_type.index()].get(&reference.pattern) {
            Some(Found::One(id)) => Ok(Place {
                scope: Scope::Local,
                variable: VariableId(id),
                indices: reference.indices,
            }),
            found => Err(self.no_variable(&reference, found)),
        }
    }

    /// The number of a variable, after the `#`.
    pub fn numbered_variable(&mut self, count: usize) -> Parsed<VariableId> {
        let span = self.span();
        let id = self.natural()?;
        if id as usize >= count {
            return Err(
                self.error(span, format!("there is no variable number {id}: there are {count}"))
            );
        }
        Ok(VariableId(id))
    }

    /// `#3[i]`: variable 3 of a scope with `count` variables.
    fn numbered(&mut self, scope: Scope, count: usize) -> Parsed<Place> {
        let variable = self.numbered_variable(count)?;
        let mut indices = Vec::new();
        while self.take_symbol("[") {
            indices.push(self.expression()?);
            self.expect_symbol("]")?;
        }
        Ok(Place { scope, variable, indices })
    }

    /// `::x` is global, `#1` is a number; `x` and `a[i].b` are resolved.
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

    pub fn place_tree(&mut self) -> Parsed<Tree> {
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
                let (index, own) = self.whole()?;
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

    /// The value of a variable, or a named constant.
    pub fn name_tree(&mut self) -> Parsed<Tree> {
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

    fn no_variable(&self, reference: &Reference, found: Option<Found<u32>>) -> Box<ParseError> {
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
        if let Some(near) = tables.clone().find_map(|table| table.other_indices(pattern)) {
            let count = near.matches("[]").count();
            let indices = if count == 1 { "index" } else { "indices" };
            let message = format!("`{base}` takes {count} {indices}: it is written `{near}`");
            return self.error(span.clone(), message);
        }
        let nearest = tables
            .filter_map(|table| table.nearest(pattern))
            .chain(self.symbols.constants.nearest(pattern))
            .chain(self.symbols.name_values.nearest(pattern))
            .next()
            .map(str::to_string);
        self.unknown(span.clone(), "variable", pattern, nearest)
    }

    /// The pattern of a field: `_`, a constant, `eval(e)`, or a place to store it.
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
