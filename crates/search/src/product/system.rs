//! Program × automaton as a system of its own, so that every search over systems is a search over products.
//!
//! A state of the product is a state of the program and one of the automaton, in spare bits of the program's words if there
//! are any, else in a word before them. The automaton moves first: it reads the state, then the program makes a step. Inside an
//! atomic sequence the automaton waits; a bit beside its state says so. Where nothing can move the run goes on forever in its last
//! state, and the automaton with it. Errors of the program's steps are noted and otherwise left to the check for errors;
//! a condition that has no value is an error of the product.

use super::monitor::{Monitor, Target};
use model::RuntimeError;
use model::layout::{Field, Recoder};
use model::observe::Observable;
use model::system::{Misfit, Step, StepCode, Successors, System, Width};
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// See the module.
pub struct Product<'m, S: Observable> {
    system: S,
    monitor: &'m Monitor,
    conditions: Arc<S::Conditions>,
    inner: Width,
    /// Where the automaton's state is, and in the bit above it whether the automaton waits.
    place: Field,
    /// Above that bit, where the demon of a search is part of the state: is it in its second state?
    demon: bool,
    /// 1 if the automaton has a word of its own, the first.
    offset: usize,
    /// Say in a last word with which marks a state was reached, and let conditions without a value be steps that fail.
    marked: bool,
    /// Once everything that follows is forbidden, nothing need follow. Not if it matters who moves then.
    absorbs: bool,
    may_fail: bool,
}

impl<S: Observable> fmt::Debug for Product<'_, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Product").field("place", &self.place).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Scratch {
    width: Width,
    state: Vec<u64>,
    successors: Successors,
    letter: Vec<u64>,
    targets: Vec<Target>,
}

thread_local! {
    /// Buffers of the innermost call; products are not nested.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The code of [`Step::STUTTER`].
const STUTTER: StepCode = StepCode(StepCode::RELEASE | 0xff);

impl<'m, S: Observable> Product<'m, S> {
    /// For searches over systems: the only errors are conditions without a value, and states from which everything the
    /// automaton could read is forbidden.
    pub fn new(system: S, monitor: &'m Monitor) -> Product<'m, S> {
        Product::make(system, monitor, false, false).absorbing()
    }

    /// The same, ending runs where everything that follows is forbidden.
    pub(super) fn absorbing(self) -> Product<'m, S> {
        Product { absorbs: self.monitor.stutters(), ..self }
    }

    pub(super) fn absorbs(&self) -> bool {
        self.absorbs
    }

    /// For searches that look at marks.
    pub(super) fn marked(system: S, monitor: &'m Monitor) -> Product<'m, S> {
        Product::make(system, monitor, true, false)
    }

    /// The same, with a demon that steps leave alone; see [`set_demon`](Self::set_demon).
    pub(super) fn with_demon(system: S, monitor: &'m Monitor) -> Product<'m, S> {
        Product::make(system, monitor, true, true)
    }

    fn make(system: S, monitor: &'m Monitor, marked: bool, demon: bool) -> Product<'m, S> {
        let conditions = Arc::new(system.conditions(monitor.conditions()));
        Product::with_conditions(system, monitor, conditions, marked, demon)
    }

    fn with_conditions(
        system: S,
        monitor: &'m Monitor,
        conditions: Arc<S::Conditions>,
        marked: bool,
        demon: bool,
    ) -> Product<'m, S> {
        let inner = system.width();
        let bits = system.identity_bits();
        let width = usize::BITS - monitor.states().saturating_sub(1).leading_zeros();
        let roomiest = bits.iter().enumerate().min_by_key(|(_, used)| **used);
        let (place, offset) = match roomiest {
            Some((word, used)) if used + width + u32::from(demon) < u64::BITS => (word, *used),
            _ => (0, u64::BITS),
        };
        let offset_words = usize::from(offset == u64::BITS);
        let shift = if offset_words == 1 { 0 } else { offset as u8 };
        let place = Field { word: place as u32, shift, width: width as u8, low: 0 };
        let may_fail = monitor.may_fail();
        Product {
            system,
            monitor,
            conditions,
            inner,
            place,
            demon,
            offset: offset_words,
            marked,
            absorbs: false,
            may_fail,
        }
    }

    pub fn system(&self) -> &S {
        &self.system
    }

    pub(super) fn conditions(&self) -> &Arc<S::Conditions> {
        &self.conditions
    }

    /// The same product with another layout of the program's states.
    pub(super) fn with_system(&self, system: S, conditions: Arc<S::Conditions>) -> Product<'m, S> {
        let other = Product::with_conditions(system, self.monitor, conditions, self.marked, self.demon);
        Product { absorbs: self.absorbs, ..other }
    }

    /// The same product, for whoever needs one of its own.
    pub(super) fn again(&self) -> Product<'m, S> {
        self.with_system(self.system.again(), Arc::clone(&self.conditions))
    }

    /// Which of the monitor's conditions hold in a state of the program.
    pub(super) fn letter(&self, program_state: &[u64], letter: &mut Vec<u64>) -> Result<(), RuntimeError> {
        letter.clear();
        letter.resize(self.monitor.conditions().len().div_ceil(64), 0);
        self.system.observe(&self.conditions, program_state, letter)
    }

    /// The width of the program's states.
    pub(super) fn program_width(&self) -> Width {
        self.inner
    }

    /// The words of the program's state that tell which it is, of a state of the product; the automaton's state may be among them.
    #[inline]
    pub(super) fn program_words<'w>(&self, state: &'w [u64]) -> &'w [u64] {
        &state[self.offset..][..self.inner.identity]
    }

    /// Appends a state of the product, given these words of the program's.
    pub(super) fn joined(&self, words: &[u64], automaton: u32, out: &mut Vec<u64>) {
        let start = out.len();
        out.extend(std::iter::repeat_n(0, self.offset));
        out.extend_from_slice(words);
        self.set_automaton_state(&mut out[start..], automaton);
    }

    pub(super) fn monitor(&self) -> &'m Monitor {
        self.monitor
    }

    /// The automaton's state.
    #[inline]
    pub(super) fn automaton_state(&self, state: &[u64]) -> u32 {
        self.automaton_state_by(|word| state[word])
    }

    /// The same, of a state whose words are asked for.
    #[inline]
    pub(super) fn automaton_state_by(&self, word: impl FnOnce(usize) -> u64) -> u32 {
        (word(self.place.word as usize) >> self.place.shift) as u32 & ((1 << self.place.width) - 1)
    }

    /// Puts the automaton into a state.
    #[inline]
    pub(super) fn set_automaton_state(&self, state: &mut [u64], automaton: u32) {
        let word = &mut state[self.place.word as usize];
        let field = ((1 << self.place.width) - 1) << self.place.shift;
        *word = *word & !field | u64::from(automaton) << self.place.shift;
    }

    #[inline]
    fn is_waiting(&self, state: &[u64]) -> bool {
        state[self.place.word as usize] >> (self.place.shift + self.place.width) & 1 == 1
    }

    /// The marks by which a state was reached.
    #[inline]
    pub(super) fn marks(&self, state: &[u64]) -> u64 {
        if self.marked { state[state.len() - 1] } else { 0 }
    }

    /// Puts the demon into its first or second state.
    pub(super) fn set_demon(&self, state: &mut [u64], second: bool) {
        let word = &mut state[self.place.word as usize];
        *word = *word & !self.demon_bit() | if second { self.demon_bit() } else { 0 };
    }

    fn demon_bit(&self) -> u64 {
        // Without a demon the word may end before its place.
        if self.demon { 1 << (self.place.shift + self.place.width + 1) } else { 0 }
    }

    /// The bits that are not the program's.
    fn own_bits(&self) -> u64 {
        ((2 << self.place.width) - 1) << self.place.shift | self.demon_bit()
    }

    /// Replaces `out` by the words of the program's state.
    #[inline]
    pub(super) fn program_state(&self, state: &[u64], out: &mut Vec<u64>) {
        out.clear();
        out.extend_from_slice(&state[self.offset..self.offset + self.inner.all]);
        if self.offset == 0 {
            out[self.place.word as usize] &= !self.own_bits();
        }
    }

    /// Appends a state of the product.
    #[inline]
    fn push(&self, out: &mut Vec<u64>, code: StepCode, words: &[u64], automaton: u32, marks: u64) {
        out.push(code.0);
        let start = out.len();
        out.extend(std::iter::repeat_n(0, self.offset));
        out.extend_from_slice(words);
        let waits = u64::from(code.is_transient()) << self.place.width;
        out[start + self.place.word as usize] |= (u64::from(automaton) | waits) << self.place.shift;
        if self.marked {
            out.push(marks);
        }
    }

    fn expand(&self, state: &[u64], out: &mut Successors, scratch: &mut Scratch) -> Result<(), Box<Misfit>> {
        let Scratch { width, state: inner, successors, letter, targets } = scratch;
        if *width != self.inner {
            (*width, *successors) = (self.inner, Successors::new(self.inner));
        }
        self.program_state(state, inner);
        let automaton = self.automaton_state(state);
        let waiting = self.is_waiting(state);
        if waiting {
            targets.clear();
            targets.push((automaton, self.monitor.all_marks() & self.marks(state)));
        } else {
            letter.clear();
            letter.resize(self.monitor.conditions().len().div_ceil(64), 0);
            if let Err(error) = self.system.observe(&self.conditions, inner, letter) {
                if self.marked {
                    let entry = out.len();
                    let refused = StepCode(StepCode::REFUSED | StepCode::STOPPED);
                    self.push(out.raw(), refused, inner, automaton, 0);
                    out.errors.push((entry, error));
                }
                return Ok(());
            }
            targets.clear();
            self.monitor.targets(automaton, letter, targets);
            if targets.is_empty() {
                return Ok(());
            }
            // Whether the program comes to another state does not matter any more.
            if self.absorbs
                && let Some(&(target, marks)) =
                    targets.iter().find(|(target, _)| self.monitor.is_universal(*target))
            {
                self.push(out.raw(), STUTTER, inner, target, marks);
                return Ok(());
            }
        }
        successors.clear();
        self.system.successors(inner, successors)?;
        for (_, error) in &successors.errors {
            if error.is_limit() {
                // The step is not finished, which ends the search.
                let entry = out.len();
                let refused = StepCode(StepCode::REFUSED | StepCode::STOPPED);
                self.push(out.raw(), refused, inner, automaton, 0);
                out.errors.push((entry, error.clone()));
                return Ok(());
            }
            self.monitor.note(error);
        }
        if !waiting && self.monitor.stutters() && successors.nothing_moves(0) {
            for &(target, marks) in targets.iter() {
                self.push(out.raw(), STUTTER, inner, target, marks);
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

impl<S: Observable> System for Product<'_, S> {
    fn width(&self) -> Width {
        Width {
            identity: self.inner.identity + self.offset,
            all: self.inner.all + self.offset + usize::from(self.marked),
        }
    }

    fn identity_bits(&self) -> Vec<u32> {
        let mut bits = vec![0; self.offset];
        bits.extend(self.system.identity_bits());
        // In a state that is stored nobody waits; but the bit for that lies before the demon's.
        let behind = if self.demon { 2 } else { 0 };
        bits[self.place.word as usize] = u32::from(self.place.shift + self.place.width) + behind;
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
        if state[self.place.word as usize] & self.demon_bit() != 0 {
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
                let seen = self.system.observe(&self.conditions, &scratch.state, &mut scratch.letter);
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

    fn is_state(&self, words: &[u64]) -> bool {
        if words.len() != self.width().all || self.automaton_state(words) as usize >= self.monitor.states() {
            return false;
        }
        let mut program = Vec::new();
        self.program_state(words, &mut program);
        self.system.is_state(&program)
    }

    fn has_step(&self, step: &Step) -> bool {
        self.system.has_step(step)
    }

    fn is_spelled_state(&self, state: &model::State) -> bool {
        self.system.is_spelled_state(state)
    }

    fn widened(&self, misfit: &Misfit) -> Self {
        let system = self.system.widened(misfit);
        let conditions = Arc::new(system.conditions(self.monitor.conditions()));
        self.with_system(system, conditions)
    }

    fn recoder(&self, narrow: &Self) -> Recoder {
        let inner = self.system.recoder(&narrow.system);
        // With the bits that say whether the automaton waits, and where the demon is.
        let with_bit = |field: Field| Field { width: field.width + 1 + u8::from(self.demon), ..field };
        let offsets = (narrow.offset, self.offset);
        inner.within(offsets, self.width().all, with_bit(narrow.place), with_bit(self.place))
    }
}
