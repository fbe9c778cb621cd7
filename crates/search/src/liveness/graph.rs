//! The graph that a search for cycles explores: numbered nodes, and edges with acceptance marks
//! that are computed on demand.

/// A node, numbered in the order of discovery.
pub type Node = u32;

/// An edge, without its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// A set of marks, as bits. A cycle is accepting if its edges together have all of them.
    pub marks: u64,
    /// The target node.
    pub target: Node,
}

/// A graph that is constructed on the fly.
pub trait Graph {
    /// Why the construction stopped: a limit or an error.
    type Error;

    /// The initial nodes.
    fn initial(&mut self) -> Result<Vec<Node>, Self::Error>;

    /// Appends the edges that leave a node, always in the same order.
    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Self::Error>;

    /// Appends the edges that leave several nodes.
    fn successors_of(&mut self, nodes: &[Node], out: &mut Vec<Edge>) -> Result<(), Self::Error> {
        nodes.iter().try_for_each(|node| self.successors(*node, out))
    }

    /// Appends the edges of a node whose targets are not rejecting, and appends the rejecting
    /// targets to `exits`. A graph may expand a rejecting node together with this one, appending
    /// its targets to `exits`; [`rejecting_successors`](Self::rejecting_successors) then omits that
    /// node. Every node that is not rejecting must therefore be expanded by this function, and the
    /// search must continue from all nodes in `exits`.
    fn component_successors(
        &mut self,
        node: Node,
        out: &mut Vec<Edge>,
        exits: &mut Vec<Node>,
    ) -> Result<(), Self::Error> {
        let start = out.len();
        self.successors(node, out)?;
        let rejecting = |edge: &Edge| self.is_rejecting(edge.target);
        exits.extend(out.extract_if(start.., |edge| rejecting(edge)).map(|edge| edge.target));
        Ok(())
    }

    /// Appends the edges of rejecting nodes, except of those that were expanded together with
    /// others.
    fn rejecting_successors(
        &mut self,
        nodes: &[Node],
        out: &mut Vec<Edge>,
    ) -> Result<(), Self::Error> {
        self.successors_of(nodes, out)
    }

    /// The node with the demon of `magic` in its second state. That is the node itself, unless the
    /// demon is part of the nodes; then the demon is in its second state in all successors, too.
    fn with_switched_demon(&mut self, node: Node) -> Result<Node, Self::Error> {
        Ok(node)
    }

    /// The set of all marks.
    fn all_marks(&self) -> u64;

    /// Do all edges that leave the node have all marks? The searches for Büchi acceptance use this
    /// instead of the marks of edges.
    fn is_accepting(&self, node: Node) -> bool;

    /// Is it known that no accepting cycle passes through the node?
    fn is_rejecting(&self, _node: Node) -> bool {
        false
    }

    /// In each strong component that has an edge with all marks, do all edges have them? Then a
    /// cycle is accepting if one of its edges has all marks, and the edge that closes a cycle
    /// decides.
    fn is_weak(&self) -> bool {
        false
    }

    /// The search has found a cycle, and all further calls only serve to show it: no limit of the
    /// search applies to them.
    fn lift_limits(&mut self) {}

    /// Reports the depth of the search's stack.
    fn note_depth(&mut self, _depth: usize) {}

    /// The number of nodes discovered.
    fn len(&self) -> usize;

    /// An upper bound (exclusive) on the numbers of the nodes discovered. Some numbers below may be
    /// unused.
    fn number_bound(&self) -> u64 {
        self.len() as u64
    }

    /// Are there no nodes?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A graph that several threads explore together, each with its own view. A node has the same
/// number in all views.
pub trait SharedGraph: Graph<Error: Send> + Send + Sized {
    /// What a view has counted.
    type Counts: Send;

    /// Another view, for another thread.
    fn view(&mut self) -> Self;

    /// The maximal number of views.
    fn max_views(&self) -> usize;

    /// Must be called repeatedly by a thread that waits for another one, which may wait for this
    /// thread meanwhile.
    fn wait(&mut self) -> Result<(), Self::Error>;

    /// The view is not used until it is [resumed](Self::resume).
    fn suspend(&mut self);

    /// Ends the suspension.
    fn resume(&mut self);

    /// Has the node this color? A node can have two colors, `1` and `2`, shared by all threads. A
    /// thread that sees a color sees everything that was done before the color was added.
    fn has_color(&self, node: Node, color: u8) -> bool;

    /// Adds a color to the node; returns whether it was missing.
    fn insert_color(&self, node: Node, color: u8) -> bool;

    /// Removes all colors from all nodes. Must be called before colors are used.
    fn clear_colors(&mut self) -> Result<(), Self::Error>;

    /// Ends a view.
    fn into_counts(self) -> Self::Counts;

    /// Adds the counts of another view.
    fn add_counts(&mut self, figures: Self::Counts);
}

/// An infinite path: the nodes before the cycle, then the nodes of the cycle. An edge leads from
/// the last node to the first node of the cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The nodes before the cycle.
    pub prefix: Vec<Node>,
    /// The nodes of the cycle.
    pub cycle: Vec<Node>,
}

/// An accepting lasso, if there is one; or why the search did not end.
pub type SearchResult<G> = Result<Option<Lasso>, <G as Graph>::Error>;
