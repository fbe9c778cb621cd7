//! A system with its successors in another order, for searches that omit different states and find
//! different errors first (Holzmann, Joshi, Groce: Swarm verification techniques, 2011).

use lariat_ir::RuntimeError;
use lariat_ir::layout::Recoder;
use lariat_ir::random::Lcg;
use lariat_ir::system::{
    Misfit, Repackable, SearchObserver, Step, StepCode, Successors, System, TransitionSystem, Width,
};
use rapidhash::v3::rapidhash_v3;

/// The order of successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SuccessorOrder {
    /// As the system generates them.
    #[default]
    Given,
    /// The last first.
    Reversed,
    /// A permutation that depends on the state and this seed only.
    Random(u64),
}

/// A system with its successors in another order.
#[derive(Debug)]
pub struct Shuffled<S> {
    system: S,
    order: SuccessorOrder,
}

impl<S: System> Shuffled<S> {
    /// Reorders the successors of `system`.
    pub fn new(system: S, order: SuccessorOrder) -> Shuffled<S> {
        Shuffled { system, order }
    }

    /// For each new position, the old position of its successor.
    fn permutation(&self, state: &[u64], count: usize) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..count).collect();
        match self.order {
            SuccessorOrder::Given => {}
            SuccessorOrder::Reversed => positions.reverse(),
            SuccessorOrder::Random(seed) => {
                let bytes: Vec<u8> = state.iter().flat_map(|word| word.to_le_bytes()).collect();
                let mut random = Lcg::new(rapidhash_v3(&bytes) ^ seed);
                for last in (1..count).rev() {
                    positions.swap(last, ((random.next_u64() >> 33) % (last as u64 + 1)) as usize);
                }
            }
        }
        positions
    }
}

impl<S: System> TransitionSystem for Shuffled<S> {
    fn expected_states(&self) -> Option<u64> {
        self.system.expected_states()
    }

    fn width(&self) -> Width {
        self.system.width()
    }

    fn identity_bits(&self) -> Vec<u32> {
        self.system.identity_bits()
    }

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        self.system.initial_states()
    }

    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        let first = out.len();
        self.system.successors(state, out)?;
        let order = self.permutation(state, out.len() - first);
        let given: Vec<(StepCode, Vec<u64>)> =
            (first..out.len()).map(|index| (out.code(index), out.state(index).to_vec())).collect();
        let errors = std::mem::take(&mut out.errors);
        out.truncate(first);
        for from in &order {
            let (code, state) = &given[*from];
            out.push(*code, state);
        }
        let place = |index: usize| match index.checked_sub(first) {
            Some(from) => first + order.iter().position(|other| *other == from).unwrap_or(from),
            None => index,
        };
        out.errors = errors.into_iter().map(|(index, error)| (place(index), error)).collect();
        Ok(())
    }

    fn is_valid_end(&self, state: &[u64]) -> bool {
        self.system.is_valid_end(state)
    }

    fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
        self.system.violated_invariants(state, out);
    }

    fn has_invariants(&self) -> bool {
        self.system.has_invariants()
    }

    fn step(&self, code: StepCode) -> Step {
        self.system.step(code)
    }

    fn transition_count(&self) -> usize {
        self.system.transition_count()
    }
}

impl<S: System> Repackable for Shuffled<S> {
    fn is_state(&self, words: &[u64]) -> bool {
        self.system.is_state(words)
    }

    fn has_step(&self, step: &Step) -> bool {
        self.system.has_step(step)
    }

    fn is_unpacked_state(&self, state: &lariat_ir::State) -> bool {
        self.system.is_unpacked_state(state)
    }

    fn widened(&self, misfit: &Misfit) -> Shuffled<S> {
        Shuffled { system: self.system.widened(misfit), order: self.order }
    }

    fn recoder(&self, narrow: &Shuffled<S>) -> Recoder {
        self.system.recoder(&narrow.system)
    }
}

impl<S: System> SearchObserver for Shuffled<S> {
    fn state_stored(&self, state: &[u64], errors: &mut Vec<RuntimeError>) {
        self.system.state_stored(state, errors);
    }

    fn no_step_enabled(&self, state: &[u64]) {
        self.system.no_step_enabled(state);
    }

    fn layout_widened(&self, wide: &Shuffled<S>) {
        self.system.layout_widened(&wide.system);
    }
}
