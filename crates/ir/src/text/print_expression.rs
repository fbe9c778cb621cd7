//! Printing of names, types, expressions, places and patterns.

use super::expression::{COMPARISON, OPERATORS, PREFIX};
use super::lexer::{quote, spell_name};
use super::symbols::{Symbols, Table, path, reference_pattern};
use crate::domain::Domain;
use crate::expression::{ChannelQuery, Expr, Pattern, Place, Remote, Scope, UnaryOp};
use crate::program::{
    LocationId, Meaning, NameSetId, ProcessTypeId, Program, Variable, VariableId,
};

/// The printer of one program.
pub(super) struct Printer<'p> {
    pub program: &'p Program,
    pub symbols: Symbols,
    /// The process type that is being printed.
    pub process_type: Option<usize>,
}

impl<'p> Printer<'p> {
    pub fn new(program: &'p Program) -> Printer<'p> {
        Printer { program, symbols: Symbols::of(program), process_type: None }
    }

    /// The name if it is unambiguous, otherwise the number.
    pub fn reference(&self, table: &Table<u32>, name: Option<&str>, id: u32) -> String {
        match name {
            Some(name) if table.means(name, id) => spell_name(name),
            _ => format!("#{id}"),
        }
    }

    pub fn process_type_name(&self, id: ProcessTypeId) -> String {
        let name = self.program.process_types.get(id.index()).map(|kind| kind.name.as_str());
        self.reference(&self.symbols.process_types, name, id.0)
    }

    pub fn name_set(&self, id: NameSetId) -> String {
        let name = self.program.name_sets.get(id.index()).map(|set| set.name.as_str());
        self.reference(&self.symbols.name_sets, name, id.0)
    }

    /// `a[2].b[3] : byte hidden`
    pub fn variable(&self, variable: &Variable) -> String {
        let mut lengths = variable.dimensions.iter();
        let mut out = String::new();
        match path(&variable.name, variable.dimensions.len()) {
            // A name that contains its last indices must be quoted to keep them.
            Some(pieces) if !variable.name.ends_with("[]") => {
                for (position, (word, indices)) in pieces.into_iter().enumerate() {
                    if position > 0 {
                        out.push('.');
                    }
                    out += &spell_name(word);
                    for length in lengths.by_ref().take(indices) {
                        out += &format!("[{length}]");
                    }
                }
            }
            _ => out += &spell_name(&variable.name),
        }
        for length in lengths {
            out += &format!("[{length}]");
        }
        out += " : ";
        out += &self.value_type(variable.domain, variable.meaning);
        if variable.hidden {
            out += " hidden";
        }
        out
    }

    pub fn value_type(&self, domain: Domain, meaning: Meaning) -> String {
        if let (Domain::Range { low: 1, high }, Meaning::Name(set)) = (domain, meaning)
            && self
                .program
                .name_sets
                .get(set.index())
                .is_some_and(|set| set.names.len() as i32 == high)
        {
            return self.name_set(set);
        }
        match (domain, meaning) {
            (Domain::BIT, Meaning::Truth) => return "bool".into(),
            (Domain::BYTE, Meaning::Channel) => return "chan".into(),
            (Domain::BYTE, Meaning::Process) => return "pid".into(),
            _ => {}
        }
        let width = match domain {
            Domain::BIT => "bit".into(),
            Domain::BYTE => "byte".into(),
            Domain::SHORT => "short".into(),
            Domain::INT => "int".into(),
            Domain::Bits { bits, signed } => {
                format!("{} {bits}", if signed { "signed" } else { "unsigned" })
            }
            Domain::Range { low, high } => format!("{low}..{high}"),
        };
        match meaning {
            Meaning::Number => width,
            Meaning::Truth => width + " as bool",
            Meaning::Channel => width + " as chan",
            Meaning::Process => width + " as pid",
            Meaning::Name(set) => width + " as " + &self.name_set(set),
        }
    }

    pub fn expression(&self, expr: &Expr) -> String {
        let mut out = String::new();
        self.write(expr, 0, &mut out);
        out
    }

    pub fn expressions<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> String {
        exprs.into_iter().map(|expr| self.expression(expr)).collect::<Vec<_>>().join(", ")
    }

    /// Writes the expression; an operator with a lower precedence than `rank` gets parentheses.
    fn write(&self, expr: &Expr, rank: u8, out: &mut String) {
        match expr {
            Expr::Const(value) => *out += &value.to_string(),
            Expr::Read(place) => *out += &self.place(place),
            Expr::Unary(op, operand) => {
                out.push(match op {
                    UnaryOp::Not => '!',
                    UnaryOp::Negate => '-',
                    UnaryOp::Complement => '~',
                });
                // `-3` would be read as a constant, and `!!` as one symbol.
                if matches!(**operand, Expr::Const(_) | Expr::Unary(..)) {
                    self.parenthesised(operand, out);
                } else {
                    self.write(operand, PREFIX, out);
                }
            }
            Expr::Binary(op, left, right) => {
                let &(_, symbol, own) = OPERATORS
                    .iter()
                    .find(|(known, ..)| known == op)
                    .expect("every operator is in the table");
                if own < rank {
                    return self.parenthesised(expr, out);
                }
                self.write(left, if own == COMPARISON { own + 1 } else { own }, out);
                *out += &format!(" {symbol} ");
                self.write(right, own + 1, out);
            }
            Expr::Conditional(condition, yes, no) => {
                let (condition, yes, no) =
                    (self.expression(condition), self.expression(yes), self.expression(no));
                *out += &format!("(if {condition} then {yes} else {no})");
            }
            Expr::Channel(query, channel) => {
                let name = match query {
                    ChannelQuery::Len => "len",
                    ChannelQuery::Full => "full",
                    ChannelQuery::Empty => "empty",
                    ChannelQuery::NotFull => "nfull",
                    ChannelQuery::NotEmpty => "nempty",
                };
                *out += &format!("{name}({})", self.expression(channel));
            }
            Expr::Poll { channel, patterns, random } => {
                let name = if *random { "poll_any" } else { "poll" };
                *out +=
                    &format!("{name}({}; {})", self.expression(channel), self.patterns(patterns));
            }
            Expr::Timeout => *out += "timeout",
            Expr::Pid => *out += "_pid",
            Expr::ProcessCount => *out += "_nr_pr",
            Expr::Last => *out += "_last",
            Expr::Partner => *out += "_partner",
            Expr::Spawned => *out += "spawned",
            Expr::NonProgress => *out += "np_",
            Expr::Enabled(process) => *out += &format!("enabled({})", self.expression(process)),
            Expr::PcValue(process) => *out += &format!("pc_value({})", self.expression(process)),
            Expr::Priority(process) => *out += &format!("priority({})", self.expression(process)),
            Expr::At { process_type, process, location } => {
                let process = self.remote(*process_type, process);
                *out += &format!("at({process}, {})", self.location(*process_type, *location));
            }
            Expr::ReadRemote { process_type, process, variable, indices } => {
                let process = self.remote(*process_type, process);
                let kind = self.program.process_types.get(process_type.index());
                let known = kind
                    .and_then(|kind| kind.variables.iter().nth(variable.index()))
                    .filter(|known| {
                        known.dimensions.len() == indices.len()
                            && self.symbols.locals[process_type.index()]
                                .means(&reference_pattern(known), variable.0)
                    });
                let variable = match known {
                    Some(known) => self.indexed(known, indices),
                    None => self.numbered(*variable, indices),
                };
                *out += &format!("remote({process}, {variable})");
            }
        }
    }

    fn parenthesised(&self, expr: &Expr, out: &mut String) {
        out.push('(');
        self.write(expr, 0, out);
        out.push(')');
    }

    fn remote(&self, process_type: ProcessTypeId, process: &Remote) -> String {
        let name = self.process_type_name(process_type);
        match process {
            Remote::Only => name,
            Remote::Pid(pid) => format!("{name}[{}]", self.expression(pid)),
        }
    }

    /// The first unambiguous label of the location, otherwise its number.
    pub fn location(&self, process_type: ProcessTypeId, location: LocationId) -> String {
        let labels = self
            .program
            .process_types
            .get(process_type.index())
            .and_then(|kind| kind.locations.get(location.index()))
            .map_or(&[][..], |location| location.labels.as_slice());
        labels
            .iter()
            .find(|label| self.symbols.labels[process_type.index()].means(label, location.0))
            .map_or_else(|| location.0.to_string(), |label| spell_name(label))
    }

    pub fn place(&self, place: &Place) -> String {
        let variables = match (place.scope, self.process_type) {
            (Scope::Local, Some(process_type)) => {
                &self.program.process_types[process_type].variables
            }
            _ => &self.program.variables,
        };
        let id = place.variable.0;
        // With a wrong number of indices, only the number identifies the variable.
        let known = variables
            .iter()
            .nth(place.variable.index())
            .filter(|known| known.dimensions.len() == place.indices.len());
        let pattern = known.map(reference_pattern).unwrap_or_default();
        let found = self.symbols.variable(self.process_type, &pattern);
        match (known, place.scope) {
            (Some(known), scope) if found == Some((scope, super::symbols::Found::One(id))) => {
                self.indexed(known, &place.indices)
            }
            (Some(known), Scope::Global) if self.symbols.globals.means(&pattern, id) => {
                format!("::{}", self.indexed(known, &place.indices))
            }
            (_, Scope::Global) if self.process_type.is_some() => {
                format!("::{}", self.numbered(place.variable, &place.indices))
            }
            _ => self.numbered(place.variable, &place.indices),
        }
    }

    fn numbered(&self, variable: VariableId, indices: &[Expr]) -> String {
        let mut out = format!("#{}", variable.0);
        for index in indices {
            out += &format!("[{}]", self.expression(index));
        }
        out
    }

    /// `a[i].b[j]`
    fn indexed(&self, variable: &Variable, indices: &[Expr]) -> String {
        let mut indices = indices.iter();
        let mut out = String::new();
        match path(&variable.name, variable.dimensions.len()) {
            Some(pieces) => {
                for (position, (word, count)) in pieces.into_iter().enumerate() {
                    if position > 0 {
                        out.push('.');
                    }
                    out += &spell_name(word);
                    for index in indices.by_ref().take(count) {
                        out += &format!("[{}]", self.expression(index));
                    }
                }
            }
            None => out += &spell_name(&variable.name),
        }
        for index in indices {
            out += &format!("[{}]", self.expression(index));
        }
        out
    }

    pub fn patterns(&self, patterns: &[Pattern]) -> String {
        let pattern = |pattern: &Pattern| match pattern {
            Pattern::Ignore => "_".to_string(),
            Pattern::Bind(place) => self.place(place),
            Pattern::Match(Expr::Const(value)) => value.to_string(),
            Pattern::Match(value) => format!("eval({})", self.expression(value)),
        };
        patterns.iter().map(pattern).collect::<Vec<_>>().join(", ")
    }

    pub fn text(&self, text: &str) -> String {
        quote(text, '"')
    }
}
