//! The stack of a depth-first search: nodes with the edges not yet followed. All edges are in one list, so that
//! going down and coming back allocate nothing.

use super::graph::{Edge, Graph, Node};

#[derive(Clone, Copy, Debug)]
struct Frame<T> {
    node: Node,
    /// Where its edges start, and which is next.
    start: usize,
    next: usize,
    data: T,
}

/// A path with something remembered for each node on it.
#[derive(Debug)]
pub(super) struct Path<T> {
    frames: Vec<Frame<T>>,
    edges: Vec<Edge>,
}

impl<T> Default for Path<T> {
    fn default() -> Path<T> {
        Path { frames: Vec::new(), edges: Vec::new() }
    }
}

impl<T: Copy> Path<T> {
    pub fn push<G: Graph>(&mut self, graph: &mut G, node: Node, data: T) -> Result<(), G::Stop> {
        self.open(node, data);
        graph.went(self.frames.len());
        graph.successors(node, &mut self.edges)
    }

    /// The same, without the edges that lead to passing nodes; those are appended to `left`.
    pub fn push_within<G: Graph>(
        &mut self,
        graph: &mut G,
        node: Node,
        data: T,
        left: &mut Vec<Node>,
    ) -> Result<(), G::Stop> {
        self.open(node, data);
        graph.went(self.frames.len());
        graph.successors_within(node, &mut self.edges, left)
    }

    /// The same, where the passing nodes have been left before.
    pub fn push_inside<G: Graph>(&mut self, graph: &mut G, node: Node, data: T) -> Result<(), G::Stop> {
        self.push(graph, node, data)?;
        self.retain(|edge| !graph.is_passing(edge.target));
        Ok(())
    }

    /// Makes it empty, keeping the memory for the next.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.edges.clear();
    }

    /// Puts a node on the path, without edges.
    pub fn open(&mut self, node: Node, data: T) {
        let start = self.edges.len();
        self.frames.push(Frame { node, start, next: start, data });
    }

    /// Makes the edges of another node those of the top, all of which have been followed; those to passing nodes are left as above.
    pub fn expand_within<G: Graph>(
        &mut self,
        graph: &mut G,
        node: Node,
        left: &mut Vec<Node>,
    ) -> Result<(), G::Stop> {
        graph.went(self.frames.len());
        if let Some(frame) = self.frames.last_mut() {
            self.edges.truncate(frame.start);
            frame.next = frame.start;
            graph.successors_within(node, &mut self.edges, left)?;
        }
        Ok(())
    }

    /// Keeps those edges of the top that are wanted, in their order. Precondition: none has been followed yet.
    pub fn retain(&mut self, mut wanted: impl FnMut(&Edge) -> bool) {
        let start = self.frames.last().map_or(0, |frame| frame.start);
        let mut kept = start;
        for index in start..self.edges.len() {
            if wanted(&self.edges[index]) {
                self.edges[kept] = self.edges[index];
                kept += 1;
            }
        }
        self.edges.truncate(kept);
    }

    /// The edges of the top, none of which has been followed yet.
    pub fn edges(&mut self) -> &mut [Edge] {
        let start = self.frames.last().map_or(0, |frame| frame.start);
        &mut self.edges[start..]
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub fn len(&self) -> usize {
        self.frames.len()
    }

    pub fn top(&self) -> Option<Node> {
        self.frames.last().map(|frame| frame.node)
    }

    pub fn data(&mut self) -> Option<&mut T> {
        self.frames.last_mut().map(|frame| &mut frame.data)
    }

    /// The next edge of the top; `None` when all have been followed.
    pub fn next_edge(&mut self) -> Option<Edge> {
        let frame = self.frames.last_mut()?;
        let edge = self.edges.get(frame.next).copied();
        frame.next += usize::from(edge.is_some());
        edge
    }

    pub fn pop(&mut self) -> Option<(Node, T)> {
        let frame = self.frames.pop()?;
        self.edges.truncate(frame.start);
        Some((frame.node, frame.data))
    }

    /// The nodes from the bottom up.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node> + '_ {
        self.frames.iter().map(|frame| frame.node)
    }

    /// The nodes with what is remembered of them.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (Node, T)> + '_ {
        self.frames.iter().map(|frame| (frame.node, frame.data))
    }

    /// Where on the path a node is.
    pub fn position(&self, node: Node) -> Option<usize> {
        self.frames.iter().rposition(|frame| frame.node == node)
    }
}
