//! Loom models of a segment: two buckets with the entries of the real code.

use super::entry::StoredWords;
use super::segment::Segment;
use super::shape::SegmentShape;
use crate::memory::sync::{Arc, explore};
use crate::store::Insertion;
use loom::thread;

const HASH_BITS: u32 = 8;
/// A state is a hashed word (here its own hash) and three stored words of 8 bytes each, so that
/// buckets have few slots.
const STORED: &StoredWords = &[(1, 8), (2, 8), (3, 8)];

fn state(hash: u64, word: u64) -> (u64, [u64; 4]) {
    (hash, [hash, word, !word, word << 8])
}

fn segment() -> Segment {
    Segment::new(SegmentShape::new(HASH_BITS, 2, 24)).expect("memory")
}

fn insert(segment: &Segment, (hash, state): (u64, [u64; 4])) -> Insertion {
    segment.insert::<false>(segment.shape.home(hash), &state, STORED)
}

fn contents(segment: &Segment) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    segment.for_each(&mut [0; 4], STORED, &mut |hash, state| found.push((hash, state[1])));
    found.sort_unstable();
    found
}

/// Runs two lists of insertions in parallel, and checks that each state is new to one thread; then
/// that all states survive growth, in place and by moving.
fn model(prepared: &[(u64, u64)], first: &'static [(u64, u64)], second: &'static [(u64, u64)]) {
    let shared = segment();
    for &(hash, word) in prepared {
        assert_eq!(insert(&shared, state(hash, word)), Insertion::New);
    }
    let shared = Arc::new(shared);
    let run = |segment: &Segment, list: &[(u64, u64)]| -> Vec<(u64, u64)> {
        let is_new =
            |&&(hash, word): &&(u64, u64)| insert(segment, state(hash, word)) == Insertion::New;
        list.iter().filter(is_new).copied().collect()
    };
    let other = Arc::clone(&shared);
    let thread = thread::spawn(move || run(&other, second));
    let mut all = run(&shared, first);
    all.extend(thread.join().expect("no panic"));
    all.extend(prepared);
    all.sort_unstable();
    let mut expected: Vec<_> = prepared.iter().chain(first).chain(second).copied().collect();
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(all, expected, "each state is new to exactly one thread");
    let mut segment = Arc::try_unwrap(shared).expect("the thread has ended");
    assert_eq!(contents(&segment), expected);
    for buckets in [3, 9] {
        assert!(segment.grow(SegmentShape::new(HASH_BITS, buckets, 24), 4, STORED));
        assert_eq!(contents(&segment), expected);
    }
    for (hash, word) in expected {
        assert_eq!(insert(&segment, state(hash, word)), Insertion::Known);
    }
}

#[test]
fn loom_equal_states_are_new_once() {
    explore(3, || model(&[], &[(7, 1)], &[(7, 1)]));
}

/// States with the same tag and different stored words, inserted in opposite order.
#[test]
fn loom_equal_tags_are_distinguished() {
    explore(3, || model(&[(9, 4)], &[(7, 1), (7, 2)], &[(7, 2), (7, 1)]));
}

/// The home bucket has one free slot, so one of the states goes to another bucket.
#[test]
fn loom_a_full_bucket_displaces_states() {
    let slots = segment_slots();
    explore(3, move || {
        let prepared: Vec<(u64, u64)> = (0..slots as u64 - 1).map(|hash| (hash, 5)).collect();
        model(&prepared, &[(100, 1), (101, 1)], &[(101, 1), (100, 1)]);
    });
}

fn segment_slots() -> usize {
    SegmentShape::new(HASH_BITS, 2, 24).slots
}
