//! Nested depth-first search in inexact stores, for products that are too large for a node table:
//! `--search nested` with `--store bitstate` or `compact`.
//!
//! This is the search for which bit-state hashing was designed (Courcoubetis, Vardi, Wolper,
//! Yannakakis 1990; Holzmann, Peled, Yannakakis 1996, "On nested depth-first search"). Two stores
//! hold the visited states of the two searches; only the states on the stack are kept completely.
//! The second search ends at a state on the first search's stack. A cycle may be missed, but a
//! reported cycle is real.

use crate::Options;
use crate::limits::Limit;
use crate::outcome::{Outcome, Violation};
use crate::product::system::Product;
use crate::reach::expansion::{Expansion, run_by_choices};
use crate::reach::sequential::{SequentialSearch, SequentialStop, visit_initial_states};
use crate::store::{Bitstate, Compact, Insertion, Packed, Store};
use crate::tuning::product::BIT_ARRAY_BYTES;
use crate::{Run, StoreKind};
use hashbrown::HashTable;
use lariat_ir::observe::Observable;
use lariat_ir::system::{Misfit, Repackable, TransitionSystem};
use rapidhash::fast::GlobalState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

/// The size of a bit array that is not used.
const UNUSED_ARRAY_BYTES: u64 = 1 << 10;

/// A lasso, given by the number of the arrival that it takes in each of its states.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ArrivalLasso {
    pub initial: usize,
    pub prefix: Vec<u32>,
    pub cycle: Vec<u32>,
}

/// The result of the search.
#[derive(Debug, Default)]
pub(super) struct StoreSearchOutcome {
    pub lasso: Option<ArrivalLasso>,
    /// A condition without a value.
    pub failure: Option<Violation>,
    pub outcome: Outcome,
}

/// Is there a search for cycles in this store? Exact stores have no advantage over a node table,
/// forget states, or go level by level.
pub fn has_cycles(store: &StoreKind) -> bool {
    matches!(store, StoreKind::Compact { .. } | StoreKind::Bitstate { .. })
}

/// Repeats the search as often as the options say, until it finds something. Precondition: the
/// acceptance is Büchi's, or the monitor is weak.
pub(super) fn search<S: Observable>(
    product: &Product<'_, S>,
    options: &Options<'_>,
) -> StoreSearchOutcome {
    let start = Instant::now();
    let mut wide = None;
    let mut number = 0;
    loop {
        let now = wide.as_ref().unwrap_or(product);
        match search_once(now, &options.store.reseeded(number), options, start.elapsed()) {
            Ok(searched) => {
                number += 1;
                let found = searched.lasso.is_some() || searched.failure.is_some();
                if found || searched.outcome.limit.is_some() || number >= options.runs.max(1) {
                    return searched;
                }
            }
            Err(misfit) => wide = Some(now.widened(&misfit)),
        }
    }
}

fn search_once<S: Observable>(
    product: &Product<'_, S>,
    store: &StoreKind,
    options: &Options<'_>,
    before: Duration,
) -> Result<StoreSearchOutcome, Box<Misfit>> {
    match *store {
        StoreKind::Bitstate { functions, bytes, seed } => {
            // At most half of the memory: the stack needs the other half.
            let most = options.limits.memory_bytes.map_or(BIT_ARRAY_BYTES, |memory| memory / 2);
            let bytes = bytes.unwrap_or(BIT_ARRAY_BYTES).min(most);
            // The second search is not needed for a weak monitor.
            let second = if product.monitor().is_weak() { UNUSED_ARRAY_BYTES } else { bytes / 2 };
            let budget = options.limits.budget;
            let array = |bytes: u64| Bitstate::within(bytes, functions, seed, budget);
            StoreSearch::run(
                product,
                array(bytes.saturating_sub(second)),
                array(second),
                options,
                before,
            )
        }
        StoreKind::Compact { bits, seed } => {
            let compact = || Compact::new(bits, seed);
            StoreSearch::run(product, compact(), compact(), options, before)
        }
        // An exact store.
        _ => {
            let packed = || Packed::new(&product.identity_bits(), 0);
            StoreSearch::run(product, packed(), packed(), options, before)
        }
    }
}

/// A state on the stack.
#[derive(Clone, Copy, Debug)]
struct ArrivalFrame {
    /// The position of its arrivals' words.
    start: usize,
    /// The number of arrivals that are not explored. The last one is explored first.
    left: u32,
}

/// The stack of one search: for each state the unexplored arrivals and the one that leads to the
/// next state.
#[derive(Debug, Default)]
struct ArrivalStack {
    stride: usize,
    frames: Vec<ArrivalFrame>,
    words: Vec<u64>,
}

impl ArrivalStack {
    fn push(&mut self, arrivals: &[u64]) {
        let left = (arrivals.len() / self.stride) as u32;
        self.frames.push(ArrivalFrame { start: self.words.len(), left });
        self.words.extend_from_slice(arrivals);
    }

    fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.words.truncate(frame.start);
        }
    }

    /// Stores the next arrival of the top state in `out`; `None` if all are explored.
    fn next(&mut self, out: &mut Vec<u64>) -> Option<()> {
        let frame = self.frames.last_mut()?;
        frame.left = frame.left.checked_sub(1)?;
        let first = frame.start + frame.left as usize * self.stride;
        self.words.truncate(first + self.stride);
        out.clear();
        out.extend_from_slice(&self.words[first + 1..]);
        Some(())
    }

    /// The state after the arrival that was explored last in a frame.
    fn next_state(&self, frame: usize) -> &[u64] {
        let ArrivalFrame { start, left } = self.frames[frame];
        let first = start + left as usize * self.stride;
        &self.words[first + 1..first + self.stride]
    }

    /// The arrivals that lead along the stack.
    fn taken_arrivals(&self) -> impl Iterator<Item = u32> + '_ {
        self.frames.iter().map(|frame| frame.left)
    }

    fn bytes(&self) -> u64 {
        (8 * self.words.capacity() + size_of::<ArrivalFrame>() * self.frames.capacity()) as u64
    }
}

/// The positions of the states on the first search's stack, by hash.
#[derive(Debug, Default)]
struct StackIndex {
    positions: HashTable<u32>,
    start: Vec<u64>,
    identity: usize,
}

impl StackIndex {
    /// The identity words of the state at this position of the stack.
    fn words<'w>(&'w self, stack: &'w ArrivalStack, position: u32) -> &'w [u64] {
        let state = match position {
            0 => &self.start,
            _ => stack.next_state(position as usize - 1),
        };
        &state[..self.identity]
    }

    fn hash(words: &[u64]) -> u64 {
        GlobalState::new().hash_one(words)
    }

    /// The position of the state with these words, if it is on the stack.
    fn find(&self, stack: &ArrivalStack, words: &[u64]) -> Option<usize> {
        let same = |position: &u32| self.words(stack, *position) == words;
        self.positions.find(StackIndex::hash(words), same).map(|position| *position as usize)
    }

    /// Adds the state that the stack's top leads to.
    fn enter(&mut self, stack: &ArrivalStack) {
        let mut positions = std::mem::take(&mut self.positions);
        let position = stack.frames.len() as u32;
        let hash = |position: &u32| StackIndex::hash(self.words(stack, *position));
        positions.insert_unique(hash(&position), position, hash);
        self.positions = positions;
    }

    /// Removes the state at the top of the stack.
    fn leave(&mut self, stack: &ArrivalStack) {
        let position = stack.frames.len() as u32 - 1;
        let hash = StackIndex::hash(self.words(stack, position));
        if let Ok(entry) = self.positions.find_entry(hash, |other| *other == position) {
            entry.remove();
        }
    }

    fn bytes(&self) -> u64 {
        (self.positions.capacity() * (size_of::<u32>() + 1)) as u64
    }
}

struct StoreSearch<'a, 'm, S: Observable, T> {
    product: &'a Product<'m, S>,
    single: SequentialSearch<'a>,
    expansion: Expansion,
    /// Visited by the first search, and by the second.
    first: T,
    second: T,
    blue: ArrivalStack,
    red: ArrivalStack,
    index: StackIndex,
    initial: usize,
    searched: StoreSearchOutcome,
}

impl<'a, 'm, S: Observable, T: Store> StoreSearch<'a, 'm, S, T> {
    fn run(
        product: &'a Product<'m, S>,
        first: Option<T>,
        second: Option<T>,
        options: &'a Options<'a>,
        before: Duration,
    ) -> Result<StoreSearchOutcome, Box<Misfit>> {
        let (Some(first), Some(second)) = (first, second) else {
            let limit = Some(Limit::MemoryBytes(options.limits.memory_bytes.unwrap_or(0)));
            return Ok(StoreSearchOutcome {
                outcome: Outcome { limit, ..Outcome::default() },
                ..StoreSearchOutcome::default()
            });
        };
        let initial = match product.initial_states() {
            Ok(initial) => initial,
            Err(error) => {
                let failure = Some(Violation { error, run: Run::default() });
                return Ok(StoreSearchOutcome { failure, ..StoreSearchOutcome::default() });
            }
        };
        let expansion = Expansion::new(product.width());
        let stack = || ArrivalStack { stride: expansion.stride(), ..ArrivalStack::default() };
        let mut search = StoreSearch {
            blue: stack(),
            red: stack(),
            product,
            single: SequentialSearch::new(product, options, before),
            expansion,
            first,
            second,
            index: StackIndex { identity: product.width().identity, ..StackIndex::default() },
            initial: 0,
            searched: StoreSearchOutcome::default(),
        };
        let unfinished = visit_initial_states(&initial, |number, state| {
            search.initial = number;
            search.blue(state)
        })?;
        if unfinished.is_some() {
            search.single.end_at(unfinished);
        }
        let StoreSearch { product, single, first, second, searched, .. } = search;
        let bytes = first.memory_bytes() + second.memory_bytes();
        Ok(StoreSearchOutcome {
            outcome: single.outcome(product, first.guarantee(), bytes, None),
            ..searched
        })
    }

    /// The first search, from an initial state.
    fn blue(&mut self, start: &[u64]) -> Result<(), SequentialStop> {
        let monitor = self.product.monitor();
        let (weak, all_marks) = (monitor.is_weak(), monitor.all_marks());
        let mut state = start.to_vec();
        self.index.start = start.to_vec();
        if self.insert(&state, |search| &mut search.first)? {
            self.enter(&state)?;
        }
        while !self.blue.frames.is_empty() {
            if self.blue.next(&mut state).is_some() {
                let on_path = self.index.find(&self.blue, self.identity(&state));
                let accepting = monitor.is_accepting(self.product.automaton_state(&state));
                match on_path {
                    Some(position)
                        if self.product.marks(&state) == all_marks || !weak && accepting =>
                    {
                        return self.found(position);
                    }
                    Some(_) => {}
                    None if self.insert(&state, |search| &mut search.first)? => {
                        self.enter(&state)?
                    }
                    None => {}
                }
                continue;
            }
            let seed = match self.blue.frames.len() {
                1 => start,
                depth => self.blue.next_state(depth - 2),
            };
            if !weak && monitor.is_accepting(self.product.automaton_state(seed)) {
                let seed = seed.to_vec();
                self.red(&seed)?;
            }
            self.index.leave(&self.blue);
            self.blue.pop();
        }
        Ok(())
    }

    /// The second search, from an accepting state at the top of the first search's stack, all of
    /// whose successors are visited.
    fn red(&mut self, seed: &[u64]) -> Result<(), SequentialStop> {
        self.expand(seed)?;
        self.red.push(self.expansion.successors());
        let mut state = Vec::new();
        while !self.red.frames.is_empty() {
            if self.red.next(&mut state).is_none() {
                self.red.pop();
            } else if let Some(position) = self.index.find(&self.blue, self.identity(&state)) {
                return self.found(position);
            } else if self.insert(&state, |search| &mut search.second)? {
                self.expand(&state)?;
                self.red.push(self.expansion.successors());
            }
        }
        Ok(())
    }

    /// The last arrival closes a cycle with the state at this position of the first search's stack.
    fn found(&mut self, position: usize) -> Result<(), SequentialStop> {
        let mut prefix = self.taken_arrivals();
        let cycle = prefix.split_off(position);
        self.searched.lasso = Some(ArrivalLasso { initial: self.initial, prefix, cycle });
        self.single.signal.end_search(None);
        Err(SequentialStop::Over)
    }

    /// The arrivals from the initial state to the current one. The second search begins at the top
    /// of the first search's stack.
    fn taken_arrivals(&self) -> Vec<u32> {
        let mut arrivals: Vec<u32> = self.blue.taken_arrivals().collect();
        if !self.red.frames.is_empty() {
            arrivals.pop();
        }
        arrivals.extend(self.red.taken_arrivals());
        arrivals
    }

    /// The words that identify the state.
    fn identity<'w>(&self, state: &'w [u64]) -> &'w [u64] {
        &state[..self.product.width().identity]
    }

    /// Pushes a state onto the first search's stack.
    fn enter(&mut self, state: &[u64]) -> Result<(), SequentialStop> {
        let depth = self.blue.frames.len();
        let expands = self.single.add(depth as u64)?;
        self.index.enter(&self.blue);
        self.expansion.clear();
        if expands {
            self.expand(state)?;
        }
        self.blue.push(self.expansion.successors());
        Ok(())
    }

    fn expand(&mut self, state: &[u64]) -> Result<(), SequentialStop> {
        let StoreSearch { single, first, second, blue, red, index, .. } = self;
        let stacks = || blue.bytes() + red.bytes() + index.bytes();
        let bytes = || first.memory_bytes() + second.memory_bytes() + stacks();
        single.tick(bytes, blue.frames.len() as u64)?;
        let monitor = self.product.monitor();
        if let Some(marks) = monitor
            .absorbing(self.product.automaton_state(state))
            .filter(|_| self.product.absorbs())
        {
            // An absorbing state represents all its successors: its only arrival is itself.
            let again: Vec<u64> = state[..state.len() - 1].iter().copied().chain([marks]).collect();
            self.expansion.clear();
            self.expansion.push_unmoved(&again);
            return Ok(());
        }
        let stop = self.single.flag();
        if let Err(broken) =
            self.expansion.expand(self.product, state, &mut self.single.tally, stop)
        {
            return Err(broken.into());
        }
        if let Some((error, _)) = self.expansion.errors.first() {
            let run = run_by_choices(self.product, self.initial, self.taken_arrivals(), &[])
                .unwrap_or_default();
            self.searched.failure = Some(Violation { error: error.clone(), run });
            self.single.signal.end_search(None);
            return Err(SequentialStop::Over);
        }
        Ok(())
    }

    /// Inserts a state into one of the stores; returns whether it was new.
    fn insert(
        &mut self,
        state: &[u64],
        which: impl Fn(&mut Self) -> &mut T,
    ) -> Result<bool, SequentialStop> {
        let state = self.identity(state);
        loop {
            let store = which(self);
            match store.insert(state, store.key(state)) {
                Insertion::New => return Ok(true),
                Insertion::Known => return Ok(false),
                Insertion::Full => {
                    let all = self.first.memory_bytes() + self.second.memory_bytes();
                    let limit = self.single.meter.store_limit(all);
                    let store = which(self);
                    let others = all - store.memory_bytes();
                    if !store.grow(limit.saturating_sub(others), 1) {
                        let memory = self.single.options.limits.memory_bytes.unwrap_or(limit);
                        return Err(self.single.stop(Limit::MemoryBytes(memory)));
                    }
                }
            }
        }
    }
}
