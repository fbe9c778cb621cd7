//! Weak fairness by flag counters, for searches that only support Büchi acceptance (Choueka 1974;
//! as in SPIN's `-f`).
//!
//! A node is paired with a counter that waits for one event after the other: for each mark of the
//! property, then for each actor to move or to be disabled. When it has counted all of them, the
//! pair is accepting and the counter restarts. A finished run that stutters enables no actor, so
//! the counter never waits there: the run is fair.

use crate::liveness::fairness::actors::ActorSet;
use crate::liveness::fairness::counter_numbering::{CounterNumbering, FULL, Unnumbered};
use crate::liveness::fairness::graph::{FairEdge, FairGraph, FairLasso, LassoStep};
use crate::liveness::{Edge, Graph, Lasso, Node};

/// A graph whose nodes are paired with counters. Its accepting cycles are the weakly fair accepting
/// cycles of the original graph.
#[derive(Debug)]
pub struct FlagCounters<'g, G> {
    graph: &'g mut G,
    /// The marks of the property, one by one.
    marks: Vec<u64>,
    counted: CounterNumbering,
    edges: Vec<FairEdge>,
    enabled: ActorSet,
}

/// Why a search with counters did not end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CounterError<S> {
    /// The graph could not be constructed any further.
    Graph(S),
    /// There are at least this many actors, more than tails have room for.
    Actors(u32),
    /// All of this many node numbers are used.
    NodeNumbers(u64),
}

impl<'g, G: FairGraph> FlagCounters<'g, G> {
    /// With the counters in a table.
    pub fn new(graph: &'g mut G) -> FlagCounters<'g, G> {
        FlagCounters::made(graph, |_| CounterNumbering::table())
    }

    /// With the counter in the tail of a node, with room for this many actors.
    pub fn in_tails(graph: &'g mut G, actors: u32) -> FlagCounters<'g, G> {
        // One for each mark and each actor, and [`FULL`].
        FlagCounters::made(graph, |marks| CounterNumbering::tails(marks + actors + 1))
    }

    fn made(
        graph: &'g mut G,
        counted: impl FnOnce(u32) -> CounterNumbering,
    ) -> FlagCounters<'g, G> {
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

    /// The memory of the counters, without the graph.
    pub fn memory_bytes(&self) -> u64 {
        self.counted.memory_bytes()
    }

    /// The number of counters for which a node has room; 1 if they are not in tails.
    pub fn counters(&self) -> u32 {
        self.counted.counters()
    }

    fn number(&mut self, node: Node, counter: u32) -> Result<Node, CounterError<G::Error>> {
        self.counted.number(node, counter).map_err(|reason| match reason {
            Unnumbered::Counter(counter) => {
                CounterError::Actors(counter + 1 - self.marks.len() as u32)
            }
            Unnumbered::NodeNumbers(most) => CounterError::NodeNumbers(most),
        })
    }

    /// The counter after an edge of the node that was expanded last.
    fn count(&self, counter: u32, edge: &FairEdge) -> u32 {
        let mut counter = if counter == FULL { 0 } else { counter };
        let seen = |mark: &&u64| edge.edge.marks & **mark != 0;
        counter += self.marks.iter().skip(counter as usize).take_while(seen).count() as u32;
        let first_actor = self.marks.len() as u32;
        let Some(waiting) = counter.checked_sub(first_actor) else { return counter };
        let unserved = |actor: &u32| *actor >= waiting && !edge.movers.contains(*actor);
        self.enabled.iter().find(unserved).map_or(FULL, |actor| first_actor + actor)
    }

    /// Expands a node into `self.edges` and `self.enabled`.
    fn expand_node(&mut self, node: Node) -> Result<(), CounterError<G::Error>> {
        self.edges.clear();
        self.graph.expand(node, &mut self.edges, &mut self.enabled).map_err(CounterError::Graph)
    }

    /// The lasso without its counters.
    pub fn without_counters(&mut self, lasso: &Lasso) -> Result<FairLasso, CounterError<G::Error>> {
        let closing = lasso.cycle.first().copied();
        let all: Vec<Node> = lasso.prefix.iter().chain(&lasso.cycle).copied().collect();
        let mut steps = Vec::with_capacity(all.len());
        for (index, &place) in all.iter().enumerate() {
            let (node, counter) = self.counted.get(place);
            let Some(next) = all.get(index + 1).copied().or(closing) else { break };
            let target = self.counted.get(next);
            self.expand_node(node)?;
            let fits = |edge: &FairEdge| (edge.edge.target, self.count(counter, edge)) == target;
            let edge = self.edges.iter().position(fits).expect("the lasso follows edges");
            steps.push(LassoStep { node, edge });
        }
        let cycle = steps.split_off(lasso.prefix.len());
        Ok(FairLasso { prefix: steps, cycle })
    }
}

impl<G: FairGraph> Graph for FlagCounters<'_, G> {
    type Error = CounterError<G::Error>;

    fn initial(&mut self) -> Result<Vec<Node>, Self::Error> {
        let nodes = self.graph.initial().map_err(CounterError::Graph)?;
        nodes.into_iter().map(|node| self.number(node, 0)).collect()
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Self::Error> {
        let (node, counter) = self.counted.get(node);
        self.expand_node(node)?;
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

    fn note_depth(&mut self, depth: usize) {
        self.graph.note_depth(depth);
    }

    fn len(&self) -> usize {
        self.counted.len()
    }

    fn number_bound(&self) -> u64 {
        match self.counters() {
            1 => self.counted.len() as u64,
            counters => self.graph.number_bound() * u64::from(counters),
        }
    }
}
