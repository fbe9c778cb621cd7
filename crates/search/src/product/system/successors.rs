//! The steps of the product.

use super::Product;
use crate::product::monitor::AutomatonTarget;
use lariat_ir::RuntimeError;
use lariat_ir::observe::Observable;
use lariat_ir::system::{Misfit, Step, StepCode, Successors, TransitionSystem, Width};
use std::cell::RefCell;

#[derive(Default)]
struct ProductScratch {
    width: Width,
    state: Vec<u64>,
    successors: Successors,
    letter: Vec<u64>,
    targets: Vec<AutomatonTarget>,
}

thread_local! {
    /// Buffers of the innermost call; products are not nested.
    static SCRATCH: RefCell<ProductScratch> = RefCell::default();
}

/// The code of [`Step::STUTTER`].
const STUTTER: StepCode = StepCode(StepCode::RELEASE | 0xff);

impl<S: Observable> Product<'_, S> {
    fn expand(
        &self,
        state: &[u64],
        out: &mut Successors,
        scratch: &mut ProductScratch,
    ) -> Result<(), Box<Misfit>> {
        let ProductScratch { width, state: program, successors, letter, targets } = scratch;
        if *width != self.program_width {
            (*width, *successors) = (self.program_width, Successors::new(self.program_width));
        }
        self.program_state(state, program);
        let automaton = self.automaton_state(state);
        let waiting = self.is_waiting(state);
        if waiting {
            targets.clear();
            targets.push((automaton, self.monitor.all_marks() & self.marks(state)));
        } else {
            letter.clear();
            letter.resize(self.monitor.conditions().len().div_ceil(64), 0);
            if let Err(error) = self.system.observe(&self.conditions, program, letter) {
                if self.marked {
                    let entry = out.len();
                    let refused = StepCode(StepCode::REFUSED | StepCode::STOPPED);
                    self.push(out.raw(), refused, program, automaton, 0);
                    out.errors.push((entry, error));
                }
                return Ok(());
            }
            targets.clear();
            self.monitor.targets(automaton, letter, targets);
            if targets.is_empty() {
                return Ok(());
            }
            // Further steps of the program cannot change the verdict.
            if self.absorbs()
                && let Some(&(target, marks)) = targets
                    .iter()
                    .find(|(target, _)| self.absorption.ends_in(self.monitor, *target))
            {
                self.push(out.raw(), STUTTER, program, target, marks);
                return Ok(());
            }
        }
        successors.clear();
        self.system.successors(program, successors)?;
        for (_, error) in &successors.errors {
            if error.is_limit() {
                // The step exceeded a limit, so its outcome is unknown: the search stops here.
                let entry = out.len();
                let refused = StepCode(StepCode::REFUSED | StepCode::STOPPED);
                self.push(out.raw(), refused, program, automaton, 0);
                out.errors.push((entry, error.clone()));
                return Ok(());
            }
            self.monitor.note(error);
        }
        if !waiting && self.monitor.stutters() && successors.nothing_moves(0) {
            for &(target, marks) in targets.iter() {
                self.push(out.raw(), STUTTER, program, target, marks);
            }
            return Ok(());
        }
        for index in 0..successors.len() {
            let code = successors.code(index);
            if code.is_refused() || code.is_stopped() {
                continue;
            }
            for &(target, marks) in targets.iter() {
                self.push(out.raw(), code, successors.state(index), target, marks);
            }
        }
        Ok(())
    }
}

impl<S: Observable> TransitionSystem for Product<'_, S> {
    fn width(&self) -> Width {
        Width {
            identity: self.program_width.identity + self.offset,
            all: self.program_width.all + self.offset + usize::from(self.marked),
        }
    }

    fn identity_bits(&self) -> Vec<u32> {
        let mut bits = vec![0; self.offset];
        bits.extend(self.system.identity_bits());
        // The pause bit is never set in a stored state, but the demon's bit is above it.
        let behind = if self.demon { 2 } else { 0 };
        bits[self.automaton_field.word as usize] =
            u32::from(self.automaton_field.shift + self.automaton_field.width) + behind;
        bits
    }

    fn expected_states(&self) -> Option<u64> {
        self.system.expected_states()
    }

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        let Some(start) = self.monitor.initial() else { return Ok(Vec::new()) };
        let states = self.system.initial_states()?;
        let product = |words: Vec<u64>| {
            let mut state = Vec::new();
            self.push(&mut state, StepCode(0), &words, start, 0);
            state.remove(0);
            state
        };
        Ok(states.into_iter().map(product).collect())
    }

    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        let start = out.len();
        SCRATCH.with_borrow_mut(|scratch| self.expand(state, out, scratch))?;
        if state[self.automaton_field.word as usize] & self.demon_bit() != 0 {
            let entry = self.width().all + 1;
            let entries = out.raw()[start * entry..].chunks_exact_mut(entry);
            entries.for_each(|entry| self.set_demon(&mut entry[1..], true));
        }
        Ok(())
    }

    fn is_valid_end(&self, _: &[u64]) -> bool {
        true
    }

    fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
        if self.monitor.is_universal(self.automaton_state(state)) {
            out.push(RuntimeError::PropertyViolated);
        } else if self.may_fail {
            SCRATCH.with_borrow_mut(|scratch| {
                self.program_state(state, &mut scratch.state);
                scratch.letter.clear();
                scratch.letter.resize(self.monitor.conditions().len().div_ceil(64), 0);
                let seen =
                    self.system.observe(&self.conditions, &scratch.state, &mut scratch.letter);
                out.extend(seen.err());
            });
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
}
