//! A shortest fair lasso, prefix and cycle together.
//!
//! Lengths are tried in ascending order. For each, the nodes that are near enough are tried in the order of their distance,
//! with a breadth-first search for a cycle through the node that is no longer than what is left. That search remembers with a
//! node what was seen on the way (marks, who is owed a move), so it may visit a node many times. A place is left out if
//! another one on the same node is at least as good; that leaves exponentially many in the worst case, so the effort is bounded.

use super::Strength;
use super::actors::ActorSet;
use super::graph::{FairEdge, FairGraph, FairLasso, LassoStep};
use crate::liveness::Node;
use crate::liveness::effort::{Effort, Halt, Shortest};
use rapidhash::RapidHashMap;

/// Precondition: the lasso is accepting and fair. It is the result if no shorter one is found with the given effort.
pub fn shortest<G: FairGraph>(
    graph: &mut G,
    lasso: FairLasso,
    strength: Strength,
    mut effort: Effort,
) -> Shortest<FairLasso, G::Stop> {
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
) -> Result<Option<FairLasso>, Halt<G::Stop>> {
    let initial = graph.initial().map_err(Halt::Graph)?;
    // In the order of their distance, each with the step by which it was first met.
    let mut near = Near { nodes: initial, ..Near::default() };
    near.before.extend(near.nodes.iter().map(|&node| (node, None)));
    near.levels.push(near.nodes.len());
    for length in 1..bound {
        let mut start = 0;
        for distance in 0..length {
            let end = near.level(graph, distance, effort)?;
            for place in start..end {
                let node = near.nodes[place];
                if let Some(cycle) = cycle_through(graph, node, length - distance, strength, effort)? {
                    return Ok(Some(FairLasso { prefix: near.way(node), cycle }));
                }
            }
            start = end;
        }
    }
    Ok(None)
}

/// Nodes by their distance from the initial ones.
#[derive(Default)]
struct Near {
    nodes: Vec<Node>,
    /// The step by which each was met.
    before: RapidHashMap<Node, Option<LassoStep>>,
    /// By distance: how many are no farther away.
    levels: Vec<usize>,
}

impl Near {
    /// How many nodes are no farther away than this; all that are nearer must be known.
    fn level<G: FairGraph>(
        &mut self,
        graph: &mut G,
        distance: usize,
        effort: &mut Effort,
    ) -> Result<usize, Halt<G::Stop>> {
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
                self.before.entry(target).or_insert_with(|| {
                    self.nodes.push(target);
                    Some(LassoStep { node, edge: index })
                });
            }
        }
        self.levels.push(self.nodes.len());
        Ok(self.nodes.len())
    }

    /// The steps to a node.
    fn way(&self, node: Node) -> Vec<LassoStep> {
        let mut steps = Vec::new();
        let mut last = node;
        while let Some(Some(step)) = self.before.get(&last) {
            steps.push(*step);
            last = step.node;
        }
        steps.reverse();
        steps
    }
}

/// What was seen on a way, as far as it matters.
#[derive(Clone, Debug, Default)]
struct Seen {
    marks: u64,
    /// Who has moved, if whoever is enabled later and has moved is not owed anything.
    moved: ActorSet,
    /// Who must still move for the way to be fair; nothing if there was no node yet.
    owed: Option<ActorSet>,
}

impl Seen {
    /// After a node, where these are enabled, and an edge.
    fn after(&self, enabled: &ActorSet, edge: &FairEdge, strength: Strength) -> Seen {
        let mut moved = self.moved.clone();
        let mut owed = enabled.clone();
        match strength {
            // Who is not enabled somewhere is not owed anything.
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
        Seen { marks: self.marks | edge.edge.marks, moved, owed: Some(owed) }
    }

    /// Whatever makes the other accepting and fair does so with this one.
    fn is_as_good_as(&self, other: &Seen) -> bool {
        let (Some(owed), Some(others)) = (&self.owed, &other.owed) else { return false };
        self.marks & other.marks == other.marks
            && owed.is_subset(others)
            && other.moved.is_subset(&self.moved)
    }

    fn is_enough(&self, all_marks: u64) -> bool {
        self.marks == all_marks && self.owed.as_ref().is_some_and(ActorSet::is_empty)
    }
}

/// A node of a way, and what was seen before it.
#[derive(Clone)]
struct Place {
    node: Node,
    seen: Seen,
    /// From which place, and by which step.
    before: Option<(usize, LassoStep)>,
}

/// A shortest accepting and fair cycle through a node, of at most `longest` edges.
fn cycle_through<G: FairGraph>(
    graph: &mut G,
    start: Node,
    longest: usize,
    strength: Strength,
    effort: &mut Effort,
) -> Result<Option<Vec<LassoStep>>, Halt<G::Stop>> {
    // In the order in which they were met.
    let mut places = vec![Place { node: start, seen: Seen::default(), before: None }];
    let mut known: RapidHashMap<Node, Vec<Seen>> = RapidHashMap::default();
    let mut level_end = 1;
    let mut length = 0;
    let mut edges: Vec<FairEdge> = Vec::new();
    let mut enabled = ActorSet::new();
    let mut next = 0;
    while next < places.len() && length < longest {
        let Place { node, seen, .. } = places[next].clone();
        edges.clear();
        graph.expand(node, &mut edges, &mut enabled).map_err(Halt::Graph)?;
        effort.expand()?;
        for (index, edge) in edges.iter().enumerate() {
            let after = seen.after(&enabled, edge, strength);
            let step = LassoStep { node, edge: index };
            let target = edge.edge.target;
            if target == start && after.is_enough(graph.all_marks()) {
                let mut cycle = vec![step];
                let mut place = next;
                while let Some((earlier, step)) = places[place].before {
                    cycle.push(step);
                    place = earlier;
                }
                cycle.reverse();
                return Ok(Some(cycle));
            }
            let others = known.entry(target).or_default();
            effort.compare(others.len())?;
            if !others.iter().any(|other| other.is_as_good_as(&after)) {
                others.push(after.clone());
                places.push(Place { node: target, seen: after, before: Some((next, step)) });
            }
        }
        next += 1;
        if next == level_end {
            level_end = places.len();
            length += 1;
        }
    }
    Ok(None)
}
