//! The benchmark models and their headers.
//!
//! A header comment holds one line of figures, taken with SPIN and no reductions: ` * States:
//! 1814400; depth: 6458430; vector: 32 bytes.` They determine the search stack and hash table of
//! SPIN's verifier, and both tools must find this number of states. For other models without such a
//! line, the figures are in a table ([`crate::reference`]) of the directory, if there is one.

use std::fs;
use std::path::{Path, PathBuf};

use crate::reference::{self, Row, TABLE};

/// One model of the benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    pub name: String,
    pub path: PathBuf,
    /// Its kind: the text in the header up to the first full stop or comma.
    pub kind: String,
    /// `None` if neither the header nor a table has figures.
    pub figures: Option<Recorded>,
}

/// The line of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    pub states: u64,
    pub depth: u64,
    pub vector_bytes: u64,
}

impl Model {
    pub fn read(path: &Path) -> Result<Self, String> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name =
            path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self { name, path: path.to_path_buf(), kind: kind(&text), figures: figures(&text) })
    }

    /// The model with the name and figures of a table's row.
    fn with(self, row: &Row) -> Self {
        let Row { states, depth, vector_bytes, .. } = *row;
        let name = row.file.trim_end_matches(".pml").to_owned();
        let figures = self.figures.or(Some(Recorded { states, depth, vector_bytes }));
        Self { name, figures, ..self }
    }

    /// The recorded number of states, or a medium default.
    pub fn expected_states(&self) -> u64 {
        self.figures.map_or(1 << 21, |figures| figures.states)
    }
}

/// All models of the directories (or files) whose name contains `filter`, sorted by name. A
/// directory with a table contains the models of the table.
pub fn find(places: &[PathBuf], filter: Option<&str>) -> Result<Vec<Model>, String> {
    let mut models = Vec::new();
    for place in places {
        let mut found = in_place(place)?;
        found.sort_by(|one, other| one.path.cmp(&other.path));
        models.extend(found);
    }
    models.retain(|model| filter.is_none_or(|text| model.name.contains(text)));
    Ok(models)
}

fn in_place(place: &Path) -> Result<Vec<Model>, String> {
    let table = place.join(TABLE);
    if table.is_file() {
        let rows = reference::read(&table)?;
        return rows
            .iter()
            .map(|row| Model::read(&place.join(&row.file)).map(|model| model.with(row)))
            .collect();
    }
    let mut paths = vec![place.to_path_buf()];
    if !place.is_file() {
        let entries =
            fs::read_dir(place).map_err(|error| format!("{}: {error}", place.display()))?;
        paths = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    }
    let mut models = paths.iter().map(|path| Model::read(path)).collect::<Result<Vec<_>, _>>()?;
    if let Some(table) = paths.first().and_then(|path| reference::above(path)) {
        let rows = reference::read(&table)?;
        for model in &mut models {
            if let Some(row) = reference::row_of(&rows, &table, &model.path) {
                *model = model.clone().with(row);
            }
        }
    }
    Ok(models)
}

fn kind(text: &str) -> String {
    let after = text.find("Kind: ").map_or("", |at| &text[at + "Kind: ".len()..]);
    let end = after.find(['.', ',', '\n', '(']).unwrap_or(after.len());
    after[..end].trim().to_owned()
}

fn figures(text: &str) -> Option<Recorded> {
    let line = text.lines().find(|line| line.contains("States: "))?;
    let number = |word: &str| -> Option<u64> {
        let rest = &line[line.find(word)? + word.len()..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    Some(Recorded {
        states: number("States: ")?,
        depth: number("depth: ")?,
        vector_bytes: number("vector: ")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header() {
        let text = "/* A lock.\n *\n * Kind: shared variables, atomic.\n * States: 17; depth: 4; vector: 40 bytes.\n */";
        assert_eq!(kind(text), "shared variables");
        assert_eq!(figures(text), Some(Recorded { states: 17, depth: 4, vector_bytes: 40 }));
        assert_eq!(figures("/* Kind: puzzle */"), None);
    }

    #[test]
    fn every_model_has_figures() {
        let models =
            find(&[crate::lariat::workspace().join("bench/models")], None).expect("models");
        assert!(models.len() >= 24);
        for model in models {
            assert!(model.figures.is_some(), "{}: no line of figures", model.name);
            assert!(!model.kind.is_empty(), "{}: no kind", model.name);
        }
    }
}
