//! Shorter runs are runs to the same error.

use super::*;
use crate::check::{Engine, check};
use crate::load::load_promela;
use crate::property::{Choice, Judge, Judges};
use model::budget::UNLIMITED;
use proptest::prelude::*;
use search::Options;
use search::liveness::fairness::Fairness;
use search::product::LassoRun;

fn program(text: &str) -> Program {
    let loader = promela::MemoryLoader::new().with("m.pml", text);
    promela::compile(&loader, "m.pml", &[]).program.expect("the model is right")
}

fn found(program: &Program) -> Counterexample {
    let mut checked = check(program, Engine::Interpreter, true, &Options::default()).expect("it replays");
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
fn noise_goes_and_processes_stay_together() {
    let program = program(NOISE);
    let long = found(&program);
    let short = simplified(&program, &long, &UNLIMITED);
    assert_eq!(short.violation.error, long.violation.error);
    let noise = |step: &Step| moves(step).any(|taken| taken.pid == 0);
    assert!(!short.violation.run.steps.iter().any(noise), "{:?}", short.violation.run.steps);
    assert!(short.violation.run.steps.len() <= 12 && switches(&short.violation.run.steps) <= 4);
}

/// The steps that processes take if they move in this order, each as it first can.
fn steps_of(program: &Program, order: &[u8]) -> Vec<Step> {
    let interpreter = model::Interpreter::new(program);
    let mut state = interpreter.initial_states().expect("it starts").swap_remove(0);
    let mut steps = Vec::new();
    for pid in order {
        let mut successors = Vec::new();
        interpreter.successors(&state, &mut successors);
        let theirs = |found: &model::Successor| moves(&found.step).any(|taken| taken.pid == *pid);
        let taken = successors.into_iter().find(theirs).expect("it can move");
        steps.push(taken.step);
        state = taken.state.expect("nothing goes wrong");
    }
    steps
}

#[test]
fn cycles_are_put_in_order() {
    let text = "byte a, b;
        active proctype P() { do :: a = 1; a = 0 od } active proctype Q() { do :: b = 1; b = 0 od }
        ltl settles { <> [] (a == 0) }";
    let model = load_promela("m.pml".into(), text.into(), &[], &[], false).expect("the model is right");
    let simplified = |fairness| {
        let choice = Choice { fairness, ..Choice::default() };
        let judge =
            Judge::new(&model.program, &model.stated[0], &choice, &UNLIMITED).expect("it can be asked");
        let cycle = steps_of(&model.program, &[0, 1, 0, 1]);
        let prefix = steps_of(&model.program, &[1, 0, 1, 0]);
        let found = judge.judge(&LassoRun { initial: 0, prefix, cycle }).expect("it is violated");
        lasso::simplified(&judge, found, &UNLIMITED)
    };
    // What Q does is of no matter.
    let short = simplified(None);
    assert_eq!((short.prefix.len(), short.cycle.len(), switches(&short.cycle)), (0, 2, 0), "{short:?}");
    // But for fairness: then its steps stay together.
    let fair = simplified(Some(Fairness::ALL[0]));
    assert_eq!((fair.prefix.len(), fair.cycle.len(), switches(&fair.cycle)), (0, 4, 1), "{fair:?}");
}

proptest! {
    #![proptest_config(seeded::cases(48))]

    /// From any failing run: the same error, replayable, not longer, not more switches than without detours.
    #[test]
    fn a_simplified_run_still_fails(choices in proptest::collection::vec(any::<u8>(), 1..80)) {
        let program = program(NOISE);
        let interpreter = model::Interpreter::new(&program);
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
                let long = Counterexample { violation: Violation { error: error.clone(), run }, states };
                let short = simplified(&program, &long, &UNLIMITED);
                prop_assert_eq!(&short.violation.error, &error);
                prop_assert!(short.violation.run.steps.len() <= long.violation.run.steps.len());
                prop_assert!(search::replay::replay(&interpreter, &short.violation).is_ok());
                break;
            }
        }
    }
}
