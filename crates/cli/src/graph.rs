//! `lariat graph`: a small state space, or the automata of the processes, for Graphviz or as JSON.

use super::signals::{INTERRUPTED, leave_while_printing, stop_when_interrupted};
use super::source::Source;
use super::{Color, Exit, STACK_BYTES, destination, values};
use anyhow::Context;
use clap::Args;
use lariat::graph::{automata, dot, explore};
use lariat::report::{printable, printable_json};
use lariat::{Error, Model};
use lariat_ir::Budget;
use serde_json::json;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Graph {
    #[command(flatten)]
    source: Source,

    /// Print for Graphviz (the default)
    #[arg(long, conflicts_with = "json")]
    dot: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Draw the automaton of each process type instead of the states
    #[arg(long)]
    processes: bool,

    /// Maximum number of states
    #[arg(long, value_name = "STATES", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_states: u32,

    /// Time limit of the whole command, such as 90s or 2m; if it is reached, nothing is drawn
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    time: Option<Duration>,
}

/// The phase named when a limit is reached.
const DRAWING: &str = "while the graph was drawn; --max-states draws fewer states";

impl Graph {
    pub fn run(self) -> anyhow::Result<Exit> {
        stop_when_interrupted();
        let budget = Budget::new(self.time, &INTERRUPTED);
        let Some(model) = self.source.load(Color::Auto.stderr(), &budget)? else {
            return Ok(Exit::BadInput);
        };
        let drawn = budget.run(STACK_BYTES, move |_| self.draw(&model));
        let text = drawn.map_err(|limit| Error::Exhausted { limit, phase: DRAWING })??;
        leave_while_printing(Exit::Inconclusive, || destination::to_stdout(&text))?;
        Ok(Exit::Holds)
    }

    /// The text of the drawing.
    fn draw(&self, model: &Model) -> anyhow::Result<String> {
        let text = if self.processes {
            let list = automata::automata(&model.program);
            match self.json {
                true => format!("{:#}\n", json!({ "model": model.name, "processes": list })),
                false => dot::automata(&model.name, &list),
            }
        } else {
            let graph = explore(&model.program, self.max_states as usize)
                .map_err(|error| anyhow::anyhow!(printable(&error.to_string())))
                .context("the model has no initial state")?;
            if graph.truncated {
                super::complain(&format!(
                    "warning: only the first {} states are shown; --max-states allows more\n",
                    self.max_states
                ));
            }
            match self.json {
                true => {
                    let mut value = serde_json::to_value(&graph)?;
                    value["model"] = model.name.as_str().into();
                    format!("{value:#}\n")
                }
                false => dot::states(&model.name, &graph),
            }
        };
        Ok(if self.json { printable_json(&text) } else { text })
    }
}
