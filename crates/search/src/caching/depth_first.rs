//! Depth-first search over a [`Cache`], in one thread (Jard, Jéron: Bounded-memory algorithms for
//! verification on-the-fly, 1991, section 2.1).
//!
//! A state is on the stack from when it is entered until all its successors are done. A state on
//! the stack is not entered again: successors that are woken meanwhile are visited before it is
//! left. Its sleep set shrinks each time, so the search terminates even if the cache holds nothing
//! but the stack. [`crate::caching::sleep_sets`] decides which successors are skipped.

use crate::caching::sleep_sets::{IndependenceFinder, Schedule, remaining_sleep_set};
use crate::limits::Limit;
use crate::outcome::Outcome;
use crate::reach::expansion::{Expansion, FoundErrors, run_by_choices};
use crate::reach::sequential::{
    SequentialSearch, SequentialStop, UnfitLayout, restart_when_unfit, visit_initial_states,
};
use crate::reach::tally::Tally;
use crate::store::{Cache, CacheEntry, Guarantee, SleepSet};
use crate::{Coverage, Options, Order};
use lariat_ir::system::System;
use std::time::Duration;

/// Visits all states with a cache made by `new_cache`.
///
/// The limit on states counts insertions: a state that was evicted and is stored again counts
/// again. Otherwise a search that evicts too much would not be bounded by it.
pub(crate) fn search<S: System>(
    system: &S,
    options: &Options<'_>,
    sleep_sets: bool,
    new_cache: impl Fn(&S) -> Cache,
) -> Outcome {
    if options.order != Order::DepthFirst {
        return Outcome { limit: Some(Limit::NeedsDepthFirst), ..Outcome::default() };
    }
    restart_when_unfit(system, |system, before| {
        let mut outcome = attempt(system, new_cache(system), sleep_sets, options, before)?;
        let evicted = outcome.statistics.revisits.is_some_and(|revisits| revisits.replaced > 0);
        if let (Some(Limit::States(limit)), true) = (outcome.limit, evicted) {
            outcome.limit = Some(Limit::Insertions(limit));
        }
        Ok(outcome)
    })
}

fn attempt<S: System>(
    system: &S,
    cache: Cache,
    sleep_sets: bool,
    options: &Options<'_>,
    before: Duration,
) -> Result<Outcome, Box<UnfitLayout>> {
    let initial = match system.initial_states() {
        Ok(initial) => initial,
        Err(error) => return Ok(Outcome::without_start(error)),
    };
    let width = system.width();
    let mut search = CachingSearch {
        system,
        cache,
        single: SequentialSearch::new(system, options, before),
        expansion: Expansion::new(width),
        unstored: initial.first().map_or(Vec::new(), |state| state[width.identity..].to_vec()),
        independence_finder: sleep_sets.then(|| IndependenceFinder::new(width)),
        uncounted: Tally { coverage: Coverage::new(system.transition_count()), ..Tally::default() },
        initial: 0,
        frames: Vec::new(),
        successors: Vec::new(),
        independence: Vec::new(),
    };
    let visited = visit_initial_states(&initial, |number, state| {
        search.initial = number;
        search.single.tally.transitions += 1;
        search.visit_initial(state)
    });
    match visited {
        Ok(None) => {}
        Ok(limit) => search.single.end_at(limit),
        Err(misfit) => return Err(search.single.unfit(system, misfit)),
    }
    let (bytes, revisits) = (search.cache.memory_bytes(), search.cache.revisits());
    Ok(search.single.outcome(system, Guarantee::Exact, bytes, Some(revisits)))
}

/// A state on the stack.
#[derive(Clone, Copy, Debug)]
struct CacheFrame {
    /// The state's entry in `successors`.
    state: usize,
    /// Where its own successors begin there.
    first: usize,
    /// Where its table in `independence` begins.
    independence: usize,
    schedule: Schedule,
    /// Steps from the initial state.
    steps: u64,
}

struct CachingSearch<'a, S> {
    system: &'a S,
    cache: Cache,
    single: SequentialSearch<'a>,
    expansion: Expansion<true>,
    /// The words of the initial state that are not part of a state's identity. Most states have
    /// the same; only they have sleep sets.
    unstored: Vec<u64>,
    independence_finder: Option<IndependenceFinder>,
    /// For expansions that are counted at another time.
    uncounted: Tally,
    initial: usize,
    frames: Vec<CacheFrame>,
    /// The successors of all states on the stack: for each the number of steps, then the state.
    successors: Vec<u64>,
    independence: Vec<u8>,
}

impl<S: System> CachingSearch<'_, S> {
    fn visit_initial(&mut self, state: &[u64]) -> Result<(), SequentialStop> {
        self.successors.clear();
        self.successors.push(0);
        self.successors.extend_from_slice(state);
        self.visit(0, 0, 0)?;
        self.empty_stack()
    }

    /// Continues until all states on the stack are fully explored.
    fn empty_stack(&mut self) -> Result<(), SequentialStop> {
        let stride = self.expansion.stride();
        while let Some(frame) = self.frames.last_mut() {
            let count = (self.successors.len() - frame.first) / stride;
            let table = &self.independence[frame.independence..];
            let Some((index, sleep_set)) = frame.schedule.next(count, table) else {
                self.revisit_or_pop();
                continue;
            };
            let entry = frame.first + index * stride;
            let steps = frame.steps + self.successors[entry];
            self.visit(entry, steps, sleep_set)?;
        }
        Ok(())
    }

    /// Visits the successors that were woken in the top of the stack, or pops it.
    fn revisit_or_pop(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let state = &self.successors[frame.state + 1..=frame.state + self.system.width().identity];
        if let Some((woken, sleep_set)) = self.cache.take_woken(state) {
            frame.schedule = Schedule::only(woken, sleep_set);
            return;
        }
        self.cache.leave(state);
        self.successors.truncate(frame.first);
        self.independence.truncate(frame.independence);
        self.frames.pop();
    }

    /// Reaches the state at `entry`, and pushes it onto the stack if it has successors to visit.
    fn visit(
        &mut self,
        entry: usize,
        steps: u64,
        sleep_set: SleepSet,
    ) -> Result<(), SequentialStop> {
        let width = self.system.width();
        let (state, unstored) =
            self.successors[entry + 1..=entry + width.all].split_at(width.identity);
        // Other unstored words may lead to other successors, to which a sleep set does not apply.
        let is_usual = unstored == self.unstored;
        let sleep_set = if is_usual { sleep_set } else { 0 };
        let found = loop {
            match self.cache.enter(state, sleep_set) {
                CacheEntry::Full => {
                    let bytes = self.cache.memory_bytes();
                    if !self.cache.grow(self.single.meter.store_limit(bytes)) {
                        let states = self.cache.len();
                        return Err(self.single.stop(Limit::Kept { states, bytes }));
                    }
                }
                found => break found,
            }
        };
        match found {
            CacheEntry::Known | CacheEntry::Full => Ok(()),
            CacheEntry::New { sleep_set } => self.enter_new(entry, steps, sleep_set),
            CacheEntry::Again { woken, sleep_set } => {
                let schedule =
                    if is_usual { Schedule::only(woken, sleep_set) } else { Schedule::all_but(0) };
                self.enter_again(entry, steps, schedule)
            }
        }
    }

    fn enter_new(
        &mut self,
        entry: usize,
        steps: u64,
        sleep_set: SleepSet,
    ) -> Result<(), SequentialStop> {
        let expand = self.single.add(steps)?;
        self.push(entry, steps, Schedule::all_but(sleep_set))?;
        self.check_invariants(entry)?;
        if !expand {
            return Ok(());
        }
        let state = &self.successors[entry + 1..=entry + self.system.width().all];
        let stop = self.single.flag();
        self.expansion.expand(self.system, state, &mut self.single.tally, stop)?;
        let errors = std::mem::take(&mut self.expansion.errors);
        self.report(errors)?;
        self.append_successors(entry)
    }

    /// The state was expanded before: its transitions are not counted, nor its errors reported.
    fn enter_again(
        &mut self,
        entry: usize,
        steps: u64,
        schedule: Schedule,
    ) -> Result<(), SequentialStop> {
        let expand = self.single.is_within_depth(steps);
        self.push(entry, steps, schedule)?;
        if !expand {
            return Ok(());
        }
        let state = &self.successors[entry + 1..=entry + self.system.width().all];
        let stop = self.single.flag();
        self.expansion.expand(self.system, state, &mut self.uncounted, stop)?;
        self.append_successors(entry)
    }

    fn push(&mut self, state: usize, steps: u64, schedule: Schedule) -> Result<(), SequentialStop> {
        let waiting = (self.successors.len() / self.expansion.stride()) as u64;
        self.single.tick(|| self.cache.memory_bytes(), waiting)?;
        let (first, independence) = (self.successors.len(), self.independence.len());
        self.frames.push(CacheFrame { state, first, independence, schedule, steps });
        Ok(())
    }

    fn check_invariants(&mut self, entry: usize) -> Result<(), SequentialStop> {
        let state = &self.successors[entry + 1..=entry + self.system.width().all];
        let mut violated = Vec::new();
        self.system.check_stored(state, &mut violated);
        self.report(violated.into_iter().map(|error| (error, Vec::new())).collect())
    }

    /// Reports the errors found in the state at the top of the stack.
    fn report(&mut self, errors: FoundErrors) -> Result<(), SequentialStop> {
        if errors.is_empty() {
            return Ok(());
        }
        let (frames, stride) = (&self.frames, self.expansion.stride());
        let (system, initial) = (self.system, self.initial);
        self.single.note(errors, |codes| {
            run_by_choices(system, initial, path_to_top(frames, stride), codes)
        })
    }

    /// Appends the successors of the top of the stack, which was just expanded, and their
    /// independence table. Sleeping steps that lead to stored states are taken at once.
    fn append_successors(&mut self, entry: usize) -> Result<(), SequentialStop> {
        let Some(CacheFrame { schedule, independence, .. }) = self.frames.last().copied() else {
            return Ok(());
        };
        let count = self.expansion.labels().len();
        if let Some(finder) = &mut self.independence_finder
            && schedule.needs_independence(count)
        {
            let (here, uncounted, stop) =
                (&self.expansion, &mut self.uncounted, self.single.flag());
            finder.append_table(self.system, here, uncounted, stop, &mut self.independence)?;
        }
        let (width, stride) = (self.system.width(), self.expansion.stride());
        let sleep_set = schedule.sleep_set();
        if sleep_set != 0 {
            let is_known = |index: usize, sleep_set: SleepSet| {
                let successor =
                    &self.expansion.successors()[index * stride + 1..(index + 1) * stride];
                let (state, unstored) = successor.split_at(width.identity);
                self.cache.knows(state, if unstored == self.unstored { sleep_set } else { 0 })
            };
            let table = &self.independence[independence..];
            let remaining = remaining_sleep_set(table, count, sleep_set, is_known);
            if remaining != sleep_set {
                let state = &self.successors[entry + 1..=entry + width.identity];
                self.cache.restrict_sleep_set(state, remaining);
            }
        }
        self.successors.extend_from_slice(self.expansion.successors());
        Ok(())
    }
}

/// The path to the top of the stack, as successor indices from the initial state.
fn path_to_top(frames: &[CacheFrame], stride: usize) -> Vec<u32> {
    let index = |pair: &[CacheFrame]| ((pair[1].state - pair[0].first) / stride) as u32;
    frames.windows(2).map(index).collect()
}
