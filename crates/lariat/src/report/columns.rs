//! Steps in columns: process, position, statement, changed values.

use super::printable;
use super::text::Style;
use super::width::broken;
use crate::run::steps::{Mover, ShownStep};
use lariat_ir::Program;
use std::fmt::Write;

/// Numbered steps in columns.
pub fn table(steps: &[ShownStep], style: Style) -> String {
    rows(steps, style).concat()
}

/// The lines of each step of the [`table`].
pub fn rows(steps: &[ShownStep], style: Style) -> Vec<String> {
    let widths = Widths::new(steps, style.width);
    let each = steps.iter().enumerate().map(|(index, step)| {
        let number = (index + 1).to_string();
        match &step.receiver {
            None => widths.row(&number, &step.mover, &changes_text(step), style),
            Some(receiver) => {
                widths.row(&number, &step.mover, "", style)
                    + &widths.row("", receiver, &changes_text(step), style)
            }
        }
    });
    each.collect()
}

/// The widths of the columns of a table.
struct Widths {
    digits: usize,
    process: usize,
    place: usize,
    /// Only the end of a longer position is shown.
    longest_place: usize,
    /// There is only one file, and its name does not fit.
    only_lines: bool,
    statement: usize,
    /// Longer statements are broken.
    longest_statement: usize,
    changes: ChangesColumn,
}

/// The position of the changed values.
enum ChangesColumn {
    /// In a column of this width.
    Beside(usize),
    /// In lines of this width, below the step.
    Below(usize),
}

impl Widths {
    fn new(steps: &[ShownStep], width: Option<usize>) -> Widths {
        let movers =
            || steps.iter().flat_map(|step| [Some(&step.mover), step.receiver.as_ref()]).flatten();
        let widest = |measure: &dyn Fn(&Mover) -> usize| movers().map(measure).max().unwrap_or(0);
        let statement = widest(&|mover| printable(&mover.statement).chars().count());
        let place = widest(&|mover| place_text(mover).chars().count());
        let mut widths = Widths {
            digits: steps.len().to_string().len(),
            process: widest(&|mover| mover.process.chars().count()).min(24),
            place: place.min(32),
            longest_place: usize::MAX,
            only_lines: false,
            statement: statement.min(48),
            longest_statement: usize::MAX,
            changes: ChangesColumn::Beside(usize::MAX),
        };
        let Some(width) = width else { return widths };
        widths.longest_place = (width / 4).max(12);
        widths.place = place.min(widths.longest_place);
        let mut room = width.saturating_sub(widths.lead());
        let changes =
            steps.iter().map(|step| changes_text(step).chars().count()).max().unwrap_or(0);
        let first_file = movers().next().map(|mover| &mover.file).filter(|file| !file.is_empty());
        if statement + GAP + changes > room && movers().all(|mover| Some(&mover.file) == first_file)
        {
            widths.only_lines = true;
            widths.place = widest(&|mover| widths.place_text(mover).chars().count());
            room = width.saturating_sub(widths.lead());
        }
        if statement + GAP + changes <= room {
            widths.longest_statement = statement;
        } else if changes > 0 && room < 36 {
            widths.changes = ChangesColumn::Below(width.saturating_sub(widths.digits + 4));
            widths.longest_statement = room.max(8);
        } else {
            // Statements and changes each get at least two fifths of the line if they need it.
            let fair = room.saturating_sub(GAP) * 2 / 5;
            let taken = room.saturating_sub(GAP + changes.min(fair)).min(statement);
            widths.longest_statement = taken.max(8);
            widths.changes = ChangesColumn::Beside(room.saturating_sub(GAP + taken).max(8));
        }
        widths.statement = statement.min(widths.longest_statement);
        widths
    }

    fn place_text(&self, mover: &Mover) -> String {
        if self.only_lines { format!("line {}", mover.line) } else { place_text(mover) }
    }

    /// The width of the columns before the statement.
    fn lead(&self) -> usize {
        GAP + self.digits + GAP + self.process + GAP + self.place + GAP
    }

    fn row(&self, number: &str, mover: &Mover, changes: &str, style: Style) -> String {
        let Widths { digits, process, place, statement, .. } = *self;
        let longest = self.longest_statement;
        let statements = broken(&printable(&mover.statement), longest, longest);
        let (beside, below) = match self.changes {
            ChangesColumn::Beside(width) => (broken(changes, width, width), Vec::new()),
            ChangesColumn::Below(width) => (Vec::new(), broken(changes, width, width)),
        };
        let mut out = String::new();
        for line in 0..statements.len().max(beside.len()) {
            let text = |cell: &[String]| cell.get(line).cloned().unwrap_or_default();
            let lead = match line {
                0 => format!(
                    "  {number:>digits$}  {:process$}  {}  ",
                    mover.process,
                    style.faint(&format!(
                        "{:place$}",
                        end_of(&self.place_text(mover), self.longest_place)
                    ))
                ),
                _ => format!("{:1$}", "", self.lead()),
            };
            let changes = text(&beside);
            let line = format!("{lead}{:statement$}  ", text(&statements));
            let line = if changes.is_empty() {
                line.trim_end().to_string()
            } else {
                line + &style.bold(&changes)
            };
            let _ = writeln!(out, "{line}");
        }
        for line in below.iter().filter(|line| !line.is_empty()) {
            let _ = writeln!(out, "  {:digits$}  {}", "", style.bold(line));
        }
        out
    }
}

/// Spaces between columns, and before the first.
const GAP: usize = 2;

/// The last `most` characters of a text, after an ellipsis if some are missing.
fn end_of(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_string();
    }
    ['…'].into_iter().chain(text.chars().skip(count + 1 - most)).collect()
}

fn place_text(mover: &Mover) -> String {
    if mover.file.is_empty() {
        String::new()
    } else {
        format!("{}:{}", printable(&mover.file), mover.line)
    }
}

fn changes_text(step: &ShownStep) -> String {
    let each: Vec<String> = step
        .changes
        .iter()
        .map(|change| format!("{} = {}", printable(&change.name), change.value))
        .collect();
    each.join(", ")
}

/// The widths of the simulator's columns: wide enough for every step of the program.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    process: usize,
    place: usize,
}

impl Columns {
    /// The widths for a program.
    pub fn of(program: &Program) -> Columns {
        let names =
            program.process_types.iter().map(|kind| kind.name.chars().count() + "[0]".len());
        let places = program.origins.iter().map(|origin| {
            printable(&origin.file).chars().count() + ":".len() + origin.line.to_string().len()
        });
        Columns {
            process: names.max().unwrap_or(0).min(24),
            place: places.max().unwrap_or(0).min(32),
        }
    }

    /// One line of a step.
    pub fn line(self, step: &ShownStep) -> String {
        let one = |mover: &Mover| {
            let Columns { process, place } = self;
            format!(
                "{:process$}  {:place$}  {}",
                mover.process,
                place_text(mover),
                printable(&mover.statement)
            )
        };
        let mut line = one(&step.mover);
        if let Some(receiver) = &step.receiver {
            line += &format!("  with  {}  {}", receiver.process, place_text(receiver));
            line += &format!("  {}", printable(&receiver.statement));
        }
        let changes = changes_text(step);
        if !changes.is_empty() {
            line += &format!("    {changes}");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::trace::Change;
    use proptest::prelude::*;

    fn step(process: &str, statement: &str, changes: &[(String, String)]) -> ShownStep {
        let mover = Mover {
            process: process.into(),
            pid: 0,
            proctype: "P".into(),
            file: "some/folder/of/models/model.pml".into(),
            line: 12,
            column: None,
            statement: statement.into(),
        };
        let change =
            |(name, value): &(String, String)| Change { name: name.clone(), value: value.clone() };
        ShownStep { mover, receiver: None, changes: changes.iter().map(change).collect() }
    }

    proptest! {
        #![proptest_config(seeded::cases(256))]

        /// Every table fits the width, and shows everything but the beginnings of long paths.
        #[test]
        fn tables_fit(
            statements in prop::collection::vec(("[a-z]{1,8}( ?[-+=a-z0-9]{1,30}){0,9}", prop::collection::vec(("[a-z]{1,12}", "[0-9]{1,40}"), 0..4)), 1..12),
            process in "[A-Z][a-z]{0,9}",
            width in 40_usize..140,
        ) {
            let steps: Vec<ShownStep> =
                statements.iter().map(|(text, changes)| step(&process, text, changes)).collect();
            let rows = rows(&steps, Style { color: false, width: Some(width) });
            let letters = |text: &str| -> Vec<char> {
                text.chars().filter(|c| !c.is_whitespace()).collect()
            };
            for (row, step) in rows.iter().zip(&steps) {
                prop_assert!(row.lines().all(|line| line.chars().count() <= width), "{}", row);
                // Cells are broken separately, so only the multiset of characters can be compared.
                let mut wanted = letters(&(step.mover.statement.clone() + &changes_text(step)));
                let mut found = letters(row);
                for c in std::mem::take(&mut wanted) {
                    let at = found.iter().position(|other| *other == c);
                    prop_assert!(at.is_some(), "{} is missing in {}", c, row);
                    at.map(|at| found.swap_remove(at));
                }
            }
        }
    }

    #[test]
    fn wide_rows_are_not_broken() {
        let steps = [step("P[0]", "x = 1", &[("x".into(), "1".into())]), step("P[0]", "skip", &[])];
        let expected = "  1  P[0]  some/folder/of/models/model.pml:12  x = 1  x = 1\n  2  P[0]  some/folder/of/models/model.pml:12  skip\n";
        assert_eq!(table(&steps, Style::default()), expected);
        let narrow = "  1  P[0]  …s/model.pml:12  x = 1  x = 1\n  2  P[0]  …s/model.pml:12  skip\n";
        assert_eq!(table(&steps, Style { color: false, width: Some(60) }), narrow);
    }

    /// The name of the only file is omitted first; with several files the name must be shown.
    #[test]
    fn narrow_tables_omit_the_only_file_name() {
        let mut steps = [
            step("P[0]", "x = longer_than_others", &[("x".into(), "1".into())]),
            step("P[0]", "skip", &[]),
        ];
        let narrow = Style { color: false, width: Some(50) };
        let expected =
            "  1  P[0]  line 12  x = longer_than_others  x = 1\n  2  P[0]  line 12  skip\n";
        assert_eq!(table(&steps, narrow), expected);
        steps[1].mover.file = "other.pml".into();
        assert!(table(&steps, narrow).contains("other.pml:12"), "{}", table(&steps, narrow));
    }
}
