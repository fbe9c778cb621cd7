//! A state graph in memory on which branching-time formulas are evaluated (a Kripke structure).

use super::node_set::NodeSet;
use crate::limits::{Limit, Meter};
use crate::liveness::fairness::{ActorSet, FairEdge, FairGraph};
use crate::liveness::{Edge, Graph, Node};
use std::collections::HashMap;

/// States by number. A state in which nothing can move is its own successor. A state without
/// successors has only steps that end in a run-time error: no infinite path passes through it.
#[derive(Debug, Default)]
pub struct Structure {
    /// The initial states.
    pub initial: Vec<Node>,
    /// The position of each node's first edge, and the end of the last node's edges.
    offsets: Vec<usize>,
    targets: Vec<Node>,
    /// By edge and by node, indices into `sets`. Empty if fairness is not considered.
    movers: Vec<u32>,
    enabled: Vec<u32>,
    sets: Vec<ActorSet>,
    set_numbers: HashMap<ActorSet, u32>,
    /// By atom: the states where it holds.
    pub labels: Vec<NodeSet>,
    /// The first of the nodes that [`diverge`](Self::diverge) added.
    first_copy: Option<Node>,
}

impl Structure {
    /// Adds the next node with the targets of its edges, which may be added later.
    pub fn push_plain(&mut self, targets: impl IntoIterator<Item = Node>) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.targets.extend(targets);
        self.offsets.push(self.targets.len());
    }

    /// Adds the next node with the actors of its edges and its enabled actors. Either all nodes are
    /// added by this function or none.
    pub fn push(&mut self, edges: &[FairEdge], enabled: &ActorSet) {
        self.push_plain(edges.iter().map(|edge| edge.edge.target));
        let enabled = self.set_number(enabled);
        self.enabled.push(enabled);
        for edge in edges {
            let number = self.set_number(&edge.movers);
            self.movers.push(number);
        }
    }

    /// Adds, for each of these nodes, in ascending order, a copy with the same labels that a run
    /// can enter and never leaves. The edge to the copy is the last of the node's edges. No actor
    /// is enabled in a copy, so staying there is fair.
    pub fn diverge(&mut self, nodes: &[Node]) {
        let wide = std::mem::take(self);
        let first_copy = wide.len() as Node;
        (self.initial, self.labels) = (wide.initial.clone(), wide.labels.clone());
        (self.sets, self.set_numbers) = (wide.sets.clone(), wide.set_numbers.clone());
        let has_actors = !wide.enabled.is_empty();
        let no_actors = ActorSet::new();
        let mut copies = nodes.iter().zip(first_copy..).peekable();
        for node in 0..first_copy {
            let copy = copies.next_if(|(diverging, _)| **diverging == node).map(|(_, copy)| copy);
            self.push_plain(wide.successors(node).iter().copied().chain(copy));
            if has_actors {
                let range = wide.offsets[node as usize]..wide.offsets[node as usize + 1];
                self.enabled.push(wide.enabled[node as usize]);
                self.movers.extend_from_slice(&wide.movers[range]);
                let number = self.set_number(&no_actors);
                self.movers.extend(copy.map(|_| number));
            }
        }
        for (&node, copy) in nodes.iter().zip(first_copy..) {
            self.push_plain([copy]);
            if has_actors {
                let number = self.set_number(&no_actors);
                self.enabled.push(number);
                self.movers.push(number);
            }
            for label in &mut self.labels {
                label.widen(copy as usize + 1);
                if label.contains(node) {
                    label.insert(copy);
                }
            }
        }
        self.first_copy = Some(first_copy);
    }

    /// Does this edge lead to such a copy?
    pub fn diverges(&self, node: Node, edge: usize) -> bool {
        let target = self.successors(node)[edge];
        self.first_copy.is_some_and(|first| target >= first)
    }

    fn set_number(&mut self, set: &ActorSet) -> u32 {
        if let Some(&number) = self.set_numbers.get(set) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.set_numbers.insert(set.clone(), number);
        number
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Are there no nodes?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.targets.len()
    }

    /// The targets of a node's edges.
    pub fn successors(&self, node: Node) -> &[Node] {
        &self.targets[self.offsets[node as usize]..self.offsets[node as usize + 1]]
    }

    /// The actors enabled in a node; `None` if fairness is not considered.
    pub fn enabled(&self, node: Node) -> Option<&ActorSet> {
        self.enabled.get(node as usize).map(|&number| &self.sets[number as usize])
    }

    /// The actors of an edge.
    pub fn movers(&self, node: Node, edge: usize) -> ActorSet {
        let number = self.movers.get(self.offsets[node as usize] + edge);
        number.map_or_else(ActorSet::new, |&number| self.sets[number as usize].clone())
    }

    /// An estimate of the memory it takes.
    pub fn bytes(&self) -> u64 {
        (self.offsets.len() * 8 + (self.targets.len() + self.movers.len() + self.enabled.len()) * 4)
            as u64
    }
}

/// Checks the time limit from time to time.
#[derive(Debug)]
pub(super) struct TimeCheck<'m> {
    pub meter: Option<&'m Meter<'m>>,
    ticks: u32,
}

impl<'m> TimeCheck<'m> {
    pub fn new(meter: Option<&'m Meter<'m>>) -> TimeCheck<'m> {
        TimeCheck { meter, ticks: 0 }
    }

    pub fn tick(&mut self) -> Result<(), Limit> {
        self.ticks = self.ticks.wrapping_add(1);
        match self.meter {
            Some(meter) if self.ticks.is_multiple_of(1 << 12) => meter.check_time(),
            _ => Ok(()),
        }
    }
}

/// A structure, or the part of it within a set, as a graph for a search.
#[derive(Debug)]
pub(super) struct StructureGraph<'s> {
    pub structure: &'s Structure,
    pub initial: Vec<Node>,
    pub within: Option<&'s NodeSet>,
    /// Is fairness considered?
    pub fair: bool,
    pub time_check: TimeCheck<'s>,
}

impl StructureGraph<'_> {
    fn inside(&self, node: Node) -> bool {
        self.within.is_none_or(|within| within.contains(node))
    }

    /// The position among all edges of a node of its edge at `index` within the set.
    pub fn edge_of_structure(&self, node: Node, index: usize) -> usize {
        let targets = self.structure.successors(node).iter().enumerate();
        let mut kept = targets.filter(|&(_, &target)| self.inside(target)).map(|(place, _)| place);
        kept.nth(index).expect("the edge exists")
    }
}

impl Graph for StructureGraph<'_> {
    type Error = Limit;

    fn initial(&mut self) -> Result<Vec<Node>, Limit> {
        Ok(self.initial.clone())
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Limit> {
        self.time_check.tick()?;
        let kept = self.structure.successors(node).iter().filter(|&&target| self.inside(target));
        out.extend(kept.map(|&target| Edge { marks: 0, target }));
        Ok(())
    }

    fn all_marks(&self) -> u64 {
        0
    }

    fn is_accepting(&self, _: Node) -> bool {
        true
    }

    fn len(&self) -> usize {
        self.structure.len()
    }
}

impl FairGraph for StructureGraph<'_> {
    fn expand(
        &mut self,
        node: Node,
        edges: &mut Vec<FairEdge>,
        enabled: &mut ActorSet,
    ) -> Result<(), Limit> {
        self.time_check.tick()?;
        for (place, &target) in self.structure.successors(node).iter().enumerate() {
            if self.inside(target) {
                let movers = self.structure.movers(node, place);
                edges.push(FairEdge { edge: Edge { marks: 0, target }, movers });
            }
        }
        match self.structure.enabled(node).filter(|_| self.fair) {
            Some(set) => enabled.clone_from(set),
            None => enabled.clear(),
        }
        Ok(())
    }
}
