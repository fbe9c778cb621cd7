//! `expected.csv`: SPIN's results for the models of a directory and its subdirectories.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::pan::error_kind;

/// The name of the table, in the directory to which its paths are relative.
pub const TABLE: &str = "expected.csv";

/// One row; unused columns are omitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub file: String,
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    pub vector_bytes: u64,
    pub error_kinds: BTreeSet<String>,
}

pub fn read(path: &Path) -> Result<Vec<Row>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|line| format!("{}:{line}: not a row of figures", path.display()))
}

/// The nearest table in the directories above a model.
pub fn above(model: &Path) -> Option<PathBuf> {
    model.ancestors().skip(1).map(|directory| directory.join(TABLE)).find(|table| table.is_file())
}

/// The row of a model. Precondition: the table is in a directory above the model.
pub fn row_of<'t>(rows: &'t [Row], table: &Path, model: &Path) -> Option<&'t Row> {
    let inside = model.strip_prefix(table.parent()?).ok()?;
    rows.iter().find(|row| Path::new(&row.file) == inside)
}

/// Parses the table; the error is the number of an invalid line.
fn parse(text: &str) -> Result<Vec<Row>, usize> {
    let rows = text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty());
    rows.map(|(index, line)| parse_row(line).ok_or(index + 1)).collect()
}

fn parse_row(line: &str) -> Option<Row> {
    let mut columns = line.splitn(7, ',');
    let file = columns.next()?.to_owned();
    let mut number = || columns.next()?.parse().ok();
    let (states, transitions, _atomic_steps) = (number()?, number()?, number()?);
    let (depth, vector_bytes) = (number()?, number()?);
    let error_kinds =
        columns.next()?.split(';').map(error_kind).filter(|kind| !kind.is_empty()).collect();
    Some(Row { file, states, transitions, depth, vector_bytes, error_kinds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let rows = parse(
            "file,states,transitions,atomic_steps,depth,vector_bytes,error_kinds\n\
             a/b.pml,7,9,0,3,36,\n\
             c.pml,1,2,3,4,5,error to poll rendezvous channel ;invalid end state\n",
        )
        .expect("rows");
        assert_eq!(rows[0].error_kinds, BTreeSet::new());
        assert_eq!((rows[0].states, rows[0].depth, rows[0].vector_bytes), (7, 3, 36));
        assert_eq!(rows[1].error_kinds.len(), 2);
        assert!(rows[1].error_kinds.contains("error to poll rendezvous channel"));
        assert_eq!(parse("file\nx,y"), Err(2));
        let row = row_of(&rows, Path::new("models/expected.csv"), Path::new("models/a/b.pml"));
        assert_eq!(row, Some(&rows[0]));
        assert_eq!(row_of(&rows, Path::new("models/expected.csv"), Path::new("a/b.pml")), None);
    }
}
