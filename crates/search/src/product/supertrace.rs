//! Nested depth-first search in stores that may take a state for another: what `nested` does with `--store bitstate` or `compact`, where the product is too large for any table
//! of nodes.
//!
//! It is the search that bit-state hashing was made for (Courcoubetis, Vardi, Wolper, Yannakakis 1990; Holzmann, Peled, Yannakakis 1996, "On nested depth-first search"): what
//! was visited is asked of two stores, one for each of the searches, and only the states on the stack are there as such. The second search ends
//! when it comes to a state on the stack of the first. So a cycle may be overlooked, but whatever is found is one.

use super::system::Product;
use crate::Options;
use crate::expansion::{Expansion, run_along};
use crate::limits::Limit;
use crate::outcome::{Outcome, Violation};
use crate::single::{Single, Stop, from_each};
use crate::store::{Bitstate, Compact, Insertion, Packed, Store};
use crate::{Run, StoreKind};
use hashbrown::HashTable;
use model::observe::Observable;
use model::system::{Misfit, System};
use rapidhash::fast::GlobalState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

/// The arrays of bits, both together, if nothing is said about memory.
const ARRAY_BYTES: u64 = 1 << 30;
/// An array that is not used.
const LEAST_BYTES: u64 = 1 << 10;

/// A lasso: at each of its states, the number of the arrival by which it goes on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    pub initial: usize,
    pub prefix: Vec<u32>,
    pub cycle: Vec<u32>,
}

/// What a search came to.
#[derive(Debug, Default)]
pub(super) struct Searched {
    pub way: Option<Way>,
    /// A condition has no value.
    pub failure: Option<Violation>,
    pub outcome: Outcome,
}

/// Is there such a search in the store? Those that are exact have no advantage over a table of nodes, or forget what they had, or go level by level.
pub fn has_cycles(store: &StoreKind) -> bool {
    matches!(store, StoreKind::Compact { .. } | StoreKind::Bitstate { .. })
}

/// Searches as often as is asked for, until something is found. Precondition: the acceptance is one of Büchi, or the monitor is weak.
pub(super) fn search<S: Observable>(product: &Product<'_, S>, options: &Options<'_>) -> Searched {
    let start = Instant::now();
    let mut wide = None;
    let mut number = 0;
    loop {
        let now = wide.as_ref().unwrap_or(product);
        match once(now, &options.store.reseeded(number), options, start.elapsed()) {
            Ok(searched) => {
                number += 1;
                let found = searched.way.is_some() || searched.failure.is_some();
                if found || searched.outcome.limit.is_some() || number >= options.runs.max(1) {
                    return searched;
                }
            }
            Err(misfit) => wide = Some(now.widened(&misfit)),
        }
    }
}

fn once<S: Observable>(
    product: &Product<'_, S>,
    store: &StoreKind,
    options: &Options<'_>,
    before: Duration,
) -> Result<Searched, Box<Misfit>> {
    match *store {
        StoreKind::Bitstate { functions, bytes, seed } => {
            // The stack needs memory too, more than states that wait.
            let most = options.limits.memory_bytes.map_or(ARRAY_BYTES, |memory| memory / 2);
            let bytes = bytes.unwrap_or(ARRAY_BYTES).min(most);
            // Where the first search is enough, it has all of them.
            let second = if product.monitor().is_weak() { LEAST_BYTES } else { bytes / 2 };
            let array = |bytes: u64| Bitstate::new(bytes, functions, seed);
            Search::run(product, array(bytes.saturating_sub(second)), array(second), options, before)
        }
        StoreKind::Compact { bits, seed } => {
            let compact = || Some(Compact::new(bits, seed));
            Search::run(product, compact(), compact(), options, before)
        }
        // Exact, whatever it is.
        _ => {
            let packed = || Packed::new(&product.identity_bits(), 0);
            Search::run(product, packed(), packed(), options, before)
        }
    }
}

/// A state whose successors are being looked at.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Where the words of its arrivals begin.
    start: usize,
    /// So many of them have not been looked at. The last is looked at first.
    left: u32,
}

/// The stack of one of the searches: of each state on it the arrivals not yet looked at, and that which leads to the next.
#[derive(Debug, Default)]
struct Stack {
    stride: usize,
    frames: Vec<Frame>,
    words: Vec<u64>,
}

impl Stack {
    fn push(&mut self, arrivals: &[u64]) {
        let left = (arrivals.len() / self.stride) as u32;
        self.frames.push(Frame { start: self.words.len(), left });
        self.words.extend_from_slice(arrivals);
    }

    fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.words.truncate(frame.start);
        }
    }

    /// Looks at the next arrival of the top: its state goes to `out`. `None` if there is no more.
    fn next(&mut self, out: &mut Vec<u64>) -> Option<()> {
        let frame = self.frames.last_mut()?;
        frame.left = frame.left.checked_sub(1)?;
        let first = frame.start + frame.left as usize * self.stride;
        self.words.truncate(first + self.stride);
        out.clear();
        out.extend_from_slice(&self.words[first + 1..]);
        Some(())
    }

    /// The state to which the arrival leads that was looked at last, in a frame.
    fn next_state(&self, frame: usize) -> &[u64] {
        let Frame { start, left } = self.frames[frame];
        let first = start + left as usize * self.stride;
        &self.words[first + 1..first + self.stride]
    }

    /// The arrivals by which the search went on from states on the stack.
    fn way(&self) -> impl Iterator<Item = u32> + '_ {
        self.frames.iter().map(|frame| frame.left)
    }

    fn bytes(&self) -> u64 {
        (8 * self.words.capacity() + size_of::<Frame>() * self.frames.capacity()) as u64
    }
}

/// Which states are on the first search's stack, by their hash values.
#[derive(Debug, Default)]
struct Path {
    positions: HashTable<u32>,
    start: Vec<u64>,
    identity: usize,
}

impl Path {
    /// The words that tell which state is so far up on the stack.
    fn words<'w>(&'w self, stack: &'w Stack, position: u32) -> &'w [u64] {
        let state = match position {
            0 => &self.start,
            _ => stack.next_state(position as usize - 1),
        };
        &state[..self.identity]
    }

    fn hash(words: &[u64]) -> u64 {
        GlobalState::new().hash_one(words)
    }

    /// How far up is the state with these words, if it is on the stack?
    fn find(&self, stack: &Stack, words: &[u64]) -> Option<usize> {
        let same = |position: &u32| self.words(stack, *position) == words;
        self.positions.find(Path::hash(words), same).map(|position| *position as usize)
    }

    /// The state that the stack's top leads to is on it, too.
    fn enter(&mut self, stack: &Stack) {
        let mut positions = std::mem::take(&mut self.positions);
        let position = stack.frames.len() as u32;
        let hash = |position: &u32| Path::hash(self.words(stack, *position));
        positions.insert_unique(hash(&position), position, hash);
        self.positions = positions;
    }

    /// The state of the stack's top leaves it.
    fn leave(&mut self, stack: &Stack) {
        let position = stack.frames.len() as u32 - 1;
        let hash = Path::hash(self.words(stack, position));
        if let Ok(entry) = self.positions.find_entry(hash, |other| *other == position) {
            entry.remove();
        }
    }

    fn bytes(&self) -> u64 {
        (self.positions.capacity() * (size_of::<u32>() + 1)) as u64
    }
}

struct Search<'a, 'm, S: Observable, T> {
    product: &'a Product<'m, S>,
    single: Single<'a>,
    expansion: Expansion,
    /// Met by the first search, and by the second.
    first: T,
    second: T,
    blue: Stack,
    red: Stack,
    path: Path,
    initial: usize,
    searched: Searched,
}

impl<'a, 'm, S: Observable, T: Store> Search<'a, 'm, S, T> {
    fn run(
        product: &'a Product<'m, S>,
        first: Option<T>,
        second: Option<T>,
        options: &'a Options<'a>,
        before: Duration,
    ) -> Result<Searched, Box<Misfit>> {
        let (Some(first), Some(second)) = (first, second) else {
            let limit = Some(Limit::MemoryBytes(options.limits.memory_bytes.unwrap_or(0)));
            return Ok(Searched { outcome: Outcome { limit, ..Outcome::default() }, ..Searched::default() });
        };
        let initial = match product.initial_states() {
            Ok(initial) => initial,
            Err(error) => {
                let failure = Some(Violation { error, run: Run::default() });
                return Ok(Searched { failure, ..Searched::default() });
            }
        };
        let expansion = Expansion::new(product.width());
        let stack = || Stack { stride: expansion.stride(), ..Stack::default() };
        let mut search = Search {
            blue: stack(),
            red: stack(),
            product,
            single: Single::new(product, options, before),
            expansion,
            first,
            second,
            path: Path { identity: product.width().identity, ..Path::default() },
            initial: 0,
            searched: Searched::default(),
        };
        let unfinished = from_each(&initial, |number, state| {
            search.initial = number;
            search.blue(state)
        })?;
        if unfinished.is_some() {
            search.single.end_at(unfinished);
        }
        let Search { product, single, first, second, searched, .. } = search;
        let bytes = first.memory_bytes() + second.memory_bytes();
        Ok(Searched { outcome: single.outcome(product, first.guarantee(), bytes, None), ..searched })
    }

    /// The first search, from a state.
    fn blue(&mut self, start: &[u64]) -> Result<(), Stop> {
        let monitor = self.product.monitor();
        let (weak, all_marks) = (monitor.is_weak(), monitor.all_marks());
        let mut state = start.to_vec();
        self.path.start = start.to_vec();
        if self.is_new(&state, |search| &mut search.first)? {
            self.enter(&state)?;
        }
        while !self.blue.frames.is_empty() {
            if self.blue.next(&mut state).is_some() {
                let on_path = self.path.find(&self.blue, self.identity(&state));
                let accepting = monitor.is_accepting(self.product.automaton_state(&state));
                match on_path {
                    Some(position) if self.product.marks(&state) == all_marks || !weak && accepting => {
                        return self.found(position);
                    }
                    Some(_) => {}
                    None if self.is_new(&state, |search| &mut search.first)? => self.enter(&state)?,
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
            self.path.leave(&self.blue);
            self.blue.pop();
        }
        Ok(())
    }

    /// The second search, from an accepting state at the top of the first one's stack, all of whose successors have been visited.
    fn red(&mut self, seed: &[u64]) -> Result<(), Stop> {
        self.expand(seed)?;
        self.red.push(self.expansion.arrivals());
        let mut state = Vec::new();
        while !self.red.frames.is_empty() {
            if self.red.next(&mut state).is_none() {
                self.red.pop();
            } else if let Some(position) = self.path.find(&self.blue, self.identity(&state)) {
                return self.found(position);
            } else if self.is_new(&state, |search| &mut search.second)? {
                self.expand(&state)?;
                self.red.push(self.expansion.arrivals());
            }
        }
        Ok(())
    }

    /// The last arrival closes a cycle at a state of the first search's stack.
    fn found(&mut self, position: usize) -> Result<(), Stop> {
        let mut prefix = self.way();
        let cycle = prefix.split_off(position);
        self.searched.way = Some(Way { initial: self.initial, prefix, cycle });
        self.single.sign.stop(None);
        Err(Stop::Over)
    }

    /// The arrivals from the start to that which is looked at. The second search begins at the top of the first one's stack.
    fn way(&self) -> Vec<u32> {
        let mut way: Vec<u32> = self.blue.way().collect();
        if !self.red.frames.is_empty() {
            way.pop();
        }
        way.extend(self.red.way());
        way
    }

    /// The words that tell which state it is.
    fn identity<'w>(&self, state: &'w [u64]) -> &'w [u64] {
        &state[..self.product.width().identity]
    }

    /// Puts a state on the first search's stack.
    fn enter(&mut self, state: &[u64]) -> Result<(), Stop> {
        let depth = self.blue.frames.len();
        let expands = self.single.add(depth as u64)?;
        self.path.enter(&self.blue);
        self.expansion.clear();
        if expands {
            self.expand(state)?;
        }
        self.blue.push(self.expansion.arrivals());
        Ok(())
    }

    fn expand(&mut self, state: &[u64]) -> Result<(), Stop> {
        let Search { single, first, second, blue, red, path, .. } = self;
        let stacks = || blue.bytes() + red.bytes() + path.bytes();
        let bytes = || first.memory_bytes() + second.memory_bytes() + stacks();
        single.tick(bytes, blue.frames.len() as u64)?;
        let monitor = self.product.monitor();
        if let Some(marks) =
            monitor.absorbing(self.product.automaton_state(state)).filter(|_| self.product.absorbs())
        {
            // It stands for all that follow: its only arrival is itself.
            let again: Vec<u64> = state[..state.len() - 1].iter().copied().chain([marks]).collect();
            self.expansion.clear();
            self.expansion.arrive(&again);
            return Ok(());
        }
        let stop = self.single.flag();
        if let Err(broken) = self.expansion.expand(self.product, state, &mut self.single.tally, stop) {
            return Err(broken.into());
        }
        if let Some((error, _)) = self.expansion.met.first() {
            let run = run_along(self.product, self.initial, self.way(), &[]).unwrap_or_default();
            self.searched.failure = Some(Violation { error: error.clone(), run });
            self.single.sign.stop(None);
            return Err(Stop::Over);
        }
        Ok(())
    }

    /// Adds a state to one of the stores. Was it new?
    fn is_new(&mut self, state: &[u64], which: impl Fn(&mut Self) -> &mut T) -> Result<bool, Stop> {
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
