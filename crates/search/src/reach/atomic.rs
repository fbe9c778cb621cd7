//! The walk through atomic sequences, including sequences that never end.
//!
//! States inside an atomic sequence are not stored, so a loop there would be followed forever. A
//! repetition along the path from the last stored state is found by Brent's method (1980): the hash
//! of each state is compared with the hash of one earlier state, which is renewed at each power of
//! two. In a depth-first walk every infinite path repeats a state eventually. Only after a
//! repetition are the states after that stored state remembered and visited once each. Sequences
//! that end are never treated differently, so the counts are those of a plain search.

use crate::limits::Limit;
use crate::tuning::expansion::UNHASHED_STEPS;
use hashbrown::HashSet;
use lariat_ir::RuntimeError;
use lariat_ir::system::{Misfit, StepCode, Successors, System, Width};
use rapidhash::fast::GlobalState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, Ordering};

/// The position of a state on the path from the last stored state, which has position 0, and the
/// hash it is compared with.
#[derive(Clone, Copy, Debug, Default)]
struct PathPosition {
    position: u32,
    landmark: u64,
}

/// Detects loops in the atomic sequences that start in one stored state.
#[derive(Debug, Default)]
pub(crate) struct LoopDetector {
    /// The states visited since a repetition was found.
    seen: Option<HashSet<Box<[u64]>, GlobalState>>,
}

impl LoopDetector {
    /// The position of `state`, one step after `before`; `None` if `state` was visited already.
    #[inline]
    fn follow(&mut self, before: PathPosition, state: &[u64]) -> Option<PathPosition> {
        let next = PathPosition { position: before.position.saturating_add(1), ..before };
        if next.position < UNHASHED_STEPS && self.seen.is_none() {
            return Some(next);
        }
        self.follow_long(next, state)
    }

    fn follow_long(&mut self, mut next: PathPosition, state: &[u64]) -> Option<PathPosition> {
        if next.position >= UNHASHED_STEPS {
            let hash = GlobalState::new().hash_one(state);
            if next.position > UNHASHED_STEPS && hash == next.landmark && self.seen.is_none() {
                self.seen = Some(HashSet::default());
            }
            if next.position.is_power_of_two() {
                next.landmark = hash;
            }
        }
        match &mut self.seen {
            Some(seen) => seen.insert(state.into()).then_some(next),
            None => Some(next),
        }
    }
}

/// Receives the events of a walk through atomic sequences.
pub(crate) trait SuccessorVisitor {
    /// Whether [`arrival`](Self::arrival) uses its `codes`; otherwise they are not collected.
    const NEEDS_CODES: bool = true;
    /// A step was taken.
    fn taken(&mut self, code: StepCode);
    /// The step led to a state inside the sequence.
    fn atomic(&mut self);
    /// The step led to a state to store, by `codes` since the last stored state; `moves` is their
    /// total weight.
    fn arrival(&mut self, state: &[u64], codes: &[StepCode], moves: u64);
    /// The last of `codes` has an error.
    fn error(&mut self, error: &RuntimeError, codes: &[StepCode]);
    /// A sequence can run forever.
    fn endless(&mut self);
    /// Whether the walk can end early.
    fn is_done(&self) -> bool {
        false
    }
}

/// Why the expansion of a state was abandoned.
#[derive(Debug)]
pub(crate) enum ExpansionError {
    /// A successor does not fit the layout.
    Misfit(Box<Misfit>),
    /// The stop flag was raised.
    Stopped,
    /// A step did not end within this limit.
    Unfinished(Limit),
}

/// Fails if a step did not end within a limit.
#[inline]
pub(crate) fn check_finished(successors: &Successors) -> Result<(), ExpansionError> {
    match successors.errors.iter().find_map(|(_, error)| Limit::of(error)) {
        Some(limit) => Err(ExpansionError::Unfinished(limit)),
        None => Ok(()),
    }
}

impl From<Box<Misfit>> for ExpansionError {
    fn from(misfit: Box<Misfit>) -> ExpansionError {
        ExpansionError::Misfit(misfit)
    }
}

/// A state on the path of an [`AtomicWalk`].
#[derive(Clone, Copy, Debug)]
struct PathEntry {
    /// The step to the state.
    code: StepCode,
    position: PathPosition,
    /// Moves since the last stored state.
    moves: u64,
    /// The index in [`AtomicWalk::ahead`] of the state's first successor.
    first: usize,
}

/// A depth-first walk through states that are not stored.
#[derive(Debug)]
pub(crate) struct AtomicWalk {
    /// Words of an entry of `ahead`.
    stride: usize,
    /// The successors still to visit of the states on the path.
    ahead: Successors,
    /// The states passed through since the last stored one.
    path: Vec<PathEntry>,
    /// The steps to the current state, filled on demand.
    codes: Vec<StepCode>,
    state: Vec<u64>,
}

impl AtomicWalk {
    pub fn new(width: Width) -> AtomicWalk {
        AtomicWalk {
            stride: width.all + 1,
            ahead: Successors::new(width),
            path: Vec::new(),
            codes: Vec::new(),
            state: vec![0; width.all],
        }
    }

    /// Visits all paths from `state` to the next stored states. Precondition: `state` is inside an
    /// atomic sequence, and the step `code` leads to it from a stored state.
    pub fn through<S: System, V: SuccessorVisitor>(
        &mut self,
        system: &S,
        state: &[u64],
        code: StepCode,
        loops: &mut LoopDetector,
        stop: &AtomicBool,
        visitor: &mut V,
    ) -> Result<(), ExpansionError> {
        self.ahead.clear();
        self.path.clear();
        let Some(position) = loops.follow(PathPosition::default(), state) else {
            visitor.endless();
            return Ok(());
        };
        self.state.copy_from_slice(state);
        let mut top = PathEntry { code, position, moves: code.weight(), first: 0 };
        self.path.push(top);
        system.successors(&self.state, &mut self.ahead)?;
        check_finished(&self.ahead)?;
        loop {
            let ahead = self.ahead.raw();
            if ahead.len() == top.first {
                self.path.pop();
                match self.path.last() {
                    Some(entry) => top = *entry,
                    None => return Ok(()),
                }
                continue;
            }
            let at = ahead.len() - self.stride;
            let code = StepCode(ahead[at]);
            if !self.ahead.errors.is_empty() {
                self.report_errors(at, code, visitor);
            }
            let ahead = self.ahead.raw();
            if code.0 & StepCode::STOPPED != 0 || code.is_refused() {
                ahead.truncate(at);
                continue;
            }
            visitor.taken(code);
            let moves = top.moves + code.weight();
            let state = &ahead[at + 1..];
            if !code.is_transient() {
                if V::NEEDS_CODES {
                    collect_codes(&self.path, code, &mut self.codes);
                }
                visitor.arrival(state, &self.codes, moves);
                ahead.truncate(at);
                if visitor.is_done() {
                    return Ok(());
                }
                continue;
            }
            visitor.atomic();
            if stop.load(Ordering::Relaxed) {
                return Err(ExpansionError::Stopped);
            }
            let next = loops.follow(top.position, state);
            for (to, from) in self.state.iter_mut().zip(state) {
                *to = *from;
            }
            ahead.truncate(at);
            let Some(position) = next else {
                visitor.endless();
                continue;
            };
            top = PathEntry { code, position, moves, first: at };
            self.path.push(top);
            system.successors(&self.state, &mut self.ahead)?;
            check_finished(&self.ahead)?;
        }
    }

    /// Passes on the errors of the step in the last entry, which begins at word `at`.
    #[cold]
    fn report_errors(&mut self, at: usize, code: StepCode, visitor: &mut impl SuccessorVisitor) {
        collect_codes(&self.path, code, &mut self.codes);
        let index = at / self.stride;
        for (_, error) in self.ahead.errors.iter().filter(|(entry, _)| *entry == index) {
            visitor.error(error, &self.codes);
        }
        self.ahead.errors.retain(|(entry, _)| *entry < index);
    }
}

/// Collects the steps along a path, and `last`.
fn collect_codes(path: &[PathEntry], last: StepCode, codes: &mut Vec<StepCode>) {
    codes.clear();
    codes.extend(path.iter().map(|entry| entry.code));
    codes.push(last);
}
