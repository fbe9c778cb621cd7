//! The automaton of each process type: its locations and statements.

use lariat_ir::Program;
use lariat_ir::program::{Extent, Operation};
use serde::Serialize;

/// The automaton of a process type or of a property.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnAutomaton {
    /// The name of the process type or property.
    pub name: String,
    /// The index of the initial location.
    pub initial: usize,
    /// The locations.
    pub locations: Vec<DrawnLocation>,
    /// The statements.
    pub edges: Vec<DrawnEdge>,
}

/// A location.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnLocation {
    /// Its labels.
    pub labels: Vec<String>,
    /// It is a valid end state.
    pub end: bool,
    /// It has an accept label.
    pub accept: bool,
    /// It has a progress label.
    pub progress: bool,
    /// It is reachable from the initial location.
    pub reachable: bool,
}

/// A statement.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnEdge {
    /// The source location.
    pub from: usize,
    /// The target location; `None` if the process ends.
    pub to: Option<usize>,
    /// The text of the statement.
    pub statement: String,
    /// The file of the statement.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// The range of the statement, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// The process keeps control after the statement.
    pub atomic: bool,
}

/// One automaton for each process type.
pub fn automata(program: &Program) -> Vec<DrawnAutomaton> {
    let each = program.process_types.iter().map(|kind| {
        let mut edges = Vec::new();
        for (from, location) in kind.locations.iter().enumerate() {
            for transition in &location.transitions {
                let origin = program.origin(transition.origin);
                let ends = transition.operation == Operation::End;
                let statement = match &transition.operation {
                    Operation::End if origin.text.is_empty() => "-end-".into(),
                    Operation::Else if origin.text.is_empty() => "else".into(),
                    _ => origin.text.clone(),
                };
                edges.push(DrawnEdge {
                    from,
                    to: (!ends).then_some(transition.target.index()),
                    statement,
                    file: origin.file.clone(),
                    line: origin.line,
                    extent: origin.extent,
                    atomic: transition.keeps_control,
                });
            }
        }
        let initial = kind.initial_location.index();
        let mut reachable = vec![false; kind.locations.len()];
        let mut worklist = vec![initial];
        while let Some(at) = worklist.pop() {
            if !std::mem::replace(&mut reachable[at], true) {
                worklist
                    .extend(edges.iter().filter(|edge| edge.from == at).filter_map(|edge| edge.to));
            }
        }
        let locations =
            kind.locations.iter().zip(reachable).map(|(location, reachable)| DrawnLocation {
                labels: location.labels.clone(),
                end: location.end,
                accept: location.accept,
                progress: location.progress,
                reachable,
            });
        DrawnAutomaton { name: kind.name.clone(), initial, locations: locations.collect(), edges }
    });
    each.collect()
}
