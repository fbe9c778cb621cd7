//! The Hanoi Omega-Automata format, version 1: reading and writing.
//!
//! Follows the specification ("The Hanoi Omega-Automata Format", Babiak et al., CAV 2015). Reading
//! has two steps: [`Reader`] yields [`HoaAutomaton`]s, which represent everything the format can
//! express (alternation, any acceptance condition, implicit labels); [`HoaAutomaton::to_tgba`]
//! converts the supported kinds.

mod convert;
mod expression;
mod lexer;
mod reader;
mod writer;

pub use convert::Unsupported;
pub use reader::Reader;
pub use writer::write;

use std::fmt;

/// A label: a Boolean expression over atoms, aliases resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// A constant.
    Constant(bool),
    /// The atom with this number.
    Atom(u32),
    /// Negation.
    Not(Box<Label>),
    /// Conjunction.
    And(Box<Label>, Box<Label>),
    /// Disjunction.
    Or(Box<Label>, Box<Label>),
}

/// An acceptance condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AcceptanceCondition {
    /// `t` or `f`.
    Constant(bool),
    /// `Inf(k)`, or `Inf(!k)` if the flag is set: the set (or its complement) is seen infinitely
    /// often.
    Inf(u32, bool),
    /// `Fin(k)`, or `Fin(!k)` if the flag is set: the set (or its complement) is seen finitely
    /// often.
    Fin(u32, bool),
    /// Both.
    And(Box<AcceptanceCondition>, Box<AcceptanceCondition>),
    /// One of the two.
    Or(Box<AcceptanceCondition>, Box<AcceptanceCondition>),
}

/// A value in a header line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderValue {
    /// `t` or `f`.
    Boolean(bool),
    /// A number.
    Integer(u32),
    /// A quoted string.
    String(String),
    /// A word.
    Identifier(String),
}

/// An edge of a [`HoaState`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaEdge {
    /// Explicit label; if neither state nor edges have one, labels are implicit in the order of
    /// the edges.
    pub label: Option<Label>,
    /// Targets; more than one is a universal branching.
    pub targets: Vec<u32>,
    /// Acceptance sets.
    pub marks: Vec<u32>,
}

/// A state as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HoaState {
    /// Label of all its edges.
    pub label: Option<Label>,
    /// Name.
    pub name: Option<String>,
    /// Acceptance sets of the state: of all its edges.
    pub marks: Vec<u32>,
    /// Edges that leave it.
    pub edges: Vec<HoaEdge>,
}

/// An automaton as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaAutomaton {
    /// Version after `HOA:`.
    pub version: String,
    /// `name:`.
    pub name: Option<String>,
    /// `tool:` and its version.
    pub tool: Option<(String, Option<String>)>,
    /// Names of the atoms.
    pub atoms: Vec<String>,
    /// Initial states; each entry is a conjunction.
    pub start: Vec<Vec<u32>>,
    /// Number of acceptance sets.
    pub acceptance_sets: u32,
    /// Acceptance condition.
    pub condition: AcceptanceCondition,
    /// `acc-name:` with its parameters.
    pub acceptance_name: Option<(String, Vec<HeaderValue>)>,
    /// `properties:`.
    pub properties: Vec<String>,
    /// Other header lines.
    pub headers: Vec<(String, Vec<HeaderValue>)>,
    /// States; one that the text does not describe has no edges.
    pub states: Vec<HoaState>,
}

/// Why a text is not an automaton, and where.
#[derive(Debug)]
pub struct HoaError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in bytes, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for HoaError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for HoaError {}
