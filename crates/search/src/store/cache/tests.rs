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

/// Of four slots three are for the stack.
#[test]
fn what_is_new_waits_while_the_stack_is_long() {
    let cache = Cache::new(1, 4, Replacement::Layers, 0);
    let enter = |number: u64, asleep| cache.enter(&[number], cache.key(&[number]), asleep, true);
    for number in 0..3 {
        assert_eq!(enter(number, 0), Entry::New { asleep: 0 });
    }
    let Entry::PutOff { slot, layer } = enter(3, 0b110) else { panic!("the stack is long") };
    assert_eq!(enter(4, 0), Entry::Full, "what waits is kept");
    assert_eq!(enter(3, 0b011), Entry::Known);
    for number in [2, 1] {
        cache.leave(&[number]);
    }
    assert_eq!(enter(3, 0b111), Entry::New { asleep: 0b010 });
    assert_eq!(cache.resume(slot, layer), None, "it was done on the way");
    for number in [3, 0] {
        cache.leave(&[number]);
    }
    assert_eq!(cache.revisits().map(|revisits| revisits.kept), Some(4));
}

#[test]
fn what_is_resumed_is_kept_until_released() {
    let mut cache = Cache::new(1, 4, Replacement::Layers, 0);
    let enter = |cache: &Cache, number: u64| cache.enter(&[number], cache.key(&[number]), 0, true);
    for number in 0..3 {
        enter(&cache, number);
    }
    let Entry::PutOff { slot, layer } = enter(&cache, 3) else { panic!("the stack is long") };
    for number in [2, 1, 0] {
        cache.leave(&[number]);
    }
    assert_eq!(cache.resume(slot, layer), Some((vec![3], 0)));
    cache.leave(&[3]);
    for number in 10..50 {
        assert!(testing::insert(&mut cache, &[number]));
        cache.leave(&[number]);
    }
    assert_eq!(enter(&cache, 3), Entry::Known);
    cache.release(slot);
    for number in 60..100 {
        assert!(testing::insert(&mut cache, &[number]));
        cache.leave(&[number]);
    }
    assert_eq!(enter(&cache, 3), Entry::New { asleep: 0 });
}

/// A state on the stack is not entered a second time: the search finds what was woken when it comes back.
#[test]
fn what_is_woken_on_the_stack_waits_there() {
    let cache = Cache::new(1, 100, Replacement::Layers, 0);
    let enter = |number: u64, asleep| cache.enter(&[number], cache.key(&[number]), asleep, true);
    assert_eq!(enter(1, 0b1110), Entry::New { asleep: 0b1110 });
    assert_eq!(enter(2, 0), Entry::New { asleep: 0 });
    assert_eq!(enter(1, 0b1100), Entry::Known);
    assert_eq!(enter(1, 0b0111), Entry::Known);
    cache.leave(&[2]);
    let woken = || cache.woken(&[1], cache.key(&[1]));
    assert_eq!(woken(), Some((0b1010, 0b0100)));
    assert_eq!(woken(), None);
    cache.leave(&[1]);
    assert_eq!(enter(1, 0), Entry::Again { woken: 0b0100, asleep: 0 });
    assert_eq!(cache.revisits().map(|revisits| (revisits.insertions, revisits.reentries)), Some((2, 1)));
}
