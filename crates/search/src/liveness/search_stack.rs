//! The stack of a depth-first search: nodes with their unexplored edges. All edges are in one list,
//! so that pushing and popping rarely allocate.

use crate::liveness::graph::{Edge, Graph, Node};

#[derive(Clone, Copy, Debug)]
struct SearchFrame<T> {
    node: Node,
    /// The positions of its first edge and of its next unexplored edge.
    start: usize,
    next: usize,
    data: T,
}

/// A path with data for each node on it.
#[derive(Debug)]
pub(super) struct SearchStack<T> {
    frames: Vec<SearchFrame<T>>,
    edges: Vec<Edge>,
}

impl<T> Default for SearchStack<T> {
    fn default() -> SearchStack<T> {
        SearchStack { frames: Vec::new(), edges: Vec::new() }
    }
}

impl<T: Copy> SearchStack<T> {
    pub fn push<G: Graph>(&mut self, graph: &mut G, node: Node, data: T) -> Result<(), G::Error> {
        self.open(node, data);
        graph.note_depth(self.frames.len());
        graph.successors(node, &mut self.edges)
    }

    /// Pushes a node without its edges to rejecting nodes; those targets are appended to `exits`.
    pub fn push_component<G: Graph>(
        &mut self,
        graph: &mut G,
        node: Node,
        data: T,
        exits: &mut Vec<Node>,
    ) -> Result<(), G::Error> {
        self.open(node, data);
        graph.note_depth(self.frames.len());
        graph.component_successors(node, &mut self.edges, exits)
    }

    /// Pushes a node without its edges to rejecting nodes, which are visited already.
    pub fn push_in_component<G: Graph>(
        &mut self,
        graph: &mut G,
        node: Node,
        data: T,
    ) -> Result<(), G::Error> {
        self.push(graph, node, data)?;
        self.retain(|edge| !graph.is_rejecting(edge.target));
        Ok(())
    }

    /// Empties the stack and keeps its memory.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.edges.clear();
    }

    /// Pushes a node without edges.
    pub fn open(&mut self, node: Node, data: T) {
        let start = self.edges.len();
        self.frames.push(SearchFrame { node, start, next: start, data });
    }

    /// Replaces the edges of the top, all of which are explored, by those of another node;
    /// rejecting targets are appended to `exits`.
    pub fn expand_component<G: Graph>(
        &mut self,
        graph: &mut G,
        node: Node,
        exits: &mut Vec<Node>,
    ) -> Result<(), G::Error> {
        graph.note_depth(self.frames.len());
        if let Some(frame) = self.frames.last_mut() {
            self.edges.truncate(frame.start);
            frame.next = frame.start;
            graph.component_successors(node, &mut self.edges, exits)?;
        }
        Ok(())
    }

    /// Keeps the edges of the top that are `wanted`, in their order. Precondition: none is
    /// explored.
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

    /// The edges of the top. Precondition: none is explored.
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

    /// The next edge of the top; `None` if all are explored.
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

    /// The nodes with their data, from the bottom up.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (Node, T)> + '_ {
        self.frames.iter().map(|frame| (frame.node, frame.data))
    }

    /// The position of a node on the path.
    pub fn position(&self, node: Node) -> Option<usize> {
        self.frames.iter().rposition(|frame| frame.node == node)
    }
}
