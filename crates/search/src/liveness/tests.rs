//! All searches on random graphs, compared with an oracle that examines all strong components of
//! the whole graph.

mod breadth_first;
mod lifted_limits;

use super::*;
use proptest::prelude::*;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// A graph in memory.
#[derive(Clone, Debug)]
struct ExplicitGraph {
    initial: Vec<Node>,
    edges: Vec<Vec<Edge>>,
    marks: u32,
    weak: bool,
    /// By node: is it known that no accepting cycle passes through it?
    rejecting: Vec<bool>,
    /// The colors that threads share.
    colors: Arc<[AtomicU8]>,
}

impl Graph for ExplicitGraph {
    type Error = Infallible;

    fn initial(&mut self) -> Result<Vec<Node>, Infallible> {
        Ok(self.initial.clone())
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Infallible> {
        out.extend(&self.edges[node as usize]);
        Ok(())
    }

    fn all_marks(&self) -> u64 {
        (1 << self.marks) - 1
    }

    fn is_accepting(&self, node: Node) -> bool {
        self.edges[node as usize].iter().all(|edge| edge.marks == self.all_marks())
    }

    fn is_rejecting(&self, node: Node) -> bool {
        self.rejecting[node as usize]
    }

    fn is_weak(&self) -> bool {
        self.weak
    }

    fn len(&self) -> usize {
        self.edges.len()
    }
}

impl SharedGraph for ExplicitGraph {
    type Counts = ();

    fn view(&mut self) -> ExplicitGraph {
        self.clone()
    }

    fn max_views(&self) -> usize {
        64
    }

    fn wait(&mut self) -> Result<(), Infallible> {
        std::thread::yield_now();
        Ok(())
    }

    fn suspend(&mut self) {}

    fn resume(&mut self) {}

    fn has_color(&self, node: Node, color: u8) -> bool {
        self.colors[node as usize].load(Ordering::Acquire) & color != 0
    }

    fn insert_color(&self, node: Node, color: u8) -> bool {
        self.colors[node as usize].fetch_or(color, Ordering::AcqRel) & color == 0
    }

    fn clear_colors(&mut self) -> Result<(), Self::Error> {
        self.colors = self.edges.iter().map(|_| AtomicU8::new(0)).collect();
        Ok(())
    }

    fn into_counts(self) {}

    fn add_counts(&mut self, (): ()) {}
}

impl ExplicitGraph {
    fn reachable(&self, from: &[Node], through: impl Fn(Node) -> bool) -> Vec<bool> {
        let mut visited = vec![false; self.edges.len()];
        let mut todo: Vec<Node> = from.to_vec();
        while let Some(node) = todo.pop() {
            if !through(node) || std::mem::replace(&mut visited[node as usize], true) {
                continue;
            }
            todo.extend(self.edges[node as usize].iter().map(|edge| edge.target));
        }
        visited
    }

    /// Is there a reachable cycle through nodes that are `inside` whose edges have all marks?
    fn has_cycle(&self, marks: u64, inside: impl Fn(Node) -> bool + Copy) -> bool {
        let start = self.reachable(&self.initial, |_| true);
        (0..self.edges.len() as Node).filter(|&node| start[node as usize] && inside(node)).any(
            |node| {
                let successors: Vec<Node> =
                    self.edges[node as usize].iter().map(|edge| edge.target).collect();
                let after = self.reachable(&successors, inside);
                if !after[node as usize] {
                    return false;
                }
                // The component: nodes that it reaches and that reach it.
                let together: Vec<bool> = (0..self.edges.len() as Node)
                    .map(|other| {
                        after[other as usize] && self.reachable(&[other], inside)[node as usize]
                    })
                    .collect();
                let within = (0..self.edges.len()).filter(|&other| together[other]);
                let inner = within.flat_map(|other| {
                    self.edges[other].iter().filter(|edge| together[edge.target as usize])
                });
                inner.fold(0, |all, edge| all | edge.marks) & marks == marks
            },
        )
    }

    /// The marks of all edges inside the node's strong component; `None` if there are none.
    fn component_marks(&self, node: Node) -> Option<u64> {
        let together = |other: Node| {
            self.reachable(&[node], |_| true)[other as usize]
                && self.reachable(&[other], |_| true)[node as usize]
        };
        let members: Vec<Node> =
            (0..self.edges.len() as Node).filter(|&other| together(other)).collect();
        let edges = members.iter().flat_map(|&member| &self.edges[member as usize]);
        edges
            .filter(|edge| members.contains(&edge.target))
            .map(|edge| edge.marks)
            .reduce(|all, more| all | more)
    }

    /// The graph, in which the rejecting nodes among `known` are known to be rejecting.
    fn knowing(mut self, known: &[bool]) -> ExplicitGraph {
        let all = self.all_marks();
        let rejecting =
            |node: usize| known[node] && self.component_marks(node as Node) != Some(all);
        self.rejecting = (0..self.edges.len()).map(rejecting).collect();
        self
    }

    /// Is the lasso a path of the graph? If so, the marks of its cycle.
    fn follows(&self, lasso: &Lasso) -> Option<u64> {
        let nodes: Vec<Node> = lasso.prefix.iter().chain(&lasso.cycle).copied().collect();
        let closing = *lasso.cycle.first()?;
        if !self.initial.contains(nodes.first()?) {
            return None;
        }
        let mut marks = 0;
        for (place, &node) in nodes.iter().enumerate() {
            let next = nodes.get(place + 1).copied().unwrap_or(closing);
            let edges = self.edges[node as usize].iter().filter(|edge| edge.target == next);
            let mut found = false;
            for edge in edges {
                found = true;
                if place >= lasso.prefix.len() {
                    marks |= edge.marks;
                }
            }
            if !found {
                return None;
            }
        }
        Some(marks)
    }
}

/// Which of the rejecting nodes are known to be.
fn known() -> impl Strategy<Value = Vec<bool>> {
    prop_oneof![
        Just(vec![false; 14]),
        Just(vec![true; 14]),
        prop::collection::vec(any::<bool>(), 14)
    ]
}

/// Graphs with marks on edges.
fn graphs() -> impl Strategy<Value = ExplicitGraph> {
    (1usize..14, 0u32..4).prop_flat_map(|(count, marks)| {
        let edge =
            (0..count as Node, 0u64..1 << marks).prop_map(|(target, marks)| Edge { marks, target });
        let edges = prop::collection::vec(prop::collection::vec(edge, 0..4), count);
        let initial = prop::collection::vec(0..count as Node, 1..3);
        (edges, initial, known()).prop_map(move |(edges, initial, known)| {
            ExplicitGraph {
                initial,
                edges,
                marks,
                weak: false,
                rejecting: Vec::new(),
                colors: Arc::default(),
            }
            .knowing(&known)
        })
    })
}

/// Graphs with one mark, on all edges of a node or on none.
fn state_based() -> impl Strategy<Value = ExplicitGraph> {
    let accepting = prop::collection::vec(prop::bool::weighted(0.3), 14);
    (graphs(), accepting, known()).prop_map(|(mut graph, accepting, known)| {
        graph.marks = 1;
        for (edges, accepting) in graph.edges.iter_mut().zip(accepting) {
            edges.iter_mut().for_each(|edge| edge.marks = u64::from(accepting));
        }
        graph.knowing(&known)
    })
}

/// Graphs with one mark, on all edges of a strong component or on none.
fn weak() -> impl Strategy<Value = ExplicitGraph> {
    let accepting = prop::collection::vec(prop::bool::weighted(0.3), 14);
    (graphs(), accepting, known()).prop_map(|(mut graph, accepting, known)| {
        graph.marks = 1;
        graph.weak = true;
        let reach: Vec<Vec<bool>> =
            (0..graph.edges.len() as Node).map(|node| graph.reachable(&[node], |_| true)).collect();
        for (source, edges) in graph.edges.iter_mut().enumerate() {
            for edge in edges {
                let target = edge.target as usize;
                let inner = reach[target][source];
                // The first node of the component decides; marks between components are irrelevant.
                let first =
                    (0..reach.len()).find(|&node| reach[source][node] && reach[node][source]);
                edge.marks = if inner {
                    u64::from(accepting[first.unwrap_or(source)])
                } else {
                    edge.marks & 1
                };
            }
        }
        graph.knowing(&known)
    })
}

/// Checks that a search finds an accepting cycle if and only if one exists, and that the lasso is
/// one. Parallel searches run several times with one, two and three threads.
fn agrees(
    algorithm: Algorithm,
    graph: &ExplicitGraph,
    expected: bool,
) -> Result<(), TestCaseError> {
    let runs: &[usize] = if algorithm.is_parallel() { &[1, 2, 2, 3, 3] } else { &[1] };
    for &threads in runs {
        let Ok(found) = algorithm.search_with(&mut graph.clone(), threads);
        prop_assert_eq!(found.is_some(), expected, "{:?} {}", algorithm, threads);
        if let Some(lasso) = found {
            let marks = graph.follows(&lasso);
            prop_assert_eq!(
                marks,
                Some(graph.all_marks()),
                "{:?} {} {:?}",
                algorithm,
                threads,
                lasso
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(seeded::cases(3000))]

    #[test]
    fn generalized(graph in graphs()) {
        let expected = graph.has_cycle(graph.all_marks(), |_| true);
        for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_generalized()) {
            agrees(algorithm, &graph, expected)?;
        }
    }

    #[test]
    fn buchi(graph in state_based()) {
        let expected = graph.has_cycle(1, |_| true);
        for algorithm in Algorithm::ALL {
            if algorithm == Algorithm::Deterministic {
                continue;
            }
            agrees(algorithm, &graph, expected)?;
        }
    }

    #[test]
    fn weak_buchi(graph in weak()) {
        let expected = graph.has_cycle(1, |_| true);
        use Algorithm::{Cndfs, Couvreur, Nested, Ufscc};
        for algorithm in [Nested, Couvreur, Cndfs, Ufscc] {
            agrees(algorithm, &graph, expected)?;
        }
    }

    #[test]
    fn deterministic(graph in state_based()) {
        let expected = graph.has_cycle(0, |node| !graph.is_accepting(node));
        let Ok(found) = Algorithm::Deterministic.search(&mut graph.clone());
        prop_assert_eq!(found.is_some(), expected);
        if let Some(lasso) = found {
            prop_assert_eq!(graph.follows(&lasso), Some(0), "{:?}", lasso);
        }
    }
}
