//! Searches that begin with a layout that represents the initial states only: the counts are right,
//! and there are only a few widenings.

mod support;

use lariat_ir::domain::Domain;
use lariat_ir::expression::{BinaryOp, Expr};
use lariat_ir::interp::PackedInterpreter;
use lariat_ir::layout::Profile;
use lariat_ir::program::Program;
use lariat_ir::{Interpreter, RuntimeError};
use lariat_search::{Options, Order, Outcome, StoreKind, reachability};
use proptest::prelude::*;
use std::num::NonZeroUsize;
use support::*;

/// The most widenings of a search.
const MOST: u64 = 8;

fn search(program: &Program, options: &Options<'_>) -> Result<Outcome, RuntimeError> {
    let initial = Interpreter::new(program).initial_states()?;
    let narrow = Profile::initial(program, &initial);
    Ok(reachability(&PackedInterpreter::with_profile(program, narrow), options))
}

fn options(order: Order, store: StoreKind, threads: usize) -> Options<'static> {
    let join_after = (threads > 1).then_some(0);
    let threads = NonZeroUsize::new(threads);
    Options { order, store, all_errors: true, threads, join_after, ..Options::default() }
}

proptest! {
    #![proptest_config(seeded::cases(300))]

    #[test]
    fn random_programs_are_searched_with_few_widenings(program in any_program()) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        for (order, store, threads) in [
            (Order::DepthFirst, StoreKind::Packed, 1),
            (Order::BreadthFirst, StoreKind::Interned, 1),
            (Order::DepthFirst, StoreKind::Packed, 2),
        ] {
            let Ok(outcome) = search(&program, &options(order, store, threads)) else { break };
            prop_assert_eq!(&Figures::of(&outcome), &expected, "{:?}, {} threads", order, threads);
            prop_assert!(outcome.statistics.widenings <= MOST);
        }
    }
}

/// Counters that cannot be bounded statically, because one process increments them and another one
/// decrements them; their sum is bounded.
fn counters(most: i32) -> Program {
    let sum = Expr::binary(BinaryOp::Add, read(0), read(1));
    let below = Expr::binary(BinaryOp::Less, sum, Expr::Const(most));
    let up = |variable| edge(guarded(below.clone(), vec![add(variable, 1)]), 0);
    let down = |variable| {
        edge(guarded(compare(BinaryOp::Greater, variable, 0), vec![add(variable, -1)]), 0)
    };
    let both = |variable| vec![vec![up(variable), down(variable)]];
    program(
        &[("x", Domain::INT, false), ("y", Domain::INT, false)],
        vec![process("first", both(0), &[]), process("second", both(1), &[])],
    )
}

#[test]
fn growing_counters_are_searched_with_few_widenings() {
    let most = 300u64;
    let program = counters(most as i32);
    for (order, store, threads) in [
        (Order::DepthFirst, StoreKind::Packed, 1),
        (Order::BreadthFirst, StoreKind::Packed, 2),
        (Order::DepthFirst, StoreKind::Interned, 2),
        (Order::BreadthFirst, StoreKind::Interned, 1),
    ] {
        let outcome = search(&program, &options(order, store, threads)).expect("it has a start");
        let statistics = &outcome.statistics;
        assert_eq!(statistics.states, (most + 1) * (most + 2) / 2, "{order:?}");
        // The initial state counts as one.
        assert_eq!(statistics.transitions, 2 * most * (most + 1) + 1, "{order:?}");
        assert!((1..=MOST).contains(&statistics.widenings), "{}", statistics.widenings);
    }
}
