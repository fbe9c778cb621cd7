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

    /// Appends the edges that leave several nodes.
    fn successors_of(&mut self, nodes: &[Node], out: &mut Vec<Edge>) -> Result<(), Self::Stop> {
        nodes.iter().try_for_each(|node| self.successors(*node, out))
    }

    /// Appends the edges of a node that do not lead to passing nodes, and to `left` the passing nodes it leads to. With them may come what a passing node
    /// leads to that is reached whenever this one is; then [`sweep`](Self::sweep) leaves that one out. So all nodes that are not passing must be
    /// looked at in this way, and those in `left` gone on from.
    fn successors_within(
        &mut self,
        node: Node,
        out: &mut Vec<Edge>,
        left: &mut Vec<Node>,
    ) -> Result<(), Self::Stop> {
        let start = out.len();
        self.successors(node, out)?;
        let passing = |edge: &Edge| self.is_passing(edge.target);
        left.extend(out.extract_if(start.., |edge| passing(edge)).map(|edge| edge.target));
        Ok(())
    }

    /// Appends the edges of passing nodes, except those that came with others.
    fn sweep(&mut self, nodes: &[Node], out: &mut Vec<Edge>) -> Result<(), Self::Stop> {
        self.successors_of(nodes, out)
    }

    /// The node with the demon of `magic` in its second state. The same, unless the demon is part of the nodes; then it must be in its second
    /// state in all successors of such a node.
    fn switched(&mut self, node: Node) -> Result<Node, Self::Stop> {
        Ok(node)
    }

    /// All marks.
    fn all_marks(&self) -> u64;

    /// Do all edges that leave the node have all marks? The searches for Büchi's acceptance ask this instead of looking
    /// at edges.
    fn is_accepting(&self, node: Node) -> bool;

    /// Is it known that no accepting cycle leads through the node?
    fn is_passing(&self, _node: Node) -> bool {
        false
    }

    /// In a strong component with an edge that has all marks, do all edges have them? Then a cycle is accepting if one of its
    /// edges has all marks, and whoever closes a cycle need look at nothing but the edge that closes it.
    fn is_weak(&self) -> bool {
        false
    }

    /// The search has found what it looked for, and what is asked from now on only shows it: no limit of the search may end that.
    fn lift_limits(&mut self) {}

    /// The stack of a search has so many nodes.
    fn went(&mut self, _depth: usize) {}

    /// Nodes met so far.
    fn len(&self) -> usize;

    /// All numbers of nodes met so far are below; not all below need be of one.
    fn numbers(&self) -> u64 {
        self.len() as u64
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A graph that several threads look at together, each through a view of its own. A node has the same number in all of them.
pub trait SharedGraph: Graph<Stop: Send> + Send + Sized {
    /// What a view has counted.
    type Figures: Send;

    /// Another view.
    fn view(&mut self) -> Self;

    /// How many views there may be.
    fn most_views(&self) -> usize;

    /// To be called again and again by a thread that waits for another one, which may be waiting for this one meanwhile.
    fn wait(&mut self) -> Result<(), Self::Stop>;

    /// The view is not used until it is [resumed](Self::resume).
    fn suspend(&mut self);

    fn resume(&mut self);

    /// Has the node this color? Each can have two of them, `1` and `2`, which all threads see. Who sees one sees all that was done before it was given.
    fn has(&self, node: Node, color: u8) -> bool;

    /// Gives the node a color; had it not?
    fn mark(&self, node: Node, color: u8) -> bool;

    /// Takes all colors from the nodes. They have some only after this.
    fn fade(&mut self) -> Result<(), Self::Stop>;

    /// The end of a view.
    fn leave(self) -> Self::Figures;

    /// Adds what another view has counted.
    fn join(&mut self, figures: Self::Figures);
}

/// An infinite path: the nodes before the cycle, then those of the cycle, whose last leads to its first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    pub prefix: Vec<Node>,
    pub cycle: Vec<Node>,
}

/// An accepting lasso, if there is one; or why the search did not end.
pub type Found<G> = Result<Option<Lasso>, <G as Graph>::Stop>;
