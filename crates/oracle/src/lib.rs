//! Slow, obvious answers about infinite runs: what searches are tested against.
//!
//! [`Graph`] is all that the reference semantics does, written down; [`Forbidden`] the runs that a property forbids, as an automaton of another translation than
//! the searches use (the tableau of 1995) or as the model's claim. Both joined are a [`Product`] of nodes and edges, in which [`component`] looks for something that can go on forever, fairly or
//! not. [`Forbidden::is_shown_by`] follows a run that was found through the graph and asks the formula itself about it; [`Forbidden::shorter`] tries all that are shorter.
//!
//! Nothing here shares code with the searches, nor with the layouts, reductions, machine code and stores below them.

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
