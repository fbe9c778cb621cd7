//! The first pass collects all names. It reads types and constants completely, and the bodies of
//! processes only for variables and locations.

use super::error::{ERROR_LIMIT, ParseError};
use super::lexer::Token;
use super::parser::{Parsed, Parser};
use crate::program::{
    ChannelType, Extent, FieldType, Location, LocationId, NameSet, Origin, ProcessType, Variables,
};

/// Largest number of elements; a state with more would not fit into memory.
const SLOT_LIMIT: u64 = 1 << 24;
/// Largest `n` in `process P[n]`.
const PROCESS_LIMIT: i32 = 255;

impl Parser<'_> {
    /// Adds the declarations of the whole text to the program and the symbol tables.
    pub fn declare_all(&mut self, errors: &mut Vec<ParseError>) {
        let mut depth = 0usize;
        let mut process_depth = 0;
        while *self.peek() != Token::EndOfText && errors.len() < ERROR_LIMIT {
            let start = self.position;
            let declared = match self.peek() {
                Token::Symbol("{") => {
                    depth += 1;
                    None
                }
                Token::Symbol("}") => {
                    depth = depth.saturating_sub(1);
                    if depth <= process_depth {
                        self.process_type = None;
                    }
                    None
                }
                Token::Word(_) if self.at_label() => None,
                Token::Word(word) => match word.as_str() {
                    "names" => Some(self.declare_names()),
                    "const" => Some(self.declare_constant()),
                    "channel" => Some(self.declare_channel_type()),
                    "origin" => Some(self.declare_origin()),
                    "var" => Some(self.declare_variable()),
                    "location" => Some(self.declare_location()),
                    "process" | "proctype" => {
                        process_depth = depth;
                        Some(self.declare_process_type())
                    }
                    _ => None,
                },
                _ => None,
            };
            match declared {
                None => self.advance(),
                Some(Ok(id)) => {
                    self.declared.insert(start, (self.position, id));
                }
                Some(Err(error)) => {
                    errors.push(*error);
                    // Continue behind the faulty token, to find further errors.
                    self.position = self.position.max(start + 1).min(self.lexemes.len() - 1);
                }
            }
        }
        self.process_type = None;
        self.position = 0;
        self.symbols.add_program(&self.program);
    }

    fn declare_names(&mut self) -> Parsed<u32> {
        self.advance();
        let name = self.name()?;
        self.expect_symbol("{")?;
        let names = self.list_until("}", Parser::name)?;
        Ok(self.add_name_set(name, names))
    }

    pub fn add_name_set(&mut self, name: String, names: Vec<String>) -> u32 {
        let id = self.program.name_sets.len() as u32;
        self.program.name_sets.push(NameSet { name, names });
        self.symbols.add_name_set(&self.program, id);
        id
    }

    fn declare_constant(&mut self) -> Parsed<u32> {
        self.advance();
        let name = self.name()?;
        self.expect_symbol("=")?;
        let value = self.constant()?;
        self.symbols.constants.add(name, value);
        Ok(0)
    }

    fn declare_channel_type(&mut self) -> Parsed<u32> {
        self.advance();
        let name = self.name()?;
        self.expect_symbol("[")?;
        let span = self.span();
        let Ok(capacity) = u32::try_from(self.constant()?) else {
            return Err(self.error(span, "a channel's capacity cannot be negative"));
        };
        self.expect_symbol("]")?;
        let fields = self.list(|parser| {
            let (domain, meaning) = parser.value_type("")?;
            Ok(FieldType { domain, meaning })
        })?;
        self.program.channel_types.push(ChannelType { name, capacity, fields });
        Ok(self.program.channel_types.len() as u32 - 1)
    }

    fn declare_origin(&mut self) -> Parsed<u32> {
        self.advance();
        let span = self.span();
        let id = self.natural()?;
        if id as usize != self.program.origins.len() {
            let expected = self.program.origins.len();
            return Err(self.error(
                span,
                format!("origins are numbered in order: this one is number {expected}"),
            ));
        }
        let file = self.text()?;
        let line = self.natural()?;
        let number = self.natural()?;
        let text = self.text()?;
        let mut extent = None;
        if self.take_word("columns") {
            let (column, end_line, end_column) =
                (self.natural()?, self.natural()?, self.natural()?);
            extent = Some(Extent { column, end_line, end_column });
        }
        self.program.origins.push(Origin { file, line, extent, text, number });
        Ok(id)
    }

    /// `var name[n] : type`, without the initial value.
    fn declare_variable(&mut self) -> Parsed<u32> {
        self.advance();
        self.variable()
    }

    fn variable(&mut self) -> Parsed<u32> {
        let start = self.span().start;
        let mut name = self.name()?;
        let mut dimensions = Vec::new();
        let mut indices_since_name = 0;
        loop {
            if self.take_symbol("[") {
                let span = self.span();
                match u32::try_from(self.constant()?) {
                    Ok(length) => dimensions.push(length),
                    Err(_) => {
                        return Err(self.error(span, "an array cannot have a negative length"));
                    }
                }
                self.expect_symbol("]")?;
                indices_since_name += 1;
            } else if self.take_symbol(".") {
                name += &"[]".repeat(std::mem::take(&mut indices_since_name));
                name.push('.');
                name += &self.name()?;
            } else {
                break;
            }
        }
        let span = start..self.span().start;
        self.expect_symbol(":")?;
        let (domain, meaning) = self.value_type(&name)?;
        let hidden = self.take_word("hidden");
        let variables = self.variables();
        let mut slots = variables.slot_count() as u64;
        let mut length = 1u64;
        for &dimension in &dimensions {
            length = length.saturating_mul(u64::from(dimension));
            // Added for each dimension, so that a later dimension of 0 does not hide an overflow.
            slots = slots.saturating_add(length);
        }
        if slots > SLOT_LIMIT {
            return Err(
                self.error(span, format!("too large: at most {SLOT_LIMIT} elements fit a state"))
            );
        }
        Ok(variables.add(name, dimensions, domain, meaning, hidden).0)
    }

    fn variables(&mut self) -> &mut Variables {
        match self.process_type {
            Some(process_type) => &mut self.program.process_types[process_type].variables,
            None => &mut self.program.variables,
        }
    }

    /// The heading of a process type, without the opening brace. The second pass reads the number
    /// of processes again, with [`instances`](Self::instances).
    fn declare_process_type(&mut self) -> Parsed<u32> {
        let active = self.at_word("process");
        self.advance();
        let name = self.name()?;
        if active && self.at_symbol("[") {
            self.instances()?;
        }
        let id = self.program.process_types.len();
        self.program.process_types.push(empty_process_type(name));
        self.symbols.add_process_type();
        self.process_type = Some(id);
        if self.take_symbol("(") {
            let parameters = self.list_until(")", Parser::variable)?;
            self.program.process_types[id].parameters = parameters.len() as u32;
        }
        if !self.at_symbol("{") {
            return Err(self.unexpected(&["{"]));
        }
        Ok(id as u32)
    }

    /// `[n]`: the number of initial processes of the type.
    pub fn instances(&mut self) -> Parsed<u32> {
        self.expect_symbol("[")?;
        let span = self.span();
        let count = self.constant()?;
        if !(0..=PROCESS_LIMIT).contains(&count) {
            return Err(
                self.error(span, format!("{count} processes: there can be {PROCESS_LIMIT}"))
            );
        }
        self.expect_symbol("]")?;
        Ok(count as u32)
    }

    /// `location 3 label [end, number 7]`, without the transitions.
    fn declare_location(&mut self) -> Parsed<u32> {
        let start = self.span();
        self.advance();
        let Some(process_type) = self.process_type else {
            return Err(self.error(start, "a location belongs to a process"));
        };
        let id = self.program.process_types[process_type].locations.len() as u32;
        let mut location = Location { number: id, ..Location::default() };
        if let Token::Number(_) = self.peek() {
            let span = self.span();
            if self.natural()? != id {
                return Err(self.error(
                    span,
                    format!("locations are numbered in order: this one is number {id}"),
                ));
            }
        }
        while self.at_name() {
            location.labels.push(self.name()?);
        }
        if self.take_symbol("[") {
            while !self.take_symbol("]") {
                match self.peek() {
                    Token::Word(word) if word == "end" => location.end = true,
                    Token::Word(word) if word == "accept" => location.accept = true,
                    Token::Word(word) if word == "progress" => location.progress = true,
                    Token::Word(word) if word == "number" => {
                        self.advance();
                        location.number = self.natural()?;
                        self.take_symbol(",");
                        continue;
                    }
                    Token::Word(word) if word == "dead" => {
                        self.advance();
                        let count = self.program.process_types[process_type].variables.len();
                        while self.take_symbol("#") {
                            location.dead.push(self.numbered_variable(count)?);
                        }
                        self.take_symbol(",");
                        continue;
                    }
                    _ => {
                        return Err(
                            self.unexpected(&["end", "accept", "progress", "number", "dead", "]"])
                        );
                    }
                }
                self.advance();
                self.take_symbol(",");
            }
        }
        self.program.process_types[process_type].locations.push(location);
        Ok(id)
    }
}

pub(super) fn empty_process_type(name: String) -> ProcessType {
    ProcessType {
        name,
        parameters: 0,
        variables: Variables::default(),
        prologue: Vec::new(),
        initial_location: LocationId(0),
        locations: Vec::new(),
        provided: None,
        deterministic: false,
        exclusive: Vec::new(),
    }
}
