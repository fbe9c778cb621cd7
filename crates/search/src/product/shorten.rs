//! Shorter lassos, by breadth-first search around a known one.

use crate::liveness::breadth_first::{PathBounds, bounded_shortest_path};
use crate::liveness::effort::{Effort, Halt, Shortest};
use crate::liveness::{Edge, Graph, Lasso, Node};
use crate::tuning::product::SHORTENING_BEFORE_SHORTEST;
use rapidhash::{RapidHashMap, RapidHashSet};
use std::collections::VecDeque;

/// A shortest cycle through a node whose edges have all marks, of at most `longest` edges.
fn cycle_through<G: Graph>(
    graph: &mut G,
    node: Node,
    longest: usize,
    effort: &mut Effort,
) -> Result<Option<Vec<Node>>, Halt<G::Error>> {
    let all = graph.all_marks();
    // By node and set of marks seen on the path to it: the predecessor.
    let mut before: RapidHashMap<(Node, u64), Option<(Node, u64)>> = RapidHashMap::default();
    before.insert((node, 0), None);
    let mut queue: VecDeque<((Node, u64), usize)> = VecDeque::from([((node, 0), 0)]);
    let mut edges: Vec<Edge> = Vec::new();
    while let Some((place, length)) = queue.pop_front() {
        if length >= longest {
            return Ok(None);
        }
        edges.clear();
        graph.successors(place.0, &mut edges).map_err(Halt::Graph)?;
        effort.expand()?;
        for edge in &edges {
            let next = (edge.target, place.1 | edge.marks);
            if next == (node, all) {
                let mut nodes = vec![place.0];
                let mut last = place;
                while let Some(Some(previous)) = before.get(&last) {
                    nodes.push(previous.0);
                    last = *previous;
                }
                nodes.reverse();
                return Ok(Some(nodes));
            }
            before.entry(next).or_insert_with(|| {
                queue.push_back((next, length + 1));
                Some(place)
            });
        }
    }
    Ok(None)
}

/// A lasso that is not longer: a shortest path to the cycle, and a shortest cycle through the node
/// where the path arrives, each with at most `budget` expansions.
pub(super) fn shorten<G: Graph>(
    graph: &mut G,
    lasso: Lasso,
    budget: usize,
) -> Result<Lasso, G::Error> {
    let Lasso { mut prefix, mut cycle } = lasso;
    let initial = graph.initial()?;
    let on_cycle: RapidHashSet<Node> = cycle.iter().copied().collect();
    let bounds = PathBounds { longest: prefix.len(), expansions: budget };
    if let Some(mut nodes) = bounded_shortest_path(
        graph,
        &initial,
        |_, _| true,
        |node| on_cycle.contains(&node),
        bounds,
    )? {
        let entry = nodes.pop();
        let start = cycle.iter().position(|node| Some(*node) == entry).unwrap_or(0);
        cycle.rotate_left(start);
        prefix = nodes;
    }
    match cycle_through(graph, cycle[0], cycle.len(), &mut Effort::expansions(budget)) {
        Ok(Some(shorter)) => cycle = shorter,
        Ok(None) | Err(Halt::Effort(_)) => {}
        Err(Halt::Graph(stop)) => return Err(stop),
    }
    Ok(Lasso { prefix, cycle })
}

/// A shortest lasso, prefix and cycle together. Lengths are tried in ascending order: the number of
/// nodes to visit grows with the length, and the known lasso may be much too long. It is shortened
/// first, so that the result is short even if the effort is used up.
pub(super) fn shortest<G: Graph>(
    graph: &mut G,
    lasso: Lasso,
    mut effort: Effort,
) -> Shortest<Lasso, G::Error> {
    let known = match shorten(graph, lasso.clone(), SHORTENING_BEFORE_SHORTEST) {
        Ok(known) => known,
        Err(stop) => return Shortest { lasso, unproven: Some(Halt::Graph(stop)) },
    };
    let longest = known.prefix.len() + known.cycle.len() - 1;
    let mut fixed_layout = 0;
    while fixed_layout < longest {
        fixed_layout = longest.min(fixed_layout + fixed_layout / 4 + 1);
        let (found, ended) = shortest_within(graph, fixed_layout, &mut effort);
        match (found, ended) {
            // A lasso within the bound is shorter than the known one, even if the effort is used
            // up.
            (found, Err(halt)) => {
                return Shortest { lasso: found.unwrap_or(known), unproven: Some(halt) };
            }
            (Some(found), Ok(())) => return Shortest { lasso: found, unproven: None },
            (None, Ok(())) => {}
        }
    }
    Shortest { lasso: known, unproven: None }
}

/// A shortest lasso of at most `longest` edges, and whether the search was complete. Nodes are
/// tried in the order of their distance, each with a cycle short enough to improve the result.
fn shortest_within<G: Graph>(
    graph: &mut G,
    longest: usize,
    effort: &mut Effort,
) -> (Option<Lasso>, Result<(), Halt<G::Error>>) {
    let mut best = None;
    let ended = improve_within(graph, longest, effort, &mut best);
    (best, ended)
}

/// Sets `best` to shorter and shorter lassos.
fn improve_within<G: Graph>(
    graph: &mut G,
    longest: usize,
    effort: &mut Effort,
    best: &mut Option<Lasso>,
) -> Result<(), Halt<G::Error>> {
    let mut room_for = longest;
    let initial = graph.initial().map_err(Halt::Graph)?;
    let mut before: RapidHashMap<Node, Option<Node>> =
        initial.iter().map(|&node| (node, None)).collect();
    let mut queue: VecDeque<(Node, usize)> = initial.iter().map(|&node| (node, 0)).collect();
    let mut edges: Vec<Edge> = Vec::new();
    while let Some((node, distance)) = queue.pop_front() {
        let room = room_for.saturating_sub(distance);
        if room == 0 {
            break;
        }
        if let Some(cycle) = cycle_through(graph, node, room, effort)? {
            let mut prefix = Vec::new();
            let mut last = node;
            while let Some(Some(previous)) = before.get(&last) {
                prefix.push(*previous);
                last = *previous;
            }
            prefix.reverse();
            room_for = prefix.len() + cycle.len() - 1;
            *best = Some(Lasso { prefix, cycle });
        }
        edges.clear();
        graph.successors(node, &mut edges).map_err(Halt::Graph)?;
        effort.expand()?;
        for edge in &edges {
            before.entry(edge.target).or_insert_with(|| {
                queue.push_back((edge.target, distance + 1));
                Some(node)
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// A ring with two edges from each node to the next, each with a mark of its own. An accepting
    /// cycle goes round twice, and after one round 2^`nodes` different sets of marks are possible.
    struct Ring {
        nodes: u32,
    }

    impl Graph for Ring {
        type Error = Infallible;

        fn initial(&mut self) -> Result<Vec<Node>, Infallible> {
            Ok(vec![0])
        }

        fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Infallible> {
            let target = (node + 1) % Node::from(self.nodes);
            out.extend([0, 1].map(|choice| Edge { marks: 1 << (2 * node + choice), target }));
            Ok(())
        }

        fn all_marks(&self) -> u64 {
            (1 << (2 * self.nodes)) - 1
        }

        fn is_accepting(&self, _: Node) -> bool {
            false
        }

        fn len(&self) -> usize {
            self.nodes as usize
        }
    }

    fn twice_round(nodes: u32) -> Lasso {
        let round = 0..Node::from(nodes);
        Lasso { prefix: Vec::new(), cycle: round.clone().chain(round).collect() }
    }

    #[test]
    fn the_search_for_a_shortest_lasso_is_bounded() {
        let effort = Effort::new(1_000_000);
        let found = shortest(&mut Ring { nodes: 25 }, twice_round(25), effort);
        assert_eq!(found.lasso.cycle.len(), 50);
        assert_eq!(found.unproven, Some(Halt::Effort(1_000_000)));
    }

    #[test]
    fn a_small_one_is_proven() {
        let found = shortest(&mut Ring { nodes: 4 }, twice_round(4), Effort::default());
        assert_eq!((found.lasso.cycle.len(), found.unproven), (8, None));
    }
}
