//! The crown of a product: the nodes after the stem, and the search for cycles there. Threads that visit the stem take turns in it.

use super::super::graph::{ProductGraph, Stop};
use super::super::monitor::Monitor;
use super::super::nodes::Nodes;
use super::{Attempt, MANY_STATES, Visited};
use crate::apart::Count;
use crate::atomic::Broken;
use crate::limits::Limit;
use crate::liveness::{Algorithm, Gradual, Graph, Lasso, Node};
use crate::outcome::{Outcome, Run, Statistics, Violation};
use crate::predecessors::passage;
use model::RuntimeError;
use model::observe::Observable;
use model::system::System;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The nodes after the stem, and the search there.
struct Crown<'m, 'a, S: Observable> {
    graph: ProductGraph<'m, 'a, S>,
    search: Gradual,
    /// Where the automaton comes to from a state of the stem.
    nodes: Vec<Node>,
    end: Option<End>,
}

/// Why the search in the crown does not go on.
enum End {
    /// There is a lasso after this state of the stem, by the words of its identity.
    Found(Vec<u64>, Lasso),
    Stopped(Stop),
}

/// What all threads look at.
pub(super) struct Shared<'m, 'a, S: Observable> {
    pub monitor: &'m Monitor,
    pub waiting: u32,
    most_states: Option<u64>,
    /// States of the stem.
    pub met: Count,
    /// Those that the automaton can go on in if it has left, if somebody wants to know.
    pub outside: Option<Count>,
    /// Those in which nothing can move any more.
    pub rests: Count,
    /// Nothing is visited any more.
    pub over: AtomicBool,
    crown: Mutex<Crown<'m, 'a, S>>,
}

impl<'m, 'a, S: Observable> Shared<'m, 'a, S> {
    /// With a graph that has no nodes yet; `None` if the algorithm is none for this.
    pub fn new(
        graph: ProductGraph<'m, 'a, S>,
        waiting: u32,
        algorithm: Algorithm,
        most_states: Option<u64>,
    ) -> Option<Shared<'m, 'a, S>> {
        let search = Gradual::new(algorithm)?;
        Some(Shared {
            monitor: graph.product().monitor(),
            waiting,
            most_states,
            met: Count::default(),
            outside: graph.few_nodes.map(|_| Count::default()),
            rests: Count::default(),
            over: AtomicBool::new(false),
            crown: Mutex::new(Crown { graph, search, nodes: Vec::new(), end: None }),
        })
    }

    fn crown(&self) -> MutexGuard<'_, Crown<'m, 'a, S>> {
        self.crown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The automaton can leave in this state: is there a lasso after it?
    #[cold]
    pub fn depart(&self, state: &[u64], letter: &[u64]) -> bool {
        let mut crown = self.crown();
        let identity = crown.graph.product().program_width().identity;
        match &crown.end {
            // The stem is visited once more, to see how that state is reached.
            Some(End::Found(departure, _)) => return departure[..] == state[..identity],
            Some(End::Stopped(Stop::Large)) => {
                self.over.store(self.met.sum() >= MANY_STATES, Ordering::Relaxed);
                return false;
            }
            Some(End::Stopped(_)) => return false,
            None => {}
        }
        if crown.graph.has_covered(state, self.waiting, letter) {
            return false;
        }
        match crown.go_on(state, self.waiting, self.met.sum(), self.most_states) {
            Ok(None) => false,
            Ok(Some(lasso)) => {
                crown.end = Some(End::Found(state[..identity].to_vec(), lasso));
                true
            }
            Err(stop) => {
                // A state in which a condition has no value is one of the stem too, and it is seen there how it is reached.
                let goes_on = matches!(stop, Stop::Large | Stop::Failed(..));
                self.over.store(!goes_on, Ordering::Relaxed);
                crown.end = Some(End::Stopped(stop));
                false
            }
        }
    }

    /// The stem has a wider layout, by which this system sees states; so has the crown from now on.
    pub fn widen(&self, narrow: &S, wide: &S, conditions: Arc<S::Conditions>) {
        let mut crown = self.crown();
        if let Some(End::Found(departure, _)) = &mut crown.end {
            departure.resize(narrow.width().all, 0);
            let mut words = Vec::new();
            wide.recoder(narrow).recode(departure, &mut words);
            words.truncate(wide.width().identity);
            *departure = words;
        }
        if let Err(stop) = crown.graph.follow_layout(wide.again(), conditions) {
            crown.end = Some(End::Stopped(stop));
            self.over.store(true, Ordering::Relaxed);
        }
    }

    pub fn conclude(self, outcome: Outcome) -> Attempt<'m, 'a, S> {
        let states = self.met.sum();
        let crown = self.crown.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Crown { mut graph, end, .. } = crown;
        // What is done with the graph from now on is not the search that was bound by these.
        (graph.bound, graph.few_nodes) = (false, None);
        graph.tally.endless_atomic |= outcome.endless_atomic;
        let stem = &outcome.statistics;
        let statistics = Statistics {
            states: stem.states + graph.len() as u64,
            transitions: stem.transitions + self.rests.sum() + graph.tally.transitions,
            atomic_steps: stem.atomic_steps + graph.tally.atomic_steps,
            depth: stem.depth.max(graph.tally.depth),
            state_bytes: 8 * graph.product().width().identity as u64,
            store_bytes: stem.store_bytes + graph.store_bytes(),
            time: graph.elapsed(),
            compressed: stem.compressed,
            ..Statistics::default()
        };
        let is_shown = |violation: &Violation| violation.error == RuntimeError::PropertyViolated;
        let (shown, failed): (Vec<_>, Vec<_>) = outcome.violations.into_iter().partition(is_shown);
        let mut failure = failed.into_iter().next();
        let limited = outcome.limit.map(Stop::Limit);
        let found = match (end, shown.first()) {
            (Some(End::Found(_, lasso)), Some(violation)) => {
                failure = None;
                let Some(states) = stored_states(graph.product().system(), &violation.run) else {
                    return Attempt::Outgrown(None);
                };
                graph.lift_limits();
                graph.with_stem(self.waiting, &states, lasso).map(Some)
            }
            // Where a condition has no value was met before, when the stem was visited once more to show the lasso.
            _ if failure.is_some() => Ok(None),
            // Somebody lost patience before it could be shown.
            (Some(End::Found(..)), None) => Err(limited.unwrap_or(Stop::Limit(Limit::Interrupted))),
            (Some(End::Stopped(Stop::Limit(limit))), _) => Err(Stop::Limit(limit)),
            (_, _) if limited.is_some() => limited.map_or(Ok(None), Err),
            (Some(End::Stopped(Stop::Large)), _) => {
                return Attempt::Large {
                    outside: self.outside.map_or(states, |outside| outside.sum()),
                    states,
                };
            }
            (Some(End::Stopped(_)), _) => return Attempt::Outgrown(graph.outgrown.take()),
            (None, _) => Ok(None),
        };
        Attempt::Done(Box::new(Visited { graph, found, failure, statistics }))
    }
}

impl<S: Observable> Crown<'_, '_, S> {
    /// Searches on from a state of the stem, one of so many.
    fn go_on(
        &mut self,
        state: &[u64],
        waiting: u32,
        states: u64,
        most: Option<u64>,
    ) -> Result<Option<Lasso>, Stop> {
        let Crown { graph, search, nodes, .. } = self;
        nodes.clear();
        graph.depart(state, waiting, nodes)?;
        let found = search.go_on(graph, nodes)?;
        match most {
            Some(limit) if found.is_none() && states + graph.len() as u64 > limit => {
                Err(Stop::Limit(Limit::States(limit)))
            }
            _ => Ok(found),
        }
    }
}

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// Was a node met of this state of the program that leads wherever the automaton can come to if it leaves? What comes after that is known.
    fn has_covered(&mut self, state: &[u64], waiting: u32, letter: &[u64]) -> bool {
        let Nodes { product, table, .. } = &*self.nodes;
        let words = &mut self.state;
        product.monitor().covering(waiting, letter).any(|automaton| {
            words.clear();
            product.joined(&state[..product.program_width().identity], automaton, words);
            table.find_head(words).is_some()
        })
    }

    /// Appends the nodes that are reached from a state of the program if the automaton does not go on waiting.
    fn depart(&mut self, state: &[u64], waiting: u32, out: &mut Vec<Node>) -> Result<(), Stop> {
        self.tick()?;
        let product = &self.nodes.product;
        self.state.clear();
        product.joined(&state[..product.program_width().identity], waiting, &mut self.state);
        self.state.resize(product.width().all, 0);
        let before = (self.tally.transitions, self.tally.atomic_steps);
        let stop = self.interrupt();
        match self.expansion.expand(product, &self.state, &mut self.tally, stop) {
            Ok(()) => {}
            Err(Broken::Misfit(misfit)) => return Err(self.outgrown_by(misfit)),
            Err(Broken::Stopped | Broken::Unfinished(Limit::Interrupted)) => return Err(self.stopped()),
            Err(Broken::Unfinished(limit)) => return Err(Stop::Limit(limit)),
        }
        let (stride, identity) = (self.expansion.stride(), product.width().identity);
        let arrivals = self.expansion.take_arrivals();
        let all = arrivals.chunks_exact(stride);
        let left: Vec<&[u64]> = all
            .clone()
            .map(|arrival| &arrival[1..=identity])
            .filter(|words| product.automaton_state(words) != waiting)
            .collect();
        // What the program does while the automaton waits counts in the stem.
        self.tally.transitions = before.0 + left.len() as u64;
        let atomic_steps = self.tally.atomic_steps - before.1;
        let share = atomic_steps * left.len() as u64 / (all.len() as u64).max(1);
        self.tally.atomic_steps = before.1 + share;
        let added = self.add(left.into_iter(), |node| out.push(node));
        self.expansion.give_back(arrivals);
        if added? { Ok(()) } else { Err(Stop::Outgrown) }
    }

    /// A lasso of the crown, after these states of the stem.
    fn with_stem(&mut self, waiting: u32, states: &[Vec<u64>], lasso: Lasso) -> Result<Lasso, Stop> {
        let mut prefix = Vec::new();
        for state in states {
            let product = &self.nodes.product;
            let mut words = Vec::new();
            product.joined(&state[..product.program_width().identity], waiting, &mut words);
            self.add(std::iter::once(&words[..]), |node| prefix.push(node))?;
        }
        prefix.extend(lasso.prefix);
        Ok(Lasso { prefix, cycle: lasso.cycle })
    }
}

/// The states along a run that are stored: all but those within atomic sequences.
fn stored_states<S: System>(system: &S, run: &Run) -> Option<Vec<Vec<u64>>> {
    let mut state = system.initial_states().ok()?.into_iter().nth(run.initial)?;
    let mut left = &run.steps[..];
    let mut states = Vec::new();
    while !left.is_empty() {
        let (codes, next) =
            (0..).map_while(|arrival| passage(system, &state, arrival)).find(|(codes, _)| {
                codes.len() <= left.len()
                    && codes.iter().zip(left).all(|(code, step)| system.step(*code) == *step)
            })?;
        left = &left[codes.len()..];
        states.push(std::mem::replace(&mut state, next));
    }
    states.push(state);
    Some(states)
}
