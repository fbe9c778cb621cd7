//! The one error type of the library.

use crate::model::Rejected;
use lariat_ir::Exhausted;
use std::fmt;

/// Why the library could not give an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The model cannot be read or translated.
    Rejected(Rejected),
    /// A property has a syntax error, or the model does not have it.
    Property(String),
    /// A limit was reached before anything was checked.
    Exhausted {
        /// The limit.
        limit: Exhausted,
        /// The phase in which it was reached: `while …`.
        phase: &'static str,
    },
    /// A counterexample could not be replayed: a bug in Lariat.
    Internal(String),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rejected(rejected) => out.write_str(rejected.text.trim_end()),
            Error::Property(message) => out.write_str(message),
            Error::Exhausted { limit, phase } => write!(out, "inconclusive: {limit} {phase}"),
            Error::Internal(message) => write!(out, "internal error: {message}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Rejected> for Error {
    fn from(rejected: Rejected) -> Error {
        Error::Rejected(rejected)
    }
}
