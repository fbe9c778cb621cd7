//! Does a graph have a cycle with all marks that is fair?
//!
//! The edges that a run takes infinitely often are a strongly connected set. Without fairness, and
//! with weak fairness, a larger set is never worse, so it suffices to examine whole components.
//! With strong fairness, a component in which an actor is enabled but never moves is fair only in
//! parts where that actor is not enabled; these parts are examined in turn (Emerson and Lei 1987).

use lariat_search::liveness::fairness::Strength;
use std::collections::{BTreeSet, HashSet};

/// A graph in memory, with the actors enabled in each node.
#[derive(Clone, Debug, Default)]
pub struct ExplicitGraph {
    pub initial: Vec<usize>,
    /// By node.
    pub edges: Vec<Vec<ExplicitEdge>>,
    /// By node.
    pub enabled: Vec<BTreeSet<usize>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplicitEdge {
    pub marks: u64,
    pub movers: BTreeSet<usize>,
    pub target: usize,
}

/// The marks and actors on a path to a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CycleSummary {
    node: usize,
    marks: u64,
    moved: BTreeSet<usize>,
    /// The actors that must move for the path to be fair, with fairness; `None` before the first
    /// node.
    claims: Option<BTreeSet<usize>>,
}

impl ExplicitGraph {
    /// Is there a cycle that has all marks and is fair, if fairness is given?
    pub fn has_cycle(&self, marks: u64, fairness: Option<Strength>) -> bool {
        let everything = vec![true; self.edges.len()];
        let mut todo = vec![self.reached(self.initial.clone(), &everything)];
        while let Some(inside) = todo.pop() {
            for component in self.components(&inside) {
                let is_member = self.members(&component);
                let inner: Vec<&ExplicitEdge> = component
                    .iter()
                    .flat_map(|&node| self.edges[node].iter().filter(|edge| is_member[edge.target]))
                    .collect();
                if inner.is_empty()
                    || inner.iter().fold(0, |all, edge| all | edge.marks) & marks != marks
                {
                    continue;
                }
                let moved: BTreeSet<usize> =
                    inner.iter().flat_map(|edge| edge.movers.iter().copied()).collect();
                let enabled = component.iter().map(|&node| &self.enabled[node]);
                let claims: BTreeSet<usize> = match fairness {
                    None => return true,
                    Some(Strength::Strong) => enabled.flatten().copied().collect(),
                    Some(Strength::Weak) => {
                        enabled.cloned().reduce(|both, more| &both & &more).unwrap_or_default()
                    }
                };
                let starving = &claims - &moved;
                if starving.is_empty() {
                    return true;
                }
                if fairness == Some(Strength::Strong) {
                    let enables_no_starving_actor =
                        |&node: &usize| self.enabled[node].is_disjoint(&starving);
                    let rest: Vec<usize> =
                        component.iter().copied().filter(enables_no_starving_actor).collect();
                    todo.push(self.members(&rest));
                }
            }
        }
        false
    }

    /// The number of edges of a shortest lasso, prefix and cycle together, whose cycle has all
    /// marks and is fair, if fairness is given; if there is one of fewer edges than `length`.
    /// `None` if that takes more than `work` steps.
    pub fn shortest(
        &self,
        marks: u64,
        fairness: Option<Strength>,
        length: usize,
        mut work: usize,
    ) -> Option<Option<usize>> {
        let mut best = length;
        let mut visited: HashSet<usize> = self.initial.iter().copied().collect();
        let mut level: Vec<usize> = visited.iter().copied().collect();
        let mut distance = 0;
        while !level.is_empty() && distance + 1 < best {
            for &node in &level {
                let longest = best.saturating_sub(distance + 1);
                if let Some(cycle) =
                    self.shortest_cycle(node, marks, fairness, longest, &mut work)?
                {
                    best = distance + cycle;
                }
            }
            let targets =
                level.iter().flat_map(|&node| self.edges[node].iter().map(|edge| edge.target));
            level = targets.filter(|&target| visited.insert(target)).collect();
            distance += 1;
        }
        Some((best < length).then_some(best))
    }

    /// The number of edges of a shortest cycle through a node, if it has at most `longest`.
    fn shortest_cycle(
        &self,
        start: usize,
        marks: u64,
        fairness: Option<Strength>,
        longest: usize,
        work: &mut usize,
    ) -> Option<Option<usize>> {
        let first = CycleSummary { node: start, marks: 0, moved: BTreeSet::new(), claims: None };
        let mut visited = HashSet::from([first.clone()]);
        let mut level = vec![first];
        for length in 1..=longest {
            let mut next = Vec::new();
            for seen in &level {
                let enabled = &self.enabled[seen.node];
                let claims = match (fairness, &seen.claims) {
                    (None, _) => None,
                    (Some(_), None) => Some(enabled.clone()),
                    (Some(Strength::Weak), Some(before)) => Some(before & enabled),
                    (Some(Strength::Strong), Some(before)) => Some(before | enabled),
                };
                for edge in &self.edges[seen.node] {
                    *work = work.checked_sub(1)?;
                    let moved = &seen.moved | &edge.movers;
                    let after = CycleSummary {
                        node: edge.target,
                        marks: (seen.marks | edge.marks) & marks,
                        moved,
                        claims: claims.clone(),
                    };
                    let is_fair =
                        after.claims.as_ref().is_none_or(|claims| claims.is_subset(&after.moved));
                    if after.node == start && after.marks == marks && is_fair {
                        return Some(Some(length));
                    }
                    if visited.insert(after.clone()) {
                        next.push(after);
                    }
                }
            }
            level = next;
        }
        Some(None)
    }

    fn members(&self, nodes: &[usize]) -> Vec<bool> {
        let mut is_member = vec![false; self.edges.len()];
        nodes.iter().for_each(|&node| is_member[node] = true);
        is_member
    }

    fn reached(&self, from: Vec<usize>, inside: &[bool]) -> Vec<bool> {
        let mut visited = vec![false; self.edges.len()];
        let mut todo = from;
        while let Some(node) = todo.pop() {
            if inside[node] && !std::mem::replace(&mut visited[node], true) {
                todo.extend(self.edges[node].iter().map(|edge| edge.target));
            }
        }
        visited
    }

    /// The strong components of a part of the graph (Kosaraju).
    fn components(&self, inside: &[bool]) -> Vec<Vec<usize>> {
        let mut backwards = vec![Vec::new(); self.edges.len()];
        for (source, edges) in self.edges.iter().enumerate() {
            edges.iter().for_each(|edge| backwards[edge.target].push(source));
        }
        let mut visited = vec![false; self.edges.len()];
        let mut finished = Vec::new();
        for start in (0..self.edges.len()).filter(|&node| inside[node]) {
            if std::mem::replace(&mut visited[start], true) {
                continue;
            }
            let mut stack = vec![(start, 0)];
            while let Some((node, next)) = stack.pop() {
                let Some(edge) = self.edges[node].get(next) else {
                    finished.push(node);
                    continue;
                };
                stack.push((node, next + 1));
                if inside[edge.target] && !std::mem::replace(&mut visited[edge.target], true) {
                    stack.push((edge.target, 0));
                }
            }
        }
        let mut taken = vec![false; self.edges.len()];
        let mut components = Vec::new();
        for &root in finished.iter().rev() {
            let mut component = Vec::new();
            let mut todo = vec![root];
            while let Some(node) = todo.pop() {
                if inside[node] && !std::mem::replace(&mut taken[node], true) {
                    component.push(node);
                    todo.extend(&backwards[node]);
                }
            }
            if !component.is_empty() {
                components.push(component);
            }
        }
        components
    }
}

/// Compared with a search through every set of edges.
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graphs() -> impl Strategy<Value = ExplicitGraph> {
        let set = || prop::collection::btree_set(0usize..3, 0..3);
        (1usize..5).prop_flat_map(move |count| {
            let edge = (0u64..4, set(), 0..count, 0..count);
            let edges = prop::collection::vec(edge, 0..9);
            let enabled = prop::collection::vec(set(), count);
            (edges, enabled, 0..count).prop_map(move |(list, enabled, initial)| {
                let mut edges = vec![Vec::new(); count];
                for (marks, movers, source, target) in list {
                    edges[source].push(ExplicitEdge { marks, movers, target });
                }
                ExplicitGraph { initial: vec![initial], edges, enabled }
            })
        })
    }

    /// Can a run take exactly these edges infinitely often, with all marks, and is that fair by
    /// definition?
    fn is_witness(
        graph: &ExplicitGraph,
        chosen: &[(usize, &ExplicitEdge)],
        fairness: Option<Strength>,
    ) -> bool {
        let mut alone =
            ExplicitGraph { edges: vec![Vec::new(); graph.edges.len()], ..graph.clone() };
        chosen.iter().for_each(|(source, edge)| alone.edges[*source].push((*edge).clone()));
        let everything = vec![true; graph.edges.len()];
        let reachable = graph.reached(graph.initial.clone(), &everything);
        let connected = chosen.iter().all(|(_, edge)| {
            let visited = alone.reached(vec![edge.target], &everything);
            chosen.iter().all(|(source, edge)| visited[*source] && visited[edge.target])
        });
        let fair = |who: usize| {
            let mut claims = chosen.iter().map(|(source, _)| graph.enabled[*source].contains(&who));
            let claim = match fairness {
                None => false,
                Some(Strength::Weak) => claims.all(|claim| claim),
                Some(Strength::Strong) => claims.any(|claim| claim),
            };
            !claim || chosen.iter().any(|(_, edge)| edge.movers.contains(&who))
        };
        reachable[chosen[0].0]
            && connected
            && chosen.iter().fold(0, |all, (_, edge)| all | edge.marks) == 3
            && (0..3).all(fair)
    }

    proptest! {
        #![proptest_config(seeded::cases(1000))]

        #[test]
        fn components_are_all_there_is_to_look_at(graph in graphs()) {
            let sources = graph.edges.iter().enumerate();
            let all: Vec<(usize, &ExplicitEdge)> =
                sources
                    .flat_map(|(source, edges)| edges.iter().map(move |edge| (source, edge)))
                    .collect();
            for fairness in [None, Some(Strength::Weak), Some(Strength::Strong)] {
                let expected = (1u32..1 << all.len()).any(|subset| {
                    let bits = (0..all.len()).filter(|bit| subset >> bit & 1 == 1);
                    let chosen: Vec<_> = bits.map(|bit| all[bit]).collect();
                    is_witness(&graph, &chosen, fairness)
                });
                prop_assert_eq!(graph.has_cycle(3, fairness), expected, "{:?}", fairness);
            }
        }
    }

    /// Is there a lasso of exactly this many further edges?
    fn has_lasso<'g>(
        graph: &'g ExplicitGraph,
        path: &mut Vec<(usize, &'g ExplicitEdge)>,
        here: usize,
        left: usize,
        fairness: Option<Strength>,
    ) -> bool {
        if left == 0 {
            let starts = (0..path.len()).filter(|&start| path[start].0 == here);
            return starts.into_iter().any(|start| is_witness(graph, &path[start..], fairness));
        }
        graph.edges[here].iter().any(|edge| {
            path.push((here, edge));
            let found = has_lasso(graph, path, edge.target, left - 1, fairness);
            path.pop();
            found
        })
    }

    proptest! {
        #![proptest_config(seeded::cases(300))]

        #[test]
        fn no_way_is_shorter(graph in graphs()) {
            for fairness in [None, Some(Strength::Weak), Some(Strength::Strong)] {
                let found = graph.shortest(3, fairness, 6, usize::MAX);
                let expected = (1..6).find(|&length| {
                    let from = |&initial: &usize| {
                        has_lasso(&graph, &mut Vec::new(), initial, length, fairness)
                    };
                    graph.initial.iter().any(from)
                });
                prop_assert_eq!(found, Some(expected), "{:?}", fairness);
            }
        }
    }
}
