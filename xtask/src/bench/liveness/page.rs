//! The results as a page: targets, a table of formulas that hold, and a table of violated formulas.

use super::Variant;
use crate::bench::results::{Cell, Results, Row, geometric_mean};
use crate::bench::table::{grouped, number, render};

const PAN: &str = "pan -a";

/// The quantity of which a ratio is computed.
type Measure = fn(&Cell) -> Option<f64>;

const WALL: Measure = Cell::wall_seconds;
const PROCESSOR: Measure = Cell::processor_seconds;

pub fn page(results: &Results, variants: &[Variant]) -> String {
    let mut text =
        format!("# Properties of infinite runs: Lariat and SPIN, {}\n\n", results.machine.date);
    text += &results.setting();
    text += "- `pan -a`: `spin -o1 -o2 -o3 -a`; `cc -O3 -march=native -DNOREDUCE -DNOFAIR`; `pan -a -n -w22`, the search alone\n";
    for variant in variants {
        let command =
            [&["lariat", "check", "--ltl", "FORMULA"], variant.arguments].concat().join(" ");
        text += &format!("- `{}`: `{command}`, from source text to verdict\n", variant.name);
    }
    text += "\n## Aims\n\n";
    text += &aims(results);
    text += "\n## Formulas that hold\n\nSeconds of wall time (of processor time in brackets); ratios of wall time.\n\n";
    text += &holding(results);
    text += "\n## Formulas that are violated: time to the first lasso\n\nMilliseconds of wall time.\n\n";
    text += &violated(results);
    for (title, lines) in
        [("Disagreements", &results.disagreements), ("Runs that failed", &results.failures())]
    {
        if !lines.is_empty() {
            text += &format!("\n## {title}\n\n");
            lines.iter().for_each(|line| text += &format!("- {line}\n"));
        }
    }
    text
}

fn rows<'r>(results: &'r Results, kind: &'r str) -> impl Iterator<Item = &'r Row> {
    results.rows.iter().filter(move |row| row.kind == kind)
}

fn ratios(results: &Results, slow: &str, fast: &str, measure: Measure) -> Vec<f64> {
    rows(results, "holds").filter_map(|row| row.ratio(slow, fast, measure)).collect()
}

fn aims(results: &Results) -> String {
    let mut lines = Vec::new();
    let mut line = |text: &str,
                    wanted: &str,
                    list: &[f64],
                    worst: fn(f64, f64) -> f64,
                    met: fn(f64) -> bool| {
        let worst = list.iter().copied().reduce(worst);
        let good = list.iter().filter(|ratio| met(**ratio)).count();
        lines.push(vec![
            text.to_owned(),
            wanted.to_owned(),
            number(geometric_mean(list)),
            number(worst),
            format!("{good} of {}", list.len()),
        ]);
    };
    for (how, measure) in [("wall", WALL), ("processor", PROCESSOR)] {
        let text = format!("checking / visiting the product once ({how} time)");
        line(
            &text,
            "at most 1.5",
            &ratios(results, "check", "explore", measure),
            f64::max,
            |ratio| ratio <= 1.5,
        );
        let text = format!("`pan -a` / checking ({how} time)");
        line(&text, "at least 3", &ratios(results, PAN, "check", measure), f64::min, |ratio| {
            ratio >= 3.0
        });
    }
    let threads = ratios(results, "check", "check-2", WALL);
    line("one thread / two threads (wall time)", "at least 1.6", &threads, f64::min, |ratio| {
        ratio >= 1.6
    });
    for (name, variant) in [("checking", "check"), ("`plain`", "plain")] {
        for (how, measure) in [("wall", WALL), ("processor", PROCESSOR)] {
            let list: Vec<f64> = rows(results, "violated")
                .filter_map(|row| row.ratio(PAN, variant, measure))
                .collect();
            let text = format!("first lasso: `pan -a` / {name} ({how} time)");
            line(&text, "at least 1 on 9 of 10", &list, f64::min, |ratio| ratio >= 1.0);
        }
    }
    let whole: Vec<f64> = rows(results, "violated").filter_map(whole_chain).collect();
    line(
        "first lasso from source text: `spin`, `cc`, `pan` / `plain`",
        "",
        &whole,
        f64::min,
        |ratio| ratio >= 1.0,
    );
    render(&["aim", "wanted", "mean", "worst", "met"], &lines)
}

/// The ratio of SPIN's time from source text to verdict to Lariat's.
fn whole_chain(row: &Row) -> Option<f64> {
    let pan = row.cell(PAN)?;
    let preparation = pan.preparation?;
    let seconds =
        preparation.translate_seconds + preparation.compile_seconds + pan.wall_seconds()?;
    Some(seconds / row.cell("plain")?.wall_seconds()?.max(1e-6))
}

fn holding(results: &Results) -> String {
    let headings = [
        "model and formula",
        "product states",
        PAN,
        "explore",
        "check",
        "check-2",
        "plain",
        "check / explore",
        "pan / check",
        "check / check-2",
        "bytes per state",
    ];
    let lines: Vec<Vec<String>> = rows(results, "holds")
        .map(|row| {
            let seconds = |variant: &str| {
                let cell = row.cell(variant);
                let wall = number(cell.and_then(Cell::wall_seconds));
                format!("{wall} ({})", number(cell.and_then(Cell::processor_seconds)))
            };
            let states = row.cell("check").and_then(Cell::states);
            vec![
                format!("`{}`", row.model),
                states.map_or_else(|| "–".to_owned(), grouped),
                seconds(PAN),
                seconds("explore"),
                seconds("check"),
                seconds("check-2"),
                seconds("plain"),
                number(row.ratio("check", "explore", WALL)),
                number(row.ratio(PAN, "check", WALL)),
                number(row.ratio("check", "check-2", WALL)),
                number(row.cell("check").and_then(Cell::bytes_per_state)),
            ]
        })
        .collect();
    render(&headings, &lines)
}

fn violated(results: &Results) -> String {
    let headings = [
        "model and formula",
        "pan states",
        "our states",
        PAN,
        "check",
        "check-2",
        "plain",
        "spin, cc, pan",
    ];
    let lines: Vec<Vec<String>> = rows(results, "violated")
        .map(|row| {
            let states = |variant: &str| {
                row.cell(variant).and_then(Cell::states).map_or("–".to_owned(), grouped)
            };
            let time = |variant: &str| {
                number(row.cell(variant).and_then(Cell::wall_seconds).map(|seconds| 1e3 * seconds))
            };
            let chain = row.cell("plain").and_then(Cell::wall_seconds).zip(whole_chain(row));
            vec![
                format!("`{}`", row.model),
                states(PAN),
                states("check"),
                time(PAN),
                time("check"),
                time("check-2"),
                time("plain"),
                number(chain.map(|(seconds, times)| 1e3 * seconds * times)),
            ]
        })
        .collect();
    render(&headings, &lines)
}
