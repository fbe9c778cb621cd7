//! Counterexamples that are saved, and what is said of them after an edit.

use super::*;
use crate::check::{Engine, check};
use search::{Options, Order};

fn program(text: &str) -> Program {
    let loader = promela::MemoryLoader::new().with("m.pml", text);
    promela::compile(&loader, "m.pml", &[]).program.expect("the model is right")
}

fn saved(text: &str) -> SavedRun {
    let program = program(text);
    let options = Options { order: Order::BreadthFirst, ..Options::default() };
    let checked = check(&program, Engine::Interpreter, false, &options).expect("it replays");
    let saved = SavedRun::new("m.pml", &[], &program, &checked.counterexamples[0]);
    let read = SavedRun::read(&saved.write()).expect("what was written can be read");
    assert_eq!(read, saved);
    read
}

const RACE: &str = "byte x, in;
active [2] proctype P() { byte t; t = x; t++; x = t; in++; assert(in < 2); in-- }";

#[test]
fn an_unchanged_model_still_fails() {
    let run = saved(RACE);
    let followed = run.follow(&program(RACE)).expect("it starts");
    assert_eq!(followed.result, Replayed::StillFails);
    assert_eq!(run.fingerprint, fingerprint(&program(RACE)));
}

#[test]
fn edits_that_do_not_matter_do_not_matter() {
    let run = saved(RACE);
    let edited = RACE.replace("byte t;", "byte t;\n\n  byte unused = 3;\n");
    let edited = program(&edited.replace("in--", "in--; x = 0"));
    assert_eq!(run.follow(&edited).expect("it starts").result, Replayed::StillFails);
    assert_ne!(run.fingerprint, fingerprint(&edited));
}

#[test]
fn a_repaired_model() {
    let run = saved(RACE);
    let fixed = run.follow(&program(&RACE.replace("in < 2", "in < 3"))).expect("it starts");
    // The statement has another text, so the run cannot be followed further.
    let last = run.steps.len() - 1;
    assert_eq!(fixed.result, Replayed::Diverges { step: last });
    assert!(fixed.instead.iter().any(|step| step.moves[0].statement == "assert(in < 3)"), "{fixed:?}");
    let fixed = run.follow(&program(&RACE.replace("byte x, in", "byte x, in = 250"))).expect("it starts");
    assert_eq!(fixed.result, Replayed::StillFails);
    let zero = "byte n = 1; active proctype P() { byte a; a = 1; a = a / (n - 1) }";
    let run = saved(zero);
    assert_eq!(
        run.follow(&program(&zero.replace("n = 1", "n = 2"))).expect("it starts").result,
        Replayed::Fixed
    );
    assert_eq!(run.follow(&program(zero)).expect("it starts").result, Replayed::StillFails);
}

#[test]
fn deadlocks_are_errors_of_states() {
    let stuck = "bool go; active proctype P() { byte x; x = 1; go } active proctype Q() { skip }";
    let run = saved(stuck);
    assert_eq!(run.follow(&program(stuck)).expect("it starts").result, Replayed::StillFails);
    let free = program(&stuck.replace("bool go", "bool go = true"));
    assert_eq!(run.follow(&free).expect("it starts").result, Replayed::Fixed);
}

#[test]
fn bad_files_are_named() {
    assert!(SavedRun::read("{}").unwrap_err().contains("not a saved counterexample"));
    let other = saved(RACE).write().replace("\"format\": 1", "\"format\": 9");
    assert!(SavedRun::read(&other).unwrap_err().contains("format is 9"));
}
