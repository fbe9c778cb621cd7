//! A search as a sequence of rounds.
//!
//! In a round workers run side by side and share the store. What needs it whole ends the round: growing it, translating it
//! to a wider layout, the end of a breadth-first level, the end of the search. Then the workers' threads have ended, their work is
//! in their structs, and one thread acts alone. While a round lasts, that thread watches the limits.
//!
//! A search begins with one worker that also notes predecessors: small searches stay cheap, and an error found early has
//! its run at once. Where an error is found later, a second search with one worker and with predecessors finds the
//! run. So counterexamples do not depend on the number of threads.

use crate::limits::{GRACE, Limit, Meter, peak_memory_bytes};
use crate::loss::lost_with_one;
use crate::outcome::{MAX_VIOLATIONS, Outcome, Statistics, Violation};
use crate::pool::{Live, Pool, Sign, thread_count};
use crate::predecessors::Predecessors;
use crate::store::{Guarantee, Interned, Packed, Store};
use crate::tally::Tally;
use crate::worker::{Context, Span, Worker};
use crate::{Coverage, Goal, Limits, Options, Order, threads};
use model::RuntimeError;
use model::system::{Misfit, System};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

mod compressing;
mod saving;
mod watching;
mod widening;

use watching::{Running, watch};

/// States whose predecessors are noted at the start.
const NOTED_STATES: usize = 1 << 20;
/// States after which one worker is joined by others.
const FEW_STATES: u64 = 1 << 16;
/// The same for steps: where there are many for each state, that takes as long.
const FEW_STEPS: u64 = 1 << 15;
/// A breadth-first level of fewer than this part of them is left to one worker.
const LEVELS: u64 = 16;
/// One part in so many of the memory is left free for compressing: while states are copied, some are there twice.
const COMPRESSING: u64 = 8;
/// How often limits are looked at.
const WATCH: Duration = Duration::from_millis(20);

/// How far a search has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    /// States not yet expanded, roughly.
    pub waiting: u64,
    pub memory_bytes: u64,
    pub elapsed: Duration,
    /// If there are several searches: which one this is.
    pub repetition: Option<Repetition>,
}

/// One of several searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// Counts from 1.
    pub run: u64,
    pub of: u64,
    /// What those before it took.
    pub before: Duration,
}

impl Repetition {
    /// How long it will take from here, if all searches take as long as those before; after so much of this one.
    pub fn left(&self, elapsed: Duration) -> Option<Duration> {
        let done = self.run.checked_sub(1).filter(|done| *done > 0)?;
        let each = self.before.div_f64(done as f64);
        let searches = (self.of + 1).saturating_sub(self.run);
        Some(each.mul_f64(searches as f64).saturating_sub(elapsed))
    }
}

/// A search from the initial states to an outcome.
pub(crate) fn search<S: System, T: Store>(system: &S, store: T, options: &Options<'_>) -> Outcome
where
    T::Key: Send,
{
    match Search::begin(system, store, options) {
        Ok(mut search) => {
            search.run();
            search.conclude()
        }
        Err(outcome) => *outcome,
    }
}

/// The same with whole states while there is memory for them, and then with compressed ones.
pub(crate) fn search_compressing<S: System>(system: &S, store: Packed, options: &Options<'_>) -> Outcome {
    let mut search = match Search::begin(system, store, options) {
        Ok(search) => search,
        Err(outcome) => return *outcome,
    };
    search.meter.reserve(COMPRESSING);
    search.run();
    if !search.would_compress() {
        search.use_all_memory();
        return search.conclude();
    }
    let mut search: Search<'_, S, Interned> = search.compressed();
    search.run();
    search.conclude()
}

/// The system: the one given, or a wider one.
enum Held<'a, S> {
    Given(&'a S),
    Wider(Box<S>),
}

impl<S> Held<'_, S> {
    fn get(&self) -> &S {
        match self {
            Held::Given(system) => system,
            Held::Wider(system) => system,
        }
    }
}

/// Errors to which no run was found. Whoever wants one error has enough with one run.
fn unshown(tally: &Tally, all: bool) -> Vec<RuntimeError> {
    let is_shown = |error: &RuntimeError| tally.violations.iter().any(|shown| shown.error == *error);
    match tally.violations.is_empty() || all {
        true => tally.unshown.iter().filter(|error| !is_shown(error)).cloned().collect(),
        false => Vec::new(),
    }
}

struct Search<'a, S, T: Store> {
    system: Held<'a, S>,
    store: T,
    options: &'a Options<'a>,
    goal: Goal,
    workers: Vec<Worker<T::Key>>,
    meter: Meter<'a>,
    sign: Sign,
    live: Vec<Live>,
    stored: AtomicU64,
    /// When limits and listeners were last served.
    told: Mutex<(Instant, Instant)>,
    /// The states that did not fit, for each time the system was widened.
    misfits: Vec<Misfit>,
    /// How many states there were when memory grew short and they were compressed.
    compressed: Option<u64>,
    /// The store lacks states that were met.
    lost: bool,
    last_save: Instant,
    saved: bool,
    checkpoint_failure: Option<String>,
}

impl<'a, S: System, T: Store> Search<'a, S, T>
where
    T::Key: Send,
{
    fn new(system: &'a S, store: T, options: &'a Options<'a>, goal: Goal) -> Search<'a, S, T> {
        let mut count = thread_count(options.threads);
        if matches!(goal, Goal::Errors(_)) {
            count = 1;
        }
        let mut workers: Vec<_> = (0..count).map(|number| Worker::new(number, system.width())).collect();
        let noted = match options.join_after {
            _ if matches!(goal, Goal::Errors(_)) => usize::MAX,
            Some(states) => usize::try_from(states).unwrap_or(usize::MAX),
            None => NOTED_STATES,
        };
        workers[0].predecessors = Some(Predecessors::new(noted, options.limits.memory_bytes));
        for worker in &mut workers {
            worker.tally.coverage = Coverage::new(system.transition_count());
        }
        let now = Instant::now();
        Search {
            system: Held::Given(system),
            store,
            options,
            goal,
            workers,
            meter: Meter::new(&options.limits, Duration::ZERO),
            sign: Sign::default(),
            live: (0..count).map(|_| Live::default()).collect(),
            stored: AtomicU64::new(0),
            told: Mutex::new((now, now)),
            misfits: Vec::new(),
            compressed: None,
            lost: false,
            last_save: now,
            saved: false,
            checkpoint_failure: None,
        }
    }

    /// A search that has its first states; the outcome, if there are none to begin with.
    fn begin(system: &'a S, store: T, options: &'a Options<'a>) -> Result<Search<'a, S, T>, Box<Outcome>> {
        let goal = if options.all_errors { Goal::Everything } else { Goal::FirstError };
        let mut search = Search::new(system, store, options, goal);
        match options.resume {
            Some(saved) => search.resume(saved).map_err(|error| Outcome {
                checkpoint_failure: Some(error.to_string()),
                ..Outcome::default()
            })?,
            None => search.start().map_err(Outcome::without_start)?,
        }
        Ok(search)
    }

    /// What a search that has ended found.
    fn conclude(mut self) -> Outcome {
        if self.sign.limit().is_some() && !self.lost {
            self.saved = self.save();
        }
        let mut tally = self.tally();
        let (mut outcome, all) = (self.outcome(&tally), self.options.all_errors);
        if !tally.unshown.is_empty() {
            let errors = std::mem::take(&mut tally.unshown);
            let (more, limit) = self.show(errors.clone());
            outcome.limit = outcome.limit.or(limit);
            tally.violations.extend(more);
            tally.violations.truncate(MAX_VIOLATIONS);
            tally.unshown = errors;
        }
        Outcome { unshown: unshown(&tally, all), violations: tally.violations, ..outcome }
    }

    /// Begins with the initial states, or with the error met in making them.
    fn start(&mut self) -> Result<(), RuntimeError> {
        for (number, state) in self.system.get().initial_states()?.iter().enumerate() {
            self.workers[0].start(number, state);
        }
        Ok(())
    }

    /// Runs rounds until the search is over.
    fn run(&mut self) {
        let mut span = match self.workers.len() {
            1 => Span::Alone { states: u64::MAX, steps: u64::MAX, level: usize::MAX },
            // Any of them may have something to do.
            _ if self.compressed.is_some() => Span::Together,
            _ => self.alone_at_first(),
        };
        loop {
            if let Err(limit) = self.meter.check_time() {
                self.sign.stop(Some(limit));
            }
            if self.sign.is_over() {
                return;
            }
            self.round(span);
            if self.sign.is_over() {
                return;
            }
            self.sign.lower();
            if self.is_save_due() {
                self.save();
            }
            if self.workers.iter().any(|worker| worker.misfit.is_some()) {
                self.widen();
                continue;
            }
            if self.workers.iter().any(Worker::needs_room) {
                let bytes = self.store.memory_bytes();
                if !self.store.grow(self.meter.store_limit(bytes), self.workers.len()) {
                    self.sign.stop(Some(self.meter.out_of_memory(bytes)));
                }
                continue;
            }
            if self.options.order == Order::BreadthFirst && self.workers.iter().all(Worker::is_idle) {
                self.next_level();
            }
            if self.workers.iter().all(Worker::is_idle) {
                return;
            }
            if self.workers.len() > 1 {
                span = self.next_span();
            }
        }
    }

    fn few_states(&self) -> u64 {
        self.options.join_after.unwrap_or(FEW_STATES)
    }

    fn few_steps(&self) -> u64 {
        self.options.join_after.map_or(FEW_STEPS, |_| u64::MAX)
    }

    fn alone_at_first(&self) -> Span {
        Span::Alone { states: self.few_states(), steps: self.few_steps(), level: self.small_level() }
    }

    fn small_level(&self) -> usize {
        usize::try_from(self.few_states() / LEVELS).unwrap_or(usize::MAX)
    }

    /// Who shall work next? Precondition: nothing waits for room.
    fn next_span(&mut self) -> Span {
        let states: u64 = self.workers.iter().map(|worker| worker.tally.states).sum();
        let level: usize = self.workers.iter().map(|worker| worker.frontier.len()).sum();
        let steps: u64 = self.workers.iter().map(|worker| worker.tally.steps()).sum();
        if states < self.few_states() && steps < self.few_steps() {
            self.gather();
            return self.alone_at_first();
        }
        for worker in &mut self.workers {
            worker.predecessors = None;
        }
        if self.options.order == Order::BreadthFirst && level <= self.small_level() {
            self.gather();
            return Span::Alone { states: u64::MAX, steps: u64::MAX, level: self.small_level() };
        }
        Span::Together
    }

    /// Gives all work to the first worker.
    fn gather(&mut self) {
        let (first, others) = self.workers.split_first_mut().expect("there is a worker");
        for worker in others {
            while let Some(chunk) = worker.frontier.take_chunk() {
                first.frontier.add_chunk(chunk);
            }
            while let Some(chunk) = worker.next.take_chunk() {
                first.next.add_chunk(chunk);
            }
        }
    }

    /// All states of the next level become those of this one.
    fn next_level(&mut self) {
        for worker in &mut self.workers {
            std::mem::swap(&mut worker.frontier, &mut worker.next);
        }
    }

    /// Lets workers run until the round ends.
    fn round(&mut self, span: Span) {
        let members = if span == Span::Together { self.workers.len() } else { 1 };
        let mut chunks = Vec::new();
        if span == Span::Together && self.options.order == Order::BreadthFirst {
            for worker in &mut self.workers {
                while let Some(chunk) = worker.frontier.take_chunk() {
                    chunks.push(chunk);
                }
            }
        }
        let pool = Pool::new(members, chunks);
        let context = Context {
            system: self.system.get(),
            store: &self.store,
            sign: &self.sign,
            pool: &pool,
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
        let running = Running::new(members);
        let mut unstarted = Vec::new();
        thread::scope(|scope| {
            let (context, running) = (&context, &running);
            let mut first = None;
            for (number, worker) in self.workers[..members].iter_mut().enumerate() {
                // A closure that could not be started is gone, and with it a reference it held; so it holds a place to
                // find the worker in.
                let slot = Mutex::new(Some(worker));
                let slot = std::sync::Arc::new(slot);
                let held = std::sync::Arc::clone(&slot);
                let started = threads::start(scope, move || {
                    let _done = running.end_later();
                    let worker = held.lock().unwrap_or_else(PoisonError::into_inner).take();
                    if let Some(worker) = worker {
                        worker.run(context, span);
                    }
                });
                if started.is_err() {
                    running.end();
                    unstarted.push(number);
                    first = first.or_else(|| slot.lock().unwrap_or_else(PoisonError::into_inner).take());
                }
            }
            // Without any thread at all, this one does the work; limits are not watched then.
            let alone = unstarted.len() == members;
            unstarted.iter().skip(usize::from(alone)).for_each(|_| context.pool.leave());
            if alone && let Some(worker) = first {
                worker.run(context, span);
            }
            while !running.wait(self.meter.pause(WATCH)) {
                watch(&self.meter, &self.sign, &self.told, &self.live, self.options, &self.store);
                if save_at.is_some_and(|time| Instant::now() >= time) {
                    self.sign.pause();
                }
            }
        });
        for chunk in pool.into_chunks() {
            self.workers[0].frontier.add_chunk(chunk);
        }
        if span == Span::Together {
            self.dismiss(&unstarted);
        }
    }

    /// Goes on without the workers for which no thread could be started; one of the others takes over their work.
    fn dismiss(&mut self, unstarted: &[usize]) {
        for &number in unstarted.iter().rev() {
            if self.workers.len() > 1 {
                let worker = self.workers.remove(number);
                self.workers[0].absorb(worker);
            }
        }
    }

    /// The figures of all workers.
    fn tally(&self) -> Tally {
        let mut all = Tally::default();
        for worker in &self.workers {
            all.join(&worker.tally);
        }
        all
    }

    fn outcome(&self, tally: &Tally) -> Outcome {
        let mut limit = self.sign.limit();
        if tally.too_deep {
            limit = limit.or(self.options.limits.depth.map(Limit::Depth));
        }
        let guarantee = match self.store.guarantee() {
            Guarantee::Exact => Guarantee::Exact,
            Guarantee::Omissions { expected } => {
                let lost = if expected > 0.0 { lost_with_one(self.system.get(), &tally.ways) } else { 1.0 };
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
            exhaustive: limit.is_none() && !self.sign.is_over() && guarantee == Guarantee::Exact,
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
            },
            coverage: tally.coverage.clone(),
            checkpoint_failure: self.checkpoint_failure.clone(),
            saved: self.saved,
        }
    }

    /// Finds runs to errors that are known to exist; the limit, if one was reached before that.
    fn show(self, errors: Vec<RuntimeError>) -> (Vec<Violation>, Option<Limit>) {
        drop(self.workers);
        let system = self.system.get();
        let bits = system.identity_bits();
        let memory_bytes = self.options.limits.memory_bytes;
        let Some(store) = self.store.into_emptied(&bits) else {
            return (Vec::new(), memory_bytes.map(Limit::MemoryBytes));
        };
        let budget = self.options.limits.budget.extended(GRACE);
        let limits = Limits { budget: &budget, memory_bytes, ..Limits::default() };
        let options = Options { limits, checkpoint: None, resume: None, ..self.options.clone() };
        let goal = if self.options.all_errors { Goal::Errors(errors) } else { Goal::FirstError };
        let mut second = Search::new(system, store, &options, goal);
        second.workers.truncate(1);
        second.workers[0].predecessors = Some(Predecessors::new(usize::MAX, memory_bytes));
        match second.start() {
            Ok(()) => second.run(),
            Err(_) => return (Vec::new(), None),
        }
        (second.tally().violations, second.sign.limit())
    }
}
