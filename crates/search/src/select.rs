//! The one place where the name of a store becomes a store.

use crate::outcome::Outcome;
use crate::rounds::search;
use crate::store::Packed;
use crate::{Limit, Options};
use model::System;

/// Which store remembers the visited states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// Exact, the packed states themselves.
    #[default]
    Packed,
}

/// Visits the reachable states of `system` and reports every error met on the way.
pub fn reachability<S: System>(system: &S, options: &Options<'_>) -> Outcome {
    let bits = system.identity_bits();
    match options.store {
        StoreKind::Packed => start(system, Packed::new(&bits, 0), options),
    }
}

/// Searches with a store, if there was memory to make one.
fn start<S: System, T: crate::store::Store>(system: &S, store: Option<T>, options: &Options<'_>) -> Outcome
where
    T::Key: Send,
{
    match store {
        Some(store) => search(system, store, options),
        None => Outcome { limit: Some(Limit::MemoryBytes(0)), ..Outcome::default() },
    }
}
