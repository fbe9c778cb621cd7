//! The text form of programs: a printer and a parser. It is also the language of `.lts` files, in
//! which users write transition systems directly (`docs/lts.md`).
//!
//! `print` and `parse` are inverse: for every program `p` whose ids are in range,
//! `parse("", &print(&p)) == Ok(p)`, provided its expressions are not nested too deeply. The text
//! form is independent of Promela, but writes the same concepts in the same way.
//!
//! `lexer` produces the tokens and `parser` consumes them; `declarations` (with `types`) is the
//! first pass, `definitions` the second, which uses `operation`, `expression` and `reference`;
//! `print` and `print_expression` are the printer; both sides look names up in `symbols`.

mod declarations;
mod definitions;
mod error;
mod expression;
mod lexer;
mod operation;
mod parser;
mod print;
mod print_expression;
mod reference;
mod symbols;
mod types;

pub use error::ParseError;
pub use print::print;

use crate::expression::Expr;
use crate::program::{ProcessTypeId, Program};
use crate::verify::{Violation, verify};
use lexer::{Token, tokenize};
use parser::Parser;
use print_expression::Printer;
use symbols::Symbols;

/// Parses a program. Traces name `file` as its source. All ids of the result are in range, but it
/// may break the other rules of the IR: see [`verify`](crate::verify).
///
/// # Errors
/// All errors that were found, at least one.
pub fn parse(file: &str, source: &str) -> Result<Program, Vec<ParseError>> {
    let mut errors = Vec::new();
    let lexemes = tokenize(source, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut parser = Parser::new(source, file, &lexemes);
    parser.declare_all(&mut errors);
    if errors.is_empty() {
        parser.define_all(&mut errors);
    }
    if errors.is_empty() { Ok(parser.program) } else { Err(errors) }
}

/// Parses a program and checks the rules of the IR.
///
/// # Errors
/// As [`parse`]; a broken rule is reported at the line of its statement, if it has one.
pub fn read(file: &str, source: &str) -> Result<Program, Vec<ParseError>> {
    let program = parse(file, source)?;
    let violations = verify(&program);
    if violations.is_empty() {
        return Ok(program);
    }
    let error = |violation: &Violation| {
        let line = violation
            .origin
            .and_then(|origin| program.origins.get(origin.index()))
            .filter(|origin| origin.file == file)
            .map_or(0, |origin| origin.line.saturating_sub(1) as usize);
        let mut lines = source.split_inclusive('\n');
        let start = lines.by_ref().take(line).map(str::len).sum();
        let length = lines.next().map_or(0, |line| line.trim_end().len());
        ParseError::new(source, start..start + length, violation.to_string())
    };
    Err(violations.iter().map(error).collect())
}

/// Parses an expression over the variables of a program that belongs to no process, such as an atom
/// of a property.
///
/// # Errors
/// The text is not one expression.
pub fn parse_expression(program: &Program, source: &str) -> Result<Expr, Vec<ParseError>> {
    let mut errors = Vec::new();
    let lexemes = tokenize(source, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut parser = Parser::new(source, "", &lexemes);
    parser.symbols = Symbols::of(program);
    parser.program = program.clone();
    let expr = parser.expression().map_err(|error| vec![*error])?;
    match parser.peek() {
        Token::EndOfText => Ok(expr),
        _ => Err(vec![*parser.unexpected(&["an operator", "the end"])]),
    }
}

/// The text of an expression that a process of this type, or no process, evaluates.
pub fn print_expression(program: &Program, reader: Option<ProcessTypeId>, expr: &Expr) -> String {
    let mut printer = Printer::new(program);
    printer.process_type = reader.map(ProcessTypeId::index);
    printer.expression(expr)
}
