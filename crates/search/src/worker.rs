//! One thread's part of a search, and the one expansion step that all searches share.
//!
//! A worker takes a block of states from its frontier and generates the successors of all of them. States inside atomic
//! sequences are passed through on the way, and what was met a moment ago is dropped. Then it lets the store fetch the
//! memory where each of the others would be, and looks them up one after the other: by then the memory is there. New states go
//! back into the frontier; whether the next block is taken from its new end or its old one makes the search depth-first or
//! breadth-first.
//!
//! A state is marked when it is generated, not when it is expanded, so the depth-first order is that of blocks: newest
//! first. Every state is expanded once, whatever the order and the number of threads.

use crate::atomic::{Broken, Visitor, Walk, Watch, check_finished};
use crate::frontier::Frontier;
use crate::limits::Limit;
use crate::pool::{Live, Pool, Sign};
use crate::predecessors::{NOBODY, Predecessors};
use crate::recent::Recent;
use crate::store::{Insertion, Store};
use crate::tally::Tally;
use crate::{Goal, Order};
use model::RuntimeError;
use model::layout::Recoder;
use model::system::{Misfit, StepCode, Successors, System, Width};
use std::sync::atomic::{AtomicU64, Ordering};

/// States expanded at once: enough to hide the latency of memory, few enough that what was fetched is still there.
const BLOCK: usize = 32;
/// With others, a worker that has fewer states than this, roughly, works towards having more.
const SHAREABLE: u64 = 8 * 512;
/// Blocks after which the figures are shown to others.
const REPORT: u32 = 64;

/// What a worker works on, the same for all.
pub(crate) struct Context<'a, S, T> {
    pub system: &'a S,
    pub store: &'a T,
    pub sign: &'a Sign,
    pub pool: &'a Pool,
    /// There is only one worker in this round.
    pub alone: bool,
    pub live: &'a [Live],
    pub order: Order,
    pub goal: &'a Goal,
    pub depth_limit: u64,
    pub state_limit: Option<u64>,
    /// States stored by all, kept if there is a limit.
    pub stored: &'a AtomicU64,
}

/// How long a worker is to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// Alone, until it has so many states or has made so many steps or, breadth-first, a level has so many states.
    Alone { states: u64, steps: u64, level: usize },
    /// With others: depth-first until nobody has work, breadth-first to the end of the level.
    Together,
}

/// The word before a state in the frontier: its depth, and its number among the predecessors.
#[inline]
fn header(depth: u64, number: u32) -> u64 {
    depth.min(u32::MAX.into()) | u64::from(number) << 32
}

#[inline]
fn depth(header: u64) -> u64 {
    header & u64::from(u32::MAX)
}

/// The word before an arrival that is to be looked up: which state of the block it comes from, which of its arrivals it
/// is, and how many moves it took.
#[inline]
fn origin(slot: usize, arrival: u32, moves: u64) -> u64 {
    slot as u64 | u64::from(arrival) << 8 | moves.min((1 << 23) - 1) << 40
}

/// The part of a header that says that predecessors are not noted.
pub(crate) const NO_NUMBER: u64 = (NOBODY as u64) << 32;

/// In place of a slot: the state comes from no block. An initial state.
const INITIAL: usize = BLOCK;
/// The same, and it is of a resumed search; its depth is in place of the arrival.
const RESUMED: usize = BLOCK + 1;

#[derive(Debug)]
pub(crate) struct Worker<Key> {
    number: usize,
    width: Width,
    pub tally: Tally,
    /// States expanded so far, counted from a number of the worker's own.
    expanded: u64,
    /// States to expand; breadth-first, those of this level.
    pub frontier: Frontier,
    /// Breadth-first: those of the next level.
    pub next: Frontier,
    pub predecessors: Option<Predecessors>,
    /// The states being expanded.
    block: Vec<u64>,
    /// Arrivals for which there was no room in the store.
    waiting: Vec<u64>,
    pub misfit: Option<Box<Misfit>>,
    successors: Successors,
    /// Arrivals through atomic sequences.
    passed: Successors,
    keys: Vec<Key>,
    recent: Recent,
    walk: Walk,
    /// Errors met in the state being expanded, and the steps to them.
    met: Vec<(RuntimeError, Vec<StepCode>)>,
    violated: Vec<RuntimeError>,
}

impl<Key: Copy> Worker<Key> {
    pub fn new(number: usize, width: Width) -> Worker<Key> {
        Worker {
            number,
            width,
            tally: Tally::default(),
            expanded: (number as u64) << 48,
            frontier: Frontier::new(width.all),
            next: Frontier::new(width.all),
            predecessors: None,
            block: Vec::new(),
            waiting: Vec::new(),
            misfit: None,
            successors: Successors::new(width),
            passed: Successors::new(width),
            keys: Vec::new(),
            recent: Recent::new(width.identity),
            walk: Walk::new(width),
            met: Vec::new(),
            violated: Vec::new(),
        }
    }

    /// The same for a store with other keys. Precondition: no round is under way.
    pub fn with_other_keys<Other>(self) -> Worker<Other> {
        Worker {
            number: self.number,
            width: self.width,
            tally: self.tally,
            expanded: self.expanded,
            frontier: self.frontier,
            next: self.next,
            predecessors: self.predecessors,
            block: self.block,
            waiting: self.waiting,
            misfit: self.misfit,
            successors: self.successors,
            passed: self.passed,
            keys: Vec::new(),
            recent: self.recent,
            walk: self.walk,
            met: self.met,
            violated: self.violated,
        }
    }

    /// Takes over what another worker has left to do, and what it has counted. Precondition: no round is under way.
    pub fn absorb(&mut self, mut other: Worker<Key>) {
        self.tally.join(&other.tally);
        while let Some(chunk) = other.frontier.take_chunk() {
            self.frontier.add_chunk(chunk);
        }
        while let Some(chunk) = other.next.take_chunk() {
            self.next.add_chunk(chunk);
        }
        other.save_waiting(&mut self.waiting);
        if let Some(misfit) = other.misfit {
            let own = self.misfit.get_or_insert_default();
            own.states.extend(misfit.states);
            own.within |= misfit.within;
        }
    }

    fn stride(&self) -> usize {
        self.width.all + 1
    }

    /// Is there something for which the store had no room?
    pub fn needs_room(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Has it nothing left to do, in this level at least?
    pub fn is_idle(&self) -> bool {
        self.frontier.is_empty() && self.waiting.is_empty() && self.misfit.is_none()
    }

    /// Adds an initial state, to be looked up when work begins.
    pub fn start(&mut self, number: usize, state: &[u64]) {
        self.tally.transitions += 1;
        self.waiting.push(origin(INITIAL, number as u32, 0));
        self.waiting.extend_from_slice(state);
    }

    /// What waits for room, as the words of a saved search: with the depth of the state it comes from.
    pub fn save_waiting(&self, out: &mut Vec<u64>) {
        for entry in self.waiting.chunks_exact(self.stride()) {
            let slot = entry[0] as usize & 0xff;
            out.push(match slot {
                INITIAL | RESUMED => entry[0],
                _ => origin(RESUMED, depth(self.block[slot * self.stride()]) as u32, entry[0] >> 40),
            });
            out.extend_from_slice(&entry[1..]);
        }
    }

    /// Adds what waited in a saved search; `false` if nothing that was saved begins with such a word.
    pub fn resume_waiting(&mut self, entry: &[u64]) -> bool {
        let slot = entry[0] as usize & 0xff;
        if !matches!(slot, INITIAL | RESUMED) {
            return false;
        }
        self.waiting.extend_from_slice(entry);
        true
    }

    /// Works until there is nothing to do, or the round ends.
    pub fn run<S: System, T: Store<Key = Key>>(&mut self, cx: &Context<'_, S, T>, span: Span) {
        self.retry(cx);
        let mut blocks = 0;
        while !self.needs_room() && !cx.sign.is_raised() && self.take_block(cx, span) {
            self.expand(cx);
            if self.misfit.is_some() {
                cx.sign.pause();
            }
            if span == Span::Together
                && cx.order == Order::DepthFirst
                && cx.pool.is_hungry()
                && let Some(chunk) = self.frontier.share()
            {
                cx.pool.give(chunk);
            }
            blocks += 1;
            if blocks % REPORT == 0 {
                self.report(cx);
            }
        }
        self.report(cx);
        if self.needs_room() {
            cx.sign.pause();
        }
        cx.pool.leave();
    }

    fn report<S: System, T: Store<Key = Key>>(&self, cx: &Context<'_, S, T>) {
        let live = &cx.live[self.number];
        live.states.store(self.tally.states, Ordering::Relaxed);
        live.transitions.store(self.tally.transitions, Ordering::Relaxed);
        live.depth.store(self.tally.depth, Ordering::Relaxed);
        live.waiting.store(self.frontier.estimate() + self.next.estimate(), Ordering::Relaxed);
    }

    /// Takes states to expand from the frontier, or from others; `false` if there are none.
    fn take_block<S: System, T: Store<Key = Key>>(&mut self, cx: &Context<'_, S, T>, span: Span) -> bool {
        self.block.clear();
        if let Span::Alone { states, steps, .. } = span
            && (self.tally.states >= states || self.tally.steps() >= steps)
        {
            return false;
        }
        if self.frontier.is_empty() {
            match (cx.order, span) {
                (Order::DepthFirst, Span::Alone { .. }) => return false,
                (Order::BreadthFirst, Span::Alone { level, .. }) => {
                    if self.next.is_empty() {
                        return false;
                    }
                    std::mem::swap(&mut self.frontier, &mut self.next);
                    if self.frontier.len() > level {
                        return false;
                    }
                }
                (Order::DepthFirst, Span::Together) => match cx.pool.wait(cx.sign) {
                    Some(chunk) => self.frontier.add_chunk(chunk),
                    None => return false,
                },
                (Order::BreadthFirst, Span::Together) => match cx.pool.take() {
                    Some(chunk) => self.frontier.add_chunk(chunk),
                    None => return false,
                },
            }
        }
        match cx.order {
            // While few states wait, the oldest first: that makes more, and who has many can share.
            Order::DepthFirst if span == Span::Together && self.frontier.estimate() < SHAREABLE => {
                self.frontier.take_oldest(BLOCK, &mut self.block)
            }
            Order::DepthFirst => self.frontier.take_newest(BLOCK, &mut self.block),
            Order::BreadthFirst => self.frontier.take_oldest(BLOCK, &mut self.block),
        }
        true
    }

    /// The expansion step. Precondition: nothing waits for room.
    fn expand<S: System, T: Store<Key = Key>>(&mut self, cx: &Context<'_, S, T>) {
        self.successors.clear();
        self.passed.clear();
        let stride = self.stride();
        for slot in 0..self.block.len() / stride {
            // In words, not entries: this is done for every state, and a division takes its time.
            let before = (self.successors.raw().len(), self.passed.raw().len());
            let counted = (self.tally.transitions, self.tally.atomic_steps);
            if let Err(broken) = self.generate(cx, slot) {
                // As if this state had never been touched: it and those behind it go back.
                self.successors.raw().truncate(before.0);
                self.successors.errors.clear();
                self.passed.raw().truncate(before.1);
                (self.tally.transitions, self.tally.atomic_steps) = counted;
                self.met.clear();
                self.recent.forget();
                for entry in self.block[slot * stride..].chunks_exact(stride) {
                    self.frontier.push(entry[0], &entry[1..]);
                }
                self.block.truncate(slot * stride);
                match broken {
                    Broken::Misfit(misfit) => self.misfit = Some(misfit),
                    // The thread that watches the limits says which one was reached.
                    Broken::Stopped | Broken::Unfinished(Limit::Interrupted) => {}
                    Broken::Unfinished(limit) => cx.sign.stop(Some(limit)),
                }
                break;
            }
            if !self.met.is_empty() {
                self.note_met(cx, slot);
            }
        }
        let mut arrivals = std::mem::take(&mut self.successors);
        let mut passed = std::mem::take(&mut self.passed);
        self.look_up(cx, arrivals.raw(), passed.raw());
        (self.successors, self.passed) = (arrivals, passed);
    }

    /// Generates the successors of one state of the block, and keeps those that were not met a moment ago.
    #[inline]
    fn generate<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &Context<'_, S, T>,
        slot: usize,
    ) -> Result<(), Broken> {
        let stride = self.width.all + 1;
        let identity = self.width.identity;
        let state = &self.block[slot * stride + 1..(slot + 1) * stride];
        let first = self.successors.raw().len();
        cx.system.successors(state, &mut self.successors)?;
        check_finished(&self.successors)?;
        if T::OMITS {
            self.expanded += 1;
            self.tally.ways.expand(self.expanded);
        }
        let errors = std::mem::take(&mut self.successors.errors);
        let buffer = self.successors.raw();
        let (mut arrivals, mut moves) = (0, false);
        let mut watch = None;
        // What is kept moves to the front; no branch depends on whether it is, for that cannot be foretold.
        let mut kept = first;
        for place in (first..buffer.len()).step_by(stride) {
            let code = StepCode(buffer[place]);
            if !errors.is_empty() {
                let here = errors.iter().filter(|(entry, _)| entry * stride == place);
                self.met.extend(here.map(|(_, error)| (error.clone(), vec![code])));
            }
            if code.0 & (StepCode::STOPPED | StepCode::TRANSIENT) == 0 && !code.is_refused() {
                moves = true;
                self.tally.coverage.mark(code);
                let state = &buffer[place + 1..place + 1 + identity];
                if T::OMITS {
                    self.tally.ways.arrive(state);
                }
                let known = self.recent.meet(state);
                buffer[kept] = origin(slot, arrivals, code.weight());
                for word in 1..stride {
                    buffer[kept + word] = buffer[place + word];
                }
                kept += if known { 0 } else { stride };
                arrivals += 1;
                continue;
            }
            moves |= !code.is_refused();
            if code.is_stopped() || code.is_refused() {
                continue;
            }
            self.tally.coverage.mark(code);
            self.tally.atomic_steps += 1;
            let mut passing = Passing {
                slot,
                identity,
                omits: T::OMITS,
                arrivals: &mut arrivals,
                tally: &mut self.tally,
                recent: &mut self.recent,
                passed: &mut self.passed,
                met: &mut self.met,
            };
            let state = &buffer[place + 1..place + stride];
            let watch = watch.get_or_insert_with(Watch::default);
            self.walk.through(cx.system, state, code, watch, cx.sign.flag(), &mut passing)?;
        }
        buffer.truncate(kept);
        if !moves && !cx.system.is_valid_end(&self.block[slot * stride + 1..(slot + 1) * stride]) {
            self.met.insert(0, (RuntimeError::InvalidEndState, Vec::new()));
        }
        self.tally.transitions += u64::from(arrivals);
        Ok(())
    }

    /// Looks up what was generated: first it lets the store fetch what it needs for all of it.
    fn look_up<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &Context<'_, S, T>,
        arrivals: &[u64],
        passed: &[u64],
    ) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        let (stride, identity) = (self.stride(), self.width.identity);
        for list in [arrivals, passed] {
            keys.extend(list.chunks_exact(stride).map(|entry| cx.store.key(&entry[1..=identity])));
        }
        keys.iter().for_each(|&key| cx.store.fetch(key));
        let (first, second) = keys.split_at(keys.len().min(arrivals.len() / stride));
        self.insert_all(cx, arrivals, first);
        self.insert_all(cx, passed, second);
        self.keys = keys;
    }

    /// Precondition: `keys` has one for each arrival.
    #[inline]
    fn insert_all<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &Context<'_, S, T>,
        arrivals: &[u64],
        keys: &[Key],
    ) {
        let stride = self.stride();
        let identity = self.width.identity;
        // Once there is no room, all others wait too.
        let mut full = self.needs_room();
        for (entry, &key) in arrivals.chunks_exact(stride).zip(keys) {
            let insertion = match full {
                true => Insertion::Full,
                // SAFETY: this is the only worker of the round, and nobody else inserts states during a round.
                #[allow(unsafe_code)]
                false if cx.alone => unsafe { cx.store.insert_alone(&entry[1..=identity], key) },
                false => cx.store.insert(&entry[1..=identity], key),
            };
            match insertion {
                Insertion::Known => {}
                Insertion::New => self.add(cx, entry[0], &entry[1..]),
                Insertion::Full => {
                    full = true;
                    self.waiting.extend_from_slice(entry);
                }
            }
        }
    }

    /// Looks up again what waited for room.
    fn retry<S: System, T: Store<Key = Key>>(&mut self, cx: &Context<'_, S, T>) {
        let waiting = std::mem::take(&mut self.waiting);
        let identity = self.width.identity;
        let states = waiting.chunks_exact(self.stride());
        let keys: Vec<Key> = states.map(|entry| cx.store.key(&entry[1..=identity])).collect();
        self.insert_all(cx, &waiting, &keys);
    }

    /// Adds a state that is new.
    #[inline]
    fn add<S: System, T: Store<Key = Key>>(&mut self, cx: &Context<'_, S, T>, origin: u64, state: &[u64]) {
        let slot = origin as usize & 0xff;
        let arrival = (origin >> 8) as u32;
        let (before, from) = match slot {
            INITIAL => (None, NOBODY),
            RESUMED => (Some(u64::from(arrival)), NOBODY),
            _ => {
                let from = self.block[slot * self.stride()];
                (Some(depth(from)), (from >> 32) as u32)
            }
        };
        self.tally.states += 1;
        if let Some(limit) = cx.state_limit
            && cx.stored.fetch_add(1, Ordering::Relaxed) >= limit
        {
            cx.sign.stop(Some(Limit::States(limit)));
        }
        let depth = match (before, cx.order) {
            (None, _) => 0,
            (Some(before), Order::DepthFirst) => before + (origin >> 40),
            (Some(before), Order::BreadthFirst) => before + 1,
        };
        self.tally.depth = self.tally.depth.max(depth);
        let mut number = NOBODY;
        if let Some(predecessors) = &mut self.predecessors {
            match predecessors.add(from, arrival) {
                Some(added) => number = added,
                None => self.predecessors = None,
            }
        }
        if cx.system.has_invariants() {
            cx.system.violated_invariants(state, &mut self.violated);
            if !self.violated.is_empty() {
                self.note_violated(cx, number);
            }
        }
        if depth >= cx.depth_limit {
            self.tally.too_deep = true;
            return;
        }
        let frontier = match (cx.order, before) {
            (Order::BreadthFirst, Some(_)) => &mut self.next,
            _ => &mut self.frontier,
        };
        frontier.push(header(depth, number), state);
    }

    /// Reports the errors met in expanding a state of the block.
    #[cold]
    fn note_met<S: System, T: Store<Key = Key>>(&mut self, cx: &Context<'_, S, T>, slot: usize) {
        let number = (self.block[slot * self.stride()] >> 32) as u32;
        for (error, codes) in std::mem::take(&mut self.met) {
            let predecessors = &self.predecessors;
            self.tally.note(error, || predecessors.as_ref()?.run_to(cx.system, number, &codes));
        }
        cx.goal.look(&self.tally, cx.sign);
    }

    /// Reports invariants that do not hold in a new state.
    #[cold]
    fn note_violated<S: System, T: Store<Key = Key>>(&mut self, cx: &Context<'_, S, T>, number: u32) {
        for error in std::mem::take(&mut self.violated) {
            let predecessors = &self.predecessors;
            self.tally.note(error, || predecessors.as_ref()?.run_to(cx.system, number, &[]));
        }
        cx.goal.look(&self.tally, cx.sign);
    }

    /// Translates all states to a wider layout.
    pub fn widen(&mut self, recoder: &Recoder, width: Width) {
        let old = self.stride();
        let mut wide = Vec::new();
        let mut translate = |entries: &[u64]| {
            let mut translated = Vec::with_capacity(entries.len() / old * (width.all + 1));
            for entry in entries.chunks_exact(old) {
                recoder.recode(&entry[1..], &mut wide);
                translated.push(entry[0]);
                translated.extend_from_slice(&wide);
            }
            translated
        };
        self.frontier.translate(width.all, &mut translate);
        self.next.translate(width.all, &mut translate);
        self.block = translate(&self.block);
        self.waiting = translate(&self.waiting);
        self.width = width;
        self.successors = Successors::new(width);
        self.passed = Successors::new(width);
        self.walk = Walk::new(width);
        self.recent = Recent::new(width.identity);
    }
}

/// What a worker does with what it meets inside atomic sequences.
struct Passing<'a> {
    slot: usize,
    identity: usize,
    omits: bool,
    arrivals: &'a mut u32,
    tally: &'a mut Tally,
    recent: &'a mut Recent,
    passed: &'a mut Successors,
    met: &'a mut Vec<(RuntimeError, Vec<StepCode>)>,
}

impl Visitor for Passing<'_> {
    const WANTS_CODES: bool = false;

    #[inline]
    fn taken(&mut self, code: StepCode) {
        self.tally.coverage.mark(code);
    }

    #[inline]
    fn atomic(&mut self) {
        self.tally.atomic_steps += 1;
    }

    #[inline]
    fn arrival(&mut self, state: &[u64], _: &[StepCode], moves: u64) {
        if self.omits {
            self.tally.ways.arrive(&state[..self.identity]);
        }
        if !self.recent.meet(&state[..self.identity]) {
            self.passed.push(StepCode(origin(self.slot, *self.arrivals, moves)), state);
        }
        *self.arrivals += 1;
    }

    fn error(&mut self, error: &RuntimeError, codes: &[StepCode]) {
        self.met.push((error.clone(), codes.to_vec()));
    }

    fn endless(&mut self) {
        self.tally.endless_atomic = true;
    }
}
