//! Conditions on single states, evaluated outside any process: the atoms of properties and the
//! program's invariants.

use crate::call::ConditionFunction;
use crate::lazy::LazyCode;
use crate::tiers::CompilePolicy;
use lariat_ir::RuntimeError;
use lariat_ir::expression::Expr;
use lariat_ir::interp::PackedInterpreter;
use std::sync::atomic::{AtomicU32, Ordering};

/// Compiled conditions, in the layout of the engine that compiled them.
#[derive(Debug)]
pub struct Atoms {
    conditions: Vec<Expr>,
    policy: CompilePolicy,
    /// Evaluations so far; not counted beyond [`COMPILE_AFTER`].
    evaluations: AtomicU32,
    /// `None` if compilation failed.
    code: LazyCode<Option<ConditionFunction>>,
}

/// Interpreting the conditions this often takes about as long as compiling them.
const COMPILE_AFTER: u32 = 1000;

impl Atoms {
    pub(crate) fn new(
        policy: CompilePolicy,
        packed: &PackedInterpreter<'_>,
        conditions: &[Expr],
    ) -> Atoms {
        let policy = if conditions.is_empty() { CompilePolicy::Never } else { policy };
        let (evaluations, code) = (AtomicU32::new(0), LazyCode::default());
        let atoms = Atoms { conditions: conditions.to_vec(), policy, evaluations, code };
        if matches!(policy, CompilePolicy::Immediately(_) | CompilePolicy::ByLocation) {
            atoms.code(packed);
        }
        atoms
    }

    fn code(&self, packed: &PackedInterpreter<'_>) -> Option<&ConditionFunction> {
        if self.code.get().is_none() {
            let conditions = self.conditions.clone();
            self.code.get_or_compile(packed, move |plan, cancelled| {
                ConditionFunction::new(plan, &conditions.iter().collect::<Vec<_>>(), cancelled).ok()
            });
        }
        self.code.get()?.as_ref()
    }

    pub(crate) fn conditions(&self) -> &[Expr] {
        &self.conditions
    }

    /// Counts an evaluation. Returns whether the policy calls for compiled code.
    fn count_evaluation(&self) -> bool {
        match self.policy {
            CompilePolicy::Immediately(_) | CompilePolicy::ByLocation => true,
            CompilePolicy::AboveStates(_) => {
                self.evaluations.load(Ordering::Relaxed) >= COMPILE_AFTER
                    || self.evaluations.fetch_add(1, Ordering::Relaxed) >= COMPILE_AFTER
            }
            CompilePolicy::Never => false,
        }
    }

    /// The number of words that the results take.
    pub fn words(&self) -> usize {
        self.conditions.len().div_ceil(64)
    }

    /// Writes which conditions hold in a state: condition `i` is bit `i % 64` of word `i / 64`.
    ///
    /// # Errors
    /// The first condition without a value, such as a division by zero.
    pub(crate) fn evaluate(
        &self,
        packed: &PackedInterpreter<'_>,
        state: &[u64],
        results: &mut [u64],
    ) -> Result<(), RuntimeError> {
        if self.count_evaluation()
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
