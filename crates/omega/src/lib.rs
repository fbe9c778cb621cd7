//! Temporal formulas, ω-automata, and the translation between them.
//!
//! The property automaton multiplies the state space of a search, so this crate is about small automata: whatever a
//! formula says, [`translate`] finds an automaton for it that is right and as small as several roads and a few
//! reductions can make it. Nothing here knows of models, states or searches.
//!
//! ```
//! use omega::formula::Formulas;
//! use omega::translate::{Acceptance, Options, translate};
//!
//! let mut formulas = Formulas::new();
//! let f = formulas.parse("!G(request -> F grant)")?;
//! let options = Options { acceptance: Acceptance::StateBuchi, ..Options::default() };
//! let automaton = translate(&mut formulas, f, options)?;
//! assert_eq!(automaton.state_count(), 2);
//!
//! let mut text = String::new();
//! omega::hoa::write(&automaton, Some("!G(request -> F grant)"), &mut text)?;
//! assert!(text.starts_with("HOA: v1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! - **Formulas**: [`formula`] (syntax, parser, printer, normal form, simplifier, evaluation on words), [`word`]
//!   (lassos), [`decide`] (validity, satisfiability, equivalence, stutter-invariance, with witnesses).
//! - **Automata**: [`automaton`] (the explicit type and the trait it shares with lazy ones), [`guard`] (Boolean
//!   functions on edges), [`scc`], [`emptiness`], [`product`], [`inclusion`] (complements).
//! - **Translations**: [`translate`] (the default), [`gpvw`] (the tableau of 1995, also on demand).
//! - **Reductions**, in the order they are used: [`trim`], [`simulation`], [`wdba`], [`merge`], [`degeneralize`];
//!   [`reduce`] is the loop around them.
//! - **Formats**: [`hoa`], [`mod@never`], [`dot`].
//!
//! Effort limits are counts, not clocks, so the same formula gives the same automaton on every machine.

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
