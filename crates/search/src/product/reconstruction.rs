//! The reconstruction of a run: from a lasso of the product, or a failed condition, to steps of the
//! program.

use crate::limits::Limit;
use crate::liveness::{Algorithm, Effort, Graph, Lasso, Node, Shortest};
use crate::outcome::{Run, Violation};
use crate::product::answer::{Answer, LassoRun, Length, Request, Unproven};
use crate::product::graph::{ProductError, ProductGraph};
use crate::product::shorten;
use crate::product::supertrace::ArrivalLasso;
use crate::tuning::product::{MAX_SHORTENING, MIN_SHORTENING, SHORTENING_PER_STATE};
use lariat_ir::RuntimeError;
use lariat_ir::observe::Observable;
use lariat_ir::system::{Step, TransitionSystem};

/// Adds the lasso that was found to the answer, shortened as requested.
pub(super) fn show<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    found: Result<Option<Lasso>, ProductError>,
    request: &Request<'_>,
    answer: &mut Answer,
) {
    match found {
        Ok(None) => {}
        Ok(Some(lasso)) => {
            graph.limits_lifted = false;
            let budget = (SHORTENING_PER_STATE * graph.len()).clamp(MIN_SHORTENING, MAX_SHORTENING);
            // `shorten` looks for accepting cycles, but here the cycle is one without accepting
            // nodes.
            let shown = match (request.algorithm, request.length) {
                (Algorithm::Deterministic, _) | (_, Length::AsFound) => lasso,
                (_, Length::Shortened) => {
                    shorten::shorten(graph, lasso.clone(), budget).unwrap_or(lasso)
                }
                (_, Length::Shortest) => {
                    let Shortest { lasso, unproven } =
                        shorten::shortest(graph, lasso, Effort::default());
                    answer.unproven = unproven.map(Unproven::from);
                    lasso
                }
            };
            // The run is shown even if a limit has been reached meanwhile.
            graph.lift_limits();
            match program_steps(graph, &shown) {
                Ok(run) => answer.lasso = Some(run),
                Err(stop) => give_up(graph, answer, stop),
            }
        }
        Err(stop) => give_up(graph, answer, stop),
    }
}

/// The nodes along a lasso that is given by the numbers of arrivals.
pub(super) fn follow_arrivals<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    arrivals: &ArrivalLasso,
) -> Result<Lasso, ProductError> {
    let mut node = graph.initial()?.get(arrivals.initial).copied().unwrap_or_default();
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for arrival in arrivals.prefix.iter().chain(&arrivals.cycle) {
        nodes.push(node);
        edges.clear();
        graph.successors(node, &mut edges)?;
        node = edges.get(*arrival as usize).map_or(node, |edge| edge.target);
    }
    let cycle = nodes.split_off(arrivals.prefix.len());
    Ok(Lasso { prefix: nodes, cycle })
}

/// The lasso with the demon in its first state in every node.
pub(super) fn without_demon<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    mut lasso: Lasso,
) -> Result<Lasso, ProductError> {
    for node in lasso.prefix.iter_mut().chain(&mut lasso.cycle) {
        *node = graph.with_demon(*node, false)?;
    }
    Ok(lasso)
}

pub(crate) fn give_up<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    answer: &mut Answer,
    stop: ProductError,
) {
    match stop {
        // Limits are only lifted once a run is found.
        ProductError::Limit(limit) if graph.limits_lifted => answer.unshown = Some(limit),
        ProductError::Limit(limit) => answer.limit = Some(limit),
        // Another search follows these errors, so they never end the last one.
        ProductError::TooManyNodes | ProductError::FixedLayout => {
            answer.limit = Some(Limit::Interrupted)
        }
        ProductError::NoInitialState(error) => {
            answer.failure = Some(Violation { error, run: Run::default() })
        }
        ProductError::NoValue(node, error) => {
            graph.lift_limits();
            match run_to_failure(graph, node, error) {
                Ok(violation) => answer.failure = Some(violation),
                Err(limit) => answer.unshown = Some(limit),
            }
        }
    }
}

/// A shortest run to a node where a condition has no value, or to another such node if that is
/// nearer.
fn run_to_failure<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    mut node: Node,
    mut error: RuntimeError,
) -> Result<Violation, Limit> {
    loop {
        let run = graph.initial().and_then(|initial| {
            let found = crate::liveness::shortest_path(graph, &initial, |other| other == node)?;
            program_steps(graph, &Lasso { prefix: found.unwrap_or_default(), cycle: Vec::new() })
        });
        match run {
            Ok(run) => {
                return Ok(Violation {
                    error,
                    run: Run { initial: run.initial, steps: run.prefix },
                });
            }
            Err(ProductError::NoValue(other, its)) if other != node => (node, error) = (other, its),
            Err(ProductError::Limit(limit)) => return Err(limit),
            Err(_) => return Err(Limit::Interrupted),
        }
    }
}

/// The program's steps along a lasso, or along its prefix if there is no cycle.
pub(super) fn program_steps<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    lasso: &Lasso,
) -> Result<LassoRun, ProductError> {
    let nodes: Vec<Node> =
        lasso.prefix.iter().chain(&lasso.cycle).chain(lasso.cycle.first()).copied().collect();
    let initial = graph.initial()?;
    let start = nodes.first().and_then(|first| initial.iter().position(|node| node == first));
    let mut run = LassoRun { initial: start.unwrap_or(0), ..LassoRun::default() };
    for (index, pair) in nodes.windows(2).enumerate() {
        let codes = graph.steps_between(pair[0], pair[1])?.unwrap_or_default();
        let steps = codes.into_iter().map(|code| graph.product().step(code));
        if index < lasso.prefix.len() { run.prefix.extend(steps) } else { run.cycle.extend(steps) }
    }
    let forbidden = lasso.cycle.first().is_some_and(|node| graph.is_end(*node));
    Ok(if forbidden && run.cycle.is_empty() { without_stutter(run) } else { run })
}

/// Removes the last step, with which the product reaches its universal state: the program does not
/// move in it.
pub(super) fn without_stutter(mut run: LassoRun) -> LassoRun {
    run.prefix.pop_if(|last| *last == Step::STUTTER);
    run
}
