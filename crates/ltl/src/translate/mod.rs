//! From a formula to a small automaton: the default translation.
//!
//! Owns the pipeline and its options. Several variants translate the formula (simplified or as
//! written, with early or postponed branching, through a minimal weak deterministic automaton, with
//! different orders of acceptance marks). No variant is best for all formulas and each is cheap, so
//! the pipeline tries all of them and keeps the smallest result. Limits count work, not time: a
//! formula has the same automaton on every machine.

mod obligations;
mod pipeline;

pub use obligations::{TableauOptions, tableau};
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
    /// The flag of [`Formulas::stop_by`] was set.
    Interrupted,
}

impl fmt::Display for TranslateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TranslateError::TooManyStates(limit) => {
                write!(out, "the automaton has more than {limit} states")
            }
            TranslateError::TooManyEdges(limit) => {
                write!(out, "the automaton has more than {limit} edges")
            }
            TranslateError::TooManyAcceptanceSets => {
                out.write_str("the automaton needs more than 64 acceptance sets")
            }
            TranslateError::Interrupted => out.write_str("the translation was interrupted"),
            TranslateError::Branching => {
                out.write_str("a formula with path quantifiers has no ω-automaton")
            }
        }
    }
}

impl std::error::Error for TranslateError {}

/// The goal of the translation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// A small automaton; of two of equal size, the deterministic one.
    #[default]
    Small,
    /// A deterministic automaton where the limits allow, even if larger.
    Deterministic,
    /// The first automaton, lightly reduced: for a fast translation.
    Any,
}

/// The acceptance condition of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceptance {
    /// Transition-based, generalized.
    #[default]
    TransitionGeneralized,
    /// State-based Büchi.
    StateBuchi,
}

/// The translation algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// The pipeline for small automata: obligations, simulations, merging by language.
    #[default]
    Modern,
    /// The tableau of 1995 with its counter; the goal is ignored. See [`crate::gpvw`].
    Gpvw(Improvements),
}

/// Options of the translation.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Small, deterministic or fast.
    pub goal: Goal,
    /// Kind of acceptance.
    pub acceptance: Acceptance,
    /// The most states of any intermediate automaton.
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
pub fn translate(
    store: &mut Formulas,
    f: Formula,
    options: Options,
) -> Result<Tgba, TranslateError> {
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
