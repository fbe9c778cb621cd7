//! Depth-first search with a stack of states, one state at a time, in one thread: for stores that forget whatever is not on
//! the stack (Jard, Jéron: Bounded-memory algorithms for verification on-the-fly, 1991, section 2.1).
//!
//! A state is looked up when the search comes to it, and left when all behind it is done; in between it is on the stack. A state on the stack
//! is not entered again: successors that slept and are woken meanwhile are visited before it is left, and fewer sleep each time, so the search ends even if
//! the store remembers nothing else. Which successors are passed over is the business of [`crate::sleep`], how long the stack may be that of [`crate::put_off`].

use crate::expansion::{Expansion, run_along};
use crate::footprint;
use crate::levels::{self, ByLevel};
use crate::limits::Limit;
use crate::narrow::Narrow;
use crate::outcome::Outcome;
use crate::put_off::{Due, PutOff};
use crate::single::{Single, Stop, Unfit, from_each, with_room};
use crate::sleep::{Agenda, Asleep, Commutation, still_asleep};
use crate::store::{Cache, Entry, Revisits, Store};
use crate::tally::Tally;
use crate::turn::{Turn, Turned};
use crate::ways_back::{Place, START, WaysBack};
use crate::ways_in::WaysIn;
use crate::{Coverage, Options, Order};
use model::system::System;
use std::time::Duration;

/// Where all that there is room for must be kept, the search begins again with a stack that is shorter by so many halvings. The shorter it is, the more is put off,
/// but behind a short stack less of it lies at once.
const HALVED_MORE: u32 = 3;
const MOST_HALVED: u32 = 9;

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
    with_room(system, |system, mut before| {
        let (mut way, mut spent) = (Way::Depth { halved: 0, turns: true }, Revisits::default());
        let mut given_up = Outcome::default();
        loop {
            let (mut outcome, next) = match go(system, options, sleep_sets, store(system), way, before) {
                Ok(ended) => ended,
                Err(mut unfit) => {
                    unfit.met.keep_errors_of(given_up);
                    return Err(unfit);
                }
            };
            if let Some(revisits) = &mut outcome.statistics.revisits {
                spent = revisits.after(&spent);
                *revisits = spent;
            }
            outcome.keep_errors_of(given_up);
            // What waits and what is on the stack takes memory beside the store, and the next attempt needs less of it.
            let needs_less = matches!(outcome.limit, Some(Limit::Kept { .. } | Limit::MemoryBytes(_)));
            way = match next {
                Some(next) if needs_less => next,
                _ => return Ok(outcome),
            };
            // Or else what this attempt needed would seem to be taken by others.
            footprint::give_back();
            before = outcome.statistics.time;
            given_up = outcome;
        }
    })
}

/// How an attempt goes about it.
#[derive(Debug)]
enum Way {
    /// Depth-first, with the stack's share halved so often; it may turn out that it should go in another way.
    Depth {
        halved: u32,
        turns: bool,
    },
    Levels,
    /// So that there is little to remember; if that fails, depth-first, halved so often.
    Narrow {
        ways_in: WaysIn,
        halved: u32,
    },
}

/// One attempt; and if it is given up, how to go on.
fn go<S: System>(
    system: &S,
    options: &Options<'_>,
    sleep_sets: bool,
    cache: Cache,
    way: Way,
    before: Duration,
) -> Result<(Outcome, Option<Way>), Box<Unfit>> {
    match way {
        Way::Depth { halved, turns } => {
            let cache = cache.with_stack_halved(halved);
            let (outcome, turned, learned) = attempt(system, cache, sleep_sets, turns, options, before)?;
            let next = match (turned, learned) {
                (Some(Turned::Levels), _) => Some(Way::Levels),
                (Some(Turned::Narrow), Some(ways_in)) => Some(Way::Narrow { ways_in, halved }),
                (_, learned) => (halved < MOST_HALVED).then_some(match learned {
                    Some(ways_in) => Way::Narrow { ways_in, halved: halved + HALVED_MORE },
                    None => Way::Depth { halved: halved + HALVED_MORE, turns: false },
                }),
            };
            Ok((outcome, next))
        }
        Way::Levels => {
            let outcome = levels::attempt(system, cache, ByLevel::default(), options, before)?;
            Ok((outcome, Some(Way::Depth { halved: 0, turns: false })))
        }
        Way::Narrow { ways_in, halved } => {
            let outcome = levels::attempt(system, cache, Narrow::new(system, ways_in), options, before)?;
            Ok((outcome, Some(Way::Depth { halved, turns: false })))
        }
    }
}

/// Visits all states, or ends with a limit; if it should go in another way, in which. And what was learned for that.
fn attempt<S: System>(
    system: &S,
    store: Cache,
    sleep_sets: bool,
    turns: bool,
    options: &Options<'_>,
    before: Duration,
) -> Result<(Outcome, Option<Turned>, Option<WaysIn>), Box<Unfit>> {
    let initial = match system.initial_states() {
        Ok(initial) => initial,
        Err(error) => return Ok((Outcome::without_start(error), None, None)),
    };
    let width = system.width();
    let turn = if turns { Turn::new(&store) } else { None };
    let mut search = Search {
        system,
        store,
        single: Single::new(system, options, before),
        expansion: Expansion::new(width),
        unstored: initial.first().map_or(Vec::new(), |state| state[width.identity..].to_vec()),
        commutation: sleep_sets.then(|| Commutation::new(width)),
        unseen: Tally { coverage: Coverage::new(system.transition_count()), ..Tally::default() },
        initial: 0,
        put_off: PutOff::default(),
        turn,
        turned: None,
        frames: Vec::new(),
        pending: Vec::new(),
        commuting: Vec::new(),
    };
    let visited = from_each(&initial, |number, state| {
        search.initial = number;
        search.single.tally.transitions += 1;
        search.from(state)
    });
    match visited {
        Ok(None) => {}
        Ok(limit) => search.single.end_at(limit),
        Err(misfit) => return Err(search.single.unfit(system, misfit)),
    }
    let (guarantee, bytes) = (search.store.guarantee(), search.store.memory_bytes());
    let revisits = search.store.revisits();
    let learned = search.turn.and_then(Turn::learned);
    Ok((search.single.outcome(system, guarantee, bytes, revisits), search.turned, learned))
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
    /// Where the way to it is noted, if it is; that to the first on the stack always is.
    noted: Option<Place>,
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
    put_off: PutOff,
    /// Whether the search should go in another way, if it may; and that it should.
    turn: Option<Turn>,
    turned: Option<Turned>,
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
        self.finish()?;
        while let Some(due) = self.put_off.pop() {
            match due {
                Due::Resume { slot, depth, layer, place } => self.resume(slot, depth, layer, place)?,
                Due::Release { slot } => self.store.release(slot),
            }
        }
        Ok(())
    }

    /// Visits what was put off, unless that was done on the way, and keeps it until all that it put off itself is done.
    fn resume(&mut self, slot: u32, depth: u64, layer: u32, place: Place) -> Result<(), Stop> {
        let Some((state, asleep)) = self.store.resume(slot, layer) else { return Ok(()) };
        self.put_off.push(Due::Release { slot });
        self.pending.clear();
        self.pending.push(0);
        self.pending.extend_from_slice(&state);
        self.pending.extend_from_slice(&self.unstored);
        self.visit(0, depth, Agenda::all_but(asleep), true, Some(place))?;
        self.finish()
    }

    /// Visits what is behind the states on the stack.
    fn finish(&mut self) -> Result<(), Stop> {
        let stride = self.expansion.stride();
        while let Some(frame) = self.frames.last_mut() {
            let arrivals = (self.pending.len() - frame.first) / stride;
            let Some((number, asleep)) = frame.agenda.next(arrivals, &self.commuting[frame.commuting..])
            else {
                self.go_on_or_leave();
                continue;
            };
            let place = frame.first + number * stride;
            let depth = frame.depth + self.pending[place];
            self.arrive(place, depth, asleep)?;
        }
        Ok(())
    }

    /// Goes on with what was woken in the top of the stack meanwhile, or leaves it.
    fn go_on_or_leave(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let state = &self.pending[frame.state + 1..=frame.state + self.system.width().identity];
        if let Some((woken, asleep)) = self.store.woken(state, self.store.key(state)) {
            frame.agenda = Agenda::only(woken, asleep);
            return;
        }
        self.store.leave(state);
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
            match self.store.enter(state, self.store.key(state), asleep, usual) {
                Entry::Full => {
                    let bytes = self.store.memory_bytes();
                    if !self.store.grow(self.single.meter.store_limit(bytes), 1) {
                        let states = self.store.len();
                        return Err(self.single.stop(Limit::Kept { states, bytes }));
                    }
                }
                entry => break entry,
            }
        };
        let agenda = match entry {
            Entry::Known | Entry::Full => return Ok(()),
            Entry::PutOff { slot, layer } => {
                let turned = self.turn.as_mut().and_then(Turn::when_long);
                self.perhaps_turn(turned)?;
                self.put_off(place, slot, depth, layer);
                return Ok(());
            }
            Entry::New { asleep } => Agenda::all_but(asleep),
            Entry::Again { woken, asleep } if usual => Agenda::only(woken, asleep),
            Entry::Again { .. } => Agenda::all_but(0),
        };
        let noted = self.frames.is_empty().then_some(START);
        self.visit(place, depth, agenda, matches!(entry, Entry::New { .. }), noted)
    }

    /// Ends the search if it should go in another way.
    fn perhaps_turn(&mut self, turned: Option<Turned>) -> Result<(), Stop> {
        if turned.is_none() {
            return Ok(());
        }
        self.turned = turned;
        let (states, bytes) = (self.store.len(), self.store.memory_bytes());
        Err(self.single.stop(Limit::Kept { states, bytes }))
    }

    /// Makes the state at `place` the top of the stack; the way to it may be `noted`.
    fn visit(
        &mut self,
        place: usize,
        depth: u64,
        agenda: Agenda,
        is_new: bool,
        noted: Option<Place>,
    ) -> Result<(), Stop> {
        let expand = if is_new { self.single.add(depth)? } else { self.single.expands(depth) };
        let waiting = (self.pending.len() / self.expansion.stride()) as u64;
        self.single.tick(|| self.store.memory_bytes(), waiting)?;
        let turned = self.turn.as_mut().and_then(|turn| turn.when_visited(&self.store));
        self.perhaps_turn(turned)?;
        // On the stack from now on, so that a run to it can be shown.
        let (first, commuting) = (self.pending.len(), self.commuting.len());
        self.frames.push(Frame { state: place, first, commuting, agenda, depth, noted });
        if is_new {
            self.check_invariants(place)?;
        }
        if expand { self.expand(place, agenda, is_new) } else { Ok(()) }
    }

    /// Notes the way to a state that is entered later.
    fn put_off(&mut self, place: usize, slot: u32, depth: u64, layer: u32) {
        let stride = self.expansion.stride();
        let noted = self.frames.iter().rposition(|frame| frame.noted.is_some()).unwrap_or_default();
        let mut way = self.frames.get(noted).and_then(|frame| frame.noted).unwrap_or(START);
        for frame in noted + 1..self.frames.len() {
            let arrival = (self.frames[frame].state - self.frames[frame - 1].first) / stride;
            way = self.put_off.ways.add(way, arrival as u32);
            self.frames[frame].noted = Some(way);
        }
        let first = self.frames.last().map_or(place, |frame| frame.first);
        let way = self.put_off.ways.add(way, ((place - first) / stride) as u32);
        self.put_off.push(Due::Resume { slot, depth, layer, place: way });
        self.put_off.tidy(self.frames.iter_mut().filter_map(|frame| frame.noted.as_mut()));
    }

    fn check_invariants(&mut self, place: usize) -> Result<(), Stop> {
        if self.system.has_invariants() {
            let state = &self.pending[place + 1..=place + self.system.width().all];
            let mut violated = Vec::new();
            self.system.violated_invariants(state, &mut violated);
            if !violated.is_empty() {
                let met = violated.into_iter().map(|error| (error, Vec::new())).collect();
                let (ways, frames, stride) = (&self.put_off.ways, &self.frames, self.expansion.stride());
                let (system, initial) = (self.system, self.initial);
                self.single
                    .note(met, |codes| run_along(system, initial, way_to_top(ways, frames, stride), codes))?;
            }
        }
        Ok(())
    }

    /// Puts the arrivals of the state at `place`, the top of the stack, into `pending`.
    fn expand(&mut self, place: usize, agenda: Agenda, is_new: bool) -> Result<(), Stop> {
        let state = &self.pending[place + 1..=place + self.system.width().all];
        let stop = self.single.flag();
        let tally = if is_new { &mut self.single.tally } else { &mut self.unseen };
        self.expansion.expand(self.system, state, tally, stop)?;
        if let Some(turn) = &mut self.turn
            && is_new
        {
            let stored = |place: usize| &self.pending[place + 1..=place + self.system.width().identity];
            let before = self.frames.iter().rev().nth(1).map(|frame| stored(frame.state));
            turn.see(before, stored(place), &self.expansion);
        }
        if let Some(commutation) = &mut self.commutation
            && agenda.needs_commutation(self.expansion.names().len())
        {
            let (here, unseen) = (&self.expansion, &mut self.unseen);
            commutation.look(self.system, here, unseen, stop, &mut self.commuting)?;
        }
        if agenda.asleep() != 0 {
            self.settle(place, agenda.asleep());
        }
        if is_new && !self.expansion.met.is_empty() {
            let met = std::mem::take(&mut self.expansion.met);
            let (ways, frames, stride) = (&self.put_off.ways, &self.frames, self.expansion.stride());
            let (system, initial) = (self.system, self.initial);
            self.single
                .note(met, |codes| run_along(system, initial, way_to_top(ways, frames, stride), codes))?;
        }
        self.pending.extend_from_slice(self.expansion.arrivals());
        Ok(())
    }

    /// Takes what sleeps in the state at `place`, the top of the stack, and leads to states that are known.
    fn settle(&self, place: usize, asleep: Asleep) {
        let Some(frame) = self.frames.last() else { return };
        let (width, stride) = (self.system.width(), self.expansion.stride());
        let known = |number: usize, asleep: Asleep| {
            let arrival = &self.expansion.arrivals()[number * stride + 1..(number + 1) * stride];
            let (state, unstored) = arrival.split_at(width.identity);
            self.store.knows(state, self.store.key(state), if unstored == self.unstored { asleep } else { 0 })
        };
        let arrivals = self.expansion.names().len();
        let still = still_asleep(&self.commuting[frame.commuting..], arrivals, asleep, known);
        if still != asleep {
            let state = &self.pending[place + 1..=place + width.identity];
            self.store.wake(state, self.store.key(state), still);
        }
    }
}

/// The way to the top of the stack: which arrival of each state on it leads to the next one.
fn way_to_top(ways: &WaysBack, frames: &[Frame], stride: usize) -> Vec<u32> {
    let number = |pair: &[Frame]| ((pair[1].state - pair[0].first) / stride) as u32;
    let start = frames.first().and_then(|frame| frame.noted).unwrap_or(START);
    let mut arrivals = ways.to(start);
    arrivals.extend(frames.windows(2).map(number));
    arrivals
}
