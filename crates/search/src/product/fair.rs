//! Is there a forbidden run that is fair?

use super::actors::ActorNumbers;
use super::emptiness::{Answer, LassoRun, Request, finished, give_up};
use super::graph::{ProductGraph, Stop};
use super::monitor::Monitor;
use super::system::Product;
use crate::limits::Limits;
use crate::liveness::fairness::{
    Actor, FairLasso, Fairness, FlagCounters, LassoStep, Strength, search, shortest,
};
use crate::liveness::{Algorithm, Graph};
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
    let mut graph = states(system, monitor, &request.limits, request.progress, Some(fairness.actor));
    let found = lasso(&mut graph, request.algorithm, fairness.strength);
    let mut answer = Answer::default();
    let statistics = Statistics {
        states: graph.len() as u64,
        transitions: graph.tally.transitions,
        state_bytes: 8 * graph.product().width().identity as u64,
        store_bytes: graph.store_bytes(),
        time: graph.elapsed(),
        ..Statistics::default()
    };
    let found = found.and_then(|lasso| match lasso {
        Some(lasso) if request.shortest => shortest(&mut graph, lasso, fairness.strength).map(Some),
        other => Ok(other),
    });
    match found.and_then(|lasso| lasso.map(|lasso| steps(&mut graph, &lasso)).transpose()) {
        Ok(run) => answer.lasso = run,
        Err(stop) => give_up(&mut graph, &mut answer, stop),
    }
    finished(&graph, statistics, answer)
}

fn lasso<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    algorithm: Algorithm,
    strength: Strength,
) -> Result<Option<FairLasso>, Stop> {
    let counters =
        matches!(algorithm, Algorithm::Queue | Algorithm::Interleaved | Algorithm::Magic | Algorithm::Nested);
    if strength == Strength::Strong || !counters {
        return search(graph, strength);
    }
    let mut counted = FlagCounters::new(graph);
    match algorithm.search(&mut counted)? {
        Some(lasso) => counted.without_counters(&lasso).map(Some),
        None => Ok(None),
    }
}

/// The states of a program as a graph, with a monitor that only looks on.
pub(crate) fn states<'m, 'a, S: Observable>(
    system: S,
    monitor: &'m Monitor,
    limits: &Limits<'a>,
    progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    actor: Option<Actor>,
) -> ProductGraph<'m, 'a, S> {
    let mut graph = ProductGraph::new(Product::marked(system, monitor), limits, progress);
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
