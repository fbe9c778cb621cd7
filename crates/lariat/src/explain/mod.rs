//! Explains a deadlock: for each process the statements at which it is blocked, the values that
//! block them, and a cycle of processes that wait for one another, if there is one.
//!
//! The blocked statements are exact: they are read off the state. The processes that could unblock
//! them are over-approximated from the program text: processes that may still write a variable or
//! use a channel.

mod obstacle;
mod wait_for;

use crate::run::steps::transition;
use lariat_ir::Program;
use lariat_ir::State;
use lariat_ir::program::Operation;
use lariat_ir::system::Move;
use obstacle::Obstacle;
use serde::Serialize;
use std::fmt::Write;

/// A state in which nothing moves, explained.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Deadlock {
    /// All processes.
    pub processes: Vec<Waiting>,
    /// A cycle of the wait-for graph: each process waits for the next, the last for the first.
    /// Empty if there is none.
    pub circle: Vec<String>,
    /// All processes are in valid end states, but the event trace is not.
    pub event_trace_unfinished: bool,
}

/// A process that cannot move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// `name[pid]`
    pub process: String,
    /// The process is in a valid end state.
    pub may_rest: bool,
    /// The statements at which it is blocked.
    pub waits: Vec<Wait>,
    /// The processes that could still unblock it.
    pub freed_by: Vec<String>,
}

/// One statement that is not executable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wait {
    /// The file of the statement.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// The text of the statement.
    pub statement: String,
    /// Why it is not executable, such as `turn is 1` or `q is empty`.
    pub because: String,
}

/// Explains a state in which nothing can move.
pub fn deadlock(program: &Program, state: &State) -> Deadlock {
    let mut waiting = Vec::new();
    let mut edges = Vec::new();
    for (pid, process) in state.processes.iter().enumerate() {
        let kind = program.process_type(process.process_type);
        let location = kind.location(process.location);
        let mut waits: Vec<Wait> = Vec::new();
        let mut obstacles = Vec::new();
        for position in 0..location.transitions.len() {
            let taken = Move {
                pid: pid as u8,
                process_type: process.process_type,
                location: process.location.0,
                transition: position as u32,
            };
            let obstacle = Obstacle::of(program, state, &taken);
            let found = transition(program, &taken);
            let origin = program.origin(found.origin);
            let statement = match found.operation {
                Operation::End if origin.text.is_empty() => "-end-".into(),
                _ => origin.text.clone(),
            };
            let wait = Wait {
                file: origin.file.clone(),
                line: origin.line,
                statement,
                because: obstacle.text(program, state),
            };
            if !waits.contains(&wait) {
                waits.push(wait);
            }
            obstacles.push(obstacle);
        }
        let freed_by = wait_for::helpers(program, state, pid, &obstacles);
        let name = |pid: &usize| process_name(program, state, *pid);
        waiting.push(Waiting {
            process: name(&pid),
            may_rest: location.end,
            waits,
            freed_by: freed_by.iter().map(name).collect(),
        });
        edges.push(freed_by);
    }
    let circle = wait_for::circle(&edges);
    let resting = |process: &Waiting| process.may_rest;
    Deadlock {
        event_trace_unfinished: program.event_trace.is_some() && waiting.iter().all(resting),
        processes: waiting,
        circle: circle.iter().map(|pid| process_name(program, state, *pid)).collect(),
    }
}

fn process_name(program: &Program, state: &State, pid: usize) -> String {
    format!("{}[{pid}]", program.process_type(state.processes[pid].process_type).name)
}

/// The explanation as text, a line per statement.
pub fn render(deadlock: &Deadlock) -> String {
    use crate::report::printable;
    let mut out = String::from("  No process can move:\n");
    let width =
        deadlock.processes.iter().map(|each| each.process.chars().count()).max().unwrap_or(0);
    let line = |wait: &Wait| {
        let place = if wait.file.is_empty() {
            String::new()
        } else {
            format!("{}:{}  ", printable(&wait.file), wait.line)
        };
        let because =
            if wait.because.is_empty() { String::new() } else { format!("  — {}", wait.because) };
        format!("{place}{}{}", printable(&wait.statement), printable(&because))
    };
    for Waiting { process, may_rest, waits, .. } in &deadlock.processes {
        let note = if *may_rest { "  (may end here)" } else { "" };
        match waits.as_slice() {
            [] => {
                let _ = writeln!(out, "    {process:width$}  has no statement left{note}");
            }
            [first, rest @ ..] => {
                let _ = writeln!(out, "    {process:width$}  waits at {}{note}", line(first));
                for other in rest {
                    let _ = writeln!(out, "    {:width$}        or {}", "", line(other));
                }
            }
        }
    }
    if let Some(first) = deadlock.circle.first() {
        let circle = deadlock.circle.join(" → ");
        let _ = writeln!(out, "  They wait in a circle: {circle} → {first}");
    }
    for Waiting { process, may_rest, freed_by, waits } in &deadlock.processes {
        if !may_rest && freed_by.is_empty() && !waits.is_empty() {
            let _ = writeln!(out, "  No process is left that could unblock {process}.");
        }
    }
    if deadlock.event_trace_unfinished {
        out += "  Every process may end here, but the event trace is incomplete.\n";
    }
    out
}

#[cfg(test)]
mod tests;
