//! From names to ids: the tables that the parser looks names up in, and that tell the printer which
//! names mean one thing only. Knows programs, not tokens.

use crate::expression::Scope;
use crate::program::{Program, Variable, Variables};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found<T> {
    One(T),
    /// Several things have this name: they can only be told apart by number.
    Many,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Table<T>(HashMap<String, Found<T>>);

impl<T: Copy + PartialEq> Table<T> {
    pub fn add(&mut self, name: impl Into<String>, meaning: T) {
        match self.0.entry(name.into()) {
            Entry::Vacant(entry) => {
                entry.insert(Found::One(meaning));
            }
            Entry::Occupied(mut entry) => {
                if *entry.get() != Found::One(meaning) {
                    entry.insert(Found::Many);
                }
            }
        }
    }

    pub fn get(&self, name: &str) -> Option<Found<T>> {
        self.0.get(name).copied()
    }

    /// Does the name stand for exactly this?
    pub fn means(&self, name: &str, meaning: T) -> bool {
        self.get(name) == Some(Found::One(meaning))
    }

    /// A name that is this one but for its indices, for hints.
    pub fn other_indices(&self, name: &str) -> Option<&str> {
        let bare = name.replace("[]", "");
        self.0.keys().map(String::as_str).filter(|known| known.replace("[]", "") == bare).min()
    }

    /// The name most like this one, for hints.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        self.0
            .keys()
            .map(|known| (distance(name, known), known.as_str()))
            .filter(|&(distance, _)| distance <= 1 + name.len() / 4 && distance < name.len())
            .min()
            .map(|(_, known)| known)
    }
}

/// Everything that has a name.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub constants: Table<i32>,
    /// Name sets, and the values of their names (`mtype.ack` and, where it is clear, `ack`).
    pub name_sets: Table<u32>,
    pub name_values: Table<i32>,
    pub globals: Table<u32>,
    pub channel_types: Table<u32>,
    pub process_types: Table<u32>,
    /// By process type.
    pub locals: Vec<Table<u32>>,
    pub labels: Vec<Table<u32>>,
}

impl Symbols {
    pub fn of(program: &Program) -> Symbols {
        let mut symbols = Symbols::default();
        for id in 0..program.name_sets.len() {
            symbols.add_name_set(program, id as u32);
        }
        symbols.add_program(program);
        symbols
    }

    pub fn add_name_set(&mut self, program: &Program, id: u32) {
        let set = &program.name_sets[id as usize];
        self.name_sets.add(&set.name, id);
        for (index, name) in set.names.iter().enumerate() {
            self.name_values.add(name, index as i32 + 1);
            self.name_values.add(format!("{}.{name}", set.name), index as i32 + 1);
        }
    }

    /// A process type whose variables and labels are not known yet.
    pub fn add_process_type(&mut self) {
        self.locals.push(Table::default());
        self.labels.push(Table::default());
    }

    /// All but the name sets.
    pub fn add_program(&mut self, program: &Program) {
        self.locals.clear();
        self.labels.clear();
        self.globals = variables(&program.variables);
        for (id, kind) in program.channel_types.iter().enumerate() {
            self.channel_types.add(&kind.name, id as u32);
        }
        for (id, kind) in program.process_types.iter().enumerate() {
            self.process_types.add(&kind.name, id as u32);
            self.locals.push(variables(&kind.variables));
            let mut labels = Table::default();
            for (location, content) in kind.locations.iter().enumerate() {
                content.labels.iter().for_each(|label| labels.add(label, location as u32));
            }
            self.labels.push(labels);
        }
    }

    /// The variable a reference means: a local one before a global one.
    pub fn variable(&self, process_type: Option<usize>, pattern: &str) -> Option<(Scope, Found<u32>)> {
        process_type
            .and_then(|process_type| self.locals[process_type].get(pattern))
            .map(|found| (Scope::Local, found))
            .or_else(|| self.globals.get(pattern).map(|found| (Scope::Global, found)))
    }
}

fn variables(variables: &Variables) -> Table<u32> {
    let mut table = Table::default();
    for (id, variable) in variables.iter().enumerate() {
        table.add(reference_pattern(variable), id as u32);
    }
    table
}

/// The pieces between dots of a name like `a[].b[][]`, each a word and its number of indices; `None`
/// if the name is not of that form or has more indices than the variable has dimensions.
pub(super) fn path(name: &str, dimensions: usize) -> Option<Vec<(&str, usize)>> {
    let mut pieces = Vec::new();
    let mut indices = 0;
    for piece in name.split('.') {
        let word = piece.trim_end_matches("[]");
        if word.is_empty() || word.contains(['[', ']']) {
            return None;
        }
        let count = (piece.len() - word.len()) / 2;
        indices += count;
        pieces.push((word, count));
    }
    (indices <= dimensions).then_some(pieces)
}

/// How a reference to the variable looks, its indices left out: `a[].b[]`.
pub(super) fn reference_pattern(variable: &Variable) -> String {
    let dimensions = variable.dimensions.len();
    let written = match path(&variable.name, dimensions) {
        Some(pieces) => pieces.iter().map(|(_, count)| count).sum(),
        None => 0,
    };
    variable.name.clone() + &"[]".repeat(dimensions - written)
}

/// How many letters must be inserted, deleted or replaced to turn one word into the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart() {
        assert_eq!(path("a[].b[][].c", 3), Some(vec![("a", 1), ("b", 2), ("c", 0)]));
        assert_eq!(path("a[]", 0), None);
        assert_eq!(path("a..b", 0), None);
        assert_eq!(path("[]a", 2), None);
        assert_eq!(path("", 0), None);
    }

    #[test]
    fn hints_are_near() {
        let mut table = Table::default();
        table.add("turn", 1);
        table.add("other", 2);
        assert_eq!(table.nearest("turm"), Some("turn"));
        assert_eq!(table.nearest("x"), None);
    }
}
