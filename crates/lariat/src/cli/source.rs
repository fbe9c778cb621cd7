//! Flags shared by commands that show one run of a model: which model, and where its run comes from.

use super::{complain, values};
use anyhow::Context;
use clap::Args;
use lariat::check::{self, Checked, Counterexample, Engine};
use lariat::load::{Define, Model, Rejected, load};
use lariat::machine;
use search::{Limits, Options, Order};
use std::ffi::OsString;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Source {
    /// The model; `-` is standard input
    pub model: OsString,

    /// Define a macro, as if the model began with it
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = values::define)]
    pub define: Vec<Define>,
}

impl Source {
    /// The model; if it is bad, that was said.
    pub fn load(&self, color: bool) -> Option<Model> {
        match load(&self.model, &self.define, color) {
            Ok(model) => {
                complain(&model.warnings);
                Some(model)
            }
            Err(Rejected(message)) => {
                complain(&message);
                None
            }
        }
    }
}

/// A search for the shortest run to an error.
pub fn shortest(model: &Model, time: Option<Duration>) -> anyhow::Result<Checked> {
    super::check::stop_when_interrupted();
    let options = Options {
        order: Order::BreadthFirst,
        limits: Limits {
            memory_bytes: machine::default_memory_bytes(),
            time,
            interrupt: Some(&super::check::INTERRUPTED),
            ..Limits::default()
        },
        ..Options::default()
    };
    let mut checked = check::check(&model.program, Engine::Native, false, &options)
        .context("internal error: a counterexample cannot be replayed")?;
    checked.simplify(&model.program);
    Ok(checked)
}

/// The first error of a search, or why there is none.
pub fn first(checked: &Checked) -> anyhow::Result<&Counterexample> {
    match checked.counterexamples.first() {
        Some(first) => Ok(first),
        None if checked.outcome.exhaustive => {
            anyhow::bail!("every run of the model is free of errors: there is no counterexample to draw")
        }
        None => {
            anyhow::bail!("no error was found, but not everything was visited; is there a trail to follow?")
        }
    }
}
