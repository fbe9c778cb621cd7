//! `cargo xtask bench record`: writes the figures that SPIN finds into the models' headers.

use std::fs;
use std::time::Duration;

use super::Selection;
use super::machine::Machine;
use super::measure::Limit;
use super::models::Model;
use super::preparation::LIMIT;
use super::results::Sample;
use super::spin_runs::{VARIANTS, Verifier};
use crate::spin;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Only models without figures
    #[arg(long)]
    missing: bool,
}

pub fn run(arguments: &Arguments) -> Result<bool, String> {
    spin::ensure_installed()?;
    let memory_megabytes = Machine::observe(None).memory_megabytes / 2;
    let limit = Duration::from_secs(arguments.selection.limit);
    let mut good = true;
    for model in arguments.selection.find(None)? {
        if arguments.missing && model.figures.is_some() {
            continue;
        }
        let searched = Verifier::prepare(VARIANTS[0], &model, memory_megabytes, LIMIT)
            .and_then(|mut verifier| verifier.run(Limit::Kill(limit)))
            .and_then(|sample| write(&model, &sample).map(|()| sample));
        match searched {
            Ok(sample) => {
                good &= sample.verdict == "holds";
                println!(
                    "{}: {} states, {} deep, {} bytes, {}, {:.1} s ({:.1} s of processor)",
                    model.name,
                    sample.states,
                    sample.depth,
                    sample.vector_bytes,
                    sample.verdict,
                    sample.wall_seconds,
                    sample.processor_seconds
                );
            }
            Err(message) => {
                good = false;
                println!("{}: {message}", model.name);
            }
        }
    }
    Ok(good)
}

fn write(model: &Model, sample: &Sample) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("{}: {error}", model.path.display());
    let text = fs::read_to_string(&model.path).map_err(fail)?;
    let line = format!(
        " * States: {}; depth: {}; vector: {} bytes.",
        sample.states, sample.depth, sample.vector_bytes
    );
    let text =
        with_figures(&text, &line).ok_or_else(|| format!("{}: no header", model.path.display()))?;
    fs::write(&model.path, text).map_err(fail)
}

/// The text with `line` as the last line of its header comment, replacing an older one.
fn with_figures(text: &str, line: &str) -> Option<String> {
    let end = text.find("\n */")?;
    let (header, rest) = text.split_at(end);
    let header: Vec<&str> = header.lines().filter(|line| !line.contains("States: ")).collect();
    Some(format!("{}\n{line}{rest}", header.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced() {
        let first = with_figures("/* A lock.\n */\nbyte x;\n", " * States: 1;").expect("a header");
        assert_eq!(first, "/* A lock.\n * States: 1;\n */\nbyte x;\n");
        assert_eq!(
            with_figures(&first, " * States: 2;").expect("a header"),
            first.replace('1', "2")
        );
        assert_eq!(with_figures("byte x;", ""), None);
    }
}
