//! Generation and compilation of SPIN's verifier, with the time of both.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::measure;
use super::results::Preparation;

/// The usual time limit of each of the two commands.
pub const LIMIT: Duration = Duration::from_secs(300);

/// Builds `pan` from `model.pml` in the directory, with these arguments for SPIN's translator and
/// for the C compiler, each command within `limit`.
pub fn prepare(
    directory: &Path,
    translator: impl IntoIterator<Item = String>,
    compiler: &[&str],
    memory_megabytes: u64,
    limit: Duration,
) -> Result<Preparation, String> {
    let fail = |error: std::io::Error| error.to_string();
    let mut spin = Command::new("spin");
    spin.args(translator).args(["-a", "model.pml"]).current_dir(directory);
    let generated = measure::run(&mut spin, limit).map_err(fail)?;
    let late = || format!("more than {} s", limit.as_secs());
    if generated.out_of_time {
        return Err(format!("spin -a: {}", late()));
    }
    if !generated.status.success() || !directory.join("pan.c").exists() {
        return Err(format!("spin -a: {}", generated.complaint()));
    }
    let mut cc = Command::new("cc");
    cc.args(["-O3", "-march=native", "-w"])
        .args(compiler)
        .arg(format!("-DMEMLIM={memory_megabytes}"))
        .args(["-o", "pan", "pan.c"])
        .current_dir(directory);
    let compiled = measure::run(&mut cc, limit).map_err(fail)?;
    if compiled.out_of_time {
        return Err(format!("cc: {}", late()));
    }
    if !compiled.status.success() {
        return Err(format!("cc: {}", compiled.complaint()));
    }
    Ok(Preparation {
        translate_seconds: generated.wall_seconds,
        compile_seconds: compiled.wall_seconds,
    })
}
