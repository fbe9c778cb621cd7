//! Runs of SPIN: the model with the formula as an `ltl` block, generated and compiled once.

use std::fs;
use std::time::Duration;

use super::instance::Instance;
use crate::bench::deepening;
use crate::bench::measure::Limit;
use crate::bench::preparation::{LIMIT, prepare};
use crate::bench::results::{Preparation, Sample};
use crate::spin::PrivateDirectory;

/// A compiled verifier in a directory of its own.
#[derive(Debug)]
pub struct Verifier {
    directory: PrivateDirectory,
    depth: u64,
    pub preparation: Preparation,
}

impl Verifier {
    pub fn prepare(instance: &Instance, memory_megabytes: u64) -> Result<Self, String> {
        let fail = |error: std::io::Error| error.to_string();
        let directory = PrivateDirectory::new().map_err(fail)?;
        let model = fs::read_to_string(&instance.model).map_err(fail)?;
        let text = format!("{model}\nltl p {{ {} }}\n", instance.formula);
        fs::write(directory.path.join("model.pml"), text).map_err(fail)?;
        let optimisations = ["-o1", "-o2", "-o3"].map(String::from);
        let translator =
            optimisations.into_iter().chain(instance.macros.iter().map(|each| format!("-D{each}")));
        let preparation = prepare(
            &directory.path,
            translator,
            &["-DNOREDUCE", "-DNOFAIR"],
            memory_megabytes,
            LIMIT,
        )?;
        // The default depth of `pan`.
        Ok(Self { directory, depth: 10_000, preparation })
    }

    /// One search.
    pub fn run(&mut self, limit: Duration) -> Result<Sample, String> {
        deepening::run(
            &self.directory.path,
            &["-a", "-n", "-w22"],
            &mut self.depth,
            true,
            Limit::Kill(limit),
        )
    }
}
