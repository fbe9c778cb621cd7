//! Random graphs as in Jard and Jéron (section 2.3), and their depth-first traversal with
//! replacement (section 2.1).

use lariat_ir::random::Lcg;
use lariat_search::store::{Cache, CacheEntry, Replacement};
use std::time::{Duration, Instant};

/// Successors by node; node 0 is initial.
pub struct Graph(pub Vec<Vec<u32>>);

impl Graph {
    /// Generates breadth-first: each node has a degree between 0 and `degree`, uniformly; with `g`
    /// nodes so far, a successor is new with probability 1 - g / min(2g, `nodes`), and otherwise
    /// one of the existing nodes. Graphs that end early are discarded.
    ///
    /// Precondition: `degree` is at least 6. With less, every graph ends early, because too few
    /// successors are new once most nodes exist.
    pub fn random(nodes: u64, degree: u64, seed: u64) -> Graph {
        assert!(degree >= 6, "with a smaller degree, graphs end early");
        let mut random = Lcg::new(seed);
        loop {
            let mut successors: Vec<Vec<u32>> = vec![Vec::new()];
            let mut node = 0;
            while node < successors.len() {
                for _ in 0..random.below(degree + 1) {
                    let so_far = successors.len() as u64;
                    let bound = (2 * so_far).min(nodes);
                    let successor = if random.below(bound) >= so_far {
                        successors.push(Vec::new());
                        so_far
                    } else {
                        random.below(so_far)
                    };
                    successors[node].push(successor as u32);
                }
                node += 1;
            }
            if successors.len() as u64 >= nodes * 9 / 10 {
                return Graph(successors);
            }
        }
    }

    pub fn nodes(&self) -> u64 {
        self.0.len() as u64
    }

    /// The maximal stack length without replacement.
    pub fn stack(&self) -> u64 {
        self.traverse(self.nodes(), Replacement::Random, u64::MAX)
            .map_or(0, |traversal| traversal.stack)
    }

    /// Visits all nodes with memory for `memory` of them; `None` if the stack does not fit or the
    /// limit on insertions is reached.
    pub fn traverse(
        &self,
        memory: u64,
        replacement: Replacement,
        patience: u64,
    ) -> Option<Traversal> {
        let start = Instant::now();
        let mut cache = Cache::new(1, memory, replacement, 1);
        let mut stack: Vec<(u32, usize)> = Vec::new();
        let mut reached = vec![false; self.0.len()];
        let (mut insertions, mut longest) = (0, 0);
        let mut next = Some(0);
        loop {
            if let Some(node) = next.take() {
                let state = [u64::from(node)];
                let entry = loop {
                    match cache.enter(&state, 0) {
                        CacheEntry::Full if cache.grow(u64::MAX) => {}
                        entry => break entry,
                    }
                };
                match entry {
                    CacheEntry::Full => return None,
                    CacheEntry::Known | CacheEntry::Again { .. } => {}
                    CacheEntry::New { .. } => {
                        reached[node as usize] = true;
                        insertions += 1;
                        stack.push((node, 0));
                        longest = longest.max(stack.len());
                    }
                }
            }
            let Some((node, taken)) = stack.last_mut() else { break };
            match self.0[*node as usize].get(*taken) {
                Some(successor) => {
                    *taken += 1;
                    next = Some(*successor);
                }
                None => {
                    cache.leave(&[u64::from(*node)]);
                    stack.pop();
                }
            }
            if insertions > patience {
                return None;
            }
        }
        let missed = reached.iter().filter(|reached| !**reached).count() as u64;
        Some(Traversal { insertions, missed, stack: longest as u64, time: start.elapsed() })
    }
}

pub struct Traversal {
    pub insertions: u64,
    /// Nodes that were not visited; must be 0.
    pub missed: u64,
    pub stack: u64,
    pub time: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape of the paper's first figure: all nodes are visited, with slightly less memory
    /// there are a few more insertions, near the minimum there are many.
    #[test]
    fn less_memory_costs_insertions() {
        let graph = Graph::random(4000, 6, 1);
        let nodes = graph.nodes();
        let insertions = |percent: u64| {
            let traversal =
                graph.traverse(nodes * percent / 100, Replacement::Random, 100 * nodes)?;
            assert_eq!(traversal.missed, 0);
            Some(traversal.insertions)
        };
        assert_eq!(insertions(100), Some(nodes));
        let most = insertions(90).expect("the stack fits");
        assert!(most > nodes && most < 2 * nodes, "{most} insertions of {nodes}");
        let less = insertions(75).expect("the stack fits");
        assert!(less > most, "{less} and {most}");
        assert_eq!(insertions(1), None);
    }

    #[test]
    fn degrees_and_sizes_are_as_requested() {
        let graph = Graph::random(3000, 8, 7);
        assert!((2700..=3000).contains(&graph.nodes()));
        let edges: usize = graph.0.iter().map(Vec::len).sum();
        let mean = edges as f64 / graph.nodes() as f64;
        assert!((mean - 4.0).abs() < 0.2, "{mean}");
        assert!(graph.0.iter().all(|successors| successors.len() <= 8));
    }
}
