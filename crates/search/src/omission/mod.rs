//! Estimates of how many states a search with an inexact store omits.

pub(crate) mod in_degree;
pub(crate) mod lost_states;
pub(crate) mod repeated_runs;
