//! Models of the node table for loom.

use super::*;
use crate::memory::sync::{Arc, explore};
use loom::thread;

fn intern(table: &NodeTable, keys: &[u64]) -> Vec<Node> {
    let mut numbers = NumberRange::default();
    let intern = |&key: &u64| {
        let words = [key, !key];
        // Equal hash values, so that entries collide.
        let node = table.intern(&words, 0, &mut numbers, false).expect("there is room");
        assert!(table.has_words(node, &words), "a published node is complete");
        node
    };
    keys.iter().map(intern).collect()
}

/// Threads that add the same nodes agree on their numbers, no two nodes share a number, and
/// growth keeps them.
#[test]
fn loom_threads_agree_on_numbers() {
    explore(3, || {
        let table = Arc::new(NodeTable::new(2, 64, MAX_NODES));
        let other = Arc::clone(&table);
        let thread = thread::spawn(move || intern(&other, &[2, 1]));
        let numbers = intern(&table, &[1, 2]);
        let mut others = thread.join().expect("no panic");
        others.reverse();
        assert_eq!(numbers, others);
        assert_ne!(numbers[0], numbers[1]);
        let mut table = Arc::try_unwrap(table).expect("the thread has ended");
        assert_eq!(table.len(), 2);
        assert!(table.reserve(12, 1));
        for (key, node) in [1u64, 2].into_iter().zip(numbers) {
            assert_eq!(table.find(&[key, !key], 0), Some(node));
        }
    });
}
