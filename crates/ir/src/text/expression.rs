//! Expressions, as text.
//!
//! Precedence, weakest first: `=>`, `||`, `&&`, comparisons (which do not chain), `|`, `^`, `&`,
//! shifts, `+ -`, `* / %`, prefix operators. `a => b` is read as `!a || b`, and `=` as `==`.

use super::lexer::Token;
use super::parser::{HEIGHT_LIMIT, Parsed, Parser};
use crate::expression::{BinaryOp, ChannelQuery, Expr, Place, UnaryOp};
use std::ops::Range;

/// The operators with their precedences; the printer uses the same table.
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
pub(super) type Tree = (Expr, u32);

impl Parser<'_> {
    pub fn expression(&mut self) -> Parsed<Expr> {
        Ok(self.tree(IMPLICATION)?.0)
    }

    /// An expression of any precedence, and its height.
    pub fn whole(&mut self) -> Parsed<Tree> {
        self.tree(IMPLICATION)
    }

    /// An expression whose operators have at least this precedence.
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
                return Err(
                    self.error(span, format!("an expression of more than {HEIGHT_LIMIT} levels"))
                );
            }
            left = (Expr::binary(operator, left.0, right.0), height);
        }
    }

    pub fn prefix(&mut self) -> Parsed<Tree> {
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
            Err(_) => {
                Err(self.error(span, "values are signed and have 32 bits: this one is too large"))
            }
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
                "_partner" => Expr::Partner,
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

    /// `name(...)`: a query about channels or processes.
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
                return self
                    .measured(Expr::Poll { channel, patterns, random: name == "poll_any" }, span);
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
                return self
                    .measured(Expr::ReadRemote { process_type, process, variable, indices }, span);
            }
            _ => return Err(self.error(span, format!("there is no function `{name}`"))),
        };
        self.expect_symbol(")")?;
        Ok(tree)
    }

    /// An expression with its height, computed afterwards; for the few forms with many parts.
    pub fn measured(&self, expr: Expr, span: Range<usize>) -> Parsed<Tree> {
        let height = height(&expr);
        if height > HEIGHT_LIMIT {
            return Err(
                self.error(span, format!("an expression of more than {HEIGHT_LIMIT} levels"))
            );
        }
        Ok((expr, height))
    }
}

fn height(expr: &Expr) -> u32 {
    let mut below = 0;
    expr.for_each_child(&mut |child| below = below.max(height(child)));
    below + 1
}
