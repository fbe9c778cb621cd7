//! The text form of programs: printing, and reading back. Also the language of `.lts` files, in which a person
//! writes a transition system down directly (`docs/lts.md`).
//!
//! `print` and `parse` are inverse: for every program `p` whose ids are in range,
//! `parse("", &print(&p)) == Ok(p)`, as long as its expressions are not nested absurdly deep.
//! The text knows nothing of Promela; where an idea is the same, it is written the same way.
//!
//! Where to look: `lexer` makes tokens, `parser` handles them; `declarations` (with `types`) is the first pass,
//! `definitions` the second, `operation`, `expression` and `reference` are what it is made of; `print` and
//! `print_expression` write; `symbols` knows what a name means to both sides.

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

/// Reads a program. `file` is what traces call the text. A program that was read has all ids in range, but
/// need not keep the other rules of the IR: ask [`verify`](crate::verify).
///
/// # Errors
/// All mistakes that could be found, at least one.
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

/// Reads a program that somebody wrote: one that also keeps the rules of the IR.
///
/// # Errors
/// As [`parse`]; a broken rule is reported at the line of its statement, if it belongs to one.
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

/// Reads an expression over the variables of a program, as no process sees it: an atom of a property, say.
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

/// The text of an expression, as a process of the type (or nobody) sees it.
pub fn print_expression(program: &Program, reader: Option<ProcessTypeId>, expr: &Expr) -> String {
    let mut printer = Printer::new(program);
    printer.process_type = reader.map(ProcessTypeId::index);
    printer.expression(expr)
}
