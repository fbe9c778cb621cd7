//! Is there a forbidden run? The searches for cycles on the product, and what they found as steps of the program.

use super::divergence::{self, Words};
use super::graph::{ProductGraph, Stop};
use super::monitor::Monitor;
use super::packets::{PacketFigures, Tail};
use super::shorten;
use super::stem::{self, Visited};
use super::supertrace::{self, Searched, Way};
use super::system::Product;
use crate::limits::{Limit, peak_memory_bytes};
use crate::liveness::{Algorithm, Effort, Graph, Halt, Lasso, Node, Shortest};
use crate::outcome::{Outcome, Run, Statistics, Verdict, Violation};
use crate::pool::thread_count;
use crate::rounds::Progress;
use crate::store::Guarantee;
use crate::{Limits, Options, reachability};
use model::RuntimeError;
use model::observe::Observable;
use model::system::{Step, System};
use std::fmt;
use std::num::NonZeroUsize;

/// Up to so many nodes one thread is quicker than starting several.
const JOIN_AFTER: u64 = 20_000;
/// Fewer threads are better off searching for strong components each for itself than sharing the work on a component.
const SHARING_THREADS: usize = 4;

/// With more states of the automaton, most nodes that a packet has room for may never be met.
const MOST_USUAL_TAILS: usize = 4;

/// Expansions spent on making a lasso shorter: some for every state that was visited to find it, so that an early violation is
/// also shown early.
const SHORTENING_PER_STATE: usize = 10;
const LEAST_SHORTENING: usize = 5_000;
const MOST_SHORTENING: usize = 200_000;

/// How long is the lasso that is shown?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// As long as it was when the search found it.
    AsFound,
    /// Some effort is made to find a shorter one.
    #[default]
    Shortened,
    /// There is no shorter one.
    Shortest,
}

/// How to look for a forbidden run.
#[derive(Clone)]
pub struct Request<'a> {
    pub algorithm: Algorithm,
    /// The search for several threads to begin anew with once the product is large, if there are several.
    pub when_large: Option<Algorithm>,
    /// More nodes than this are many; a sensible number if nothing is said.
    pub join_after: Option<u64>,
    /// How nodes are stored, if that matters.
    pub hybrid: Option<Tail>,
    pub length: Length,
    /// How many threads search, where the search is one for several; as many as there are processors if nothing is said.
    pub threads: Option<NonZeroUsize>,
    pub limits: Limits<'a>,
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { algorithm, when_large, hybrid, length, threads, limits, .. } = self;
        out.debug_struct("Request")
            .field("algorithm", algorithm)
            .field("when_large", when_large)
            .field("hybrid", hybrid)
            .field("length", length)
            .field("threads", threads)
            .field("limits", limits)
            .finish_non_exhaustive()
    }
}

/// An infinite run: steps from an initial state, then steps that are repeated forever. With an empty cycle, only the beginning of
/// one: whatever follows, it is forbidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LassoRun {
    /// Which of the program's initial states.
    pub initial: usize,
    pub prefix: Vec<Step>,
    pub cycle: Vec<Step>,
}

/// What a search for forbidden runs says.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The search that came to this answer, if it is one for cycles.
    pub algorithm: Option<Algorithm>,
    /// The product was large, so all threads joined in.
    pub joined: bool,
    /// The program itself was visited, and that search began where the automaton could leave its initial state.
    pub stem: bool,
    pub lasso: Option<LassoRun>,
    /// A shortest lasso was asked for, and this is why the one that is shown is not proven to be shortest.
    pub unproven: Option<Unproven>,
    /// A forbidden run was found, but this limit was reached before its steps were known.
    pub unshown: Option<Limit>,
    /// A condition has no value: the error, and a run to where it has none.
    pub failure: Option<Violation>,
    pub limit: Option<Limit>,
    pub statistics: Statistics,
    /// If the nodes were stored in packets.
    pub packets: Option<PacketFigures>,
    /// Errors of the program met on the way, one of each kind.
    pub met: Vec<RuntimeError>,
    /// An atomic sequence can go on forever.
    pub endless_atomic: bool,
    /// A store that may omit states was used.
    pub may_omit: bool,
}

impl Answer {
    pub fn verdict(&self) -> Verdict {
        if self.lasso.is_some() || self.failure.is_some() || self.unshown.is_some() {
            Verdict::Violated
        } else if self.limit.is_some() || self.may_omit {
            Verdict::Inconclusive
        } else {
            Verdict::Holds
        }
    }
}

/// Looks for a forbidden run as a cycle of the product.
pub fn find<S: Observable>(system: S, monitor: &Monitor, request: &Request<'_>) -> Answer {
    let tail = request.hybrid.unwrap_or_else(|| usual_tail(monitor, request.algorithm));
    let product = match tail {
        Tail::None => Product::with_demon(system, monitor),
        _ => Product::marked(system, monitor),
    };
    let product = product.absorbing();
    let stemmed = match (request.when_large, request.hybrid) {
        (Some(_), None) => stem::search(&product, request.algorithm, request),
        // Who asks for a search or a storage gets it.
        _ => None,
    };
    let mut answer = Answer::default();
    let (mut graph, found, statistics) = match stemmed {
        Some(Visited { graph, found, failure, statistics }) => {
            answer = Answer { algorithm: Some(request.algorithm), stem: true, failure, ..answer };
            (graph, found, statistics)
        }
        None => {
            let mut graph = ProductGraph::new(product, tail, &request.limits, request.progress);
            let Search { algorithm, joined, found } = search(&mut graph, request);
            let packets = graph.packets().filter(|_| request.hybrid.is_some());
            answer = Answer { algorithm: Some(algorithm), joined, packets, ..answer };
            // What the search itself took, without what is done for the sake of the report.
            let statistics = Statistics {
                states: graph.len() as u64,
                transitions: graph.tally.transitions,
                atomic_steps: graph.tally.atomic_steps,
                depth: graph.tally.depth,
                state_bytes: 8 * graph.product().width().identity as u64,
                store_bytes: graph.store_bytes(),
                time: graph.elapsed(),
                ..Statistics::default()
            };
            (graph, found, statistics)
        }
    };
    if let Ok(Some(_)) = found {
        graph.lift_limits();
    }
    let found = found.and_then(|lasso| lasso.map(|lasso| without_demon(&mut graph, lasso)).transpose());
    show(&mut graph, found, request, &mut answer);
    let words = match request.algorithm {
        Algorithm::Deterministic => Words::Allowed,
        _ => Words::Forbidden,
    };
    add_divergence(&mut graph, words, &mut answer);
    finished(&graph, statistics, answer)
}

/// Where nothing was found but atomic sequences can go on forever: adds a forbidden run that stays
/// inside one.
fn add_divergence<S: Observable>(graph: &mut ProductGraph<'_, '_, S>, words: Words, answer: &mut Answer) {
    let is_over = answer.verdict() == Verdict::Violated || answer.limit.is_some();
    if is_over || !graph.tally.endless_atomic {
        return;
    }
    match divergence::find(graph, words, None) {
        Ok(run) => answer.lasso = run,
        Err(stop) => give_up(graph, answer, stop),
    }
}

/// The same after a search that had no graph.
fn add_divergence_on<S: Observable>(
    product: Product<'_, S>,
    limits: &Limits<'_>,
    progress: Option<&(dyn Fn(&Progress) + Sync)>,
    answer: &mut Answer,
) {
    let mut graph = ProductGraph::new(product, Tail::Demon, limits, progress);
    graph.tally.endless_atomic = answer.endless_atomic;
    add_divergence(&mut graph, Words::Forbidden, answer);
    if answer.lasso.is_some() {
        answer.may_omit = false;
    }
}

/// Adds what was found to the answer, as long as is wanted.
fn show<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    found: Result<Option<Lasso>, Stop>,
    request: &Request<'_>,
    answer: &mut Answer,
) {
    match found {
        Ok(None) => {}
        Ok(Some(lasso)) => {
            graph.lifted = false;
            let budget = (SHORTENING_PER_STATE * graph.len()).clamp(LEAST_SHORTENING, MOST_SHORTENING);
            // Without the acceptance of Büchi there is nothing to hold a shorter cycle against.
            let shown = match (request.algorithm, request.length) {
                (Algorithm::Deterministic, _) | (_, Length::AsFound) => lasso,
                (_, Length::Shortened) => shorten::shorten(graph, lasso.clone(), budget).unwrap_or(lasso),
                (_, Length::Shortest) => {
                    let Shortest { lasso, unproven } = shorten::shortest(graph, lasso, Effort::default());
                    answer.unproven = unproven.map(Unproven::from);
                    lasso
                }
            };
            // What was found is shown, whatever limit has been reached meanwhile.
            graph.lift_limits();
            match steps(graph, &shown) {
                Ok(run) => answer.lasso = Some(run),
                Err(stop) => give_up(graph, answer, stop),
            }
        }
        Err(stop) => give_up(graph, answer, stop),
    }
}

/// Looks for a forbidden run as a cycle of the product, in the store that the options name: depth-first, in one thread. Preconditions: there is
/// [such a search](supertrace::has_cycles) in that store, and the acceptance is one of Büchi or the monitor is weak.
pub fn find_in_store<S: Observable>(
    system: S,
    monitor: &Monitor,
    request: &Request<'_>,
    options: &Options<'_>,
) -> Answer {
    let product = Product::marked(system, monitor).absorbing();
    let Searched { way, failure, outcome } = supertrace::search(&product, options);
    let omits = outcome.guarantee != Guarantee::Exact;
    let mut answer = Answer {
        algorithm: Some(request.algorithm),
        may_omit: omits && way.is_none() && failure.is_none() && outcome.limit.is_none(),
        failure,
        limit: outcome.limit,
        endless_atomic: outcome.endless_atomic,
        statistics: outcome.statistics,
        met: monitor.met(),
        ..Answer::default()
    };
    if let Some(way) = way {
        let mut graph = ProductGraph::new(product, Tail::Demon, &request.limits, None);
        graph.lift_limits();
        let found = follow(&mut graph, &way).map(Some);
        show(&mut graph, found, request, &mut answer);
    } else if answer.endless_atomic {
        add_divergence_on(product, &request.limits, request.progress, &mut answer);
    }
    answer
}

/// The nodes along a way.
fn follow<S: Observable>(graph: &mut ProductGraph<'_, '_, S>, way: &Way) -> Result<Lasso, Stop> {
    let mut node = graph.initial()?.get(way.initial).copied().unwrap_or_default();
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for arrival in way.prefix.iter().chain(&way.cycle) {
        nodes.push(node);
        edges.clear();
        graph.successors(node, &mut edges)?;
        node = edges.get(*arrival as usize).map_or(node, |edge| edge.target);
    }
    let cycle = nodes.split_off(way.prefix.len());
    Ok(Lasso { prefix: nodes, cycle })
}

/// Why a lasso is not proven to be shortest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproven {
    /// A limit of the whole search was reached.
    Limit(Limit),
    /// The search for a shorter one is exponential in the worst case, and used all units of its effort.
    Effort(u64),
    /// The search for a shorter one met a state where a condition of the property has no value.
    NoValue,
}

impl From<Halt<Stop>> for Unproven {
    fn from(halt: Halt<Stop>) -> Unproven {
        match halt {
            Halt::Effort(allowed) => Unproven::Effort(allowed),
            Halt::Graph(Stop::Limit(limit)) => Unproven::Limit(limit),
            Halt::Graph(Stop::Failed(..) | Stop::NoStart(_)) => Unproven::NoValue,
            Halt::Graph(Stop::Large | Stop::Outgrown) => Unproven::Limit(Limit::Interrupted),
        }
    }
}

impl fmt::Display for Unproven {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproven::Limit(limit) => limit.fmt(out),
            Unproven::Effort(allowed) => {
                let millions = allowed / 1_000_000;
                write!(out, "the search for a shorter run was given up after {millions} million steps")
            }
            Unproven::NoValue => out.write_str("a condition of the property has no value in some state"),
        }
    }
}

/// How nodes are stored if nobody says it: in packets, where what the automaton replies is remembered, and the program need be asked only once for most of
/// its states if the automaton waits.
fn usual_tail(monitor: &Monitor, algorithm: Algorithm) -> Tail {
    let few = monitor.states() <= MOST_USUAL_TAILS;
    if few && algorithm.sweeps() { Tail::Property } else { Tail::Demon }
}

/// The same lasso, with the demon in its first state everywhere.
fn without_demon<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    mut lasso: Lasso,
) -> Result<Lasso, Stop> {
    for node in lasso.prefix.iter_mut().chain(&mut lasso.cycle) {
        *node = graph.with_demon(*node, false)?;
    }
    Ok(lasso)
}

/// A search that has come to an end.
struct Search {
    algorithm: Algorithm,
    joined: bool,
    found: Result<Option<Lasso>, Stop>,
}

/// The search that was asked for; or that for several threads, if the product turns out to be large.
fn search<S: Observable>(graph: &mut ProductGraph<'_, '_, S>, request: &Request<'_>) -> Search {
    let threads = thread_count(request.threads);
    let has_room = |algorithm: &Algorithm| algorithm.has_room(graph.all_marks());
    let algorithm = Some(request.algorithm).filter(has_room).unwrap_or(Algorithm::Couvreur);
    let parallel = match request.when_large {
        Some(Algorithm::Ufscc) if threads < SHARING_THREADS => Some(Algorithm::Couvreur),
        other => other,
    };
    let Some(parallel) = parallel.filter(|parallel| threads > 1 && has_room(parallel)) else {
        return Search { algorithm, joined: false, found: algorithm.search_with(graph, threads) };
    };
    graph.few_nodes = Some(request.join_after.unwrap_or(JOIN_AFTER));
    let found = algorithm.search(graph);
    graph.few_nodes = None;
    if found != Err(Stop::Large) {
        return Search { algorithm, joined: false, found };
    }
    graph.count_again();
    Search { algorithm: parallel, joined: true, found: parallel.search_with(graph, threads) }
}

/// The answer with what is known at the end, whatever was found.
pub(super) fn finished<S: Observable>(
    graph: &ProductGraph<'_, '_, S>,
    statistics: Statistics,
    answer: Answer,
) -> Answer {
    let memory_bytes = peak_memory_bytes().unwrap_or_else(|| graph.store_bytes());
    let endless_atomic = graph.tally.endless_atomic;
    Answer {
        met: graph.product().monitor().met(),
        endless_atomic,
        statistics: Statistics { memory_bytes, ..statistics },
        ..answer
    }
}

pub(crate) fn give_up<S: Observable>(graph: &mut ProductGraph<'_, '_, S>, answer: &mut Answer, stop: Stop) {
    match stop {
        // Limits are only lifted once a run is found.
        Stop::Limit(limit) if graph.lifted => answer.unshown = Some(limit),
        Stop::Limit(limit) => answer.limit = Some(limit),
        // The end of a search that another one follows; never of the last.
        Stop::Large | Stop::Outgrown => answer.limit = Some(Limit::Interrupted),
        Stop::NoStart(error) => answer.failure = Some(Violation { error, run: Run::default() }),
        Stop::Failed(node, error) => {
            graph.lift_limits();
            match run_to_failure(graph, node, error) {
                Ok(violation) => answer.failure = Some(violation),
                Err(limit) => answer.unshown = Some(limit),
            }
        }
    }
}

/// A shortest run to a node where a condition has no value; to another such node if that is met first.
fn run_to_failure<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    mut node: Node,
    mut error: RuntimeError,
) -> Result<Violation, Limit> {
    loop {
        let way = graph.initial().and_then(|initial| {
            let found = crate::liveness::way(graph, &initial, |met| met == node)?;
            steps(graph, &Lasso { prefix: found.unwrap_or_default(), cycle: Vec::new() })
        });
        match way {
            Ok(run) => {
                return Ok(Violation { error, run: Run { initial: run.initial, steps: run.prefix } });
            }
            Err(Stop::Failed(other, its)) if other != node => (node, error) = (other, its),
            Err(Stop::Limit(limit)) => return Err(limit),
            Err(_) => return Err(Limit::Interrupted),
        }
    }
}

/// The steps along a lasso; along its prefix alone if there is no cycle.
pub(super) fn steps<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    lasso: &Lasso,
) -> Result<LassoRun, Stop> {
    let nodes: Vec<Node> =
        lasso.prefix.iter().chain(&lasso.cycle).chain(lasso.cycle.first()).copied().collect();
    let initial = graph.initial()?;
    let start = nodes.first().and_then(|first| initial.iter().position(|node| node == first));
    let mut run = LassoRun { initial: start.unwrap_or(0), ..LassoRun::default() };
    for (index, pair) in nodes.windows(2).enumerate() {
        let codes = graph.passage(pair[0], pair[1])?.unwrap_or_default();
        let steps = codes.into_iter().map(|code| graph.product().step(code));
        if index < lasso.prefix.len() { run.prefix.extend(steps) } else { run.cycle.extend(steps) }
    }
    let forbidden = lasso.cycle.first().is_some_and(|node| graph.is_universal(*node));
    Ok(if forbidden && run.cycle.is_empty() { finite(run) } else { run })
}

/// Without the last step, by which the product comes to where everything is forbidden: the program does not move in it.
fn finite(mut run: LassoRun) -> LassoRun {
    run.prefix.pop_if(|last| *last == Step::STUTTER);
    run
}

/// Visits the whole product once and judges nothing: what no check of everything can be cheaper than.
pub fn explore<S: Observable>(system: S, monitor: &Monitor, options: &Options<'_>) -> Answer {
    let product = Product::new(system, monitor);
    let outcome = reachability(&product, &Options { all_errors: true, ..options.clone() });
    let Outcome { limit, statistics, endless_atomic, .. } = outcome;
    Answer { limit, statistics, endless_atomic, met: monitor.met(), ..Answer::default() }
}

/// Looks for the beginning of a run after which everything is forbidden, with any search and store there is for
/// errors. Precondition: the monitor is terminal.
pub fn find_prefix<S: Observable>(system: S, monitor: &Monitor, options: &Options<'_>) -> Answer {
    let product = Product::new(system, monitor);
    let outcome = reachability(&product, &Options { all_errors: false, ..options.clone() });
    let Outcome { violations, unshown, limit, exhaustive, statistics, endless_atomic, .. } = outcome;
    let mut answer = Answer { limit, statistics, endless_atomic, met: monitor.met(), ..Answer::default() };
    match violations.into_iter().next() {
        Some(Violation { error: RuntimeError::PropertyViolated, run }) => {
            let run = LassoRun { initial: run.initial, prefix: run.steps, cycle: Vec::new() };
            answer.lasso = Some(finite(run));
        }
        Some(failure) => answer.failure = Some(failure),
        None if !unshown.is_empty() => answer.unshown = limit.or(Some(Limit::Interrupted)),
        None => {
            answer.may_omit = limit.is_none() && !exhaustive;
            if endless_atomic {
                let product = Product::marked(product.system().again(), monitor).absorbing();
                add_divergence_on(product, &options.limits, options.progress, &mut answer);
            }
        }
    }
    answer
}
