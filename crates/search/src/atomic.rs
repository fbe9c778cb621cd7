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

#[derive(Debug)]
struct Frame {
    first: usize,
    next: usize,
    chain: Chain,
    moves: u64,
    /// How many steps lead to its state.
    depth: usize,
}

/// A depth-first walk through states that are not stored.
#[derive(Debug)]
pub(crate) struct Walk {
    successors: Successors,
    frames: Vec<Frame>,
    codes: Vec<StepCode>,
    state: Vec<u64>,
}

impl Walk {
    pub fn new(width: Width) -> Walk {
        Walk { successors: Successors::new(width), frames: Vec::new(), codes: Vec::new(), state: Vec::new() }
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
        self.successors.clear();
        self.frames.clear();
        self.codes.clear();
        self.codes.push(code);
        let Some(chain) = watch.follow(Chain::default(), state) else {
            visitor.endless();
            return Ok(());
        };
        self.state.clear();
        self.state.extend_from_slice(state);
        self.enter(system, chain, code.weight(), watch, stop, visitor)?;
        while let Some(frame) = self.frames.last_mut() {
            if self.successors.has(frame.next) {
                self.successors.truncate(frame.first);
                self.frames.pop();
                continue;
            }
            let index = frame.next;
            frame.next += 1;
            let (chain, moves) = (frame.chain, frame.moves);
            self.codes.truncate(frame.depth);
            let code = self.successors.code(index);
            self.codes.push(code);
            for (_, error) in self.successors.errors.iter().filter(|(place, _)| *place == index) {
                visitor.error(error, &self.codes);
            }
            if code.is_stopped() || code.is_refused() {
                continue;
            }
            visitor.taken(code);
            let moves = moves + code.weight();
            if !code.is_transient() {
                visitor.arrival(self.successors.state(index), &self.codes, moves);
                if visitor.is_done() {
                    return Ok(());
                }
                continue;
            }
            visitor.atomic();
            if stop.load(Ordering::Relaxed) {
                return Err(Broken::Stopped);
            }
            match watch.follow(chain, self.successors.state(index)) {
                Some(chain) => {
                    self.state.clear();
                    self.state.extend_from_slice(self.successors.state(index));
                    self.enter(system, chain, moves, watch, stop, visitor)?;
                }
                None => visitor.endless(),
            }
        }
        Ok(())
    }

    /// Goes on from `self.state`: along the sequence while there is just one way to go on inside it, which is most of the
    /// time, then with a frame for the choice or the end that was reached.
    fn enter<S: System>(
        &mut self,
        system: &S,
        mut chain: Chain,
        mut moves: u64,
        watch: &mut Watch,
        stop: &AtomicBool,
        visitor: &mut impl Visitor,
    ) -> Result<(), Broken> {
        let first = self.successors.len();
        loop {
            system.successors(&self.state, &mut self.successors)?;
            let single = self.successors.has(first + 1) && self.successors.errors.is_empty();
            let code = if single { self.successors.code(first) } else { StepCode(0) };
            if !code.is_transient() {
                let depth = self.codes.len();
                self.frames.push(Frame { first, next: first, chain, moves, depth });
                return Ok(());
            }
            self.codes.push(code);
            visitor.taken(code);
            visitor.atomic();
            moves += code.weight();
            if stop.load(Ordering::Relaxed) {
                return Err(Broken::Stopped);
            }
            self.state.copy_from_slice(self.successors.state(first));
            self.successors.truncate(first);
            match watch.follow(chain, &self.state) {
                Some(next) => chain = next,
                None => {
                    visitor.endless();
                    return Ok(());
                }
            }
        }
    }
}
