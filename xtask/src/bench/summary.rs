//! The targets, and whether the measured run meets them.

use super::results::{Cell, Results, Row, geometric_mean};

const MILLION: u64 = 1_000_000;

/// One target: its bound and the measured value.
#[derive(Debug, Clone, PartialEq)]
pub struct Aim {
    pub text: &'static str,
    pub wanted: String,
    /// `None` if the run has no measurement for it.
    pub measured: Option<f64>,
    pub met: Option<bool>,
    /// The number of models measured.
    pub models: usize,
}

/// All targets.
pub fn aims(results: &Results) -> Vec<Aim> {
    let speed = |slow, fast, measure| ratios(results, MILLION, slow, fast, measure);
    let wall = speed("pan", "packed", Cell::wall_seconds);
    let processor = speed("pan", "packed", Cell::processor_seconds);
    let merged = speed("pan-merge", "reduced", Cell::wall_seconds);
    let chain = whole_chain(results);
    let threads = ratios(results, 3 * MILLION, "packed", "packed-2", Cell::wall_seconds);
    let packed = bytes(results, "packed");
    let interned = bytes(results, "interned");
    vec![
        at_least(
            "one thread, the same states (packed against pan), wall time, geometric mean",
            6.0,
            geometric_mean(&wall),
            wall.len(),
        ),
        at_least(
            "one thread, the same states (packed against pan), wall time, worst model",
            2.0,
            smallest(&wall),
            wall.len(),
        ),
        at_least(
            "one thread, each with its own merging (reduced against pan-merge), wall time, geometric mean",
            6.0,
            geometric_mean(&merged),
            merged.len(),
        ),
        at_least(
            "one thread, each with its own merging (reduced against pan-merge), wall time, worst model",
            2.0,
            smallest(&merged),
            merged.len(),
        ),
        at_least(
            "one thread, the same states, processor time, geometric mean",
            6.0,
            geometric_mean(&processor),
            processor.len(),
        ),
        at_least(
            "one thread, the same states, processor time, worst model",
            2.0,
            smallest(&processor),
            processor.len(),
        ),
        at_least(
            "one thread, the same states, against spin -a, cc and pan, geometric mean",
            6.0,
            geometric_mean(&chain),
            chain.len(),
        ),
        at_least(
            "two threads against one above 3 million states, geometric mean",
            1.7,
            geometric_mean(&threads),
            threads.len(),
        ),
        at_least(
            "two threads against one above 3 million states, worst model",
            1.7,
            smallest(&threads),
            threads.len(),
        ),
        at_most(
            "bytes per state, packed, geometric mean",
            32.0,
            geometric_mean(&packed),
            packed.len(),
        ),
        at_most(
            "bytes per state, interned, geometric mean",
            9.0,
            geometric_mean(&interned),
            interned.len(),
        ),
        at_most(
            "models whose counts or verdicts differ from SPIN's",
            0.0,
            Some(results.disagreements.len() as f64),
            results.rows.len(),
        ),
    ]
}

fn large(results: &Results, states: u64) -> impl Iterator<Item = &Row> {
    results.rows.iter().filter(move |row| row.states().is_some_and(|found| found > states))
}

fn ratios(
    results: &Results,
    states: u64,
    slow: &str,
    fast: &str,
    measure: fn(&Cell) -> Option<f64>,
) -> Vec<f64> {
    large(results, states).filter_map(|row| row.ratio(slow, fast, measure)).collect()
}

/// The ratio of SPIN's time from source text to verdict to Lariat's.
fn whole_chain(results: &Results) -> Vec<f64> {
    let ratio = |row: &Row| {
        let pan = row.cell("pan")?;
        let preparation = pan.preparation?;
        let seconds =
            preparation.translate_seconds + preparation.compile_seconds + pan.wall_seconds()?;
        Some(seconds / row.cell("packed")?.wall_seconds()?.max(1e-6))
    };
    large(results, MILLION).filter_map(ratio).collect()
}

fn bytes(results: &Results, variant: &str) -> Vec<f64> {
    large(results, MILLION).filter_map(|row| row.cell(variant)?.bytes_per_state()).collect()
}

fn smallest(values: &[f64]) -> Option<f64> {
    values.iter().copied().min_by(f64::total_cmp)
}

fn at_least(text: &'static str, bound: f64, measured: Option<f64>, models: usize) -> Aim {
    let met = measured.map(|value| value >= bound);
    Aim { text, wanted: format!("at least {bound}"), measured, met, models }
}

fn at_most(text: &'static str, bound: f64, measured: Option<f64>, models: usize) -> Aim {
    let met = measured.map(|value| value <= bound);
    Aim { text, wanted: format!("at most {bound}"), measured, met, models }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::machine::Machine;
    use crate::bench::results::Sample;

    fn cell(variant: &'static str, wall_seconds: f64, states: u64) -> Cell {
        let sample = Sample {
            wall_seconds,
            processor_seconds: wall_seconds,
            peak_bytes: 20 * states,
            states,
            ..Sample::default()
        };
        Cell { variant, samples: vec![sample], ..Cell::default() }
    }

    #[test]
    fn only_large_models_count() {
        let row = |states, pan, packed| Row {
            model: String::new(),
            kind: String::new(),
            cells: vec![cell("pan", pan, states), cell("packed", packed, states)],
        };
        let results = Results {
            machine: Machine::observe(None),
            repeats: 1,
            rows: vec![row(100, 1.0, 9.0), row(2_000_000, 8.0, 1.0), row(4_000_000, 32.0, 1.0)],
            disagreements: Vec::new(),
        };
        let aims = aims(&results);
        assert_eq!((aims[0].models, aims[0].met), (2, Some(true)));
        assert!((aims[0].measured.expect("a mean") - 16.0).abs() < 1e-9);
        assert!((aims[1].measured.expect("a minimum") - 8.0).abs() < 1e-9);
        let packed = aims.iter().find(|aim| aim.text.contains("packed")).expect("an aim");
        assert_eq!(packed.met, Some(true));
        let threads = aims.iter().find(|aim| aim.text.starts_with("two threads")).expect("an aim");
        assert_eq!((threads.met, threads.models), (None, 0));
    }
}
