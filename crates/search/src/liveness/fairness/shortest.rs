//! A shortest fair lasso, prefix and cycle together.
//!
//! Lengths are tried in ascending order. For each, the nodes that are near enough are tried in the
//! order of their distance, with a breadth-first search for a cycle through the node within the
//! remaining length. That search distinguishes the marks and actors seen on the path to a node, so
//! it may visit a node many times. A path is dropped if another one to the same node dominates it.
//! Exponentially many remain in the worst case, so the effort is bounded.

use super::Strength;
use crate::liveness::Node;
use crate::liveness::effort::{Effort, Halt, Shortest};
use crate::liveness::fairness::actors::ActorSet;
use crate::liveness::fairness::graph::{FairEdge, FairGraph, FairLasso, LassoStep};
use rapidhash::RapidHashMap;

/// Precondition: the lasso is accepting and fair. It is the result if no shorter one is found with
/// the given effort.
pub fn shortest<G: FairGraph>(
    graph: &mut G,
    lasso: FairLasso,
    strength: Strength,
    mut effort: Effort,
) -> Shortest<FairLasso, G::Error> {
    match shorter_than(graph, lasso.prefix.len() + lasso.cycle.len(), strength, &mut effort) {
        Ok(shorter) => Shortest { lasso: shorter.unwrap_or(lasso), unproven: None },
        Err(halt) => Shortest { lasso, unproven: Some(halt) },
    }
}

/// A shortest fair lasso of fewer edges than `bound`, if there is one.
fn shorter_than<G: FairGraph>(
    graph: &mut G,
    bound: usize,
    strength: Strength,
    effort: &mut Effort,
) -> Result<Option<FairLasso>, Halt<G::Error>> {
    let initial = graph.initial().map_err(Halt::Graph)?;
    // In the order of their distance, each with the step by which it was discovered.
    let mut near = NearNodes { nodes: initial, ..NearNodes::default() };
    near.predecessors.extend(near.nodes.iter().map(|&node| (node, None)));
    near.levels.push(near.nodes.len());
    for length in 1..bound {
        let mut start = 0;
        for distance in 0..length {
            let end = near.level(graph, distance, effort)?;
            for place in start..end {
                let node = near.nodes[place];
                if let Some(cycle) =
                    cycle_through(graph, node, length - distance, strength, effort)?
                {
                    return Ok(Some(FairLasso { prefix: near.path_to(node), cycle }));
                }
            }
            start = end;
        }
    }
    Ok(None)
}

/// Nodes by their distance from the initial ones.
#[derive(Default)]
struct NearNodes {
    nodes: Vec<Node>,
    /// The step by which each node was discovered.
    predecessors: RapidHashMap<Node, Option<LassoStep>>,
    /// By distance: the number of nodes that are at most this far away.
    levels: Vec<usize>,
}

impl NearNodes {
    /// The number of nodes at most this far away. Precondition: all smaller distances are computed.
    fn level<G: FairGraph>(
        &mut self,
        graph: &mut G,
        distance: usize,
        effort: &mut Effort,
    ) -> Result<usize, Halt<G::Error>> {
        if let Some(end) = self.levels.get(distance) {
            return Ok(*end);
        }
        let first = distance.checked_sub(2).map_or(0, |before| self.levels[before]);
        let mut edges: Vec<FairEdge> = Vec::new();
        let mut enabled = ActorSet::new();
        for place in first..self.nodes.len() {
            let node = self.nodes[place];
            edges.clear();
            graph.expand(node, &mut edges, &mut enabled).map_err(Halt::Graph)?;
            effort.expand()?;
            for (index, edge) in edges.iter().enumerate() {
                let target = edge.edge.target;
                self.predecessors.entry(target).or_insert_with(|| {
                    self.nodes.push(target);
                    Some(LassoStep { node, edge: index })
                });
            }
        }
        self.levels.push(self.nodes.len());
        Ok(self.nodes.len())
    }

    /// The steps to a node.
    fn path_to(&self, node: Node) -> Vec<LassoStep> {
        let mut steps = Vec::new();
        let mut last = node;
        while let Some(Some(step)) = self.predecessors.get(&last) {
            steps.push(*step);
            last = step.node;
        }
        steps.reverse();
        steps
    }
}

/// The marks and actors on a path, as far as fairness depends on them.
#[derive(Clone, Debug, Default)]
struct PathSummary {
    marks: u64,
    /// With strong fairness: the actors that have moved, and need not move again if they are
    /// enabled later.
    moved: ActorSet,
    /// The actors that must still move for the path to be fair; `None` for the empty path.
    owed: Option<ActorSet>,
}

impl PathSummary {
    /// The summary after a node with these enabled actors, and an edge.
    fn after(&self, enabled: &ActorSet, edge: &FairEdge, strength: Strength) -> PathSummary {
        let mut moved = self.moved.clone();
        let mut owed = enabled.clone();
        match strength {
            // Weak fairness requires no move of an actor that is disabled somewhere.
            Strength::Weak => {
                if let Some(before) = &self.owed {
                    owed.intersect(before);
                }
            }
            Strength::Strong => {
                owed.subtract(&moved);
                if let Some(before) = &self.owed {
                    owed.union(before);
                }
                moved.union(&edge.movers);
            }
        }
        owed.subtract(&edge.movers);
        PathSummary { marks: self.marks | edge.edge.marks, moved, owed: Some(owed) }
    }

    /// Does every continuation that makes the other path accepting and fair do so with this one?
    fn dominates(&self, other: &PathSummary) -> bool {
        let (Some(owed), Some(others)) = (&self.owed, &other.owed) else { return false };
        self.marks & other.marks == other.marks
            && owed.is_subset(others)
            && other.moved.is_subset(&self.moved)
    }

    fn is_fair_cycle(&self, all_marks: u64) -> bool {
        self.marks == all_marks && self.owed.as_ref().is_some_and(ActorSet::is_empty)
    }
}

/// The end of a path, and the summary of the path.
#[derive(Clone)]
struct CyclePosition {
    node: Node,
    seen: PathSummary,
    /// The position before, and the step from there.
    predecessor: Option<(usize, LassoStep)>,
}

/// A shortest accepting and fair cycle through a node, of at most `longest` edges.
fn cycle_through<G: FairGraph>(
    graph: &mut G,
    start: Node,
    longest: usize,
    strength: Strength,
    effort: &mut Effort,
) -> Result<Option<Vec<LassoStep>>, Halt<G::Error>> {
    // In the order of discovery.
    let mut positions =
        vec![CyclePosition { node: start, seen: PathSummary::default(), predecessor: None }];
    let mut known: RapidHashMap<Node, Vec<PathSummary>> = RapidHashMap::default();
    let mut level_end = 1;
    let mut length = 0;
    let mut edges: Vec<FairEdge> = Vec::new();
    let mut enabled = ActorSet::new();
    let mut next = 0;
    while next < positions.len() && length < longest {
        let CyclePosition { node, seen, .. } = positions[next].clone();
        edges.clear();
        graph.expand(node, &mut edges, &mut enabled).map_err(Halt::Graph)?;
        effort.expand()?;
        for (index, edge) in edges.iter().enumerate() {
            let after = seen.after(&enabled, edge, strength);
            let step = LassoStep { node, edge: index };
            let target = edge.edge.target;
            if target == start && after.is_fair_cycle(graph.all_marks()) {
                let mut cycle = vec![step];
                let mut place = next;
                while let Some((earlier, step)) = positions[place].predecessor {
                    cycle.push(step);
                    place = earlier;
                }
                cycle.reverse();
                return Ok(Some(cycle));
            }
            let others = known.entry(target).or_default();
            effort.compare(others.len())?;
            if !others.iter().any(|other| other.dominates(&after)) {
                others.push(after.clone());
                positions.push(CyclePosition {
                    node: target,
                    seen: after,
                    predecessor: Some((next, step)),
                });
            }
        }
        next += 1;
        if next == level_end {
            level_end = positions.len();
            length += 1;
        }
    }
    Ok(None)
}
