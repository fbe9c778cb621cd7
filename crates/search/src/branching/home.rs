//! `AG EF p` on the fly: can a state of the goal be reached again, whatever has happened? Strong components are met from the end, so when one is
//! complete it is known whether the goal can be reached from it; the first from which it cannot is the answer. No edges are stored.

use super::node_set::NodeSet;
use crate::liveness::Numbers;
use crate::liveness::fairness::components;
use crate::liveness::{Graph, Node};

/// A node that can be reached but from which no node of the goal can; if there is one.
pub(super) fn lost<G: Graph>(
    graph: &mut G,
    mut is_goal: impl FnMut(&mut G, Node) -> Result<bool, G::Stop>,
) -> Result<Option<Node>, G::Stop> {
    let initial = graph.initial()?;
    let mut home = NodeSet::none(0);
    let mut edges = Vec::new();
    components(graph, &initial, &mut Numbers::whole(), |graph, members, _| {
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
    use super::super::structure::{Patience, Structure, View};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(seeded::cases(1000))]

        #[test]
        fn finds_what_cannot_come_home(lists in prop::collection::vec(prop::collection::vec(0u32..100, 0..4), 1..100), goals in prop::collection::vec(0u32..100, 1..6)) {
            let count = lists.len() as Node;
            let mut structure = Structure::default();
            lists.iter().for_each(|list| structure.push_plain(list.iter().map(|target| target % count)));
            let reached = |from: Node| {
                let mut met = vec![from];
                let mut next = 0;
                while let Some(&node) = met.get(next) {
                    next += 1;
                    for &target in structure.successors(node) {
                        if !met.contains(&target) {
                            met.push(target);
                        }
                    }
                }
                met
            };
            let is_lost = |node: Node| !reached(node).iter().any(|node| goals.contains(node));
            let mut view =
                View { structure: &structure, initial: vec![0], within: None, fair: false, patience: Patience::new(None) };
            let found = lost(&mut view, |_, node| Ok(goals.contains(&node))).unwrap();
            prop_assert_eq!(found.is_some(), reached(0).iter().any(|&node| is_lost(node)));
            if let Some(node) = found {
                prop_assert!(is_lost(node) && reached(0).contains(&node));
            }
        }
    }
}
