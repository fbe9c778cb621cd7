//! Is there a forbidden run? Chooses and runs a search for cycles, or for bad prefixes, on the
//! product.

use crate::Limits;
use crate::limits::{Limit, peak_memory_bytes};
use crate::liveness::{Algorithm, Graph, Lasso};
use crate::outcome::{Outcome, Statistics, Verdict, Violation};
use crate::product::answer::{Answer, LassoRun, Request};
use crate::product::divergence::{self, Meaning};
use crate::product::graph::{ProductError, ProductGraph};
use crate::product::monitor::Monitor;
use crate::product::nodes::tail::Tail;
use crate::product::reconstruction::{
    follow_arrivals, give_up, show, without_demon, without_stutter,
};
use crate::product::stem::{self, StemOutcome};
use crate::product::supertrace::{self, StoreSearchOutcome};
use crate::product::system::Product;
use crate::reach::rounds::Progress;
use crate::reach::work_pool::thread_count;
use crate::store::Guarantee;
use crate::tuning::product::{MAX_DEFAULT_TAILS, PARALLEL_MIN_NODES, SHARED_COMPONENT_MIN_THREADS};
use crate::{Options, reachability};
use lariat_ir::RuntimeError;
use lariat_ir::observe::Observable;
use lariat_ir::system::TransitionSystem;

/// Searches for a forbidden run as an accepting cycle of the product.
pub fn find<S: Observable>(system: S, monitor: &Monitor, request: &Request<'_>) -> Answer {
    let tail = request.hybrid.unwrap_or_else(|| default_tail(monitor, request.algorithm));
    let product = match tail {
        Tail::None => Product::with_demon(system, monitor),
        _ => Product::marked(system, monitor),
    };
    let product = match request.algorithm {
        Algorithm::Deterministic => product.absorbing().absorbing_rejection(),
        _ => product.absorbing(),
    };
    let stemmed = match (request.when_large, request.hybrid) {
        (Some(_), None) => stem::search(&product, request.algorithm, request),
        // An explicitly requested search or storage is used as it is.
        _ => None,
    };
    let mut answer = Answer::default();
    let (mut graph, found, statistics) = match stemmed {
        Some(StemOutcome { graph, found, failure, statistics }) => {
            answer = Answer { algorithm: Some(request.algorithm), stem: true, failure, ..answer };
            (graph, found, statistics)
        }
        None => {
            let mut graph = ProductGraph::new(product, tail, &request.limits, request.progress);
            let FinishedSearch { algorithm, joined, found } = search(&mut graph, request);
            let packets = graph.packets().filter(|_| request.hybrid.is_some());
            answer = Answer { algorithm: Some(algorithm), joined, packets, ..answer };
            // The statistics of the search alone, without the reconstruction of the run.
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
    let found =
        found.and_then(|lasso| lasso.map(|lasso| without_demon(&mut graph, lasso)).transpose());
    show(&mut graph, found, request, &mut answer);
    let meaning = match request.algorithm {
        Algorithm::Deterministic => Meaning::AllowedRuns,
        _ => Meaning::ForbiddenRuns,
    };
    add_divergence(&mut graph, meaning, &mut answer);
    with_statistics(&graph, statistics, answer)
}

/// If nothing was found but atomic sequences can run forever, adds a forbidden run that stays
/// inside one.
fn add_divergence<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    meaning: Meaning,
    answer: &mut Answer,
) {
    let is_over = answer.verdict() == Verdict::Violated || answer.limit.is_some();
    if is_over || !graph.tally.endless_atomic {
        return;
    }
    match divergence::find(graph, meaning, None) {
        Ok(run) => answer.lasso = run,
        Err(stop) => give_up(graph, answer, stop),
    }
}

/// [`add_divergence`] after a search that had no graph.
fn add_divergence_on<S: Observable>(
    product: Product<'_, S>,
    limits: &Limits<'_>,
    progress: Option<&(dyn Fn(&Progress) + Sync)>,
    answer: &mut Answer,
) {
    let mut graph = ProductGraph::new(product, Tail::Demon, limits, progress);
    graph.tally.endless_atomic = answer.endless_atomic;
    add_divergence(&mut graph, Meaning::ForbiddenRuns, answer);
    if answer.lasso.is_some() {
        answer.may_omit = false;
    }
}

/// Searches for a forbidden run as an accepting cycle of the product, depth-first, with one thread,
/// in the store named by the options. Preconditions: [`has_cycles`](supertrace::has_cycles) for
/// that store; the acceptance is Büchi's, or the monitor is weak.
pub fn find_in_store<S: Observable>(
    system: S,
    monitor: &Monitor,
    request: &Request<'_>,
    options: &Options<'_>,
) -> Answer {
    let product = Product::marked(system, monitor).absorbing();
    let StoreSearchOutcome { lasso, failure, outcome } = supertrace::search(&product, options);
    let omits = outcome.guarantee != Guarantee::Exact;
    let mut answer = Answer {
        algorithm: Some(request.algorithm),
        may_omit: omits && lasso.is_none() && failure.is_none() && outcome.limit.is_none(),
        failure,
        limit: outcome.limit,
        endless_atomic: outcome.endless_atomic,
        statistics: outcome.statistics,
        program_errors: monitor.program_errors(),
        ..Answer::default()
    };
    if let Some(lasso) = lasso {
        let mut graph = ProductGraph::new(product, Tail::Demon, &request.limits, None);
        graph.lift_limits();
        let found = follow_arrivals(&mut graph, &lasso).map(Some);
        show(&mut graph, found, request, &mut answer);
    } else if answer.endless_atomic {
        add_divergence_on(product, &request.limits, request.progress, &mut answer);
    }
    answer
}

/// The default storage of nodes. Packets cache the automaton's transitions and, if the automaton
/// has a waiting state, expand most states of the program only once.
fn default_tail(monitor: &Monitor, algorithm: Algorithm) -> Tail {
    let few = monitor.states() <= MAX_DEFAULT_TAILS;
    if few && algorithm.skips_rejecting() { Tail::Property } else { Tail::Demon }
}

/// The result of a search for cycles.
struct FinishedSearch {
    algorithm: Algorithm,
    joined: bool,
    found: Result<Option<Lasso>, ProductError>,
}

/// The requested search, or the parallel one if the product turns out to be large.
fn search<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    request: &Request<'_>,
) -> FinishedSearch {
    let threads = thread_count(request.threads);
    let has_room = |algorithm: &Algorithm| algorithm.has_room(graph.all_marks());
    let algorithm = Some(request.algorithm).filter(has_room).unwrap_or(Algorithm::Couvreur);
    let parallel = match request.when_large {
        Some(Algorithm::Ufscc) if threads < SHARED_COMPONENT_MIN_THREADS => {
            Some(Algorithm::Couvreur)
        }
        other => other,
    };
    let Some(parallel) = parallel.filter(|parallel| threads > 1 && has_room(parallel)) else {
        return FinishedSearch {
            algorithm,
            joined: false,
            found: algorithm.search_with(graph, threads),
        };
    };
    graph.node_limit = Some(request.join_after.unwrap_or(PARALLEL_MIN_NODES));
    let found = algorithm.search(graph);
    graph.node_limit = None;
    if found != Err(ProductError::TooManyNodes) {
        return FinishedSearch { algorithm, joined: false, found };
    }
    graph.restart_counts();
    FinishedSearch {
        algorithm: parallel,
        joined: true,
        found: parallel.search_with(graph, threads),
    }
}

/// The answer with the statistics that are known at the end.
pub(super) fn with_statistics<S: Observable>(
    graph: &ProductGraph<'_, '_, S>,
    statistics: Statistics,
    answer: Answer,
) -> Answer {
    let memory_bytes = peak_memory_bytes().unwrap_or_else(|| graph.store_bytes());
    let endless_atomic = graph.tally.endless_atomic;
    Answer {
        program_errors: graph.product().monitor().program_errors(),
        endless_atomic,
        statistics: Statistics { memory_bytes, ..statistics },
        ..answer
    }
}

/// Visits the whole product once without looking for cycles: a lower bound on the cost of an
/// exhaustive check.
pub fn explore<S: Observable>(system: S, monitor: &Monitor, options: &Options<'_>) -> Answer {
    let product = Product::new(system, monitor);
    let outcome = reachability(&product, &Options { all_errors: true, ..options.clone() });
    let Outcome { limit, statistics, endless_atomic, .. } = outcome;
    Answer {
        limit,
        statistics,
        endless_atomic,
        program_errors: monitor.program_errors(),
        ..Answer::default()
    }
}

/// Searches for a bad prefix, after which every continuation is forbidden, with any search and
/// store for errors. Precondition: the monitor is terminal.
pub fn find_prefix<S: Observable>(system: S, monitor: &Monitor, options: &Options<'_>) -> Answer {
    let product = Product::new(system, monitor);
    let mut answer = search_prefix(&product, options);
    let is_over = answer.verdict() == Verdict::Violated || answer.limit.is_some();
    if !is_over && answer.endless_atomic {
        let product = Product::marked(product.system().again(), monitor).absorbing();
        add_divergence_on(product, &options.limits, options.progress, &mut answer);
    }
    answer
}

/// Searches for a bad prefix of an unmarked product.
pub(super) fn search_prefix<S: Observable>(
    product: &Product<'_, S>,
    options: &Options<'_>,
) -> Answer {
    let outcome = reachability(product, &Options { all_errors: false, ..options.clone() });
    let Outcome { violations, unshown, limit, exhaustive, statistics, endless_atomic, .. } =
        outcome;
    let program_errors = product.monitor().program_errors();
    let mut answer =
        Answer { limit, statistics, endless_atomic, program_errors, ..Answer::default() };
    match violations.into_iter().next() {
        Some(Violation { error: RuntimeError::PropertyViolated, run }) => {
            let run = LassoRun { initial: run.initial, prefix: run.steps, cycle: Vec::new() };
            answer.lasso = Some(without_stutter(run));
        }
        Some(failure) => answer.failure = Some(failure),
        None if !unshown.is_empty() => answer.unshown = limit.or(Some(Limit::Interrupted)),
        None => answer.may_omit = limit.is_none() && !exhaustive,
    }
    answer
}
