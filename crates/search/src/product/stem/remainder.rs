//! The remainder of a product: the nodes after the stem, and the search for cycles there. Threads
//! that visit the stem take turns in the remainder.

use super::{Attempt, StemOutcome};
use crate::limits::Limit;
use crate::liveness::{Algorithm, Graph, IncrementalSearch, Lasso, Node};
use crate::memory::padded::ShardedCounter;
use crate::outcome::{Outcome, Run, Statistics, Violation};
use crate::product::graph::{ProductError, ProductGraph};
use crate::product::monitor::Monitor;
use crate::product::nodes::ProductNodes;
use crate::reach::atomic::ExpansionError;
use crate::reach::expansion::nth_successor;
use crate::tuning::product::REMAINDER_SAMPLE_STATES;
use lariat_ir::RuntimeError;
use lariat_ir::observe::Observable;
use lariat_ir::system::{System, TransitionSystem};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The nodes after the stem and the search for cycles in them.
struct Remainder<'m, 'a, S: Observable> {
    graph: ProductGraph<'m, 'a, S>,
    search: IncrementalSearch,
    /// A buffer: the nodes that the automaton reaches when it leaves in a state of the stem.
    nodes: Vec<Node>,
    end: Option<RemainderEnd>,
}

/// Why the search in the remainder has ended.
enum RemainderEnd {
    /// A lasso begins after the state of the stem with these identity words.
    Found(Vec<u64>, Lasso),
    Stopped(ProductError),
}

/// The remainder, shared by all threads.
pub(in crate::product::stem) struct RemainderSearch<'m, 'a, S: Observable> {
    pub monitor: &'m Monitor,
    pub waiting: u32,
    max_states: Option<u64>,
    /// The number of states in the stem.
    pub stem_states: ShardedCounter,
    /// The number of these states that can have nodes in the remainder, if it is needed.
    pub outside: Option<ShardedCounter>,
    /// The number of these states in which the run stutters.
    pub stuttering_states: ShardedCounter,
    /// No more states are visited.
    pub finished: AtomicBool,
    remainder: Mutex<Remainder<'m, 'a, S>>,
}

impl<'m, 'a, S: Observable> RemainderSearch<'m, 'a, S> {
    /// A search whose graph has no nodes yet. `None` if the algorithm cannot continue a search from
    /// nodes that are added later. Precondition: `graph` is empty.
    pub fn new(
        graph: ProductGraph<'m, 'a, S>,
        waiting: u32,
        algorithm: Algorithm,
        max_states: Option<u64>,
    ) -> Option<RemainderSearch<'m, 'a, S>> {
        let search = IncrementalSearch::new(algorithm)?;
        Some(RemainderSearch {
            monitor: graph.product().monitor(),
            waiting,
            max_states,
            stem_states: ShardedCounter::default(),
            outside: graph.node_limit.map(|_| ShardedCounter::default()),
            stuttering_states: ShardedCounter::default(),
            finished: AtomicBool::new(false),
            remainder: Mutex::new(Remainder { graph, search, nodes: Vec::new(), end: None }),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Remainder<'m, 'a, S>> {
        self.remainder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The automaton can leave in this state: does a lasso follow it? Searches the remainder if
    /// that is not known.
    #[cold]
    pub fn depart(&self, state: &[u64], letter: &[u64]) -> bool {
        let mut remainder = self.lock();
        let identity = remainder.graph.product().program_width().identity;
        match &remainder.end {
            // The stem is searched again for a run to that state.
            Some(RemainderEnd::Found(departure, _)) => return departure[..] == state[..identity],
            Some(RemainderEnd::Stopped(ProductError::TooManyNodes)) => {
                self.finished
                    .store(self.stem_states.sum() >= REMAINDER_SAMPLE_STATES, Ordering::Relaxed);
                return false;
            }
            Some(RemainderEnd::Stopped(_)) => return false,
            None => {}
        }
        if remainder.graph.covers_departure(state, self.waiting, letter) {
            return false;
        }
        match remainder.search_from(state, self.waiting, self.stem_states.sum(), self.max_states) {
            Ok(None) => false,
            Ok(Some(lasso)) => {
                remainder.end = Some(RemainderEnd::Found(state[..identity].to_vec(), lasso));
                true
            }
            Err(stop) => {
                // The condition has no value in a state of the stem as well; the search of the stem
                // finds the run to it.
                let continues =
                    matches!(stop, ProductError::TooManyNodes | ProductError::NoValue(..));
                self.finished.store(!continues, Ordering::Relaxed);
                remainder.end = Some(RemainderEnd::Stopped(stop));
                false
            }
        }
    }

    /// Adopts the wider layout of the stem.
    pub fn widen(&self, narrow: &S, wide: &S, conditions: Arc<S::Conditions>) {
        let mut remainder = self.lock();
        if let Some(RemainderEnd::Found(departure, _)) = &mut remainder.end {
            departure.resize(narrow.width().all, 0);
            let mut words = Vec::new();
            wide.recoder(narrow).recode(departure, &mut words);
            words.truncate(wide.width().identity);
            *departure = words;
        }
        if let Err(stop) = remainder.graph.follow_layout(wide.again(), conditions) {
            remainder.end = Some(RemainderEnd::Stopped(stop));
            self.finished.store(true, Ordering::Relaxed);
        }
    }

    pub fn into_attempt(self, outcome: Outcome) -> Attempt<'m, 'a, S> {
        let states = self.stem_states.sum();
        let remainder = self.remainder.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Remainder { mut graph, end, .. } = remainder;
        // These bounds apply to the search only, not to the reconstruction of a run.
        (graph.fixed_layout, graph.node_limit) = (false, None);
        graph.tally.endless_atomic |= outcome.endless_atomic;
        let stem = &outcome.statistics;
        let statistics = Statistics {
            states: stem.states + graph.len() as u64,
            transitions: stem.transitions + self.stuttering_states.sum() + graph.tally.transitions,
            atomic_steps: stem.atomic_steps + graph.tally.atomic_steps,
            depth: stem.depth.max(graph.tally.depth),
            state_bytes: 8 * graph.product().width().identity as u64,
            store_bytes: stem.store_bytes + graph.store_bytes(),
            time: graph.elapsed(),
            compressed: stem.compressed,
            widenings: stem.widenings,
            ..Statistics::default()
        };
        let is_shown = |violation: &Violation| violation.error == RuntimeError::PropertyViolated;
        let (shown, failed): (Vec<_>, Vec<_>) = outcome.violations.into_iter().partition(is_shown);
        let mut failure = failed.into_iter().next();
        let limited = outcome.limit.map(ProductError::Limit);
        let found = match (end, shown.first()) {
            (Some(RemainderEnd::Found(_, lasso)), Some(violation)) => {
                failure = None;
                let Some(states) = stored_states(graph.product().system(), &violation.run) else {
                    return Attempt::Misfit(None);
                };
                graph.lift_limits();
                graph.prepend_stem(self.waiting, &states, lasso).map(Some)
            }
            // The second search of the stem reached a condition without a value before the lasso.
            _ if failure.is_some() => Ok(None),
            // The user interrupted the second search of the stem.
            (Some(RemainderEnd::Found(..)), None) => {
                Err(limited.unwrap_or(ProductError::Limit(Limit::Interrupted)))
            }
            (Some(RemainderEnd::Stopped(ProductError::Limit(limit))), _) => {
                Err(ProductError::Limit(limit))
            }
            (_, _) if limited.is_some() => limited.map_or(Ok(None), Err),
            (Some(RemainderEnd::Stopped(ProductError::TooManyNodes)), _) => {
                return Attempt::Large {
                    outside: self.outside.map_or(states, |outside| outside.sum()),
                    states,
                };
            }
            (Some(RemainderEnd::Stopped(_)), _) => return Attempt::Misfit(graph.misfit.take()),
            (None, _) => Ok(None),
        };
        Attempt::Done(Box::new(StemOutcome { graph, found, failure, statistics }))
    }
}

impl<S: Observable> Remainder<'_, '_, S> {
    /// Continues the search from a state of the stem, of which `states` are visited.
    fn search_from(
        &mut self,
        state: &[u64],
        waiting: u32,
        states: u64,
        max_states: Option<u64>,
    ) -> Result<Option<Lasso>, ProductError> {
        let Remainder { graph, search, nodes, .. } = self;
        nodes.clear();
        graph.expand_departure(state, waiting, nodes)?;
        let found = search.continue_from(graph, nodes)?;
        match max_states {
            Some(limit) if found.is_none() && states + graph.len() as u64 > limit => {
                Err(ProductError::Limit(Limit::States(limit)))
            }
            _ => Ok(found),
        }
    }
}

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// Is there a node with this state of the program whose successors include all nodes that the
    /// automaton reaches by leaving? Then they are searched already.
    fn covers_departure(&mut self, state: &[u64], waiting: u32, letter: &[u64]) -> bool {
        let ProductNodes { product, table, .. } = &*self.nodes;
        let words = &mut self.state;
        product.monitor().covering(waiting, letter).any(|automaton| {
            words.clear();
            product.combined(&state[..product.program_width().identity], automaton, words);
            table.find_head(words).is_some()
        })
    }

    /// Appends the nodes that are reached from a state of the program when the automaton leaves.
    fn expand_departure(
        &mut self,
        state: &[u64],
        waiting: u32,
        out: &mut Vec<Node>,
    ) -> Result<(), ProductError> {
        self.tick()?;
        let product = &self.nodes.product;
        self.state.clear();
        product.combined(&state[..product.program_width().identity], waiting, &mut self.state);
        self.state.resize(product.width().all, 0);
        let before = (self.tally.transitions, self.tally.atomic_steps);
        let stop = self.interrupt();
        match self.expansion.expand(product, &self.state, &mut self.tally, stop) {
            Ok(()) => {}
            Err(ExpansionError::Misfit(misfit)) => return Err(self.fixed_layout_error(misfit)),
            Err(ExpansionError::Stopped | ExpansionError::Unfinished(Limit::Interrupted)) => {
                return Err(self.stopped());
            }
            Err(ExpansionError::Unfinished(limit)) => return Err(ProductError::Limit(limit)),
        }
        let (stride, identity) = (self.expansion.stride(), product.width().identity);
        let arrivals = self.expansion.take_successors();
        let all = arrivals.chunks_exact(stride);
        let left: Vec<&[u64]> = all
            .clone()
            .map(|arrival| &arrival[1..=identity])
            .filter(|words| product.automaton_state(words) != waiting)
            .collect();
        // Transitions of the waiting automaton are counted in the stem.
        self.tally.transitions = before.0 + left.len() as u64;
        let atomic_steps = self.tally.atomic_steps - before.1;
        let share = atomic_steps * left.len() as u64 / (all.len() as u64).max(1);
        self.tally.atomic_steps = before.1 + share;
        let added = self.add(left.into_iter(), |node| out.push(node));
        self.expansion.restore(arrivals);
        if added? { Ok(()) } else { Err(ProductError::FixedLayout) }
    }

    /// Extends a lasso of the remainder by the states of the stem before it.
    fn prepend_stem(
        &mut self,
        waiting: u32,
        states: &[Vec<u64>],
        lasso: Lasso,
    ) -> Result<Lasso, ProductError> {
        let mut prefix = Vec::new();
        for state in states {
            let product = &self.nodes.product;
            let mut words = Vec::new();
            product.combined(&state[..product.program_width().identity], waiting, &mut words);
            self.add(std::iter::once(&words[..]), |node| prefix.push(node))?;
        }
        prefix.extend(lasso.prefix);
        Ok(Lasso { prefix, cycle: lasso.cycle })
    }
}

/// The states along a run that are stored: all except those inside atomic sequences.
fn stored_states<S: System>(system: &S, run: &Run) -> Option<Vec<Vec<u64>>> {
    let mut state = system.initial_states().ok()?.into_iter().nth(run.initial)?;
    let mut left = &run.steps[..];
    let mut states = Vec::new();
    while !left.is_empty() {
        let (codes, next) = (0..)
            .map_while(|arrival| nth_successor(system, &state, arrival))
            .find(|(codes, _)| {
                codes.len() <= left.len()
                    && codes.iter().zip(left).all(|(code, step)| system.step(*code) == *step)
            })?;
        left = &left[codes.len()..];
        states.push(std::mem::replace(&mut state, next));
    }
    states.push(state);
    Some(states)
}
