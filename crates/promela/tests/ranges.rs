//! The range analysis on models: no value of a random walk is outside its range, and loops, guards
//! and atomic sequences are analysed precisely.

mod common;

use common::compile;
use lariat_ir::program::{ChannelTypeId, ProcessTypeId, Program, VariableId};
use lariat_ir::ranges::{Ranges, analyse};
use lariat_ir::{Interpreter, State};
use lariat_promela::DiskLoader;
use std::collections::HashSet;

/// Checks a few thousand states, some near the initial state and some far from it.
fn check_reachable_values(program: &Program, ranges: &Ranges) -> Option<String> {
    let interpreter = Interpreter::new(program);
    let mut known: HashSet<State> = HashSet::new();
    let mut waiting = std::collections::VecDeque::from(interpreter.initial_states().ok()?);
    let mut successors = Vec::new();
    let mut turn = 0;
    while known.len() < 3000 {
        turn += 1;
        let next = if turn % 2 == 0 { waiting.pop_front() } else { waiting.pop_back() };
        let Some(state) = next else { break };
        if !known.insert(state.clone()) {
            continue;
        }
        if let Some(strange) = ranges.outside(program, &state) {
            return Some(strange);
        }
        successors.clear();
        interpreter.successors(&state, &mut successors);
        waiting.extend(successors.drain(..).filter_map(|successor| successor.state));
    }
    None
}

/// Checks the corpus and the models in the folder `LARIAT_MODELS`.
#[test]
fn values_of_the_corpus_are_within_their_ranges() {
    let paths = common::corpus();
    let mut analysed = 0;
    let mut bits = (0, 0);
    for path in &paths {
        let compiled = lariat_promela::compile(&DiskLoader, &path.to_string_lossy(), &[]);
        let Some(program) = compiled.program else { continue };
        let started = std::time::Instant::now();
        let ranges = analyse(&program);
        let time = started.elapsed();
        let (own, of_domains) = widths(&program, &ranges);
        bits = (bits.0 + own, bits.1 + of_domains);
        println!("{}: {own} bits of {of_domains}, {time:?}", path.display());
        if let Some(strange) = check_reachable_values(&program, &ranges) {
            panic!("{}: {strange}", path.display());
        }
        analysed += 1;
    }
    println!("{} bits of {}", bits.0, bits.1);
    assert!(analysed > 50, "only {analysed} models");
}

/// The bits of all variables, as analysed and as declared.
fn widths(program: &Program, ranges: &Ranges) -> (u32, u32) {
    let mut widths = (0, 0);
    for (id, variable) in (0u32..).zip(program.variables.iter()) {
        widths.0 += variable.length() * ranges.global(VariableId(id)).bits();
        widths.1 += variable.length() * variable.domain.width();
    }
    for (kind, process_type) in (0u32..).zip(&program.process_types) {
        for (id, variable) in (0u32..).zip(process_type.variables.iter()) {
            let interval = ranges.local(ProcessTypeId(kind), VariableId(id));
            widths.0 += variable.length() * interval.bits();
            widths.1 += variable.length() * variable.domain.width();
        }
    }
    widths
}

/// The ranges of a model's variables and of its first channel's fields, each as `name low..high`.
fn shown(text: &str) -> String {
    let program = compile(text);
    let ranges = analyse(&program);
    assert_eq!(check_reachable_values(&program, &ranges), None);
    let mut parts = Vec::new();
    for (id, variable) in (0u32..).zip(program.variables.iter()) {
        let interval = ranges.global(VariableId(id));
        parts.push(format!("{} {}..{}", variable.name, interval.low, interval.high));
    }
    for (kind, process_type) in (0u32..).zip(&program.process_types) {
        for (id, variable) in (0u32..).zip(process_type.variables.iter()) {
            let interval = ranges.local(ProcessTypeId(kind), VariableId(id));
            parts.push(format!(
                "{}:{} {}..{}",
                process_type.name, variable.name, interval.low, interval.high
            ));
        }
    }
    for (kind, channel_type) in (0u32..).zip(&program.channel_types) {
        for field in 0..channel_type.fields.len() {
            let interval = ranges.channel_field(ChannelTypeId(kind), field);
            parts
                .push(format!("{}.{field} {}..{}", channel_type.name, interval.low, interval.high));
        }
    }
    parts.join(", ")
}

#[test]
fn a_counter_stays_below_its_bound() {
    assert_eq!(
        shown("active proctype P() { byte i; do :: i < 5 -> i++ :: else -> break od }"),
        "P:i 0..5"
    );
    assert_eq!(shown("active proctype P() { int i; for (i : 3 .. 70) { skip } }"), "P:i 0..71");
    assert_eq!(
        shown(
            "active proctype P() { short i = 9; do :: i > 2 -> i = i - 1 :: i <= 2 -> i = 9 od }"
        ),
        "P:i 2..9"
    );
}

#[test]
fn constants_and_defaults() {
    assert_eq!(
        shown("int a = 7; int b; active proctype P() { int c = 3; a = 7; b = c + a; c = 3 }"),
        "a 7..7, b 0..10, P:c 3..3"
    );
    assert_eq!(shown("byte a[3] = 4; active proctype P() { a[1] = 6 }"), "a 4..6");
}

#[test]
fn globals_of_several_writers_inside_atomic_sequences() {
    let text = "byte n; active [2] proctype P() {
        do :: atomic { n < 3 -> n++ } :: d_step { n > 0 -> n-- } od }";
    assert_eq!(shown(text), "n 0..3");
    let split = "byte n; active [2] proctype P() { do :: n < 3 -> n++ :: n > 0 -> n-- od }";
    assert_eq!(shown(split), "n 0..255");
    let single = "byte n; active proctype P() { do :: n < 3 -> n++ :: n > 0 -> n-- od }";
    assert_eq!(shown(single), "n 0..3");
}

#[test]
fn elements_of_arrays() {
    let text = "byte a[2]; active [2] proctype P() {
        do :: d_step { a[_pid] < 3 -> a[_pid] = a[_pid] + 1 } :: a[_pid] = 0 od }";
    assert_eq!(shown(text), "a 0..3");
}

#[test]
fn an_index_that_was_used_is_within_its_array() {
    let stored = "byte a[4]; active proctype P() { byte k; do :: a[k] = 1; k++ od }";
    assert_eq!(shown(stored), "a 0..1, P:k 0..4");
    let tested = "byte a[4]; active proctype P() { byte k; do :: a[k] == 0 -> k = k + 2 od }";
    assert_eq!(shown(tested), "a 0..0, P:k 0..5");
    // An index that is perhaps not evaluated says nothing.
    let skipped = "byte a[4], b; active proctype P() { byte k; do
        :: b == 0 || a[k] == 1 -> k++; b = b - 1 od }";
    assert!(shown(skipped).ends_with("P:k 0..255"), "{}", shown(skipped));
    let offset = "byte a[4]; active proctype P() { int k; do :: a[k - 3] = 0; k++ :: k = 9 od }";
    assert_eq!(shown(offset), "a 0..0, P:k 0..9");
}

#[test]
fn messages_and_parameters() {
    let text = "chan c = [2] of { byte, int }; byte x;
        proctype Q(byte k) { c!k, 3 }
        init { byte b; int i; atomic { run Q(2); run Q(5) }; c?b,i; x = b }";
    assert_eq!(
        shown(text),
        "c 1..1, x 0..5, Q:k 2..5, init:b 0..5, init:i 0..3, c.0 2..5, c.1 3..3"
    );
}

#[test]
fn an_atomic_sequence_that_blocks_loses_control() {
    let text = "byte n; chan c = [0] of { bit }; active proctype P() {
        do :: atomic { n < 3 -> c!0; n++ } od }
        active proctype Q() { do :: c?_ -> n = 9 od }";
    assert!(shown(text).starts_with("n 0..255"), "{}", shown(text));
}

#[test]
fn process_counters_are_bounded_by_the_number_of_processes() {
    // For every interleaving, and also where branches split and join.
    let text = "byte inside, room = 9; active [5] proctype P() {
        do :: inside++; if :: room-- :: skip; d_step { room = room - 2; room++ } fi; skip; inside = inside - 1; room++ od }";
    assert_eq!(shown(text), "inside 0..5, room 4..9");
    // Not if a variable changes differently on two branches, is assigned otherwise, or wraps
    // around in its type.
    let not = "byte once, set, low; active [2] proctype P() { do
        :: once++; if :: once-- :: skip fi
        :: set++; set = 0
        :: low--; low++ od }";
    assert_eq!(shown(not), "once 0..255, set 0..255, low 0..255");
    // A terminated process leaves its changes behind, and the number of processes is unbounded.
    let gone = "byte all, now; proctype Q() { all++; now++; now-- } init { do :: _nr_pr < 4 -> run Q() od }";
    assert_eq!(shown(gone), "all 0..255, now 0..255");
    let few = "byte all, now; proctype Q() { all++; now++; now-- } init { run Q(); run Q() }";
    assert_eq!(shown(few), "all 0..2, now 0..2");
    // A message may contain any value.
    let received = "byte n; chan c = [1] of { byte }; active [2] proctype P() {
        do :: n++; n-- :: c!7 :: c?n od }";
    assert!(shown(received).starts_with("n 0..255"), "{}", shown(received));
}
