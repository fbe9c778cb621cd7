//! Depth-first search with a stack of states, one state at a time, in one thread: for stores that forget whatever is not on
//! the stack (Jard, Jéron: Bounded-memory algorithms for verification on-the-fly, 1991, section 2.1).
//!
//! A state is looked up when the search comes to it, and left when all behind it is done; in between it is on the stack. A state on the stack is
//! only entered again for successors that slept, and fewer of them each time, so the search ends even if the store remembers
//! nothing else. Which successors are passed over is the business of [`crate::sleep`].

use crate::expansion::{Expansion, run_along};
use crate::limits::Limit;
use crate::outcome::{Outcome, Run};
use crate::single::{Single, Stop, with_room};
use crate::sleep::{Agenda, Asleep, Commutation};
use crate::store::{Cache, Entry, Store};
use crate::tally::Tally;
use crate::{Coverage, Options, Order};
use model::system::{Misfit, StepCode, System};
use std::time::Duration;

/// Visits all states with a cache made by `store`; by few ways if there are to be `sleep_sets`.
pub(crate) fn search<S: System>(
    system: &S,
    options: &Options<'_>,
    sleep_sets: bool,
    store: impl Fn(&S) -> Cache,
) -> Outcome {
    if options.order != Order::DepthFirst {
        return Outcome { limit: Some(Limit::NeedsDepthFirst), ..Outcome::default() };
    }
    with_room(system, |system, before| attempt(system, store(system), sleep_sets, options, before))
}

fn attempt<S: System>(
    system: &S,
    store: Cache,
    sleep_sets: bool,
    options: &Options<'_>,
    before: Duration,
) -> Result<Outcome, Box<Misfit>> {
    let initial = match system.initial_states() {
        Ok(initial) => initial,
        Err(error) => return Ok(Outcome::without_start(error)),
    };
    let width = system.width();
    let mut search = Search {
        system,
        store,
        single: Single::new(system, options, before),
        expansion: Expansion::new(width),
        unstored: initial.first().map_or(Vec::new(), |state| state[width.identity..].to_vec()),
        commutation: sleep_sets.then(|| Commutation::new(width)),
        unseen: Tally { coverage: Coverage::new(system.transition_count()), ..Tally::default() },
        initial: 0,
        frames: Vec::new(),
        pending: Vec::new(),
        commuting: Vec::new(),
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
    /// Where its arrivals begin there.
    first: usize,
    /// Where in `commuting` it stands which of them commute.
    commuting: usize,
    agenda: Agenda,
    depth: u64,
}

struct Search<'a, S> {
    system: &'a S,
    store: Cache,
    single: Single<'a>,
    expansion: Expansion<true>,
    /// The words that are not stored, in most states.
    unstored: Vec<u64>,
    commutation: Option<Commutation>,
    /// Counts what is counted elsewhere.
    unseen: Tally,
    initial: usize,
    frames: Vec<Frame>,
    /// The arrivals of all states on the stack: moves and state.
    pending: Vec<u64>,
    commuting: Vec<u8>,
}

impl<S: System> Search<'_, S> {
    /// Visits everything that can be reached from this state and is not known.
    fn from(&mut self, state: &[u64]) -> Result<(), Stop> {
        self.pending.clear();
        self.pending.push(0);
        self.pending.extend_from_slice(state);
        self.arrive(0, 0, 0)?;
        let stride = self.expansion.stride();
        while let Some(frame) = self.frames.last_mut() {
            let arrivals = (self.pending.len() - frame.first) / stride;
            let Some((number, asleep)) = frame.agenda.next(arrivals, &self.commuting[frame.commuting..])
            else {
                let frame = *frame;
                self.leave(frame);
                continue;
            };
            let place = frame.first + number * stride;
            let depth = frame.depth + self.pending[place];
            self.arrive(place, depth, asleep)?;
        }
        Ok(())
    }

    fn leave(&mut self, frame: Frame) {
        let identity = self.system.width().identity;
        self.store.leave(&self.pending[frame.state + 1..=frame.state + identity]);
        self.pending.truncate(frame.first);
        self.commuting.truncate(frame.commuting);
        self.frames.pop();
    }

    /// Comes to the state at `place`, and makes it the top of the stack if there is something to do.
    fn arrive(&mut self, place: usize, depth: u64, asleep: Asleep) -> Result<(), Stop> {
        let width = self.system.width();
        let state = &self.pending[place + 1..=place + width.identity];
        // What is not stored may change what the state's arrivals are, and so what the numbers of those that sleep mean.
        let usual = self.pending[place + 1 + width.identity..=place + width.all] == self.unstored[..];
        let asleep = if usual { asleep } else { 0 };
        let entry = loop {
            match self.store.enter(state, self.store.key(state), asleep) {
                Entry::Full => {
                    let bytes = self.store.memory_bytes();
                    if !self.store.grow(self.single.meter.store_limit(bytes), 1) {
                        return Err(self.single.stop(self.single.meter.out_of_memory(bytes)));
                    }
                }
                entry => break entry,
            }
        };
        let agenda = match entry {
            Entry::Known | Entry::Full => return Ok(()),
            Entry::New => Agenda::all_but(asleep),
            Entry::Again { woken, asleep } if usual => Agenda::only(woken, asleep),
            Entry::Again { .. } => Agenda::all_but(0),
        };
        let is_new = entry == Entry::New;
        let expand = if is_new { self.single.add(depth)? } else { self.single.expands(depth) };
        let waiting = (self.pending.len() / self.expansion.stride()) as u64;
        self.single.tick(|| self.store.memory_bytes(), waiting)?;
        // On the stack from now on, so that a run to it can be shown.
        let (first, commuting) = (self.pending.len(), self.commuting.len());
        self.frames.push(Frame { state: place, first, commuting, agenda, depth });
        if is_new {
            self.check_invariants(place)?;
        }
        if expand { self.expand(place, agenda, is_new) } else { Ok(()) }
    }

    fn check_invariants(&mut self, place: usize) -> Result<(), Stop> {
        if self.system.has_invariants() {
            let state = &self.pending[place + 1..=place + self.system.width().all];
            let mut violated = Vec::new();
            self.system.violated_invariants(state, &mut violated);
            if !violated.is_empty() {
                let met = violated.into_iter().map(|error| (error, Vec::new())).collect();
                let (system, initial, arrivals) = (self.system, self.initial, self.arrivals());
                self.single.note(met, |codes| run(system, initial, &arrivals, codes))?;
            }
        }
        Ok(())
    }

    /// Puts the arrivals of the state at `place`, the top of the stack, into `pending`.
    fn expand(&mut self, place: usize, agenda: Agenda, is_new: bool) -> Result<(), Stop> {
        let state = &self.pending[place + 1..=place + self.system.width().all];
        let stop = self.single.sign.flag();
        let tally = if is_new { &mut self.single.tally } else { &mut self.unseen };
        self.expansion.expand(self.system, state, tally, stop)?;
        if let Some(commutation) = &mut self.commutation
            && agenda.needs_commutation(self.expansion.names().len())
        {
            let (here, unseen) = (&self.expansion, &mut self.unseen);
            commutation.look(self.system, here, unseen, stop, &mut self.commuting)?;
        }
        if is_new && !self.expansion.met.is_empty() {
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
