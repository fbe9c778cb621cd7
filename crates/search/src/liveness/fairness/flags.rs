//! Weak fairness by flag counters, for searches that know Büchi's acceptance alone (Choueka 1974; as in SPIN's `-f`).
//!
//! A node becomes a node and a counter, which waits for one thing after the other: for each mark of the property, then for each actor to move or
//! not to be enabled. When it has seen all it is in an accepting node and begins again. A finished run that stands still
//! enables nobody, so nothing keeps the counter waiting there: it is fair.

use super::actors::ActorSet;
use super::graph::{FairEdge, FairGraph, FairLasso, LassoStep};
use crate::liveness::{Edge, Graph, Lasso, Node};
use std::collections::HashMap;

/// A graph with a counter beside its nodes; accepting cycles of it are the weakly fair accepting ones of the graph.
#[derive(Debug)]
pub struct FlagCounters<'g, G> {
    graph: &'g mut G,
    /// The marks of the property, one after the other.
    marks: Vec<u64>,
    nodes: Vec<(Node, u32)>,
    index: HashMap<(Node, u32), Node>,
    edges: Vec<FairEdge>,
    enabled: ActorSet,
}

impl<'g, G: FairGraph> FlagCounters<'g, G> {
    pub fn new(graph: &'g mut G) -> FlagCounters<'g, G> {
        let marks = (0..64).map(|bit| 1 << bit).filter(|bit| graph.all_marks() & bit != 0).collect();
        FlagCounters {
            graph,
            marks,
            nodes: Vec::new(),
            index: HashMap::new(),
            edges: Vec::new(),
            enabled: ActorSet::new(),
        }
    }

    /// The counter when it has seen everything.
    fn full(&self) -> u32 {
        self.marks.len() as u32 + self.graph.actor_limit()
    }

    fn number(&mut self, node: Node, counter: u32) -> Node {
        *self.index.entry((node, counter)).or_insert_with(|| {
            self.nodes.push((node, counter));
            self.nodes.len() as Node - 1
        })
    }

    /// The counter behind an edge that leaves a node where these are enabled.
    fn count(&self, counter: u32, edge: &FairEdge) -> u32 {
        let mut counter = if counter == self.full() { 0 } else { counter };
        let seen = |mark: &&u64| edge.edge.marks & **mark != 0;
        counter += self.marks.iter().skip(counter as usize).take_while(seen).count() as u32;
        let first_actor = self.marks.len() as u32;
        let Some(waiting) = counter.checked_sub(first_actor) else { return counter };
        let unserved = |actor: &u32| *actor >= waiting && !edge.movers.contains(*actor);
        self.enabled.iter().find(unserved).map_or(self.full(), |actor| first_actor + actor)
    }

    /// Expands a node: its edges are in `self.edges` then.
    fn look(&mut self, node: Node) -> Result<(), G::Stop> {
        self.edges.clear();
        self.graph.expand(node, &mut self.edges, &mut self.enabled)
    }

    /// The lasso without its counters.
    pub fn without_counters(&mut self, lasso: &Lasso) -> Result<FairLasso, G::Stop> {
        let closing = lasso.cycle.first().copied();
        let all: Vec<Node> = lasso.prefix.iter().chain(&lasso.cycle).copied().collect();
        let mut steps = Vec::with_capacity(all.len());
        for (index, &place) in all.iter().enumerate() {
            let (node, counter) = self.nodes[place as usize];
            let Some(next) = all.get(index + 1).copied().or(closing) else { break };
            let target = self.nodes[next as usize];
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
    type Stop = G::Stop;

    fn initial(&mut self) -> Result<Vec<Node>, G::Stop> {
        let nodes = self.graph.initial()?;
        Ok(nodes.into_iter().map(|node| self.number(node, 0)).collect())
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), G::Stop> {
        let (node, counter) = self.nodes[node as usize];
        self.look(node)?;
        let marks = u64::from(counter == self.full());
        let edges = std::mem::take(&mut self.edges);
        for edge in &edges {
            let behind = self.count(counter, edge);
            let target = self.number(edge.edge.target, behind);
            out.push(Edge { marks, target });
        }
        self.edges = edges;
        Ok(())
    }

    fn all_marks(&self) -> u64 {
        1
    }

    fn is_accepting(&self, node: Node) -> bool {
        self.nodes[node as usize].1 == self.full()
    }

    fn len(&self) -> usize {
        self.nodes.len()
    }
}
