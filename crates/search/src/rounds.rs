//! A search as a sequence of rounds.
//!
//! In a round workers run side by side and share the store. What needs it whole ends the round: growing it, translating it
//! to a wider layout, the end of a breadth-first level, the end of the search. Then the workers' threads have ended, their work is
//! in their structs, and one thread acts alone. While a round lasts, that thread watches the limits.
//!
//! A search begins with one worker that also notes predecessors: small searches stay cheap, and an error found early has
//! its run at once. Where an error is found later, a second search with one worker and with predecessors finds the
//! run. So counterexamples do not depend on the number of threads.

use crate::batch::Batch;
use crate::checkpoint::{Checkpoint, Figures, Part, ResumeError, Saved, Writer};
use crate::limits::{Limit, Meter, peak_memory_bytes, resident_bytes};
use crate::outcome::{MAX_VIOLATIONS, Outcome, Statistics, Violation};
use crate::pool::{Live, Pool, Sign};
use crate::predecessors::Predecessors;
use crate::store::{Guarantee, Insertion, Store};
use crate::tally::Tally;
use crate::worker::{Context, NO_NUMBER, Span, Worker};
use crate::{Coverage, Goal, Limits, Options, Order};
use model::system::{Misfit, System};
use model::{RuntimeError, State};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// States whose predecessors are noted at the start.
const NOTED_STATES: usize = 1 << 20;
/// States after which one worker is joined by others.
const FEW_STATES: u64 = 1 << 16;
/// A breadth-first level of fewer than this part of them is left to one worker.
const LEVELS: u64 = 16;
/// With more states than this, translating them to a wider layout takes noticeable time.
const MANY_STATES: u64 = 40_000;
/// How often limits are looked at, and how often somebody is told about progress.
const WATCH: Duration = Duration::from_millis(20);
const TELL: Duration = Duration::from_millis(200);
const MEMORY: Duration = Duration::from_millis(60);
/// More threads than this help nobody.
const MOST_THREADS: usize = 1024;
/// Engines may recurse over expressions.
const STACK_BYTES: usize = 64 << 20;

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
}

/// A search from the initial states to an outcome.
pub(crate) fn search<S: System, T: Store>(system: &S, store: T, options: &Options<'_>) -> Outcome
where
    T::Key: Send,
{
    let goal = if options.all_errors { Goal::Everything } else { Goal::FirstError };
    let mut first = Search::new(system, store, options, goal);
    match options.resume {
        Some(saved) => {
            if let Err(error) = first.resume(saved) {
                return Outcome { checkpoint_failure: Some(error.to_string()), ..Outcome::default() };
            }
        }
        None => {
            if let Err(error) = first.start() {
                return Outcome::without_start(error);
            }
        }
    }
    first.run();
    if first.sign.limit().is_some() {
        first.saved = first.save();
    }
    let mut tally = first.tally();
    let outcome = first.outcome(&tally);
    if !tally.unshown.is_empty() {
        let more = first.show(std::mem::take(&mut tally.unshown));
        tally.violations.extend(more);
        tally.violations.truncate(MAX_VIOLATIONS);
    }
    Outcome { violations: tally.violations, ..outcome }
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
    misfits: Vec<Vec<State>>,
    last_save: Instant,
    saved: bool,
    checkpoint_failure: Option<String>,
}

impl<'a, S: System, T: Store> Search<'a, S, T>
where
    T::Key: Send,
{
    fn new(system: &'a S, store: T, options: &'a Options<'a>, goal: Goal) -> Search<'a, S, T> {
        let processors = || thread::available_parallelism().map_or(1, usize::from);
        let mut threads = options.threads.map_or_else(processors, usize::from).min(MOST_THREADS);
        if matches!(goal, Goal::Errors(_)) {
            threads = 1;
        }
        let mut workers: Vec<_> = (0..threads).map(|number| Worker::new(number, system.width())).collect();
        let noted = match options.join_after {
            _ if matches!(goal, Goal::Errors(_)) => usize::MAX,
            Some(states) => usize::try_from(states).unwrap_or(usize::MAX),
            None => NOTED_STATES,
        };
        workers[0].predecessors = Some(Predecessors::new(noted));
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
            live: (0..threads).map(|_| Live::default()).collect(),
            stored: AtomicU64::new(0),
            told: Mutex::new((now, now)),
            misfits: Vec::new(),
            last_save: now,
            saved: false,
            checkpoint_failure: None,
        }
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
        let mut span = Span::Alone { states: u64::MAX, level: usize::MAX };
        if self.workers.len() > 1 {
            span = Span::Alone { states: self.few_states(), level: self.small_level() };
        }
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

    fn is_save_due(&self) -> bool {
        let every = self.options.checkpoint.and_then(|checkpoint| checkpoint.every);
        every.is_some_and(|every| self.last_save.elapsed() >= every)
    }

    /// Saves the search, if that is wanted; was it?
    fn save(&mut self) -> bool {
        let Some(checkpoint) = self.options.checkpoint else { return false };
        self.last_save = Instant::now();
        let written = self.write(&checkpoint);
        self.checkpoint_failure = written
            .as_ref()
            .err()
            .map(|error| format!("cannot save the search in {}: {error}", checkpoint.path.display()));
        written.is_ok()
    }

    fn write(&self, checkpoint: &Checkpoint<'_>) -> io::Result<()> {
        let system = self.system.get();
        let mut figures = Figures::new(&self.tally(), self.options, checkpoint.fingerprint);
        figures.misfits = self.misfits.clone();
        figures.identity_bits = system.identity_bits();
        figures.words = system.width().all;
        figures.elapsed = self.meter.elapsed();
        let mut writer = Writer::create(checkpoint.path, &figures)?;
        writer.words(&[self.store.len() * system.width().identity as u64])?;
        let mut failure = None;
        let known = self.store.for_each(&mut |state| {
            if failure.is_none() {
                failure = writer.words(state).err();
            }
        });
        if !known {
            return Err(io::Error::other("the store does not keep the states"));
        }
        if let Some(error) = failure {
            return Err(error);
        }
        let mut lists = [Vec::new(), Vec::new(), Vec::new()];
        for worker in &self.workers {
            worker.frontier.save(&mut lists[0]);
            worker.next.save(&mut lists[1]);
            worker.save_waiting(&mut lists[2]);
        }
        for list in &lists {
            writer.list(list)?;
        }
        writer.finish()
    }

    /// Begins where a saved search ended.
    fn resume(&mut self, saved: &Saved) -> Result<(), ResumeError> {
        let figures = &saved.figures;
        for states in &figures.misfits {
            let wide = self.system.get().widened(&Misfit { states: states.clone(), ..Misfit::default() });
            self.system = Held::Wider(Box::new(wide));
        }
        self.misfits = figures.misfits.clone();
        let system = self.system.get();
        let (width, bits) = (system.width(), system.identity_bits());
        if bits != figures.identity_bits || width.all != figures.words {
            return Err(ResumeError::Other("layout of states; it may be from another version"));
        }
        self.store = self.store.emptied_for(&bits);
        let threads = self.workers.len();
        self.workers = (0..threads).map(|number| Worker::new(number, width)).collect();
        let mut tally = figures.tally();
        tally.coverage.join(&Coverage::new(system.transition_count()));
        for worker in &mut self.workers {
            worker.tally.coverage = Coverage::new(system.transition_count());
        }
        self.stored.store(tally.states, Ordering::Relaxed);
        let first = &mut self.workers[0];
        first.tally = tally;
        let (store, meter) = (&mut self.store, &self.meter);
        let mut full = false;
        saved.read(width, &mut |part, entry| match part {
            Part::Stored => loop {
                let key = store.key(entry);
                if store.insert(entry, key) != Insertion::Full || full {
                    break;
                }
                full = !store.grow(meter.store_limit(store.memory_bytes()), threads);
            },
            Part::Frontier => first.frontier.push(entry[0] | NO_NUMBER, &entry[1..]),
            Part::Next => first.next.push(entry[0] | NO_NUMBER, &entry[1..]),
            Part::Waiting => first.resume_waiting(entry),
        })?;
        if full {
            return Err(ResumeError::NoMemory);
        }
        self.meter = Meter::new(&self.options.limits, figures.elapsed);
        if let Some(limit) = self.options.limits.states
            && self.stored.load(Ordering::Relaxed) > limit
        {
            self.sign.stop(Some(Limit::States(limit)));
        }
        Ok(())
    }

    fn few_states(&self) -> u64 {
        self.options.join_after.unwrap_or(FEW_STATES)
    }

    fn small_level(&self) -> usize {
        usize::try_from(self.few_states() / LEVELS).unwrap_or(usize::MAX)
    }

    /// Who shall work next? Precondition: nothing waits for room.
    fn next_span(&mut self) -> Span {
        let states: u64 = self.workers.iter().map(|worker| worker.tally.states).sum();
        let level: usize = self.workers.iter().map(|worker| worker.frontier.len()).sum();
        if states < self.few_states() {
            return Span::Alone { states: self.few_states(), level: self.small_level() };
        }
        for worker in &mut self.workers {
            worker.predecessors = None;
        }
        if self.options.order == Order::BreadthFirst && level <= self.small_level() {
            self.gather();
            return Span::Alone { states: u64::MAX, level: self.small_level() };
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
            for worker in &mut self.workers[..members] {
                // A closure that could not be started is gone, and with it a reference it held; so it holds a place to
                // find the worker in.
                let slot = Mutex::new(Some(worker));
                let slot = std::sync::Arc::new(slot);
                let held = std::sync::Arc::clone(&slot);
                let started = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || {
                    let _done = running.end_later();
                    let worker = held.lock().unwrap_or_else(PoisonError::into_inner).take();
                    if let Some(worker) = worker {
                        worker.run(context, span);
                    }
                });
                if started.is_err() {
                    running.end();
                    unstarted.extend(slot.lock().unwrap_or_else(PoisonError::into_inner).take());
                }
            }
            let alone = unstarted.len() == members;
            for worker in unstarted.drain(..) {
                // Without any thread at all, this one does the work; limits are not watched then.
                if alone && members == 1 {
                    worker.run(context, span);
                } else {
                    context.pool.leave();
                }
            }
            while !running.wait(self.meter.pause(WATCH)) {
                watch(&self.meter, &self.sign, &self.told, &self.live, self.options, &self.store);
                if save_at.is_some_and(|time| Instant::now() >= time) {
                    self.sign.pause();
                }
            }
        });
        drop(unstarted);
        for chunk in pool.into_chunks() {
            self.workers[0].frontier.add_chunk(chunk);
        }
    }

    /// Goes on with a system that has room for what did not fit.
    fn widen(&mut self) {
        let mut misfit = Misfit { late: self.store.len() > MANY_STATES, ..Misfit::default() };
        for worker in &mut self.workers {
            if let Some(met) = worker.misfit.take() {
                misfit.states.extend(met.states);
                misfit.within |= met.within;
            }
        }
        let narrow = self.system.get();
        let wide = narrow.widened(&misfit);
        self.misfits.push(misfit.states);
        let recoder = wide.recoder(narrow);
        let mut store = self.store.emptied_for(&wide.identity_bits());
        let identity = wide.width().identity;
        let mut old = vec![0; narrow.width().all];
        let mut batch = Batch::new(identity);
        let mut fits = true;
        let mut add = |batch: &mut Batch<T::Key>| {
            fits = fits
                && batch.insert(&mut store, &mut |store| {
                    store.grow(self.meter.store_limit(store.memory_bytes()), self.workers.len())
                });
        };
        let known = self.store.for_each(&mut |state| {
            old[..state.len()].copy_from_slice(state);
            recoder.recode(&old, &mut batch.next);
            if batch.push() {
                add(&mut batch);
            }
        });
        add(&mut batch);
        if !fits {
            self.sign.stop(Some(self.meter.out_of_memory(self.store.memory_bytes())));
            return;
        }
        for worker in &mut self.workers {
            worker.widen(&recoder, wide.width());
        }
        self.store = store;
        self.system = Held::Wider(Box::new(wide));
        if !known {
            self.restart();
        }
    }

    /// Begins again, for the store does not know what it had.
    fn restart(&mut self) {
        let (system, threads) = (self.system.get(), self.workers.len());
        let noted = self.workers[0].predecessors.is_some();
        self.workers = (0..threads).map(|number| Worker::new(number, system.width())).collect();
        for worker in &mut self.workers {
            worker.tally.coverage = Coverage::new(system.transition_count());
        }
        if noted {
            self.workers[0].predecessors = Some(Predecessors::new(NOTED_STATES));
        }
        self.stored.store(0, Ordering::Relaxed);
        // There were initial states before.
        let _ = self.start();
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
        let guarantee = self.store.guarantee();
        let store_bytes = self.store.memory_bytes();
        Outcome {
            violations: Vec::new(),
            errors: tally.errors,
            error_kinds: tally.error_kinds.keys().copied().collect(),
            limit,
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
            },
            coverage: tally.coverage.clone(),
            checkpoint_failure: self.checkpoint_failure.clone(),
            saved: self.saved,
        }
    }

    /// Finds runs to errors that are known to exist.
    fn show(mut self, errors: Vec<RuntimeError>) -> Vec<Violation> {
        self.workers.clear();
        let system = self.system.get();
        let store = self.store.emptied_for(&system.identity_bits());
        let limits = Limits { interrupt: self.options.limits.interrupt, ..Limits::default() };
        let options = Options { limits, checkpoint: None, resume: None, ..self.options.clone() };
        let goal = if self.options.all_errors { Goal::Errors(errors) } else { Goal::FirstError };
        let mut second = Search::new(system, store, &options, goal);
        second.workers.truncate(1);
        second.workers[0].predecessors = Some(Predecessors::new(usize::MAX));
        match second.start() {
            Ok(()) => second.run(),
            Err(_) => return Vec::new(),
        }
        second.tally().violations
    }
}

/// Looks at the limits, and tells who wants to know how the search gets on.
fn watch<T: Store>(
    meter: &Meter<'_>,
    sign: &Sign,
    told: &Mutex<(Instant, Instant)>,
    live: &[Live],
    options: &Options<'_>,
    store: &T,
) {
    if let Err(limit) = meter.check_time() {
        sign.stop(Some(limit));
    }
    let now = Instant::now();
    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
    if now.duration_since(told.0) >= MEMORY {
        told.0 = now;
        if let Err(limit) = meter.check_memory(store.memory_bytes()) {
            sign.stop(Some(limit));
        }
    }
    if let Some(progress) = options.progress
        && now.duration_since(told.1) >= TELL
    {
        told.1 = now;
        let sum = |figure: fn(&Live) -> &AtomicU64| {
            live.iter().map(|live| figure(live).load(Ordering::Relaxed)).sum::<u64>()
        };
        progress(&Progress {
            states: sum(|live| &live.states),
            transitions: sum(|live| &live.transitions),
            depth: live.iter().map(|live| live.depth.load(Ordering::Relaxed)).max().unwrap_or(0),
            waiting: sum(|live| &live.waiting),
            memory_bytes: resident_bytes().unwrap_or_else(|| store.memory_bytes()),
            elapsed: meter.elapsed(),
        });
    }
}

/// How many threads of a round still run.
struct Running {
    count: Mutex<usize>,
    ended: Condvar,
}

/// Counts a thread as ended when dropped, so that a panic is no reason to wait forever.
struct Ending<'a>(&'a Running);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Running {
    fn new(count: usize) -> Running {
        Running { count: Mutex::new(count), ended: Condvar::new() }
    }

    fn end(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.ended.notify_all();
    }

    fn end_later(&self) -> Ending<'_> {
        Ending(self)
    }

    /// Waits; have all ended?
    fn wait(&self, time: Duration) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if *count == 0 {
            return true;
        }
        let waited = self.ended.wait_timeout(count, time);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}
