//! Weak fairness by flag counters, for searches that know Büchi's acceptance alone (Choueka 1974; as in SPIN's `-f`).
//!
//! A node becomes a node and a counter, which waits for one thing after the other: for each mark of the property, then for each actor to move or
//! not to be enabled. When it has seen all it is in an accepting node and begins again. A finished run that stands still
//! enables nobody, so nothing keeps the counter waiting there: it is fair.

use super::actors::ActorSet;
use super::counted::{Counted, FULL, Unnumbered};
use super::graph::{FairEdge, FairGraph, FairLasso, LassoStep};
use crate::liveness::{Edge, Graph, Lasso, Node};

/// A graph with a counter beside its nodes; accepting cycles of it are the weakly fair accepting ones of the graph.
#[derive(Debug)]
pub struct FlagCounters<'g, G> {
    graph: &'g mut G,
    /// The marks of the property, one after the other.
    marks: Vec<u64>,
    counted: Counted,
    edges: Vec<FairEdge>,
    enabled: ActorSet,
}

/// Why a search with counters did not end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlagStop<S> {
    Graph(S),
    /// There is room for the counters of fewer actors than these.
    Actors(u32),
    /// There are no more numbers for nodes; so many there were.
    Numbers(u64),
}

impl<'g, G: FairGraph> FlagCounters<'g, G> {
    pub fn new(graph: &'g mut G) -> FlagCounters<'g, G> {
        FlagCounters::made(graph, |_| Counted::table())
    }

    /// With the counter in the tail of a node, which has room for those of so many actors.
    pub fn in_tails(graph: &'g mut G, actors: u32) -> FlagCounters<'g, G> {
        // One for each mark and each actor, and one that has seen all.
        FlagCounters::made(graph, |marks| Counted::tails(marks + actors + 1))
    }

    fn made(graph: &'g mut G, counted: impl FnOnce(u32) -> Counted) -> FlagCounters<'g, G> {
        let marks: Vec<u64> =
            (0..64).map(|bit| 1 << bit).filter(|bit| graph.all_marks() & bit != 0).collect();
        FlagCounters {
            graph,
            counted: counted(marks.len() as u32),
            marks,
            edges: Vec::new(),
            enabled: ActorSet::new(),
        }
    }

    /// What the counters take, beside the graph.
    pub fn memory_bytes(&self) -> u64 {
        self.counted.memory_bytes()
    }

    /// How many counters a node has room for; 1 if they are not in tails.
    pub fn counters(&self) -> u32 {
        self.counted.counters()
    }

    fn number(&mut self, node: Node, counter: u32) -> Result<Node, FlagStop<G::Stop>> {
        self.counted.number(node, counter).map_err(|reason| match reason {
            Unnumbered::Counter(counter) => FlagStop::Actors(counter + 1 - self.marks.len() as u32),
            Unnumbered::Numbers(most) => FlagStop::Numbers(most),
        })
    }

    /// The counter behind an edge that leaves a node where these are enabled.
    fn count(&self, counter: u32, edge: &FairEdge) -> u32 {
        let mut counter = if counter == FULL { 0 } else { counter };
        let seen = |mark: &&u64| edge.edge.marks & **mark != 0;
        counter += self.marks.iter().skip(counter as usize).take_while(seen).count() as u32;
        let first_actor = self.marks.len() as u32;
        let Some(waiting) = counter.checked_sub(first_actor) else { return counter };
        let unserved = |actor: &u32| *actor >= waiting && !edge.movers.contains(*actor);
        self.enabled.iter().find(unserved).map_or(FULL, |actor| first_actor + actor)
    }

    /// Expands a node: its edges are in `self.edges` then.
    fn look(&mut self, node: Node) -> Result<(), FlagStop<G::Stop>> {
        self.edges.clear();
        self.graph.expand(node, &mut self.edges, &mut self.enabled).map_err(FlagStop::Graph)
    }

    /// The lasso without its counters.
    pub fn without_counters(&mut self, lasso: &Lasso) -> Result<FairLasso, FlagStop<G::Stop>> {
        let closing = lasso.cycle.first().copied();
        let all: Vec<Node> = lasso.prefix.iter().chain(&lasso.cycle).copied().collect();
        let mut steps = Vec::with_capacity(all.len());
        for (index, &place) in all.iter().enumerate() {
            let (node, counter) = self.counted.get(place);
            let Some(next) = all.get(index + 1).copied().or(closing) else { break };
            let target = self.counted.get(next);
            self.look(node)?;
            let fits = |edge: &FairEdge| (edge.edge.target, self.count(counter, edge)) == target;
            let edge = self.edges.iter().position(fits).expect("the lasso follows edges");
            steps.push(LassoStep { node, edge });
        }
        let cycle = steps.split_off(lasso.prefix.len());
        Ok(FairLasso { prefix: steps, cycle })
    }
}

impl<G: FairGraph> Graph for FlagCounters<'_, G> {
    type Stop = FlagStop<G::Stop>;

    fn initial(&mut self) -> Result<Vec<Node>, Self::Stop> {
        let nodes = self.graph.initial().map_err(FlagStop::Graph)?;
        nodes.into_iter().map(|node| self.number(node, 0)).collect()
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Self::Stop> {
        let (node, counter) = self.counted.get(node);
        self.look(node)?;
        let marks = u64::from(counter == FULL);
        let edges = std::mem::take(&mut self.edges);
        for edge in &edges {
            let behind = self.count(counter, edge);
            let target = self.number(edge.edge.target, behind)?;
            out.push(Edge { marks, target });
        }
        self.edges = edges;
        Ok(())
    }

    fn all_marks(&self) -> u64 {
        1
    }

    fn is_accepting(&self, node: Node) -> bool {
        self.counted.get(node).1 == FULL
    }

    fn lift_limits(&mut self) {
        self.graph.lift_limits();
    }

    fn went(&mut self, depth: usize) {
        self.graph.went(depth);
    }

    fn len(&self) -> usize {
        self.counted.len()
    }

    fn numbers(&self) -> u64 {
        match self.counters() {
            1 => self.counted.len() as u64,
            counters => self.graph.numbers() * u64::from(counters),
        }
    }
}
