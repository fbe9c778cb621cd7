//! Every store against the plainest search there is: exact ones find the same, others no more.

mod support;

use model::expression::BinaryOp;
use model::interp::PackedInterpreter;
use model::program::Program;
use model::{Domain, Interpreter};
use proptest::prelude::*;
use search::replay::replay;
use search::{
    Arrangement, Guarantee, Options, Order, Outcome, Replacement, Shuffled, StoreKind, Verdict, reachability,
    repeated,
};
use std::num::NonZeroUsize;
use support::*;

const ORDERS: [Order; 2] = [Order::DepthFirst, Order::BreadthFirst];

fn search(program: &Program, options: &Options<'_>) -> Outcome {
    let interpreter = Interpreter::new(program);
    let outcome = match PackedInterpreter::new(program) {
        Ok(packed) => reachability(&packed, options),
        Err(error) => Outcome::without_start(error),
    };
    for violation in &outcome.violations {
        replay(&interpreter, violation).expect("every counterexample replays");
    }
    outcome
}

fn figures(outcome: &Outcome) -> Figures {
    Figures {
        states: outcome.statistics.states,
        transitions: outcome.statistics.transitions,
        atomic_steps: outcome.statistics.atomic_steps,
        errors: outcome.errors,
        kinds: outcome.error_kinds.clone(),
    }
}

fn options(store: StoreKind, order: Order, threads: usize) -> Options<'static> {
    Options {
        order,
        all_errors: true,
        store,
        threads: NonZeroUsize::new(threads),
        join_after: (threads > 1).then_some(0),
        ..Options::default()
    }
}

fn cache(states: Option<u64>, replacement: Replacement, sleep_sets: bool) -> StoreKind {
    StoreKind::Cache { states, replacement, sleep_sets, seed: 1 }
}

const POLICIES: [Replacement; 4] =
    [Replacement::Layers, Replacement::Random, Replacement::LeastRecentlyUsed, Replacement::Deepest];

proptest! {
    #![proptest_config(seeded::cases(300))]

    #[test]
    fn exact_stores_agree_with_the_oracle(program in any_program()) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        for order in ORDERS {
            for threads in [1, 2] {
                // With 64 bits nothing is omitted among so few states.
                for store in [StoreKind::Interned, StoreKind::compact()] {
                    let outcome = search(&program, &options(store.clone(), order, threads));
                    prop_assert_eq!(&figures(&outcome), &expected, "{:?} {:?}", order, store);
                    prop_assert_eq!(outcome.errors > 0, !outcome.violations.is_empty());
                }
            }
        }
        let disk = StoreKind::Disk { directory: std::env::temp_dir() };
        let outcome = search(&program, &options(disk.clone(), Order::BreadthFirst, 1));
        prop_assert_eq!(&figures(&outcome), &expected);
        prop_assert!(outcome.exhaustive);
        let first = search(&program, &Options { all_errors: false, ..options(disk, Order::BreadthFirst, 1) });
        if let Some(found) = first.violations.first() {
            prop_assert_eq!(Some(stored_steps(&program, found)), shortest(&program));
        }
        for sleep_sets in [false, true] {
            let store = cache(None, Replacement::Random, sleep_sets);
            let outcome = search(&program, &options(store, Order::DepthFirst, 1));
            prop_assert_eq!(&figures(&outcome), &expected);
            prop_assert!(outcome.exhaustive);
        }
    }

    /// However small the memory: if what must be kept fits, the verdict is right.
    #[test]
    fn caches_are_right_or_say_so(
        program in any_program(),
        states in 1u64..30,
        policy in 0..POLICIES.len(),
        sleep_sets: bool,
    ) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        prop_assume!(expected.states < 500);
        let limits = search::Limits { states: Some(100_000), ..search::Limits::default() };
        let store = cache(Some(states), POLICIES[policy], sleep_sets);
        let options = Options { limits, ..options(store, Order::DepthFirst, 1) };
        let outcome = search(&program, &options);
        let revisits = outcome.statistics.revisits.expect("a cache counts");
        if outcome.limit.is_none() {
            prop_assert_eq!(&outcome.error_kinds, &expected.kinds);
            prop_assert_eq!(outcome.verdict() == Verdict::Violated, expected.errors > 0);
            prop_assert!(outcome.exhaustive && revisits.insertions >= expected.states);
        }
    }

    #[test]
    fn bit_arrays_find_no_more_than_there_is(program in any_program(), bytes in 64u64..4096) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        let store = StoreKind::Bitstate { functions: 2, bytes: Some(bytes), seed: 3 };
        let outcome = search(&program, &options(store.clone(), Order::DepthFirst, 1));
        prop_assert!(outcome.statistics.states <= expected.states);
        prop_assert!(outcome.error_kinds.is_subset(&expected.kinds));
        prop_assert!(!outcome.exhaustive);
        if let Ok(packed) = PackedInterpreter::new(&program) {
            let joint = repeated(&packed, &options(store, Order::DepthFirst, 1), 3);
            let (Guarantee::Omissions { expected: alone }, Guarantee::Omissions { expected: together }) =
                (outcome.guarantee, joint.guarantee) else { panic!("no array is exact") };
            prop_assert!(together <= alone + 1e-9);
            prop_assert!(joint.statistics.states >= outcome.statistics.states);
        }
    }

    #[test]
    fn the_order_of_successors_does_not_matter(program in any_program(), seed: u64) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        let Ok(_) = PackedInterpreter::new(&program) else { return Ok(()) };
        for arrangement in [Arrangement::Given, Arrangement::Reversed, Arrangement::Random(seed)] {
            let packed = PackedInterpreter::new(&program).expect("as before");
            let outcome = reachability(&Shuffled::new(packed, arrangement), &options(StoreKind::Packed, Order::DepthFirst, 1));
            prop_assert_eq!(&figures(&outcome), &expected);
            for violation in &outcome.violations {
                replay(&Interpreter::new(&program), violation).expect("every counterexample replays");
            }
        }
    }
}

#[test]
fn a_directory_that_is_not_there_is_a_message() {
    let program = program(&[], vec![process("p", vec![vec![]], &[0])]);
    let directory = std::env::temp_dir().join("lariat-no-such-directory");
    let outcome = search(&program, &options(StoreKind::Disk { directory }, Order::BreadthFirst, 1));
    assert_eq!(outcome.verdict(), Verdict::Inconclusive);
    assert!(outcome.limit.expect("a reason").to_string().contains("files"));
}

/// A counter that ends in a deadlock one step aside, near its end: every state is on the depth-first stack at the same time, and there is memory for a fifth of them.
#[test]
fn a_stack_larger_than_the_memory() {
    let count = edge(guarded(compare(BinaryOp::Less, 0, 255), vec![add(0, 1)]), 0);
    let aside = edge(guarded(compare(BinaryOp::Equal, 0, 250), vec![]), 1);
    let counter = process("counter", vec![vec![count, aside], vec![]], &[0]);
    let program = program(&[("x", Domain::unsigned(8), false)], vec![counter]);
    for policy in POLICIES {
        let outcome = search(&program, &options(cache(Some(51), policy, true), Order::DepthFirst, 1));
        let revisits = outcome.statistics.revisits.expect("a cache counts");
        assert!(outcome.exhaustive && revisits.kept <= 51 && revisits.insertions < 2 * 257, "{revisits:?}");
        // Replayed by `search`.
        assert_eq!(outcome.violations[0].run.steps.len(), 251);
        let outcome = search(&program, &options(cache(Some(3), policy, true), Order::DepthFirst, 1));
        assert!(matches!(outcome.limit, Some(search::Limit::Kept { states: 3, .. })), "{:?}", outcome.limit);
    }
}
