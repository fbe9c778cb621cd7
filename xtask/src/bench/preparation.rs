//! Generation and compilation of SPIN's verifier, with the time of both.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::measure;
use super::results::Preparation;

/// Time limit of each of the two commands.
const LIMIT: Duration = Duration::from_secs(300);

/// Builds `pan` from `model.pml` in the directory, with these arguments for SPIN's translator and
/// for the C compiler.
pub fn prepare(
    directory: &Path,
    translator: impl IntoIterator<Item = String>,
    compiler: &[&str],
    memory_megabytes: u64,
) -> Result<Preparation, String> {
    let fail = |error: std::io::Error| error.to_string();
    let mut spin = Command::new("spin");
    spin.args(translator).args(["-a", "model.pml"]).current_dir(directory);
    let generated = measure::run(&mut spin, LIMIT).map_err(fail)?;
    if !generated.status.success() || !directory.join("pan.c").exists() {
        return Err(format!("spin -a: {}", generated.complaint()));
    }
    let mut cc = Command::new("cc");
    cc.args(["-O3", "-march=native", "-w"])
        .args(compiler)
        .arg(format!("-DMEMLIM={memory_megabytes}"))
        .args(["-o", "pan", "pan.c"])
        .current_dir(directory);
    let compiled = measure::run(&mut cc, LIMIT).map_err(fail)?;
    if !compiled.status.success() {
        return Err(format!("cc: {}", compiled.complaint()));
    }
    Ok(Preparation {
        translate_seconds: generated.wall_seconds,
        compile_seconds: compiled.wall_seconds,
    })
}
