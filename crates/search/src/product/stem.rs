//! The stem of the product: the nodes in which the automaton still waits in its initial state.
//!
//! Where it can always wait there, and does not come back once it has left, these nodes are the states of the program itself, and no accepting
//! cycle leads through them. So they are visited as states are that are searched for errors: by that search, with its store, its blocks and its threads. Only what
//! comes after, the *crown*, is a graph of numbered nodes: whenever the automaton can leave, a search for cycles goes on from where it comes to.
//! The formula `[](p -> <>q)` has a crown of the states between a `p` and the next `q`, and most often these are few.
//!
//! Where the crown is large, the program would be asked twice for most of its states, and the threads would wait for one another: then
//! [`joint`](super::joint) is better. A few walks tell beforehand.

use super::emptiness::Request;
use super::graph::{Nodes, ProductGraph, Stop};
use super::monitor::Monitor;
use super::packets::Tail;
use super::system::Product;
use crate::apart::Count;
use crate::atomic::Broken;
use crate::expansion::Expansion;
use crate::limits::Limit;
use crate::liveness::{Algorithm, Gradual, Graph, Lasso, Node};
use crate::outcome::{Outcome, Run, Statistics, Violation};
use crate::pool::thread_count;
use crate::predecessors::passage;
use crate::tally::Tally;
use crate::{Limits, Options, reachability};
use model::RuntimeError;
use model::layout::Recoder;
use model::observe::Observable;
use model::system::{Misfit, Step, StepCode, Successors, System, Width};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Walks that are made to see whether the automaton can leave often, and their steps.
const WALKS: usize = 8;
const STEPS: usize = 32;
/// It can if it can in more than one of so many states.
const OFTEN: u64 = 4;
/// A crown of more nodes than this may be a large one. Then so many states of the stem are looked at, and the search begins again, in one way or the other.
const FEW_NODES: u64 = 20_000;
const MANY_STATES: u64 = 1 << 14;
/// A crown cannot be large if there are nodes of it for at most one of so many states; the second, if there are several threads.
const LARGE: u64 = 4;
const LARGE_FOR_THREADS: u64 = 8;
/// So often it may begin again, with a wider layout for instance.
const MOST_ATTEMPTS: usize = 4;

/// What a search with a stem came to.
pub(super) struct Visited<'m, 'a, S: Observable> {
    /// The crown, and with it nodes of the stem if they are part of a lasso.
    pub graph: ProductGraph<'m, 'a, S>,
    pub found: Result<Option<Lasso>, Stop>,
    /// A condition has no value.
    pub failure: Option<Violation>,
    /// Of both.
    pub statistics: Statistics,
}

/// How an attempt ended.
enum Attempt<'m, 'a, S: Observable> {
    Done(Box<Visited<'m, 'a, S>>),
    /// The crown has many nodes. For how many states can there be any, of how many?
    Large {
        outside: u64,
        states: u64,
    },
    /// Something in the crown does not fit into the layout.
    Outgrown(Option<Box<Misfit>>),
}

/// Searches with a stem; not if there is none, or if that would be slower.
pub(super) fn search<'m, 'a, S: Observable>(
    product: &Product<'m, S>,
    algorithm: Algorithm,
    request: &Request<'a>,
) -> Option<Visited<'m, 'a, S>> {
    let monitor = product.monitor();
    let waiting = monitor.stem()?;
    // The letter is one word, so that it need not be allocated.
    if monitor.conditions().len() > 64 || leaves_often(product, waiting) {
        return None;
    }
    let large = if thread_count(request.threads) > 1 { LARGE_FOR_THREADS } else { LARGE };
    let mut few_nodes = Some(request.join_after.unwrap_or(FEW_NODES));
    let mut product = product.again();
    for _ in 0..MOST_ATTEMPTS {
        match try_once(&product, waiting, algorithm, request, few_nodes)? {
            Attempt::Done(visited) => return Some(*visited),
            Attempt::Large { outside, states } if outside * large <= states => few_nodes = None,
            Attempt::Outgrown(Some(misfit)) => product = product.widened(&Misfit { late: true, ..*misfit }),
            Attempt::Large { .. } | Attempt::Outgrown(None) => return None,
        }
    }
    None
}

/// With a crown of so many nodes. `None` if the algorithm is none for this.
fn try_once<'m, 'a, S: Observable>(
    product: &Product<'m, S>,
    waiting: u32,
    algorithm: Algorithm,
    request: &Request<'a>,
    few_nodes: Option<u64>,
) -> Option<Attempt<'m, 'a, S>> {
    let mut graph = ProductGraph::new(product.again(), Tail::Demon, &request.limits, None);
    (graph.bound, graph.few_nodes) = (true, few_nodes);
    let search = Gradual::new(algorithm)?;
    let crown = Crown { graph, search, nodes: Vec::new(), end: None };
    let shared = Shared {
        monitor: product.monitor(),
        waiting,
        most_states: request.limits.states,
        met: Count::default(),
        outside: few_nodes.map(|_| Count::default()),
        rests: Count::default(),
        over: AtomicBool::new(false),
        crown: Mutex::new(crown),
    };
    let (system, conditions) = (product.system().again(), Arc::clone(product.conditions()));
    let outcome = reachability(
        &Stem { system, conditions, shared: &shared },
        &Options {
            limits: Limits { depth: None, ..request.limits.clone() },
            threads: request.threads,
            join_after: request.join_after,
            progress: request.progress,
            ..Options::default()
        },
    );
    Some(shared.conclude(outcome))
}

/// Can the automaton leave in many states? Some runs tell, walked along at random.
fn leaves_often<S: Observable>(product: &Product<'_, S>, waiting: u32) -> bool {
    let system = product.system();
    let Ok(initial) = system.initial_states() else { return true };
    let mut expansion: Expansion = Expansion::new(system.width());
    let (mut tally, mut letter) = (Tally::default(), Vec::new());
    let (mut seen, mut departures) = (0u64, 0);
    for state in initial.iter().cycle().take(WALKS) {
        let mut state = state.clone();
        for _ in 0..STEPS {
            // Errors are met again, where somebody is told of them.
            if product.letter(&state, &mut letter).is_err()
                || expansion.expand(system, &state, &mut tally, &AtomicBool::new(false)).is_err()
            {
                break;
            }
            seen += 1;
            departures += u64::from(product.monitor().leaves(waiting, &letter));
            let arrivals = expansion.arrivals().chunks_exact(expansion.stride());
            // Multiples of the golden ratio are as good as random numbers here.
            let random = (seen.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize;
            let Some(place) = random.checked_rem(arrivals.len()) else { break };
            state.clear();
            state.extend(arrivals.skip(place).next().into_iter().flat_map(|arrival| &arrival[1..]));
        }
    }
    departures * OFTEN > seen
}

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
struct Shared<'m, 'a, S: Observable> {
    monitor: &'m Monitor,
    waiting: u32,
    most_states: Option<u64>,
    /// States of the stem.
    met: Count,
    /// Those that the automaton can go on in if it has left, if somebody wants to know.
    outside: Option<Count>,
    /// Those in which nothing can move any more.
    rests: Count,
    /// Nothing is visited any more.
    over: AtomicBool,
    crown: Mutex<Crown<'m, 'a, S>>,
}

impl<'m, 'a, S: Observable> Shared<'m, 'a, S> {
    fn crown(&self) -> MutexGuard<'_, Crown<'m, 'a, S>> {
        self.crown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The automaton can leave in this state: is there a lasso after it?
    #[cold]
    fn depart(&self, state: &[u64], letter: &[u64]) -> bool {
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

    fn conclude(self, outcome: Outcome) -> Attempt<'m, 'a, S> {
        let states = self.met.sum();
        let crown = self.crown.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Crown { mut graph, end, .. } = crown;
        graph.bound = false;
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
                graph.from_stem(self.waiting, &states, lasso).map(Some)
            }
            // Somebody lost patience before it could be shown.
            (Some(End::Found(..)), None) => Err(limited.unwrap_or(Stop::Limit(Limit::Interrupted))),
            _ if failure.is_some() => Ok(None),
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
            Err(Broken::Stopped) => return Err(Stop::Limit(Limit::Interrupted)),
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
    fn from_stem(&mut self, waiting: u32, states: &[Vec<u64>], lasso: Lasso) -> Result<Lasso, Stop> {
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

/// The program as it is while the automaton waits. What goes wrong in it is not the property's business; that a state is followed by a lasso is
/// an error.
struct Stem<'s, 'm, 'a, S: Observable> {
    system: S,
    conditions: Arc<S::Conditions>,
    shared: &'s Shared<'m, 'a, S>,
}

impl<S: Observable> System for Stem<'_, '_, '_, S> {
    fn width(&self) -> Width {
        self.system.width()
    }

    fn identity_bits(&self) -> Vec<u32> {
        self.system.identity_bits()
    }

    fn expected_states(&self) -> Option<u64> {
        self.system.expected_states()
    }

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        self.system.initial_states()
    }

    #[inline]
    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        if self.shared.over.load(Ordering::Relaxed) {
            return Ok(());
        }
        let known = out.errors.len();
        self.system.successors(state, out)?;
        for (_, error) in out.errors.drain(known..) {
            self.shared.monitor.note(&error);
        }
        Ok(())
    }

    /// Asked where nothing can move: the run goes on there forever, and that is a transition.
    fn is_valid_end(&self, _: &[u64]) -> bool {
        if self.shared.monitor.stutters() && !self.shared.over.load(Ordering::Relaxed) {
            self.shared.rests.add_one();
        }
        true
    }

    #[inline]
    fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
        let shared = self.shared;
        shared.met.add_one();
        let mut letter = [0];
        let letter = &mut letter[..shared.monitor.conditions().len().div_ceil(64)];
        match self.system.observe(&self.conditions, state, letter) {
            Err(error) => return out.push(error),
            Ok(()) if shared.monitor.leaves(shared.waiting, letter) && shared.depart(state, letter) => {
                out.push(RuntimeError::PropertyViolated);
            }
            Ok(()) => {}
        }
        if let Some(outside) = &shared.outside
            && shared.monitor.goes_on_without(shared.waiting, letter)
        {
            outside.add_one();
        }
    }

    fn has_invariants(&self) -> bool {
        true
    }

    fn step(&self, code: StepCode) -> Step {
        self.system.step(code)
    }

    fn transition_count(&self) -> usize {
        self.system.transition_count()
    }

    /// The crown takes over the layout.
    fn widened(&self, misfit: &Misfit) -> Self {
        let system = self.system.widened(misfit);
        let conditions = Arc::new(system.conditions(self.shared.monitor.conditions()));
        let mut crown = self.shared.crown();
        if let Some(End::Found(departure, _)) = &mut crown.end {
            departure.resize(self.system.width().all, 0);
            let mut wide = Vec::new();
            system.recoder(&self.system).recode(departure, &mut wide);
            wide.truncate(system.width().identity);
            *departure = wide;
        }
        crown.graph.follow_layout(system.again(), Arc::clone(&conditions));
        Stem { system, conditions, shared: self.shared }
    }

    fn recoder(&self, narrow: &Self) -> Recoder {
        self.system.recoder(&narrow.system)
    }
}
