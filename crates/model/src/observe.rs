//! Looking at the states of a system from outside: the conditions that properties are made of.

use crate::error::RuntimeError;
use crate::expression::Expr;
use crate::interp::PackedInterpreter;
use crate::system::System;

/// A system whose states can be asked about conditions.
pub trait Observable: System + Send {
    /// Conditions, ready to be asked about states of this very system.
    type Conditions: Send + Sync;

    fn conditions(&self, list: &[Expr]) -> Self::Conditions;

    /// The same system in the same layout, for whoever needs one of its own: conditions of one are conditions of both.
    #[must_use]
    fn again(&self) -> Self
    where
        Self: Sized;

    /// Which conditions hold in a state: condition `i` is bit `i % 64` of word `i / 64` of `results`, which has just enough
    /// words.
    ///
    /// # Errors
    /// A condition has no value in the state; the first error met.
    fn observe(
        &self,
        conditions: &Self::Conditions,
        state: &[u64],
        results: &mut [u64],
    ) -> Result<(), RuntimeError>;
}

impl Observable for PackedInterpreter<'_> {
    type Conditions = Vec<Expr>;

    fn conditions(&self, list: &[Expr]) -> Vec<Expr> {
        list.to_vec()
    }

    fn again(&self) -> Self {
        self.clone()
    }

    fn observe(
        &self,
        conditions: &Vec<Expr>,
        state: &[u64],
        results: &mut [u64],
    ) -> Result<(), RuntimeError> {
        let state = self.decode(state);
        results.fill(0);
        for (number, condition) in conditions.iter().enumerate() {
            let value = self.interpreter().evaluate(&state, condition)?;
            results[number / 64] |= u64::from(value != 0) << (number % 64);
        }
        Ok(())
    }
}
