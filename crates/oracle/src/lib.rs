//! A reference checker for infinite runs, slow and simple, against which the searches are tested.
//!
//! [`Graph`] is the state graph of the reference semantics. [`Forbidden`] is the set of runs that a
//! property forbids, as an automaton from another translation than the searches use (the tableau of
//! 1995) or as the model's claim. Their [`Product`] is a graph in which [`component`] looks for a
//! cycle, fair or not. [`Forbidden::is_shown_by`] replays a counterexample on the graph and
//! evaluates the formula itself on it; [`Forbidden::shorter`] tries all shorter runs.
//!
//! Nothing here shares code with the searches, nor with the layouts, reductions, machine code and
//! stores below them. Only the names of the fairness notions come from `lariat-search`.

#![forbid(unsafe_code)]

pub mod component;
mod forbidden;
mod graph;
mod product;
mod shortest;

pub use forbidden::{Forbidden, Shown};
pub use graph::{Graph, Step};
pub use product::Product;
pub use shortest::Shorter;
