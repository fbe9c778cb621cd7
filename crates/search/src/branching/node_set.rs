//! Sets of nodes of one graph, as bits.

use crate::liveness::Node;

/// A set of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSet {
    words: Vec<u64>,
    /// The number of nodes in the graph.
    nodes: usize,
}

impl NodeSet {
    /// The empty set.
    pub fn none(nodes: usize) -> NodeSet {
        NodeSet { words: vec![0; nodes.div_ceil(64)], nodes }
    }

    /// The set of all nodes.
    pub fn all(nodes: usize) -> NodeSet {
        NodeSet::none(nodes).complement()
    }

    /// Is the node in the set?
    pub fn contains(&self, node: Node) -> bool {
        self.words[node as usize / 64] >> (node % 64) & 1 == 1
    }

    /// [`contains`](Self::contains) for a node that may have been discovered after the set was
    /// made.
    pub fn holds(&self, node: Node) -> bool {
        (node as usize) < self.nodes && self.contains(node)
    }

    /// Extends the set to a graph of this many nodes.
    pub fn widen(&mut self, nodes: usize) {
        self.nodes = self.nodes.max(nodes);
        self.words.resize(self.nodes.div_ceil(64), 0);
    }

    /// Adds a node.
    pub fn insert(&mut self, node: Node) {
        self.words[node as usize / 64] |= 1 << (node % 64);
    }

    /// The complement.
    pub fn complement(mut self) -> NodeSet {
        self.words.iter_mut().for_each(|word| *word = !*word);
        if !self.nodes.is_multiple_of(64)
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << (self.nodes % 64)) - 1;
        }
        self
    }

    /// Adds the members of another set.
    pub fn union(&mut self, other: &NodeSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Keeps only members of another set.
    pub fn intersect(&mut self, other: &NodeSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine &= theirs);
    }

    /// Removes the members of another set.
    pub fn subtract(&mut self, other: &NodeSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine &= !theirs);
    }

    /// The symmetric difference.
    pub fn differ(&mut self, other: &NodeSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine ^= theirs);
    }

    /// The number of members.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The members, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Node> + '_ {
        (0..self.nodes as Node).filter(|&node| self.contains(node))
    }
}
