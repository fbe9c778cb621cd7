//! A system that is written down, for tests.

use model::RuntimeError;
use model::layout::Recoder;
use model::system::{Misfit, Step, StepCode, Successors, System, Width};

/// It begins where all words are 0. Everything fits, and every end is a valid one.
#[derive(Debug)]
pub(crate) struct Written<F, I> {
    pub width: Width,
    pub successors: F,
    /// Asked once for every state that is visited; what is not right counts as an invalid end state.
    pub is_right: I,
}

impl<F, I> System for Written<F, I>
where
    F: Fn(&[u64]) -> Vec<Vec<u64>> + Send + Sync,
    I: Fn(&[u64]) -> bool + Send + Sync,
{
    fn width(&self) -> Width {
        self.width
    }

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        Ok(vec![vec![0; self.width.all]])
    }

    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        (self.successors)(state).iter().for_each(|next| out.push(StepCode(1 << 32), next));
        Ok(())
    }

    fn is_valid_end(&self, _: &[u64]) -> bool {
        true
    }

    fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
        if !(self.is_right)(state) {
            out.push(RuntimeError::InvalidEndState);
        }
    }

    fn has_invariants(&self) -> bool {
        true
    }

    fn step(&self, _: StepCode) -> Step {
        Step::STUTTER
    }

    fn transition_count(&self) -> usize {
        1
    }

    fn widened(&self, _: &Misfit) -> Self {
        unreachable!("everything fits")
    }

    fn recoder(&self, _: &Self) -> Recoder {
        unreachable!("everything fits")
    }
}
