//! Conditions on single states, evaluated outside any process: atoms of properties, and the program's invariants.

use crate::call::Conditions;
use crate::plan::Plan;
use model::RuntimeError;
use model::expression::Expr;
use model::interp::PackedInterpreter;

/// Compiled conditions, in the layout of the system they were compiled for.
#[derive(Debug)]
pub struct Atoms {
    conditions: Vec<Expr>,
    /// `None` where there are none, or no code can be made or is wanted.
    code: Option<Conditions>,
}

impl Atoms {
    pub(crate) fn new(plan: &Plan<'_>, conditions: &[Expr]) -> Atoms {
        let expressions: Vec<&Expr> = conditions.iter().collect();
        let code = match conditions {
            [] => None,
            _ => Conditions::new(plan, &expressions).ok(),
        };
        Atoms { conditions: conditions.to_vec(), code }
    }

    /// Without code.
    pub(crate) fn interpreted(conditions: &[Expr]) -> Atoms {
        Atoms { conditions: conditions.to_vec(), code: None }
    }

    /// How many words the results take.
    pub fn words(&self) -> usize {
        self.conditions.len().div_ceil(64)
    }

    /// Which conditions hold in a state: condition `i` is bit `i % 64` of word `i / 64`. The first error, if one has no value.
    pub(crate) fn evaluate(
        &self,
        packed: &PackedInterpreter<'_>,
        state: &[u64],
        results: &mut [u64],
    ) -> Result<(), RuntimeError> {
        if let Some(code) = &self.code
            && code.evaluate(state, results)
        {
            return Ok(());
        }
        results.fill(0);
        let state = packed.decode(state);
        for (number, condition) in self.conditions.iter().enumerate() {
            let value = packed.interpreter().evaluate(&state, condition)?;
            results[number / 64] |= u64::from(value != 0) << (number % 64);
        }
        Ok(())
    }
}
