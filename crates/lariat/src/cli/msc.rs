//! `lariat msc`: a counterexample, or a recorded run, as a message sequence chart.

use super::properties::Properties;
use super::source::{Source, Time};
use super::{Color, Exit, values};
use anyhow::Context;
use clap::Args;
use lariat::chart::{mermaid, svg};
use lariat::report::Report;
use lariat::report::findings::findings;
use lariat::trace::Trace;
use lariat::trail;
use model::{Interpreter, Program, State, Step};
use search::Verdict;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Msc {
    #[command(flatten)]
    source: Source,

    /// As an SVG image (the default)
    #[arg(long, conflicts_with = "mermaid")]
    svg: bool,

    /// In the language of Mermaid, to be put into Markdown
    #[arg(long)]
    mermaid: bool,

    /// Draw the run recorded in a `.trail` file [default: the first counterexample, the shortest run to an error]
    #[arg(long, value_name = "FILE")]
    trail: Option<PathBuf>,

    /// Do not search longer, such as 90s or 2m
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    time: Option<Duration>,

    #[command(flatten)]
    properties: Properties,
}

impl Msc {
    pub fn run(self) -> anyhow::Result<Exit> {
        let trace = match &self.trail {
            Some(file) => {
                let Some(model) = self.source.load(&[], Color::Auto.stderr()) else {
                    return Ok(Exit::BadInput);
                };
                recorded(&model.program, file)?
            }
            None => match self.source.answer(&self.properties, Time::Whole(self.time), false)? {
                Some((model, answer)) => first(&answer.report(&model))?,
                None => return Ok(Exit::BadInput),
            },
        };
        let text = if self.mermaid { mermaid::render(&trace) } else { svg::render(&trace) };
        io::stdout().write_all(text.as_bytes())?;
        Ok(Exit::Holds)
    }
}

/// The first run that shows something wrong.
fn first(report: &Report<'_>) -> anyhow::Result<Trace> {
    match findings(report).iter().flat_map(|finding| finding.violations()).next() {
        Some(shown) => Ok(shown.trace.clone()),
        None if report.verdict() == Verdict::Holds => {
            anyhow::bail!("all that was checked holds: there is no counterexample to draw")
        }
        None => {
            anyhow::bail!("no error was found, but not everything was visited; is there a trail to follow?")
        }
    }
}

/// The run of a `.trail` file.
fn recorded(program: &Program, file: &Path) -> anyhow::Result<Trace> {
    let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let trail = trail::read(&String::from_utf8_lossy(&text))
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("{} is not a trail", file.display()))?;
    let trail::FollowedTrail { steps, cycle, lost } = trail::follow(program, &trail);
    if let Some(lost) = lost {
        anyhow::bail!(
            "{}: move {} is not possible; is the trail that of this model?",
            file.display(),
            lost.number
        );
    }
    let states = states_along(program, &steps);
    Ok(Trace::new(program, &steps, &states, cycle, String::new()))
}

/// The states a run goes through; the last step may have none.
fn states_along(program: &Program, steps: &[Step]) -> Vec<State> {
    let interpreter = Interpreter::new(program);
    let mut states = interpreter.initial_states().unwrap_or_default();
    states.truncate(1);
    for step in steps {
        let Some(last) = states.last() else { break };
        let mut successors = Vec::new();
        interpreter.successors(last, &mut successors);
        match successors.into_iter().find(|successor| successor.step == *step) {
            Some(found) => match found.state {
                Some(state) => states.push(state),
                None => break,
            },
            None => break,
        }
    }
    states
}
