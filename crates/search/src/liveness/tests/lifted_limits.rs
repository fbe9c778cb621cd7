//! A limit that is reached after a cycle was found does not suppress the counterexample.

use super::*;
use std::collections::HashMap;

/// A graph that numbers its nodes in the order of discovery, up to a limit.
#[derive(Clone, Debug)]
struct Limited {
    graph: ExplicitGraph,
    numbers: HashMap<Node, Node>,
    visited: Vec<Node>,
    most: usize,
    /// The number of nodes when the limit was lifted.
    lifted: Option<usize>,
}

/// The limit was reached.
#[derive(Debug, PartialEq, Eq)]
struct Reached;

impl Limited {
    fn new(graph: &ExplicitGraph, most: usize) -> Limited {
        Limited {
            graph: graph.clone(),
            numbers: HashMap::new(),
            visited: Vec::new(),
            most,
            lifted: None,
        }
    }

    fn number(&mut self, node: Node) -> Result<Node, Reached> {
        if let Some(&number) = self.numbers.get(&node) {
            return Ok(number);
        }
        if self.visited.len() >= self.most && self.lifted.is_none() {
            return Err(Reached);
        }
        let number = self.visited.len() as Node;
        self.visited.push(node);
        self.numbers.insert(node, number);
        Ok(number)
    }
}

impl Graph for Limited {
    type Error = Reached;

    fn initial(&mut self) -> Result<Vec<Node>, Reached> {
        self.graph.initial.clone().into_iter().map(|node| self.number(node)).collect()
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Reached> {
        for edge in self.graph.edges[self.visited[node as usize] as usize].clone() {
            let target = self.number(edge.target)?;
            out.push(Edge { target, ..edge });
        }
        Ok(())
    }

    fn all_marks(&self) -> u64 {
        self.graph.all_marks()
    }

    fn is_accepting(&self, node: Node) -> bool {
        self.graph.is_accepting(self.visited[node as usize])
    }

    fn is_rejecting(&self, node: Node) -> bool {
        self.graph.is_rejecting(self.visited[node as usize])
    }

    fn is_weak(&self) -> bool {
        self.graph.is_weak()
    }

    fn lift_limits(&mut self) {
        self.lifted.get_or_insert(self.visited.len());
    }

    fn len(&self) -> usize {
        self.visited.len()
    }
}

/// With the number of nodes that were known when the cycle was found, it is found again; the path
/// to it may need more nodes.
fn is_shown(algorithm: Algorithm, graph: &ExplicitGraph) -> Result<(), TestCaseError> {
    let mut free = Limited::new(graph, usize::MAX);
    let Ok(Some(_)) = algorithm.search(&mut free) else { return Ok(()) };
    let enough = free.lifted.unwrap_or(free.visited.len());
    let mut limited = Limited::new(graph, enough);
    let found = algorithm.search(&mut limited);
    let Ok(Some(Lasso { prefix, cycle })) = found else {
        return Err(TestCaseError::fail(format!("{algorithm:?} with {enough} nodes: {found:?}")));
    };
    let original =
        |nodes: Vec<Node>| nodes.into_iter().map(|node| limited.visited[node as usize]).collect();
    let lasso = Lasso { prefix: original(prefix), cycle: original(cycle) };
    prop_assert!(graph.follows(&lasso).is_some(), "{:?} {:?}", algorithm, lasso);
    Ok(())
}

proptest! {
    #![proptest_config(seeded::cases(2000))]

    #[test]
    fn generalized_cycles_are_shown(graph in graphs()) {
        for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_generalized()) {
            is_shown(algorithm, &graph)?;
        }
    }

    #[test]
    fn cycles_are_shown(graph in state_based()) {
        for algorithm in Algorithm::ALL {
            is_shown(algorithm, &graph)?;
        }
    }

    #[test]
    fn cycles_of_weak_graphs_are_shown(graph in weak()) {
        is_shown(Algorithm::Nested, &graph)?;
    }
}

/// Of many rejecting nodes the newest are expanded first, but a shortest path may begin with the
/// oldest.
#[test]
fn the_way_may_need_more_nodes_than_the_cycle() {
    let edge = |marks, target| Edge { marks, target };
    let mut edges = vec![(1..=30).map(|target| edge(0, target)).collect::<Vec<Edge>>()];
    edges.extend((1..=30).map(|node| vec![edge(0, 30 + node)]));
    edges.extend((31..60).map(|_| Vec::new()));
    edges.push(vec![edge(1, 60)]);
    let rejecting = (0..=60).map(|node| node != 60).collect();
    let graph = ExplicitGraph {
        initial: vec![0],
        edges,
        marks: 1,
        weak: true,
        rejecting,
        colors: Arc::default(),
    };
    for algorithm in [Algorithm::Nested, Algorithm::Couvreur] {
        let mut free = Limited::new(&graph, usize::MAX);
        assert!(matches!(algorithm.search(&mut free), Ok(Some(_))));
        let lifted = free.lifted.expect("the search looked for a path");
        assert!(lifted < free.visited.len(), "{algorithm:?}");
        let found = algorithm.search(&mut Limited::new(&graph, lifted));
        assert!(matches!(found, Ok(Some(_))), "{algorithm:?} {found:?}");
    }
}
