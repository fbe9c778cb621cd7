//! The expansion step that all searches share.
//!
//! An [`Expander`] generates the successors of a state, passes through atomic sequences, counts in
//! a [`Tally`], and collects errors. A [`SuccessorSink`] decides what becomes of each successor:
//! the parallel search filters them in place, [`Expansion`] lists those of one state for the
//! single-threaded searches, and [`nth_successor`] looks for one of them.
//!
//! A successor here is a state to store. The successors of a state are numbered in the order in
//! which they are generated; that order never changes.

use crate::outcome::Run;
use crate::reach::atomic::{
    AtomicWalk, ExpansionError, LoopDetector, SuccessorVisitor, check_finished,
};
use crate::reach::tally::Tally;
use lariat_ir::RuntimeError;
use lariat_ir::system::{StepCode, Successors, System, Width};
use rapidhash::fast::GlobalState;
use std::hash::BuildHasher;
use std::sync::atomic::AtomicBool;

/// Errors of an expanded state, each with the steps from that state to the error.
pub(crate) type FoundErrors = Vec<(RuntimeError, Vec<StepCode>)>;

/// Receives the successors of an expanded state.
pub(crate) trait SuccessorSink {
    /// Whether [`after_atomic`](Self::after_atomic) uses its `codes`.
    const NEEDS_CODES: bool;

    /// The successor with this number is one step away. Its entry, the step's code and the words of
    /// the state, begins at word `at` of `entries`; the words before `at` may be overwritten.
    fn direct(&mut self, entries: &mut [u64], at: usize, number: u32, tally: &mut Tally);

    /// The successor with this number is reached through an atomic sequence.
    fn after_atomic(
        &mut self,
        state: &[u64],
        codes: &[StepCode],
        moves: u64,
        number: u32,
        tally: &mut Tally,
    );

    /// Whether no further successor is needed.
    fn is_done(&self) -> bool {
        false
    }
}

/// Generates successors.
#[derive(Debug)]
pub(crate) struct Expander {
    stride: usize,
    /// The generated entries; each expansion appends to them.
    pub generated: Successors,
    walk: AtomicWalk,
    /// The errors found; each expansion appends to them.
    pub errors: FoundErrors,
}

impl Expander {
    pub fn new(width: Width) -> Expander {
        Expander {
            stride: width.all + 1,
            generated: Successors::new(width),
            walk: AtomicWalk::new(width),
            errors: FoundErrors::new(),
        }
    }

    /// Expands a state; whether some transition is enabled in it. After an error, `generated`,
    /// `errors`, `tally` and `sink` may have entries of this state.
    #[inline]
    pub fn expand<S: System, K: SuccessorSink>(
        &mut self,
        system: &S,
        state: &[u64],
        stop: &AtomicBool,
        tally: &mut Tally,
        sink: &mut K,
    ) -> Result<bool, ExpansionError> {
        let (stride, errors_before) = (self.stride, self.errors.len());
        let first = self.generated.raw().len();
        system.successors(state, &mut self.generated)?;
        check_finished(&self.generated)?;
        let errors = std::mem::take(&mut self.generated.errors);
        let entries = self.generated.raw();
        let (mut count, mut enabled) = (0, false);
        let mut loops = None;
        for at in (first..entries.len()).step_by(stride) {
            let code = StepCode(entries[at]);
            if !errors.is_empty() {
                let here = errors.iter().filter(|(entry, _)| entry * stride == at);
                self.errors.extend(here.map(|(_, error)| (error.clone(), vec![code])));
            }
            if code.0 & (StepCode::STOPPED | StepCode::TRANSIENT) == 0 && !code.is_refused() {
                enabled = true;
                tally.coverage.mark(code);
                sink.direct(entries, at, count, tally);
                count += 1;
            } else {
                enabled |= !code.is_refused();
                if code.is_stopped() || code.is_refused() {
                    continue;
                }
                tally.coverage.mark(code);
                tally.atomic_steps += 1;
                let mut visitor =
                    SinkVisitor { sink, tally, count: &mut count, errors: &mut self.errors };
                let state = &entries[at + 1..at + stride];
                let loops = loops.get_or_insert_with(LoopDetector::default);
                self.walk.through(system, state, code, loops, stop, &mut visitor)?;
            }
            if sink.is_done() {
                break;
            }
        }
        tally.transitions += u64::from(count);
        if !enabled {
            system.no_step_enabled(state);
            if !system.is_valid_end(state) {
                self.errors.insert(errors_before, (RuntimeError::InvalidEndState, Vec::new()));
            }
        }
        Ok(enabled)
    }
}

/// Passes the events of a walk through atomic sequences to a sink.
struct SinkVisitor<'a, K> {
    sink: &'a mut K,
    tally: &'a mut Tally,
    /// Successors found so far.
    count: &'a mut u32,
    errors: &'a mut FoundErrors,
}

impl<K: SuccessorSink> SuccessorVisitor for SinkVisitor<'_, K> {
    const NEEDS_CODES: bool = K::NEEDS_CODES;

    #[inline]
    fn taken(&mut self, code: StepCode) {
        self.tally.coverage.mark(code);
    }

    #[inline]
    fn atomic(&mut self) {
        self.tally.atomic_steps += 1;
    }

    #[inline]
    fn arrival(&mut self, state: &[u64], codes: &[StepCode], moves: u64) {
        self.sink.after_atomic(state, codes, moves, *self.count, self.tally);
        *self.count += 1;
    }

    fn error(&mut self, error: &RuntimeError, codes: &[StepCode]) {
        self.errors.push((error.clone(), codes.to_vec()));
    }

    fn endless(&mut self) {
        self.tally.endless_atomic = true;
    }

    fn is_done(&self) -> bool {
        self.sink.is_done()
    }
}

/// The successors of one state, in order: for each the number of moves, then the words of the
/// state. With `LABELLED` they also have labels.
#[derive(Debug)]
pub(crate) struct Expansion<const LABELLED: bool = false> {
    stride: usize,
    expander: Expander,
    list: SuccessorList<LABELLED>,
    /// Whether no transition is enabled in the state expanded last.
    blocked: bool,
    pub errors: FoundErrors,
}

impl<const LABELLED: bool> Expansion<LABELLED> {
    pub fn new(width: Width) -> Self {
        Expansion {
            stride: width.all + 1,
            expander: Expander::new(width),
            list: SuccessorList { entries: Vec::new(), labels: Vec::new(), stride: width.all + 1 },
            blocked: true,
            errors: FoundErrors::new(),
        }
    }

    /// Words of an entry of [`successors`](Self::successors).
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Whether no transition is enabled in the state expanded last.
    pub fn is_blocked(&self) -> bool {
        self.blocked
    }

    pub fn successors(&self) -> &[u64] {
        &self.list.entries
    }

    /// A label for each successor: a hash of the steps that lead to it. The same steps have the
    /// same label in every state; different steps have different labels, except by collision.
    pub fn labels(&self) -> &[u64] {
        &self.list.labels
    }

    /// Moves the successors out, for use while the expansion is borrowed.
    pub fn take_successors(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.list.entries)
    }

    /// Returns a list that was taken, to reuse its memory.
    pub fn restore(&mut self, successors: Vec<u64>) {
        self.list.entries = successors;
    }

    /// Expands a state, counting in `tally`.
    pub fn expand<S: System>(
        &mut self,
        system: &S,
        state: &[u64],
        tally: &mut Tally,
        stop: &AtomicBool,
    ) -> Result<(), ExpansionError> {
        self.clear();
        self.append(system, state, tally, stop)
    }

    /// Adds a successor that takes no move.
    pub fn push_unmoved(&mut self, state: &[u64]) {
        self.list.push(0, state);
    }

    pub fn clear(&mut self) {
        self.list.entries.clear();
        self.list.labels.clear();
        self.errors.clear();
    }

    /// Expands a state, keeping the successors and errors of states expanded before.
    pub fn append<S: System>(
        &mut self,
        system: &S,
        state: &[u64],
        tally: &mut Tally,
        stop: &AtomicBool,
    ) -> Result<(), ExpansionError> {
        self.expander.generated.clear();
        self.expander.errors.clear();
        let expanded = self.expander.expand(system, state, stop, tally, &mut self.list);
        self.errors.append(&mut self.expander.errors);
        self.blocked = !expanded?;
        Ok(())
    }
}

#[derive(Debug)]
struct SuccessorList<const LABELLED: bool> {
    entries: Vec<u64>,
    labels: Vec<u64>,
    stride: usize,
}

impl<const LABELLED: bool> SuccessorList<LABELLED> {
    #[inline]
    fn push(&mut self, moves: u64, state: &[u64]) {
        // Copying a few words one by one is faster than calling `memcpy`.
        match *state {
            [a] => self.entries.extend_from_slice(&[moves, a]),
            [a, b] => self.entries.extend_from_slice(&[moves, a, b]),
            [a, b, c] => self.entries.extend_from_slice(&[moves, a, b, c]),
            _ => {
                self.entries.push(moves);
                self.entries.extend_from_slice(state);
            }
        }
    }
}

impl<const LABELLED: bool> SuccessorSink for SuccessorList<LABELLED> {
    const NEEDS_CODES: bool = LABELLED;

    #[inline]
    fn direct(&mut self, entries: &mut [u64], at: usize, _: u32, _: &mut Tally) {
        let code = StepCode(entries[at]);
        if LABELLED {
            self.labels.push(code.0);
        }
        self.push(code.weight(), &entries[at + 1..at + self.stride]);
    }

    #[inline]
    fn after_atomic(
        &mut self,
        state: &[u64],
        codes: &[StepCode],
        moves: u64,
        _: u32,
        _: &mut Tally,
    ) {
        if LABELLED {
            self.labels.push(GlobalState::new().hash_one(codes));
        }
        self.push(moves, state);
    }
}

/// The successor of `state` with this number, and the steps to it.
pub(crate) fn nth_successor<S: System>(
    system: &S,
    state: &[u64],
    number: u32,
) -> Option<(Vec<StepCode>, Vec<u64>)> {
    let width = system.width();
    let mut sink = NthSuccessor { number, stride: width.all + 1, found: None };
    let (stop, mut tally) = (AtomicBool::new(false), Tally::default());
    Expander::new(width).expand(system, state, &stop, &mut tally, &mut sink).ok()?;
    sink.found
}

struct NthSuccessor {
    number: u32,
    stride: usize,
    found: Option<(Vec<StepCode>, Vec<u64>)>,
}

impl SuccessorSink for NthSuccessor {
    const NEEDS_CODES: bool = true;

    fn direct(&mut self, entries: &mut [u64], at: usize, number: u32, _: &mut Tally) {
        if number == self.number {
            let state = entries[at + 1..at + self.stride].to_vec();
            self.found = Some((vec![StepCode(entries[at])], state));
        }
    }

    fn after_atomic(
        &mut self,
        state: &[u64],
        codes: &[StepCode],
        _: u64,
        number: u32,
        _: &mut Tally,
    ) {
        if number == self.number {
            self.found = Some((codes.to_vec(), state.to_vec()));
        }
    }

    fn is_done(&self) -> bool {
        self.found.is_some()
    }
}

/// The run from an initial state through the successors with the numbers `choices`, extended by
/// the steps `codes`.
pub(crate) fn run_by_choices<S: System>(
    system: &S,
    initial: usize,
    choices: impl IntoIterator<Item = u32>,
    codes: &[StepCode],
) -> Option<Run> {
    let choices = choices.into_iter();
    let mut state = system.initial_states().ok()?.into_iter().nth(initial)?;
    let mut steps = Vec::with_capacity(choices.size_hint().0);
    for number in choices {
        let (codes, next) = nth_successor(system, &state, number)?;
        steps.extend(codes.iter().map(|code| system.step(*code)));
        state = next;
    }
    steps.extend(codes.iter().map(|code| system.step(*code)));
    Some(Run { initial, steps })
}
