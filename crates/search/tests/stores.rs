//! Every store against a naive search: exact stores agree with it, others find no more.

mod support;

use lariat_ir::expression::BinaryOp;
use lariat_ir::interp::PackedInterpreter;
use lariat_ir::program::Program;
use lariat_ir::{Domain, Interpreter};
use lariat_search::replay::replay;
use lariat_search::{
    Guarantee, Limit, Limits, Options, Order, Outcome, Replacement, Shuffled, StoreKind,
    SuccessorOrder, Verdict, reachability, repeated,
};
use proptest::prelude::*;
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

const POLICIES: [Replacement; 4] = [
    Replacement::Layers,
    Replacement::Random,
    Replacement::LeastRecentlyUsed,
    Replacement::Deepest,
];

proptest! {
    #![proptest_config(seeded::cases(300))]

    #[test]
    fn exact_stores_agree_with_the_oracle(program in any_program()) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        for order in ORDERS {
            for threads in [1, 2] {
                // Fingerprints of 64 bits do not collide among so few states.
                for store in [StoreKind::Interned, StoreKind::compact()] {
                    let outcome = search(&program, &options(store.clone(), order, threads));
                    prop_assert_eq!(&Figures::of(&outcome), &expected, "{:?} {:?}", order, store);
                    prop_assert_eq!(outcome.errors > 0, !outcome.violations.is_empty());
                }
            }
        }
        let disk = StoreKind::Disk { directory: std::env::temp_dir() };
        let outcome = search(&program, &options(disk.clone(), Order::BreadthFirst, 1));
        prop_assert_eq!(&Figures::of(&outcome), &expected);
        prop_assert!(outcome.exhaustive);
        let disk = Options { all_errors: false, ..options(disk, Order::BreadthFirst, 1) };
        let first = search(&program, &disk);
        if let Some(found) = first.violations.first() {
            prop_assert_eq!(Some(stored_steps(&program, found)), shortest(&program));
        }
        for sleep_sets in [false, true] {
            let store = cache(None, Replacement::Random, sleep_sets);
            let outcome = search(&program, &options(store, Order::DepthFirst, 1));
            prop_assert_eq!(&Figures::of(&outcome), &expected);
            prop_assert!(outcome.exhaustive);
        }
    }

    /// If the states that must be kept fit, the verdict is right.
    #[test]
    fn caches_are_right_or_inconclusive(
        program in any_program(),
        states in 1u64..30,
        policy in 0..POLICIES.len(),
        sleep_sets: bool,
    ) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        prop_assume!(expected.states < 500);
        let limits = Limits { states: Some(100_000), ..Limits::default() };
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
    fn bit_arrays_find_no_additional_states(program in any_program(), bytes in 64u64..4096) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        let store = StoreKind::Bitstate { functions: 2, bytes: Some(bytes), seed: 3 };
        let outcome = search(&program, &options(store.clone(), Order::DepthFirst, 1));
        prop_assert!(outcome.statistics.states <= expected.states);
        prop_assert!(outcome.error_kinds.is_subset(&expected.kinds));
        prop_assert!(!outcome.exhaustive);
        if let Ok(packed) = PackedInterpreter::new(&program) {
            let together = repeated(&packed, &options(store, Order::DepthFirst, 1), 3);
            let omissions = |outcome: &Outcome| match outcome.guarantee {
                Guarantee::Omissions { expected } => expected,
                Guarantee::Exact => panic!("no array is exact"),
            };
            let (alone, combined) = (omissions(&outcome), omissions(&together));
            prop_assert!(combined <= alone + 1e-9);
            prop_assert!(together.statistics.states >= outcome.statistics.states);
        }
    }

    #[test]
    fn the_order_of_successors_does_not_matter(program in any_program(), seed: u64) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        let Ok(_) = PackedInterpreter::new(&program) else { return Ok(()) };
        let orders =
            [SuccessorOrder::Given, SuccessorOrder::Reversed, SuccessorOrder::Random(seed)];
        for order in orders {
            let packed = PackedInterpreter::new(&program).expect("as before");
            let options = options(StoreKind::Packed, Order::DepthFirst, 1);
            let outcome = reachability(&Shuffled::new(packed, order), &options);
            prop_assert_eq!(&Figures::of(&outcome), &expected);
            for violation in &outcome.violations {
                let replayed = replay(&Interpreter::new(&program), violation);
                replayed.expect("every counterexample replays");
            }
        }
    }
}

#[test]
fn a_missing_directory_is_reported() {
    let program = program(&[], vec![process("p", vec![vec![]], &[0])]);
    let directory = std::env::temp_dir().join("lariat-no-such-directory");
    let outcome = search(&program, &options(StoreKind::Disk { directory }, Order::BreadthFirst, 1));
    assert_eq!(outcome.verdict(), Verdict::Inconclusive);
    assert!(outcome.limit.expect("a reason").to_string().contains("files"));
}

/// A counter with a deadlock near its end: every state is on the depth-first stack, which does not
/// fit. With room for all states the counterexample is found.
#[test]
fn a_stack_larger_than_the_memory() {
    let count = edge(guarded(compare(BinaryOp::Less, 0, 255), vec![add(0, 1)]), 0);
    let aside = edge(guarded(compare(BinaryOp::Equal, 0, 250), vec![]), 1);
    let counter = process("counter", vec![vec![count, aside], vec![]], &[0]);
    let program = program(&[("x", Domain::unsigned(8), false)], vec![counter]);
    for policy in POLICIES {
        let run = |states| {
            search(&program, &options(cache(Some(states), policy, true), Order::DepthFirst, 1))
        };
        let roomy = run(300);
        assert!(roomy.exhaustive);
        // Replayed by `search`.
        assert_eq!(roomy.violations[0].run.steps.len(), 251);
        let cramped = run(51);
        let is_full = matches!(cramped.limit, Some(Limit::Kept { states: 51, .. }));
        assert!(is_full, "{:?}", cramped.limit);
    }
}

/// Six independent counters from 0 to 3: 4096 states, with room for all of them or for few.
/// The limit counts insertions once states are evicted, and the reason says so.
#[test]
fn the_limit_of_states_says_what_it_counts() {
    let count = |variable: u32| {
        let guard = compare(BinaryOp::Less, variable, 3);
        process("p", vec![vec![edge(guarded(guard, vec![add(variable, 1)]), 0)]], &[0])
    };
    let variables = ["a", "b", "c", "d", "e", "f"].map(|name| (name, Domain::unsigned(2), false));
    let program = program(&variables, (0..6).map(count).collect());
    let limited = |room: u64, limit: u64| {
        let limits = Limits { states: Some(limit), ..Limits::default() };
        let store = cache(Some(room), Replacement::Random, false);
        search(&program, &Options { limits, ..options(store, Order::DepthFirst, 1) })
    };
    let roomy = limited(10_000, 2000);
    assert_eq!((roomy.limit, roomy.statistics.states), (Some(Limit::States(2000)), 2000));
    let cramped = limited(100, 2000);
    assert_eq!(cramped.limit, Some(Limit::Insertions(2000)));
    assert!(cramped.limit.is_some_and(|limit| limit.to_string().contains("counted again")));
    assert_eq!(limited(10_000, 5000).limit, None, "there are 4096 states");
}
