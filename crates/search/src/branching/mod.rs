//! Branching time: CTL and CTL* on explicit state graphs.
//!
//! [`Structure`] is a state graph in memory, [`Labelling`] computes the states in which a formula
//! holds (`path_formula` for CTL* formulas outside CTL), and `witness` finds a path that shows why.
//! States without steps are their own successors. [`check()`] applies these to the states of a
//! program; `AG p`, `EF p` and, by `home`, `AG EF p` are decided while the states are visited,
//! without edges in memory.

mod check;
mod home;
mod labelling;
mod node_set;
mod path_formula;
mod shapes;
mod structure;
mod witness;

pub use check::{BranchingAnswer, Method, Question, check};
pub use labelling::{Labelling, LabellingError};
pub use node_set::NodeSet;
pub use shapes::is_state_formula;
pub use structure::Structure;
pub use witness::Witness;

#[cfg(test)]
mod tests;
