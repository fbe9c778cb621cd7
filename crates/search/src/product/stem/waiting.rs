//! The program as it is while the automaton waits.

use super::super::system::Product;
use super::crown::Shared;
use model::RuntimeError;
use model::layout::Recoder;
use model::observe::Observable;
use model::system::{Misfit, Step, StepCode, Successors, System, Width};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The program, as a system to be searched for errors. What goes wrong in it is not the property's business; that a state is followed by a lasso is
/// an error.
pub(super) struct Stem<'s, 'm, 'a, S: Observable> {
    system: S,
    conditions: Arc<S::Conditions>,
    shared: &'s Shared<'m, 'a, S>,
}

impl<'s, 'm, 'a, S: Observable> Stem<'s, 'm, 'a, S> {
    pub fn new(product: &Product<'m, S>, shared: &'s Shared<'m, 'a, S>) -> Stem<'s, 'm, 'a, S> {
        let (system, conditions) = (product.system().again(), Arc::clone(product.conditions()));
        Stem { system, conditions, shared }
    }
}

impl<S: Observable> System for Stem<'_, '_, '_, S> {
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
        if self.shared.over.load(Ordering::Relaxed) {
            return Ok(());
        }
        let known = out.errors.len();
        self.system.successors(state, out)?;
        if out.errors.len() > known {
            // An unfinished step is a limit of the search; errors are not the property's business.
            let met = out.errors.extract_if(known.., |(_, error)| !error.is_limit());
            met.for_each(|(_, error)| self.shared.monitor.note(&error));
        }
        Ok(())
    }

    /// Asked where nothing can move: the run goes on there forever, and that is a transition.
    fn is_valid_end(&self, _: &[u64]) -> bool {
        if self.shared.monitor.stutters() && !self.shared.over.load(Ordering::Relaxed) {
            self.shared.rests.add_one();
        }
        true
    }

    #[inline]
    fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
        let shared = self.shared;
        shared.met.add_one();
        let mut letter = [0];
        let letter = &mut letter[..shared.monitor.conditions().len().div_ceil(64)];
        match self.system.observe(&self.conditions, state, letter) {
            Err(error) => return out.push(error),
            Ok(()) if shared.monitor.leaves(letter) && shared.depart(state, letter) => {
                out.push(RuntimeError::PropertyViolated);
            }
            Ok(()) => {}
        }
        if let Some(outside) = &shared.outside
            && shared.monitor.goes_on_elsewhere(letter)
        {
            outside.add_one();
        }
    }

    fn has_invariants(&self) -> bool {
        true
    }

    fn step(&self, code: StepCode) -> Step {
        self.system.step(code)
    }

    fn transition_count(&self) -> usize {
        self.system.transition_count()
    }

    /// The crown takes over the layout.
    fn widened(&self, misfit: &Misfit) -> Self {
        let system = self.system.widened(misfit);
        let conditions = Arc::new(system.conditions(self.shared.monitor.conditions()));
        self.shared.widen(&self.system, &system, Arc::clone(&conditions));
        Stem { system, conditions, shared: self.shared }
    }

    fn recoder(&self, narrow: &Self) -> Recoder {
        self.system.recoder(&narrow.system)
    }
}
