//! Temporal formulas (LTL, CTL, CTL*), ω-automata, and small automata from formulas.
//!
//! The size of a property automaton multiplies the state space that a model checker explores, so
//! [`translate`] tries several translations and reductions and returns the smallest automaton. The
//! crate does not know models, system states or searches.
//!
//! Translate a formula and print the automaton in the HOA format:
//!
//! ```
//! use lariat_ltl::formula::Formulas;
//! use lariat_ltl::translate::{Acceptance, Options, translate};
//!
//! let mut formulas = Formulas::new();
//! let f = formulas.parse("!G(request -> F grant)")?;
//! let options = Options { acceptance: Acceptance::StateBuchi, ..Options::default() };
//! let automaton = translate(&mut formulas, f, options)?;
//! assert_eq!(automaton.state_count(), 2);
//!
//! let mut text = String::new();
//! lariat_ltl::hoa::write(&automaton, Some("!G(request -> F grant)"), &mut text)?;
//! assert!(text.starts_with("HOA: v1"));
//! print!("{text}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Decide satisfiability, validity and equivalence, with witnesses:
//!
//! ```
//! use lariat_ltl::decide::{counterexample, difference, satisfiable};
//! use lariat_ltl::formula::Formulas;
//!
//! let mut formulas = Formulas::new();
//! let until = formulas.parse("p U q")?;
//! let weak = formulas.parse("p W q")?;
//! assert!(satisfiable(&mut formulas, until)?.is_some());
//!
//! // `p U q` implies `p W q`, but they are not equivalent.
//! let implication = formulas.implies(until, weak);
//! assert!(counterexample(&mut formulas, implication)?.is_none());
//! let word = difference(&mut formulas, until, weak)?.expect("a word that satisfies only one");
//! assert_eq!(word.to_string(), "cycle{p & !q}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | task | modules |
//! |---|---|
//! | formulas: syntax, parser, printer, simplifier, semantics | [`formula`], [`word`] |
//! | satisfiability, validity, equivalence, stutter invariance | [`decide`] |
//! | automata and their labels | [`automaton`], [`guard`] |
//! | algorithms on automata | [`scc`], [`emptiness`], [`product`], [`inclusion`] |
//! | translations | [`translate`] (the default), [`gpvw`] (the tableau of 1995) |
//! | reductions | [`trim`], [`simulation`], [`wdba`], [`merge`], [`degeneralize`], [`mod@reduce`] |
//! | formats | [`hoa`], [`mod@never`] (SPIN's never claims), [`dot`] |
//!
//! Limits count work, not time: a formula has the same automaton on every machine.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod automaton;
pub mod decide;
pub mod degeneralize;
pub mod dot;
pub mod emptiness;
pub mod formula;
pub mod gpvw;
pub mod guard;
pub mod hoa;
pub mod inclusion;
pub mod merge;
pub mod never;
pub mod product;
pub mod reduce;
pub mod scc;
pub mod simulation;
pub mod translate;
pub mod trim;
pub mod wdba;
pub mod word;
