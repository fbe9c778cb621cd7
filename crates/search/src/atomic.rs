//! Getting through atomic sequences, even those that never end.
//!
//! States inside an atomic sequence are not stored, so a loop there would be followed forever. Along the
//! path from the last stored state a repetition is found as Brent (1980) does, with the hash of one
//! earlier state, renewed at each power of two: depth-first, a path that never ends repeats
//! itself in the end. Only then are the states behind that stored state remembered, and each visited once. No
//! terminating sequence is treated differently, so counts remain those of a plain search.

use crate::limits::Limit;
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
        let next = Chain { position: chain.position.saturating_add(1), landmark: chain.landmark };
        if next.position < UNWATCHED && self.seen.is_none() {
            return Some(next);
        }
        self.follow_long(next, state)
    }

    fn follow_long(&mut self, mut next: Chain, state: &[u64]) -> Option<Chain> {
        if next.position >= UNWATCHED {
            let hash = GlobalState::new().hash_one(state);
            if next.position > UNWATCHED && hash == next.landmark && self.seen.is_none() {
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
    /// Does it look at the steps of an arrival?
    const WANTS_CODES: bool = true;
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
    /// A step could not be finished within this limit.
    Unfinished(Limit),
}

/// Were all steps finished?
#[inline]
pub(crate) fn check_finished(successors: &Successors) -> Result<(), Broken> {
    match successors.errors.iter().find_map(|(_, error)| Limit::of(error)) {
        Some(limit) => Err(Broken::Unfinished(limit)),
        None => Ok(()),
    }
}

impl From<Box<Misfit>> for Broken {
    fn from(misfit: Box<Misfit>) -> Broken {
        Broken::Misfit(misfit)
    }
}

/// A state on the path.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The step to it.
    code: StepCode,
    chain: Chain,
    /// Moves since the last stored state.
    moves: u64,
    /// Where its successors begin among those ahead.
    first: usize,
}

/// A depth-first walk through states that are not stored: always on from the newest entry.
#[derive(Debug)]
pub(crate) struct Walk {
    /// Words of an entry of `ahead`.
    stride: usize,
    /// Where to go: successors of the states on the path.
    ahead: Successors,
    /// The states passed through since the last stored one.
    path: Vec<Place>,
    /// The steps to the state looked at, if somebody wants to know them.
    codes: Vec<StepCode>,
    state: Vec<u64>,
}

impl Walk {
    pub fn new(width: Width) -> Walk {
        Walk {
            stride: width.all + 1,
            ahead: Successors::new(width),
            path: Vec::new(),
            codes: Vec::new(),
            state: vec![0; width.all],
        }
    }

    /// All ways from `state`, which is inside an atomic sequence and one step, `code`, from a stored state, to the next
    /// stored states.
    pub fn through<S: System, V: Visitor>(
        &mut self,
        system: &S,
        state: &[u64],
        code: StepCode,
        watch: &mut Watch,
        stop: &AtomicBool,
        visitor: &mut V,
    ) -> Result<(), Broken> {
        self.ahead.clear();
        self.path.clear();
        let Some(chain) = watch.follow(Chain::default(), state) else {
            visitor.endless();
            return Ok(());
        };
        self.state.copy_from_slice(state);
        let mut top = Place { code, chain, moves: code.weight(), first: 0 };
        self.path.push(top);
        system.successors(&self.state, &mut self.ahead)?;
        check_finished(&self.ahead)?;
        loop {
            let ahead = self.ahead.raw();
            if ahead.len() == top.first {
                self.path.pop();
                match self.path.last() {
                    Some(place) => top = *place,
                    None => return Ok(()),
                }
                continue;
            }
            let place = ahead.len() - self.stride;
            let entry = &ahead[place..];
            let code = StepCode(entry[0]);
            if !self.ahead.errors.is_empty() {
                self.report(place, code, visitor);
            }
            let ahead = self.ahead.raw();
            if code.0 & StepCode::STOPPED != 0 || code.is_refused() {
                ahead.truncate(place);
                continue;
            }
            visitor.taken(code);
            let moves = top.moves + code.weight();
            let state = &ahead[place + 1..];
            if !code.is_transient() {
                if V::WANTS_CODES {
                    list(&self.path, code, &mut self.codes);
                }
                visitor.arrival(state, &self.codes, moves);
                ahead.truncate(place);
                if visitor.is_done() {
                    return Ok(());
                }
                continue;
            }
            visitor.atomic();
            if stop.load(Ordering::Relaxed) {
                return Err(Broken::Stopped);
            }
            let next = watch.follow(top.chain, state);
            for (to, from) in self.state.iter_mut().zip(state) {
                *to = *from;
            }
            ahead.truncate(place);
            let Some(chain) = next else {
                visitor.endless();
                continue;
            };
            top = Place { code, chain, moves, first: place };
            self.path.push(top);
            system.successors(&self.state, &mut self.ahead)?;
            check_finished(&self.ahead)?;
        }
    }

    /// Tells the errors met on the way to the entry at `place`, the last one.
    #[cold]
    fn report(&mut self, place: usize, code: StepCode, visitor: &mut impl Visitor) {
        list(&self.path, code, &mut self.codes);
        let index = place / self.stride;
        for (_, error) in self.ahead.errors.iter().filter(|(entry, _)| *entry == index) {
            visitor.error(error, &self.codes);
        }
        self.ahead.errors.retain(|(entry, _)| *entry < index);
    }
}

/// The steps along a path, and one more.
fn list(path: &[Place], last: StepCode, codes: &mut Vec<StepCode>) {
    codes.clear();
    codes.extend(path.iter().map(|place| place.code));
    codes.push(last);
}
