//! The breadth-first search finds paths, and shortest ones.

use super::*;
use crate::liveness::breadth_first::{PathBounds, bounded_shortest_path};

/// The number of edges of a shortest path, by relaxing all edges until nothing changes.
fn distance(
    graph: &ExplicitGraph,
    sources: &[Node],
    inside: &[bool],
    target: Node,
) -> Option<usize> {
    let mut distances = vec![None; graph.edges.len()];
    sources.iter().for_each(|&source| distances[source as usize] = Some(0));
    for _ in 0..graph.edges.len() {
        for (source, edges) in graph.edges.iter().enumerate() {
            for edge in edges {
                let goes_on = sources.contains(&(source as Node)) || inside[source];
                if let Some(here) = distances[source].filter(|_| goes_on) {
                    let there: &mut Option<usize> = &mut distances[edge.target as usize];
                    *there = Some(there.map_or(here + 1, |known| known.min(here + 1)));
                }
            }
        }
    }
    distances[target as usize]
}

proptest! {
    #![proptest_config(seeded::cases(3000))]

    #[test]
    fn shortest_ways(
        graph in graphs(),
        target in 0u32..14,
        inside in prop::collection::vec(prop::bool::weighted(0.8), 14),
        longest in 0usize..8,
    ) {
        let target = target % graph.edges.len() as Node;
        let expected = distance(&graph, &graph.initial, &inside, target);
        let find = |bounds| {
            let Ok(found) =
                bounded_shortest_path(
                    &mut graph.clone(),
                    &graph.initial,
                    |_, node| inside[node as usize],
                    |node| node == target,
                    bounds,
                );
            found
        };
        let found = find(PathBounds::NONE);
        prop_assert_eq!(found.as_ref().map(|nodes| nodes.len() - 1), expected);
        if let Some(nodes) = &found {
            prop_assert!(graph.initial.contains(&nodes[0]) && nodes[nodes.len() - 1] == target);
            for step in nodes.windows(2) {
                let edges = &graph.edges[step[0] as usize];
                prop_assert!(edges.iter().any(|edge| edge.target == step[1]));
            }
        }
        let bounded = find(PathBounds { longest, ..PathBounds::NONE });
        prop_assert_eq!(bounded, found.filter(|nodes| nodes.len() - 1 <= longest));
    }
}
