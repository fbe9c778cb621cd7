//! The packed store compared with a set of the standard library: with one thread and several,
//! across growth, and at the memory limit.

use super::*;
use crate::store::testing::{insert as add, size};
use lariat_ir::random::SplitMix64;
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

fn contents(store: &Packed) -> HashSet<Vec<u64>> {
    let mut found = HashSet::new();
    store
        .for_each(&mut |state| assert!(found.insert(state.to_vec()), "each state is visited once"));
    assert_eq!(found.len() as u64, store.len());
    found
}

/// Words with few and with many different values.
fn word(bits: u32, random: u64, style: u64) -> u64 {
    let value = match style % 3 {
        0 => random % 50,
        1 => (random % 3000) << (bits / 2),
        _ => random,
    };
    if bits == 0 { 0 } else { value & u64::MAX >> (64 - bits) }
}

proptest! {
    #![proptest_config(seeded::cases(60))]

    #[test]
    fn behaves_like_a_set(
        bits in prop::collection::vec(0u32..=64, 1..6),
        count in 1..size(20_000),
        seed: u64,
        style: u64,
    ) {
        let mut random = SplitMix64::new(seed);
        let mut store = Packed::new(&bits, 0).unwrap();
        let mut oracle = HashSet::new();
        for _ in 0..count {
            let state: Vec<u64> =
                bits.iter().map(|&bits| word(bits, random.next_u64(), style)).collect();
            prop_assert_eq!(add(&mut store, &state), oracle.insert(state));
        }
        prop_assert_eq!(contents(&store), oracle);
    }
}

#[test]
#[cfg_attr(miri, ignore = "needs a large table")]
fn consecutive_numbers_are_stored_compactly() {
    for bits in [24, 30, 40, 64] {
        let mut store = Packed::new(&[bits], 0).unwrap();
        for number in 0..1_000_000 {
            assert!(add(&mut store, &[number]));
        }
        assert!(!add(&mut store, &[77_777]));
        assert_eq!(store.len(), 1_000_000);
        let limit = if bits == 64 { 22 } else { 11 };
        assert!(
            store.memory_bytes() < limit * 1_000_000,
            "{bits} bits: {} bytes",
            store.memory_bytes()
        );
    }
}

/// Threads insert the same states concurrently: each state is new to exactly one of them.
#[test]
fn threads_agree() {
    for (words, states) in [(1, 300_000u64), (2, 200_000), (3, 100_000), (9, 30_000)] {
        let states = size(states);
        let mut store = Packed::new(&vec![64; words], 0).unwrap();
        let added = AtomicU64::new(0);
        let state = |number: u64| -> Vec<u64> {
            (0..words as u64)
                .map(|word| SplitMix64::new(number * 31 + word % 3).next_u64() >> (word % 2 * 20))
                .collect()
        };
        // Where each thread stopped because the table was full.
        let mut places = [0u64; 4];
        while places.iter().any(|&place| place < states) {
            std::thread::scope(|scope| {
                for (thread, place) in places.iter_mut().enumerate() {
                    let (store, added) = (&store, &added);
                    scope.spawn(move || {
                        while *place < states {
                            // Two threads insert in ascending order, two in descending order.
                            let number = if thread % 2 == 0 { *place } else { states - 1 - *place };
                            let state = state(number);
                            let key = store.key(&state);
                            match store.insert(&state, key) {
                                Insertion::New => _ = added.fetch_add(1, Ordering::Relaxed),
                                Insertion::Known => {}
                                Insertion::Full => return,
                            }
                            *place += 1;
                        }
                    });
                }
            });
            if places.iter().any(|&place| place < states) {
                assert!(store.grow(u64::MAX, 3));
            }
        }
        assert_eq!(added.into_inner(), states);
        assert_eq!(contents(&store), (0..states).map(state).collect());
    }
}

#[test]
#[cfg_attr(miri, ignore = "needs a large table")]
fn respects_the_limit() {
    let mut store = Packed::new(&[64, 64], 0).unwrap();
    let limit = 2_000_000;
    let mut number = 0;
    loop {
        let state = [number, number * 3];
        let key = store.key(&state);
        match store.insert(&state, key) {
            Insertion::Full if !store.grow(limit, 1) => break,
            Insertion::Full => {}
            _ => number += 1,
        }
    }
    assert!(store.memory_bytes() <= limit && number > 30_000);
    assert_eq!(store.len(), number);
}

/// Tables reach a load of 60 % before they must grow, for all entry sizes.
#[test]
#[cfg_attr(miri, ignore = "needs a large table")]
fn buckets_fill_up() {
    for bits in [vec![40], vec![64], vec![64, 64], vec![64, 64, 64], vec![64; 5]] {
        let store = Packed::new(&bits, 500_000).unwrap();
        let capacity: u64 = store.segments.iter().map(Segment::capacity).sum();
        let mut number = 0u64;
        loop {
            let mut state = vec![number % 1000; bits.len()];
            state[0] = number;
            let key = store.key(&state);
            if store.insert(&state, key) == Insertion::Full {
                break;
            }
            number += 1;
        }
        let load = number as f64 / capacity as f64;
        assert!(load > 0.6, "{bits:?}: full at a load of {load}");
    }
}

/// A segment that grows by too little: states without a free slot go to the overflow list, are
/// still known, and return to the table when it grows further.
#[test]
fn states_without_a_slot_overflow() {
    let mut overflowed = 0;
    for bits in [vec![40], vec![64, 64], vec![64; 5]] {
        let mut store = Packed::new(&bits, 0).unwrap();
        let state = |number: u64| -> Vec<u64> {
            (0..bits.len() as u64).map(|word| number * (word + 1)).collect()
        };
        let mut number = 0;
        for round in 0..if cfg!(miri) { 9 } else { 40 } {
            while store.insert(&state(number), store.key(&state(number))) == Insertion::New {
                number += 1;
            }
            for index in 0..SEGMENTS {
                // Too few buckets for all states in most rounds, enough in every eighth.
                let buckets = store.segments[index].shape.buckets;
                let shape = store.shape(if round % 8 == 7 { 2 * buckets } else { buckets + 1 });
                let (words, stored) = (store.identity_words, store.stored.clone());
                assert!(store.segments[index].grow(shape, words, &stored));
                overflowed += store.segments[index].overflow.len();
            }
            assert_eq!(store.len(), number);
            for known in 0..number {
                assert_eq!(store.insert(&state(known), store.key(&state(known))), Insertion::Known);
            }
        }
        assert_eq!(contents(&store), (0..number).map(state).collect());
    }
    assert!(overflowed > 0, "the test fills overflow lists");
}

#[test]
fn threads_contend_for_slots() {
    for words in [1, 3] {
        super::super::testing::threads_contend(|| Packed::new(&vec![64; words], 0).unwrap(), words);
    }
}
