//! A system defined by closures, for tests.

use lariat_ir::RuntimeError;
use lariat_ir::system::{
    Misfit, Repackable, SearchObserver, StepCode, Successors, TransitionSystem, Width,
};

/// Its initial state has all words 0, and every end state is valid.
#[derive(Debug)]
pub(crate) struct HandWritten<F, I> {
    pub width: Width,
    pub successors: F,
    /// Called for every state that is stored; `false` is reported as an invalid end state.
    pub is_right: I,
}

impl<F, I> TransitionSystem for HandWritten<F, I>
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
        (self.successors)(state).iter().for_each(|next| out.push(StepCode::of_move(0, 0), next));
        Ok(())
    }

    fn is_valid_end(&self, _: &[u64]) -> bool {
        true
    }

    fn transition_count(&self) -> usize {
        1
    }
}

impl<F, I> Repackable for HandWritten<F, I> where HandWritten<F, I>: TransitionSystem {}

impl<F, I: Fn(&[u64]) -> bool> SearchObserver for HandWritten<F, I> {
    fn state_stored(&self, state: &[u64], errors: &mut Vec<RuntimeError>) {
        if !(self.is_right)(state) {
            errors.push(RuntimeError::InvalidEndState);
        }
    }
}
