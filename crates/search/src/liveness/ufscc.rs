//! `ufscc`: strong components by several threads (Bloemen, Laarman, van de Pol 2016, "Multi-core on-the-fly SCC decomposition"), with
//! generalized acceptance as it is (Bloemen, Duret-Lutz, van de Pol 2017, "Explicit state model checking with generalized Büchi and Rabin
//! automata").
//!
//! All threads search from the start, each with its own stack, in its own order. What one of them knows to be strongly connected is one set
//! for all (`union_find`), and a thread that is in a set expands whatever node of it was not expanded yet, so the threads share the work on
//! a component. The marks of its edges are united with the set; a set that has all of them has an accepting cycle.

use super::graph::{Found, Graph, Lasso, Node, SharedGraph};
use super::lasso::{from_start, through_component, way_inside};
use super::path::Path;
use super::sweep;
use super::team::{self, Ending, Order, Team};
use super::union_find::{BITS, Claim, UnionFind};

/// How many threads there is room for beside the marks.
fn most_threads(all_marks: u64) -> usize {
    BITS.saturating_sub(u64::BITS - all_marks.leading_zeros()) as usize
}

/// Is there room for the marks, and for a thread?
pub fn has_room(all_marks: u64) -> bool {
    most_threads(all_marks) > 0
}

/// Precondition: there is room for the marks.
pub fn search<G: SharedGraph>(graph: &mut G, threads: usize) -> Found<G> {
    let threads = threads.clamp(1, most_threads(graph.all_marks()));
    let components = UnionFind::new(threads as u32);
    let found = team::search(graph, threads, |view, number, team| {
        let mut worker = Worker {
            components: &components,
            team,
            number,
            all_marks: view.all_marks(),
            order: Order::new(number),
            path: Path::default(),
            roots: Vec::new(),
        };
        sweep::together(view, team, |graph, root, left| worker.run(graph, root, left))
    })?;
    let lasso = found.map(|stack| lasso(graph, &components, &stack)).transpose()?;
    lasso.map(|lasso| from_start(graph, lasso)).transpose()
}

/// What is remembered of a node on the stack.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The node of its set whose edges are being followed.
    expanded: Node,
    /// The marks of the edge by which it was entered.
    entry: u64,
}

/// The nodes on a thread's stack, each with the one of its set from which the stack goes on. The last is in an accepting component.
type Stack = Vec<(Node, Node)>;

struct Worker<'t> {
    components: &'t UnionFind,
    team: &'t Team,
    number: usize,
    all_marks: u64,
    order: Order,
    path: Path<Frame>,
    /// One node of each set on the stack, and the marks of the edge by which it was entered.
    roots: Vec<(Node, u64)>,
}

type Step<G> = Result<Option<Ending<<G as Graph>::Stop, Stack>>, <G as Graph>::Stop>;

impl Worker<'_> {
    fn run<G: SharedGraph>(&mut self, graph: &mut G, start: Node, left: &mut Vec<Node>) -> Step<G> {
        if self.components.claim(start, self.number) != Claim::New {
            return Ok(None);
        }
        self.enter(graph, start, 0, left)?;
        while let Some(&mut Frame { expanded, entry }) = self.path.data() {
            let accepting = match self.path.next_edge() {
                Some(edge) => match self.components.claim(edge.target, self.number) {
                    Claim::New => {
                        self.enter(graph, edge.target, edge.marks, left)?;
                        self.share(start);
                        false
                    }
                    Claim::Found => self.close(expanded, edge.target, edge.marks),
                    Claim::Dead => false,
                },
                None if self.team.is_over() => return Ok(Some(Ending::Over)),
                None => {
                    self.share(start);
                    self.go_on(graph, expanded, entry, left)?
                }
            };
            if accepting {
                let stack = self.path.entries().map(|(node, frame)| (node, frame.expanded)).collect();
                return Ok(Some(Ending::Found(stack)));
            }
        }
        Ok(None)
    }

    /// Lets somebody who has no work begin where this search began: it takes another way.
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
        left: &mut Vec<Node>,
    ) -> Result<(), G::Stop> {
        // Most often the node itself, unless another thread has expanded it.
        let Some(expanded) = self.components.pick(node) else { return Ok(()) };
        self.path.open(node, Frame { expanded, entry });
        self.roots.push((node, entry));
        self.expand(graph, expanded, left)
    }

    /// Follows the edges of a node of the top's set from now on.
    fn expand<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        expanded: Node,
        left: &mut Vec<Node>,
    ) -> Result<(), G::Stop> {
        self.path.expand_within(graph, expanded, left)?;
        self.order.apply(self.path.edges());
        if let Some(frame) = self.path.data() {
            frame.expanded = expanded;
        }
        Ok(())
    }

    /// An edge leads back to a set on the stack: it and all sets behind it are one. Is that accepting?
    fn close(&mut self, source: Node, target: Node, mut marks: u64) -> bool {
        // Down to where is known before anything is united: other threads may unite some of these sets at the same time, and a set that was
        // united in part only need not be strongly connected within itself.
        let own = self.roots.iter().rposition(|(root, _)| self.components.same(*root, target));
        let own = own.expect("a set that was found is on the stack");
        while self.roots.len() > own + 1 {
            let joined = self.roots.pop().zip(self.roots.last());
            let ((root, entry), &(below, _)) = joined.expect("there are more than one");
            marks |= entry;
            self.components.unite(root, below);
        }
        self.components.add_marks(source, marks) == self.all_marks
    }

    /// All edges of `expanded` were followed. If the set was entered here, another node of it is next, until it is complete; otherwise
    /// that is up to who entered it. Is what is left on the stack accepting?
    fn go_on<G: SharedGraph>(
        &mut self,
        graph: &mut G,
        expanded: Node,
        entry: u64,
        left: &mut Vec<Node>,
    ) -> Result<bool, G::Stop> {
        self.components.done(expanded);
        let Some(node) = self.path.top() else { return Ok(false) };
        if self.roots.last().is_some_and(|(root, _)| *root == node)
            && let Some(next) = self.components.pick(node)
        {
            return self.expand(graph, next, left).map(|()| false);
        }
        self.path.pop();
        self.roots.pop_if(|(root, _)| *root == node);
        // Another thread may have found that the edge by which the node was entered is within its component.
        let Some(before) = self.path.data() else { return Ok(false) };
        let inner = self.components.same(before.expanded, node);
        Ok(inner && self.components.add_marks(node, entry) == self.all_marks)
    }
}

/// A lasso along a stack. All threads have come to an end, so each set is strongly connected within itself, and the marks of the last are
/// those of edges within it.
fn lasso<G: Graph>(graph: &mut G, components: &UnionFind, stack: &[(Node, Node)]) -> Result<Lasso, G::Stop> {
    let mut prefix: Vec<Node> = Vec::new();
    let (last, before) = stack.split_last().expect("the stack has an accepting component");
    for &(node, expanded) in before {
        prefix.push(node);
        if node != expanded {
            let inside = |other| components.same(node, other);
            prefix.extend(way_inside(graph, node, expanded, inside)?);
        }
    }
    prefix.push(last.0);
    through_component(graph, prefix, |node| components.same(last.0, node))
}
