//! Searches for accepting cycles: is there an infinite run that the property forbids?
//!
//! Each search is one file and works on any [`Graph`]; [`Algorithm`] is their list. Where acceptance is not Büchi's with
//! marks on nodes, only `couvreur`, `tarjan`, `kosaraju` and `ufscc` will do.

mod cndfs;
mod colors;
mod couvreur;
mod deterministic;
pub(crate) mod effort;
pub mod fairness;
mod gradual;
mod graph;
mod interleaved;
mod kosaraju;
mod lasso;
pub(crate) mod levels;
mod magic;
mod nested;
mod numbers;
mod path;
mod queue;
mod segments;
pub(crate) mod stress;
mod sweep;
mod tarjan;
mod team;
mod ufscc;
mod union_find;

pub use effort::{Effort, Halt, Shortest};
pub(crate) use gradual::Gradual;
pub use graph::{Edge, Found, Graph, Lasso, Node, SharedGraph};
pub(crate) use lasso::way;
pub use numbers::{Numbers, OUTSIDE, UNMET};

/// The searches, by the names of the literature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    Queue,
    Interleaved,
    Magic,
    Nested,
    Tarjan,
    Couvreur,
    Kosaraju,
    /// On the product with a deterministic property, not with its negation.
    Deterministic,
    Cndfs,
    Ufscc,
}

impl Algorithm {
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

    /// As the user writes it.
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

    /// Does it look at the marks of edges, all of them?
    pub fn is_generalized(self) -> bool {
        matches!(self, Algorithm::Tarjan | Algorithm::Couvreur | Algorithm::Kosaraju | Algorithm::Ufscc)
    }

    /// Can several threads work on it?
    pub fn is_parallel(self) -> bool {
        matches!(self, Algorithm::Couvreur | Algorithm::Cndfs | Algorithm::Ufscc)
    }

    /// Does it stay away from nodes that no accepting cycle leads through? See `sweep`.
    pub fn sweeps(self) -> bool {
        matches!(self, Algorithm::Nested | Algorithm::Couvreur | Algorithm::Cndfs | Algorithm::Ufscc)
    }

    /// Can it keep so many marks for each node? [`Couvreur`](Algorithm::Couvreur) can keep any.
    pub fn has_room(self, all_marks: u64) -> bool {
        self != Algorithm::Ufscc || ufscc::has_room(all_marks)
    }

    /// Looks for an accepting lasso; `Deterministic`, for one whose cycle has no accepting node. Of the searches for several threads, the one that they
    /// come from.
    pub fn search<G: Graph>(self, graph: &mut G) -> Found<G> {
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

    /// The same, with so many threads where they help.
    pub fn search_with<G: SharedGraph>(self, graph: &mut G, threads: usize) -> Found<G> {
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
