//! Conditions on states for whoever searches: see [`Atoms`].

use crate::{Atoms, Native};
use model::RuntimeError;
use model::expression::Expr;
use model::observe::Observable;

impl Observable for Native<'_> {
    type Conditions = Atoms;

    fn conditions(&self, list: &[Expr]) -> Atoms {
        self.compile_atoms(list)
    }

    fn again(&self) -> Self {
        Native::again(self)
    }

    fn observe(&self, conditions: &Atoms, state: &[u64], results: &mut [u64]) -> Result<(), RuntimeError> {
        self.evaluate(conditions, state, results)
    }
}
