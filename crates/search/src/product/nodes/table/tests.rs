//! Tests of the node table.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

fn number(table: &mut NodeTable, words: &[u64], numbers: &mut NumberRange, threads: usize) -> Node {
    let hash = table.hash(words);
    loop {
        match table.intern(words, hash, numbers, threads == 1) {
            Some(node) => return node,
            None => assert_eq!(table.grow(u64::MAX, threads), Ok(()), "there are numbers left"),
        }
    }
}

proptest! {
    #![proptest_config(seeded::cases(50))]

    #[test]
    fn equal_words_have_one_number(
        keys in prop::collection::vec((0u64..40, 0u64..40), 1..3000),
        widen in 0usize..3000,
    ) {
        let mut table = NodeTable::new(2, 64, MAX_NODES);
        let mut known: HashMap<(u64, u64), Node> = HashMap::new();
        let mut numbers = NumberRange::default();
        for (index, key) in keys.into_iter().enumerate() {
            if index == widen {
                table.recode(3, 64, |old, new| {
                    new.clear();
                    new.extend([7, old[0], old[1]]);
                }).expect("there is memory");
            }
            let words: &[u64] =
                if index >= widen { &[7, key.0, key.1] } else { &[key.0, key.1] };
            let found = number(&mut table, words, &mut numbers, 2);
            let next = known.len() as Node;
            prop_assert_eq!(found, *known.entry(key).or_insert(next));
            let mut read = Vec::new();
            table.load(found, &mut read);
            prop_assert_eq!(&read[..], words);
        }
        prop_assert_eq!(table.len(), known.len());
    }
}

/// Every node is found again after any number of growths by any number of threads.
#[test]
fn grows_where_it_is() {
    let key = |index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for threads in 1..4 {
        let mut table = NodeTable::new(1, 64, MAX_NODES);
        let mut own = NumberRange::default();
        for _ in 0..2 {
            for index in 0..200_000 {
                let node = number(&mut table, &[key(index)], &mut own, threads);
                assert_eq!(u64::from(node), index);
            }
        }
        assert_eq!(table.len(), 200_000);
    }
}

/// Threads that add the same words concurrently get the same numbers, and no number is given
/// twice.
#[test]
fn threads_agree_on_numbers() {
    let mut table = NodeTable::new(2, 64, MAX_NODES);
    assert!(table.reserve(20_000, 1));
    let table = &table;
    let add = |thread: u64| -> Vec<Node> {
        let key = |step: u64| (step * (2 * thread + 1)) % 16_384;
        let (mut numbers, mut own) = (vec![0; 16_384], NumberRange::default());
        for step in 0..16_384 {
            let words = [key(step), !key(step)];
            let node =
                table.intern(&words, table.hash(&words), &mut own, false).expect("there is room");
            assert!(table.has_words(node, &words));
            numbers[key(step) as usize] = node;
        }
        numbers
    };
    let numbers: Vec<Vec<Node>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || add(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(numbers.iter().all(|list| *list == numbers[0]));
    let mut all = numbers[0].clone();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 16_384);
    assert!(all.iter().all(|node| *node < table.number_bound()));
    assert_eq!(table.len(), 16_384);
}
