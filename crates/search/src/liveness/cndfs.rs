//! `cndfs`: nested depth-first search by several threads (Evangelista, Laarman, Petrucci, van de Pol 2012, "Improved multi-core nested
//! depth-first search"). Each thread has its own stack and takes successors in its own order; blue (all that follows was visited) and red (no
//! accepting cycle leads through here) are shared. A thread that ends its second search waits until accepting nodes it met are
//! red, for another thread may just be visiting them, and only then makes red what it met.
//!
//! What is blue is not looked at any more, even if it is on the thread's own stack. In a weak graph the first search is enough nevertheless. Let a cycle be
//! accepting, and let the first of its nodes that became blue be *s*. The thread that made it blue had looked at the next node of the cycle before, which
//! was not blue, so on that thread's stack; and the edge to it has all marks, as every edge in that component.

use super::colors::Colors;
use super::graph::{Found, Graph, Node, SharedGraph};
use super::lasso::from_start;
use super::nested::closed;
use super::path::Path;
use super::stress;
use super::sweep;
use super::team::{self, Ending, Order, Team};

/// Shared: all that follows has been visited.
const BLUE: u8 = 1;
/// Shared: no accepting cycle leads through here.
const RED: u8 = 2;
/// A thread's own: on the stack of its first search.
const CYAN: u8 = 1;
/// A thread's own: met by its second search.
const PINK: u8 = 2;

pub fn search<G: SharedGraph>(graph: &mut G, threads: usize) -> Found<G> {
    let found = team::search(graph, threads, |view, number, team| {
        let mut worker = Worker {
            team,
            own: Colors::default(),
            order: Order::new(number),
            weak: view.is_weak(),
            all_marks: view.all_marks(),
        };
        // Many searches are short: the memory for their paths is kept.
        let mut path = Path::default();
        sweep::together(view, team, |graph, root, left| worker.blue(graph, &mut path, root, left))
    })?;
    found.map(|lasso| from_start(graph, lasso)).transpose()
}

struct Worker<'t> {
    team: &'t Team,
    own: Colors,
    order: Order,
    weak: bool,
    all_marks: u64,
}

type Step<G> = Result<Option<Ending<<G as Graph>::Stop>>, <G as Graph>::Stop>;

impl Worker<'_> {
    /// The first search.
    fn blue<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        path: &mut Path<()>,
        root: Node,
        left: &mut Vec<Node>,
    ) -> Step<G> {
        if graph.has(root, BLUE) {
            return Ok(None);
        }
        path.clear();
        self.enter(graph, path, root, left)?;
        while let Some(node) = path.top() {
            if let Some(edge) = path.next_edge() {
                if graph.has(edge.target, BLUE) {
                    continue;
                }
                if self.own.has(edge.target, CYAN) {
                    let closes =
                        edge.marks == self.all_marks || !self.weak && graph.is_accepting(edge.target);
                    if closes {
                        return Ok(Some(Ending::Found(closed(path, edge.target, &[]))));
                    }
                } else {
                    self.enter(graph, path, edge.target, left)?;
                    self.share(graph, root);
                }
                continue;
            }
            if self.team.is_over() {
                return Ok(Some(Ending::Over));
            }
            stress::point();
            graph.mark(node, BLUE);
            if !self.weak
                && graph.is_accepting(node)
                && let Some(ending) = self.red(graph, path, node)?
            {
                return Ok(Some(ending));
            }
            self.own.clear(node, CYAN);
            path.pop();
            self.share(graph, root);
        }
        Ok(None)
    }

    /// Lets somebody who has no work begin where this search began: it takes another way.
    fn share<G: SharedGraph>(&self, graph: &G, root: Node) {
        if self.team.is_hungry() && !graph.has(root, BLUE) {
            self.team.give([root].into_iter());
        }
    }

    /// Puts a node on the stack. Edges to what is blue already need not be followed.
    fn enter<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        path: &mut Path<()>,
        node: Node,
        left: &mut Vec<Node>,
    ) -> Result<(), G::Stop> {
        self.own.mark(node, CYAN);
        path.push_within(graph, node, (), left)?;
        path.retain(|edge| !graph.has(edge.target, BLUE));
        self.order.apply(path.edges());
        Ok(())
    }

    /// The second search, from an accepting node all of whose successors have been visited.
    fn red<G: SharedGraph>(&mut self, graph: &mut G, first: &Path<()>, seed: Node) -> Step<G> {
        let mut path: Path<()> = Path::default();
        let mut met = vec![seed];
        self.own.mark(seed, PINK);
        path.push_inside(graph, seed, ())?;
        while !path.is_empty() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                if self.team.is_over() {
                    return Ok(Some(Ending::Over));
                }
                continue;
            };
            if self.own.has(edge.target, CYAN) {
                let way: Vec<Node> = path.nodes().skip(1).collect();
                return Ok(Some(Ending::Found(closed(first, edge.target, &way))));
            }
            if !graph.has(edge.target, RED) && self.own.mark(edge.target, PINK) {
                met.push(edge.target);
                path.push_inside(graph, edge.target, ())?;
                self.order.apply(path.edges());
            }
        }
        for &node in met.iter().filter(|node| **node != seed) {
            if !graph.is_accepting(node) {
                continue;
            }
            while !graph.has(node, RED) {
                if self.team.is_over() {
                    return Ok(Some(Ending::Over));
                }
                graph.wait()?;
            }
        }
        for node in met {
            stress::point();
            graph.mark(node, RED);
            self.own.clear(node, PINK);
        }
        Ok(None)
    }
}
