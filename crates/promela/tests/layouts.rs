//! Layouts of models whose counters, channels and processes grow: there are only a few misfits, and
//! the states are those of the interpreter.

#[allow(dead_code, reason = "this test does not need the corpus")]
mod common;

use common::compile;
use lariat_ir::layout::Profile;
use lariat_ir::system::{Repackable, Successors, TransitionSystem};
use lariat_ir::{Interpreter, PackedInterpreter, Program, State};
use std::collections::{HashSet, VecDeque};

/// The most misfits of a search.
const MOST: usize = 8;

/// The first states in breadth-first order.
fn states(program: &Program, most: usize) -> Vec<State> {
    let interpreter = Interpreter::new(program);
    let mut waiting = VecDeque::from(interpreter.initial_states().expect("there are some"));
    let mut known: HashSet<State> = waiting.iter().cloned().collect();
    let (mut found, mut successors) = (Vec::new(), Vec::new());
    while let Some(state) = waiting.pop_front().filter(|_| found.len() < most) {
        successors.clear();
        interpreter.successors(&state, &mut successors);
        found.push(state);
        for next in successors.drain(..).filter_map(|successor| successor.state) {
            if known.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
    }
    found
}

/// The number of misfits on the way through the states.
fn misfits(mut system: PackedInterpreter<'_>, states: &[State]) -> usize {
    let mut misfits = 0;
    for state in states {
        let mut words = Vec::new();
        system.layout().encode(state, &mut words).expect("a successor of an earlier state");
        loop {
            let mut out = Successors::new(system.width());
            let Err(misfit) = system.successors(&words, &mut out) else { break };
            misfits += 1;
            let wider = system.widened(&misfit);
            let mut recoded = Vec::new();
            wider.recoder(&system).recode(&words, &mut recoded);
            assert_eq!(wider.decode(&recoded), *state);
            (words, system) = (recoded, wider);
        }
    }
    misfits
}

fn check(text: &str) {
    let program = compile(text);
    let states = states(&program, 4000);
    let narrow = Profile::initial(&program, &states[..1]);
    let narrow = PackedInterpreter::with_profile(&program, narrow);
    let sampled = PackedInterpreter::new(&program).expect("there is an initial state");
    for system in [narrow, sampled] {
        let misfits = misfits(system, &states);
        assert!(misfits <= MOST, "{misfits} misfits:\n{text}");
    }
}

#[test]
fn counters_grow() {
    check(
        "int a, b, c, d, e, f, g, h, i; active proctype P() { do
        :: a++; b = b + 2; c = c + 3; d = d - 5; e = a * b; f = c + d;
        g = e - f; h = g ^ e; i = i + h
        od }",
    );
    check(
        "short s[9]; byte at; active proctype P() { do
        :: s[at] = s[at] + at; at = (at + 1) % 9 od } active proctype Q() { do :: s[at]-- od }",
    );
}

#[test]
fn processes_are_started_in_a_loop() {
    // At changing process numbers, because any of the six types may be next.
    let types: String = (0..6)
        .map(|t| {
            format!(
                "proctype T{t}(byte k) {{
            int own = k; do :: own > {t} -> own-- :: own <= {t} -> break od }}"
            )
        })
        .collect();
    let choices: String = (0..6).map(|t| format!(":: run T{t}(n)\n")).collect();
    check(&format!(
        "{types} init {{
            byte n; do :: n < 72 -> if {choices} fi; n++ :: else -> break od }}"
    ));
    // Without a bound, and with processes that end.
    check(
        "byte n; proctype A() { n++; n-- } proctype B() { run A(); run A() }
        init { do :: run A() :: run B() od }",
    );
}

#[test]
fn processes_create_channels() {
    check(
        "proctype A(chan out) { chan own = [9] of { int, byte }; int x;
            do :: own!x,3; x = x + 17 :: own?x,_ :: out!x,x od }
        proctype B(chan out) { chan own = [3] of { byte }; do :: own!1 :: own?_ :: out!7,7 od }
        chan all = [60] of { int, byte };
        init { byte n; do :: n < 20 -> run A(all); n++
            :: n < 20 -> run B(all); n++ :: else -> break od }",
    );
}

#[test]
fn initial_processes_are_replaced() {
    check(
        "proctype C(int k) { k = k * 3; k = k - 700 } active [2] proctype A() { skip }
        active proctype B() { int i; do :: i < 40 -> run C(i * 1000); i++ :: else -> break od }",
    );
}
