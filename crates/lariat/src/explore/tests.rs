//! Exploring a small model.

use super::*;
use crate::check::Settings;
use crate::check::safety::check_safety;

const MODEL: &str = "\
byte x; chan q = [2] of { byte };
active proctype Writer() { do :: x < 3 -> atomic { x++; q!x } od }
active proctype Reader() { byte got; do :: q?got; assert(got < 3) od }
";

fn model() -> Model {
    Model::from_source("m.pml", MODEL).expect("the model is accepted")
}

fn counterexamples(model: &Model) -> Vec<Run> {
    let checked = check_safety(&model.program, &Settings::default(), &Default::default());
    let found = checked.expect("it replays").counterexamples.into_iter();
    found.map(|found| Run { initial: found.initial, steps: found.prefix }).collect()
}

#[test]
fn a_run_grows_and_shrinks() {
    let model = model();
    let mut explorer = Explorer::new(&model, &[], Vec::new(), 1).expect("it starts");
    assert_eq!(
        explorer.enabled_steps(0).expect("a state")["choices"].as_array().map(Vec::len),
        Some(1)
    );
    for at in 0..3 {
        assert_eq!(explorer.take(at, 0).expect("a step").events.len(), 1);
    }
    assert!(explorer.take(9, 0).is_err() && explorer.take(3, 99).is_err());
    assert_eq!(explorer.trail().lines().count(), 3);
    // Continuing from an earlier state removes the later ones.
    assert_eq!(explorer.take(1, 0).expect("a step").from, 1);
    assert_eq!(explorer.trail().lines().count(), 2);
    assert_eq!(explorer.shown().trace.events.len(), 2);
}

#[test]
fn conditions_are_found_and_stop_runs() {
    let model = model();
    let mut explorer = Explorer::new(&model, &[], Vec::new(), 1).expect("it starts");
    let count = explorer.until(0, "x == 2 && len(q) == 2").expect("it can be reached").events.len();
    assert_eq!(count, 6);
    assert!(explorer.until(0, "x == 9").unwrap_err().contains("no reachable state"));
    for bad in ["", "x ==", "y == 1", "[] (x == 1)", "1 } ltl q { true", "x /* */", "x == 1 # "] {
        assert!(explorer.parse(bad).is_err(), "{bad}");
    }
    let note = explorer.run(0, &["x == 2".into()]).expect("it runs").note;
    assert_eq!(note, "stopped where x == 2");
    let note = explorer.run(0, &[]).expect("it runs").note;
    assert!(note.contains("assertion violated"), "{note}");
}

#[test]
fn a_counterexample_can_be_continued() {
    let model = model();
    let found = counterexamples(&model);
    let mut explorer = Explorer::new(&model, &[], found, 1).expect("it starts");
    let whole = explorer.adopt(0, usize::MAX).expect("a run").events.len();
    assert!(whole > 3);
    assert_eq!(explorer.adopt(0, 3).expect("a run").events.len(), 3);
    assert!(explorer.adopt(7, 3).is_err());
}
