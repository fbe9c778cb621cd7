//! `lariat graph`: a small state space, or the automata of the processes, for Graphviz or as JSON.

use super::source::Source;
use super::{Color, Exit};
use anyhow::Context;
use clap::Args;
use lariat::graph::{automata, dot, explore};
use lariat::report::{printable, printable_json};
use serde_json::json;
use std::io::{self, Write};

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
}

impl Graph {
    pub fn run(self) -> anyhow::Result<Exit> {
        let Some(model) = self.source.load(Color::Auto.stderr())? else {
            return Ok(Exit::BadInput);
        };
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
        let text = if self.json { printable_json(&text) } else { text };
        io::stdout().write_all(text.as_bytes())?;
        Ok(Exit::Holds)
    }
}
