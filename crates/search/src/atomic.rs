//! Getting through atomic sequences, even those that never end.
//!
//! States inside an atomic sequence are not stored, so a loop there would be followed forever. Along the
//! path from the last stored state a repetition is found as Brent (1980) does, with the hash of one
//! earlier state, renewed at each power of two: depth-first, a path that never ends repeats
//! itself in the end. Only then are the states behind that stored state remembered, and each visited once. No
//! terminating sequence is treated differently, so counts remain those of a plain search.

use hashbrown::HashSet;
use model::RuntimeError;
use model::system::{Misfit, StepCode, Successors, System, Width};
use rapidhash::fast::GlobalState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shorter sequences are not even hashed.
const UNWATCHED: u32 = 64;

/// The place of a state on the path since the last stored state, which has position 0.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    position: u32,
    landmark: u64,
}

/// Watches the atomic sequences that start in one stored state.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The states visited since a repetition was found.
    seen: Option<HashSet<Box<[u64]>, GlobalState>>,
}

impl Watch {
    /// The place of `state`, one step after `chain`; `None` if it need not be visited again.
    #[inline]
    fn follow(&mut self, chain: Chain, state: &[u64]) -> Option<Chain> {
        let mut next = Chain { position: chain.position.saturating_add(1), landmark: chain.landmark };
        if next.position >= UNWATCHED {
            let hash = GlobalState::new().hash_one(state);
            if next.position > UNWATCHED && hash == chain.landmark && self.seen.is_none() {
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

/// What is met on the way through atomic sequences.
pub(crate) trait Visitor {
    /// A step was taken.
    fn taken(&mut self, code: StepCode);
    /// It led to a state that is passed through.
    fn atomic(&mut self);
    /// It led to a state that is to be stored; `codes` are all steps since the last one of these, of so many moves.
    fn arrival(&mut self, state: &[u64], codes: &[StepCode], moves: u64);
    /// An error was met at the last of these steps.
    fn error(&mut self, error: &RuntimeError, codes: &[StepCode]);
    /// A sequence was found that can go on forever.
    fn endless(&mut self);
    /// Has the visitor seen enough?
    fn is_done(&self) -> bool {
        false
    }
}

/// Why a walk ended before its end.
#[derive(Debug)]
pub(crate) enum Broken {
    Misfit(Box<Misfit>),
    Stopped,
}

impl From<Box<Misfit>> for Broken {
    fn from(misfit: Box<Misfit>) -> Broken {
        Broken::Misfit(misfit)
    }
}

/// A state on the path.
#[derive(Clone, Copy, Debug)]
struct Place {
    chain: Chain,
    /// Moves since the last stored state.
    moves: u64,
}

/// A depth-first walk through states that are not stored: always on from the newest entry.
#[derive(Debug)]
pub(crate) struct Walk {
    /// Words of an entry of `ahead`.
    stride: usize,
    /// Where to go: successors of the states on the path.
    ahead: Successors,
    /// For each of these, which state of the path it comes from.
    parents: Vec<u32>,
    /// The states passed through since the last stored one.
    path: Vec<Place>,
    /// The steps to them, and then to the one looked at.
    codes: Vec<StepCode>,
    state: Vec<u64>,
}

impl Walk {
    pub fn new(width: Width) -> Walk {
        Walk {
            stride: width.all + 1,
            ahead: Successors::new(width),
            parents: Vec::new(),
            path: Vec::new(),
            codes: Vec::new(),
            state: Vec::new(),
        }
    }

    /// All ways from `state`, which is inside an atomic sequence and one step, `code`, from a stored state, to the next
    /// stored states.
    pub fn through<S: System>(
        &mut self,
        system: &S,
        state: &[u64],
        code: StepCode,
        watch: &mut Watch,
        stop: &AtomicBool,
        visitor: &mut impl Visitor,
    ) -> Result<(), Broken> {
        self.ahead.clear();
        self.parents.clear();
        self.path.clear();
        self.codes.clear();
        self.codes.push(code);
        self.state.clear();
        self.state.extend_from_slice(state);
        let mut start = Place { chain: Chain::default(), moves: code.weight() };
        match watch.follow(start.chain, state) {
            Some(chain) => start.chain = chain,
            None => {
                visitor.endless();
                return Ok(());
            }
        }
        self.enter(system, start)?;
        while let Some(parent) = self.parents.pop() {
            let parent = parent as usize;
            let place = self.ahead.raw().len() - self.stride;
            let code = StepCode(self.ahead.raw()[place]);
            self.codes.truncate(parent + 1);
            self.codes.push(code);
            if !self.ahead.errors.is_empty() {
                self.report(place, visitor);
            }
            if code.is_stopped() || code.is_refused() {
                self.ahead.raw().truncate(place);
                continue;
            }
            visitor.taken(code);
            let Place { chain, moves } = self.path[parent];
            let moves = moves + code.weight();
            let state = &self.ahead.raw()[place + 1..];
            if !code.is_transient() {
                visitor.arrival(state, &self.codes, moves);
                self.ahead.raw().truncate(place);
                if visitor.is_done() {
                    return Ok(());
                }
                continue;
            }
            visitor.atomic();
            if stop.load(Ordering::Relaxed) {
                return Err(Broken::Stopped);
            }
            let next = watch.follow(chain, state);
            for (to, from) in self.state.iter_mut().zip(state) {
                *to = *from;
            }
            self.ahead.raw().truncate(place);
            self.path.truncate(parent + 1);
            match next {
                Some(chain) => self.enter(system, Place { chain, moves })?,
                None => visitor.endless(),
            }
        }
        Ok(())
    }

    /// Goes on from `self.state`, which is the next place of the path.
    #[inline]
    fn enter<S: System>(&mut self, system: &S, place: Place) -> Result<(), Broken> {
        let parent = self.path.len() as u32;
        self.path.push(place);
        let before = self.ahead.raw().len();
        system.successors(&self.state, &mut self.ahead)?;
        for _ in (before..self.ahead.raw().len()).step_by(self.stride) {
            self.parents.push(parent);
        }
        Ok(())
    }

    /// Tells the errors met on the way to the entry at `place`, the last one.
    #[cold]
    fn report(&mut self, place: usize, visitor: &mut impl Visitor) {
        let index = place / self.stride;
        for (_, error) in self.ahead.errors.iter().filter(|(entry, _)| *entry == index) {
            visitor.error(error, &self.codes);
        }
        self.ahead.errors.retain(|(entry, _)| *entry < index);
    }
}
