//! Shortened runs have the same error.

use super::*;
use crate::check::safety::check_safety;
use crate::check::{Judge, Judges, Settings};
use crate::model::Model;
use lariat_ir::Program;
use lariat_ir::budget::UNLIMITED;
use lariat_search::Options;
use lariat_search::liveness::fairness::Fairness;
use lariat_search::product::LassoRun;
use proptest::prelude::*;
use std::sync::Arc;

fn program(text: &str) -> Arc<Program> {
    Model::from_source("m.pml", text).expect("the model is accepted").program
}

fn found(program: &Arc<Program>) -> Counterexample {
    let settings = Settings { raw: true, ..Settings::default() };
    let mut checked = check_safety(program, &settings, &Options::default()).expect("it replays");
    checked.counterexamples.swap_remove(0)
}

const NOISE: &str = "\
byte x, y; chan q = [2] of { byte };
active proctype Noise() { do :: y++ :: y-- od }
active proctype A() { x = 1; q!7; x = x + 1; x = x + 1; q!8 }
active proctype B() { byte v; q?v; x = x * 2; atomic { x = x + 1; x > 200; skip }; q?v }
active proctype C() { (x > 3); x++; assert(x < 5) }
";

#[test]
fn noise_is_removed_and_steps_are_grouped() {
    let program = program(NOISE);
    let long = found(&program);
    let short = simplified(&long, &UNLIMITED);
    assert_eq!(short.shows, long.shows);
    let noise = |step: &Step| moves(step).any(|taken| taken.pid == 0);
    assert!(!short.prefix.iter().any(noise), "{:?}", short.prefix);
    assert!(short.prefix.len() <= 12 && switches(&short.prefix) <= 4);
}

/// The first enabled steps of the processes in this order.
fn steps_of(program: &Program, order: &[u8]) -> Vec<Step> {
    let interpreter = lariat_ir::Interpreter::new(program);
    let mut state = interpreter.initial_states().expect("it starts").swap_remove(0);
    let mut steps = Vec::new();
    for pid in order {
        let mut successors = Vec::new();
        interpreter.successors(&state, &mut successors);
        let theirs =
            |found: &lariat_ir::Successor| moves(&found.step).any(|taken| taken.pid == *pid);
        let taken = successors.into_iter().find(theirs).expect("it can move");
        steps.push(taken.step);
        state = taken.state.expect("nothing goes wrong");
    }
    steps
}

#[test]
fn cycles_are_regrouped() {
    let text = "byte a, b;
        active proctype P() { do :: a = 1; a = 0 od } active proctype Q() { do :: b = 1; b = 0 od }
        ltl settles { <> [] (a == 0) }";
    let model = Model::from_source("m.pml", text).expect("the model is accepted");
    let simplified = |fairness| {
        let settings = Settings { fairness, ..Settings::default() };
        let judge = Judge::new(&model.program, &model.stated[0], &settings, &UNLIMITED)
            .expect("the property has a judge");
        let cycle = steps_of(&model.program, &[0, 1, 0, 1]);
        let prefix = steps_of(&model.program, &[1, 0, 1, 0]);
        let found = judge.judge(&LassoRun { initial: 0, prefix, cycle }).expect("it is violated");
        lasso::simplified(&judge, found, &UNLIMITED)
    };
    // The steps of Q are irrelevant.
    let short = simplified(None);
    assert_eq!(
        (short.prefix.len(), short.cycle.len(), switches(&short.cycle)),
        (0, 2, 0),
        "{short:?}"
    );
    // Under fairness they are needed, and stay together.
    let fair = simplified(Some(Fairness::ALL[0]));
    assert_eq!((fair.prefix.len(), fair.cycle.len(), switches(&fair.cycle)), (0, 4, 1), "{fair:?}");
}

proptest! {
    #![proptest_config(seeded::cases(48))]

    /// From any failing run: the same error, replayable and not longer.
    #[test]
    fn a_simplified_run_still_fails(choices in proptest::collection::vec(any::<u8>(), 1..80)) {
        let program = program(NOISE);
        let interpreter = lariat_ir::Interpreter::new(&program);
        let mut states = interpreter.initial_states().expect("it starts");
        let mut steps = Vec::new();
        for choice in choices {
            let mut successors = Vec::new();
            interpreter.successors(&states[states.len() - 1], &mut successors);
            if successors.is_empty() {
                break;
            }
            let taken = successors.swap_remove(usize::from(choice) % successors.len());
            steps.push(taken.step);
            states.extend(taken.state);
            if let Some(error) = taken.errors.into_iter().next() {
                let run = Run { initial: 0, steps: steps.clone() };
                let shows = Evidence::Error(error.clone());
                let long = Counterexample::finite(&program, shows, run, states);
                let short = simplified(&long, &UNLIMITED);
                prop_assert_eq!(short.error(), Some(&error));
                prop_assert!(short.prefix.len() <= long.prefix.len());
                let run = Run { initial: 0, steps: short.prefix };
                let violation = Violation { error, run };
                prop_assert!(lariat_search::replay::replay(&interpreter, &violation).is_ok());
                break;
            }
        }
    }
}
