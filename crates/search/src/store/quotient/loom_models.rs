//! Loom models of a quotient table of two home lines.

use super::Quotient;
use crate::memory::sync::{Arc, explore};
use crate::store::Insertion;
use loom::thread;

fn contents(table: &Quotient) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    table.for_each(|home, extra| found.push((home, extra)));
    found.sort_unstable();
    found
}

/// Runs two lists of insertions in parallel, and checks that each key is new to one thread; then
/// that all keys survive growth.
fn model(prepared: &[(u64, u64)], first: &'static [(u64, u64)], second: &'static [(u64, u64)]) {
    let table = Quotient::new(60, 4, 0).expect("memory");
    for &(home, extra) in prepared {
        assert_eq!(table.insert(home, extra), Insertion::New);
    }
    let table = Arc::new(table);
    let run = |table: &Quotient, list: &[(u64, u64)]| -> Vec<(u64, u64)> {
        let is_new = |&&(home, extra): &&(u64, u64)| table.insert(home, extra) == Insertion::New;
        list.iter().filter(is_new).copied().collect()
    };
    let other = Arc::clone(&table);
    let thread = thread::spawn(move || run(&other, second));
    let mut all = run(&table, first);
    all.extend(thread.join().expect("no panic"));
    all.extend(prepared);
    all.sort_unstable();
    let mut expected: Vec<_> = prepared.iter().chain(first).chain(second).copied().collect();
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(all, expected, "each key is new to exactly one thread");
    let mut table = Arc::try_unwrap(table).expect("the thread has ended");
    assert_eq!(contents(&table), expected);
    assert!(table.rebuild(5, 0.65, |extra| extra));
    assert_eq!(contents(&table), expected);
    for (home, extra) in expected {
        assert_eq!(table.insert(home, extra), Insertion::Known);
    }
}

#[test]
fn loom_equal_keys_are_new_once() {
    explore(2, || model(&[], &[(7, 1)], &[(7, 1)]));
}

#[test]
fn loom_different_keys_are_both_added() {
    explore(2, || model(&[(3, 0)], &[(7, 1), (8, 1)], &[(8, 1)]));
}

/// The home line has one free slot, so one of the keys is displaced.
#[test]
fn loom_a_full_line_displaces_keys() {
    explore(2, || {
        let slots = super::Geometry::new(60, 4, 2).slots;
        let prepared: Vec<(u64, u64)> = (0..u64::from(slots) - 1).map(|home| (home, 0)).collect();
        model(&prepared, &[(100, 1)], &[(101, 1), (100, 1)]);
    });
}
