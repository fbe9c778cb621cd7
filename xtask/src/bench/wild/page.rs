//! The page: rules of the comparison, the models on which Lariat is not ahead, and tables with the
//! worst cases first.

use super::{FIRST_STATE, LARIAT, RAW, REDUCED, SPIN};
use crate::bench::results::{Cell, Results, Row, Sample, geometric_mean};
use crate::bench::spin_runs;
use crate::bench::table::{grouped, number, render};
use std::time::Duration;

/// A shorter search says little about speed: clocks of `pan` have steps of 10 ms.
const MEASURABLE_SECONDS: f64 = 0.1;
/// With fewer states, the memory is that of the program rather than of its states.
const MEASURABLE_STATES: u64 = 100_000;
/// Lariat may exceed its time limit by this much, to reconstruct a run and to report.
const GRACE_SECONDS: f64 = 1.0;

/// The whole page in Markdown.
pub fn page(results: &Results, budget: Duration, build_limit: Duration) -> String {
    let machine = &results.machine;
    let mut text = format!("# Models of strangers: Lariat and SPIN, {}\n\n", machine.date);
    text += &results.setting();
    text += &rules(budget, build_limit);
    let mut rows: Vec<&Row> = results.rows.iter().collect();
    rows.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
    let ratios: Vec<f64> = rows.iter().filter_map(|row| speed_ratio(row)).collect();
    text += &format!(
        "\n## Summary\n\n{} models; the same states: {} times as fast as `pan` in geometric mean \
         over {} models, {} below 2, {} below 1.\n",
        rows.len(),
        number(geometric_mean(&ratios)),
        ratios.len(),
        ratios.iter().filter(|ratio| **ratio < 2.0).count(),
        ratios.iter().filter(|ratio| **ratio < 1.0).count(),
    );
    let behind: Vec<String> =
        rows.iter().flat_map(|row| complaints(row, budget.as_secs_f64())).collect();
    text += "\n## Where Lariat is not ahead\n\n";
    match behind.is_empty() {
        true => text += "Nowhere.\n",
        false => text.extend(behind.iter().map(|line| format!("- {line}\n"))),
    }
    text += "\n## The same states: millions of transitions per second\n\n";
    text += &speed(&rows);
    text += "\n## Time to the verdict: seconds from the source text\n\n";
    text += &verdicts(&rows);
    text += "\n## Bytes per state\n\n";
    text += &memory(&rows);
    if !results.disagreements.is_empty() {
        text += "\n## Counts that differ\n\n";
        text.extend(results.disagreements.iter().map(|line| format!("- {line}\n")));
    }
    let failures = results.failures();
    if !failures.is_empty() {
        text += "\n## Not built or not run\n\n";
        text.extend(failures.iter().map(|line| format!("- {line}\n")));
    }
    text
}

fn rules(budget: Duration, build_limit: Duration) -> String {
    let mut text = format!(
        "One thread. A run ends after {} s: `pan` by an interrupt, Lariat by `--time`. SPIN and the \
         C compiler may each take {} s. `pan` gets a hash table for the number of states that a \
         short search before the runs suggests, and a stack that is deep enough.\n\n",
        budget.as_secs(),
        build_limit.as_secs()
    );
    for variant in spin_runs::VARIANTS.iter().filter(|variant| SPIN.contains(&variant.name)) {
        text += &format!("- `{}`: {}\n", variant.name, variant.explanation);
    }
    for variant in &LARIAT {
        let command = [&["lariat", "check", "--property", "safety"], variant.arguments].concat();
        text += &format!("- `{}`: `{}`\n", variant.name, command.join(" "));
    }
    text + "\nRules: speeds are compared only between `pan` and `raw`, which visit the same \
            states; a rate is the number of transitions divided by the time of the search that \
            the program itself reports, also if the search did not finish (then the two visited \
            different parts). Searches shorter than 0.1 s have no rate. The time to a verdict \
            includes everything from the source text: for SPIN translator, C compiler and \
            search. The set-up is the time to the first state: for Lariat the whole command with \
            `--max-states 1`, for SPIN translator and compiler. Bytes per state are the peak \
            resident memory of the process divided by its states, for at least 100 000 states. \
            Where both searches finish, states and transitions must be equal.\n"
}

fn sample<'r>(row: &'r Row, variant: &str) -> Option<&'r Sample> {
    row.cell(variant)?.samples.first()
}

fn finished(row: &Row, variant: &str) -> bool {
    sample(row, variant).is_some_and(|sample| sample.exhaustive)
}

/// Transitions per second of the search.
fn rate(row: &Row, variant: &str) -> Option<f64> {
    let samples = &row.cell(variant)?.samples;
    let transitions: u64 = samples.iter().map(|sample| sample.transitions).sum();
    let seconds: f64 = samples.iter().filter_map(|sample| sample.search_seconds).sum();
    (seconds > 0.0).then(|| transitions as f64 / seconds)
}

/// The factor by which Lariat is faster on the same states, if SPIN's search is long enough.
fn speed_ratio(row: &Row) -> Option<f64> {
    let seconds = sample(row, SPIN[0])?.search_seconds?;
    (seconds >= MEASURABLE_SECONDS).then_some(rate(row, RAW)? / rate(row, SPIN[0])?)
}

/// The time from the source text to the verdict, if there is one.
fn seconds_to_verdict(row: &Row, variant: &str) -> Option<f64> {
    let cell = row.cell(variant).filter(|_| finished(row, variant))?;
    Some(cell.wall_seconds()? + built_in(cell).unwrap_or(0.0))
}

fn built_in(cell: &Cell) -> Option<f64> {
    cell.preparation.map(|built| built.translate_seconds + built.compile_seconds)
}

fn bytes_per_state(row: &Row, variant: &str) -> Option<f64> {
    let cell = row.cell(variant)?;
    cell.states().filter(|states| *states >= MEASURABLE_STATES)?;
    cell.bytes_per_state()
}

/// Models are listed by this number: the speed on the same states, otherwise the time to the
/// verdict; models without a comparison come last.
fn rank(row: &Row) -> f64 {
    let verdict =
        || Some(seconds_to_verdict(row, SPIN[0])? / seconds_to_verdict(row, RAW)?.max(1e-3));
    speed_ratio(row).or_else(verdict).unwrap_or(f64::INFINITY)
}

/// Where Lariat is behind SPIN on this model, and by how much.
fn complaints(row: &Row, budget_seconds: f64) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(ratio) = speed_ratio(row).filter(|ratio| *ratio <= 1.0) {
        let widenings = widenings(row);
        found.push(format!("{} times `pan`'s speed ({widenings} widenings)", number(Some(ratio))));
    }
    for (ours, theirs) in [(RAW, SPIN[0]), (REDUCED, SPIN[1]), (REDUCED, SPIN[2])] {
        let Some(other) = seconds_to_verdict(row, theirs) else { continue };
        match seconds_to_verdict(row, ours) {
            Some(own) if own <= other => {}
            Some(own) => found.push(format!(
                "`{ours}` has its verdict after {} s, `{theirs}` after {} s",
                number(Some(own)),
                number(Some(other))
            )),
            None => found.push(format!(
                "`{ours}` has no verdict, `{theirs}` has one after {} s",
                number(Some(other))
            )),
        }
    }
    if let (Some(own), Some(other)) = (bytes_per_state(row, RAW), bytes_per_state(row, SPIN[3]))
        && own > other
    {
        found.push(format!("{own:.0} bytes per state, with COLLAPSE {other:.0}"));
    }
    for variant in [RAW, REDUCED] {
        let wall = row.cell(variant).and_then(Cell::wall_seconds).unwrap_or(0.0);
        if wall > budget_seconds + GRACE_SECONDS {
            found.push(format!("`{variant}` exceeds its time limit: {} s", number(Some(wall))));
        }
    }
    found.into_iter().map(|line| format!("{}: {line}", row.model)).collect()
}

fn widenings(row: &Row) -> u64 {
    sample(row, RAW).and_then(|sample| sample.details.get("widenings")?.as_u64()).unwrap_or(0)
}

fn speed(rows: &[&Row]) -> String {
    let headings = [
        "model",
        "vector",
        "state",
        "states",
        "pan",
        "raw",
        "ratio",
        "merge",
        "default",
        "collapse",
        "widenings",
    ];
    let millions = |row: &Row, variant| number(rate(row, variant).map(|rate| rate / 1e6));
    let lines = rows.iter().map(|row| {
        let bytes = |variant| {
            sample(row, variant).map_or_else(|| "–".to_owned(), |it| it.vector_bytes.to_string())
        };
        let states = sample(row, RAW).map(|sample| {
            let mark = if sample.exhaustive { "" } else { "+" };
            grouped(sample.states) + mark
        });
        vec![
            row.model.clone(),
            bytes(SPIN[0]),
            bytes(RAW),
            states.unwrap_or_else(|| "–".to_owned()),
            millions(row, SPIN[0]),
            millions(row, RAW),
            number(speed_ratio(row)),
            millions(row, SPIN[1]),
            millions(row, SPIN[2]),
            millions(row, SPIN[3]),
            widenings(row).to_string(),
        ]
    });
    render(&headings, &lines.collect::<Vec<_>>())
        + "\n`vector` and `state` are bytes of a state in `pan` and in `raw`; a `+` marks the states \
           of a search that did not finish.\n"
}

fn verdicts(rows: &[&Row]) -> String {
    let headings =
        ["model", "set-up SPIN", "set-up Lariat", "pan", "raw", "merge", "default", "reduced"];
    let lines = rows.iter().map(|row| {
        let verdict = |variant| number(seconds_to_verdict(row, variant));
        vec![
            row.model.clone(),
            number(row.cell(SPIN[0]).and_then(built_in)),
            number(row.cell(FIRST_STATE).and_then(Cell::wall_seconds)),
            verdict(SPIN[0]),
            verdict(RAW),
            verdict(SPIN[1]),
            verdict(SPIN[2]),
            verdict(REDUCED),
        ]
    });
    render(&headings, &lines.collect::<Vec<_>>())
}

fn memory(rows: &[&Row]) -> String {
    let headings = ["model", "pan", "collapse", "raw", "collapse / raw"];
    let lines = rows.iter().filter(|row| bytes_per_state(row, RAW).is_some()).map(|row| {
        let bytes = |variant| bytes_per_state(row, variant);
        let ratio = bytes(SPIN[3]).zip(bytes(RAW)).map(|(theirs, ours)| theirs / ours);
        vec![
            row.model.clone(),
            number(bytes(SPIN[0])),
            number(bytes(SPIN[3])),
            number(bytes(RAW)),
            number(ratio),
        ]
    });
    render(&headings, &lines.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(variant: &'static str, transitions: u64, seconds: f64, exhaustive: bool) -> Cell {
        let sample = Sample {
            wall_seconds: seconds,
            search_seconds: Some(seconds),
            transitions,
            states: transitions,
            peak_bytes: transitions * 10,
            exhaustive,
            ..Sample::default()
        };
        Cell { variant, samples: vec![sample], ..Cell::default() }
    }

    fn row(cells: Vec<Cell>) -> Row {
        Row { model: "m".to_owned(), kind: String::new(), cells }
    }

    #[test]
    fn a_slower_model_is_listed() {
        let slow = row(vec![cell("pan", 2_000_000, 2.0, false), cell(RAW, 1_000_000, 2.0, false)]);
        assert_eq!(speed_ratio(&slow), Some(0.5));
        assert_eq!(complaints(&slow, 2.0), ["m: 0.50 times `pan`'s speed (0 widenings)"]);
        let fast = row(vec![cell("pan", 2_000_000, 2.0, true), cell(RAW, 2_000_000, 0.5, true)]);
        assert_eq!(speed_ratio(&fast), Some(4.0));
        assert!(complaints(&fast, 2.0).is_empty());
        assert!(rank(&slow) < rank(&fast));
    }

    #[test]
    fn short_searches_are_compared_by_their_verdict() {
        let short = row(vec![cell("pan", 1_000, 0.02, true), cell(RAW, 1_000, 0.1, true)]);
        assert_eq!(speed_ratio(&short), None);
        let found = complaints(&short, 2.0);
        assert_eq!(found, ["m: `raw` has its verdict after 0.10 s, `pan` after 0.02 s"]);
    }

    #[test]
    fn a_missed_verdict_and_a_missed_limit_are_listed() {
        let late = row(vec![cell("pan", 1_000, 1.0, true), cell(RAW, 900, 9.0, false)]);
        let found = complaints(&late, 2.0).join("; ");
        assert!(found.contains("`raw` has no verdict"), "{found}");
        assert!(found.contains("exceeds its time limit: 9.00 s"), "{found}");
    }
}
