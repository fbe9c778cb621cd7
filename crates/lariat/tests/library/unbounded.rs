//! The test for channels that grow without bound, on models whose answer is known.

use lariat_ir::Interpreter;
use lariat_search::Limits;
use lariat_search::unbounded::{Boundedness, Growth, unbounded, without_capacities};

fn program(source: &str) -> lariat_ir::Program {
    let loader = lariat_promela::MemoryLoader::new().with("m.pml", source);
    let compiled = lariat_promela::compile(&loader, "m.pml", &[]);
    without_capacities(&compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)))
}

fn answer(source: &str) -> Boundedness {
    unbounded(&program(source), &Limits { states: Some(200_000), ..Limits::default() })
}

/// Follows the run and repeats its cycle: every round must add the same number of messages.
fn repeat(source: &str, growth: &Growth) {
    let program = program(source);
    let interpreter = Interpreter::new(&program);
    let mut state =
        interpreter.initial_states().expect("it starts").swap_remove(growth.prefix.initial);
    let rounds = std::iter::repeat_n(&growth.cycle, 5).flatten();
    let mut successors = Vec::new();
    let mut lengths = Vec::new();
    for (number, step) in growth.prefix.steps.iter().chain(rounds).enumerate() {
        let (channel, _) = growth.channels[0];
        let place = number.checked_sub(growth.prefix.steps.len());
        if place.is_some_and(|place| place.is_multiple_of(growth.cycle.len())) {
            lengths.push(state.channels[channel as usize - 1].contents.len());
        }
        successors.clear();
        interpreter.successors(&state, &mut successors);
        let taken = successors.drain(..).find(|successor| successor.step == *step);
        state = taken
            .unwrap_or_else(|| panic!("step {number} can be taken"))
            .state
            .expect("and leads somewhere");
    }
    assert!(lengths.windows(2).all(|pair| pair[1] > pair[0]), "{lengths:?}");
}

fn grows(source: &str) -> Growth {
    match answer(source) {
        Boundedness::Unbounded(growth) => {
            repeat(source, &growth);
            *growth
        }
        other => panic!("{other:?}"),
    }
}

fn is_bounded(source: &str) -> Vec<usize> {
    match answer(source) {
        Boundedness::Bounded { longest, .. } => longest,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_producer_without_flow_control() {
    let growth = grows(
        "chan q = [1] of { byte };
         active proctype producer() { do :: q!1 od }
         active proctype consumer() { byte x; do :: q?x od }",
    );
    assert_eq!(growth.channels, [(1, 1)]);
}

#[test]
fn requests_that_wait_for_answers() {
    let longest = is_bounded(
        "chan ask = [1] of { byte }; chan answer = [4] of { byte };
         active proctype client() { do :: ask!1; answer?1 od }
         active proctype server() { do :: ask?1; answer!1 od }",
    );
    assert_eq!(longest, [1, 1]);
}

#[test]
fn a_window_bounds_messages_in_flight() {
    let longest = is_bounded(
        "chan data = [1] of { byte }; chan credit = [1] of { bit };
         active proctype sender() {
             byte free = 3;
             do :: free > 0 -> data!1; free-- :: credit?1 -> free++ od
         }
         active proctype receiver() { do :: data?1; credit!1 od }",
    );
    assert_eq!(longest, [3, 3]);
}

#[test]
fn resending_grows_the_channel() {
    grows(
        "mtype = { m0, m1, a0, a1 }; chan there = [2] of { mtype }; chan back = [2] of { mtype };
         active proctype sender() {
           do :: do :: there!m0 :: back?a0 -> break :: back?a1 od;
                 do :: there!m1 :: back?a1 -> break :: back?a0 od
           od }
         active proctype receiver() {
           do :: there?m0 -> back!a0 :: there?m1 -> back!a1 od }",
    );
}

/// The messages received differ from those sent, so the cycle cannot be repeated.
#[test]
fn a_round_that_cannot_be_repeated_proves_nothing() {
    let longest = is_bounded(
        "chan q = [4] of { byte };
         active proctype p() { byte n; q!1; do :: n < 3 -> q?1; q!2; q!2; n++ od }",
    );
    assert_eq!(longest.len(), 1);
}

/// A process that tests the length can stop when the channel is long enough.
#[test]
fn a_sender_that_looks_at_the_length() {
    let longest = is_bounded(
        "chan q = [4] of { byte };
         active proctype p() { do :: len(q) < 5 -> q!1 od }",
    );
    assert_eq!(longest, [5]);
}

#[test]
fn growth_that_ends_with_an_else() {
    let longest = is_bounded(
        "chan q = [4] of { byte };
         active proctype p() { byte x; do :: q?x; q?x :: else -> q!1 od }",
    );
    assert!(longest[0] <= 2, "{longest:?}");
}
