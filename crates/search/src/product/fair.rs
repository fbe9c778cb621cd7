//! Is there a forbidden run that is fair?

use super::actors::ActorNumbers;
use super::divergence::{self, Words};
use super::emptiness::{Answer, LassoRun, Length, Request, Unproven, finished, give_up};
use super::graph::{ProductGraph, Stop};
use super::monitor::Monitor;
use super::packets::{PacketFigures, Tail};
use super::system::Product;
use crate::limits::{Limit, Limits};
use crate::liveness::fairness::{
    Actor, FairLasso, Fairness, FlagCounters, FlagStop, LassoStep, Strength, search, shortest,
};
use crate::liveness::{Algorithm, Effort, Graph};
use crate::outcome::Statistics;
use crate::rounds::Progress;
use model::observe::Observable;
use model::system::{Step, System};

/// Looks for a forbidden run among those that are fair. The searches for Büchi's acceptance do so with flag counters, which weak
/// fairness is enough for; strong fairness has its own search, whatever was asked for.
pub fn find_fair<S: Observable>(
    system: S,
    monitor: &Monitor,
    request: &Request<'_>,
    fairness: Fairness,
) -> Answer {
    let product = Product::marked(system, monitor);
    let mut graph =
        ProductGraph::new(product, request.hybrid.unwrap_or_default(), &request.limits, request.progress);
    graph.actors = ActorNumbers::new(Some(fairness.actor));
    let mut counters = Counters::default();
    let found = lasso(&mut graph, request, fairness.strength, &mut counters);
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
            return divergence::find(&mut graph, Words::Forbidden, Some(fairness.strength));
        };
        graph.lifted = false;
        let shown = match request.length {
            Length::Shortest => {
                let found = shortest(&mut graph, lasso, fairness.strength, Effort::default());
                answer.unproven = found.unproven.map(Unproven::from);
                found.lasso
            }
            _ => lasso,
        };
        // What was found is shown, whatever limit has been reached meanwhile.
        graph.lift_limits();
        steps(&mut graph, &shown).map(Some)
    });
    match run {
        Ok(run) => answer.lasso = run,
        Err(stop) => give_up(&mut graph, &mut answer, stop),
    }
    finished(&graph, statistics, answer)
}

/// What flag counters took.
#[derive(Default)]
struct Counters {
    memory_bytes: u64,
    /// If they were in the tails of packets.
    packets: Option<PacketFigures>,
}

fn lasso<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    request: &Request<'_>,
    strength: Strength,
    counters: &mut Counters,
) -> Result<Option<FairLasso>, Stop> {
    let algorithm = request.algorithm;
    let counted =
        matches!(algorithm, Algorithm::Queue | Algorithm::Interleaved | Algorithm::Magic | Algorithm::Nested);
    if strength == Strength::Strong || !counted {
        return search(graph, strength);
    }
    // How many actors there are is known when all have been met; in a tail they need room beforehand.
    let mut room = (request.hybrid == Some(Tail::Fairness)).then_some(FIRST_ACTORS);
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
            counters.packets =
                packets.map(|packets| PacketFigures { tails: packets.tails * tails, nodes, ..packets });
        }
        match found {
            Ok(found) => return Ok(found),
            Err(FlagStop::Graph(stop)) => return Err(stop),
            Err(FlagStop::Numbers(most)) => return Err(Stop::Limit(Limit::States(most))),
            Err(FlagStop::Actors(actors)) => room = Some(actors + actors / 2),
        }
        graph.count_again();
    }
}

/// With so many actors a search with counters in tails begins; it begins anew when there are more.
const FIRST_ACTORS: u32 = 4;

/// The states of a program as a graph, with a monitor that only looks on.
pub(crate) fn states<'m, 'a, S: Observable>(
    system: S,
    monitor: &'m Monitor,
    limits: &Limits<'a>,
    progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    actor: Option<Actor>,
) -> ProductGraph<'m, 'a, S> {
    let mut graph = ProductGraph::new(Product::marked(system, monitor), Tail::default(), limits, progress);
    graph.actors = ActorNumbers::new(actor);
    graph
}

/// The steps along a lasso that tells edges.
fn steps<S: Observable>(graph: &mut ProductGraph<'_, '_, S>, lasso: &FairLasso) -> Result<LassoRun, Stop> {
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
) -> Result<Vec<Step>, Stop> {
    let mut steps = Vec::new();
    for step in edges {
        let codes = graph.edge_codes(step.node, step.edge)?;
        steps.extend(codes.into_iter().map(|code| graph.product().step(code)));
    }
    Ok(steps)
}
