//! `AG EF p` on the fly: can a state of the goal always be reached again (is it a home state)?
//! Strong components are completed in reverse topological order, so whether the goal can be reached
//! from a component is known when it is complete. The first component that cannot reach the goal is
//! the counterexample. No edges are stored.

use super::node_set::NodeSet;
use crate::liveness::VisitNumbers;
use crate::liveness::components::components;
use crate::liveness::{Graph, Node};

/// A reachable node from which no node of the goal can be reached, if there is one.
pub(super) fn find_state_without_return<G: Graph>(
    graph: &mut G,
    mut is_goal: impl FnMut(&mut G, Node) -> Result<bool, G::Error>,
) -> Result<Option<Node>, G::Error> {
    let initial = graph.initial()?;
    let mut home = NodeSet::none(0);
    let mut edges = Vec::new();
    components(graph, &initial, &mut VisitNumbers::all_unvisited(), |graph, component| {
        let members = component.members;
        for &member in members {
            let mut leads_home = is_goal(graph, member)?;
            if !leads_home {
                edges.clear();
                graph.successors(member, &mut edges)?;
                leads_home = edges.iter().any(|edge| home.holds(edge.target));
            }
            if leads_home {
                home.widen(graph.len());
                members.iter().for_each(|&member| home.insert(member));
                return Ok(None);
            }
        }
        Ok(members.first().copied())
    })
}

#[cfg(test)]
mod tests {
    use super::super::structure::{Structure, StructureGraph, TimeCheck};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(seeded::cases(1000))]

        #[test]
        fn finds_states_without_return(
            lists in prop::collection::vec(prop::collection::vec(0u32..100, 0..4), 1..100),
            goals in prop::collection::vec(0u32..100, 1..6),
        ) {
            let count = lists.len() as Node;
            let mut structure = Structure::default();
            for list in &lists {
                structure.push_plain(list.iter().map(|target| target % count));
            }
            let reached = |from: Node| {
                let mut visited = vec![from];
                let mut next = 0;
                while let Some(&node) = visited.get(next) {
                    next += 1;
                    for &target in structure.successors(node) {
                        if !visited.contains(&target) {
                            visited.push(target);
                        }
                    }
                }
                visited
            };
            let is_lost = |node: Node| !reached(node).iter().any(|node| goals.contains(node));
            let mut view =
                StructureGraph {
                    structure: &structure,
                    initial: vec![0],
                    within: None,
                    fair: false,
                    time_check: TimeCheck::new(None),
                };
            let is_goal = |_: &mut _, node| Ok(goals.contains(&node));
            let found = find_state_without_return(&mut view, is_goal).unwrap();
            prop_assert_eq!(found.is_some(), reached(0).iter().any(|&node| is_lost(node)));
            if let Some(node) = found {
                prop_assert!(is_lost(node) && reached(0).contains(&node));
            }
        }
    }
}
