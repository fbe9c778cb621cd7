//! The program while the automaton waits, as a system for the search for errors.

use crate::product::stem::remainder::RemainderSearch;
use crate::product::system::Product;
use lariat_ir::RuntimeError;
use lariat_ir::layout::Recoder;
use lariat_ir::observe::Observable;
use lariat_ir::system::{
    Misfit, Repackable, SearchObserver, Step, StepCode, Successors, TransitionSystem, Width,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The program, where a state followed by a lasso is an error. Errors of the program itself are
/// only noted: the check for errors reports them.
pub(super) struct StemSystem<'s, 'm, 'a, S: Observable> {
    system: S,
    conditions: Arc<S::Conditions>,
    remainder: &'s RemainderSearch<'m, 'a, S>,
}

impl<'s, 'm, 'a, S: Observable> StemSystem<'s, 'm, 'a, S> {
    pub fn new(
        product: &Product<'m, S>,
        remainder: &'s RemainderSearch<'m, 'a, S>,
    ) -> StemSystem<'s, 'm, 'a, S> {
        let (system, conditions) = (product.system().again(), Arc::clone(product.conditions()));
        StemSystem { system, conditions, remainder }
    }
}

impl<S: Observable> TransitionSystem for StemSystem<'_, '_, '_, S> {
    fn width(&self) -> Width {
        self.system.width()
    }

    fn identity_bits(&self) -> Vec<u32> {
        self.system.identity_bits()
    }

    fn expected_states(&self) -> Option<u64> {
        self.system.expected_states()
    }

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        self.system.initial_states()
    }

    #[inline]
    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        if self.remainder.finished.load(Ordering::Relaxed) {
            return Ok(());
        }
        let known = out.errors.len();
        self.system.successors(state, out)?;
        if out.errors.len() > known {
            // An unfinished step is a limit of the search and stays; errors of the program are
            // noted.
            let errors = out.errors.extract_if(known.., |(_, error)| !error.is_limit());
            errors.for_each(|(_, error)| self.remainder.monitor.note(&error));
        }
        Ok(())
    }

    fn is_valid_end(&self, _: &[u64]) -> bool {
        true
    }

    fn step(&self, code: StepCode) -> Step {
        self.system.step(code)
    }

    fn transition_count(&self) -> usize {
        self.system.transition_count()
    }
}

impl<S: Observable> Repackable for StemSystem<'_, '_, '_, S> {
    fn widened(&self, misfit: &Misfit) -> Self {
        let system = self.system.widened(misfit);
        let conditions = Arc::new(system.conditions(self.remainder.monitor.conditions()));
        StemSystem { system, conditions, remainder: self.remainder }
    }

    fn recoder(&self, narrow: &Self) -> Recoder {
        self.system.recoder(&narrow.system)
    }
}

impl<S: Observable> SearchObserver for StemSystem<'_, '_, '_, S> {
    /// The run stutters in this state forever, which counts as a transition.
    fn no_step_enabled(&self, _: &[u64]) {
        if self.remainder.monitor.stutters() && !self.remainder.finished.load(Ordering::Relaxed) {
            self.remainder.stuttering_states.add_one();
        }
    }

    #[inline]
    fn state_stored(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
        let remainder = self.remainder;
        remainder.stem_states.add_one();
        let mut letter = [0];
        let letter = &mut letter[..remainder.monitor.conditions().len().div_ceil(64)];
        match self.system.observe(&self.conditions, state, letter) {
            Err(error) => return out.push(error),
            Ok(()) if remainder.monitor.can_leave(letter) && remainder.depart(state, letter) => {
                out.push(RuntimeError::PropertyViolated);
            }
            Ok(()) => {}
        }
        if let Some(outside) = &remainder.outside
            && remainder.monitor.can_continue_elsewhere(letter)
        {
            outside.add_one();
        }
    }

    /// The remainder adopts the layout, too.
    fn layout_widened(&self, wide: &Self) {
        self.remainder.widen(&self.system, &wide.system, Arc::clone(&wide.conditions));
    }

    fn search_repeated(&self) {
        self.remainder.search_again();
    }
}
