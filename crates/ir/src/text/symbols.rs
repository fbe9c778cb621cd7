//! Symbol tables: the parser resolves names with them, and the printer decides which names are
//! unambiguous. They do not depend on tokens.

use crate::expression::Scope;
use crate::program::{Program, Variable, Variables};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found<T> {
    One(T),
    /// Several objects have this name, so only their numbers distinguish them.
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

    /// Whether the name has exactly this meaning.
    pub fn means(&self, name: &str, meaning: T) -> bool {
        self.get(name) == Some(Found::One(meaning))
    }

    /// A known name that differs from this one only in its indices, for hints.
    pub fn other_indices(&self, name: &str) -> Option<&str> {
        let bare = name.replace("[]", "");
        self.0.keys().map(String::as_str).filter(|known| known.replace("[]", "") == bare).min()
    }

    /// The most similar known name, for hints.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        self.0
            .keys()
            .map(|known| (distance(name, known), known.as_str()))
            .filter(|&(distance, _)| distance <= 1 + name.len() / 4 && distance < name.len())
            .min()
            .map(|(_, known)| known)
    }
}

/// All names of a program.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub constants: Table<i32>,
    /// Name sets, and the values of their names (`mtype.ack` and, if unambiguous, `ack`).
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

    /// Adds a process type whose variables and labels are not known yet.
    pub fn add_process_type(&mut self) {
        self.locals.push(Table::default());
        self.labels.push(Table::default());
    }

    /// Adds everything except the name sets.
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

    /// The variable with this pattern; a local one hides a global one.
    pub fn variable(
        &self,
        process_type: Option<usize>,
        pattern: &str,
    ) -> Option<(Scope, Found<u32>)> {
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

/// Splits a name like `a[].b[][]` at its dots into words and their numbers of indices; `None` if it
/// does not have that form or has more indices than the variable has dimensions.
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

/// A reference to the variable without the values of its indices: `a[].b[]`.
pub(super) fn reference_pattern(variable: &Variable) -> String {
    let dimensions = variable.dimensions.len();
    let written = match path(&variable.name, dimensions) {
        Some(pieces) => pieces.iter().map(|(_, count)| count).sum(),
        None => 0,
    };
    variable.name.clone() + &"[]".repeat(dimensions - written)
}

/// The Levenshtein distance.
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
    fn paths_are_split() {
        assert_eq!(path("a[].b[][].c", 3), Some(vec![("a", 1), ("b", 2), ("c", 0)]));
        assert_eq!(path("a[]", 0), None);
        assert_eq!(path("a..b", 0), None);
        assert_eq!(path("[]a", 2), None);
        assert_eq!(path("", 0), None);
    }

    #[test]
    fn hints_are_similar() {
        let mut table = Table::default();
        table.add("turn", 1);
        table.add("other", 2);
        assert_eq!(table.nearest("turm"), Some("turn"));
        assert_eq!(table.nearest("x"), None);
    }
}
