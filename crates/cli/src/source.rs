//! Flags shared by commands that load a model, and the check that precedes `explore` and `msc`.

use super::properties::Properties;
use super::{Color, complain, values};
use anyhow::Context;
use clap::Args;
use lariat::model::{Define, Model, ModelReader};
use lariat::{Checker, Error, Property, Report, Settings, machine};
use lariat_ir::Budget;
use lariat_search::{Limits, Options, Order};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// Limit on the size of an input that is not a model, such as a saved run.
const MAX_INPUT_BYTES: u64 = 1 << 30;

/// Reads a file that the command line names. Devices, which may never end, are refused.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes = lariat_promela::read_file(path, true, MAX_INPUT_BYTES)
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[derive(Debug, Args)]
pub struct Source {
    /// The model, a Promela file or a transition system (`.lts`); `-` is standard input
    pub model: OsString,

    /// Define a macro, as if by a `#define` at the start of the model
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = values::define)]
    pub define: Vec<Define>,
}

/// The scope of a time limit.
#[derive(Clone, Copy, Debug)]
pub enum Time {
    /// The whole command.
    Whole(Option<Duration>),
    /// Each property, and reading the model.
    PerProperty(Duration),
}

impl Source {
    /// Reads the model within the budget; errors and warnings are printed.
    pub fn load(&self, color: bool, budget: &Budget) -> anyhow::Result<Option<Model>> {
        let model = self.read(&[], color, budget)?;
        complain(model.as_ref().map_or("", |model| &model.warnings));
        Ok(model)
    }

    /// Reads the model with the formulas of these properties; errors are printed.
    pub fn read(
        &self,
        properties: &[Property],
        color: bool,
        budget: &Budget,
    ) -> anyhow::Result<Option<Model>> {
        let reader = ModelReader::default().defines(&self.define).color(color);
        match reader.properties(properties)?.read_within(&self.model, budget) {
            Ok(model) => Ok(Some(model)),
            Err(Error::Rejected(rejected)) => {
                complain(&rejected.text);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Checks the model like `check`, with shortest runs to errors, and passes the report on;
    /// `None` if the model is rejected, which was printed.
    pub fn check<T>(
        &self,
        properties: &Properties,
        time: Time,
        remedy: bool,
        show: impl FnOnce(Report<'static>, &Budget) -> anyhow::Result<T>,
    ) -> anyhow::Result<Option<T>> {
        super::signals::stop_when_interrupted();
        let (whole, each) = match time {
            Time::Whole(time) => (time, None),
            Time::PerProperty(time) => (None, Some(time)),
        };
        let budget = Budget::new(whole, &super::signals::INTERRUPTED);
        let reading = budget.part_of(each);
        let (requested, assumed) = properties.read(&reading)?;
        let all = [&requested[..], &assumed].concat();
        let Some(model) = self.read(&all, Color::Auto.stderr(), &reading)? else {
            return Ok(None);
        };
        complain(&model.warnings);
        let options = Options {
            order: Order::BreadthFirst,
            limits: Limits {
                memory_bytes: machine::default_memory_bytes(),
                budget: &budget,
                ..Limits::default()
            },
            ..Options::default()
        };
        let settings = Settings {
            shortest: properties.shortest,
            fairness: properties.fairness(),
            simplify: true,
            remedy,
            time_per_property: each,
            ..Settings::default()
        };
        let checker = Checker::new(&model).properties(requested).settings(settings);
        let checker = assumed.into_iter().fold(checker, Checker::assume);
        let report = checker.options(options).run()?;
        show(report.into_owned(), &budget).map(Some)
    }
}
