//! Tests that run the command `lariat`.

mod book;
mod browser;
mod command;
mod common;
mod guards;
mod limits;
mod liveness;
mod ltl;
mod machines;
mod memory_limit;
mod outputs;
mod reports;
mod server;
mod shortest;
mod signals;
