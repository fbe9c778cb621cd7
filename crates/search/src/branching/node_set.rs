//! Sets of the nodes of one graph, a bit for each.

use crate::liveness::Node;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSet {
    words: Vec<u64>,
    /// How many nodes the graph has.
    nodes: usize,
}

impl NodeSet {
    pub fn none(nodes: usize) -> NodeSet {
        NodeSet { words: vec![0; nodes.div_ceil(64)], nodes }
    }

    pub fn all(nodes: usize) -> NodeSet {
        NodeSet::none(nodes).complement()
    }

    pub fn contains(&self, node: Node) -> bool {
        self.words[node as usize / 64] >> (node % 64) & 1 == 1
    }

    /// The same for a node that may have been met after the set was made.
    pub fn holds(&self, node: Node) -> bool {
        (node as usize) < self.nodes && self.contains(node)
    }

    /// The graph has so many nodes by now.
    pub fn widen(&mut self, nodes: usize) {
        self.nodes = self.nodes.max(nodes);
        self.words.resize(self.nodes.div_ceil(64), 0);
    }

    pub fn insert(&mut self, node: Node) {
        self.words[node as usize / 64] |= 1 << (node % 64);
    }

    pub fn complement(mut self) -> NodeSet {
        self.words.iter_mut().for_each(|word| *word = !*word);
        if !self.nodes.is_multiple_of(64)
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << (self.nodes % 64)) - 1;
        }
        self
    }

    pub fn union(&mut self, other: &NodeSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine |= theirs);
    }

    pub fn intersect(&mut self, other: &NodeSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine &= theirs);
    }

    pub fn subtract(&mut self, other: &NodeSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine &= !theirs);
    }

    /// Nodes that are in one of the sets but not in both.
    pub fn differ(&mut self, other: &NodeSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine ^= theirs);
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = Node> + '_ {
        (0..self.nodes as Node).filter(|&node| self.contains(node))
    }
}
