//! `lariat msc`: a counterexample, or a recorded run, as a message sequence chart.

use super::properties::Properties;
use super::signals::{INTERRUPTED, leave_while_printing, stop_when_interrupted};
use super::source::{Source, Time, read_text};
use super::writing::Writing;
use super::{Color, Exit, destination, values};
use anyhow::Context;
use clap::Args;
use lariat::chart::{mermaid, svg};
use lariat::report::findings::findings;
use lariat::run::trace::Trace;
use lariat::run::trail;
use lariat::{Error, Report};
use lariat_ir::{Budget, Interpreter, Program, State, Step};
use lariat_search::Verdict;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Msc {
    #[command(flatten)]
    source: Source,

    /// Print an SVG image (the default)
    #[arg(long, conflicts_with = "mermaid")]
    svg: bool,

    /// Print a Mermaid diagram, for Markdown
    #[arg(long)]
    mermaid: bool,

    /// Draw the run recorded in a `.trail` file [default: the first counterexample]
    #[arg(long, value_name = "FILE")]
    trail: Option<PathBuf>,

    /// Time limit of the whole command, such as 90s or 2m
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    time: Option<Duration>,

    #[command(flatten)]
    properties: Properties,
}

impl Msc {
    pub fn run(self) -> anyhow::Result<Exit> {
        let draw = if self.mermaid { mermaid::render } else { svg::render };
        let drawn = match &self.trail {
            Some(file) => {
                stop_when_interrupted();
                let budget = Budget::new(self.time, &INTERRUPTED);
                let Some(model) = self.source.load(Color::Auto.stderr(), &budget)? else {
                    return Ok(Exit::BadInput);
                };
                let file = file.clone();
                within(&budget, move || Ok(draw(&recorded(&model.program, &file)?)))
            }
            None => {
                let time = Time::Whole(self.time);
                let drawn = self.source.check(&self.properties, time, false, |report, budget| {
                    within(budget, move || Ok(draw(&first(&report)?)))
                });
                match drawn? {
                    Some(text) => Ok(text),
                    None => return Ok(Exit::BadInput),
                }
            }
        };
        let text = drawn?;
        leave_while_printing(Exit::Inconclusive, || destination::to_stdout(&text))?;
        Ok(Exit::Holds)
    }
}

/// Draws within the budget.
fn within(
    budget: &Budget,
    draw: impl FnOnce() -> anyhow::Result<String> + Send + 'static,
) -> anyhow::Result<String> {
    let drawn = Writing::within(budget).run(draw);
    drawn.map_err(|limit| Error::Exhausted { limit, phase: "while the run was drawn" })?
}

/// The first counterexample.
fn first(report: &Report<'_>) -> anyhow::Result<Trace> {
    match findings(report).iter().flat_map(|finding| finding.violations()).next() {
        Some(shown) => Ok(shown.trace.clone()),
        None if report.verdict() == Verdict::Holds => {
            anyhow::bail!("everything that was checked holds: there is no counterexample to draw")
        }
        None => {
            anyhow::bail!(
                "no error was found, but the search was not exhaustive; --trail FILE draws a recorded run"
            )
        }
    }
}

/// The run of a `.trail` file.
fn recorded(program: &Program, file: &Path) -> anyhow::Result<Trace> {
    let trail = trail::read(&read_text(file)?)
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("{} is not a trail", file.display()))?;
    let trail::FollowedTrail { steps, cycle, lost } = trail::follow(program, &trail);
    if let Some(lost) = lost {
        anyhow::bail!(
            "{}: move {} is not possible; the trail may belong to another model",
            file.display(),
            lost.number
        );
    }
    let states = states_along(program, &steps);
    Ok(Trace::new(program, &steps, &states, cycle, String::new()))
}

/// The states of a run; the last step has no state if an error interrupts it.
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
