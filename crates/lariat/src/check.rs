//! Checking a program for errors: search, then replay every run that is going to be shown.

use crate::unreached::{Unreached, unreached};
use model::{Interpreter, PackedInterpreter, Program, State};
use native::Native;
use search::replay::{ReplayError, replay};
use search::{Options, Outcome, Violation, reachability};

/// What computes successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Machine code, made for the program.
    #[default]
    Native,
    /// The reference semantics, step by step.
    Interpreter,
}

/// What is known after a search.
#[derive(Debug)]
pub struct Checked {
    pub outcome: Outcome,
    /// The errors found, each with the states of its run.
    pub counterexamples: Vec<Counterexample>,
    /// Empty if the search was not exhaustive: then nothing can be said.
    pub unreached: Vec<Unreached>,
}

/// An error, and a run that was seen to end with it.
#[derive(Debug)]
pub struct Counterexample {
    pub violation: Violation,
    pub states: Vec<State>,
}

/// Searches the program. An error that does not replay is our own and no verdict.
pub fn check(program: &Program, engine: Engine, options: &Options<'_>) -> Result<Checked, ReplayError> {
    checked(program, explore(program, engine, options))
}

/// Replays what a search found.
pub fn checked(program: &Program, outcome: Outcome) -> Result<Checked, ReplayError> {
    let interpreter = Interpreter::new(program);
    let mut counterexamples = Vec::new();
    for violation in &outcome.violations {
        let states = replay(&interpreter, violation)?;
        counterexamples.push(Counterexample { violation: violation.clone(), states });
    }
    let unreached = if outcome.exhaustive { unreached(program, &outcome.coverage) } else { Vec::new() };
    Ok(Checked { outcome, counterexamples, unreached })
}

/// What tells a program from others.
pub fn fingerprint(program: &Program) -> u64 {
    rapidhash::v3::rapidhash_v3(model::text::print(program).as_bytes())
}

/// Searches with the engine.
fn explore(program: &Program, engine: Engine, options: &Options<'_>) -> Outcome {
    match engine {
        Engine::Native => match Native::new(program) {
            Ok(system) => reachability(&system, options),
            Err(error) => Outcome::without_start(error),
        },
        Engine::Interpreter => match PackedInterpreter::new(program) {
            Ok(system) => reachability(&system, options),
            Err(error) => Outcome::without_start(error),
        },
    }
}
