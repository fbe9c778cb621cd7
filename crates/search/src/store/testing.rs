//! Tests for every store: generated states, and the standard library's set as the oracle.

use super::{Insertion, Store};
use lariat_ir::random::SplitMix64;
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A number of states or rounds; Miri is a thousand times slower, so it gets a hundredth.
pub fn size(number: u64) -> u64 {
    if cfg!(miri) { number / 100 } else { number }
}

/// States in the order of insertion, with repetitions.
#[derive(Debug)]
pub struct GeneratedStates {
    pub words: usize,
    pub list: Vec<Vec<u64>>,
}

/// States of one to five words, whose halves take few or many values.
pub fn states() -> impl Strategy<Value = GeneratedStates> {
    (1usize..=5, any::<u64>(), 0..size(40_000), prop::collection::vec(0u32..=32, 10)).prop_map(
        |(words, seed, number, widths)| {
            let mut random = SplitMix64::new(seed);
            let mut half = |width: u32| random.next_u64() & ((1u64 << width) - 1);
            // Wide values are rare, as in a program that counts.
            let list = (0..number)
                .map(|step| {
                    let narrow = |width: u32| if step % 5 == 0 { width } else { width.min(3) };
                    (0..words)
                        .map(|word| {
                            half(narrow(widths[2 * word]))
                                | half(narrow(widths[2 * word + 1])) << 32
                        })
                        .collect()
                })
                .collect();
            GeneratedStates { words, list }
        },
    )
}

/// Different states: combinations of few values of each part.
pub fn product(words: usize, number: u64) -> Vec<Vec<u64>> {
    let digits = words as u64 * 3;
    let state = |index: u64| {
        let mut rest = index.wrapping_mul(7919) % number;
        let mut state = vec![0u64; words];
        for digit in 0..digits {
            let value = rest % 6;
            rest /= 6;
            state[(digit / 3) as usize] |= (value * value * 11 + value) << (digit % 3 * 20);
        }
        state[0] |= rest << 60;
        state
    };
    (0..number).map(state).collect()
}

/// Inserts a state, growing the store as needed; was it new?
pub fn insert<S: Store>(store: &mut S, state: &[u64]) -> bool {
    loop {
        let key = store.key(state);
        match store.insert(state, key) {
            Insertion::New => return true,
            Insertion::Known => return false,
            Insertion::Full => assert!(store.grow(u64::MAX, 3), "growth without a limit"),
        }
    }
}

pub fn insert_all<S: Store>(store: &mut S, states: &[Vec<u64>]) -> u64 {
    states.iter().filter(|state| insert(store, state)).count() as u64
}

/// Checks that an exact store distinguishes new from known states, across growth, and returns all
/// of them.
pub fn is_a_set<S: Store>(mut store: S, states: &GeneratedStates) -> Result<(), TestCaseError> {
    let mut oracle = HashSet::new();
    for state in &states.list {
        prop_assert_eq!(insert(&mut store, state), oracle.insert(state.clone()));
    }
    prop_assert_eq!(store.len(), oracle.len() as u64);
    let mut found = HashSet::new();
    let complete = store.for_each(&mut |state| {
        found.insert(state.to_vec());
    });
    prop_assert!(complete);
    prop_assert_eq!(found, oracle);
    Ok(())
}

/// Threads insert the same states in rounds between which the store grows; each state must be new
/// to exactly one of them.
pub fn threads_agree<S: Store>(mut store: S, words: usize) {
    const THREADS: usize = 3;
    let states = product(words, size(40_000));
    let done: Vec<AtomicUsize> = (0..THREADS).map(|_| AtomicUsize::new(0)).collect();
    let news = AtomicU64::new(0);
    while done.iter().any(|done| done.load(Ordering::Relaxed) < states.len()) {
        std::thread::scope(|scope| {
            for (thread, done) in done.iter().enumerate() {
                let (store, states, news) = (&store, &states, &news);
                scope.spawn(move || {
                    while let Some(state) = states.get(done.load(Ordering::Relaxed)) {
                        // Half of the threads insert in descending order.
                        let state = if thread % 2 == 0 {
                            state
                        } else {
                            &states[states.len() - 1 - done.load(Ordering::Relaxed)]
                        };
                        let key = store.key(state);
                        match store.insert(state, key) {
                            Insertion::New => news.fetch_add(1, Ordering::Relaxed),
                            Insertion::Known => 0,
                            Insertion::Full => break,
                        };
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(store.grow(u64::MAX, 3));
    }
    let different = states.iter().collect::<HashSet<_>>().len() as u64;
    assert_eq!(news.load(Ordering::Relaxed), different);
    assert_eq!(store.len(), different);
}

/// Threads insert the same few states in the same order into many new stores, so that they contend
/// for slots. Each state must be new to exactly one of them, and known after the store has grown.
pub fn threads_contend<S: Store>(make: impl Fn() -> S, words: usize) {
    const THREADS: usize = 3;
    let states = product(words, 300);
    let different: HashSet<&Vec<u64>> = states.iter().collect();
    for _ in 0..size(200) {
        let mut store = make();
        let news: Vec<Vec<usize>> = std::thread::scope(|scope| {
            let insert = || {
                let is_new = |number: &usize| {
                    let state = &states[*number];
                    store.insert(state, store.key(state)) == Insertion::New
                };
                (0..states.len()).filter(is_new).collect()
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(insert)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let all: Vec<&Vec<u64>> = news.iter().flatten().map(|number| &states[*number]).collect();
        assert_eq!(all.len(), all.iter().collect::<HashSet<_>>().len(), "new to one thread only");
        assert_eq!(store.len(), all.len() as u64);
        assert!(store.grow(u64::MAX, 2));
        for state in &states {
            insert(&mut store, state);
        }
        assert_eq!(store.len(), different.len() as u64);
    }
}
