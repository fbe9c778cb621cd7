//! From the syntax tree to the program IR.
//!
//! The first pass reads the units in textual order, declares names and turns bodies into elements
//! ([`collect`]). When all names are known, variables get their slots ([`variables`]), tables their
//! locations ([`process`]), and statements and expressions are lowered ([`statement`],
//! [`expression`]).

mod collect;
mod dstep;
mod event_trace;
mod expression;
mod formula;
mod process;
mod reference;
mod statement;
mod variables;

use crate::ast;
use crate::diagnostic::Diagnostic;
use crate::flow::{Body, Node, table::Table};
use crate::source::{SourceMap, Span};
use crate::symbols::{LookupPoint, Symbols};
use lariat_ir::program::{
    Exclusive, Extent, Instance, LocationId, Origin, OriginId, ProcessType, ProcessTypeId, Program,
};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use variables::Slots;

pub use formula::LtlFormula;

/// Limit on the capacity of a channel, as in SPIN.
const MAX_CAPACITY: i32 = 65_535;

/// A property stated in the model in addition to its assertions.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name in the model, or a generated one.
    pub name: String,
    /// The formula or claim.
    pub kind: PropertyKind,
    /// Its position.
    pub span: Span,
}

/// The kind of a [`Property`].
#[derive(Clone, Debug)]
pub enum PropertyKind {
    /// An `ltl` block.
    Ltl(LtlFormula),
    /// A `never` claim: a process that makes a step with every step of the system.
    Never(Box<ProcessType>),
}

/// A program and its properties; both are complete only if the diagnostics contain no error.
#[derive(Debug)]
pub struct Lowered {
    pub program: Program,
    pub properties: Vec<Property>,
    pub diagnostics: Vec<Diagnostic>,
}

/// The syntax tree of a body.
#[derive(Clone, Debug)]
enum BodySource<'a> {
    Proctype(&'a ast::Proctype),
    Init(&'a ast::Init),
    Never(&'a ast::Claim),
    Trace(&'a ast::EventTrace),
}

/// A body on its way to becoming a process type.
struct Collected<'a> {
    unit: BodySource<'a>,
    name: Rc<str>,
    body: Body,
    exclusive: Vec<(ast::Exclusive, LookupPoint)>,
    /// The point at which the names of its header are looked up.
    place: LookupPoint,
    table: Option<Table>,
    /// The location of each element number that has one.
    locations: HashMap<u32, LocationId>,
}

struct Lowering<'a> {
    sources: &'a SourceMap,
    symbols: Symbols,
    diagnostics: Vec<Diagnostic>,
    bodies: Vec<Collected<'a>>,
    /// Bodies by proctype name, including those declared later.
    proctypes: BTreeMap<Rc<str>, usize>,
    process_type_ids: HashMap<usize, ProcessTypeId>,
    slots: Slots,
    program: Program,
    next_element: u32,
    /// Exclusive-use declarations of the body being collected.
    exclusive: Vec<(ast::Exclusive, LookupPoint)>,
    /// Names already reported as undeclared; each is reported once.
    reported: Vec<Rc<str>>,
    /// Whether the state vector needs priorities.
    uses_priority: bool,
    uses_last: bool,
    uses_partner: bool,
    /// The send with the most fields.
    longest_send: Option<(usize, Span)>,
    /// A use of `enabled()`.
    enabled_at: Option<Span>,
}

/// Lowers a parsed program.
pub fn lower(sources: &SourceMap, tree: &ast::Program) -> Lowered {
    let mut lowering = Lowering {
        sources,
        symbols: Symbols::default(),
        diagnostics: Vec::new(),
        bodies: Vec::new(),
        proctypes: BTreeMap::new(),
        process_type_ids: HashMap::new(),
        slots: Slots::default(),
        program: Program::default(),
        next_element: 0,
        exclusive: Vec::new(),
        reported: Vec::new(),
        uses_priority: false,
        uses_last: false,
        uses_partner: false,
        longest_send: None,
        enabled_at: None,
    };
    lowering.collect(tree);
    lowering.assign_slots();
    lowering.make_tables();
    let properties = lowering.lower_units(tree);
    lowering.finish(properties)
}

impl<'a> Lowering<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.report(Diagnostic::error(message).at(span, label));
    }

    fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    fn make_tables(&mut self) {
        for index in 0..self.bodies.len() {
            self.check_jumps_into_dsteps(index);
            match crate::flow::table::table(&mut self.bodies[index].body) {
                Ok(table) => {
                    self.bodies[index].locations =
                        process::number_locations(&table, &self.bodies[index].body);
                    self.bodies[index].table = Some(table);
                }
                Err(tangle) => self.error(tangle.span, tangle.message, "here"),
            }
        }
    }

    fn check_jumps_into_dsteps(&mut self, index: usize) {
        let body = &self.bodies[index].body;
        let into = |element: &&crate::flow::Element| match &element.node {
            Node::Goto(jump) => body
                .destination(jump)
                .is_some_and(|id| body.element(id).status.dstep && !element.status.dstep),
            _ => false,
        };
        let spans: Vec<Span> =
            body.elements.iter().filter(into).map(|element| element.span).collect();
        for span in spans {
            self.error(span, "jump into a d_step", "its target is inside the d_step");
        }
    }

    fn lower_units(&mut self, tree: &'a ast::Program) -> Vec<Property> {
        let mut properties = Vec::new();
        self.lower_globals();
        for index in 0..self.bodies.len() {
            match self.bodies[index].unit.clone() {
                BodySource::Proctype(_) | BodySource::Init(_) => {
                    let process_type = self.process_type(index);
                    self.program.process_types.push(process_type);
                }
                BodySource::Never(claim) => {
                    let process_type = self.process_type(index);
                    properties.push(Property {
                        name: self.bodies[index].name.to_string(),
                        kind: PropertyKind::Never(Box::new(process_type)),
                        span: claim.span,
                    });
                }
                BodySource::Trace(trace) => self.event_trace(index, trace),
            }
        }
        for unit in &tree.units {
            if let ast::Unit::Ltl(ltl) = unit {
                let place = LookupPoint {
                    owner: None,
                    scope: Default::default(),
                    declared: self.symbols.variables.len(),
                };
                let formula = self.formula(&ltl.formula, &place);
                let unnamed =
                    properties.iter().filter(|p| matches!(p.kind, PropertyKind::Ltl(_))).count();
                properties.push(Property {
                    name: ltl
                        .name
                        .as_ref()
                        .map_or_else(|| format!("ltl_{unnamed}"), |n| n.text.to_string()),
                    kind: PropertyKind::Ltl(formula),
                    span: ltl.span,
                });
            }
        }
        properties
    }

    fn finish(mut self, properties: Vec<Property>) -> Lowered {
        for index in 0..self.bodies.len() {
            let (count, priority, span) = match &self.bodies[index].unit {
                BodySource::Init(init) => (1, init.priority.clone(), init.span),
                BodySource::Proctype(proctype) => match &proctype.active {
                    None => continue,
                    Some(active) => {
                        let count = active
                            .count
                            .as_ref()
                            .map_or(Some(1), |count| self.constant_value(count));
                        let Some(count) = count else {
                            self.error(
                                active.span,
                                "the number of processes must be a constant",
                                "not known",
                            );
                            continue;
                        };
                        (count, proctype.priority.clone(), active.span)
                    }
                },
                _ => continue,
            };
            let priority = self.priority(priority.as_ref());
            let process_type = self.process_type_ids[&index];
            if !(0..=255).contains(&count)
                || self.program.initial_processes.len() as i32 + count > 255
            {
                self.report(
                    Diagnostic::error("too many processes")
                        .at(span, "at most 255 processes can exist at a time"),
                );
                continue;
            }
            for _ in 0..count {
                self.program.initial_processes.push(Instance { process_type, priority });
            }
        }
        if self.program.initial_processes.is_empty() && !self.has_errors() {
            self.report(
                Diagnostic::error("the model has no process to run")
                    .help("add an `init { … }` or declare a proctype `active`"),
            );
        }
        self.check_rendezvous();
        if !self.has_errors() {
            self.check_longest_send();
        }
        self.program.has_priorities = self.uses_priority;
        self.program.remembers_last = self.uses_last;
        self.program.remembers_partner = self.uses_partner;
        self.program.name_sets = std::mem::take(&mut self.symbols.name_sets);
        Lowered { program: self.program, properties, diagnostics: self.diagnostics }
    }

    /// Whether a process is enabled depends on its partners if the model has rendezvous channels.
    fn check_rendezvous(&mut self) {
        if !self.program.channel_types.iter().any(|channel| channel.capacity == 0) {
            return;
        }
        if let Some(span) = self.enabled_at {
            let message = "`enabled` cannot be combined with rendezvous channels";
            self.error(span, message, "whether a process is enabled depends on its partners");
        } else if self.uses_priority {
            self.report(Diagnostic::error(
                "priorities cannot be combined with rendezvous channels",
            ));
        }
    }

    /// Reports a message that is longer than those of every channel.
    fn check_longest_send(&mut self) {
        let longest = self
            .program
            .channel_types
            .iter()
            .map(|channel| channel.fields.len())
            .max()
            .unwrap_or(0);
        if let Some((fields, span)) = self.longest_send.filter(|&(fields, _)| fields > longest) {
            let fields = crate::diagnostic::count(fields, "field");
            let message =
                format!("a message with {fields}, but no channel has more than {longest}");
            self.error(span, message, "too many fields");
        }
    }

    /// The value of a priority clause; 1 if absent.
    fn priority(&mut self, clause: Option<&ast::Expr>) -> u8 {
        let Some(expr) = clause else { return 1 };
        self.uses_priority = true;
        match self.constant_value(expr) {
            Some(value @ 0..=255) => (value as u8).max(1),
            Some(value) => {
                self.error(
                    expr.span,
                    format!("priority {value} is out of range"),
                    "must be in 1..255",
                );
                1
            }
            None => {
                self.error(expr.span, "a priority must be a constant", "not a constant");
                1
            }
        }
    }

    fn origin(&mut self, span: Span, text: String, number: u32) -> OriginId {
        let location = self.sources.locate(span);
        let end = self.sources.locate(span.after());
        let extent = Extent { column: location.column, end_line: end.line, end_column: end.column };
        // A span that begins in one file and ends in another has no columns.
        let extent =
            Some(extent).filter(|_| end.file == location.file && end.line >= location.line);
        let (file, line) = (location.file.to_string(), location.line);
        let origin = Origin { file, line, extent, text, number };
        self.program.origins.push(origin);
        OriginId(self.program.origins.len() as u32 - 1)
    }

    /// The exclusive-use declarations of a body.
    fn exclusive_claims(&mut self, index: usize) -> Vec<Exclusive> {
        let mut claims = Vec::new();
        for (declaration, place) in self.bodies[index].exclusive.clone() {
            for reference in &declaration.channels {
                if let Some(channel) = self.channel_expr(reference, &place) {
                    claims.push(Exclusive { channel, receive: declaration.receive });
                }
            }
        }
        claims
    }
}
