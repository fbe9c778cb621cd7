//! The searches against a naive search, and at their limits.

mod support;

use lariat_ir::domain::Domain;
use lariat_ir::expression::{BinaryOp, Expr};
use lariat_ir::interp::PackedInterpreter;
use lariat_ir::program::{Action, Operation, Program};
use lariat_ir::{Interpreter, RuntimeError};
use lariat_search::replay::replay;
use lariat_search::{Limit, Limits, Options, Order, Outcome, Verdict, reachability};
use proptest::prelude::*;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use support::*;

const ORDERS: [Order; 2] = [Order::DepthFirst, Order::BreadthFirst];

/// One thread that records predecessors, and several threads from the start.
const THREADS: [Option<usize>; 4] = [None, Some(1), Some(2), Some(3)];

/// Options for `threads` threads from the first state on; for `None`, one thread that records
/// predecessors.
fn options(
    order: Order,
    all_errors: bool,
    threads: Option<usize>,
    limits: Limits<'_>,
) -> Options<'_> {
    let join_after = threads.map(|_| 0);
    let threads = NonZeroUsize::new(threads.unwrap_or(1));
    Options { order, all_errors, limits, threads, join_after, ..Options::default() }
}

fn search_with(program: &Program, options: &Options<'_>) -> Outcome {
    let interpreter = Interpreter::new(program);
    let outcome = match PackedInterpreter::new(program) {
        Ok(packed) => reachability(&packed, options),
        Err(error) => Outcome::without_start(error),
    };
    assert_eq!(outcome.errors > 0, !outcome.violations.is_empty());
    for violation in &outcome.violations {
        replay(&interpreter, violation).expect("every counterexample replays");
    }
    outcome
}

fn search(program: &Program, order: Order, all_errors: bool, limits: Limits<'_>) -> Outcome {
    search_with(program, &options(order, all_errors, None, limits))
}

fn everything(program: &Program, order: Order) -> Outcome {
    search(program, order, true, Limits::default())
}

proptest! {
    #![proptest_config(seeded::cases(2000))]

    #[test]
    fn agrees_with_the_oracle(program in any_program()) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        let mut coverage = Vec::new();
        let cases = ORDERS.into_iter().flat_map(|order| THREADS.map(|threads| (order, threads)));
        for (order, threads) in cases {
            let outcome = search_with(&program, &options(order, true, threads, Limits::default()));
            prop_assert_eq!(&Figures::of(&outcome), &expected, "{:?} with {:?} threads", order, threads);
            prop_assert!(outcome.exhaustive && !outcome.endless_atomic);
            coverage.push(outcome.coverage);
            let first = search_with(&program, &options(order, false, threads, Limits::default()));
            prop_assert_eq!(first.verdict() == Verdict::Violated, expected.errors > 0);
            if order == Order::BreadthFirst && let Some(found) = first.violations.first() {
                prop_assert_eq!(Some(stored_steps(&program, found)), shortest(&program));
            }
            prop_assert!(first.statistics.states <= expected.states);
        }
        prop_assert!(coverage.windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn endless_atomic_sequences_end(program in any_program()) {
        // Both orders visit the same states, also where the oracle gives up.
        let budget = lariat_ir::Budget::of(Duration::from_secs(5));
        let limits = || Limits { budget: &budget, ..Limits::default() };
        let outcomes = ORDERS.map(|order| search(&program, order, true, limits()));
        if outcomes.iter().all(|outcome| outcome.exhaustive) {
            prop_assert_eq!(outcomes[0].statistics.states, outcomes[1].statistics.states);
            prop_assert_eq!(&outcomes[0].error_kinds, &outcomes[1].error_kinds);
            prop_assert_eq!(&outcomes[0].coverage, &outcomes[1].coverage);
        }
    }
}

/// One process that counts up to `top` and down again.
fn counter(top: i32, hidden: bool) -> Program {
    let up = guarded(compare(BinaryOp::Less, 0, top), vec![add(0, 1)]);
    let down = guarded(compare(BinaryOp::Greater, 0, 0), vec![add(0, -1)]);
    program(
        &[("x", Domain::INT, false), ("h", Domain::INT, hidden)],
        vec![process("counter", vec![vec![edge(up, 0), edge(down, 0)]], &[])],
    )
}

#[test]
fn a_deep_path_is_searched_in_little_memory() {
    let top = 300_000;
    let outcome = everything(&counter(top, false), Order::DepthFirst);
    assert_eq!(outcome.verdict(), Verdict::Holds);
    assert_eq!(outcome.statistics.states, top as u64 + 1);
    assert_eq!(outcome.statistics.transitions, 2 * top as u64 + 1);
    assert_eq!(outcome.statistics.depth, top as u64);
}

#[test]
fn a_deep_error_has_its_run() {
    let top = 20_000;
    let mut deep = counter(top, false);
    let location = &mut deep.process_types[0].locations[0];
    let condition = compare(BinaryOp::NotEqual, 0, top);
    let check = Action::Assert { condition, text: "x != top".into() };
    location.transitions.push(edge(Operation::act(vec![check]), 0));
    for order in ORDERS {
        let outcome = search(&deep, order, false, Limits::default());
        assert_eq!(outcome.violations[0].error, RuntimeError::AssertionViolated("x != top".into()));
        assert_eq!(outcome.violations[0].run.steps.len(), top as usize + 1);
    }
}

#[test]
fn hidden_variables_are_no_part_of_a_state() {
    // The hidden variable counts on, the state is the same.
    let count = Operation::act(vec![add(1, 1)]);
    let hidden = program(
        &[("x", Domain::BYTE, false), ("h", Domain::INT, true)],
        vec![process("P", vec![vec![edge(count, 0)]], &[])],
    );
    for order in ORDERS {
        let outcome = everything(&hidden, order);
        assert_eq!((outcome.statistics.states, outcome.statistics.transitions), (1, 2));
    }
}

#[test]
fn an_atomic_loop_with_choices_ends() {
    // Inside, any of 12 bits can be flipped at each step, forever, or the loop is left.
    let variables: Vec<(&str, Domain, bool)> =
        (0..12).map(|_| ("bit", Domain::BIT, false)).collect();
    let mut flips = Vec::new();
    for variable in 0..12 {
        let flipped = Expr::binary(BinaryOp::Subtract, Expr::Const(1), read(variable));
        flips.push(atomic(Operation::act(vec![assign(variable, flipped)]), 1));
    }
    flips.push(edge(Operation::SKIP, 2));
    let start = vec![atomic(Operation::SKIP, 1)];
    let endless = program(&variables, vec![process("P", vec![start, flips, vec![]], &[2])]);
    for order in ORDERS {
        let outcome = everything(&endless, order);
        assert_eq!(outcome.verdict(), Verdict::Holds);
        assert!(outcome.endless_atomic);
        assert_eq!(outcome.statistics.states, 1 + (1 << 12));
    }
}

#[test]
fn limits_are_inconclusive() {
    let none = lariat_ir::Budget::of(Duration::ZERO);
    let raised = lariat_ir::Budget::until(std::sync::Arc::new(AtomicBool::new(true)));
    let limits: [(Limits<'_>, Limit); 5] = [
        (Limits { depth: Some(100), ..Limits::default() }, Limit::Depth(100)),
        (Limits { states: Some(50), ..Limits::default() }, Limit::States(50)),
        (Limits { memory_bytes: Some(1), ..Limits::default() }, Limit::MemoryBytes(1)),
        (Limits { budget: &none, ..Limits::default() }, Limit::Time(Duration::ZERO)),
        (Limits { budget: &raised, ..Limits::default() }, Limit::Interrupted),
    ];
    for (limits, expected) in limits {
        for order in ORDERS {
            let outcome = search(&counter(200_000, false), order, true, limits.clone());
            assert_eq!(outcome.verdict(), Verdict::Inconclusive);
            assert_eq!(outcome.limit, Some(expected));
            assert!(!outcome.exhaustive && outcome.statistics.states < 200_000);
        }
    }
    let exact = Limits { states: Some(11), depth: Some(11), ..Limits::default() };
    for order in ORDERS {
        assert_eq!(
            search(&counter(10, false), order, true, exact.clone()).verdict(),
            Verdict::Holds
        );
    }
}

#[test]
fn an_empty_program_holds() {
    for order in ORDERS {
        let outcome = everything(&program(&[], Vec::new()), order);
        assert_eq!(outcome.verdict(), Verdict::Holds);
        assert_eq!((outcome.statistics.states, outcome.statistics.transitions), (1, 1));
    }
}
