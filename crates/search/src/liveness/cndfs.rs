//! `cndfs`: nested depth-first search by several threads (Evangelista, Laarman, Petrucci, van de
//! Pol 2012, "Improved multi-core nested depth-first search"). Each thread has its own stack and
//! order of successors; the colors blue (all successors are visited) and red (no accepting cycle
//! passes through the node) are shared. At the end of its second search a thread waits until the
//! accepting nodes that it visited are red, since another thread may be visiting them, and only
//! then colors its own nodes red.
//!
//! Blue nodes are ignored, even on the thread's own stack. In a weak graph the first search still
//! suffices. Let a cycle be accepting, and let *s* be the first of its nodes that became blue.
//! Before, the thread that colored *s* explored the edge to the next node of the cycle, which was
//! not blue and therefore on that thread's stack; and that edge has all marks, like every edge of
//! the component.

use crate::liveness::graph::{Graph, Node, SearchResult, SharedGraph};
use crate::liveness::lasso::from_initial;
use crate::liveness::nested::lasso_on_stack;
use crate::liveness::node_colors::NodeColors;
use crate::liveness::search_stack::SearchStack;
use crate::liveness::stress;
use crate::liveness::sweep;
use crate::liveness::team::{self, EdgeOrder, Team, WorkerEnding};

/// Shared: all successors are visited.
const BLUE: u8 = 1;
/// Shared: no accepting cycle passes through the node.
const RED: u8 = 2;
/// Per thread: on the stack of the first search.
const CYAN: u8 = 1;
/// Per thread: visited by the second search.
const PINK: u8 = 2;

pub fn search<G: SharedGraph>(graph: &mut G, threads: usize) -> SearchResult<G> {
    let found = team::search(graph, threads, |view, number, team| {
        let mut worker = CndfsWorker {
            team,
            own: NodeColors::default(),
            order: EdgeOrder::new(number),
            weak: view.is_weak(),
            all_marks: view.all_marks(),
        };
        // Reused, since many searches are short.
        let mut path = SearchStack::default();
        sweep::cooperate(view, team, |graph, root, exits| {
            worker.blue(graph, &mut path, root, exits)
        })
    })?;
    found.map(|lasso| from_initial(graph, lasso)).transpose()
}

struct CndfsWorker<'t> {
    team: &'t Team,
    own: NodeColors,
    order: EdgeOrder,
    weak: bool,
    all_marks: u64,
}

type CndfsStep<G> = Result<Option<WorkerEnding<<G as Graph>::Error>>, <G as Graph>::Error>;

impl CndfsWorker<'_> {
    /// The first search.
    fn blue<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        path: &mut SearchStack<()>,
        root: Node,
        exits: &mut Vec<Node>,
    ) -> CndfsStep<G> {
        if graph.has_color(root, BLUE) {
            return Ok(None);
        }
        path.clear();
        self.enter(graph, path, root, exits)?;
        while let Some(node) = path.top() {
            if let Some(edge) = path.next_edge() {
                if graph.has_color(edge.target, BLUE) {
                    continue;
                }
                if self.own.has(edge.target, CYAN) {
                    let closes = edge.marks == self.all_marks
                        || !self.weak && graph.is_accepting(edge.target);
                    if closes {
                        return Ok(Some(WorkerEnding::Found(lasso_on_stack(
                            path,
                            edge.target,
                            &[],
                        ))));
                    }
                } else {
                    self.enter(graph, path, edge.target, exits)?;
                    self.share(graph, root);
                }
                continue;
            }
            if self.team.is_over() {
                return Ok(Some(WorkerEnding::Over));
            }
            stress::point();
            graph.insert_color(node, BLUE);
            if !self.weak
                && graph.is_accepting(node)
                && let Some(ending) = self.red(graph, path, node)?
            {
                return Ok(Some(ending));
            }
            self.own.remove(node, CYAN);
            path.pop();
            self.share(graph, root);
        }
        Ok(None)
    }

    /// Lets an idle thread start from the root of this search; it takes a different order.
    fn share<G: SharedGraph>(&self, graph: &G, root: Node) {
        if self.team.is_hungry() && !graph.has_color(root, BLUE) {
            self.team.give([root].into_iter());
        }
    }

    /// Pushes a node onto the stack, without its edges to blue nodes.
    fn enter<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        path: &mut SearchStack<()>,
        node: Node,
        exits: &mut Vec<Node>,
    ) -> Result<(), G::Error> {
        self.own.insert(node, CYAN);
        path.push_component(graph, node, (), exits)?;
        path.retain(|edge| !graph.has_color(edge.target, BLUE));
        self.order.apply(path.edges());
        Ok(())
    }

    /// The second search, from an accepting node all of whose successors are visited.
    fn red<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        first: &SearchStack<()>,
        seed: Node,
    ) -> CndfsStep<G> {
        let mut path: SearchStack<()> = SearchStack::default();
        let mut pink = vec![seed];
        self.own.insert(seed, PINK);
        path.push_in_component(graph, seed, ())?;
        while !path.is_empty() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                if self.team.is_over() {
                    return Ok(Some(WorkerEnding::Over));
                }
                continue;
            };
            if self.own.has(edge.target, CYAN) {
                let return_path: Vec<Node> = path.nodes().skip(1).collect();
                return Ok(Some(WorkerEnding::Found(lasso_on_stack(
                    first,
                    edge.target,
                    &return_path,
                ))));
            }
            if !graph.has_color(edge.target, RED) && self.own.insert(edge.target, PINK) {
                pink.push(edge.target);
                path.push_in_component(graph, edge.target, ())?;
                self.order.apply(path.edges());
            }
        }
        for &node in pink.iter().filter(|node| **node != seed) {
            if !graph.is_accepting(node) {
                continue;
            }
            while !graph.has_color(node, RED) {
                if self.team.is_over() {
                    return Ok(Some(WorkerEnding::Over));
                }
                graph.wait()?;
            }
        }
        for node in pink {
            stress::point();
            graph.insert_color(node, RED);
            self.own.remove(node, PINK);
        }
        Ok(None)
    }
}
