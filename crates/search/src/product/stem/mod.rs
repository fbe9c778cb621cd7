//! The stem of the product: the nodes in which the automaton still waits in its initial state.
//!
//! If the automaton can always wait there and never returns once it has left, these nodes are the
//! states of the program itself, and no accepting cycle passes through them. The stem is therefore
//! visited by the search for errors, with its store, blocks and threads. Only the *remainder*, the
//! nodes after the automaton has left, is a graph of numbered nodes: wherever the automaton can
//! leave, a search for cycles continues from the nodes that it reaches. The remainder of `[](p ->
//! <>q)` consists of the states between a `p` and the next `q`, usually few.
//!
//! If the remainder is large, most states of the program would be expanded twice, and the threads
//! would wait for each other; then the search with [packets](crate::product::expand::packet) is
//! faster. A few random walks decide that in advance, and the first states decide it if the
//! remainder grows all the same.

mod remainder;
mod waiting;

use crate::liveness::{Algorithm, Lasso};
use crate::outcome::{Statistics, Violation};
use crate::product::answer::Request;
use crate::product::graph::{ProductError, ProductGraph};
use crate::product::nodes::tail::Tail;
use crate::product::system::Product;
use crate::reach::expansion::Expansion;
use crate::reach::tally::Tally;
use crate::reach::work_pool::thread_count;
use crate::tuning::product::{
    REMAINDER_FEW_NODES, REMAINDER_SMALL_RATIO, REMAINDER_SMALL_RATIO_FOR_THREADS,
    STEM_MAX_ATTEMPTS, STEM_MIN_STATES_PER_DEPARTURE, STEM_WALK_STEPS, STEM_WALKS,
};
use crate::{Limits, Options, reachability};
use lariat_ir::observe::Observable;
use lariat_ir::system::{Misfit, Repackable};
use remainder::RemainderSearch;
use waiting::StemSystem;

/// The result of a search with a stem.
pub(super) struct StemOutcome<'m, 'a, S: Observable> {
    /// The remainder, with the nodes of the stem that are part of a lasso.
    pub graph: ProductGraph<'m, 'a, S>,
    pub found: Result<Option<Lasso>, ProductError>,
    /// A condition without a value.
    pub failure: Option<Violation>,
    /// Statistics of stem and remainder together.
    pub statistics: Statistics,
}

/// The end of one attempt.
enum Attempt<'m, 'a, S: Observable> {
    Done(Box<StemOutcome<'m, 'a, S>>),
    /// The remainder has many nodes. Of the `states` visited in the stem, `outside` can have nodes
    /// in the remainder.
    Large {
        outside: u64,
        states: u64,
    },
    /// A state of the remainder does not fit into the layout.
    Misfit(Option<Box<Misfit>>),
}

/// Searches with a stem. `None` if there is no stem or if a search with packets is expected to be
/// faster.
pub(super) fn search<'m, 'a, S: Observable>(
    product: &Product<'m, S>,
    algorithm: Algorithm,
    request: &Request<'a>,
) -> Option<StemOutcome<'m, 'a, S>> {
    let monitor = product.monitor();
    let waiting = monitor.stem()?;
    // With at most 64 conditions a letter is one word and needs no allocation.
    if monitor.conditions().len() > 64 || leaves_often(product, request) {
        return None;
    }
    let small_ratio = if thread_count(request.threads) > 1 {
        REMAINDER_SMALL_RATIO_FOR_THREADS
    } else {
        REMAINDER_SMALL_RATIO
    };
    let mut node_limit = Some(request.join_after.unwrap_or(REMAINDER_FEW_NODES));
    let mut product = product.again();
    for _ in 0..STEM_MAX_ATTEMPTS {
        match try_once(&product, waiting, algorithm, request, node_limit)? {
            Attempt::Done(visited) => return Some(*visited),
            Attempt::Large { outside, states } if outside * small_ratio <= states => {
                node_limit = None
            }
            Attempt::Misfit(Some(misfit)) => product = product.widened(&misfit),
            Attempt::Large { .. } | Attempt::Misfit(None) => return None,
        }
    }
    None
}

/// One attempt, with at most `node_limit` nodes in the remainder. `None` if the algorithm cannot
/// continue from further nodes.
fn try_once<'m, 'a, S: Observable>(
    product: &Product<'m, S>,
    waiting: u32,
    algorithm: Algorithm,
    request: &Request<'a>,
    node_limit: Option<u64>,
) -> Option<Attempt<'m, 'a, S>> {
    let mut graph = ProductGraph::new(product.again(), Tail::Demon, &request.limits, None);
    (graph.fixed_layout, graph.node_limit) = (true, node_limit);
    let remainder = RemainderSearch::new(graph, waiting, algorithm, &request.limits)?;
    let outcome = reachability(
        &StemSystem::new(product, &remainder),
        &Options {
            limits: Limits { depth: None, ..request.limits.clone() },
            threads: request.threads,
            join_after: request.join_after,
            progress: request.progress,
            ..Options::default()
        },
    );
    Some(remainder.into_attempt(outcome))
}

/// Can the automaton leave in many states? Estimated by random walks.
fn leaves_often<S: Observable>(product: &Product<'_, S>, request: &Request<'_>) -> bool {
    let interrupt = request.limits.budget.flag();
    let system = product.system();
    let Ok(initial) = system.initial_states() else { return true };
    let mut expansion: Expansion = Expansion::new(system.width());
    let (mut tally, mut letter) = (Tally::default(), Vec::new());
    let (mut seen, mut departures) = (0u64, 0);
    for state in initial.iter().cycle().take(STEM_WALKS) {
        let mut state = state.clone();
        for _ in 0..STEM_WALK_STEPS {
            // The search itself will find and report the error.
            if product.letter(&state, &mut letter).is_err()
                || expansion.expand(system, &state, &mut tally, interrupt).is_err()
            {
                break;
            }
            seen += 1;
            departures += u64::from(product.monitor().can_leave(&letter));
            let mut arrivals = expansion.successors().chunks_exact(expansion.stride());
            // Multiples of the golden ratio are sufficiently random.
            let random = (seen.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize;
            let Some(place) = random.checked_rem(arrivals.len()) else { break };
            state.clear();
            state.extend(arrivals.nth(place).into_iter().flat_map(|arrival| &arrival[1..]));
        }
    }
    departures * STEM_MIN_STATES_PER_DEPARTURE > seen
}
