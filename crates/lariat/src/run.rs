//! A run as people read it: per step who moved, which statement, what changed. Both reports and the
//! simulator show these.

use model::program::{Operation, Program, Transition};
use model::system::Move;
use model::trace::{Change, changes, moves};
use model::{State, Step};
use serde::Serialize;

/// One process making one move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mover {
    /// `name[pid]`
    pub process: String,
    pub pid: u8,
    pub proctype: String,
    pub file: String,
    pub line: u32,
    /// Counts from 1, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    pub statement: String,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownStep {
    pub mover: Mover,
    /// The process that received, if the step is a rendezvous.
    pub receiver: Option<Mover>,
    pub changes: Vec<Change>,
}

/// What a process waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub process: String,
    /// Where it may rest forever.
    pub at_end: bool,
    /// The statements it is at, with their places.
    pub waits_for: Vec<Mover>,
}

/// The transition a move takes.
pub fn transition<'p>(program: &'p Program, taken: &Move) -> &'p Transition {
    let process_type = program.process_type(taken.process_type);
    &process_type.locations[taken.location as usize].transitions[taken.transition as usize]
}

fn mover(program: &Program, pid: u8, kind: &str, transition: &Transition) -> Mover {
    let origin = program.origin(transition.origin);
    let statement = match transition.operation {
        Operation::End if origin.text.is_empty() => "-end-".into(),
        _ => origin.text.clone(),
    };
    Mover {
        process: format!("{kind}[{pid}]"),
        pid,
        proctype: kind.into(),
        file: origin.file.clone(),
        line: origin.line,
        column: origin.extent.map(|extent| extent.column),
        statement,
    }
}

fn of_move(program: &Program, taken: &Move) -> Mover {
    let kind = &program.process_type(taken.process_type).name;
    mover(program, taken.pid, kind, transition(program, taken))
}

/// A step between two states; nothing if control was only given up.
pub fn show_step(program: &Program, step: &Step, before: &State, after: Option<&State>) -> Option<ShownStep> {
    let mut movers = moves(step).map(|taken| of_move(program, &taken));
    let mover = movers.next()?;
    let receiver = movers.next();
    let changes = after.map_or_else(Vec::new, |after| changes(program, before, after));
    Some(ShownStep { mover, receiver, changes })
}

/// All steps of a run whose states are known.
pub fn show_run(program: &Program, steps: &[Step], states: &[State]) -> Vec<ShownStep> {
    let pairs = steps.iter().zip(states).enumerate();
    pairs
        .filter_map(|(index, (step, before))| show_step(program, step, before, states.get(index + 1)))
        .collect()
}

/// Where every process stands.
pub fn standings(program: &Program, state: &State) -> Vec<Standing> {
    let each = state.processes.iter().enumerate().map(|(pid, process)| {
        let kind = program.process_type(process.process_type);
        let location = kind.location(process.location);
        let mut waits_for = Vec::new();
        for transition in &location.transitions {
            let waiting = mover(program, pid as u8, &kind.name, transition);
            if !waits_for.contains(&waiting) {
                waits_for.push(waiting);
            }
        }
        Standing { process: format!("{}[{pid}]", kind.name), at_end: location.end, waits_for }
    });
    each.collect()
}
