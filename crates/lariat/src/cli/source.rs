//! Flags shared by commands that show one run of a model: which model, and where its run comes from.

use super::properties::{Properties, texts};
use super::{Color, complain, signals, values};
use clap::Args;
use lariat::answer::{Answer, Asked, answer};
use lariat::load::{Define, Model, load_with};
use lariat::machine;
use lariat::property::Choice;
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

    /// The model and what `check` would find in it, with the shortest runs to errors and, if asked, what fairness would change; nothing if the model is bad, which was said.
    pub fn answer(
        &self,
        properties: &Properties,
        time: Option<Duration>,
        remedy: bool,
    ) -> anyhow::Result<Option<(Model, Answer)>> {
        let wanted = properties.wanted()?;
        let assumed = properties.assumed()?;
        let Some(model) = self.load(&texts(&wanted, &assumed)?, Color::Auto.stderr()) else {
            return Ok(None);
        };
        let asked = Asked::new(&model, &wanted, &assumed).map_err(anyhow::Error::msg)?;
        signals::stop_when_interrupted();
        let options = Options {
            order: Order::BreadthFirst,
            limits: Limits {
                memory_bytes: machine::default_memory_bytes(),
                time,
                interrupt: Some(&signals::INTERRUPTED),
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
            ..Choice::default()
        };
        let found = answer(&model.program, &asked, &choice, &options)?;
        Ok(Some((model, found)))
    }
}
