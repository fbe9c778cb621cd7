//! Depth-first search with a stack of states, one state at a time, in one thread: for stores that forget whatever is not on
//! the stack (Jard, Jéron: Bounded-memory algorithms for verification on-the-fly, 1991, section 2.1).
//!
//! A state is looked up when the search comes to it, and left when all behind it is done; in between it is on the stack. The
//! paths on the stack have no state twice, so the search ends even if the store remembers nothing else.

use crate::atomic::Broken;
use crate::expansion::{Expansion, run_along};
use crate::limits::Limit;
use crate::outcome::{Outcome, Run};
use crate::single::{Single, Stop, with_room};
use crate::store::{Insertion, Store};
use crate::{Options, Order};
use model::system::{Misfit, StepCode, System};
use std::time::Duration;

/// Visits all states with a store made by `store`.
pub(crate) fn search<S: System, T: Store>(
    system: &S,
    options: &Options<'_>,
    store: impl Fn(&S) -> T,
) -> Outcome {
    if options.order != Order::DepthFirst {
        return Outcome { limit: Some(Limit::NeedsDepthFirst), ..Outcome::default() };
    }
    with_room(system, |system, before| attempt(system, store(system), options, before))
}

fn attempt<S: System, T: Store>(
    system: &S,
    store: T,
    options: &Options<'_>,
    before: Duration,
) -> Result<Outcome, Box<Misfit>> {
    let initial = match system.initial_states() {
        Ok(initial) => initial,
        Err(error) => return Ok(Outcome::without_start(error)),
    };
    let mut search = Search {
        system,
        store,
        single: Single::new(system, options, before),
        expansion: Expansion::new(system.width()),
        initial: 0,
        frames: Vec::new(),
        pending: Vec::new(),
    };
    for (number, state) in initial.iter().enumerate() {
        search.initial = number;
        search.single.tally.transitions += 1;
        match search.from(state) {
            Ok(()) => {}
            Err(Stop::Over) => break,
            Err(Stop::Misfit(misfit)) => return Err(misfit),
        }
    }
    let (guarantee, bytes) = (search.store.guarantee(), search.store.memory_bytes());
    let revisits = search.store.revisits();
    Ok(search.single.outcome(system, guarantee, bytes, revisits))
}

/// A state on the stack.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Where in `pending` the state itself is.
    state: usize,
    /// Its arrivals: from `first` on, `next` is to be visited next.
    first: usize,
    next: usize,
    depth: u64,
}

struct Search<'a, S, T> {
    system: &'a S,
    store: T,
    single: Single<'a>,
    expansion: Expansion,
    initial: usize,
    frames: Vec<Frame>,
    /// The arrivals of all states on the stack: moves and state.
    pending: Vec<u64>,
}

impl<S: System, T: Store> Search<'_, S, T> {
    /// Visits everything that can be reached from this state and is not known.
    fn from(&mut self, state: &[u64]) -> Result<(), Stop> {
        self.pending.clear();
        self.pending.push(0);
        self.pending.extend_from_slice(state);
        self.arrive(0, 0)?;
        let stride = self.expansion.stride();
        while let Some(frame) = self.frames.last_mut() {
            if frame.next == self.pending.len() {
                let frame = *frame;
                self.leave(frame);
                continue;
            }
            let place = frame.next;
            frame.next += stride;
            let depth = frame.depth + self.pending[place];
            self.arrive(place, depth)?;
        }
        Ok(())
    }

    fn leave(&mut self, frame: Frame) {
        let identity = self.system.width().identity;
        self.store.leave(&self.pending[frame.state + 1..=frame.state + identity]);
        self.pending.truncate(frame.first);
        self.frames.pop();
    }

    /// Comes to the state at `place`, and makes it the top of the stack if it is new.
    fn arrive(&mut self, place: usize, depth: u64) -> Result<(), Stop> {
        let width = self.system.width();
        loop {
            let state = &self.pending[place + 1..=place + width.identity];
            match self.store.insert(state, self.store.key(state)) {
                Insertion::Known => return Ok(()),
                Insertion::New => break,
                Insertion::Full => {
                    let bytes = self.store.memory_bytes();
                    if !self.store.grow(self.single.meter.store_limit(bytes), 1) {
                        return Err(self.single.stop(self.single.meter.out_of_memory(bytes)));
                    }
                }
            }
        }
        let expand = self.single.add(depth)?;
        let waiting = (self.pending.len() / self.expansion.stride()) as u64;
        self.single.tick(|| self.store.memory_bytes(), waiting)?;
        // On the stack from now on, so that a run to it can be shown.
        let first = self.pending.len();
        self.frames.push(Frame { state: place, first, next: first, depth });
        let state = &self.pending[place + 1..=place + width.all];
        if self.system.has_invariants() {
            let mut violated = Vec::new();
            self.system.violated_invariants(state, &mut violated);
            if !violated.is_empty() {
                let met = violated.into_iter().map(|error| (error, Vec::new())).collect();
                let (system, initial, arrivals) = (self.system, self.initial, self.arrivals());
                self.single.note(met, |codes| run(system, initial, &arrivals, codes))?;
            }
        }
        if !expand {
            return Ok(());
        }
        let state = &self.pending[place + 1..=place + width.all];
        let stop = self.single.sign.flag();
        match self.expansion.expand(self.system, state, &mut self.single.tally, stop) {
            Ok(()) => {}
            Err(Broken::Misfit(misfit)) => return Err(Stop::Misfit(misfit)),
            Err(Broken::Stopped) => return Err(Stop::Over),
        }
        if !self.expansion.met.is_empty() {
            let met = std::mem::take(&mut self.expansion.met);
            let (system, initial, arrivals) = (self.system, self.initial, self.arrivals());
            self.single.note(met, |codes| run(system, initial, &arrivals, codes))?;
        }
        self.pending.extend_from_slice(self.expansion.arrivals());
        Ok(())
    }

    /// Which arrival of each state on the stack leads to the next one.
    fn arrivals(&self) -> Vec<u32> {
        let stride = self.expansion.stride();
        let number = |pair: &[Frame]| ((pair[1].state - pair[0].first) / stride) as u32;
        self.frames.windows(2).map(number).collect()
    }
}

fn run<S: System>(system: &S, initial: usize, arrivals: &[u32], codes: &[StepCode]) -> Option<Run> {
    run_along(system, initial, arrivals.iter().copied(), codes)
}
