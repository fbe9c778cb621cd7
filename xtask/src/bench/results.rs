//! The measured samples, their medians, and their JSON form.

use serde_json::{Value, json};

use super::machine::Machine;

/// One run of one variant on one model.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    pub wall_seconds: f64,
    pub processor_seconds: f64,
    pub peak_bytes: u64,
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    pub vector_bytes: u64,
    pub verdict: String,
    /// The time of the search, as the program reports it.
    pub search_seconds: Option<f64>,
    /// The search visited every state.
    pub exhaustive: bool,
    /// Lariat's statistics, unchanged.
    pub details: Value,
    /// Lariat's reason if the verdict is not "holds"; why SPIN's search is not exhaustive.
    pub reason: Option<String>,
}

/// The time to build SPIN's verifier.
#[derive(Debug, Clone, Copy, Default)]
pub struct Preparation {
    pub translate_seconds: f64,
    pub compile_seconds: f64,
}

/// All runs of one variant on one model.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub variant: &'static str,
    pub samples: Vec<Sample>,
    pub preparation: Option<Preparation>,
    pub failure: Option<String>,
}

impl Cell {
    pub fn new(variant: &'static str) -> Self {
        Self { variant, ..Self::default() }
    }

    fn median(&self, of: impl Fn(&Sample) -> f64) -> Option<f64> {
        median(self.samples.iter().map(of).collect())
    }

    pub fn wall_seconds(&self) -> Option<f64> {
        self.median(|sample| sample.wall_seconds)
    }

    pub fn processor_seconds(&self) -> Option<f64> {
        self.median(|sample| sample.processor_seconds)
    }

    pub fn peak_bytes(&self) -> Option<f64> {
        self.median(|sample| sample.peak_bytes as f64)
    }

    pub fn states(&self) -> Option<u64> {
        self.samples.first().map(|sample| sample.states)
    }

    /// The peak memory of the process divided by the number of states.
    pub fn bytes_per_state(&self) -> Option<f64> {
        Some(self.peak_bytes()? / self.states().filter(|&states| states > 0)? as f64)
    }

    fn json(&self) -> Value {
        json!({
            "variant": self.variant,
            "failure": self.failure,
            "translate_seconds": self.preparation.map(|preparation| preparation.translate_seconds),
            "compile_seconds": self.preparation.map(|preparation| preparation.compile_seconds),
            "wall_seconds": self.wall_seconds(),
            "processor_seconds": self.processor_seconds(),
            "peak_bytes": self.peak_bytes(),
            "states": self.states(),
            "transitions": self.samples.first().map(|sample| sample.transitions),
            "depth": self.samples.first().map(|sample| sample.depth),
            "vector_bytes": self.samples.first().map(|sample| sample.vector_bytes),
            "verdict": self.samples.first().map(|sample| sample.verdict.clone()),
            "all_wall_seconds": self.samples.iter().map(|sample| sample.wall_seconds).collect::<Vec<_>>(),
            "all_processor_seconds": self.samples.iter().map(|sample| sample.processor_seconds).collect::<Vec<_>>(),
            "details": self.samples.first().map(|sample| sample.details.clone()),
        })
    }
}

/// All variants on one model.
#[derive(Debug, Clone)]
pub struct Row {
    pub model: String,
    pub kind: String,
    pub cells: Vec<Cell>,
}

impl Row {
    pub fn cell(&self, variant: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.variant == variant)
    }

    /// The exact count of SPIN, otherwise that of Lariat, otherwise the count after SPIN's
    /// statement merging.
    pub fn states(&self) -> Option<u64> {
        ["pan", "packed", "interned", "pan-merge"]
            .iter()
            .find_map(|variant| self.cell(variant)?.states())
    }

    /// The factor by which `slow` exceeds `fast` in `measure`.
    pub fn ratio(&self, slow: &str, fast: &str, measure: fn(&Cell) -> Option<f64>) -> Option<f64> {
        Some(measure(self.cell(slow)?)? / measure(self.cell(fast)?)?.max(1e-6))
    }
}

/// All results of a run.
#[derive(Debug)]
pub struct Results {
    pub machine: Machine,
    pub repeats: usize,
    pub rows: Vec<Row>,
    /// Descriptions of counts or verdicts that differ.
    pub disagreements: Vec<String>,
}

impl Results {
    /// A paragraph with the machine, the versions and the number of repeats.
    pub fn setting(&self) -> String {
        self.machine.setting(self.repeats)
    }

    pub fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            json!({
                "model": row.model,
                "kind": row.kind,
                "runs": row.cells.iter().map(Cell::json).collect::<Vec<_>>(),
            })
        });
        json!({
            "machine": self.machine.json(),
            "repeats": self.repeats,
            "models": rows.collect::<Vec<_>>(),
            "disagreements": self.disagreements,
        })
    }

    /// Descriptions of all failed cells.
    pub fn failures(&self) -> Vec<String> {
        let cells = self.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)));
        cells
            .filter_map(|(row, cell)| {
                Some(format!("{}, {}: {}", row.model, cell.variant, cell.failure.as_ref()?))
            })
            .collect()
    }
}

pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    Some((values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
        assert!((geometric_mean(&[1.0, 4.0]).expect("two values") - 2.0).abs() < 1e-12);
    }
}
