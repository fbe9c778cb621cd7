//! Fair searches on random graphs, compared with an oracle that tries every set of edges: the edges
//! that a run takes infinitely often are a reachable, strongly connected set, and every such set
//! belongs to a run.

use super::*;
use crate::liveness::{Algorithm, Edge, Effort, Graph, Halt, Node, Shortest};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::convert::Infallible;

#[derive(Clone, Debug)]
struct ExplicitFairGraph {
    initial: Vec<Node>,
    marks: u32,
    /// By node.
    enabled: Vec<ActorSet>,
    edges: Vec<Vec<FairEdge>>,
}

impl Graph for ExplicitFairGraph {
    type Error = Infallible;

    fn initial(&mut self) -> Result<Vec<Node>, Infallible> {
        Ok(self.initial.clone())
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Infallible> {
        out.extend(self.edges[node as usize].iter().map(|edge| edge.edge));
        Ok(())
    }

    fn all_marks(&self) -> u64 {
        (1 << self.marks) - 1
    }

    fn is_accepting(&self, node: Node) -> bool {
        self.edges[node as usize].iter().all(|edge| edge.edge.marks == self.all_marks())
    }

    fn len(&self) -> usize {
        self.edges.len()
    }
}

impl FairGraph for ExplicitFairGraph {
    fn expand(
        &mut self,
        node: Node,
        edges: &mut Vec<FairEdge>,
        enabled: &mut ActorSet,
    ) -> Result<(), Infallible> {
        edges.extend_from_slice(&self.edges[node as usize]);
        enabled.clone_from(&self.enabled[node as usize]);
        Ok(())
    }
}

impl ExplicitFairGraph {
    fn all_edges(&self) -> Vec<(Node, &FairEdge)> {
        let nodes = self.edges.iter().enumerate();
        nodes.flat_map(|(node, edges)| edges.iter().map(move |edge| (node as Node, edge))).collect()
    }

    fn reached(&self, from: &[Node], edges: &[(Node, &FairEdge)]) -> Vec<bool> {
        let mut visited = vec![false; self.edges.len()];
        from.iter().for_each(|&node| visited[node as usize] = true);
        loop {
            let mut grown = false;
            for (source, edge) in edges {
                if visited[*source as usize] && !visited[edge.edge.target as usize] {
                    visited[edge.edge.target as usize] = true;
                    grown = true;
                }
            }
            if !grown {
                return visited;
            }
        }
    }

    /// Is a run that takes exactly these edges infinitely often accepting and fair, by the survey's
    /// definition?
    fn is_fair(&self, edges: &[(Node, &FairEdge)], strength: Strength) -> bool {
        let marks = edges.iter().fold(0, |all, (_, edge)| all | edge.edge.marks);
        marks == self.all_marks()
            && (0..200).all(|actor| {
                let mut claims =
                    edges.iter().map(|(source, _)| self.enabled[*source as usize].contains(actor));
                let claim = match strength {
                    Strength::Weak => claims.all(|enabled| enabled),
                    Strength::Strong => claims.any(|enabled| enabled),
                };
                !claim || edges.iter().any(|(_, edge)| edge.movers.contains(actor))
            })
    }

    /// The oracle.
    fn has_fair_run(&self, strength: Strength) -> bool {
        let all = self.all_edges();
        let reachable = self.reached(&self.initial, &all);
        (1u32..1 << all.len()).any(|subset| {
            let chosen: Vec<(Node, &FairEdge)> =
                (0..all.len()).filter(|bit| subset >> bit & 1 == 1).map(|bit| all[bit]).collect();
            reachable[chosen[0].0 as usize]
                && self.is_fair(&chosen, strength)
                && chosen.iter().all(|(_, edge)| {
                    let visited = self.reached(&[edge.edge.target], &chosen);
                    chosen.iter().all(|(other, edge)| {
                        visited[*other as usize] && visited[edge.edge.target as usize]
                    })
                })
        })
    }

    /// Is the lasso a path of the graph with a cycle that is accepting and fair?
    fn shows(&self, lasso: &FairLasso, strength: Strength) -> bool {
        let steps: Vec<LassoStep> = lasso.prefix.iter().chain(&lasso.cycle).copied().collect();
        let Some(closing) = lasso.cycle.first() else { return false };
        let follows = steps.iter().enumerate().all(|(index, step)| {
            let next = steps.get(index + 1).unwrap_or(closing).node;
            self.edges[step.node as usize]
                .get(step.edge)
                .is_some_and(|edge| edge.edge.target == next)
        });
        let edges: Vec<(Node, &FairEdge)> = lasso
            .cycle
            .iter()
            .filter_map(|step| Some((step.node, self.edges[step.node as usize].get(step.edge)?)))
            .collect();
        follows && self.initial.contains(&steps[0].node) && self.is_fair(&edges, strength)
    }
}

impl ExplicitFairGraph {
    /// Can the walk be continued by at most this many steps to a lasso that is accepting and fair?
    /// Tries every walk.
    fn has_lasso(
        &self,
        walk: &mut Vec<LassoStep>,
        node: Node,
        steps: usize,
        strength: Strength,
    ) -> bool {
        let closes = (0..walk.len()).filter(|&start| walk[start].node == node).any(|start| {
            let (prefix, cycle) = walk.split_at(start);
            self.shows(&FairLasso { prefix: prefix.to_vec(), cycle: cycle.to_vec() }, strength)
        });
        closes
            || steps > 0
                && (0..self.edges[node as usize].len()).any(|edge| {
                    walk.push(LassoStep { node, edge });
                    let target = self.edges[node as usize][edge].edge.target;
                    let found = self.has_lasso(walk, target, steps - 1, strength);
                    walk.pop();
                    found
                })
    }
}

/// Small graphs. The actors' numbers are far apart, so that some sets need more than one word.
fn graphs() -> impl Strategy<Value = ExplicitFairGraph> {
    const ACTORS: [u32; 4] = [0, 63, 64, 130];
    fn set(bits: u8) -> ActorSet {
        (0..4).filter(|bit| bits >> bit & 1 == 1).map(|bit| ACTORS[bit as usize]).collect()
    }
    (1usize..5, 0u32..3).prop_flat_map(|(count, marks)| {
        let edge = (0..count, 0..count as Node, 0u64..1 << marks, 0u8..16);
        let edges = prop::collection::vec(edge, 0..9);
        // Enabled without an edge.
        let more = prop::collection::vec(prop_oneof![Just(0u8), 0u8..16], count);
        let initial = prop::collection::vec(0..count as Node, 1..3);
        (edges, more, initial).prop_map(move |(list, more, initial)| {
            let mut edges = vec![Vec::new(); count];
            let mut enabled: Vec<ActorSet> = more.into_iter().map(set).collect();
            for (source, target, marks, movers) in list {
                // Mostly one mover, sometimes two, sometimes none.
                let movers = set(if movers < 12 { 1 << (movers % 4) } else { movers & 3 });
                enabled[source].union(&movers);
                edges[source].push(FairEdge { edge: Edge { marks, target }, movers });
            }
            ExplicitFairGraph { initial, marks, enabled, edges }
        })
    })
}

/// A fair lasso by flag counters, in a table or in tails, and the number of pairs that were
/// visited.
fn with_counters(
    graph: &mut ExplicitFairGraph,
    algorithm: Algorithm,
    tails: bool,
) -> (Option<FairLasso>, usize) {
    let mut actors = 1;
    loop {
        let mut counters =
            if tails { FlagCounters::in_tails(graph, actors) } else { FlagCounters::new(graph) };
        let found = algorithm.search(&mut counters);
        let nodes = counters.len();
        let found = found
            .and_then(|lasso| lasso.map(|lasso| counters.without_counters(&lasso)).transpose());
        match found {
            Ok(found) => return (found, nodes),
            Err(CounterError::Actors(more)) => {
                assert!(tails && more > actors);
                actors = more;
            }
            Err(stop) => panic!("{stop:?}"),
        }
    }
}

proptest! {
    #![proptest_config(seeded::cases(4000))]

    #[test]
    fn fair_lassos_exist_and_are_found(graph in graphs()) {
        for strength in [Strength::Weak, Strength::Strong] {
            let expected = graph.has_fair_run(strength);
            let Ok(found) = search(&mut graph.clone(), strength);
            prop_assert_eq!(found.is_some(), expected, "{:?}", strength);
            if let Some(lasso) = found {
                prop_assert!(graph.shows(&lasso, strength), "{:?} {:?}", strength, lasso);
            }
        }
    }

    #[test]
    fn flag_counters_are_weak_fairness(graph in graphs()) {
        let expected = graph.has_fair_run(Strength::Weak);
        let nondeterministic = |each: &Algorithm| *each != Algorithm::Deterministic;
        for algorithm in Algorithm::ALL.into_iter().filter(nondeterministic) {
            let mut visited = None;
            for tails in [false, true] {
                let mut graph = graph.clone();
                let (found, nodes) = with_counters(&mut graph, algorithm, tails);
                prop_assert_eq!(found.is_some(), expected, "{:?} {}", algorithm, tails);
                // The search does not depend on where the counters are.
                prop_assert_eq!(*visited.get_or_insert(nodes), nodes);
                if let Some(lasso) = found {
                    let is_shown = graph.shows(&lasso, Strength::Weak);
                    prop_assert!(is_shown, "{:?} {:?}", algorithm, lasso);
                }
            }
        }
    }

    #[test]
    fn actor_sets_agree_with_btree_sets(
        left in prop::collection::btree_set(0u32..200, 0..8),
        right in prop::collection::btree_set(0u32..200, 0..8),
    ) {
        let set = |members: &BTreeSet<u32>| members.iter().copied().collect::<ActorSet>();
        let (one, two) = (set(&left), set(&right));
        prop_assert_eq!(one.iter().collect::<Vec<_>>(), left.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(one.is_subset(&two), left.is_subset(&right));
        prop_assert_eq!(one.intersects(&two), !left.is_disjoint(&right));
        let changed = |change: fn(&mut ActorSet, &ActorSet)| {
            let mut result = one.clone();
            change(&mut result, &two);
            result
        };
        prop_assert_eq!(changed(ActorSet::union), set(&left.union(&right).copied().collect()));
        let both = left.intersection(&right).copied().collect();
        prop_assert_eq!(changed(ActorSet::intersect), set(&both));
        let difference = left.difference(&right).copied().collect();
        prop_assert_eq!(changed(ActorSet::subtract), set(&difference));
    }
}

proptest! {
    // Trying every walk takes long.
    #![proptest_config(seeded::cases(300))]

    #[test]
    fn no_lasso_is_shorter_than_the_shortest(graph in graphs()) {
        for strength in [Strength::Weak, Strength::Strong] {
            let Ok(found) = search(&mut graph.clone(), strength);
            let Some(lasso) = found else { continue };
            let Shortest { lasso, unproven } =
                shortest(&mut graph.clone(), lasso, strength, Effort::default());
            prop_assert_eq!(unproven, None);
            prop_assert!(graph.shows(&lasso, strength), "{:?} {:?}", strength, lasso);
            let shorter = (lasso.prefix.len() + lasso.cycle.len() - 1).min(5);
            for &initial in &graph.initial {
                let is_shorter = graph.has_lasso(&mut Vec::new(), initial, shorter, strength);
                prop_assert!(!is_shorter, "{:?} {:?}", strength, lasso);
            }
        }
    }
}

/// A process that waits busily starves the other only without fairness.
#[test]
fn busy_waiting_is_unfair() {
    let mover = |actor| [actor].into_iter().collect::<ActorSet>();
    let both: ActorSet = [0, 1].into_iter().collect();
    // In node 0 process 0 spins and process 1 can leave to node 1, which has nothing accepting.
    let edge =
        |marks, target, actor| FairEdge { edge: Edge { marks, target }, movers: mover(actor) };
    let mut graph = ExplicitFairGraph {
        initial: vec![0],
        marks: 1,
        enabled: vec![both, mover(0)],
        edges: vec![vec![edge(1, 0, 0), edge(0, 1, 1)], vec![edge(0, 1, 0)]],
    };
    let Ok(unfair) = Algorithm::Couvreur.search(&mut graph);
    assert!(unfair.is_some());
    for strength in [Strength::Weak, Strength::Strong] {
        let Ok(fair) = search(&mut graph, strength);
        assert_eq!(fair, None);
    }
}

/// A ring of nodes with two edges from each to the next, each with an actor of its own, and all
/// actors enabled everywhere. A fair cycle goes round twice. After one round 2^`nodes` different
/// sets of actors are possible, and no set contains another.
fn ring(nodes: u32) -> ExplicitFairGraph {
    let edges = (0..nodes).map(|node| {
        let target = Node::from((node + 1) % nodes);
        let edge = |actor: u32| FairEdge {
            edge: Edge { marks: 0, target },
            movers: [actor].into_iter().collect(),
        };
        vec![edge(2 * node), edge(2 * node + 1)]
    });
    let enabled = vec![(0..2 * nodes).collect(); nodes as usize];
    ExplicitFairGraph { initial: vec![0], marks: 0, enabled, edges: edges.collect() }
}

#[test]
fn the_search_for_a_shortest_lasso_is_bounded() {
    for strength in [Strength::Weak, Strength::Strong] {
        let mut graph = ring(40);
        let Ok(found) = search(&mut graph, strength);
        let found = found.expect("each actor can move");
        let length = found.prefix.len() + found.cycle.len();
        let Shortest { lasso, unproven } =
            shortest(&mut graph.clone(), found, strength, Effort::new(1_000_000));
        assert_eq!(unproven, Some(Halt::Effort(1_000_000)), "{strength:?}");
        assert!(graph.shows(&lasso, strength), "{strength:?}");
        assert!(lasso.prefix.len() + lasso.cycle.len() <= length);
        // A small ring is proven to be shortest.
        let mut graph = ring(5);
        let Ok(found) = search(&mut graph, strength);
        let found = found.expect("each actor can move");
        let Shortest { lasso, unproven } =
            shortest(&mut graph.clone(), found, strength, Effort::default());
        assert_eq!(
            (lasso.prefix.len(), lasso.cycle.len(), unproven),
            (0, 10, None),
            "{strength:?}"
        );
    }
}
