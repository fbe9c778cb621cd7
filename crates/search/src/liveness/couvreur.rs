//! `couvreur`: strong components on the fly with generalized acceptance (Couvreur 1999, "On-the-fly
//! verification of linear temporal logic"). Each component on the search path has the marks of its
//! edges; an edge that closes a cycle merges components, and a component with all marks contains an
//! accepting cycle, long before it is complete.
//!
//! Several threads search independently, each in its own order, and share only which components are
//! complete, so that no thread visits those again (Renault, Duret-Lutz, Kordon, Poitrenaud 2016,
//! "Variations on parallel explicit emptiness checks for generalized Büchi automata"). A thread may
//! still be inside a component that another thread completes. It then sees a part of the component,
//! whose cycles are cycles of the component, which lacks a mark. Threads therefore ignore nodes of
//! complete components, even on their own path.

use crate::liveness::graph::{Graph, Node, SearchResult, SharedGraph};
use crate::liveness::lasso::{from_initial, through_component};
use crate::liveness::search_stack::SearchStack;
use crate::liveness::stress;
use crate::liveness::sweep;
use crate::liveness::team::{self, EdgeOrder, Team, WorkerEnding};
use crate::liveness::visit_numbers::{OUTSIDE, UNVISITED, VisitNumbers};

/// The color of a node that is not rejecting and whose component is complete.
const COMPLETE: u8 = 1;

/// A component on the search path.
#[derive(Clone, Copy, Debug)]
struct ComponentRoot {
    /// The visit number of its first node.
    number: u32,
    /// The marks of its edges.
    marks: u64,
    /// The marks of the edge that leads to it.
    entry: u64,
}

pub(super) struct CouvreurSearch<C> {
    numbers: VisitNumbers,
    roots: Vec<ComponentRoot>,
    /// Nodes of components that are not complete.
    live: Vec<Node>,
    path: SearchStack<()>,
    visited: u32,
    cooperation: C,
}

/// The cooperation with other threads.
pub(super) trait Cooperation<G> {
    /// Is the node's component known to be complete?
    fn is_complete(&self, graph: &G, node: Node) -> bool;

    /// Tells the other threads that the node's component is complete.
    fn mark_complete(&self, graph: &G, node: Node);

    /// Puts the edges of the path's top into this thread's order.
    fn order_edges(&mut self, path: &mut SearchStack<()>);

    /// Has another thread ended the search? Otherwise lets an idle thread start from the root of
    /// this search; it takes a different order.
    fn should_stop(&self, graph: &G, root: Node) -> bool;
}

/// No other threads.
pub(super) struct SingleThread;

impl<G> Cooperation<G> for SingleThread {
    fn is_complete(&self, _: &G, _: Node) -> bool {
        false
    }

    fn mark_complete(&self, _: &G, _: Node) {}

    fn order_edges(&mut self, _: &mut SearchStack<()>) {}

    fn should_stop(&self, _: &G, _: Node) -> bool {
        false
    }
}

/// Threads that share which components are complete.
struct SharedComponents<'t> {
    team: &'t Team,
    order: EdgeOrder,
}

impl<G: SharedGraph> Cooperation<G> for SharedComponents<'_> {
    #[inline]
    fn is_complete(&self, graph: &G, node: Node) -> bool {
        graph.has_color(node, COMPLETE)
    }

    fn mark_complete(&self, graph: &G, node: Node) {
        stress::point();
        graph.insert_color(node, COMPLETE);
    }

    fn order_edges(&mut self, path: &mut SearchStack<()>) {
        self.order.apply(path.edges());
    }

    fn should_stop(&self, graph: &G, root: Node) -> bool {
        if self.team.is_hungry() && !graph.has_color(root, COMPLETE) {
            self.team.give([root].into_iter());
        }
        self.team.is_over()
    }
}

pub fn search<G: Graph>(graph: &mut G) -> SearchResult<G> {
    let mut search = CouvreurSearch::new(SingleThread);
    sweep::single_thread(graph, |graph, root, exits| search.run(graph, root, exits))
}

/// The search with several threads.
pub fn search_with<G: SharedGraph>(graph: &mut G, threads: usize) -> SearchResult<G> {
    let found = team::search(graph, threads, |view, number, team| {
        let mut search =
            CouvreurSearch::new(SharedComponents { team, order: EdgeOrder::new(number) });
        sweep::cooperate(view, team, |graph, root, exits| {
            Ok(search.run(graph, root, exits)?.map(WorkerEnding::Found))
        })
    })?;
    found.map(|lasso| from_initial(graph, lasso)).transpose()
}

impl<C> CouvreurSearch<C> {
    pub fn new(cooperation: C) -> CouvreurSearch<C> {
        CouvreurSearch {
            numbers: VisitNumbers::all_unvisited(),
            roots: Vec::new(),
            live: Vec::new(),
            path: SearchStack::default(),
            visited: 0,
            cooperation,
        }
    }

    /// Searches for a lasso from a node that is not visited; `None` also if another thread has
    /// ended the search.
    pub fn run<G: Graph>(
        &mut self,
        graph: &mut G,
        root: Node,
        exits: &mut Vec<Node>,
    ) -> SearchResult<G>
    where
        C: Cooperation<G>,
    {
        if self.cooperation.is_complete(graph, root) || self.numbers.get(root) != UNVISITED {
            return Ok(None);
        }
        // Reused, since many searches are short.
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let found = self.descend(graph, &mut path, root, exits);
        self.path = path;
        found
    }

    fn descend<G: Graph>(
        &mut self,
        graph: &mut G,
        path: &mut SearchStack<()>,
        root: Node,
        exits: &mut Vec<Node>,
    ) -> SearchResult<G>
    where
        C: Cooperation<G>,
    {
        self.push(graph, path, root, 0, exits)?;
        while let Some(node) = path.top() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                self.leave(graph, node);
                if self.cooperation.should_stop(graph, root) {
                    return Ok(None);
                }
                continue;
            };
            match self.numbers.get(edge.target) {
                // Checked last: reading memory that other threads write is slow.
                UNVISITED if self.cooperation.is_complete(graph, edge.target) => {}
                UNVISITED => {
                    self.push(graph, path, edge.target, edge.marks, exits)?;
                    if self.cooperation.should_stop(graph, root) {
                        return Ok(None);
                    }
                }
                OUTSIDE => {}
                number => {
                    self.join(number, edge.marks);
                    let root = self.roots[self.roots.len() - 1];
                    if root.marks == graph.all_marks() {
                        let length = path
                            .nodes()
                            .take_while(|&node| self.numbers.get(node) < root.number)
                            .count();
                        let prefix = path.nodes().take(length + 1).collect();
                        let inside =
                            |node| (root.number..OUTSIDE).contains(&self.numbers.get(node));
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
        path: &mut SearchStack<()>,
        node: Node,
        entry: u64,
        exits: &mut Vec<Node>,
    ) -> Result<(), G::Error>
    where
        C: Cooperation<G>,
    {
        self.enter(node, entry);
        path.push_component(graph, node, (), exits)?;
        self.cooperation.order_edges(path);
        Ok(())
    }

    fn enter(&mut self, node: Node, entry: u64) {
        self.visited += 1;
        self.numbers.set(node, self.visited);
        self.roots.push(ComponentRoot { number: self.visited, marks: 0, entry });
        self.live.push(node);
    }

    /// An edge with these marks leads back to the node with this number: merges all components
    /// since then.
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

    /// If the node was the first of its component, the component is complete now.
    fn leave<G>(&mut self, graph: &G, node: Node)
    where
        C: Cooperation<G>,
    {
        let number = self.numbers.get(node);
        if self.roots.last().is_none_or(|root| root.number != number) {
            return;
        }
        self.roots.pop();
        while let Some(member) = self.live.pop() {
            self.numbers.set(member, OUTSIDE);
            self.cooperation.mark_complete(graph, member);
            if member == node {
                break;
            }
        }
    }
}
