//! A search for cycles whose roots are given one after the other; nodes that are visited already
//! are not visited again.

use super::{Algorithm, couvreur, nested};
use crate::liveness::graph::{Graph, Node, SearchResult};
use crate::liveness::lasso::from_sources;
use crate::liveness::sweep::Sweep;

/// See the module.
pub(crate) struct IncrementalSearch {
    sweep: Sweep,
    search: IncrementalAlgorithm,
}

enum IncrementalAlgorithm {
    Nested(nested::NestedSearch),
    Couvreur(couvreur::CouvreurSearch<couvreur::SingleThread>),
}

impl IncrementalSearch {
    /// `None` if the algorithm cannot continue from further roots.
    pub fn new(algorithm: Algorithm) -> Option<IncrementalSearch> {
        let search = match algorithm {
            Algorithm::Nested => IncrementalAlgorithm::Nested(nested::NestedSearch::default()),
            Algorithm::Couvreur => IncrementalAlgorithm::Couvreur(couvreur::CouvreurSearch::new(
                couvreur::SingleThread,
            )),
            _ => return None,
        };
        Some(IncrementalSearch { sweep: Sweep::default(), search })
    }

    /// Searches for a lasso that begins in one of these nodes. Precondition: no earlier call found
    /// a lasso or failed.
    pub fn continue_from<G: Graph>(&mut self, graph: &mut G, nodes: &[Node]) -> SearchResult<G> {
        let IncrementalSearch { sweep, search } = self;
        let list = nodes.iter().copied();
        let found = match search {
            IncrementalAlgorithm::Nested(search) => {
                sweep
                    .continue_from(graph, list, |graph, root, exits| search.run(graph, root, exits))
            }
            IncrementalAlgorithm::Couvreur(search) => {
                sweep
                    .continue_from(graph, list, |graph, root, exits| search.run(graph, root, exits))
            }
        };
        found?.map(|lasso| from_sources(graph, nodes, lasso)).transpose()
    }
}
