//! One measured search of a compiled `pan`, with a stack that is large enough.

use std::path::Path;
use std::process::Command;

use super::measure::{self, Limit};
use super::results::Sample;
use crate::pan;

/// The largest stack of a search that may be incomplete, in steps: several gigabytes.
const MAX_DEPTH: u64 = 50_000_000;

/// Runs `pan` in its directory. If the stack of `depth` steps is too small, the stack is enlarged,
/// also for later runs, and the search is repeated: a truncated search is never measured, unless
/// `errors_count` is set and it found its error, or the stack has [`MAX_DEPTH`] steps.
pub fn run(
    directory: &Path,
    arguments: &[&str],
    depth: &mut u64,
    errors_count: bool,
    limit: Limit,
) -> Result<Sample, String> {
    loop {
        let mut command = Command::new(directory.join("pan"));
        command.args(arguments).arg(format!("-m{depth}")).current_dir(directory);
        let measured =
            measure::run_limited(&mut command, limit).map_err(|error| error.to_string())?;
        if let (Limit::Kill(time), true) = (limit, measured.out_of_time) {
            return Err(format!("more than {} s", time.as_secs()));
        }
        let figures = pan::parse(&measured.stdout).ok_or_else(|| measured.complaint())?;
        let found = !figures.error_kinds.is_empty();
        if figures.truncated && !(errors_count && found) {
            if !measured.stdout.contains("max search depth too small") {
                return Err("out of memory".to_owned());
            }
            if *depth < MAX_DEPTH || matches!(limit, Limit::Kill(_)) {
                *depth *= 4;
                continue;
            }
        }
        let incomplete = if figures.truncated {
            Some(format!("deeper than {depth} steps"))
        } else if figures.fatal {
            Some("ended by an error".to_owned())
        } else {
            measured.out_of_time.then(|| "interrupted".to_owned())
        };
        return Ok(Sample {
            exhaustive: incomplete.is_none(),
            search_seconds: pan::elapsed_seconds(&measured.stdout),
            wall_seconds: measured.wall_seconds,
            processor_seconds: measured.processor_seconds,
            peak_bytes: measured.peak_bytes,
            states: figures.states,
            transitions: figures.transitions,
            depth: figures.depth,
            vector_bytes: figures.vector_bytes,
            verdict: if found { "violated" } else { "holds" }.to_owned(),
            details: serde_json::Value::Null,
            reason: incomplete,
        });
    }
}
