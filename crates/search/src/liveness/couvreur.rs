//! `couvreur`: strong components on the fly, with generalized acceptance as it is (Couvreur 1999, "On-the-fly verification of linear temporal
//! logic"). Components on the search path are kept with the marks of their edges; an edge that closes a cycle joins
//! components, and a component that has all marks is an accepting cycle, long before it is complete.
//!
//! Several threads search each for itself, in its own order, and tell each other only of components that are complete, which nobody need visit again
//! (Renault, Duret-Lutz, Kordon, Poitrenaud 2016, "Variations on parallel explicit emptiness checks for generalized Büchi automata"). A thread may
//! still be in a component that another one completes: then it sees parts of it, whose cycles are cycles of that component, which has not all marks.

use super::colors::SharedColors;
use super::graph::{Found, Graph, Node, SharedGraph};
use super::lasso::{from_start, through_component};
use super::numbers::{Numbers, OUTSIDE, UNMET};
use super::path::Path;
use super::stress;
use super::sweep::{self, MET};
use super::team::{self, Ending, Shuffle, Team};

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

pub(super) struct Search<'t> {
    /// By node, its place in the order of visits.
    numbers: Numbers,
    roots: Vec<Root>,
    /// Nodes of components not yet complete.
    live: Vec<Node>,
    visited: u32,
    /// If there are others.
    among: Option<Among<'t>>,
}

/// What a thread has beside its search when it is not alone.
pub(super) struct Among<'t> {
    team: &'t Team,
    complete: &'t SharedColors,
    shuffle: Shuffle,
}

pub fn search<G: Graph>(graph: &mut G) -> Found<G> {
    let mut search = Search::new(None);
    sweep::alone(graph, |graph, root, left| search.run(graph, root, left))
}

/// With several threads.
pub fn search_with<G: SharedGraph>(graph: &mut G, threads: usize) -> Found<G> {
    let colors = SharedColors::default();
    let mark = |node| colors.mark(node, MET);
    let found = team::search(graph, threads, mark, |view, number, team| {
        let among = Among { team, complete: &colors, shuffle: Shuffle::new(number) };
        let mut search = Search::new(Some(among));
        sweep::together(view, team, &colors, |graph, root, left| {
            Ok(search.run(graph, root, left)?.map(Ending::Found))
        })
    })?;
    found.map(|lasso| from_start(graph, lasso)).transpose()
}

impl Search<'_> {
    pub fn new(among: Option<Among<'_>>) -> Search<'_> {
        Search { numbers: Numbers::whole(), roots: Vec::new(), live: Vec::new(), visited: 0, among }
    }

    /// Looks for a lasso from a node, unless that was visited; nothing if another thread has come to an end.
    pub fn run<G: Graph>(&mut self, graph: &mut G, root: Node, left: &mut Vec<Node>) -> Found<G> {
        if self.numbers.get(root) != UNMET || self.is_complete(root) {
            return Ok(None);
        }
        let mut path: Path<()> = Path::default();
        self.push(graph, &mut path, root, 0, left)?;
        while let Some(node) = path.top() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                self.leave(node);
                if self.is_enough(root) {
                    return Ok(None);
                }
                continue;
            };
            match self.numbers.get(edge.target) {
                UNMET if self.is_complete(edge.target) => {}
                UNMET => self.push(graph, &mut path, edge.target, edge.marks, left)?,
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
    ) -> Result<(), G::Stop> {
        self.enter(node, entry);
        path.push_within(graph, node, (), left)?;
        if let Some(among) = &mut self.among {
            among.shuffle.apply(path.edges());
        }
        Ok(())
    }

    /// Has another thread completed the node's component?
    #[inline]
    fn is_complete(&self, node: Node) -> bool {
        self.among.as_ref().is_some_and(|among| among.complete.has(node, COMPLETE))
    }

    /// Has another thread come to an end? Otherwise, lets one that has no work begin where this search began: it takes another way.
    fn is_enough(&self, root: Node) -> bool {
        let Some(Among { team, .. }) = &self.among else { return false };
        if team.is_hungry() && !self.is_complete(root) {
            team.give([root].into_iter());
        }
        team.is_over()
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
    fn leave(&mut self, node: Node) {
        let number = self.numbers.get(node);
        if self.roots.last().is_none_or(|root| root.number != number) {
            return;
        }
        self.roots.pop();
        while let Some(member) = self.live.pop() {
            self.numbers.set(member, OUTSIDE);
            if let Some(among) = &self.among {
                stress::point();
                among.complete.mark(member, COMPLETE);
            }
            if member == node {
                break;
            }
        }
    }
}
