//! Steps as people read them: the processes that move, their statements, and the changed values.

use lariat_ir::program::{Operation, Program, Transition};
use lariat_ir::system::Move;
use lariat_ir::trace::{Change, changes, moves};
use lariat_ir::{State, Step};
use serde::Serialize;

/// One process making one move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mover {
    /// `name[pid]`
    pub process: String,
    /// The process number.
    pub pid: u8,
    /// The name of the process type.
    pub proctype: String,
    /// The file of the statement.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The text of the statement.
    pub statement: String,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownStep {
    /// The process that moves; the sender of a rendezvous.
    pub mover: Mover,
    /// The receiver of a rendezvous.
    pub receiver: Option<Mover>,
    /// The variables and channels that changed.
    pub changes: Vec<Change>,
}

/// The position of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// `name[pid]`
    pub process: String,
    /// The process is at a valid end state.
    pub at_end: bool,
    /// The statements that it can execute next when they become executable.
    pub waits_for: Vec<Mover>,
}

/// The transition of a move.
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

/// A step between two states; `None` if the step only releases control.
pub fn show_step(
    program: &Program,
    step: &Step,
    before: &State,
    after: Option<&State>,
) -> Option<ShownStep> {
    let mut movers = moves(step).map(|taken| of_move(program, &taken));
    let mover = movers.next()?;
    let receiver = movers.next();
    let changes = after.map_or_else(Vec::new, |after| changes(program, before, after));
    Some(ShownStep { mover, receiver, changes })
}

/// The steps of a run, given its states. Steps that only release control are left out.
pub fn show_run(program: &Program, steps: &[Step], states: &[State]) -> Vec<ShownStep> {
    let pairs = steps.iter().zip(states).enumerate();
    pairs
        .filter_map(|(index, (step, before))| {
            show_step(program, step, before, states.get(index + 1))
        })
        .collect()
}

/// The positions of all processes.
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
