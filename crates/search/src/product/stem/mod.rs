//! The stem of the product: the nodes in which the automaton still waits in its initial state.
//!
//! Where it can always wait there, and does not come back once it has left, these nodes are the states of the program itself, and no accepting
//! cycle leads through them. So they are visited as states are that are searched for errors: by that search, with its store, its blocks and its threads. Only what
//! comes after, the *crown*, is a graph of numbered nodes: whenever the automaton can leave, a search for cycles goes on from where it comes to.
//! The formula `[](p -> <>q)` has a crown of the states between a `p` and the next `q`, and most often these are few.
//!
//! Where the crown is large, the program would be asked twice for most of its states, and the threads would wait for one another: then
//! [`joint`](super::joint) is better. A few walks tell beforehand, and the first states if the crown grows all the same.

mod crown;
mod waiting;

use super::emptiness::Request;
use super::graph::{ProductGraph, Stop};
use super::packets::Tail;
use super::system::Product;
use crate::expansion::Expansion;
use crate::liveness::{Algorithm, Lasso};
use crate::outcome::{Statistics, Violation};
use crate::pool::thread_count;
use crate::tally::Tally;
use crate::{Limits, Options, reachability};
use crown::Shared;
use model::observe::Observable;
use model::system::{Misfit, System};
use waiting::Stem;

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
    if monitor.conditions().len() > 64 || leaves_often(product, request) {
        return None;
    }
    let large = if thread_count(request.threads) > 1 { LARGE_FOR_THREADS } else { LARGE };
    let mut few_nodes = Some(request.join_after.unwrap_or(FEW_NODES));
    let mut product = product.again();
    for _ in 0..MOST_ATTEMPTS {
        match try_once(&product, waiting, algorithm, request, few_nodes)? {
            Attempt::Done(visited) => return Some(*visited),
            Attempt::Large { outside, states } if outside * large <= states => few_nodes = None,
            Attempt::Outgrown(Some(misfit)) => product = product.widened(&misfit),
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
    let shared = Shared::new(graph, waiting, algorithm, request.limits.states)?;
    let outcome = reachability(
        &Stem::new(product, &shared),
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
fn leaves_often<S: Observable>(product: &Product<'_, S>, request: &Request<'_>) -> bool {
    let interrupt = request.limits.budget.flag();
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
                || expansion.expand(system, &state, &mut tally, interrupt).is_err()
            {
                break;
            }
            seen += 1;
            departures += u64::from(product.monitor().leaves(&letter));
            let mut arrivals = expansion.arrivals().chunks_exact(expansion.stride());
            // Multiples of the golden ratio are as good as random numbers here.
            let random = (seen.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as usize;
            let Some(place) = random.checked_rem(arrivals.len()) else { break };
            state.clear();
            state.extend(arrivals.nth(place).into_iter().flat_map(|arrival| &arrival[1..]));
        }
    }
    departures * OFTEN > seen
}
