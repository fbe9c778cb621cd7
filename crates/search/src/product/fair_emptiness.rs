//! Is there a forbidden run that is fair? Runs the searches of
//! [`fairness`](crate::liveness::fairness) on the product.

use crate::limits::{Limit, Limits};
use crate::liveness::fairness::{
    Actor, CounterError, FairLasso, Fairness, FlagCounters, LassoStep, Strength, search, shortest,
};
use crate::liveness::{Algorithm, Effort, Graph};
use crate::outcome::Statistics;
use crate::product::actors::ActorNumbers;
use crate::product::answer::{Answer, LassoRun, Length, Request, Unproven};
use crate::product::divergence::{self, Meaning};
use crate::product::emptiness::{search_prefix, with_statistics};
use crate::product::graph::{ProductError, ProductGraph};
use crate::product::monitor::Monitor;
use crate::product::nodes::tail::{PacketFigures, Tail};
use crate::product::reconstruction::give_up;
use crate::product::system::Product;
use crate::reach::rounds::Progress;
use crate::tuning::product::INITIAL_TAIL_ACTORS;
use crate::{Options, Order};
use lariat_ir::observe::Observable;
use lariat_ir::system::{Step, TransitionSystem};

/// Searches for a forbidden run among the fair ones. Searches for Büchi acceptance use flag
/// counters for weak fairness; strong fairness always uses its own search.
pub fn find_fair<S: Observable>(
    system: S,
    monitor: &Monitor,
    request: &Request<'_>,
    fairness: Fairness,
) -> Answer {
    let product = Product::marked(system, monitor);
    let mut graph = ProductGraph::new(
        product,
        request.hybrid.unwrap_or_default(),
        &request.limits,
        request.progress,
    );
    graph.actors = ActorNumbers::new(Some(fairness.actor));
    let mut counters = CounterStatistics::default();
    let found = search_lasso(&mut graph, request, fairness.strength, &mut counters);
    let packets = graph.packets().map(|packets| counters.packets.unwrap_or(packets));
    let mut answer = Answer { packets, ..Answer::default() };
    let statistics = Statistics {
        states: graph.len() as u64,
        transitions: graph.tally.transitions,
        depth: graph.tally.depth,
        state_bytes: 8 * graph.product().width().identity as u64,
        store_bytes: graph.store_bytes() + counters.memory_bytes,
        time: graph.elapsed(),
        ..Statistics::default()
    };
    let run = found.and_then(|found| {
        let Some(lasso) = found else {
            if !graph.tally.endless_atomic {
                return Ok(None);
            }
            return divergence::find(&mut graph, Meaning::ForbiddenRuns, Some(fairness.strength));
        };
        graph.limits_lifted = false;
        let shown = match request.length {
            Length::Shortest => {
                let found = shortest(&mut graph, lasso, fairness.strength, Effort::default());
                answer.unproven = found.unproven.map(Unproven::from);
                found.lasso
            }
            _ => lasso,
        };
        // The run is shown even if a limit has been reached meanwhile.
        graph.lift_limits();
        steps(&mut graph, &shown).map(Some)
    });
    match run {
        Ok(Some(run)) => answer.lasso = Some(run),
        Ok(None) => add_bad_prefix(&graph, request, &mut answer),
        Err(stop) => give_up(&mut graph, &mut answer, stop),
    }
    with_statistics(&graph, statistics, answer)
}

/// Adds a bad prefix to an answer without a violation. Every continuation of a bad prefix is
/// forbidden. The search for fair cycles has not found one only if all fair continuations end in a
/// run-time error, so the prefix is searched for only if there are such errors.
fn add_bad_prefix<S: Observable>(
    graph: &ProductGraph<'_, '_, S>,
    request: &Request<'_>,
    answer: &mut Answer,
) {
    let monitor = graph.product().monitor();
    if monitor.program_errors().is_empty() {
        return;
    }
    let product = Product::new(graph.product().system().again(), monitor);
    let options = Options {
        limits: request.limits.clone(),
        order: Order::BreadthFirst,
        threads: request.threads,
        progress: request.progress,
        ..Options::default()
    };
    let Answer { lasso, failure, limit, unshown, .. } = search_prefix(&product, &options);
    (answer.lasso, answer.failure, answer.limit, answer.unshown) = (lasso, failure, limit, unshown);
}

/// Memory and packets of a search with flag counters.
#[derive(Default)]
struct CounterStatistics {
    memory_bytes: u64,
    /// If the counters were in the tails of packets.
    packets: Option<PacketFigures>,
}

fn search_lasso<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    request: &Request<'_>,
    strength: Strength,
    counters: &mut CounterStatistics,
) -> Result<Option<FairLasso>, ProductError> {
    let algorithm = request.algorithm;
    let counted = matches!(
        algorithm,
        Algorithm::Queue | Algorithm::Interleaved | Algorithm::Magic | Algorithm::Nested
    );
    if strength == Strength::Strong || !counted {
        return search(graph, strength);
    }
    // The number of actors is known only at the end, but counters in tails need room from the
    // start.
    let mut room = (request.hybrid == Some(Tail::Fairness)).then_some(INITIAL_TAIL_ACTORS);
    loop {
        let mut flags = match room {
            Some(actors) => FlagCounters::in_tails(graph, actors),
            None => FlagCounters::new(graph),
        };
        let found = algorithm.search(&mut flags);
        let (nodes, tails) = (flags.len() as u64, u64::from(flags.counters()));
        let found = found.and_then(|lasso| {
            let Some(lasso) = lasso else { return Ok(None) };
            flags.lift_limits();
            flags.without_counters(&lasso).map(Some)
        });
        counters.memory_bytes = flags.memory_bytes();
        if room.is_some() {
            let packets = graph.packets();
            counters.packets = packets.map(|packets| PacketFigures {
                tails: packets.tails * tails,
                nodes,
                ..packets
            });
        }
        match found {
            Ok(found) => return Ok(found),
            Err(CounterError::Graph(stop)) => return Err(stop),
            Err(CounterError::NodeNumbers(most)) => {
                return Err(ProductError::Limit(Limit::States(most)));
            }
            Err(CounterError::Actors(actors)) => room = Some(actors + actors / 2),
        }
        graph.restart_counts();
    }
}

/// The states of a program as a graph, with a monitor that only observes them.
pub(crate) fn state_graph<'m, 'a, S: Observable>(
    system: S,
    monitor: &'m Monitor,
    limits: &Limits<'a>,
    progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    actor: Option<Actor>,
) -> ProductGraph<'m, 'a, S> {
    let mut graph =
        ProductGraph::new(Product::marked(system, monitor), Tail::default(), limits, progress);
    graph.actors = ActorNumbers::new(actor);
    graph
}

/// The program's steps along a lasso of edges.
fn steps<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    lasso: &FairLasso,
) -> Result<LassoRun, ProductError> {
    let initial = graph.initial()?;
    let first = lasso.prefix.first().or(lasso.cycle.first()).map(|step| step.node);
    let start = initial.iter().position(|node| Some(*node) == first).unwrap_or(0);
    let prefix = steps_along(graph, &lasso.prefix)?;
    let cycle = steps_along(graph, &lasso.cycle)?;
    Ok(LassoRun { initial: start, prefix, cycle })
}

/// The program's steps along edges.
pub(crate) fn steps_along<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    edges: &[LassoStep],
) -> Result<Vec<Step>, ProductError> {
    let mut steps = Vec::new();
    for step in edges {
        let codes = graph.edge_codes(step.node, step.edge)?;
        steps.extend(codes.into_iter().map(|code| graph.product().step(code)));
    }
    Ok(steps)
}
