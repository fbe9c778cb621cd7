//! omega
#![forbid(unsafe_code)]
pub mod automaton;
pub mod degeneralize;
pub mod emptiness;
pub mod formula;
pub mod gpvw;
pub mod guard;
pub mod merge;
pub mod product;
pub mod reduce;
pub mod scc;
pub mod simulation;
pub mod translate;
pub mod trim;
pub mod wdba;
pub mod word;
