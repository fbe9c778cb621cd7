//! Statements that no run executes: those control never comes to, which is what SPIN calls unreached, and
//! those it comes to but can never pass. Jumps, `skip` and `else` do nothing and are not listed.

use model::Program;
use model::program::{Action, BranchKind, Operation, OriginId, ProcessTypeId};
use model::system::Numbering;
use search::Coverage;
use std::collections::BTreeMap;

/// A statement never executed in any process of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    pub process_type: String,
    pub file: String,
    pub line: u32,
    pub statement: String,
    /// Some process stood before it, but it was never executable then.
    pub never_executable: bool,
}

/// What is known of one statement, from all transitions made from it.
#[derive(Default)]
struct Known {
    taken: bool,
    come_to: bool,
}

/// By process type, in the order of the program text.
pub fn unreached(program: &Program, coverage: &Coverage) -> Vec<Unreached> {
    let numbering = Numbering::new(program);
    let taken = |kind: usize, place: usize, index: usize| {
        coverage.contains(numbering.number(ProcessTypeId(kind as u32), place as u32, index as u32))
    };
    let started = started(program, &taken);
    let mut found = Vec::new();
    for (number, process_type) in program.process_types.iter().enumerate() {
        let mut come_to = vec![false; process_type.locations.len()];
        if started[number] {
            come_to[process_type.initial_location.index()] = true;
        }
        for (place, location) in process_type.locations.iter().enumerate() {
            for (index, transition) in location.transitions.iter().enumerate() {
                if taken(number, place, index) && transition.operation != Operation::End {
                    come_to[transition.target.index()] = true;
                }
            }
        }
        let mut statements: BTreeMap<OriginId, Known> = BTreeMap::new();
        for (place, location) in process_type.locations.iter().enumerate() {
            for (index, transition) in location.transitions.iter().enumerate() {
                if matches!(transition.operation, Operation::Else) || transition.operation == Operation::SKIP
                {
                    continue;
                }
                let known = statements.entry(transition.origin).or_default();
                known.taken |= taken(number, place, index);
                known.come_to |= come_to[place];
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
                never_executable: known.come_to,
            });
        }
        of_type.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        of_type.dedup();
        found.extend(of_type);
    }
    found
}

/// Which process types had a process: those of the initial state, and those a taken transition starts.
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
