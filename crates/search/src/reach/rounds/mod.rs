//! A parallel search as a sequence of rounds.
//!
//! In a round, workers run in parallel and share the store. Operations that need exclusive access
//! to the store end the round: growing it, recoding it for a wider layout, the end of a
//! breadth-first level, the end of the search. Then the workers' threads have ended and the main
//! thread acts alone. During a round the main thread checks the limits.
//!
//! A search begins with one worker that also records predecessors: small searches stay cheap, and
//! the run to an early error is known at once. The run to a later error is found by a second search
//! with one worker and with predecessors, so counterexamples do not depend on the number of
//! threads.

use crate::limits::{Limit, Meter, peak_memory_bytes};
use crate::omission::lost_states::lost_per_omission;
use crate::outcome::{MAX_VIOLATIONS, Outcome, Statistics, Violation};
use crate::reach::predecessors::Predecessors;
use crate::reach::tally::Tally;
use crate::reach::work_pool::{LiveCounters, StopSignal, WorkPool, thread_count};
use crate::reach::worker::{RoundContext, RoundScope, Worker};
use crate::store::{Guarantee, Interned, Packed, Store};
use crate::tuning::limits::RUN_GRACE;
use crate::tuning::reach::{
    ALONE_STATES, ALONE_STEPS, COMPRESSION_RESERVE, INTERNING_RETRY_FACTOR, INTERNING_STATES,
    RECORDED_STATES, SMALL_LEVEL_DIVISOR, WATCH_INTERVAL,
};
use crate::{Coverage, Goal, Limits, Options, Order};
use lariat_ir::RuntimeError;
use lariat_ir::system::{Misfit, System};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

mod compressing;
mod recoding;
mod saving;
mod watching;
mod widening;

use watching::{RunningThreads, WatchTimes, watch};

/// The progress of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// States stored.
    pub states: u64,
    /// Transitions taken, see [`Statistics::transitions`].
    pub transitions: u64,
    /// The greatest depth so far.
    pub depth: u64,
    /// States not yet expanded, approximately.
    pub waiting: u64,
    /// Resident memory of the process.
    pub memory_bytes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// The place of this search in a series of searches, if there is one.
    pub repetition: Option<Repetition>,
}

/// The place of a search in a series of searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// The number of this search, from 1.
    pub run: u64,
    /// The number of searches.
    pub of: u64,
    /// The time that the previous searches took.
    pub before: Duration,
}

impl Repetition {
    /// The estimated remaining time of the series, after `elapsed` of this search: each search is
    /// expected to take the mean time of the previous ones.
    pub fn left(&self, elapsed: Duration) -> Option<Duration> {
        let done = self.run.checked_sub(1).filter(|done| *done > 0)?;
        let each = self.before.div_f64(done as f64);
        let searches = (self.of + 1).saturating_sub(self.run);
        Some(each.mul_f64(searches as f64).saturating_sub(elapsed))
    }
}

/// Searches from the initial states, or from a saved search, to an outcome.
pub(crate) fn search<S: System, T: Store>(system: &S, store: T, options: &Options<'_>) -> Outcome
where
    T::Key: Send,
{
    match ParallelSearch::begin(system, store, options) {
        Ok(mut search) => {
            search.run();
            search.conclude()
        }
        Err(outcome) => *outcome,
    }
}

/// Searches with packed states, and switches to interned states when these take much less memory,
/// or when memory runs out.
pub(crate) fn search_compressing<S: System>(
    system: &S,
    store: Packed,
    options: &Options<'_>,
) -> Outcome {
    let mut search = match ParallelSearch::begin(system, store, options) {
        Ok(search) => search,
        Err(outcome) => return *outcome,
    };
    search.meter.reserve(COMPRESSION_RESERVE);
    search.pause_states = INTERNING_STATES;
    search.run();
    while search.is_paused() {
        if let Some(store) = search.smaller_store() {
            let (mut search, packed) = search.with_store(store);
            drop(packed);
            search.meter.reserve(0);
            search.run();
            return search.conclude();
        }
        search.pause_states = search.store.len().saturating_mul(INTERNING_RETRY_FACTOR);
        search.run();
    }
    if !search.would_compress() {
        search.continue_without_reserve();
        return search.conclude();
    }
    // Without memory for even a small compressed store, the memory limit ends the search.
    let Some(store) = Interned::new(search.system.get().width().identity) else {
        return search.conclude();
    };
    let mut search: ParallelSearch<'_, S, Interned> = search.compressed(store);
    search.run();
    search.conclude()
}

/// The system being searched.
enum CurrentSystem<'a, S> {
    Given(&'a S),
    Wider(Box<S>),
}

impl<S> CurrentSystem<'_, S> {
    fn get(&self) -> &S {
        match self {
            CurrentSystem::Given(system) => system,
            CurrentSystem::Wider(system) => system,
        }
    }
}

/// Errors without a run. If only one error is wanted, one error with a run suffices.
fn unshown(tally: &Tally, all: bool) -> Vec<RuntimeError> {
    let is_shown =
        |error: &RuntimeError| tally.violations.iter().any(|shown| shown.error == *error);
    match tally.violations.is_empty() || all {
        true => tally.unshown.iter().filter(|error| !is_shown(error)).cloned().collect(),
        false => Vec::new(),
    }
}

struct ParallelSearch<'a, S, T: Store> {
    system: CurrentSystem<'a, S>,
    store: T,
    options: &'a Options<'a>,
    goal: Goal,
    workers: Vec<Worker<T::Key>>,
    meter: Meter<'a>,
    signal: StopSignal,
    live: Vec<LiveCounters>,
    stored: AtomicU64,
    watch_times: Mutex<WatchTimes>,
    /// The misfit of each layout that was widened, in order.
    misfits: Vec<Misfit>,
    /// The scope of the last round.
    scope: Option<RoundScope>,
    /// With this many states, the search pauses before the store grows.
    pause_states: u64,
    /// The number of states when they were compressed, if they were.
    compressed: Option<u64>,
    /// States are missing in the store, so the search cannot be saved.
    lost: bool,
    last_save: Instant,
    saved: bool,
    checkpoint_failure: Option<String>,
}

impl<'a, S: System, T: Store> ParallelSearch<'a, S, T>
where
    T::Key: Send,
{
    fn new(
        system: &'a S,
        store: T,
        options: &'a Options<'a>,
        goal: Goal,
    ) -> ParallelSearch<'a, S, T> {
        let mut count = thread_count(options.threads);
        if matches!(goal, Goal::Errors(_)) {
            count = 1;
        }
        let mut workers: Vec<_> =
            (0..count).map(|number| Worker::new(number, system.width())).collect();
        let recorded = match options.join_after {
            _ if matches!(goal, Goal::Errors(_)) => usize::MAX,
            Some(states) => usize::try_from(states).unwrap_or(usize::MAX),
            None => RECORDED_STATES,
        };
        workers[0].predecessors = Some(Predecessors::new(recorded, options.limits.memory_bytes));
        for worker in &mut workers {
            worker.tally.coverage = Coverage::new(system.transition_count());
        }
        let now = Instant::now();
        ParallelSearch {
            system: CurrentSystem::Given(system),
            store,
            options,
            goal,
            workers,
            meter: Meter::new(&options.limits, Duration::ZERO),
            signal: StopSignal::default(),
            live: (0..count).map(|_| LiveCounters::default()).collect(),
            stored: AtomicU64::new(0),
            watch_times: Mutex::new(WatchTimes::new(now)),
            misfits: Vec::new(),
            scope: None,
            pause_states: u64::MAX,
            compressed: None,
            lost: false,
            last_save: now,
            saved: false,
            checkpoint_failure: None,
        }
    }

    /// A search with its initial or saved states; an outcome if these cannot be made.
    fn begin(
        system: &'a S,
        store: T,
        options: &'a Options<'a>,
    ) -> Result<ParallelSearch<'a, S, T>, Box<Outcome>> {
        let goal = if options.all_errors { Goal::Everything } else { Goal::FirstError };
        let mut search = ParallelSearch::new(system, store, options, goal);
        match options.resume {
            Some(saved) => search.resume(saved).map_err(|error| Outcome {
                checkpoint_failure: Some(error.to_string()),
                ..Outcome::default()
            })?,
            None => search.start().map_err(Outcome::without_start)?,
        }
        Ok(search)
    }

    /// The outcome of a search that has ended.
    fn conclude(mut self) -> Outcome {
        if self.signal.limit().is_some() && !self.lost {
            self.saved = self.save();
        }
        let mut tally = self.tally();
        let (mut outcome, all) = (self.outcome(&tally), self.options.all_errors);
        if !tally.unshown.is_empty() {
            let errors = std::mem::take(&mut tally.unshown);
            let (more, limit) = self.find_runs(errors.clone());
            outcome.limit = outcome.limit.or(limit);
            tally.violations.extend(more);
            tally.violations.truncate(MAX_VIOLATIONS);
            tally.unshown = errors;
        }
        Outcome { unshown: unshown(&tally, all), violations: tally.violations, ..outcome }
    }

    /// Adds the initial states; fails if making one is an error of the program.
    fn start(&mut self) -> Result<(), RuntimeError> {
        for (number, state) in self.system.get().initial_states()?.iter().enumerate() {
            self.workers[0].start(number, state);
        }
        Ok(())
    }

    /// Whether the search waits for the store to grow, and not at a limit.
    fn is_paused(&self) -> bool {
        !self.signal.is_search_over() && self.workers.iter().any(Worker::needs_room)
    }

    /// Runs rounds until the search is over, or pauses.
    fn run(&mut self) {
        let mut scope = match (self.scope, self.workers.len()) {
            (_, 1) => RoundScope::Alone { states: u64::MAX, steps: u64::MAX, level: usize::MAX },
            // After compression any worker may have states to expand.
            _ if self.compressed.is_some() => RoundScope::Together,
            (Some(scope), _) => scope,
            (None, _) => self.first_scope(),
        };
        loop {
            if let Err(limit) = self.meter.check_time() {
                self.signal.end_search(Some(limit));
            }
            if self.signal.is_search_over() {
                return;
            }
            self.scope = Some(scope);
            self.round(scope);
            if self.signal.is_search_over() {
                return;
            }
            self.signal.clear();
            if self.is_save_due() {
                self.save();
            }
            if self.workers.iter().any(|worker| worker.misfit.is_some()) {
                self.widen();
                continue;
            }
            if self.workers.iter().any(Worker::needs_room) {
                if self.store.len() >= self.pause_states {
                    return;
                }
                let bytes = self.store.memory_bytes();
                if !self.store.grow(self.meter.store_limit(bytes), self.workers.len()) {
                    self.signal.end_search(Some(self.meter.out_of_memory(bytes)));
                }
                continue;
            }
            if self.options.order == Order::BreadthFirst && self.workers.iter().all(Worker::is_idle)
            {
                self.next_level();
            }
            if self.workers.iter().all(Worker::is_idle) {
                return;
            }
            if self.workers.len() > 1 {
                scope = self.next_scope();
            }
        }
    }

    fn alone_states(&self) -> u64 {
        self.options.join_after.unwrap_or(ALONE_STATES)
    }

    fn alone_steps(&self) -> u64 {
        self.options.join_after.map_or(ALONE_STEPS, |_| u64::MAX)
    }

    fn first_scope(&self) -> RoundScope {
        RoundScope::Alone {
            states: self.alone_states(),
            steps: self.alone_steps(),
            level: self.small_level(),
        }
    }

    fn small_level(&self) -> usize {
        usize::try_from(self.alone_states() / SMALL_LEVEL_DIVISOR).unwrap_or(usize::MAX)
    }

    /// The scope of the next round. Precondition: no successor waits for room in the store.
    fn next_scope(&mut self) -> RoundScope {
        let states: u64 = self.workers.iter().map(|worker| worker.tally.states).sum();
        let level: usize = self.workers.iter().map(|worker| worker.frontier.len()).sum();
        let steps: u64 = self.workers.iter().map(|worker| worker.tally.steps()).sum();
        if states < self.alone_states() && steps < self.alone_steps() {
            self.gather();
            return self.first_scope();
        }
        for worker in &mut self.workers {
            worker.predecessors = None;
        }
        if self.options.order == Order::BreadthFirst && level <= self.small_level() {
            self.gather();
            return RoundScope::Alone {
                states: u64::MAX,
                steps: u64::MAX,
                level: self.small_level(),
            };
        }
        RoundScope::Together
    }

    /// Moves all states to expand to the first worker.
    fn gather(&mut self) {
        let (first, others) = self.workers.split_first_mut().expect("there is a worker");
        for worker in others {
            first.frontier.append(&mut worker.frontier);
            first.next.append(&mut worker.next);
        }
    }

    /// Begins the next breadth-first level.
    fn next_level(&mut self) {
        for worker in &mut self.workers {
            std::mem::swap(&mut worker.frontier, &mut worker.next);
        }
    }

    /// Runs the workers until the round ends.
    fn round(&mut self, scope: RoundScope) {
        let members = if scope == RoundScope::Together { self.workers.len() } else { 1 };
        let mut chunks = Vec::new();
        if scope == RoundScope::Together && self.options.order == Order::BreadthFirst {
            for worker in &mut self.workers {
                while let Some(chunk) = worker.frontier.take_chunk() {
                    chunks.push(chunk);
                }
            }
        }
        let pool = WorkPool::new(members, chunks);
        let context = RoundContext {
            system: self.system.get(),
            store: &self.store,
            signal: &self.signal,
            pool: &pool,
            meter: &self.meter,
            alone: members == 1,
            live: &self.live,
            order: self.options.order,
            goal: &self.goal,
            depth_limit: self.options.limits.depth.unwrap_or(u64::MAX),
            state_limit: self.options.limits.states,
            stored: &self.stored,
        };
        let every = self.options.checkpoint.and_then(|checkpoint| checkpoint.every);
        let save_at = every.and_then(|every| self.last_save.checked_add(every));
        let running = RunningThreads::new(members);
        let mut unstarted = Vec::new();
        thread::scope(|threads| {
            let (context, running) = (&context, &running);
            let mut first = None;
            for (number, worker) in self.workers[..members].iter_mut().enumerate() {
                // If the thread cannot be started, the closure is dropped with everything it owns;
                // so the worker is in a shared slot.
                let slot = Mutex::new(Some(worker));
                let slot = std::sync::Arc::new(slot);
                let held = std::sync::Arc::clone(&slot);
                let started = crate::threads::start(threads, move || {
                    let _end = running.end_on_drop();
                    let worker = held.lock().unwrap_or_else(PoisonError::into_inner).take();
                    if let Some(worker) = worker {
                        worker.run(context, scope);
                    }
                });
                if started.is_err() {
                    running.end();
                    unstarted.push(number);
                    first = first
                        .or_else(|| slot.lock().unwrap_or_else(PoisonError::into_inner).take());
                }
            }
            // If no thread could be started, this one runs a worker. The time limit is not checked
            // then.
            let alone = unstarted.len() == members;
            unstarted.iter().skip(usize::from(alone)).for_each(|_| context.pool.leave());
            if alone && let Some(worker) = first {
                worker.run(context, scope);
            }
            while !running.wait(self.meter.pause(WATCH_INTERVAL)) {
                watch(context, &self.watch_times, self.options);
                if save_at.is_some_and(|time| Instant::now() >= time) {
                    self.signal.end_round();
                }
            }
        });
        for chunk in pool.into_chunks() {
            self.workers[0].frontier.add_chunk(chunk);
        }
        if scope == RoundScope::Together {
            self.dismiss(&unstarted);
        }
    }

    /// Removes the workers for which no thread could be started; another takes over their work.
    fn dismiss(&mut self, unstarted: &[usize]) {
        for &number in unstarted.iter().rev() {
            if self.workers.len() > 1 {
                let worker = self.workers.remove(number);
                self.workers[0].absorb(worker);
            }
        }
    }

    /// The counts of all workers.
    fn tally(&self) -> Tally {
        let mut all = Tally::default();
        for worker in &self.workers {
            all.join(&worker.tally);
        }
        all
    }

    fn outcome(&self, tally: &Tally) -> Outcome {
        let mut limit = self.signal.limit();
        if tally.too_deep {
            limit = limit.or(self.options.limits.depth.map(Limit::Depth));
        }
        let guarantee = match self.store.guarantee() {
            Guarantee::Exact => Guarantee::Exact,
            Guarantee::Omissions { expected } => {
                let lost = if expected > 0.0 {
                    lost_per_omission(self.system.get(), &tally.ways)
                } else {
                    1.0
                };
                Guarantee::Omissions { expected: expected * lost }
            }
        };
        let store_bytes = self.store.memory_bytes();
        Outcome {
            violations: Vec::new(),
            unshown: Vec::new(),
            errors: tally.errors,
            error_kinds: tally.error_kinds.keys().copied().collect(),
            limit,
            phase: None,
            guarantee,
            exhaustive: limit.is_none()
                && !self.signal.is_search_over()
                && !self.is_paused()
                && guarantee == Guarantee::Exact,
            endless_atomic: tally.endless_atomic,
            statistics: Statistics {
                states: tally.states.min(self.options.limits.states.unwrap_or(u64::MAX)),
                transitions: tally.transitions,
                atomic_steps: tally.atomic_steps,
                depth: tally.depth,
                state_bytes: 8 * self.system.get().width().identity as u64,
                store_bytes,
                memory_bytes: peak_memory_bytes().unwrap_or(store_bytes),
                time: self.meter.elapsed(),
                revisits: None,
                compressed: self.compressed,
                widenings: self.misfits.len() as u64,
            },
            coverage: tally.coverage.clone(),
            checkpoint_failure: self.checkpoint_failure.clone(),
            saved: self.saved,
        }
    }

    /// Finds runs to known errors by a second search; also the limit that ended it, if any.
    fn find_runs(self, errors: Vec<RuntimeError>) -> (Vec<Violation>, Option<Limit>) {
        drop(self.workers);
        let system = self.system.get();
        system.search_repeated();
        let bits = system.identity_bits();
        let memory_bytes = self.options.limits.memory_bytes;
        let Some(store) = self.store.into_emptied(&bits) else {
            return (Vec::new(), memory_bytes.map(Limit::MemoryBytes));
        };
        let budget = self.options.limits.budget.extended(RUN_GRACE);
        let limits = Limits { budget: &budget, memory_bytes, ..Limits::default() };
        let options = Options { limits, checkpoint: None, resume: None, ..self.options.clone() };
        let goal = if self.options.all_errors { Goal::Errors(errors) } else { Goal::FirstError };
        let mut second = ParallelSearch::new(system, store, &options, goal);
        second.workers.truncate(1);
        second.workers[0].predecessors = Some(Predecessors::new(usize::MAX, memory_bytes));
        match second.start() {
            Ok(()) => second.run(),
            Err(_) => return (Vec::new(), None),
        }
        (second.tally().violations, second.signal.limit())
    }
}
