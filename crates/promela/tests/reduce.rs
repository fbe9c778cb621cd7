//! Reductions of models: the same errors, no more states, and every counterexample can be replayed.

mod common;
#[path = "../../ir/tests/common/explore.rs"]
mod explore;

use common::compile;
use explore::{compare, explore};
use lariat_ir::expression::{Expr, Place, Remote, Scope};
use lariat_ir::program::{ProcessTypeId, VariableId};
use lariat_ir::reduce::{Observed, Passes, reduce};
use lariat_ir::{Interpreter, Program, State};
use lariat_promela::{DiskLoader, MemoryLoader};
use std::collections::{BTreeSet, HashSet};

/// Larger models are covered by searches with better stores.
const MOST_STATES: usize = 15_000;

/// Checks the corpus and the models in the folder `LARIAT_MODELS`.
fn on_all(passes: Passes) {
    let paths = common::corpus();
    let mut compared = 0;
    let mut wrong = Vec::new();
    for path in &paths {
        let Some(program) =
            lariat_promela::compile(&DiskLoader, &path.to_string_lossy(), &[]).program
        else {
            continue;
        };
        match compare(&program, passes, MOST_STATES) {
            Ok(Some((before, after))) => {
                compared += 1;
                println!("{}: {before} states, reduced {after}", path.display());
            }
            Ok(None) => {}
            Err(difference) => wrong.push(format!("{}: {difference}", path.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 50, "only {compared} models");
}

#[test]
fn constants_on_the_corpus() {
    on_all(Passes { constants: true, ..Passes::NONE });
}

#[test]
fn write_only_on_the_corpus() {
    on_all(Passes { write_only: true, ..Passes::NONE });
}

#[test]
fn dead_on_the_corpus() {
    on_all(Passes { dead: true, ..Passes::NONE });
}

#[test]
fn atomic_steps_on_the_corpus() {
    on_all(Passes::SAME_STATES);
}

#[test]
fn merging_on_the_corpus() {
    on_all(Passes { merge: true, ..Passes::NONE });
}

#[test]
fn everything_on_the_corpus() {
    on_all(Passes::ALL);
}

/// The number of states of a model, before and after the passes.
fn states(text: &str, passes: Passes) -> (usize, usize) {
    compare(&compile(text), passes, 100_000).expect("no difference").expect("few states")
}

#[test]
fn a_forwarded_message_is_reset() {
    let text = "chan in = [1] of { byte }; chan out = [1] of { byte };
        active proctype Source() { do :: in!1 :: in!2 :: in!3 od }
        active proctype Relay() { byte x; do :: in?x -> out!x od }
        active proctype Sink() { do :: out?_ od }";
    let (before, after) = states(text, Passes { dead: true, ..Passes::NONE });
    assert!(after < before, "{before} states, reduced {after}");
}

#[test]
fn remotely_read_variables_do_not_die() {
    let text = "active proctype P() { byte x = 3; x = 4; do :: true od }
        active proctype Q() { assert(P[0]:x != 4) }";
    states(text, Passes::ALL);
    let reduced = reduce(&compile(text), &Observed::default());
    assert!(
        reduced.program.process_types[0].locations.iter().all(|location| location.dead.is_empty())
    );
}

#[test]
fn a_write_only_counter_is_dropped() {
    let text = "int n; byte x; active [2] proctype P() { do :: x < 2 -> x++; n++ :: x > 0 -> x--; n = n + x od }";
    let program = compile(text);
    assert!(explore(&program, 5000).is_none(), "n has no bound");
    let reduced = reduce(&program, &Observed::default());
    assert!(explore(&reduced.program, 5000).is_some());
}

#[test]
fn an_error_remains_if_its_result_is_unused() {
    let text =
        "int n; byte x = 1; active proctype P() { do :: x < 3 -> x++ :: x-- ; n = 5 / x od }";
    states(text, Passes { write_only: true, ..Passes::NONE });
    let text = "byte a[3]; byte i; active proctype P() { do :: a[i] = 1; i++ od }";
    states(text, Passes { write_only: true, ..Passes::NONE });
}

#[test]
fn local_steps_are_merged() {
    let text = "byte g; active [2] proctype P() { byte i, s; g = 1; do :: i < 4 -> s = s + i; i++ :: else -> break od; g = s }";
    let (before, after) = states(text, Passes { merge: true, ..Passes::NONE });
    assert!(2 * after < before, "{before} states, reduced {after}");
}

/// Resetting a dead variable leaves an empty step, which is merged with a receive.
#[test]
fn resets_of_dead_variables_are_no_steps() {
    let text = "chan c = [2] of { byte }; byte g;
        active proctype P() { do :: c!1 :: c!2 od }
        active proctype Q() { byte t; do :: c?t; if :: t == 1 -> g = 1 :: else fi; t = 0 od }";
    let (before, after) = states(text, Passes::ALL);
    assert!(3 * after < 2 * before, "{before} states, reduced {after}");
    let reduced = reduce(&compile(text), &Observed::default());
    let program = format!("{:?}", reduced.program.process_types[1].locations);
    assert!(!program.contains("Assign([(Place { scope: Local"), "{program}");
    // A store whose evaluation can fail must not be removed.
    states("byte g; active proctype P() { byte t; t = 5; t = 1 / g; t = 2; g = t }", Passes::ALL);
}

/// While the receiver is not ready, the sender may choose another branch.
#[test]
fn waiting_for_a_rendezvous_is_visible() {
    let text = "chan c = [0] of { bit }; byte g, x;
        active proctype P() { g = 1; x = 1; c?_ ; do :: true od }
        active proctype Q() { byte l; g == 1; if :: c!0 :: else -> assert(false) fi; l = 1; do :: true od }";
    states(text, Passes::ALL);
    let text = "chan c = [0] of { bit }; byte g;
        active proctype P() { byte l; g = 1; l = 1; c?_ ; do :: true od }
        active proctype Q() { g == 1; if :: c!0 :: else -> assert(false) fi; do :: true od }";
    states(text, Passes::ALL);
}

/// Generator of random models that combine local steps, atomic sequences and rendezvous.
struct ModelGenerator {
    seed: u64,
}

impl ModelGenerator {
    fn below(&mut self, bound: u64) -> u64 {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % bound
    }

    fn one(&mut self, list: &[&str]) -> String {
        list[self.below(list.len() as u64) as usize].into()
    }

    fn model(&mut self) -> String {
        let mut text =
            String::from("byte g, h; chan c = [0] of { bit }; chan d = [1] of { byte };\n");
        for process in 0..2 + self.below(2) {
            let statements = 2 + self.below(4);
            let body = self.sequence(statements, 2);
            let kind = ["P", "Q", "R"][process as usize];
            text += &format!("active proctype {kind}() {{ byte a, b;\n{body} }}\n");
        }
        text
    }

    fn sequence(&mut self, length: u64, depth: u64) -> String {
        (0..length.max(1)).map(|_| self.statement(depth)).collect::<Vec<String>>().join(";\n")
    }

    fn expression(&mut self) -> String {
        self.one(&[
            "a", "b", "g", "h", "a + 1", "b + a", "g + 1", "1 - h", "2", "0", "1", "a / b", "_pid",
        ])
    }

    fn statement(&mut self, depth: u64) -> String {
        let nested = if depth > 0 { 17 } else { 11 };
        match self.below(nested) {
            0..=3 => format!(
                "{} = ({}) & 3",
                self.one(&["a", "b", "a", "b", "g", "h"]),
                self.expression()
            ),
            4 => self.one(&[
                "g < 2", "h == 0", "a < 2", "a == b", "timeout", "true", "g != h", "empty(d)",
            ]),
            5 => self.one(&["c!0", "d!a", "d!g", "d!1"]),
            6 => self.one(&["c?_", "d?a", "d?g", "d?_", "d?b"]),
            7 => self.one(&["assert(g < 3)", "assert(a != 2 || h == 0)", "assert(b < 3)"]),
            8 => "skip".into(),
            9 | 10 => self.one(&["a = 1", "b = a & 1", "a = b", "b = 0", "g = 1", "h = g & 1"]),
            11 | 12 => format!("atomic {{ {} }}", self.sequence(3, depth - 1)),
            13 => format!("d_step {{ a = {}; b = 1; a = b }}", self.one(&["1", "g", "a"])),
            14 => {
                let (first, second) = (self.sequence(2, depth - 1), self.sequence(2, depth - 1));
                let end =
                    self.one(&["", ":: else -> a = 1", ":: else -> assert(false)", ":: timeout"]);
                format!("if :: {first} :: {second} {end} fi")
            }
            15 => format!(
                "do :: {} :: {} -> break od",
                self.sequence(2, depth - 1),
                self.one(&["g > 0", "true", "else"])
            ),
            _ => {
                let inner = self.sequence(2, depth - 1);
                format!(
                    "{{ {inner} }} unless {{ {} }}",
                    self.one(&["c?_", "g == 2", "h > 0; a = 2"])
                )
            }
        }
    }
}

#[test]
fn random_models_keep_their_verdicts() {
    let count =
        std::env::var("LARIAT_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let (mut compared, mut before_all, mut after_all) = (0, 0, 0);
    for seed in 0..count {
        let text = ModelGenerator { seed }.model();
        let loader = MemoryLoader::new().with("model.pml", text.as_str());
        let Some(program) = lariat_promela::compile(&loader, "model.pml", &[]).program else {
            continue;
        };
        let merge = Passes { merge: true, ..Passes::NONE };
        let dead = Passes { dead: true, ..Passes::NONE };
        for passes in [Passes::SAME_STATES, merge, dead, Passes::ALL] {
            match compare(&program, passes, 2000) {
                Ok(Some((before, after))) => {
                    compared += 1;
                    before_all += before;
                    after_all += after;
                }
                Ok(None) => {}
                Err(difference) => panic!("{difference} ({passes:?}, model {seed})\n{text}"),
            }
        }
    }
    println!("{compared} comparisons, {before_all} states, reduced {after_all}");
    assert!(compared > count as usize, "only {compared} comparisons");
}

/// The pairs of consecutive values of the observed conditions, over all runs.
fn changes(
    program: &Program,
    observed: &Observed,
    most: usize,
) -> Option<BTreeSet<(Vec<i32>, Vec<i32>)>> {
    let interpreter = Interpreter::new(program);
    let values = |state: &State| -> Vec<i32> {
        let value = |condition| interpreter.evaluate(state, condition).expect("it has a value");
        observed.conditions.iter().map(value).collect()
    };
    let mut seen = BTreeSet::new();
    let mut known: HashSet<State> = HashSet::new();
    let mut waiting = interpreter.initial_states().ok()?;
    for state in &waiting {
        seen.insert((Vec::new(), values(state)));
    }
    let mut successors = Vec::new();
    while let Some(state) = waiting.pop() {
        if !known.insert(state.clone()) {
            continue;
        }
        if known.len() > most {
            return None;
        }
        successors.clear();
        interpreter.successors(&state, &mut successors);
        for next in successors.drain(..).filter_map(|successor| successor.state) {
            let (before, after) = (values(&state), values(&next));
            if before != after {
                seen.insert((before, after));
            }
            waiting.push(next);
        }
    }
    Some(seen)
}

#[test]
fn observed_conditions_change_as_before() {
    let count =
        std::env::var("LARIAT_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let global = |id| {
        Expr::Read(Place { scope: Scope::Global, variable: VariableId(id), indices: Vec::new() })
    };
    let remote = |kind, variable| Expr::ReadRemote {
        process_type: ProcessTypeId(kind),
        process: Remote::Only,
        variable: VariableId(variable),
        indices: Vec::new(),
    };
    for seed in 0..count {
        let text = ModelGenerator { seed }.model();
        let loader = MemoryLoader::new().with("model.pml", text.as_str());
        let Some(program) = lariat_promela::compile(&loader, "model.pml", &[]).program else {
            continue;
        };
        let location = lariat_ir::program::LocationId((seed % 3) as u32);
        let at = Expr::At { process_type: ProcessTypeId(0), process: Remote::Only, location };
        let observed = match seed % 4 {
            0 => vec![global(0)],
            1 => vec![global(0), global(1)],
            2 if (location.0 as usize) < program.process_types[0].locations.len() => {
                vec![at, global(1)]
            }
            _ => vec![remote(0, 0), remote(1, 1)],
        };
        let observed = Observed { conditions: observed, steps: false };
        let Some(before) = changes(&program, &observed, 2000) else { continue };
        let after = changes(&reduce(&program, &observed).program, &observed, 4000);
        assert_eq!(Some(before), after, "model {seed}, {observed:?}\n{text}");
    }
}
