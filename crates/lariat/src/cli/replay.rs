//! `lariat replay`: is a counterexample that was saved still one, after the model was edited?

use super::{Color, Exit, complain, values};
use anyhow::Context;
use clap::Args;
use lariat::load::{Define, Rejected, load};
use lariat::replay::{Replayed, SavedRun, SavedStep, fingerprint};
use lariat::report::printable;
use lariat::report::text::{Style, table};
use lariat::run::show_run;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Replay {
    /// A counterexample saved with `lariat check --save`
    file: PathBuf,

    /// The model [default: the one it was found in]
    model: Option<OsString>,

    /// Define a macro [default: as when it was found]
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = values::define)]
    define: Vec<Define>,

    /// Say what became of it and nothing else
    #[arg(long, short)]
    quiet: bool,

    /// Colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

impl Replay {
    pub fn run(self) -> anyhow::Result<Exit> {
        let text =
            std::fs::read(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        let saved = SavedRun::read(&String::from_utf8_lossy(&text))
            .map_err(anyhow::Error::msg)
            .with_context(|| self.file.display().to_string())?;
        let path = self.model.clone().unwrap_or_else(|| saved.model.clone().into());
        let defines = if self.define.is_empty() { &saved.defines } else { &self.define };
        let model = match load(&path, defines, self.color.stderr()) {
            Ok(model) => model,
            Err(Rejected(message)) => {
                complain(&message);
                return Ok(Exit::BadInput);
            }
        };
        let followed = saved
            .follow(&model.program)
            .map_err(|error| anyhow::anyhow!(printable(&error.to_string())))
            .context("the model has no initial state")?;
        let style = Style { color: self.color.stdout() };
        let mut out = io::stdout().lock();
        let same = fingerprint(&model.program) == saved.fingerprint;
        let since = if same { "the model has not changed" } else { "the model has changed since" };
        let exit = match &followed.result {
            Replayed::StillFails => {
                let error = printable(&saved.error.to_string());
                writeln!(out, "{}: {error}; {since}", style.bad("still fails"))?;
                Exit::Violated
            }
            Replayed::FailsOtherwise { step, error } => {
                let error = printable(&error.to_string());
                writeln!(out, "{}: at step {}: {error}", style.bad("fails otherwise"), step + 1)?;
                Exit::Violated
            }
            Replayed::Fixed => {
                writeln!(
                    out,
                    "{}: the run is still possible, but nothing is wrong with it",
                    style.good("fixed")
                )?;
                if !self.quiet {
                    writeln!(out, "  other runs may fail: lariat check looks at all")?;
                }
                Exit::Holds
            }
            Replayed::Diverges { step } => {
                let wanted = saved.steps.get(*step).map_or_else(String::new, step_text);
                writeln!(
                    out,
                    "{}: {wanted} is not possible any more",
                    style.unsure(&format!("diverges at step {}", step + 1))
                )?;
                if !self.quiet {
                    for (number, other) in followed.instead.iter().enumerate() {
                        writeln!(
                            out,
                            "  {} {}",
                            if number == 0 { "there is now" } else { "         or" },
                            step_text(other)
                        )?;
                    }
                    writeln!(out, "  whether the error is gone is for lariat check to say")?;
                }
                Exit::Inconclusive
            }
        };
        if !self.quiet && exit == Exit::Violated {
            let steps = show_run(&model.program, &followed.steps, &followed.states);
            write!(out, "{}", table(&steps, style))?;
        }
        Ok(exit)
    }
}

fn step_text(step: &SavedStep) -> String {
    let each = step.moves.iter().map(|taken| {
        format!(
            "{} {}:{} `{}`",
            taken.process,
            printable(&taken.file),
            taken.line,
            printable(&taken.statement)
        )
    });
    each.collect::<Vec<_>>().join(" with ")
}
