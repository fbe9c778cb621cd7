//! Parsing of types and of constant expressions.

use super::lexer::Token;
use super::parser::{Parsed, Parser};
use crate::domain::Domain;
use crate::expression::Expr;
use crate::program::{Meaning, NameSetId};

impl Parser<'_> {
    /// The type of a variable or field. Names in braces make a set named after the variable.
    pub fn value_type(&mut self, variable: &str) -> Parsed<(Domain, Meaning)> {
        let (domain, mut meaning) = self.domain(variable)?;
        if self.take_word("as") {
            meaning = match self.peek() {
                Token::Word(word) if word == "bool" => Meaning::Truth,
                Token::Word(word) if word == "chan" => Meaning::Channel,
                Token::Word(word) if word == "pid" => Meaning::Process,
                _ => return Ok((domain, Meaning::Name(self.name_set()?))),
            };
            self.advance();
        }
        Ok((domain, meaning))
    }

    pub fn name_set(&mut self) -> Parsed<NameSetId> {
        let count = self.program.name_sets.len();
        self.reference("set of names", count, |symbols| &symbols.name_sets).map(NameSetId)
    }

    fn domain(&mut self, variable: &str) -> Parsed<(Domain, Meaning)> {
        if let Token::Word(word) = self.peek() {
            let known = match word.as_str() {
                "bit" => Some((Domain::BIT, Meaning::Number)),
                "bool" => Some((Domain::BIT, Meaning::Truth)),
                "byte" => Some((Domain::BYTE, Meaning::Number)),
                "short" => Some((Domain::SHORT, Meaning::Number)),
                "int" => Some((Domain::INT, Meaning::Number)),
                "chan" => Some((Domain::BYTE, Meaning::Channel)),
                "pid" => Some((Domain::BYTE, Meaning::Process)),
                _ => None,
            };
            if let Some(known) = known {
                self.advance();
                return Ok(known);
            }
            if word == "unsigned" || word == "signed" {
                self.advance();
                let span = self.span();
                let bits = self.small()?;
                if !(1..=32).contains(&bits) {
                    return Err(self.error(span, "a number has 1 to 32 bits"));
                }
                return Ok((Domain::Bits { bits, signed: word == "signed" }, Meaning::Number));
            }
        }
        if self.take_symbol("{") {
            let names = self.list_until("}", Parser::name)?;
            let existing = self.program.name_sets.iter().position(|set| set.names == names);
            let id = match existing {
                Some(id) => id as u32,
                None => self.add_name_set(variable.to_string(), names),
            };
            return self.whole_set(NameSetId(id));
        }
        let is_set = match self.peek() {
            Token::Symbol("#") => true,
            Token::Word(name) | Token::Quoted(name) => self.symbols.name_sets.get(name).is_some(),
            _ => false,
        };
        if is_set && !matches!(self.ahead(1), Token::Symbol(".." | "." | "+" | "-" | "*")) {
            let set = self.name_set()?;
            return self.whole_set(set);
        }
        self.range()
    }

    /// The type whose values are the names of a set.
    fn whole_set(&self, set: NameSetId) -> Parsed<(Domain, Meaning)> {
        match self.program.name_sets[set.index()].names.len() {
            0 => Err(self.error(self.span(), "a set without names has no values")),
            count => Ok((Domain::Range { low: 1, high: count as i32 }, Meaning::Name(set))),
        }
    }

    fn range(&mut self) -> Parsed<(Domain, Meaning)> {
        let start = self.span();
        if !matches!(self.peek(), Token::Number(_) | Token::Symbol("-" | "(")) && !self.at_name() {
            return Err(self.unexpected(&["a type", "a range such as 0..3", "names in braces"]));
        }
        let low = self.constant()?;
        self.expect_symbol("..")?;
        let high = self.constant()?;
        if low > high {
            let message = format!("the range {low}..{high} is empty");
            return Err(self.error(start.start..self.span().start, message));
        }
        Ok((Domain::Range { low, high }, Meaning::Number))
    }

    /// The value of a constant expression.
    pub fn constant(&mut self) -> Parsed<i32> {
        let start = self.span().start;
        let expr = self.expression()?;
        fold(&expr).ok_or_else(|| {
            self.error(
                self.since(start),
                "this must be a constant, known without running the program",
            )
        })
    }
}

fn fold(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Unary(op, operand) => Some(op.apply(fold(operand)?)),
        Expr::Binary(op, left, right) => op.apply(fold(left)?, fold(right)?).ok(),
        Expr::Conditional(condition, yes, no) => fold(if fold(condition)? != 0 { yes } else { no }),
        _ => None,
    }
}
