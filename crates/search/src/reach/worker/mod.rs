//! One thread's part of a parallel search.
//!
//! A worker takes a block of states from its frontier and generates the successors of all of them
//! ([`block`]). Successors generated a moment ago are dropped. The store then prefetches the memory
//! for the others, and they are inserted one after the other ([`insertion`]). New states go to the
//! frontier; taking the next block from its new or its old end makes the search depth-first or
//! breadth-first.
//!
//! A state is marked when it is generated, not when it is expanded, so the depth-first order is an
//! order of blocks: newest first. Every state is expanded once, for every order and number of
//! threads. [`handover`] has the operations between two rounds.

mod block;
mod encoding;
mod handover;
mod insertion;

pub(crate) use encoding::NO_NUMBER;

use crate::limits::{Limit, Meter};
use crate::reach::expansion::Expander;
use crate::reach::frontier::{Frontier, FrontierChunk};
use crate::reach::predecessors::Predecessors;
use crate::reach::recent::RecentStates;
use crate::reach::tally::Tally;
use crate::reach::work_pool::{LiveCounters, StopSignal, WorkPool};
use crate::store::Store;
use crate::tuning::reach::{BLOCK_STATES, MEMORY_CHECK_BYTES, PUBLISH_BLOCKS, SHAREABLE_STATES};
use crate::{Goal, Order};
use encoding::Origin;
use lariat_ir::RuntimeError;
use lariat_ir::system::{Misfit, Successors, System, Width};
use std::sync::atomic::{AtomicU64, Ordering};

/// The environment of a round, which all workers share.
pub(crate) struct RoundContext<'a, S, T> {
    pub system: &'a S,
    pub store: &'a T,
    pub signal: &'a StopSignal,
    pub pool: &'a WorkPool<FrontierChunk>,
    pub meter: &'a Meter<'a>,
    /// There is only one worker in this round.
    pub alone: bool,
    pub live: &'a [LiveCounters],
    pub order: Order,
    pub goal: &'a Goal,
    pub depth_limit: u64,
    pub state_limit: Option<u64>,
    /// States stored by all workers, counted if there is a limit.
    pub stored: &'a AtomicU64,
}

impl<S, T: Store> RoundContext<'_, S, T> {
    /// Ends the search if the process exceeds its memory limit.
    pub fn check_memory(&self) {
        let store_bytes = self.store.memory_bytes();
        if let Err(limit) = self.meter.check_memory(store_bytes) {
            self.signal.end_search(Some(match limit {
                Limit::MemoryBytes(memory_bytes) if T::FIXED => {
                    Limit::Waiting { memory_bytes, store_bytes }
                }
                other => other,
            }));
        }
    }
}

/// How long a worker works, and with how many others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoundScope {
    /// Alone, until it has stored `states` states or taken `steps` steps or, breadth-first, a level
    /// has more than `level` states.
    Alone { states: u64, steps: u64, level: usize },
    /// With others: depth-first until no worker has work, breadth-first to the end of the level.
    Together,
}

#[derive(Debug)]
pub(crate) struct Worker<Key> {
    number: usize,
    width: Width,
    pub tally: Tally,
    /// Names the state being expanded; each worker has its own range of numbers.
    expanded: u64,
    /// The states to expand; breadth-first, those of the current level.
    pub frontier: Frontier,
    /// Breadth-first: the states of the next level.
    pub next: Frontier,
    pub predecessors: Option<Predecessors>,
    /// The states being expanded.
    block: Vec<u64>,
    /// Successors that could not be inserted because the store was full.
    waiting: Vec<u64>,
    pub misfit: Option<Box<Misfit>>,
    /// Its `generated` entries are the direct successors of the block.
    expander: Expander,
    /// Successors of the block through atomic sequences.
    after_atomic: Successors,
    keys: Vec<Key>,
    recent: RecentStates,
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
            expander: Expander::new(width),
            after_atomic: Successors::new(width),
            keys: Vec::new(),
            recent: RecentStates::new(width.identity),
            violated: Vec::new(),
        }
    }

    fn stride(&self) -> usize {
        self.width.all + 1
    }

    /// Whether the store was too full for some successor.
    pub fn needs_room(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether nothing is left to do, in this level at least.
    pub fn is_idle(&self) -> bool {
        self.frontier.is_empty() && self.waiting.is_empty() && self.misfit.is_none()
    }

    /// Adds an initial state, to be inserted when the first round begins.
    pub fn start(&mut self, number: usize, state: &[u64]) {
        self.tally.transitions += 1;
        self.waiting.push(Origin::new(Origin::INITIAL, number as u32, 0).0);
        self.waiting.extend_from_slice(state);
    }

    /// Works until there is nothing to do, or the round ends.
    pub fn run<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &RoundContext<'_, S, T>,
        scope: RoundScope,
    ) {
        self.retry(cx);
        let mut blocks = 0;
        let mut checked_bytes = self.allocated_bytes();
        while !self.needs_room() && !cx.signal.is_raised() && self.take_block(cx, scope) {
            self.expand(cx);
            if self.misfit.is_some() {
                cx.signal.end_round();
            }
            if scope == RoundScope::Together
                && cx.order == Order::DepthFirst
                && cx.pool.has_idle_threads()
                && let Some(chunk) = self.frontier.share()
            {
                cx.pool.donate(chunk);
            }
            if self.allocated_bytes() - checked_bytes >= MEMORY_CHECK_BYTES {
                checked_bytes = self.allocated_bytes();
                cx.check_memory();
            }
            blocks += 1;
            if blocks % PUBLISH_BLOCKS == 0 {
                self.publish_counters(cx);
            }
        }
        self.publish_counters(cx);
        if self.needs_room() {
            cx.signal.end_round();
        }
        cx.pool.leave();
    }

    /// Bytes allocated for frontiers so far.
    fn allocated_bytes(&self) -> u64 {
        self.frontier.allocated_bytes() + self.next.allocated_bytes()
    }

    fn publish_counters<S: System, T: Store<Key = Key>>(&self, cx: &RoundContext<'_, S, T>) {
        let live = &cx.live[self.number];
        live.states.store(self.tally.states, Ordering::Relaxed);
        live.transitions.store(self.tally.transitions, Ordering::Relaxed);
        live.depth.store(self.tally.depth, Ordering::Relaxed);
        live.waiting.store(self.frontier.estimate() + self.next.estimate(), Ordering::Relaxed);
    }

    /// Takes states to expand from the frontier, or from the pool; `false` if there are none.
    fn take_block<S: System, T: Store<Key = Key>>(
        &mut self,
        cx: &RoundContext<'_, S, T>,
        scope: RoundScope,
    ) -> bool {
        self.block.clear();
        if let RoundScope::Alone { states, steps, .. } = scope
            && (self.tally.states >= states || self.tally.steps() >= steps)
        {
            return false;
        }
        if self.frontier.is_empty() {
            match (cx.order, scope) {
                (Order::DepthFirst, RoundScope::Alone { .. }) => return false,
                (Order::BreadthFirst, RoundScope::Alone { level, .. }) => {
                    if self.next.is_empty() {
                        return false;
                    }
                    std::mem::swap(&mut self.frontier, &mut self.next);
                    if self.frontier.len() > level {
                        return false;
                    }
                }
                (Order::DepthFirst, RoundScope::Together) => {
                    match cx.pool.take_or_wait(cx.signal) {
                        Some(chunk) => self.frontier.add_chunk(chunk),
                        None => return false,
                    }
                }
                (Order::BreadthFirst, RoundScope::Together) => match cx.pool.try_take() {
                    Some(chunk) => self.frontier.add_chunk(chunk),
                    None => return false,
                },
            }
        }
        match cx.order {
            // The oldest states make a small frontier grow, and a large one can be shared.
            Order::DepthFirst
                if scope == RoundScope::Together && self.frontier.estimate() < SHAREABLE_STATES =>
            {
                self.frontier.take_oldest(BLOCK_STATES, &mut self.block)
            }
            Order::DepthFirst => self.frontier.take_newest(BLOCK_STATES, &mut self.block),
            Order::BreadthFirst => self.frontier.take_oldest(BLOCK_STATES, &mut self.block),
        }
        true
    }
}
