//! The second pass reads the behaviour of processes, the initial states and the properties. It
//! skips the declarations, which the first pass has read.

use super::declarations::empty_process_type;
use super::error::{ERROR_LIMIT, ParseError};
use super::lexer::Token;
use super::parser::{Parsed, Parser};
use crate::expression::{BinaryOp, Expr, Place, Scope};
use crate::program::{
    Action, Event, EventTrace, Exclusive, Instance, Invariant, Location, LocationId, OriginId,
    ProcessTypeId, Transition, VariableId,
};

/// The words that start an item; used in messages and to continue after an error.
const ITEM_WORDS: [&str; 17] = [
    "var", "const", "names", "channel", "process", "proctype", "start", "prologue", "init",
    "assert", "end", "trace", "notrace", "option", "origin", "when", "do",
];
/// Transitions outside any process belong to a process of this name.
const SYSTEM: &str = "system";

impl Parser<'_> {
    /// Reads all items; after an error it continues with the next item it recognises.
    pub fn define_all(&mut self, errors: &mut Vec<ParseError>) {
        while *self.peek() != Token::EndOfText && errors.len() < ERROR_LIMIT {
            let start = self.position;
            if let Err(error) = self.item() {
                errors.push(*error);
                self.process_type = None;
                self.nesting = 0;
                self.position = self.position.max(start + 1).min(self.lexemes.len() - 1);
                self.skip_to_item();
            }
        }
    }

    fn skip_to_item(&mut self) {
        loop {
            match self.peek() {
                Token::EndOfText => return,
                Token::Word(word) if ITEM_WORDS.contains(&word.as_str()) && self.starts_line() => {
                    return;
                }
                _ => self.advance(),
            }
        }
    }

    /// Whether the next token is at the start of its line. Indented lines do not count, because
    /// they are inside an item.
    fn starts_line(&self) -> bool {
        let start = self.span().start;
        start == 0 || self.source.as_bytes()[start - 1] == b'\n'
    }

    fn item(&mut self) -> Parsed<()> {
        let start = self.span().start;
        if self.at_label() || self.at_operation() {
            return self.system_transition();
        }
        let Token::Word(word) = self.peek() else {
            return Err(self.unexpected(&ITEM_WORDS));
        };
        match word.as_str() {
            "names" | "const" | "channel" | "origin" => {
                self.step_over()?;
            }
            "var" => {
                let id = self.step_over()?;
                if let Some(action) = self.initial_value(Scope::Global, VariableId(id))? {
                    self.program.prologue.push(action);
                }
            }
            "process" | "proctype" => self.process(word == "process")?,
            "start" => {
                self.advance();
                let process_type = self.process_type_reference()?;
                let priority = if self.take_word("priority") { self.small()? } else { 1 };
                self.program.initial_processes.push(Instance { process_type, priority });
            }
            "prologue" => {
                let actions = self.prologue()?;
                self.program.prologue.extend(actions);
            }
            "init" => {
                self.advance();
                let condition = self.expression()?;
                self.program.initial_condition =
                    Some(match self.program.initial_condition.take() {
                        Some(earlier) => Expr::binary(BinaryOp::And, earlier, condition),
                        None => condition,
                    });
            }
            "end" => {
                self.advance();
                let condition = self.expression()?;
                self.program.end_condition = Some(match self.program.end_condition.take() {
                    Some(earlier) => Expr::binary(BinaryOp::Or, earlier, condition),
                    None => condition,
                });
            }
            "assert" => {
                self.advance();
                let mut name = None;
                if *self.ahead(1) == Token::Symbol(":") {
                    name = Some(self.name()?);
                    self.advance();
                }
                let condition_start = self.span().start;
                let condition = self.expression()?;
                let name =
                    name.unwrap_or_else(|| self.source[self.since(condition_start)].to_string());
                let origin = self.origin(self.since(start))?;
                self.program.invariants.push(Invariant { name, condition, origin });
            }
            "trace" | "notrace" => self.event_trace(word == "notrace")?,
            "option" => {
                self.advance();
                match self.peek() {
                    Token::Word(word) if word == "priorities" => self.program.has_priorities = true,
                    Token::Word(word) if word == "last" => self.program.remembers_last = true,
                    Token::Word(word) if word == "partner" => self.program.remembers_partner = true,
                    _ => return Err(self.unexpected(&["priorities", "last", "partner"])),
                }
                self.advance();
            }
            _ => return Err(self.unexpected(&ITEM_WORDS)),
        }
        Ok(())
    }

    /// Skips a declaration that the first pass read; returns its id.
    fn step_over(&mut self) -> Parsed<u32> {
        match self.declared.get(&self.position) {
            Some(&(after, id)) => {
                self.position = after;
                Ok(id)
            }
            None => Err(self.unexpected(&[])),
        }
    }

    /// `:= value` after a declaration: the initial value of every element.
    fn initial_value(&mut self, scope: Scope, id: VariableId) -> Parsed<Option<Action>> {
        if !self.take_symbol(":=") {
            return Ok(None);
        }
        let variables = match (scope, self.process_type) {
            (Scope::Local, Some(process_type)) => {
                &self.program.process_types[process_type].variables
            }
            _ => &self.program.variables,
        };
        let variable = variables.get(id);
        let places: Vec<Place> = (0..variable.length())
            .map(|element| Place {
                scope,
                variable: id,
                indices: constant_indices(&variable.dimensions, element),
            })
            .collect();
        if self.take_word("new") {
            let count = self.program.channel_types.len();
            let kind = self.reference("channel type", count, |symbols| &symbols.channel_types)?;
            let span = self.span();
            let [place] = <[Place; 1]>::try_from(places)
                .map_err(|_| self.error(span, "each element of an array needs its own channel"))?;
            let channel_type = crate::program::ChannelTypeId(kind);
            return Ok(Some(Action::NewChannel { place, channel_type }));
        }
        let value = self.expression()?;
        Ok(Some(Action::Assign(places.into_iter().map(|place| (place, value.clone())).collect())))
    }

    fn prologue(&mut self) -> Parsed<Vec<Action>> {
        self.advance();
        self.expect_symbol("{")?;
        let actions = if self.at_symbol("}") { Vec::new() } else { self.actions()? };
        self.expect_symbol("}")?;
        Ok(actions)
    }

    fn process(&mut self, active: bool) -> Parsed<()> {
        let heading = self.position;
        let id = self.step_over()?;
        if active {
            self.start_all(heading, ProcessTypeId(id))?;
        }
        self.process_type = Some(id as usize);
        self.expect_symbol("{")?;
        let mut simple = Vec::new();
        let mut located = false;
        let mut prologue = Vec::new();
        while !self.take_symbol("}") {
            let span = self.span();
            let is_transition = self.at_label() || self.at_operation();
            if is_transition {
                simple.push(self.transition(LocationId(0))?);
            } else if self.at_word("location") {
                self.location(id as usize)?;
                located = true;
            } else {
                self.process_part(id as usize, &mut prologue)?;
            }
            if located && !simple.is_empty() {
                return Err(self.error(
                    span,
                    "either all transitions of a process are in locations or none is",
                ));
            }
        }
        let kind = &mut self.program.process_types[id as usize];
        kind.prologue = prologue;
        if !located {
            kind.locations = vec![Location { transitions: simple, ..Location::default() }];
        }
        self.process_type = None;
        Ok(())
    }

    /// Adds the initial processes of a heading `process P[n]`.
    fn start_all(&mut self, heading: usize, process_type: ProcessTypeId) -> Parsed<()> {
        let body = std::mem::replace(&mut self.position, heading + 2);
        let count = if self.at_symbol("[") { self.instances()? } else { 1 };
        self.position = body;
        let instance = Instance { process_type, priority: 1 };
        self.program.initial_processes.extend((0..count).map(|_| instance.clone()));
        Ok(())
    }

    fn process_part(&mut self, id: usize, prologue: &mut Vec<Action>) -> Parsed<()> {
        let Token::Word(word) = self.peek() else {
            return Err(self.unexpected(&["a transition", "location", "var", "}"]));
        };
        match word.as_str() {
            "var" => {
                let variable = self.step_over()?;
                prologue.extend(self.initial_value(Scope::Local, VariableId(variable))?);
            }
            "prologue" => prologue.extend(self.prologue()?),
            "provided" => {
                self.advance();
                self.program.process_types[id].provided = Some(self.expression()?);
            }
            "deterministic" => {
                self.advance();
                self.program.process_types[id].deterministic = true;
            }
            "exclusive" => {
                self.advance();
                let receive = self.take_word("receive");
                if !receive {
                    self.expect_word("send")?;
                }
                let channel = self.expression()?;
                self.program.process_types[id].exclusive.push(Exclusive { channel, receive });
            }
            "start" => {
                self.advance();
                self.program.process_types[id].initial_location = self.location_of(id)?;
            }
            _ => {
                return Err(self.unexpected(&[
                    "a transition",
                    "location",
                    "var",
                    "prologue",
                    "provided",
                    "deterministic",
                    "exclusive",
                    "start",
                    "}",
                ]));
            }
        }
        Ok(())
    }

    fn location(&mut self, process_type: usize) -> Parsed<()> {
        let id = self.step_over()?;
        self.expect_symbol("{")?;
        let mut transitions = Vec::new();
        while !self.take_symbol("}") {
            transitions.push(self.transition(LocationId(id))?);
        }
        self.program.process_types[process_type].locations[id as usize].transitions = transitions;
        Ok(())
    }

    /// A transition at a location. Without `goto` its target is the location itself.
    fn transition(&mut self, location: LocationId) -> Parsed<Transition> {
        let start = self.span().start;
        let operation = if self.at_label() {
            self.advance();
            self.advance();
            if self.at_operation() { self.operation()? } else { self.guarded()? }
        } else {
            self.operation()?
        };
        let mut transition = Transition {
            operation,
            target: location,
            keeps_control: false,
            escape: 0,
            origin: OriginId(0),
        };
        let mut written = self.since(start);
        loop {
            if self.take_word("goto") {
                transition.target = match self.process_type {
                    Some(process_type) => self.location_of(process_type)?,
                    None => {
                        return Err(
                            self.error(self.span(), "there are no locations outside a process")
                        );
                    }
                };
                // The options after the target are not part of the statement's text.
                written = self.since(start);
            } else if self.take_word("atomic") {
                transition.keeps_control = true;
            } else if self.take_word("escape") {
                transition.escape = self.natural()?;
            } else {
                break;
            }
        }
        transition.origin = self.origin(written)?;
        Ok(transition)
    }

    /// Transitions of a text without processes.
    fn system_transition(&mut self) -> Parsed<()> {
        let transition = self.transition(LocationId(0))?;
        let id = *self.system.get_or_insert_with(|| {
            let process_type = ProcessTypeId(self.program.process_types.len() as u32);
            let mut kind = empty_process_type(SYSTEM.to_string());
            kind.locations.push(Location::default());
            self.program.process_types.push(kind);
            self.program.initial_processes.push(Instance { process_type, priority: 1 });
            process_type.index()
        });
        self.program.process_types[id].locations[0].transitions.push(transition);
        Ok(())
    }

    /// `trace start 0 end 3 send (c, d) receive (e) { node 0 { send c ! (1, _) goto 1 } ... }`
    fn event_trace(&mut self, negated: bool) -> Parsed<()> {
        self.advance();
        self.expect_word("start")?;
        let initial = self.natural()?;
        self.expect_word("end")?;
        let end = self.natural()?;
        let resting =
            if self.take_word("resting") { self.list(Parser::natural)? } else { Vec::new() };
        self.expect_word("send")?;
        let send_scope = self.list(Parser::expression)?;
        self.expect_word("receive")?;
        let receive_scope = self.list(Parser::expression)?;
        self.expect_symbol("{")?;
        let mut locations = Vec::new();
        while !self.take_symbol("}") {
            self.numbered_heading("node", locations.len())?;
            let mut events = Vec::new();
            while !self.take_symbol("}") {
                events.push(self.event()?);
            }
            locations.push(events);
        }
        self.program.event_trace = Some(EventTrace {
            negated,
            send_scope,
            receive_scope,
            initial,
            end,
            resting,
            locations,
        });
        Ok(())
    }

    fn event(&mut self) -> Parsed<Event> {
        let send = self.take_word("send");
        if !send && !self.take_word("receive") {
            return Err(self.unexpected(&["send", "receive", "}"]));
        }
        let channel = self.expression()?;
        self.expect_symbol(if send { "!" } else { "?" })?;
        let fields = self.list(|parser| {
            if parser.take_word("_") { Ok(None) } else { parser.expression().map(Some) }
        })?;
        self.expect_word("goto")?;
        Ok(Event { send, channel, fields, target: self.natural()? })
    }
}

/// The indices of an element counted across all dimensions, the last varying fastest.
fn constant_indices(dimensions: &[u32], element: u32) -> Vec<Expr> {
    let mut rest = element;
    let mut indices = Vec::with_capacity(dimensions.len());
    for &dimension in dimensions.iter().rev() {
        indices.push(Expr::Const((rest % dimension) as i32));
        rest /= dimension;
    }
    indices.reverse();
    indices
}
