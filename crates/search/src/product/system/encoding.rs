//! The words of a state of the product: where the automaton's state, the pause bit, the demon and
//! the marks are, and how states are re-encoded when the program's layout is widened.

use super::Product;
use lariat_ir::layout::{Field, Recoder};
use lariat_ir::observe::Observable;
use lariat_ir::system::{Misfit, Repackable, SearchObserver, Step, StepCode, TransitionSystem};
use std::sync::Arc;

impl<S: Observable> Product<'_, S> {
    /// The identity words of the program's state in a state of the product. They may include the
    /// automaton's state.
    #[inline]
    pub(in crate::product) fn program_words<'w>(&self, state: &'w [u64]) -> &'w [u64] {
        &state[self.offset..][..self.program_width.identity]
    }

    /// Appends the state of the product made of these identity words of the program and a state of
    /// the automaton.
    pub(in crate::product) fn combined(&self, words: &[u64], automaton: u32, out: &mut Vec<u64>) {
        let start = out.len();
        out.extend(std::iter::repeat_n(0, self.offset));
        out.extend_from_slice(words);
        self.set_automaton_state(&mut out[start..], automaton);
    }

    #[inline]
    pub(in crate::product) fn automaton_state(&self, state: &[u64]) -> u32 {
        self.automaton_state_by(|word| state[word])
    }

    /// The automaton's state in a state whose words are given by a function.
    #[inline]
    pub(in crate::product) fn automaton_state_by(&self, word: impl FnOnce(usize) -> u64) -> u32 {
        (word(self.automaton_field.word as usize) >> self.automaton_field.shift) as u32
            & ((1 << self.automaton_field.width) - 1)
    }

    #[inline]
    pub(in crate::product) fn set_automaton_state(&self, state: &mut [u64], automaton: u32) {
        let word = &mut state[self.automaton_field.word as usize];
        let field = ((1 << self.automaton_field.width) - 1) << self.automaton_field.shift;
        *word = *word & !field | u64::from(automaton) << self.automaton_field.shift;
    }

    #[inline]
    pub(super) fn is_waiting(&self, state: &[u64]) -> bool {
        state[self.automaton_field.word as usize]
            >> (self.automaton_field.shift + self.automaton_field.width)
            & 1
            == 1
    }

    /// The marks with which a state was reached.
    #[inline]
    pub(in crate::product) fn marks(&self, state: &[u64]) -> u64 {
        if self.marked { state[state.len() - 1] } else { 0 }
    }

    /// Sets the demon to its first or second state.
    pub(in crate::product) fn set_demon(&self, state: &mut [u64], second: bool) {
        let word = &mut state[self.automaton_field.word as usize];
        *word = *word & !self.demon_bit() | if second { self.demon_bit() } else { 0 };
    }

    pub(super) fn demon_bit(&self) -> u64 {
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
    pub(in crate::product) fn program_state(&self, state: &[u64], out: &mut Vec<u64>) {
        out.clear();
        out.extend_from_slice(&state[self.offset..self.offset + self.program_width.all]);
        if self.offset == 0 {
            out[self.automaton_field.word as usize] &= !self.own_bits();
        }
    }

    /// Appends a step and the state of the product after it.
    #[inline]
    pub(super) fn push(
        &self,
        out: &mut Vec<u64>,
        code: StepCode,
        words: &[u64],
        automaton: u32,
        marks: u64,
    ) {
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
