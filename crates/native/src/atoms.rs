//! Conditions on single states, evaluated outside any process: atoms of properties, and the program's invariants.

use crate::awaited::Awaited;
use crate::call::Conditions;
use crate::tiers::Demand;
use model::RuntimeError;
use model::expression::Expr;
use model::interp::PackedInterpreter;
use std::sync::atomic::{AtomicU32, Ordering};

/// Compiled conditions, in the layout of the system they were compiled for.
#[derive(Debug)]
pub struct Atoms {
    conditions: Vec<Expr>,
    demand: Demand,
    /// How often they were evaluated, until that was often.
    asked: AtomicU32,
    /// `None` where no code can be made.
    code: Awaited<Option<Conditions>>,
}

/// To evaluate conditions so often without code takes as long as to make it.
const OFTEN: u32 = 1000;

impl Atoms {
    pub(crate) fn new(demand: Demand, packed: &PackedInterpreter<'_>, conditions: &[Expr]) -> Atoms {
        let demand = if conditions.is_empty() { Demand::Never } else { demand };
        let (asked, code) = (AtomicU32::new(0), Awaited::default());
        let atoms = Atoms { conditions: conditions.to_vec(), demand, asked, code };
        if matches!(demand, Demand::Now(_)) {
            atoms.code(packed);
        }
        atoms
    }

    fn code(&self, packed: &PackedInterpreter<'_>) -> Option<&Conditions> {
        if self.code.get().is_none() {
            let conditions = self.conditions.clone();
            self.code.get_or_make(packed, move |plan, unwanted| {
                Conditions::new(plan, &conditions.iter().collect::<Vec<_>>(), unwanted).ok()
            });
        }
        self.code.get()?.as_ref()
    }

    pub(crate) fn conditions(&self) -> &[Expr] {
        &self.conditions
    }

    /// Is it time for code?
    fn wants_code(&self) -> bool {
        match self.demand {
            Demand::Now(_) => true,
            Demand::Above(_) => {
                self.asked.load(Ordering::Relaxed) >= OFTEN
                    || self.asked.fetch_add(1, Ordering::Relaxed) >= OFTEN
            }
            Demand::Never => false,
        }
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
        if self.wants_code()
            && let Some(code) = self.code(packed)
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
