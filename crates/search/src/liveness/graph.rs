//! What a search for cycles sees: nodes that are numbers, edges with acceptance marks, made when asked for.

/// A node, numbered in the order in which nodes were first met.
pub type Node = u32;

/// An edge, as seen from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// A set of marks, as bits. A cycle is accepting if its edges together have all of them.
    pub marks: u64,
    pub target: Node,
}

/// A graph that grows as it is looked at.
pub trait Graph {
    /// Why no more can be said: a limit, or an error.
    type Stop;

    fn initial(&mut self) -> Result<Vec<Node>, Self::Stop>;

    /// Appends the edges that leave a node, always in the same order.
    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Self::Stop>;

    /// All marks.
    fn all_marks(&self) -> u64;

    /// Do all edges that leave the node have all marks? The searches for Büchi's acceptance ask this instead of looking
    /// at edges.
    fn is_accepting(&self, node: Node) -> bool;

    /// Nodes met so far; their numbers are below.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An infinite path: the nodes before the cycle, then those of the cycle, whose last leads to its first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    pub prefix: Vec<Node>,
    pub cycle: Vec<Node>,
}

/// An accepting lasso, if there is one; or why the search did not end.
pub type Found<G> = Result<Option<Lasso>, <G as Graph>::Stop>;

/// Two bits for each node, 0 at first.
#[derive(Clone, Debug, Default)]
pub(super) struct Colors {
    bytes: Vec<u8>,
}

impl Colors {
    pub fn get(&self, node: Node) -> u8 {
        let byte = self.bytes.get(node as usize / 4).copied().unwrap_or(0);
        byte >> (node % 4 * 2) & 3
    }

    pub fn set(&mut self, node: Node, color: u8) {
        let index = node as usize / 4;
        if index >= self.bytes.len() {
            self.bytes.resize((index + 1).max(self.bytes.len() * 5 / 4), 0);
        }
        let shift = node % 4 * 2;
        let byte = &mut self.bytes[index];
        *byte = *byte & !(3 << shift) | color << shift;
    }

    /// Sets one bit of the color; was it unset?
    pub fn mark(&mut self, node: Node, bit: u8) -> bool {
        let color = self.get(node);
        if color & bit == 0 {
            self.set(node, color | bit);
        }
        color & bit == 0
    }
}
