//! Searches for accepting cycles: is there an infinite run that the property forbids?
//!
//! Each search is one file and works on any [`Graph`]; [`Algorithm`] lists them. If acceptance is
//! not Büchi's with marks on nodes, only `couvreur`, `tarjan`, `kosaraju` and `ufscc` apply.

pub(crate) mod breadth_first;
mod cndfs;
pub(crate) mod components;
mod couvreur;
mod deterministic;
pub(crate) mod effort;
pub mod fairness;
mod graph;
mod incremental;
mod interleaved;
mod kosaraju;
mod lasso;
mod magic;
mod nested;
mod node_colors;
mod queue;
mod search_stack;
mod segmented_list;
pub(crate) mod stress;
mod sweep;
mod tarjan;
mod team;
mod ufscc;
mod union_find;
mod visit_numbers;

pub use effort::{Effort, Halt, Shortest};
pub use graph::{Edge, Graph, Lasso, Node, SearchResult, SharedGraph};
pub(crate) use incremental::IncrementalSearch;
pub(crate) use lasso::shortest_path;
pub use visit_numbers::{OUTSIDE, UNVISITED, VisitNumbers};

/// The searches, with their names in the literature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Algorithm A of Courcoubetis, Vardi, Wolper and Yannakakis.
    Queue,
    /// Algorithm B of Courcoubetis, Vardi, Wolper and Yannakakis.
    Interleaved,
    /// The magic search of Godefroid and Holzmann.
    Magic,
    /// Nested depth-first search by Schwoon and Esparza.
    Nested,
    /// Strong components, examined when complete.
    Tarjan,
    /// Strong components, examined while they grow.
    Couvreur,
    /// Strong components from a postorder and predecessors.
    Kosaraju,
    /// On the product with a deterministic automaton of the property, not of its negation.
    Deterministic,
    /// Nested depth-first search by several threads.
    Cndfs,
    /// Strong components by several threads, in a union-find.
    Ufscc,
}

impl Algorithm {
    /// All searches.
    pub const ALL: [Algorithm; 10] = [
        Algorithm::Queue,
        Algorithm::Interleaved,
        Algorithm::Magic,
        Algorithm::Nested,
        Algorithm::Tarjan,
        Algorithm::Couvreur,
        Algorithm::Kosaraju,
        Algorithm::Deterministic,
        Algorithm::Cndfs,
        Algorithm::Ufscc,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Queue => "queue",
            Algorithm::Interleaved => "interleaved",
            Algorithm::Magic => "magic",
            Algorithm::Nested => "nested",
            Algorithm::Tarjan => "tarjan",
            Algorithm::Couvreur => "couvreur",
            Algorithm::Kosaraju => "kosaraju",
            Algorithm::Deterministic => "deterministic",
            Algorithm::Cndfs => "cndfs",
            Algorithm::Ufscc => "ufscc",
        }
    }

    /// Does it use the marks of edges, that is, generalized acceptance?
    pub fn is_generalized(self) -> bool {
        matches!(
            self,
            Algorithm::Tarjan | Algorithm::Couvreur | Algorithm::Kosaraju | Algorithm::Ufscc
        )
    }

    /// Is there a version for several threads?
    pub fn is_parallel(self) -> bool {
        matches!(self, Algorithm::Couvreur | Algorithm::Cndfs | Algorithm::Ufscc)
    }

    /// Does it search for cycles only among nodes that are not rejecting? See `sweep`.
    pub fn skips_rejecting(self) -> bool {
        matches!(
            self,
            Algorithm::Nested | Algorithm::Couvreur | Algorithm::Cndfs | Algorithm::Ufscc
        )
    }

    /// Can it store this many marks for each node? [`Couvreur`](Algorithm::Couvreur) stores any
    /// number.
    pub fn has_room(self, all_marks: u64) -> bool {
        self != Algorithm::Ufscc || ufscc::has_room(all_marks)
    }

    /// Searches for an accepting lasso; `Deterministic`, for one whose cycle has no accepting node.
    /// A parallel search is replaced by the sequential search on which it is based.
    pub fn search<G: Graph>(self, graph: &mut G) -> SearchResult<G> {
        match self {
            Algorithm::Queue => queue::search(graph),
            Algorithm::Interleaved => interleaved::search(graph),
            Algorithm::Magic => magic::search(graph),
            Algorithm::Nested | Algorithm::Cndfs => nested::search(graph),
            Algorithm::Tarjan => tarjan::search(graph),
            Algorithm::Couvreur | Algorithm::Ufscc => couvreur::search(graph),
            Algorithm::Kosaraju => kosaraju::search(graph),
            Algorithm::Deterministic => deterministic::search(graph),
        }
    }

    /// Searches with several threads, if the algorithm can use them.
    pub fn search_with<G: SharedGraph>(self, graph: &mut G, threads: usize) -> SearchResult<G> {
        match self {
            Algorithm::Cndfs => cndfs::search(graph, threads),
            Algorithm::Couvreur if threads > 1 => couvreur::search_with(graph, threads),
            Algorithm::Ufscc if self.has_room(graph.all_marks()) => ufscc::search(graph, threads),
            _ => self.search(graph),
        }
    }
}

#[cfg(test)]
mod tests;
