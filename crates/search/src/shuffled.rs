//! A system whose successors come in another order: searches that miss different states, and find different errors first
//! (Holzmann, Joshi, Groce: Swarm verification techniques, 2011).

use model::RuntimeError;
use model::layout::Recoder;
use model::system::{Misfit, Step, StepCode, Successors, System, Width};
use rapidhash::v3::rapidhash_v3;

/// The order of successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    #[default]
    Given,
    Reversed,
    /// Permuted, in each state otherwise, but always in the same way.
    Random(u64),
}

/// The system in another order.
#[derive(Debug)]
pub struct Shuffled<S> {
    system: S,
    arrangement: Arrangement,
}

impl<S: System> Shuffled<S> {
    pub fn new(system: S, arrangement: Arrangement) -> Shuffled<S> {
        Shuffled { system, arrangement }
    }

    /// Where the successor at each place comes from.
    fn order(&self, state: &[u64], count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        match self.arrangement {
            Arrangement::Given => {}
            Arrangement::Reversed => order.reverse(),
            Arrangement::Random(seed) => {
                let bytes: Vec<u8> = state.iter().flat_map(|word| word.to_le_bytes()).collect();
                let mut random = rapidhash_v3(&bytes) ^ seed;
                for last in (1..count).rev() {
                    random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                    order.swap(last, ((random >> 33) % (last as u64 + 1)) as usize);
                }
            }
        }
        order
    }
}

impl<S: System> System for Shuffled<S> {
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
        let order = self.order(state, out.len() - first);
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

    fn is_state(&self, words: &[u64]) -> bool {
        self.system.is_state(words)
    }

    fn has_step(&self, step: &Step) -> bool {
        self.system.has_step(step)
    }

    fn is_spelled_state(&self, state: &model::State) -> bool {
        self.system.is_spelled_state(state)
    }

    fn widened(&self, misfit: &Misfit) -> Shuffled<S> {
        Shuffled { system: self.system.widened(misfit), arrangement: self.arrangement }
    }

    fn recoder(&self, narrow: &Shuffled<S>) -> Recoder {
        self.system.recoder(&narrow.system)
    }
}
