//! Lariat is a model checker for Promela: it decides whether every run of a concurrent system has
//! the requested properties, and shows a counterexample if not.
//!
//! ```
//! use lariat::{Checker, Model, Property, Verdict};
//!
//! let model = Model::from_source(
//!     "counter.pml",
//!     "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }",
//! )?;
//! let report = Checker::new(&model)
//!     .property(Property::ltl("[] (x < 3)"))
//!     .property(Property::safety())
//!     .threads(2)
//!     .run()?;
//! assert_eq!(report.verdict(), Verdict::Violated);
//! let run = report.counterexamples().next().expect("the formula is violated");
//! assert_eq!(run.steps().len(), 6);
//! println!("{run}");
//! # Ok::<(), lariat::Error>(())
//! ```
//!
//! [`Model`] is a model that was read, [`Checker`] checks it, [`Report`] holds a verdict for each
//! property, and [`Counterexample`] is a run that shows a violation. A verdict is
//! [`Holds`](Verdict::Holds) only after an exhaustive search; if a limit was reached it is
//! [`Inconclusive`](Verdict::Inconclusive). Every counterexample was replayed on the reference
//! semantics. All failures are an [`Error`].
//!
//! | module | owns |
//! |---|---|
//! | [`model`] | reading models |
//! | [`property`] | properties as they are requested, and as a model resolves them |
//! | [`initial`] | the initial states within a time limit |
//! | [`checker`] | the entry point; [`recheck`] checks a saved counterexample's property again |
//! | [`check`] | planning, searching, and the verdict |
//! | [`run`] | counterexamples: replaying, shortening, drawing, saving, SPIN's trails |
//! | [`report`] | reports as text, JSON, SARIF, JUnit and ITF |
//! | [`simulation`], [`explore`] | running a model step by step |
//! | [`page`], [`chart`], [`graph`] | HTML pages, message sequence charts, graphs |
//! | [`explain`] | explanations of deadlocks |
//! | [`swarm`] | many small, different searches |

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod chart;
pub mod check;
pub mod checker;
pub mod condition;
pub mod error;
pub mod explain;
pub mod explore;
pub mod graph;
pub mod initial;
pub mod machine;
pub mod model;
pub mod page;
pub mod property;
pub mod recheck;
pub mod report;
pub mod run;
pub mod simulation;
pub mod swarm;
mod xml;

pub use check::{Engine, PropertyResult, SafetyResult, Settings};
pub use checker::Checker;
pub use error::Error;
pub use lariat_search::Verdict;
pub use lariat_search::liveness::fairness::Fairness;
pub use model::{Model, ModelReader};
pub use property::Property;
pub use report::Report;
pub use run::{Counterexample, Evidence};
