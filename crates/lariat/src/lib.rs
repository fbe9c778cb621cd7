//! The front door of Lariat: load a model, check it, say what was found.
//!
//! [`load`] reads a model, [`answer`] answers all that is asked of it: [`check`] searches it (as [`reduction`] makes it) and replays what it
//! finds, [`property`] checks what must be true of infinite runs. [`report`] says it as text or JSON, [`trail`] reads and writes SPIN's recorded runs. The command `lariat` is a thin shell around this.

#![forbid(unsafe_code)]

pub mod answer;
pub mod chart;
pub mod check;
pub mod condition;
pub mod explain;
pub mod explore;
pub mod graph;
pub mod load;
pub mod machine;
pub mod page;
pub mod property;
pub mod random;
pub mod reduction;
pub mod replay;
pub mod report;
pub mod run;
pub mod shorten;
pub mod simulation;
pub mod swarm;
pub mod trace;
pub mod trail;
pub mod unreached;
mod xml;
