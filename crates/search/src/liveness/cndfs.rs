//! `cndfs`: nested depth-first search by several threads (Evangelista, Laarman, Petrucci, van de Pol 2012, "Improved multi-core nested
//! depth-first search"). Each thread has its own stack and takes successors in its own order; blue (all that follows was visited) and red (no
//! accepting cycle leads through here) are shared. A thread that ends its second search waits until accepting nodes it met are
//! red, for another thread may just be visiting them, and only then makes red what it met.
//!
//! In a weak graph the first search is enough. Let a cycle be accepting, and let the first of its nodes that became blue be *s*. The
//! thread that made it blue had looked at the next node of the cycle before, which was not blue, so on that thread's stack; and the edge to
//! it has all marks, as every edge in that component.

use super::colors::{Colors, SharedColors};
use super::graph::{Found, Node, SharedGraph};
use super::nested::closed;
use super::path::Path;
use super::stress;
use super::team::{self, Ending, Over, Shuffle};

/// Shared: all that follows has been visited.
const BLUE: u8 = 1;
/// Shared: no accepting cycle leads through here.
const RED: u8 = 2;
/// A thread's own: on the stack of its first search.
const CYAN: u8 = 1;
/// A thread's own: met by its second search.
const PINK: u8 = 2;

pub fn search<G: SharedGraph>(graph: &mut G, threads: usize) -> Found<G> {
    let shared = SharedColors::default();
    team::search(graph, threads, |view, number, over| {
        let (weak, all_marks) = (view.is_weak(), view.all_marks());
        let own = Colors::default();
        Worker { graph: view, shared: &shared, over, own, shuffle: Shuffle::new(number), weak, all_marks }
            .run()
    })
}

struct Worker<'t, G> {
    graph: &'t mut G,
    shared: &'t SharedColors,
    over: &'t Over,
    own: Colors,
    shuffle: Shuffle,
    weak: bool,
    all_marks: u64,
}

type Step<G> = Result<Option<Ending<<G as super::Graph>::Stop>>, <G as super::Graph>::Stop>;

impl<G: SharedGraph> Worker<'_, G> {
    fn run(mut self) -> Result<Ending<G::Stop>, G::Stop> {
        let mut initial = self.graph.initial()?;
        self.shuffle.apply(&mut initial);
        for node in initial {
            if !self.shared.has(node, BLUE)
                && let Some(ending) = self.blue(node)?
            {
                return Ok(ending);
            }
        }
        Ok(Ending::Nothing)
    }

    /// The first search.
    fn blue(&mut self, initial: Node) -> Step<G> {
        let mut path: Path<()> = Path::default();
        self.enter(&mut path, initial)?;
        while let Some(node) = path.top() {
            if let Some(edge) = path.next_edge() {
                if self.own.has(edge.target, CYAN) {
                    let closes =
                        edge.marks == self.all_marks || !self.weak && self.graph.is_accepting(edge.target);
                    if closes {
                        return Ok(Some(Ending::Found(closed(&path, edge.target, &[]))));
                    }
                } else if !self.shared.has(edge.target, BLUE) {
                    self.enter(&mut path, edge.target)?;
                }
                continue;
            }
            if self.over.is_given() {
                return Ok(Some(Ending::Over));
            }
            stress::point();
            self.shared.mark(node, BLUE);
            if !self.weak
                && self.graph.is_accepting(node)
                && let Some(ending) = self.red(&path, node)?
            {
                return Ok(Some(ending));
            }
            self.own.clear(node, CYAN);
            path.pop();
        }
        Ok(None)
    }

    /// Puts a node on the stack. What is blue already need not be looked at, unless a cycle is closed there.
    fn enter(&mut self, path: &mut Path<()>, node: Node) -> Result<(), G::Stop> {
        self.own.mark(node, CYAN);
        let (own, shared) = (&self.own, self.shared);
        path.push(self.graph, node, ())?;
        path.retain(|edge| own.has(edge.target, CYAN) || !shared.has(edge.target, BLUE));
        self.shuffle.apply(path.edges());
        Ok(())
    }

    /// The second search, from an accepting node all of whose successors have been visited.
    fn red(&mut self, first: &Path<()>, seed: Node) -> Step<G> {
        let mut path: Path<()> = Path::default();
        let mut met = vec![seed];
        self.own.mark(seed, PINK);
        path.push(self.graph, seed, ())?;
        while !path.is_empty() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                if self.over.is_given() {
                    return Ok(Some(Ending::Over));
                }
                continue;
            };
            if self.own.has(edge.target, CYAN) {
                let way: Vec<Node> = path.nodes().skip(1).collect();
                return Ok(Some(Ending::Found(closed(first, edge.target, &way))));
            }
            if !self.shared.has(edge.target, RED) && self.own.mark(edge.target, PINK) {
                met.push(edge.target);
                path.push(self.graph, edge.target, ())?;
                self.shuffle.apply(path.edges());
            }
        }
        for &node in met.iter().filter(|node| **node != seed) {
            if !self.graph.is_accepting(node) {
                continue;
            }
            while !self.shared.has(node, RED) {
                if self.over.is_given() {
                    return Ok(Some(Ending::Over));
                }
                self.graph.wait()?;
            }
        }
        for node in met {
            stress::point();
            self.shared.mark(node, RED);
            self.own.clear(node, PINK);
        }
        Ok(None)
    }
}
