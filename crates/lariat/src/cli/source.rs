//! Flags shared by commands that show one run of a model: which model, and where its run comes from.

use super::properties::Properties;
use super::{Color, READING, Stopped, complain, values};
use clap::Args;
use lariat::answer::{Answer, Asked, answer};
use lariat::load::{Define, Model, load_with, load_within};
use lariat::machine;
use lariat::property::Choice;
use model::Budget;
use search::{Limits, Options, Order};
use std::ffi::OsString;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Source {
    /// The model, a Promela file or a transition system (`.lts`); `-` is standard input
    pub model: OsString,

    /// Define a macro, as if the model began with it
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = values::define)]
    pub define: Vec<Define>,
}

/// What a time limit is for.
#[derive(Clone, Copy, Debug)]
pub enum Time {
    /// The whole command.
    Whole(Option<Duration>),
    /// Each property.
    PerProperty(Duration),
}

impl Source {
    /// The model, read together with these texts; if it is bad or doubtful, that was said.
    pub fn load(&self, texts: &[String], color: bool) -> Option<Model> {
        let model = self.read(texts, color)?;
        complain(&model.warnings);
        Some(model)
    }

    /// The same, but nothing is said of what is only doubtful.
    pub fn read(&self, texts: &[String], color: bool) -> Option<Model> {
        load_with(&self.model, &self.define, texts, color).map_err(|rejected| complain(&rejected.text)).ok()
    }

    /// The same within a budget.
    pub fn read_within(
        &self,
        texts: &[String],
        color: bool,
        budget: &Budget,
    ) -> anyhow::Result<Option<Model>> {
        let read = load_within(&self.model, &self.define, texts, color, budget);
        let read = read.map_err(|why| Stopped { why, phase: READING })?;
        Ok(read.map_err(|rejected| complain(&rejected.text)).ok())
    }

    /// The model and what `check` would find in it, with the shortest runs to errors and, if asked, what fairness would change; nothing if the model is bad, which was said.
    pub fn answer(
        &self,
        properties: &Properties,
        time: Time,
        remedy: bool,
    ) -> anyhow::Result<Option<(Model, Answer)>> {
        super::signals::stop_when_interrupted();
        let (whole, each) = match time {
            Time::Whole(time) => (time, None),
            Time::PerProperty(time) => (None, Some(time)),
        };
        let budget = Budget::new(whole, &super::signals::INTERRUPTED);
        let (wanted, assumed, texts) = properties.read(&budget)?;
        let Some(model) = self.read_within(&texts, Color::Auto.stderr(), &budget)? else {
            return Ok(None);
        };
        complain(&model.warnings);
        let asked = Asked::new(&model, &wanted, &assumed).map_err(anyhow::Error::msg)?;
        let options = Options {
            order: Order::BreadthFirst,
            limits: Limits {
                memory_bytes: machine::default_memory_bytes(),
                budget: &budget,
                ..Limits::default()
            },
            ..Options::default()
        };
        let choice = Choice {
            shortest: properties.shortest,
            fairness: properties.fairness(),
            assumptions: asked.assumptions.clone(),
            simplify: true,
            remedy,
            time_per_property: each,
            ..Choice::default()
        };
        let found = answer(&model.program, &asked, &choice, &options)?;
        Ok(Some((model, found)))
    }
}
