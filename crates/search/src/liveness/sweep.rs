//! What lies around the components that an accepting cycle can be in. The automaton tells that no accepting cycle leads through a node whose
//! component there is not accepting; such nodes are *passing*. They need only be visited, in any order, many at once and by any thread; the
//! search for cycles begins at each other node that is reached from them, and stays among nodes that are not passing (Edelkamp,
//! Leue, Lluch Lafuente 2004, "Directed explicit-state model checking in the validation of communication protocols").

use super::colors::Colors;
use super::graph::{Edge, Found, Graph, Node, SharedGraph};
use super::lasso::from_start;
use super::team::{Ending, Team};

/// So many passing nodes are expanded at once: enough to hide the latency of memory.
const BLOCK: usize = 24;
/// Whoever has no more passing nodes than this keeps them.
const OWN: usize = 2 * BLOCK;
/// The color of a passing node that was met.
pub(super) const MET: u8 = 1;

/// Nodes to go on from.
#[derive(Debug, Default)]
struct Frontier {
    /// Passing nodes, each of them once.
    passing: Vec<Node>,
    /// Others, not all of them new.
    roots: Vec<Node>,
    edges: Vec<Edge>,
}

impl Frontier {
    /// Adds a node; `mark` says whether it was new, if it is passing.
    #[inline]
    fn add<G: Graph>(&mut self, graph: &G, node: Node, mark: &mut impl FnMut(&G, Node) -> bool) {
        if !graph.is_passing(node) {
            self.roots.push(node);
        } else if mark(graph, node) {
            self.passing.push(node);
        }
    }

    /// Adds what the newest passing nodes lead to; `false` if there are none.
    fn expand<G: Graph>(
        &mut self,
        graph: &mut G,
        mark: &mut impl FnMut(&G, Node) -> bool,
    ) -> Result<bool, G::Stop> {
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        let first = self.passing.len().saturating_sub(BLOCK);
        graph.sweep(&self.passing[first..], &mut edges)?;
        let expanded = first < self.passing.len();
        self.passing.truncate(first);
        for edge in &edges {
            self.add(graph, edge.target, mark);
        }
        self.edges = edges;
        Ok(expanded)
    }
}

/// A visit by one thread, which can be gone on with from other nodes.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    met: Colors,
    frontier: Frontier,
    left: Vec<Node>,
}

impl Sweep {
    /// Visits all nodes that are reached from these and were not visited before. `search` looks for a lasso from a node that is not passing, unless it was visited
    /// before, and appends the passing nodes that it meets to its last argument.
    pub fn go_on<G: Graph>(
        &mut self,
        graph: &mut G,
        nodes: impl IntoIterator<Item = Node>,
        mut search: impl FnMut(&mut G, Node, &mut Vec<Node>) -> Found<G>,
    ) -> Found<G> {
        let Sweep { met, frontier, left } = self;
        let mut mark = |_: &G, node| met.mark(node, MET);
        for node in nodes {
            frontier.add(graph, node, &mut mark);
        }
        loop {
            if let Some(root) = frontier.roots.pop() {
                if let Some(lasso) = search(graph, root, left)? {
                    return Ok(Some(lasso));
                }
                left.drain(..).for_each(|node| frontier.add(graph, node, &mut mark));
            } else if !frontier.expand(graph, &mut mark)? {
                return Ok(None);
            }
        }
    }
}

/// Visits all nodes with one thread; `search` is as for [`Sweep::go_on`].
pub(super) fn alone<G: Graph>(
    graph: &mut G,
    search: impl FnMut(&mut G, Node, &mut Vec<Node>) -> Found<G>,
) -> Found<G> {
    let initial = graph.initial()?;
    let found = Sweep::default().go_on(graph, initial.into_iter().rev(), search)?;
    found.map(|lasso| from_start(graph, lasso)).transpose()
}

/// The part of one thread of a team in visiting all nodes. What `search` finds ends it.
pub(super) fn together<G: SharedGraph, F>(
    graph: &mut G,
    team: &Team,
    mut search: impl FnMut(&mut G, Node, &mut Vec<Node>) -> Result<Option<Ending<G::Stop, F>>, G::Stop>,
) -> Result<Ending<G::Stop, F>, G::Stop> {
    let mut mark = |graph: &G, node| graph.mark(node, MET);
    let mut frontier = Frontier::default();
    let mut left = Vec::new();
    loop {
        if team.is_over() {
            return Ok(Ending::Over);
        }
        if let Some(root) = frontier.roots.pop() {
            if let Some(ending) = search(graph, root, &mut left)? {
                return Ok(ending);
            }
            left.drain(..).for_each(|node| frontier.add(graph, node, &mut mark));
            continue;
        }
        if team.is_hungry() && frontier.passing.len() > OWN {
            let half = frontier.passing.len() / 2;
            team.give(frontier.passing.drain(..half));
        }
        if frontier.expand(graph, &mut mark)? {
            continue;
        }
        let Some(nodes) = team.wait(graph) else {
            return Ok(if team.is_over() { Ending::Over } else { Ending::Nothing });
        };
        for node in nodes {
            // Passing nodes were marked by whoever gave them.
            frontier.add(graph, node, &mut |_, _| true);
        }
    }
}
