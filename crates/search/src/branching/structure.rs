//! A state graph written down: what branching-time formulas are evaluated on (a Kripke structure).

use super::node_set::NodeSet;
use crate::limits::{Limit, Meter};
use crate::liveness::fairness::{ActorSet, FairEdge, FairGraph};
use crate::liveness::{Edge, Graph, Node};
use std::collections::HashMap;

/// States by number. A state in which nothing can move is its own successor. A state without
/// successors has only steps that end in a run-time error: no infinite path leads through it.
#[derive(Debug, Default)]
pub struct Structure {
    pub initial: Vec<Node>,
    /// Where the edges of each node begin, and where those of the last end.
    offsets: Vec<usize>,
    targets: Vec<Node>,
    /// By edge and by node, numbers of `sets`. Empty if nobody is told apart.
    movers: Vec<u32>,
    enabled: Vec<u32>,
    sets: Vec<ActorSet>,
    set_numbers: HashMap<ActorSet, u32>,
    /// By atom, where it holds.
    pub labels: Vec<NodeSet>,
    /// The first of the nodes that [`diverge`](Self::diverge) added.
    first_copy: Option<Node>,
}

impl Structure {
    /// Adds the next node with its edges: targets, which may come later.
    pub fn push_plain(&mut self, targets: impl IntoIterator<Item = Node>) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.targets.extend(targets);
        self.offsets.push(self.targets.len());
    }

    /// The same, with who moves and who could. Either all nodes are added like this or none.
    pub fn push(&mut self, edges: &[FairEdge], enabled: &ActorSet) {
        self.push_plain(edges.iter().map(|edge| edge.edge.target));
        let enabled = self.set_number(enabled);
        self.enabled.push(enabled);
        for edge in edges {
            let number = self.set_number(&edge.movers);
            self.movers.push(number);
        }
    }

    /// Adds, for each of these nodes, in ascending order, a copy with the same labels that a run can
    /// go to and then never leaves. The edge to the copy is the last of the node's edges. No actor is
    /// enabled in a copy, so staying there is fair.
    pub fn diverge(&mut self, nodes: &[Node]) {
        let wide = std::mem::take(self);
        let first_copy = wide.len() as Node;
        (self.initial, self.labels) = (wide.initial.clone(), wide.labels.clone());
        (self.sets, self.set_numbers) = (wide.sets.clone(), wide.set_numbers.clone());
        let told_apart = !wide.enabled.is_empty();
        let nobody = ActorSet::new();
        let mut copies = nodes.iter().zip(first_copy..).peekable();
        for node in 0..first_copy {
            let copy = copies.next_if(|(diverging, _)| **diverging == node).map(|(_, copy)| copy);
            self.push_plain(wide.successors(node).iter().copied().chain(copy));
            if told_apart {
                let range = wide.offsets[node as usize]..wide.offsets[node as usize + 1];
                self.enabled.push(wide.enabled[node as usize]);
                self.movers.extend_from_slice(&wide.movers[range]);
                let number = self.set_number(&nobody);
                self.movers.extend(copy.map(|_| number));
            }
        }
        for (&node, copy) in nodes.iter().zip(first_copy..) {
            self.push_plain([copy]);
            if told_apart {
                let number = self.set_number(&nobody);
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

    /// Does this edge lead to where a run stays forever unseen?
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

    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn edge_count(&self) -> usize {
        self.targets.len()
    }

    pub fn successors(&self, node: Node) -> &[Node] {
        &self.targets[self.offsets[node as usize]..self.offsets[node as usize + 1]]
    }

    /// Who could move in a node; nobody if nobody is told apart.
    pub fn enabled(&self, node: Node) -> Option<&ActorSet> {
        self.enabled.get(node as usize).map(|&number| &self.sets[number as usize])
    }

    pub fn movers(&self, node: Node, edge: usize) -> ActorSet {
        let number = self.movers.get(self.offsets[node as usize] + edge);
        number.map_or_else(ActorSet::new, |&number| self.sets[number as usize].clone())
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> u64 {
        (self.offsets.len() * 8 + (self.targets.len() + self.movers.len() + self.enabled.len()) * 4) as u64
    }
}

/// Looks at the clock once in a while.
#[derive(Debug)]
pub(super) struct Patience<'m> {
    pub meter: Option<&'m Meter<'m>>,
    ticks: u32,
}

impl<'m> Patience<'m> {
    pub fn new(meter: Option<&'m Meter<'m>>) -> Patience<'m> {
        Patience { meter, ticks: 0 }
    }

    pub fn tick(&mut self) -> Result<(), Limit> {
        self.ticks = self.ticks.wrapping_add(1);
        match self.meter {
            Some(meter) if self.ticks.is_multiple_of(1 << 12) => meter.check_time(),
            _ => Ok(()),
        }
    }
}

/// A structure, or the part of it within a set, as a graph to search in.
#[derive(Debug)]
pub(super) struct View<'s> {
    pub structure: &'s Structure,
    pub initial: Vec<Node>,
    pub within: Option<&'s NodeSet>,
    /// Are actors told apart?
    pub fair: bool,
    pub patience: Patience<'s>,
}

impl View<'_> {
    fn inside(&self, node: Node) -> bool {
        self.within.is_none_or(|within| within.contains(node))
    }

    /// The place among all edges of a node of the one that is so-many-th here.
    pub fn edge_of_structure(&self, node: Node, index: usize) -> usize {
        let targets = self.structure.successors(node).iter().enumerate();
        let mut kept = targets.filter(|&(_, &target)| self.inside(target)).map(|(place, _)| place);
        kept.nth(index).expect("the edge exists")
    }
}

impl Graph for View<'_> {
    type Stop = Limit;

    fn initial(&mut self) -> Result<Vec<Node>, Limit> {
        Ok(self.initial.clone())
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Limit> {
        self.patience.tick()?;
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

impl FairGraph for View<'_> {
    fn expand(&mut self, node: Node, edges: &mut Vec<FairEdge>, enabled: &mut ActorSet) -> Result<(), Limit> {
        self.patience.tick()?;
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
