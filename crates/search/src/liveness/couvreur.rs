//! `couvreur`: strong components on the fly, with generalized acceptance as it is (Couvreur 1999, "On-the-fly verification of linear temporal
//! logic"). Components on the search path are kept with the marks of their edges; an edge that closes a cycle joins
//! components, and a component that has all marks is an accepting cycle, long before it is complete.
//!
//! Several threads search each for itself, in its own order, and tell each other only of components that are complete, which nobody need visit again
//! (Renault, Duret-Lutz, Kordon, Poitrenaud 2016, "Variations on parallel explicit emptiness checks for generalized Büchi automata"). A thread may
//! still be in a component that another one completes: then it sees parts of it, whose cycles are cycles of that component, which has not all marks. So
//! nobody looks at a node that is complete, even if it is on the own path.

use super::graph::{Found, Graph, Node, SharedGraph};
use super::lasso::{from_start, through_component};
use super::numbers::{Numbers, OUTSIDE, UNMET};
use super::path::Path;
use super::stress;
use super::sweep;
use super::team::{self, Ending, Order, Team};

/// The color of a node, not a passing one, whose component is complete.
const COMPLETE: u8 = 1;

/// A component on the search path.
#[derive(Clone, Copy, Debug)]
struct Root {
    /// The number of the node it was entered by.
    number: u32,
    /// The marks of its edges.
    marks: u64,
    /// The marks of the edge that leads to it.
    entry: u64,
}

pub(super) struct Search<C> {
    /// By node, its place in the order of visits.
    numbers: Numbers,
    roots: Vec<Root>,
    /// Nodes of components not yet complete.
    live: Vec<Node>,
    path: Path<()>,
    visited: u32,
    company: C,
}

/// Who else searches.
pub(super) trait Company<G> {
    /// Has somebody told that the node's component is complete?
    fn is_complete(&self, graph: &G, node: Node) -> bool;

    /// Tells others so.
    fn complete(&self, graph: &G, node: Node);

    /// Puts the edges of the path's top into an order of its own.
    fn arrange(&mut self, path: &mut Path<()>);

    /// Has another thread come to an end? Otherwise, lets one that has no work begin where this search began: it takes another way.
    fn is_enough(&self, graph: &G, root: Node) -> bool;
}

/// Nobody.
pub(super) struct Alone;

impl<G> Company<G> for Alone {
    fn is_complete(&self, _: &G, _: Node) -> bool {
        false
    }

    fn complete(&self, _: &G, _: Node) {}

    fn arrange(&mut self, _: &mut Path<()>) {}

    fn is_enough(&self, _: &G, _: Node) -> bool {
        false
    }
}

/// Other threads.
struct Among<'t> {
    team: &'t Team,
    order: Order,
}

impl<G: SharedGraph> Company<G> for Among<'_> {
    #[inline]
    fn is_complete(&self, graph: &G, node: Node) -> bool {
        graph.has(node, COMPLETE)
    }

    fn complete(&self, graph: &G, node: Node) {
        stress::point();
        graph.mark(node, COMPLETE);
    }

    fn arrange(&mut self, path: &mut Path<()>) {
        self.order.apply(path.edges());
    }

    fn is_enough(&self, graph: &G, root: Node) -> bool {
        if self.team.is_hungry() && !graph.has(root, COMPLETE) {
            self.team.give([root].into_iter());
        }
        self.team.is_over()
    }
}

pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let mut search = Search::new(Alone);
    sweep::alone(graph, |graph, root, left| search.run(graph, root, left))
}

/// With several threads.
pub fn search_with<G: SharedGraph>(graph: &mut G, threads: usize) -> Found<G> {
    let found = team::search(graph, threads, |view, number, team| {
        let mut search = Search::new(Among { team, order: Order::new(number) });
        sweep::together(view, team, |graph, root, left| Ok(search.run(graph, root, left)?.map(Ending::Found)))
    })?;
    found.map(|lasso| from_start(graph, lasso)).transpose()
}

impl<C> Search<C> {
    pub fn new(company: C) -> Search<C> {
        Search {
            numbers: Numbers::whole(),
            roots: Vec::new(),
            live: Vec::new(),
            path: Path::default(),
            visited: 0,
            company,
        }
    }

    /// Looks for a lasso from a node, unless that was visited; nothing if another thread has come to an end.
    pub fn run<G: Graph>(&mut self, graph: &mut G, root: Node, left: &mut Vec<Node>) -> Found<G>
    where
        C: Company<G>,
    {
        if self.company.is_complete(graph, root) || self.numbers.get(root) != UNMET {
            return Ok(None);
        }
        // Many searches are short: the memory for their paths is kept.
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let found = self.descend(graph, &mut path, root, left);
        self.path = path;
        found
    }

    fn descend<G: Graph>(
        &mut self,
        graph: &mut G,
        path: &mut Path<()>,
        root: Node,
        left: &mut Vec<Node>,
    ) -> Found<G>
    where
        C: Company<G>,
    {
        self.push(graph, path, root, 0, left)?;
        while let Some(node) = path.top() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                self.leave(graph, node);
                if self.company.is_enough(graph, root) {
                    return Ok(None);
                }
                continue;
            };
            match self.numbers.get(edge.target) {
                // Asked last: what others write to all the time is slow to read.
                UNMET if self.company.is_complete(graph, edge.target) => {}
                UNMET => {
                    self.push(graph, path, edge.target, edge.marks, left)?;
                    if self.company.is_enough(graph, root) {
                        return Ok(None);
                    }
                }
                OUTSIDE => {}
                number => {
                    self.join(number, edge.marks);
                    let root = self.roots[self.roots.len() - 1];
                    if root.marks == graph.all_marks() {
                        let length =
                            path.nodes().take_while(|&node| self.numbers.get(node) < root.number).count();
                        let prefix = path.nodes().take(length + 1).collect();
                        let inside = |node| (root.number..OUTSIDE).contains(&self.numbers.get(node));
                        return through_component(graph, prefix, inside).map(Some);
                    }
                }
            }
        }
        Ok(None)
    }

    fn push<G: Graph>(
        &mut self,
        graph: &mut G,
        path: &mut Path<()>,
        node: Node,
        entry: u64,
        left: &mut Vec<Node>,
    ) -> Result<(), G::Stop>
    where
        C: Company<G>,
    {
        self.enter(node, entry);
        path.push_within(graph, node, (), left)?;
        self.company.arrange(path);
        Ok(())
    }

    fn enter(&mut self, node: Node, entry: u64) {
        self.visited += 1;
        self.numbers.set(node, self.visited);
        self.roots.push(Root { number: self.visited, marks: 0, entry });
        self.live.push(node);
    }

    /// An edge with these marks leads back to a node with this number: all components since then are one.
    fn join(&mut self, number: u32, marks: u64) {
        let mut joined = marks;
        while let Some(root) = self.roots.last_mut() {
            if root.number <= number {
                root.marks |= joined;
                return;
            }
            joined |= root.marks | root.entry;
            self.roots.pop();
        }
    }

    /// If the node was the entry of a component, that is complete now.
    fn leave<G>(&mut self, graph: &G, node: Node)
    where
        C: Company<G>,
    {
        let number = self.numbers.get(node);
        if self.roots.last().is_none_or(|root| root.number != number) {
            return;
        }
        self.roots.pop();
        while let Some(member) = self.live.pop() {
            self.numbers.set(member, OUTSIDE);
            self.company.complete(graph, member);
            if member == node {
                break;
            }
        }
    }
}
