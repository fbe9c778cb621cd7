//! Everything is reached with any policy, and what was forgotten is new again.

use super::super::testing::{self, Random};
use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

const POLICIES: [Replacement; 4] =
    [Replacement::Layers, Replacement::Random, Replacement::LeastRecentlyUsed, Replacement::Deepest];

/// A graph by successors.
fn graph() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (1usize..60).prop_flat_map(|nodes| prop::collection::vec(prop::collection::vec(0..nodes, 0..3), nodes))
}

/// Depth-first from node 0: the nodes reached, and whether the stack did not fit.
fn traverse(graph: &[Vec<usize>], cache: &mut Cache) -> (HashSet<usize>, bool) {
    let mut reached = HashSet::new();
    let mut stack: Vec<(usize, usize)> = Vec::new();
    let mut next = Some(0);
    let mut steps = 0;
    loop {
        if let Some(node) = next.take() {
            let state = [node as u64, 7];
            let inserted = loop {
                match cache.insert(&state, cache.key(&state)) {
                    Insertion::Full if cache.grow(u64::MAX, 1) => {}
                    result => break result,
                }
            };
            match inserted {
                Insertion::New => {
                    assert!(!stack.iter().any(|(other, _)| *other == node), "the stack is sacred");
                    reached.insert(node);
                    stack.push((node, 0));
                }
                Insertion::Known => {}
                Insertion::Full => return (reached, true),
            }
        }
        steps += 1;
        let Some((node, taken)) = stack.last_mut() else { return (reached, false) };
        // The paper's worst case is a factorial: enough is enough.
        if steps > 200_000 {
            return (reached, true);
        }
        if let Some(successor) = graph[*node].get(*taken) {
            *taken += 1;
            next = Some(*successor);
        } else {
            cache.leave(&[*node as u64, 7]);
            stack.pop();
        }
    }
}

proptest! {
    #[test]
    fn reaches_everything(graph in graph(), states in 1u64..40, policy in 0..POLICIES.len()) {
        let policy = POLICIES[policy];
        let (all, _) = traverse(&graph, &mut Cache::new(2, 1000, policy, 1));
        let mut cache = Cache::new(2, states, policy, 1);
        let (reached, gave_up) = traverse(&graph, &mut cache);
        prop_assert!(cache.len() <= states);
        if !gave_up {
            prop_assert_eq!(reached, all);
        }
    }
}

#[test]
fn is_exact_while_there_is_room() {
    let states = testing::product(2, 20_000);
    let mut cache = Cache::new(2, 1 << 20, Replacement::Random, 0);
    assert_eq!(testing::insert_all(&mut cache, &states), 20_000);
    assert_eq!(testing::insert_all(&mut cache, &states), 0);
    let revisits = cache.revisits().expect("a cache counts");
    assert_eq!((revisits.insertions, revisits.replaced, revisits.distinct), (20_000, 0, 20_000));
}

#[test]
fn replaces_by_policy() {
    for policy in POLICIES {
        let mut cache = Cache::new(1, 100, policy, 3);
        let mut random = Random(9);
        for _ in 0..10_000 {
            let state = [random.below(300)];
            if testing::insert(&mut cache, &state) {
                cache.leave(&state);
            }
        }
        assert_eq!(cache.len(), 100);
        let revisits = cache.revisits().expect("a cache counts");
        assert_eq!(revisits.insertions - revisits.replaced, 100);
        assert!(revisits.distinct.abs_diff(300) < 10, "{revisits:?}");
    }
}
