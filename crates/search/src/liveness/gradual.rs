//! A search for cycles that is told little by little where to begin, and does not visit twice what it has visited.

use super::graph::{Found, Graph, Node};
use super::lasso::from_sources;
use super::sweep::Sweep;
use super::{Algorithm, couvreur, nested};

/// See the module.
pub(crate) struct Gradual {
    sweep: Sweep,
    search: Search,
}

enum Search {
    Nested(nested::Search),
    Couvreur(couvreur::Search<couvreur::Alone>),
}

impl Gradual {
    /// With an algorithm that can be gone on with.
    pub fn new(algorithm: Algorithm) -> Option<Gradual> {
        let search = match algorithm {
            Algorithm::Nested => Search::Nested(nested::Search::default()),
            Algorithm::Couvreur => Search::Couvreur(couvreur::Search::new(couvreur::Alone)),
            _ => return None,
        };
        Some(Gradual { sweep: Sweep::default(), search })
    }

    /// Looks for a lasso that begins in one of these nodes. Precondition: no lasso was found and nothing stopped it before.
    pub fn go_on<G: Graph>(&mut self, graph: &mut G, nodes: &[Node]) -> Found<G> {
        let Gradual { sweep, search } = self;
        let list = nodes.iter().copied();
        let found = match search {
            Search::Nested(search) => {
                sweep.go_on(graph, list, |graph, root, left| search.run(graph, root, left))
            }
            Search::Couvreur(search) => {
                sweep.go_on(graph, list, |graph, root, left| search.run(graph, root, left))
            }
        };
        found?.map(|lasso| from_sources(graph, nodes, lasso)).transpose()
    }
}
