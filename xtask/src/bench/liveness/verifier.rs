//! SPIN's side: the model with the formula as an `ltl` block, generated and compiled once.

use std::fs;
use std::process::Command;
use std::time::Duration;

use super::instance::Instance;
use crate::bench::results::{Preparation, Sample};
use crate::bench::{deepening, measure};
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
        let limit = Duration::from_secs(300);
        let fail = |error: std::io::Error| error.to_string();
        let directory = PrivateDirectory::new().map_err(fail)?;
        let model = fs::read_to_string(&instance.model).map_err(fail)?;
        let text = format!("{model}\nltl p {{ {} }}\n", instance.formula);
        fs::write(directory.path.join("model.pml"), text).map_err(fail)?;
        let mut spin = Command::new("spin");
        spin.args(["-o1", "-o2", "-o3"]).args(instance.macros.iter().map(|each| format!("-D{each}")));
        spin.args(["-a", "model.pml"]).current_dir(&directory.path);
        let generated = measure::run(&mut spin, limit).map_err(fail)?;
        if !generated.status.success() || !directory.path.join("pan.c").exists() {
            return Err(format!("spin -a: {}", generated.complaint()));
        }
        let mut cc = Command::new("cc");
        cc.args(["-O3", "-march=native", "-w", "-DNOREDUCE", "-DNOFAIR"])
            .arg(format!("-DMEMLIM={memory_megabytes}"))
            .args(["-o", "pan", "pan.c"])
            .current_dir(&directory.path);
        let compiled = measure::run(&mut cc, limit).map_err(fail)?;
        if !compiled.status.success() {
            return Err(format!("cc: {}", compiled.complaint()));
        }
        let preparation =
            Preparation { translate_seconds: generated.wall_seconds, compile_seconds: compiled.wall_seconds };
        // `pan`'s own default.
        Ok(Self { directory, depth: 10_000, preparation })
    }

    /// One search.
    pub fn run(&mut self, limit: Duration) -> Result<Sample, String> {
        deepening::run(&self.directory.path, &["-a", "-n", "-w22"], &mut self.depth, true, limit)
    }
}
