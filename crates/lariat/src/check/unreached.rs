//! Statements that no run executes: statements that control never reaches (SPIN's "unreached"), and
//! statements that it reaches but that are never executable. Jumps, `skip` and `else` are not
//! listed.

use lariat_ir::Program;
use lariat_ir::program::{Action, BranchKind, Operation, OriginId, ProcessTypeId};
use lariat_ir::system::Numbering;
use lariat_search::Coverage;
use std::collections::BTreeMap;

/// A statement that no process of its type executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The name of the process type.
    pub process_type: String,
    /// The file that contains the statement.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// The text of the statement.
    pub statement: String,
    /// Control reached the statement, but it was never executable.
    pub never_executable: bool,
}

/// Facts about one statement, collected from all its transitions.
#[derive(Default)]
struct StatementUse {
    taken: bool,
    reached: bool,
}

/// The unreached statements, by process type, in the order of the program text.
pub(super) fn unreached(program: &Program, coverage: &Coverage) -> Vec<Unreached> {
    let numbering = Numbering::new(program);
    let taken = |kind: usize, place: usize, index: usize| {
        coverage.contains(numbering.number(ProcessTypeId(kind as u32), place as u32, index as u32))
    };
    let started = started(program, &taken);
    let mut found = Vec::new();
    for (number, process_type) in program.process_types.iter().enumerate() {
        let mut reached = vec![false; process_type.locations.len()];
        if started[number] {
            reached[process_type.initial_location.index()] = true;
        }
        for (place, location) in process_type.locations.iter().enumerate() {
            for (index, transition) in location.transitions.iter().enumerate() {
                if taken(number, place, index) && transition.operation != Operation::End {
                    reached[transition.target.index()] = true;
                }
            }
        }
        let mut statements: BTreeMap<OriginId, StatementUse> = BTreeMap::new();
        for (place, location) in process_type.locations.iter().enumerate() {
            for (index, transition) in location.transitions.iter().enumerate() {
                if matches!(transition.operation, Operation::Else)
                    || transition.operation == Operation::SKIP
                {
                    continue;
                }
                let known = statements.entry(transition.origin).or_default();
                known.taken |= taken(number, place, index);
                known.reached |= reached[place];
            }
        }
        let mut of_type: Vec<Unreached> = Vec::new();
        for (id, known) in statements.into_iter().filter(|(_, known)| !known.taken) {
            let origin = program.origin(id);
            of_type.push(Unreached {
                process_type: process_type.name.clone(),
                file: origin.file.clone(),
                line: origin.line,
                statement: origin.text.clone(),
                never_executable: known.reached,
            });
        }
        of_type.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        of_type.dedup();
        found.extend(of_type);
    }
    found
}

/// Which process types had a process: the types of the initial processes, and those that a taken
/// transition starts.
fn started(program: &Program, taken: &dyn Fn(usize, usize, usize) -> bool) -> Vec<bool> {
    let mut started = vec![false; program.process_types.len()];
    for instance in &program.initial_processes {
        started[instance.process_type.index()] = true;
    }
    for (number, process_type) in program.process_types.iter().enumerate() {
        for (place, location) in process_type.locations.iter().enumerate() {
            for (index, transition) in location.transitions.iter().enumerate() {
                if taken(number, place, index) {
                    each_run(&transition.operation, &mut |id| started[id.index()] = true);
                }
            }
        }
    }
    started
}

fn each_run(operation: &Operation, visit: &mut dyn FnMut(ProcessTypeId)) {
    match operation {
        Operation::Guarded { actions, .. } => {
            for action in actions {
                if let Action::Run { process_type, .. } = action {
                    visit(*process_type);
                }
            }
        }
        Operation::Deterministic(body) => {
            for branch in body.nodes.iter().flatten() {
                if let BranchKind::Operation(operation) = &branch.kind {
                    each_run(operation, visit);
                }
            }
        }
        _ => {}
    }
}
