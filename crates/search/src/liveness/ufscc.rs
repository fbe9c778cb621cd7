//! `ufscc`: strong components by several threads (Bloemen, Laarman, van de Pol 2016, "Multi-core
//! on-the-fly SCC decomposition"), with generalized acceptance (Bloemen, Duret-Lutz, van de Pol
//! 2017, "Explicit state model checking with generalized Büchi and Rabin automata").
//!
//! All threads start from the initial nodes, each with its own stack and order. Nodes that a thread
//! knows to be strongly connected form one set for all threads (`union_find`), and a thread in a
//! set expands any node of the set that is not expanded yet, so the threads share the work on a
//! component. The marks of its edges belong to the set; a set with all marks contains an accepting
//! cycle.

use crate::liveness::graph::{Graph, Lasso, Node, SearchResult, SharedGraph};
use crate::liveness::lasso::{from_initial, path_inside, through_component};
use crate::liveness::search_stack::SearchStack;
use crate::liveness::sweep;
use crate::liveness::team::{self, EdgeOrder, Team, WorkerEnding};
use crate::liveness::union_find::{BITS, Claim, UnionFind};

/// The number of threads that fit next to the marks.
fn max_threads(all_marks: u64) -> usize {
    BITS.saturating_sub(u64::BITS - all_marks.leading_zeros()) as usize
}

/// Do the marks and at least one thread fit?
pub fn has_room(all_marks: u64) -> bool {
    max_threads(all_marks) > 0
}

/// Precondition: [`has_room`] for the marks.
pub fn search<G: SharedGraph>(graph: &mut G, threads: usize) -> SearchResult<G> {
    let threads = threads.clamp(1, max_threads(graph.all_marks()));
    let components = UnionFind::new(threads as u32);
    let found = team::search(graph, threads, |view, number, team| {
        let mut worker = UfsccWorker {
            components: &components,
            team,
            number,
            all_marks: view.all_marks(),
            order: EdgeOrder::new(number),
            path: SearchStack::default(),
            roots: Vec::new(),
        };
        sweep::cooperate(view, team, |graph, root, exits| worker.run(graph, root, exits))
    })?;
    let lasso = found.map(|stack| lasso(graph, &components, &stack)).transpose()?;
    lasso.map(|lasso| from_initial(graph, lasso)).transpose()
}

/// Data of a node on the stack.
#[derive(Clone, Copy, Debug)]
struct UfsccFrame {
    /// The node of its set whose edges are being explored.
    expanded: Node,
    /// The marks of the edge by which it was entered.
    entry: u64,
}

/// The nodes on a thread's stack, each with the node of its set from which the stack continues. The
/// last node is in an accepting component.
type UfsccStack = Vec<(Node, Node)>;

struct UfsccWorker<'t> {
    components: &'t UnionFind,
    team: &'t Team,
    number: usize,
    all_marks: u64,
    order: EdgeOrder,
    path: SearchStack<UfsccFrame>,
    /// One node of each set on the stack, and the marks of the edge by which it was entered.
    roots: Vec<(Node, u64)>,
}

type UfsccStep<G> =
    Result<Option<WorkerEnding<<G as Graph>::Error, UfsccStack>>, <G as Graph>::Error>;

impl UfsccWorker<'_> {
    fn run<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        start: Node,
        exits: &mut Vec<Node>,
    ) -> UfsccStep<G> {
        if self.components.claim(start, self.number) != Claim::New {
            return Ok(None);
        }
        self.enter(graph, start, 0, exits)?;
        while let Some(&mut UfsccFrame { expanded, entry }) = self.path.data() {
            let accepting = match self.path.next_edge() {
                Some(edge) => match self.components.claim(edge.target, self.number) {
                    Claim::New => {
                        self.enter(graph, edge.target, edge.marks, exits)?;
                        self.share(start);
                        false
                    }
                    Claim::Visiting => self.close(expanded, edge.target, edge.marks),
                    Claim::Dead => false,
                },
                None if self.team.is_over() => return Ok(Some(WorkerEnding::Over)),
                None => {
                    self.share(start);
                    self.after_expansion(graph, expanded, entry, exits)?
                }
            };
            if accepting {
                let stack =
                    self.path.entries().map(|(node, frame)| (node, frame.expanded)).collect();
                return Ok(Some(WorkerEnding::Found(stack)));
            }
        }
        Ok(None)
    }

    /// Lets an idle thread start from the root of this search; it takes a different order.
    fn share(&self, start: Node) {
        if self.team.is_hungry() && !self.components.is_dead(start) {
            self.team.give([start].into_iter());
        }
    }

    fn enter<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        node: Node,
        entry: u64,
        exits: &mut Vec<Node>,
    ) -> Result<(), G::Error> {
        // The node itself, unless another thread has expanded it.
        let Some(expanded) = self.components.pick(node) else { return Ok(()) };
        self.path.open(node, UfsccFrame { expanded, entry });
        self.roots.push((node, entry));
        self.expand(graph, expanded, exits)
    }

    /// Explores the edges of a node in the top's set from now on.
    fn expand<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        expanded: Node,
        exits: &mut Vec<Node>,
    ) -> Result<(), G::Error> {
        self.path.expand_component(graph, expanded, exits)?;
        self.order.apply(self.path.edges());
        if let Some(frame) = self.path.data() {
            frame.expanded = expanded;
        }
        Ok(())
    }

    /// An edge leads back to a set on the stack: unites it with all sets above it. Returns whether
    /// the result is accepting.
    fn close(&mut self, source: Node, target: Node, mut marks: u64) -> bool {
        // The position is determined before anything is united: other threads may unite some of
        // these sets concurrently, and a set that is only partly united need not be strongly
        // connected.
        let own = self.roots.iter().rposition(|(root, _)| self.components.same(*root, target));
        let own = own.expect("a set that was found is on the stack");
        while self.roots.len() > own + 1 {
            let joined = self.roots.pop().zip(self.roots.last());
            let ((root, entry), &(below, _)) = joined.expect("there is more than one root");
            marks |= entry;
            self.components.unite(root, below);
        }
        self.components.add_marks(source, marks) == self.all_marks
    }

    /// All edges of `expanded` are explored. If the set was entered here, another node of it is
    /// next until the set is complete; otherwise the frame that entered the set continues it.
    /// Returns whether the rest of the stack is accepting.
    fn after_expansion<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        expanded: Node,
        entry: u64,
        exits: &mut Vec<Node>,
    ) -> Result<bool, G::Error> {
        self.components.done(expanded);
        let Some(node) = self.path.top() else { return Ok(false) };
        if self.roots.last().is_some_and(|(root, _)| *root == node)
            && let Some(next) = self.components.pick(node)
        {
            return self.expand(graph, next, exits).map(|()| false);
        }
        self.path.pop();
        self.roots.pop_if(|(root, _)| *root == node);
        // Another thread may have found that the edge by which the node was entered is inside its
        // component.
        let Some(before) = self.path.data() else { return Ok(false) };
        let inner = self.components.same(before.expanded, node);
        Ok(inner && self.components.add_marks(node, entry) == self.all_marks)
    }
}

/// A lasso along a stack. All threads have ended, so each set is strongly connected, and the marks
/// of the last set are marks of edges inside it.
fn lasso<G: Graph>(
    graph: &mut G,
    components: &UnionFind,
    stack: &[(Node, Node)],
) -> Result<Lasso, G::Error> {
    let mut prefix: Vec<Node> = Vec::new();
    let (last, before) = stack.split_last().expect("the stack has an accepting component");
    for &(node, expanded) in before {
        prefix.push(node);
        if node != expanded {
            let inside = |other| components.same(node, other);
            prefix.extend(path_inside(graph, node, expanded, inside)?);
        }
    }
    prefix.push(last.0);
    through_component(graph, prefix, |node| components.same(last.0, node))
}
