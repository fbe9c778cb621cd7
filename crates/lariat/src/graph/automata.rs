//! The automaton of each process type: where a process can be, and the statements that lead on.

use model::Program;
use model::program::{Extent, Operation};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct Automaton {
    pub name: String,
    pub initial: usize,
    pub locations: Vec<Place>,
    pub edges: Vec<Arc>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Place {
    pub labels: Vec<String>,
    pub end: bool,
    pub accept: bool,
    pub progress: bool,
    /// No way from the initial location leads here.
    pub reachable: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Arc {
    pub from: usize,
    /// Nothing where the process ceases to exist.
    pub to: Option<usize>,
    pub statement: String,
    pub file: String,
    pub line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// Others wait until the process has gone on from there.
    pub atomic: bool,
}

/// One for each process type.
pub fn automata(program: &Program) -> Vec<Automaton> {
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
                edges.push(Arc {
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
        let mut todo = vec![initial];
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut reachable[at], true) {
                todo.extend(edges.iter().filter(|edge| edge.from == at).filter_map(|edge| edge.to));
            }
        }
        let locations = kind.locations.iter().zip(reachable).map(|(location, reachable)| Place {
            labels: location.labels.clone(),
            end: location.end,
            accept: location.accept,
            progress: location.progress,
            reachable,
        });
        Automaton { name: kind.name.clone(), initial, locations: locations.collect(), edges }
    });
    each.collect()
}
