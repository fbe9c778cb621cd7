//! The basic operations of the parser: inspecting and consuming tokens, and reporting errors. The
//! neighbouring files contain the grammar, each as a part of `impl Parser`.
//!
//! A text is read twice. The first pass ([`declarations`](super::declarations)) collects all names,
//! so that the second can resolve names that are declared later.

use super::error::ParseError;
use super::lexer::{Lexeme, Token, is_reserved};
use super::symbols::{Found, Symbols, Table};
use crate::program::{Extent, Origin, OriginId, Program};
use std::collections::HashMap;
use std::ops::Range;

/// Largest nesting of parentheses, operators and blocks, so that no text can exhaust the stack.
pub const NESTING_LIMIT: u32 = 256;
/// Largest height of an expression: a long sum is a high tree without being nested.
pub const HEIGHT_LIMIT: u32 = 1000;

/// Boxed, because the error is large and rare.
pub(super) type Parsed<T> = Result<T, Box<ParseError>>;

#[derive(Debug)]
pub(super) struct Parser<'s> {
    pub source: &'s str,
    pub file: &'s str,
    pub lexemes: &'s [Lexeme],
    pub position: usize,
    /// The byte at which each line starts.
    lines: Vec<usize>,
    pub nesting: u32,
    pub symbols: Symbols,
    /// The program read so far; after the first pass it has everything with a name.
    pub program: Program,
    /// The process type whose text is being read.
    pub process_type: Option<usize>,
    /// By the token at which a declaration starts: the token after the declaration, and its id.
    pub declared: HashMap<usize, (usize, u32)>,
    /// The process type of the transitions outside any process.
    pub system: Option<usize>,
}

impl<'s> Parser<'s> {
    pub fn new(source: &'s str, file: &'s str, lexemes: &'s [Lexeme]) -> Parser<'s> {
        Parser {
            source,
            file,
            lexemes,
            position: 0,
            lines: [0]
                .into_iter()
                .chain(source.match_indices('\n').map(|(at, _)| at + 1))
                .collect(),
            nesting: 0,
            symbols: Symbols::default(),
            program: Program::default(),
            process_type: None,
            declared: HashMap::new(),
            system: None,
        }
    }

    pub fn peek(&self) -> &'s Token {
        self.ahead(0)
    }

    /// The token `distance` positions further.
    pub fn ahead(&self, distance: usize) -> &'s Token {
        let index = (self.position + distance).min(self.lexemes.len() - 1);
        &self.lexemes[index].token
    }

    pub fn span(&self) -> Range<usize> {
        self.lexemes[self.position].span.clone()
    }

    /// Stops at the end of the text.
    pub fn advance(&mut self) {
        self.position = (self.position + 1).min(self.lexemes.len() - 1);
    }

    pub fn at_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if *found == symbol)
    }

    pub fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    pub fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub fn expect_symbol(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.take_symbol(symbol) { Ok(()) } else { Err(self.unexpected(&[symbol])) }
    }

    pub fn expect_word(&mut self, word: &'static str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&[word])) }
    }

    /// Whether the next token is a name and not a reserved word.
    pub fn at_name(&self) -> bool {
        match self.peek() {
            Token::Word(word) => !is_reserved(word),
            Token::Quoted(_) => true,
            _ => false,
        }
    }

    /// Whether a transition with a label starts here. Any word may precede the colon.
    pub fn at_label(&self) -> bool {
        matches!(self.peek(), Token::Word(_) | Token::Quoted(_))
            && *self.ahead(1) == Token::Symbol(":")
    }

    pub fn name(&mut self) -> Parsed<String> {
        match self.peek() {
            Token::Word(word) if !is_reserved(word) => {
                self.advance();
                Ok(word.clone())
            }
            Token::Quoted(name) => {
                self.advance();
                Ok(name.clone())
            }
            Token::Word(word) => {
                let mut error = self.unexpected(&["a name"]);
                error.message =
                    format!("`{word}` is a word of the language; as a name it needs backticks");
                Err(error)
            }
            _ => Err(self.unexpected(&["a name"])),
        }
    }

    pub fn text(&mut self) -> Parsed<String> {
        match self.peek() {
            Token::Text(text) => {
                self.advance();
                Ok(text.clone())
            }
            _ => Err(self.unexpected(&["a text in quotes"])),
        }
    }

    /// A number that fits a `u32`.
    pub fn natural(&mut self) -> Parsed<u32> {
        match self.peek() {
            Token::Number(value) => {
                self.advance();
                // The lexer rejects larger numbers.
                Ok(*value as u32)
            }
            _ => Err(self.unexpected(&["a number"])),
        }
    }

    pub fn small(&mut self) -> Parsed<u8> {
        let span = self.span();
        let value = self.natural()?;
        u8::try_from(value)
            .map_err(|_| self.error(span, format!("{value} is too large: at most 255 here")))
    }

    /// Items between parentheses, separated by commas.
    pub fn list<T>(&mut self, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect_symbol("(")?;
        self.list_until(")", item)
    }

    /// Items separated by commas, and the closing symbol.
    pub fn list_until<T>(
        &mut self,
        close: &'static str,
        item: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.take_symbol(close) {
            items.push(item(self)?);
            if !self.take_symbol(",") {
                self.expect_symbol(close).map_err(|mut error| {
                    error.expected.insert(0, ",");
                    error
                })?;
                break;
            }
        }
        Ok(items)
    }

    /// An id, written as a name or as `#number`; `count` is the number of valid ids.
    pub fn reference(
        &mut self,
        what: &'static str,
        count: usize,
        table: impl Fn(&Symbols) -> &Table<u32>,
    ) -> Parsed<u32> {
        let span = self.span();
        if self.take_symbol("#") {
            let span = span.start..self.span().end;
            let id = self.natural()?;
            if id as usize >= count {
                return Err(
                    self.error(span, format!("there is no {what} number {id}: there are {count}"))
                );
            }
            return Ok(id);
        }
        let name = self.name()?;
        match table(&self.symbols).get(&name) {
            Some(Found::One(id)) => Ok(id),
            Some(Found::Many) => Err(self.error(
                span,
                format!("several things are called `{name}`; write `#` and the {what}'s number"),
            )),
            None => {
                let nearest = table(&self.symbols).nearest(&name).map(str::to_string);
                Err(self.unknown(span, what, &name, nearest))
            }
        }
    }

    /// Runs `parse` one level of nesting deeper.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= NESTING_LIMIT {
            return Err(
                self.error(self.span(), format!("nested more than {NESTING_LIMIT} levels deep"))
            );
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> Box<ParseError> {
        Box::new(ParseError::new(self.source, span, message))
    }

    pub fn unexpected(&self, expected: &[&'static str]) -> Box<ParseError> {
        let message = match self.peek() {
            Token::EndOfText => "the text ends here".to_string(),
            _ => format!("`{}` does not fit here", &self.source[self.span()]),
        };
        let mut error = self.error(self.span(), message);
        error.expected = expected.to_vec();
        error
    }

    pub fn unknown(
        &self,
        span: Range<usize>,
        what: &str,
        name: &str,
        nearest: Option<String>,
    ) -> Box<ParseError> {
        let hint = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
        self.error(span, format!("there is no {what} `{name}`{hint}"))
    }

    /// The bytes from `start` to the end of the last token taken.
    pub fn since(&self, start: usize) -> Range<usize> {
        let end = self.lexemes[self.position.saturating_sub(1)].span.end;
        start..end.max(start)
    }

    /// The origin written as `@number`, or a new one with the text `written`.
    pub fn origin(&mut self, written: Range<usize>) -> Parsed<OriginId> {
        let span = self.span();
        if self.take_symbol("@") {
            let id = self.natural()?;
            if id as usize >= self.program.origins.len() {
                return Err(self.error(span, format!("there is no origin number {id}")));
            }
            return Ok(OriginId(id));
        }
        let id = OriginId(self.program.origins.len() as u32);
        let (line, column) = self.line_and_column(written.start);
        let (end_line, end_column) = self.line_and_column(written.end);
        let extent = Some(Extent { column, end_line, end_column });
        let text = self.source[written].split_whitespace().collect::<Vec<_>>().join(" ");
        self.program.origins.push(Origin {
            file: self.file.to_string(),
            line,
            extent,
            text,
            number: id.0,
        });
        Ok(id)
    }

    /// Line and column of a byte.
    fn line_and_column(&self, offset: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|&line_start| line_start <= offset);
        let start = line.checked_sub(1).map_or(0, |line| self.lines[line]);
        let column = self.source.get(start..offset).map_or(0, |before| before.chars().count());
        (line as u32, column as u32 + 1)
    }
}
