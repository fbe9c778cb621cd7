//! One measured search of a compiled `pan`, with a stack that is large enough.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::measure;
use super::results::Sample;
use crate::pan;

/// Runs `pan` in its directory. If the stack of `depth` steps is too small, the stack is enlarged,
/// also for later runs, and the search is repeated: a truncated search is never measured, unless
/// `errors_count` is set and it found its error.
pub fn run(
    directory: &Path,
    arguments: &[&str],
    depth: &mut u64,
    errors_count: bool,
    limit: Duration,
) -> Result<Sample, String> {
    loop {
        let mut command = Command::new(directory.join("pan"));
        command.args(arguments).arg(format!("-m{depth}")).current_dir(directory);
        let measured = measure::run(&mut command, limit).map_err(|error| error.to_string())?;
        if measured.out_of_time {
            return Err(format!("more than {} s", limit.as_secs()));
        }
        let figures = pan::parse(&measured.stdout).ok_or_else(|| measured.complaint())?;
        let found = !figures.error_kinds.is_empty();
        if figures.truncated && !(errors_count && found) {
            if !measured.stdout.contains("max search depth too small") {
                return Err("out of memory".to_owned());
            }
            *depth *= 4;
            continue;
        }
        return Ok(Sample {
            exhaustive: false,
            wall_seconds: measured.wall_seconds,
            processor_seconds: measured.processor_seconds,
            peak_bytes: measured.peak_bytes,
            states: figures.states,
            transitions: figures.transitions,
            depth: figures.depth,
            vector_bytes: figures.vector_bytes,
            verdict: if found { "violated" } else { "holds" }.to_owned(),
            details: serde_json::Value::Null,
            reason: None,
        });
    }
}
