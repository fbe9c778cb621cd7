//! Random graphs as Jard and Jéron make them (section 2.3), and their depth-first traversal with replacement (section 2.1).

use search::store::{Cache, Insertion, Replacement, Store};
use std::time::{Duration, Instant};

/// Successors by node; node 0 is initial.
pub struct Graph(pub Vec<Vec<u32>>);

/// A linear congruential generator: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 32) * bound) >> 32
    }
}

impl Graph {
    /// Breadth-first: each node has a degree between 0 and `degree`, uniformly; with `g` nodes so far a successor is new with
    /// probability 1 - g / min(2g, `nodes`), and otherwise any of those there are. Graphs that end early are not used.
    ///
    /// Precondition: `degree` is at least 6, or all would: too few successors are new once most nodes are there.
    pub fn random(nodes: u64, degree: u64, seed: u64) -> Graph {
        assert!(degree >= 6, "with fewer successors graphs do not grow");
        let mut random = Random(seed);
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

    /// The length of the longest stack, if nothing is forgotten.
    pub fn stack(&self) -> u64 {
        self.traverse(self.nodes(), Replacement::Random, u64::MAX).map_or(0, |traversal| traversal.stack)
    }

    /// Visits all nodes with memory for so many; `None` if the stack does not fit, or after so many insertions.
    pub fn traverse(&self, memory: u64, replacement: Replacement, patience: u64) -> Option<Traversal> {
        let start = Instant::now();
        let mut cache = Cache::new(1, memory, replacement, 1);
        let mut stack: Vec<(u32, usize)> = Vec::new();
        let mut reached = vec![false; self.0.len()];
        let (mut insertions, mut longest) = (0, 0);
        let mut next = Some(0);
        loop {
            if let Some(node) = next.take() {
                let state = [u64::from(node)];
                let inserted = loop {
                    match cache.insert(&state, cache.key(&state)) {
                        Insertion::Full if cache.grow(u64::MAX, 1) => {}
                        inserted => break inserted,
                    }
                };
                match inserted {
                    Insertion::Full => return None,
                    Insertion::Known => {}
                    Insertion::New => {
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
    /// Nodes that were not visited: none.
    pub missed: u64,
    pub stack: u64,
    pub time: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape of the paper's first figure: everything is visited, few insertions more with a little less memory,
    /// many near the least possible.
    #[test]
    fn memory_is_paid_for_with_time() {
        let graph = Graph::random(4000, 6, 1);
        let nodes = graph.nodes();
        let insertions = |percent: u64| {
            let traversal = graph.traverse(nodes * percent / 100, Replacement::Random, 100 * nodes)?;
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
    fn degrees_and_sizes_are_as_asked() {
        let graph = Graph::random(3000, 8, 7);
        assert!((2700..=3000).contains(&graph.nodes()));
        let edges: usize = graph.0.iter().map(Vec::len).sum();
        let mean = edges as f64 / graph.nodes() as f64;
        assert!((mean - 4.0).abs() < 0.2, "{mean}");
        assert!(graph.0.iter().all(|successors| successors.len() <= 8));
    }
}
