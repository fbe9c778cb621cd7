//! omega
#![forbid(unsafe_code)]
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
