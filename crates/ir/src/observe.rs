//! Evaluation of conditions in states: the atoms of properties.

use crate::error::RuntimeError;
use crate::expression::Expr;
use crate::interp::PackedInterpreter;
use crate::system::System;

/// A system that can evaluate conditions in its states.
pub trait Observable: System + Send {
    /// Conditions prepared for evaluation in states of this system.
    type Conditions: Send + Sync;

    /// Prepares conditions.
    fn conditions(&self, list: &[Expr]) -> Self::Conditions;

    /// A copy of the system in the same layout; conditions prepared by one can be used with the
    /// other.
    #[must_use]
    fn again(&self) -> Self
    where
        Self: Sized;

    /// Evaluates the conditions in a state: the value of condition `i` becomes bit `i % 64` of word
    /// `i / 64` of `results`, which has exactly the words that are needed.
    ///
    /// # Errors
    /// A condition has no value in the state; the first such error.
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
