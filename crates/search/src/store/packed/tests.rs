//! The packed store against a set of the standard library: one thread and several, through growth, at the end of memory.

use super::*;
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

fn add(store: &mut Packed, state: &[u64]) -> bool {
    loop {
        let key = store.key(state);
        match store.insert(state, key) {
            Insertion::New => return true,
            Insertion::Known => return false,
            Insertion::Full => assert!(store.grow(u64::MAX, 3)),
        }
    }
}

fn contents(store: &Packed) -> HashSet<Vec<u64>> {
    let mut found = HashSet::new();
    store.for_each(&mut |state| assert!(found.insert(state.to_vec()), "each once"));
    assert_eq!(found.len() as u64, store.len());
    found
}

/// Numbers with few and with many different values.
fn word(bits: u32, random: u64, style: u64) -> u64 {
    let value = match style % 3 {
        0 => random % 50,
        1 => (random % 3000) << (bits / 2),
        _ => random,
    };
    if bits == 0 { 0 } else { value & u64::MAX >> (64 - bits) }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }
}

proptest! {
    #![proptest_config(seeded::cases(60))]

    #[test]
    fn behaves_like_a_set(
        bits in prop::collection::vec(0u32..=64, 1..6),
        count in 1usize..20_000,
        seed: u64,
        style: u64,
    ) {
        let mut random = Random(seed);
        let mut store = Packed::new(&bits, 0).unwrap();
        let mut oracle = HashSet::new();
        for _ in 0..count {
            let state: Vec<u64> = bits.iter().map(|&bits| word(bits, random.next(), style)).collect();
            prop_assert_eq!(add(&mut store, &state), oracle.insert(state));
        }
        prop_assert_eq!(contents(&store), oracle);
    }
}

#[test]
fn consecutive_numbers_fill_the_table_well() {
    for bits in [24, 30, 40, 64] {
        let mut store = Packed::new(&[bits], 0).unwrap();
        for number in 0..1_000_000 {
            assert!(add(&mut store, &[number]));
        }
        assert!(!add(&mut store, &[77_777]));
        assert_eq!(store.len(), 1_000_000);
        let limit = if bits == 64 { 22 } else { 11 };
        assert!(store.memory_bytes() < limit * 1_000_000, "{bits} bits: {} bytes", store.memory_bytes());
    }
}

/// Threads insert overlapping sets at once: each state is new to exactly one of them.
#[test]
fn threads_agree() {
    for (words, states) in [(1, 300_000u64), (2, 200_000), (3, 100_000), (9, 30_000)] {
        let mut store = Packed::new(&vec![64; words], 0).unwrap();
        let fresh = AtomicU64::new(0);
        let state = |number: u64| -> Vec<u64> {
            (0..words as u64).map(|word| Random(number * 31 + word % 3).next() >> (word % 2 * 20)).collect()
        };
        // Each thread keeps where it came to when there was no room.
        let mut places = [0u64; 4];
        while places.iter().any(|&place| place < states) {
            std::thread::scope(|scope| {
                for (thread, place) in places.iter_mut().enumerate() {
                    let (store, fresh) = (&store, &fresh);
                    scope.spawn(move || {
                        while *place < states {
                            // Two threads go up, two go down.
                            let number = if thread % 2 == 0 { *place } else { states - 1 - *place };
                            let state = state(number);
                            let key = store.key(&state);
                            match store.insert(&state, key) {
                                Insertion::New => _ = fresh.fetch_add(1, Ordering::Relaxed),
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
        assert_eq!(fresh.into_inner(), states);
        assert_eq!(contents(&store), (0..states).map(state).collect());
    }
}

#[test]
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

/// Tables fill up well before they must grow, whatever the size of an entry.
#[test]
fn buckets_fill_up() {
    for bits in [vec![40], vec![64], vec![64, 64], vec![64, 64, 64], vec![64; 5]] {
        let store = Packed::new(&bits, 500_000).unwrap();
        let room: u64 = store.segments.iter().map(Segment::room).sum();
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
        let load = number as f64 / room as f64;
        assert!(load > 0.6, "{bits:?}: full at a load of {load}");
    }
}

/// A segment that grows by too little: what finds no room is kept aside and known nonetheless, and finds its place later.
#[test]
fn what_finds_no_room_is_kept() {
    let mut strays = 0;
    for bits in [vec![40], vec![64, 64], vec![64; 5]] {
        let mut store = Packed::new(&bits, 0).unwrap();
        let state =
            |number: u64| -> Vec<u64> { (0..bits.len() as u64).map(|word| number * (word + 1)).collect() };
        let mut number = 0;
        for round in 0..40 {
            while store.insert(&state(number), store.key(&state(number))) == Insertion::New {
                number += 1;
            }
            for index in 0..SEGMENTS {
                // Hardly more, so that strays come about, and in the end enough.
                let buckets = store.segments[index].shape.buckets;
                let shape = store.shape(if round % 8 == 7 { 2 * buckets } else { buckets + 1 });
                let (words, others) = (store.identity_words, store.others.clone());
                assert!(store.segments[index].grow(shape, words, &others));
                strays += store.segments[index].strays.len();
            }
            assert_eq!(store.len(), number);
            for known in 0..number {
                assert_eq!(store.insert(&state(known), store.key(&state(known))), Insertion::Known);
            }
        }
        assert_eq!(contents(&store), (0..number).map(state).collect());
    }
    assert!(strays > 0, "the test makes some");
}

#[test]
fn threads_that_meet_in_the_same_slots() {
    for words in [1, 3] {
        super::super::testing::threads_contend(|| Packed::new(&vec![64; words], 0).unwrap(), words);
    }
}
