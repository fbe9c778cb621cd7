//! Every state is reached with any policy, and evicted states are new again.

use super::super::testing;
use super::*;
use lariat_ir::random::SplitMix64;
use proptest::prelude::*;
use std::collections::HashSet;

const POLICIES: [Replacement; 4] = [
    Replacement::Layers,
    Replacement::Random,
    Replacement::LeastRecentlyUsed,
    Replacement::Deepest,
];

/// Enters a state with an empty sleep set; grows the cache if necessary.
fn insert(cache: &mut Cache, state: &[u64]) -> CacheEntry {
    loop {
        match cache.enter(state, 0) {
            CacheEntry::Full if cache.grow(u64::MAX) => {}
            entry => return entry,
        }
    }
}

/// Enters a state and leaves it; was it new?
fn insert_and_leave(cache: &mut Cache, state: &[u64]) -> bool {
    let is_new = matches!(insert(cache, state), CacheEntry::New { .. });
    cache.leave(state);
    is_new
}

/// The successors of each node.
fn graph() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (1usize..60)
        .prop_flat_map(|nodes| prop::collection::vec(prop::collection::vec(0..nodes, 0..3), nodes))
}

/// Depth-first from node 0: the nodes reached, and whether the traversal was given up.
fn traverse(graph: &[Vec<usize>], cache: &mut Cache) -> (HashSet<usize>, bool) {
    let mut reached = HashSet::new();
    let mut stack: Vec<(usize, usize)> = Vec::new();
    let mut next = Some(0);
    let mut steps = 0;
    loop {
        if let Some(node) = next.take() {
            match insert(cache, &[node as u64, 7]) {
                CacheEntry::New { .. } => {
                    assert!(!stack.iter().any(|(other, _)| *other == node), "not on the stack");
                    reached.insert(node);
                    stack.push((node, 0));
                }
                CacheEntry::Full => return (reached, true),
                _ => {}
            }
        }
        steps += 1;
        let Some((node, taken)) = stack.last_mut() else { return (reached, false) };
        // The worst case is factorial.
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
    #![proptest_config(seeded::cases(256))]

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
    let number = testing::size(20_000);
    let states = testing::product(2, number);
    let mut cache = Cache::new(2, 1 << 20, Replacement::Random, 0);
    for first in [true, false] {
        for state in &states {
            assert_eq!(insert_and_leave(&mut cache, state), first);
        }
    }
    let revisits = cache.revisits();
    assert_eq!((revisits.insertions, revisits.replaced, revisits.distinct), (number, 0, number));
}

#[test]
#[cfg_attr(miri, ignore = "statistics need many states")]
fn replaces_by_policy() {
    for policy in POLICIES {
        let mut cache = Cache::new(1, 100, policy, 3);
        let mut random = SplitMix64::new(9);
        for _ in 0..10_000 {
            insert_and_leave(&mut cache, &[random.below(300) as u64]);
        }
        assert_eq!(cache.len(), 100);
        let revisits = cache.revisits();
        assert_eq!(revisits.insertions - revisits.replaced, 100);
        assert!(revisits.distinct.abs_diff(300) < 10, "{revisits:?}");
    }
}

#[test]
fn states_on_the_stack_are_not_evicted() {
    let mut cache = Cache::new(1, 3, Replacement::Layers, 0);
    for number in 0..3 {
        assert_eq!(cache.enter(&[number], 0), CacheEntry::New { sleep_set: 0 });
    }
    assert_eq!(cache.enter(&[3], 0), CacheEntry::Full);
    cache.leave(&[2]);
    assert_eq!(cache.enter(&[3], 0), CacheEntry::New { sleep_set: 0 });
    assert_eq!(cache.enter(&[0], 0), CacheEntry::Known);
    assert_eq!(cache.revisits().kept, 3);
}

/// A state on the stack is not entered a second time; its woken successors are kept for the search.
#[test]
fn woken_successors_of_a_state_on_the_stack() {
    let mut cache = Cache::new(1, 100, Replacement::Layers, 0);
    assert_eq!(cache.enter(&[1], 0b1110), CacheEntry::New { sleep_set: 0b1110 });
    assert_eq!(cache.enter(&[2], 0), CacheEntry::New { sleep_set: 0 });
    assert_eq!(cache.enter(&[1], 0b1100), CacheEntry::Known);
    assert_eq!(cache.enter(&[1], 0b0111), CacheEntry::Known);
    cache.leave(&[2]);
    assert_eq!(cache.take_woken(&[1]), Some((0b1010, 0b0100)));
    assert_eq!(cache.take_woken(&[1]), None);
    cache.leave(&[1]);
    assert_eq!(cache.enter(&[1], 0), CacheEntry::Again { woken: 0b0100, sleep_set: 0 });
    let revisits = cache.revisits();
    assert_eq!((revisits.insertions, revisits.reentries), (2, 1));
}
