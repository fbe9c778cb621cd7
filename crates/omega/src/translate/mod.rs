//! From a formula to a small automaton: the modern translation, the default.
//!
//! Owns the pipeline and its choices. Several roads lead from a formula to an automaton (simplified or as written,
//! branching early or late, through a minimal weak deterministic automaton, with different orders of acceptance
//! marks); none is best for all formulas, and each is cheap, so they are all tried and the smallest result is kept.
//! Effort is bounded by counts, never by clocks: the same formula gives the same automaton everywhere.

mod obligations;
mod pipeline;

pub use obligations::{Tableau, tableau};
pub use pipeline::Translator;

use crate::automaton::Tgba;
use crate::degeneralize::degeneralize_by_counter;
use crate::formula::{Formula, Formulas};
use crate::gpvw::{Improvements, gpvw, to_tgba};
use std::fmt;

/// Why a formula was not translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslateError {
    /// The automaton has more states than the limit.
    TooManyStates(usize),
    /// The tableau has more edges, or its decision diagrams more nodes, than the limit.
    TooManyEdges(usize),
    /// The automaton would need more than 64 acceptance sets.
    TooManyAcceptanceSets,
    /// The formula has a path quantifier: it is not LTL.
    Branching,
    /// The flag given to [`Formulas::stop_by`] was raised.
    Interrupted,
}

impl fmt::Display for TranslateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TranslateError::TooManyStates(limit) => write!(out, "the automaton has more than {limit} states"),
            TranslateError::TooManyEdges(limit) => write!(out, "the automaton has more than {limit} edges"),
            TranslateError::TooManyAcceptanceSets => {
                out.write_str("the automaton needs more than 64 acceptance sets")
            }
            TranslateError::Interrupted => out.write_str("the translation was interrupted"),
            TranslateError::Branching => out.write_str("a formula with path quantifiers has no ω-automaton"),
        }
    }
}

impl std::error::Error for TranslateError {}

/// What kind of automaton is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Small; of two equally small ones the deterministic one.
    #[default]
    Small,
    /// Deterministic where that is affordable, even if larger.
    Deterministic,
    /// The first correct automaton, lightly reduced: for when the translation itself must be quick.
    Any,
}

/// What acceptance is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceptance {
    /// Transition-based, generalized.
    #[default]
    TransitionGeneralized,
    /// State-based Büchi.
    StateBuchi,
}

/// Which translation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Obligations, simulations, merging by language: small automata.
    #[default]
    Modern,
    /// The tableau of 1995 with its counter; the goal is ignored. See [`crate::gpvw`].
    Gpvw(Improvements),
}

/// What to translate to.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Which translation.
    pub algorithm: Algorithm,
    /// Small, deterministic or whatever comes first.
    pub goal: Goal,
    /// Kind of acceptance.
    pub acceptance: Acceptance,
    /// Most states any automaton on the way may have.
    pub state_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            algorithm: Algorithm::default(),
            goal: Goal::default(),
            acceptance: Acceptance::default(),
            state_limit: 100_000,
        }
    }
}

/// Translates the LTL formula `f`.
///
/// # Errors
/// `f` is not LTL, or a limit was reached.
pub fn translate(store: &mut Formulas, f: Formula, options: Options) -> Result<Tgba, TranslateError> {
    match options.algorithm {
        Algorithm::Modern => Translator::new(options).translate(store, f),
        Algorithm::Gpvw(improvements) => {
            let lgba = gpvw(store, f, improvements, options.state_limit)?;
            let automaton = to_tgba(store, f, &lgba);
            Ok(match options.acceptance {
                Acceptance::TransitionGeneralized => automaton,
                Acceptance::StateBuchi => degeneralize_by_counter(&automaton),
            })
        }
    }
}
