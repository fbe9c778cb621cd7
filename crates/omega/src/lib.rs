//! omega
#![forbid(unsafe_code)]
pub mod automaton;
pub mod degeneralize;
pub mod emptiness;
pub mod formula;
pub mod guard;
pub mod product;
pub mod scc;
pub mod simulation;
pub mod translate;
pub mod trim;
pub mod word;
