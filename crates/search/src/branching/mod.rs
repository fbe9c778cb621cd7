//! Branching time: CTL and CTL* on explicit state graphs.
//!
//! [`Structure`] is a state graph written down, [`Labelling`] finds the states in which a formula holds, `path_formula` does that for what is in
//! CTL* but not in CTL, `witness` finds a path that shows why. Dead ends go on forever where they are. [`check()`] does all that with the states of a
//! program; what can be decided while they are visited (`AG p`, `EF p` and, by `home`, `AG EF p`) needs no edges in memory.

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
