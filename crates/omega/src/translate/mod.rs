//! The modern translation.
mod obligations;
pub use obligations::{Tableau, tableau};

/// Why a formula was not translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslateError {
    /// More states than the limit.
    TooManyStates(usize),
    /// More than 64 acceptance sets.
    TooManyAcceptanceSets,
    /// The formula has a path quantifier: it is not LTL.
    Branching,
}
