//! The visit of all nodes outside the components that can contain an accepting cycle. The automaton
//! shows that no accepting cycle passes through a node whose automaton component is not accepting;
//! such nodes are *rejecting*. They are visited in any order, many at once and by any thread. The
//! search for cycles starts at every other node that is reached from them, and stays among nodes
//! that are not rejecting (Edelkamp, Leue, Lluch Lafuente 2004, "Directed explicit-state model
//! checking in the validation of communication protocols").

use crate::liveness::graph::{Edge, Graph, Node, SearchResult, SharedGraph};
use crate::liveness::lasso::from_initial;
use crate::liveness::node_colors::NodeColors;
use crate::liveness::team::{Team, WorkerEnding};
use crate::tuning::liveness::{EXPANSION_BLOCK, KEPT_REJECTING_NODES};

/// The color of a visited rejecting node.
pub(super) const VISITED: u8 = 1;

/// Nodes from which the visit continues.
#[derive(Debug, Default)]
struct SweepFrontier {
    /// Rejecting nodes, without duplicates.
    rejecting: Vec<Node>,
    /// Other nodes, some of which may be visited.
    roots: Vec<Node>,
    edges: Vec<Edge>,
}

impl SweepFrontier {
    /// Adds a node. For a rejecting node, `mark` marks it and returns whether it was new.
    #[inline]
    fn add<G: Graph>(&mut self, graph: &G, node: Node, mark: &mut impl FnMut(&G, Node) -> bool) {
        if !graph.is_rejecting(node) {
            self.roots.push(node);
        } else if mark(graph, node) {
            self.rejecting.push(node);
        }
    }

    /// Adds the successors of the newest rejecting nodes; `false` if there are none.
    fn expand<G: Graph>(
        &mut self,
        graph: &mut G,
        mark: &mut impl FnMut(&G, Node) -> bool,
    ) -> Result<bool, G::Error> {
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        let first = self.rejecting.len().saturating_sub(EXPANSION_BLOCK);
        graph.rejecting_successors(&self.rejecting[first..], &mut edges)?;
        let expanded = first < self.rejecting.len();
        self.rejecting.truncate(first);
        for edge in &edges {
            self.add(graph, edge.target, mark);
        }
        self.edges = edges;
        Ok(expanded)
    }
}

/// A visit by one thread, which can continue from further nodes.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    visited: NodeColors,
    frontier: SweepFrontier,
    exits: Vec<Node>,
}

impl Sweep {
    /// Visits all nodes that are reachable from these and not visited. `search` searches for a
    /// lasso from a node that is not rejecting, unless it is visited, and appends the rejecting
    /// nodes that it reaches to its last argument.
    pub fn continue_from<G: Graph>(
        &mut self,
        graph: &mut G,
        nodes: impl IntoIterator<Item = Node>,
        mut search: impl FnMut(&mut G, Node, &mut Vec<Node>) -> SearchResult<G>,
    ) -> SearchResult<G> {
        let Sweep { visited, frontier, exits } = self;
        let mut mark = |_: &G, node| visited.insert(node, VISITED);
        for node in nodes {
            frontier.add(graph, node, &mut mark);
        }
        loop {
            if let Some(root) = frontier.roots.pop() {
                if let Some(lasso) = search(graph, root, exits)? {
                    return Ok(Some(lasso));
                }
                exits.drain(..).for_each(|node| frontier.add(graph, node, &mut mark));
            } else if !frontier.expand(graph, &mut mark)? {
                return Ok(None);
            }
        }
    }
}

/// Visits all nodes with one thread; for `search` see [`Sweep::continue_from`].
pub(super) fn single_thread<G: Graph>(
    graph: &mut G,
    search: impl FnMut(&mut G, Node, &mut Vec<Node>) -> SearchResult<G>,
) -> SearchResult<G> {
    let initial = graph.initial()?;
    let found = Sweep::default().continue_from(graph, initial.into_iter().rev(), search)?;
    found.map(|lasso| from_initial(graph, lasso)).transpose()
}

/// The part of one thread in a parallel visit of all nodes, which ends when `search` returns an
/// ending.
pub(super) fn cooperate<G: SharedGraph, F>(
    graph: &mut G,
    team: &Team,
    mut search: impl FnMut(
        &mut G,
        Node,
        &mut Vec<Node>,
    ) -> Result<Option<WorkerEnding<G::Error, F>>, G::Error>,
) -> Result<WorkerEnding<G::Error, F>, G::Error> {
    let mut mark = |graph: &G, node| graph.insert_color(node, VISITED);
    let mut frontier = SweepFrontier::default();
    let mut exits = Vec::new();
    loop {
        if team.is_over() {
            return Ok(WorkerEnding::Over);
        }
        if let Some(root) = frontier.roots.pop() {
            if let Some(ending) = search(graph, root, &mut exits)? {
                return Ok(ending);
            }
            exits.drain(..).for_each(|node| frontier.add(graph, node, &mut mark));
            continue;
        }
        if team.is_hungry() && frontier.rejecting.len() > KEPT_REJECTING_NODES {
            let half = frontier.rejecting.len() / 2;
            team.give(frontier.rejecting.drain(..half));
        }
        if frontier.expand(graph, &mut mark)? {
            continue;
        }
        let Some(nodes) = team.wait(graph) else {
            return Ok(if team.is_over() { WorkerEnding::Over } else { WorkerEnding::Nothing });
        };
        for node in nodes {
            // Another thread has marked these nodes.
            frontier.add(graph, node, &mut |_, _| true);
        }
    }
}
