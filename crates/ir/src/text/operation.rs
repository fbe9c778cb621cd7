//! Parsing of operations and actions.

use super::lexer::Token;
use super::parser::{Parsed, Parser};
use crate::expression::Expr;
use crate::program::{Action, Body, Branch, BranchKind, ChannelTypeId, Operation, PrintPart};

/// The words that start an operation, for messages.
const OPERATION_WORDS: [&str; 9] =
    ["when", "do", "skip", "else", "send", "receive", "peek", "terminate", "d_step"];

impl Parser<'_> {
    /// Whether an operation without a label starts here.
    pub fn at_operation(&self) -> bool {
        OPERATION_WORDS.iter().any(|word| self.at_word(word))
    }

    pub fn operation(&mut self) -> Parsed<Operation> {
        self.nested(|parser| {
            let Token::Word(word) = parser.peek() else {
                return Err(parser.unexpected(&OPERATION_WORDS));
            };
            let operation = match word.as_str() {
                "when" => {
                    parser.advance();
                    return parser.guarded();
                }
                "do" => {
                    parser.advance();
                    return Ok(Operation::act(parser.actions()?));
                }
                "send" => {
                    parser.advance();
                    return parser.send();
                }
                "receive" | "peek" => {
                    parser.advance();
                    return parser.receive(word == "peek");
                }
                "d_step" => {
                    parser.advance();
                    return Ok(Operation::Deterministic(parser.body()?));
                }
                "skip" => Operation::SKIP,
                "else" => Operation::Else,
                "terminate" => Operation::End,
                _ => return Err(parser.unexpected(&OPERATION_WORDS)),
            };
            parser.advance();
            Ok(operation)
        })
    }

    /// A guard and its actions.
    pub fn guarded(&mut self) -> Parsed<Operation> {
        let guard = self.expression()?;
        let actions = if self.take_symbol("->") { self.actions()? } else { Vec::new() };
        if self.at_symbol(":=") {
            return Err(
                self.error(self.span(), "an assignment that needs no guard is written after `do`")
            );
        }
        Ok(Operation::Guarded { guard, actions })
    }

    fn send(&mut self) -> Parsed<Operation> {
        let channel = self.expression()?;
        let sorted = self.take_symbol("!!");
        if !sorted && !self.take_symbol("!") {
            return Err(self.unexpected(&["!", "!!"]));
        }
        Ok(Operation::Send { channel, arguments: self.list(Parser::expression)?, sorted })
    }

    fn receive(&mut self, keep: bool) -> Parsed<Operation> {
        let channel = self.expression()?;
        let random = self.take_symbol("??");
        if !random && !self.take_symbol("?") {
            return Err(self.unexpected(&["?", "??"]));
        }
        Ok(Operation::Receive { channel, patterns: self.list(Parser::pattern)?, random, keep })
    }

    /// `{ node 0 { branches } ... }`
    fn body(&mut self) -> Parsed<Body> {
        self.expect_symbol("{")?;
        let mut nodes = Vec::new();
        while !self.take_symbol("}") {
            self.numbered_heading("node", nodes.len())?;
            let mut branches = Vec::new();
            while !self.take_symbol("}") {
                branches.push(self.branch()?);
            }
            nodes.push(branches);
        }
        Ok(Body { nodes })
    }

    /// `word number {`; the number must be `next`.
    pub fn numbered_heading(&mut self, word: &'static str, next: usize) -> Parsed<()> {
        self.expect_word(word)?;
        let span = self.span();
        if self.natural()? as usize != next {
            return Err(
                self.error(span, format!("these are numbered in order: this one is number {next}"))
            );
        }
        self.expect_symbol("{")
    }

    fn branch(&mut self) -> Parsed<Branch> {
        let start = self.span().start;
        let kind = if self.take_word("enter") {
            BranchKind::Enter
        } else {
            BranchKind::Operation(self.operation()?)
        };
        let mut next = None;
        if self.take_word("goto") {
            next = Some(self.natural()?);
        } else {
            self.take_word("leave");
        }
        Ok(Branch { kind, next, origin: self.origin(self.since(start))? })
    }

    /// One or more actions, separated by semicolons.
    pub fn actions(&mut self) -> Parsed<Vec<Action>> {
        let mut actions = vec![self.action()?];
        while self.take_symbol(";") {
            actions.push(self.action()?);
        }
        Ok(actions)
    }

    fn action(&mut self) -> Parsed<Action> {
        match self.peek() {
            Token::Symbol("(") => self.multiple_assignment(),
            Token::Word(word) if word == "run" => self.run(),
            Token::Word(word) if word == "assert" => self.assert(),
            Token::Word(word) if word == "print" => self.print(),
            Token::Word(word) if word == "set_priority" => {
                self.advance();
                self.expect_symbol("(")?;
                let process = self.expression()?;
                self.expect_symbol(",")?;
                let priority = self.expression()?;
                self.expect_symbol(")")?;
                Ok(Action::SetPriority { process, priority })
            }
            _ if self.at_name() || self.at_symbol("::") || self.at_symbol("#") => {
                let place = self.place()?;
                self.expect_symbol(":=")?;
                if self.take_word("new") {
                    let count = self.program.channel_types.len();
                    let channel_type =
                        self.reference("channel type", count, |symbols| &symbols.channel_types)?;
                    return Ok(Action::NewChannel {
                        place,
                        channel_type: ChannelTypeId(channel_type),
                    });
                }
                Ok(Action::Assign(vec![(place, self.expression()?)]))
            }
            _ => Err(self.unexpected(&["an assignment", "run", "assert", "print", "set_priority"])),
        }
    }

    /// `(x, y) := (e, f)`
    fn multiple_assignment(&mut self) -> Parsed<Action> {
        let places = self.list(Parser::place)?;
        self.expect_symbol(":=")?;
        let span = self.span();
        let values = self.list(Parser::expression)?;
        if values.len() != places.len() {
            let message =
                format!("{} variables are assigned {} values", places.len(), values.len());
            return Err(self.error(self.since(span.start), message));
        }
        Ok(Action::Assign(places.into_iter().zip(values).collect()))
    }

    fn run(&mut self) -> Parsed<Action> {
        self.advance();
        let process_type = self.process_type_reference()?;
        let arguments = self.list(Parser::expression)?;
        let priority = if self.take_word("priority") { self.small()? } else { 1 };
        Ok(Action::Run { process_type, arguments, priority })
    }

    /// The text is optional and defaults to the condition as written.
    fn assert(&mut self) -> Parsed<Action> {
        self.advance();
        let start = self.span().start;
        let condition = self.expression()?;
        let text = match self.peek() {
            Token::Text(_) => self.text()?,
            _ => self.source[self.since(start)].to_string(),
        };
        Ok(Action::Assert { condition, text })
    }

    /// `print("x is ", %d x, %e kind as mtype)`
    fn print(&mut self) -> Parsed<Action> {
        self.advance();
        Ok(Action::Print { format: self.list(Parser::print_part)? })
    }

    fn print_part(&mut self) -> Parsed<PrintPart> {
        if let Token::Text(_) = self.peek() {
            return Ok(PrintPart::Text(self.text()?));
        }
        if !self.take_symbol("%") {
            return Err(self.unexpected(&["a text in quotes", "%d", "%u", "%x", "%o", "%c", "%e"]));
        }
        let make: fn(Expr) -> PrintPart = match self.peek() {
            Token::Word(word) => match word.as_str() {
                "d" => PrintPart::Decimal,
                "u" => PrintPart::Unsigned,
                "x" => PrintPart::Hexadecimal,
                "o" => PrintPart::Octal,
                "c" => PrintPart::Character,
                "e" => {
                    self.advance();
                    let value = self.expression()?;
                    self.expect_word("as")?;
                    return Ok(PrintPart::Name(value, self.name_set()?));
                }
                _ => return Err(self.unexpected(&["d", "u", "x", "o", "c", "e"])),
            },
            _ => return Err(self.unexpected(&["d", "u", "x", "o", "c", "e"])),
        };
        self.advance();
        Ok(make(self.expression()?))
    }
}
