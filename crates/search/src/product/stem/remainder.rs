//! The remainder of a product: the nodes after the stem, and the search for cycles there. Threads
//! that visit the stem take turns in the remainder.
//!
//! If threads found a lasso, the run to it is found by a second visit of the stem in one thread,
//! which searches a remainder of its own and ends at the first lasso. It must not wait for the
//! state that precedes the lasso of the threads: in its order that state may come arbitrarily late,
//! or never if there are infinitely many states.

use super::{Attempt, StemOutcome};
use crate::limits::{Limit, Limits};
use crate::liveness::{Algorithm, Graph, IncrementalSearch, Lasso, Node};
use crate::memory::padded::ShardedCounter;
use crate::outcome::{Outcome, Run, Statistics, Violation};
use crate::product::graph::{ProductError, ProductGraph};
use crate::product::monitor::Monitor;
use crate::product::nodes::ProductNodes;
use crate::product::nodes::tail::Tail;
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
}

/// The remainder, and how the search in it ended.
struct RemainderProgress<'m, 'a, S: Observable> {
    remainder: Remainder<'m, 'a, S>,
    end: Option<RemainderEnd>,
    /// The remainder of the second visit of the stem, until it is given up.
    second: Option<Remainder<'m, 'a, S>>,
}

/// Why the search in the remainder has ended.
enum RemainderEnd {
    /// A lasso begins after the state of the stem with the identity words `departure`.
    Found {
        departure: Vec<u64>,
        lasso: Lasso,
        statistics: Statistics,
    },
    Stopped(ProductError),
}

/// The remainder, shared by all threads.
pub(in crate::product::stem) struct RemainderSearch<'m, 'a, S: Observable> {
    pub monitor: &'m Monitor,
    pub waiting: u32,
    algorithm: Algorithm,
    limits: Limits<'a>,
    /// The number of states in the stem.
    pub stem_states: ShardedCounter,
    /// The number of these states that can have nodes in the remainder, if it is needed.
    pub outside: Option<ShardedCounter>,
    /// The number of these states in which the run stutters.
    pub stuttering_states: ShardedCounter,
    /// No more states are visited.
    pub finished: AtomicBool,
    progress: Mutex<RemainderProgress<'m, 'a, S>>,
}

impl<'m, 'a, S: Observable> RemainderSearch<'m, 'a, S> {
    /// A search whose graph has no nodes yet. `None` if the algorithm cannot continue a search from
    /// nodes that are added later. Precondition: `graph` is empty.
    pub fn new(
        graph: ProductGraph<'m, 'a, S>,
        waiting: u32,
        algorithm: Algorithm,
        limits: &Limits<'a>,
    ) -> Option<RemainderSearch<'m, 'a, S>> {
        let (monitor, node_limit) = (graph.product().monitor(), graph.node_limit);
        let remainder = Remainder::new(graph, algorithm)?;
        Some(RemainderSearch {
            monitor,
            waiting,
            algorithm,
            limits: limits.clone(),
            stem_states: ShardedCounter::default(),
            outside: node_limit.map(|_| ShardedCounter::default()),
            stuttering_states: ShardedCounter::default(),
            finished: AtomicBool::new(false),
            progress: Mutex::new(RemainderProgress { remainder, end: None, second: None }),
        })
    }

    fn lock(&self) -> MutexGuard<'_, RemainderProgress<'m, 'a, S>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stem is visited a second time, for the run to a lasso that was found.
    pub fn search_again(&self) {
        let mut progress = self.lock();
        if matches!(progress.end, Some(RemainderEnd::Found { .. })) {
            // A limit of this remainder leaves the known lasso to be found.
            let limits = Limits { states: None, ..self.limits.clone() };
            let product = progress.remainder.graph.product().again();
            let mut graph = ProductGraph::new(product, Tail::Demon, &limits, None);
            graph.fixed_layout = true;
            progress.second = Remainder::new(graph, self.algorithm);
        }
    }

    /// The automaton can leave in this state: does a lasso follow it? Searches the remainder if
    /// that is not known.
    #[cold]
    pub fn depart(&self, state: &[u64], letter: &[u64]) -> bool {
        let mut progress = self.lock();
        let RemainderProgress { remainder, end, second } = &mut *progress;
        let identity = remainder.graph.product().program_width().identity;
        match end {
            Some(RemainderEnd::Found { departure, lasso, .. }) => {
                if departure[..] == state[..identity] {
                    return true;
                }
                let Some(again) = second else { return false };
                match again.search_from(state, self.waiting, letter) {
                    Ok(None) => return false,
                    Ok(Some(found)) => {
                        (*departure, *lasso) = (state[..identity].to_vec(), found);
                        std::mem::swap(remainder, again);
                    }
                    Err(_) => {}
                }
                *second = None;
                return departure[..] == state[..identity];
            }
            Some(RemainderEnd::Stopped(ProductError::TooManyNodes)) => {
                self.finished
                    .store(self.stem_states.sum() >= REMAINDER_SAMPLE_STATES, Ordering::Relaxed);
                return false;
            }
            Some(RemainderEnd::Stopped(_)) => return false,
            None => {}
        }
        let found = remainder.search_from(state, self.waiting, letter);
        let states = self.stem_states.sum() + remainder.graph.len() as u64;
        let found = match self.limits.states {
            Some(limit) if found == Ok(None) && states > limit => {
                Err(ProductError::Limit(Limit::States(limit)))
            }
            _ => found,
        };
        match found {
            Ok(None) => false,
            Ok(Some(lasso)) => {
                let departure = state[..identity].to_vec();
                let statistics = remainder.statistics();
                *end = Some(RemainderEnd::Found { departure, lasso, statistics });
                true
            }
            Err(stop) => {
                // The condition has no value in a state of the stem as well; the search of the stem
                // finds the run to it.
                let continues =
                    matches!(stop, ProductError::TooManyNodes | ProductError::NoValue(..));
                self.finished.store(!continues, Ordering::Relaxed);
                *end = Some(RemainderEnd::Stopped(stop));
                false
            }
        }
    }

    /// Adopts the wider layout of the stem.
    pub fn widen(&self, narrow: &S, wide: &S, conditions: Arc<S::Conditions>) {
        let mut progress = self.lock();
        let RemainderProgress { remainder, end, second } = &mut *progress;
        if let Some(RemainderEnd::Found { departure, .. }) = end {
            departure.resize(narrow.width().all, 0);
            let mut words = Vec::new();
            wide.recoder(narrow).recode(departure, &mut words);
            words.truncate(wide.width().identity);
            *departure = words;
        }
        if let Some(again) = second
            && again.graph.follow_layout(wide.again(), Arc::clone(&conditions)).is_err()
        {
            *second = None;
        }
        if let Err(stop) = remainder.graph.follow_layout(wide.again(), conditions) {
            *end = Some(RemainderEnd::Stopped(stop));
            self.finished.store(true, Ordering::Relaxed);
        }
    }

    pub fn into_attempt(self, outcome: Outcome) -> Attempt<'m, 'a, S> {
        let states = self.stem_states.sum();
        let progress = self.progress.into_inner().unwrap_or_else(PoisonError::into_inner);
        let RemainderProgress { remainder, end, .. } = progress;
        let searched = match &end {
            Some(RemainderEnd::Found { statistics, .. }) => statistics.clone(),
            _ => remainder.statistics(),
        };
        let mut graph = remainder.graph;
        // These bounds apply to the search only, not to the reconstruction of a run.
        (graph.fixed_layout, graph.node_limit) = (false, None);
        graph.tally.endless_atomic |= outcome.endless_atomic;
        let stem = &outcome.statistics;
        let statistics = Statistics {
            states: stem.states + searched.states,
            transitions: stem.transitions + self.stuttering_states.sum() + searched.transitions,
            atomic_steps: stem.atomic_steps + searched.atomic_steps,
            depth: stem.depth.max(searched.depth),
            store_bytes: stem.store_bytes + searched.store_bytes,
            compressed: stem.compressed,
            widenings: stem.widenings,
            ..searched
        };
        let is_shown = |violation: &Violation| violation.error == RuntimeError::PropertyViolated;
        let (shown, failed): (Vec<_>, Vec<_>) = outcome.violations.into_iter().partition(is_shown);
        let mut failure = failed.into_iter().next();
        let limited = outcome.limit.map(ProductError::Limit);
        let found = match (end, shown.first()) {
            (Some(RemainderEnd::Found { lasso, .. }), Some(violation)) => {
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
            (Some(RemainderEnd::Found { .. }), None) => {
                // The violation is known although its run is not.
                graph.lift_limits();
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

impl<'m, 'a, S: Observable> Remainder<'m, 'a, S> {
    /// Without nodes. `None` if the algorithm cannot continue from further nodes.
    fn new(graph: ProductGraph<'m, 'a, S>, algorithm: Algorithm) -> Option<Remainder<'m, 'a, S>> {
        let search = IncrementalSearch::new(algorithm)?;
        Some(Remainder { graph, search, nodes: Vec::new() })
    }

    /// Continues the search from a state of the stem in which the automaton can leave.
    fn search_from(
        &mut self,
        state: &[u64],
        waiting: u32,
        letter: &[u64],
    ) -> Result<Option<Lasso>, ProductError> {
        let Remainder { graph, search, nodes } = self;
        if graph.covers_departure(state, waiting, letter) {
            return Ok(None);
        }
        nodes.clear();
        graph.expand_departure(state, waiting, nodes)?;
        search.continue_from(graph, nodes)
    }

    /// The statistics so far.
    fn statistics(&self) -> Statistics {
        let graph = &self.graph;
        Statistics {
            states: graph.len() as u64,
            transitions: graph.tally.transitions,
            atomic_steps: graph.tally.atomic_steps,
            depth: graph.tally.depth,
            state_bytes: 8 * graph.product().width().identity as u64,
            store_bytes: graph.store_bytes(),
            time: graph.elapsed(),
            ..Statistics::default()
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
