//! Program × automaton as a system, so that every search over systems is a search over products.
//!
//! A state of the product is a state of the program and one of the automaton. The latter is stored
//! in unused bits of the program's words if there are enough, otherwise in an additional first
//! word. The automaton moves first: it reads the state, then the program makes a step. Inside an
//! atomic sequence the automaton pauses, which a bit next to its state records. Where nothing can
//! move, the run stutters forever in its last state, and the automaton with it. Errors of the
//! program's steps are noted; the check for errors reports them. A condition without a value is an
//! error of the product.

use crate::product::monitor::{AutomatonTarget, Monitor};
use lariat_ir::RuntimeError;
use lariat_ir::layout::{Field, Recoder};
use lariat_ir::observe::Observable;
use lariat_ir::system::{
    Misfit, Repackable, SearchObserver, Step, StepCode, Successors, TransitionSystem, Width,
};
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// The product of a program and a [`Monitor`].
pub struct Product<'m, S: Observable> {
    system: S,
    monitor: &'m Monitor,
    conditions: Arc<S::Conditions>,
    program_width: Width,
    /// The field of the automaton's state. The bit above it is set while the automaton pauses.
    automaton_field: Field,
    /// Is the demon of `magic` part of the state? Its bit is above the pause bit.
    demon: bool,
    /// 1 if the automaton has a word of its own, the first.
    offset: usize,
    /// An additional last word holds the marks with which a state was reached, and a condition
    /// without a value is a failing step.
    marked: bool,
    absorption: Absorption,
    may_fail: bool,
}

/// The automaton states in which runs of the product end, because every continuation is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absorption {
    /// None: fairness depends on the steps that follow.
    Never,
    /// States that accept every word, of an automaton of the forbidden runs.
    Universal,
    /// Also states that accept no word, of a deterministic automaton of the allowed runs.
    UniversalOrRejecting,
}

impl Absorption {
    #[inline]
    pub fn ends_in(self, monitor: &Monitor, automaton: u32) -> bool {
        match self {
            Absorption::Never => false,
            Absorption::Universal => monitor.is_universal(automaton),
            Absorption::UniversalOrRejecting => {
                monitor.is_universal(automaton) || monitor.absorbing(automaton) == Some(0)
            }
        }
    }
}

/// The data that a state of the product has besides the states of program and automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProductKind {
    Unmarked,
    Marked,
    MarkedWithDemon,
}

impl<S: Observable> fmt::Debug for Product<'_, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Product")
            .field("automaton_field", &self.automaton_field)
            .finish_non_exhaustive()
    }
}

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

impl<'m, S: Observable> Product<'m, S> {
    /// For searches over systems. The only errors are conditions without a value, and states from
    /// which every continuation is forbidden.
    pub fn new(system: S, monitor: &'m Monitor) -> Product<'m, S> {
        Product::make(system, monitor, ProductKind::Unmarked).absorbing()
    }

    /// Lets runs end where every continuation is forbidden.
    pub(super) fn absorbing(self) -> Product<'m, S> {
        let absorption =
            if self.monitor.stutters() { Absorption::Universal } else { Absorption::Never };
        Product { absorption, ..self }
    }

    /// Lets runs end where every continuation is forbidden by a deterministic automaton of the
    /// allowed runs, too.
    pub(super) fn absorbing_rejection(self) -> Product<'m, S> {
        match self.absorption {
            Absorption::Never => self,
            _ => Product { absorption: Absorption::UniversalOrRejecting, ..self },
        }
    }

    pub(super) fn absorbs(&self) -> bool {
        self.absorption != Absorption::Never
    }

    pub(super) fn absorption(&self) -> Absorption {
        self.absorption
    }

    /// For searches that use marks.
    pub(super) fn marked(system: S, monitor: &'m Monitor) -> Product<'m, S> {
        Product::make(system, monitor, ProductKind::Marked)
    }

    /// For searches that use marks, with a demon that no step changes; see
    /// [`set_demon`](Self::set_demon).
    pub(super) fn with_demon(system: S, monitor: &'m Monitor) -> Product<'m, S> {
        Product::make(system, monitor, ProductKind::MarkedWithDemon)
    }

    fn make(system: S, monitor: &'m Monitor, kind: ProductKind) -> Product<'m, S> {
        let conditions = Arc::new(system.conditions(monitor.conditions()));
        Product::with_conditions(system, monitor, conditions, kind)
    }

    fn with_conditions(
        system: S,
        monitor: &'m Monitor,
        conditions: Arc<S::Conditions>,
        kind: ProductKind,
    ) -> Product<'m, S> {
        let (marked, demon) = (kind != ProductKind::Unmarked, kind == ProductKind::MarkedWithDemon);
        let program_width = system.width();
        let bits = system.identity_bits();
        let width = usize::BITS - monitor.states().saturating_sub(1).leading_zeros();
        let roomiest = bits.iter().enumerate().min_by_key(|(_, used)| **used);
        let (word, offset) = match roomiest {
            Some((word, used)) if used + width + u32::from(demon) < u64::BITS => (word, *used),
            _ => (0, u64::BITS),
        };
        let offset_words = usize::from(offset == u64::BITS);
        let shift = if offset_words == 1 { 0 } else { offset as u8 };
        let automaton_field = Field { word: word as u32, shift, width: width as u8, low: 0 };
        let may_fail = monitor.may_fail();
        Product {
            system,
            monitor,
            conditions,
            program_width,
            automaton_field,
            demon,
            offset: offset_words,
            marked,
            absorption: Absorption::Never,
            may_fail,
        }
    }

    /// The program.
    pub fn system(&self) -> &S {
        &self.system
    }

    pub(super) fn conditions(&self) -> &Arc<S::Conditions> {
        &self.conditions
    }

    /// The product with another layout of the program's states.
    pub(super) fn with_system(&self, system: S, conditions: Arc<S::Conditions>) -> Product<'m, S> {
        let kind = match (self.marked, self.demon) {
            (false, _) => ProductKind::Unmarked,
            (true, false) => ProductKind::Marked,
            (true, true) => ProductKind::MarkedWithDemon,
        };
        let other = Product::with_conditions(system, self.monitor, conditions, kind);
        Product { absorption: self.absorption, ..other }
    }

    /// A copy of the product.
    pub(super) fn again(&self) -> Product<'m, S> {
        self.with_system(self.system.again(), Arc::clone(&self.conditions))
    }

    /// Computes the values of the monitor's conditions in a state of the program.
    pub(super) fn letter(
        &self,
        program_state: &[u64],
        letter: &mut Vec<u64>,
    ) -> Result<(), RuntimeError> {
        letter.clear();
        letter.resize(self.monitor.conditions().len().div_ceil(64), 0);
        self.system.observe(&self.conditions, program_state, letter)
    }

    /// The width of the program's states.
    pub(super) fn program_width(&self) -> Width {
        self.program_width
    }

    /// The identity words of the program's state in a state of the product. They may include the
    /// automaton's state.
    #[inline]
    pub(super) fn program_words<'w>(&self, state: &'w [u64]) -> &'w [u64] {
        &state[self.offset..][..self.program_width.identity]
    }

    /// Appends the state of the product made of these identity words of the program and a state of
    /// the automaton.
    pub(super) fn combined(&self, words: &[u64], automaton: u32, out: &mut Vec<u64>) {
        let start = out.len();
        out.extend(std::iter::repeat_n(0, self.offset));
        out.extend_from_slice(words);
        self.set_automaton_state(&mut out[start..], automaton);
    }

    pub(super) fn monitor(&self) -> &'m Monitor {
        self.monitor
    }

    #[inline]
    pub(super) fn automaton_state(&self, state: &[u64]) -> u32 {
        self.automaton_state_by(|word| state[word])
    }

    /// The automaton's state in a state whose words are given by a function.
    #[inline]
    pub(super) fn automaton_state_by(&self, word: impl FnOnce(usize) -> u64) -> u32 {
        (word(self.automaton_field.word as usize) >> self.automaton_field.shift) as u32
            & ((1 << self.automaton_field.width) - 1)
    }

    #[inline]
    pub(super) fn set_automaton_state(&self, state: &mut [u64], automaton: u32) {
        let word = &mut state[self.automaton_field.word as usize];
        let field = ((1 << self.automaton_field.width) - 1) << self.automaton_field.shift;
        *word = *word & !field | u64::from(automaton) << self.automaton_field.shift;
    }

    #[inline]
    fn is_waiting(&self, state: &[u64]) -> bool {
        state[self.automaton_field.word as usize]
            >> (self.automaton_field.shift + self.automaton_field.width)
            & 1
            == 1
    }

    /// The marks with which a state was reached.
    #[inline]
    pub(super) fn marks(&self, state: &[u64]) -> u64 {
        if self.marked { state[state.len() - 1] } else { 0 }
    }

    /// Sets the demon to its first or second state.
    pub(super) fn set_demon(&self, state: &mut [u64], second: bool) {
        let word = &mut state[self.automaton_field.word as usize];
        *word = *word & !self.demon_bit() | if second { self.demon_bit() } else { 0 };
    }

    fn demon_bit(&self) -> u64 {
        // Without a demon, the shift may exceed the word.
        if self.demon {
            1 << (self.automaton_field.shift + self.automaton_field.width + 1)
        } else {
            0
        }
    }

    /// The bits that do not belong to the program.
    fn own_bits(&self) -> u64 {
        ((2 << self.automaton_field.width) - 1) << self.automaton_field.shift | self.demon_bit()
    }

    /// Replaces `out` with the words of the program's state.
    #[inline]
    pub(super) fn program_state(&self, state: &[u64], out: &mut Vec<u64>) {
        out.clear();
        out.extend_from_slice(&state[self.offset..self.offset + self.program_width.all]);
        if self.offset == 0 {
            out[self.automaton_field.word as usize] &= !self.own_bits();
        }
    }

    /// Appends a step and the state of the product after it.
    #[inline]
    fn push(&self, out: &mut Vec<u64>, code: StepCode, words: &[u64], automaton: u32, marks: u64) {
        out.push(code.0);
        let start = out.len();
        out.extend(std::iter::repeat_n(0, self.offset));
        out.extend_from_slice(words);
        let waits = u64::from(code.is_transient()) << self.automaton_field.width;
        out[start + self.automaton_field.word as usize] |=
            (u64::from(automaton) | waits) << self.automaton_field.shift;
        if self.marked {
            out.push(marks);
        }
    }

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
                // An unfinished step ends the search.
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

impl<S: Observable> Repackable for Product<'_, S> {
    fn is_state(&self, words: &[u64]) -> bool {
        if words.len() != self.width().all
            || self.automaton_state(words) as usize >= self.monitor.states()
        {
            return false;
        }
        let mut program = Vec::new();
        self.program_state(words, &mut program);
        self.system.is_state(&program)
    }

    fn has_step(&self, step: &Step) -> bool {
        self.system.has_step(step)
    }

    fn is_unpacked_state(&self, state: &lariat_ir::State) -> bool {
        self.system.is_unpacked_state(state)
    }

    fn widened(&self, misfit: &Misfit) -> Self {
        let system = self.system.widened(misfit);
        let conditions = Arc::new(system.conditions(self.monitor.conditions()));
        self.with_system(system, conditions)
    }

    fn recoder(&self, narrow: &Self) -> Recoder {
        let recoder = self.system.recoder(&narrow.system);
        // Includes the pause bit and the demon's bit.
        let with_bit =
            |field: Field| Field { width: field.width + 1 + u8::from(self.demon), ..field };
        let offsets = (narrow.offset, self.offset);
        recoder.embedded(
            offsets,
            self.width().all,
            with_bit(narrow.automaton_field),
            with_bit(self.automaton_field),
        )
    }
}

impl<S: Observable> SearchObserver for Product<'_, S> {}
