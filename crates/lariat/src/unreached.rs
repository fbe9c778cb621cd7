//! Statements that no run executes.

use model::Program;
use model::program::OriginId;
use search::Coverage;
use std::collections::BTreeMap;

/// A statement never executed in any process of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    pub process_type: String,
    pub file: String,
    pub line: u32,
    pub statement: String,
}

/// In the order of the program text. A statement counts as executed if any of the transitions made from it was taken.
pub fn unreached(program: &Program, coverage: &Coverage) -> Vec<Unreached> {
    let mut found = Vec::new();
    for (number, process_type) in program.process_types.iter().enumerate() {
        let mut taken: BTreeMap<OriginId, bool> = BTreeMap::new();
        for (place, location) in process_type.locations.iter().enumerate() {
            for (index, transition) in location.transitions.iter().enumerate() {
                *taken.entry(transition.origin).or_default() |= coverage.contains(number, place, index);
            }
        }
        let missing = taken.into_iter().filter(|(_, taken)| !taken).map(|(id, _)| program.origin(id));
        let mut missing: Vec<Unreached> = missing
            .map(|origin| Unreached {
                process_type: process_type.name.clone(),
                file: origin.file.clone(),
                line: origin.line,
                statement: origin.text.clone(),
            })
            .collect();
        missing.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        missing.dedup();
        found.extend(missing);
    }
    found
}
