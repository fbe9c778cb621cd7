//! The results as a page: machine, targets, tables. The text is printed and written to a file.

use super::results::{Cell, Results, Row, geometric_mean};
use super::table::{grouped, number, render};
use super::{lariat_runs, spin_runs, summary};

const MEGABYTE: f64 = (1 << 20) as f64;

/// The whole page in Markdown.
pub fn page(results: &Results) -> String {
    let mut text = heading(results);
    text += "\n## Aims\n\n";
    text += &aims(results);
    text += "\nMeans are over models with more than a million states unless stated otherwise.\n";
    text += "\n## Speed compared with SPIN\n\nSeconds of wall time, and the factor by which SPIN takes longer.\n\n";
    text += &speed(results);
    text += "\n## Time of every variant (seconds of wall time)\n\n";
    text += &every(results, |cell| number(cell.wall_seconds()));
    text += "\n## Bytes per state (peak resident memory of the process, divided by its states)\n\n";
    text += &every(results, |cell| number(cell.bytes_per_state()));
    text += "\n## Peak memory (megabytes)\n\n";
    text += &every(results, |cell| number(cell.peak_bytes().map(|bytes| bytes / MEGABYTE)));
    text += "\n## States\n\n";
    text += &every(results, |cell| cell.states().map_or_else(|| "–".to_owned(), grouped));
    text += &list("Disagreements", &results.disagreements);
    text += &list("Runs that failed", &results.failures());
    text
}

fn heading(results: &Results) -> String {
    let mut text = format!("# Lariat and SPIN, {}\n\n", results.machine.date);
    text += &results.setting();
    for variant in spin_runs::VARIANTS {
        text += &format!("- `{}`: {}\n", variant.name, variant.explanation);
    }
    for variant in lariat_runs::VARIANTS {
        let command = [&["lariat", "check", "--json"], variant.arguments].concat().join(" ");
        text += &format!("- `{}`: `{command}`\n", variant.name);
    }
    text
}

fn aims(results: &Results) -> String {
    let rows = summary::aims(results).into_iter().map(|aim| {
        let met = match aim.met {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "not measured",
        };
        vec![
            aim.text.to_owned(),
            aim.wanted,
            number(aim.measured),
            aim.models.to_string(),
            met.to_owned(),
        ]
    });
    render(&["aim", "wanted", "measured", "models", "met"], &rows.collect::<Vec<_>>())
}

fn speed(results: &Results) -> String {
    let headings = [
        "model",
        "kind",
        "states",
        "spin -a",
        "cc",
        "pan",
        "packed",
        "ratio",
        "ratio (processor)",
        "M states/s",
        "packed-2",
        "2 / 1",
        "pan-merge",
        "reduced",
        "ratio",
    ];
    let mut rows: Vec<Vec<String>> = results.rows.iter().map(speed_row).collect();
    let mean = |slow: &'static str, fast: &'static str, measure: fn(&Cell) -> Option<f64>| {
        let large =
            results.rows.iter().filter(|row| row.states().is_some_and(|states| states > 1_000_000));
        number(geometric_mean(
            &large.filter_map(|row| row.ratio(slow, fast, measure)).collect::<Vec<_>>(),
        ))
    };
    let mut last = vec![String::new(); headings.len()];
    last[0] = "geometric mean above 10^6".to_owned();
    last[7] = mean("pan", "packed", Cell::wall_seconds);
    last[8] = mean("pan", "packed", Cell::processor_seconds);
    last[11] = mean("packed", "packed-2", Cell::wall_seconds);
    last[14] = mean("pan-merge", "reduced", Cell::wall_seconds);
    rows.push(last);
    render(&headings, &rows)
}

fn speed_row(row: &Row) -> Vec<String> {
    let pan = row.cell("pan");
    let preparation = pan.and_then(|cell| cell.preparation);
    let packed = row.cell("packed");
    let rate = packed.and_then(|cell| Some(cell.states()? as f64 / cell.wall_seconds()? / 1e6));
    vec![
        row.model.clone(),
        row.kind.clone(),
        row.states().map_or_else(|| "–".to_owned(), grouped),
        number(preparation.map(|preparation| preparation.translate_seconds)),
        number(preparation.map(|preparation| preparation.compile_seconds)),
        number(pan.and_then(Cell::wall_seconds)),
        number(packed.and_then(Cell::wall_seconds)),
        number(row.ratio("pan", "packed", Cell::wall_seconds)),
        number(row.ratio("pan", "packed", Cell::processor_seconds)),
        number(rate),
        number(row.cell("packed-2").and_then(Cell::wall_seconds)),
        number(row.ratio("packed", "packed-2", Cell::wall_seconds)),
        number(row.cell("pan-merge").and_then(Cell::wall_seconds)),
        number(row.cell("reduced").and_then(Cell::wall_seconds)),
        number(row.ratio("pan-merge", "reduced", Cell::wall_seconds)),
    ]
}

/// A table with one column for each variant that was run.
fn every(results: &Results, show: impl Fn(&Cell) -> String) -> String {
    let Some(first) = results.rows.first() else {
        return String::new();
    };
    let mut headings = vec!["model"];
    headings.extend(first.cells.iter().map(|cell| cell.variant));
    let rows = results.rows.iter().map(|row| {
        let mut cells = vec![row.model.clone()];
        cells.extend(row.cells.iter().map(&show));
        cells
    });
    render(&headings, &rows.collect::<Vec<_>>())
}

fn list(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let items: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    format!("\n## {title}\n\n{items}")
}
