//! The entry point of the library: checks properties of a model and collects the results.

use crate::check::remedy::add_remedy_in;
use crate::check::safety::check_safety_in;
use crate::check::verdict::check_property_in;
use crate::check::{Programs, PropertyResult, SafetyResult, Settings, Systems};
use crate::error::Error;
use crate::initial::ensure_initial_states;
use crate::machine;
use crate::model::Model;
use crate::property::{Assumption, Property, ResolvedProperty, all_stated};
use crate::report::Report;
use lariat_ir::Budget;
use lariat_search::liveness::fairness::Fairness;
use lariat_search::{Limits, Options};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// How much longer than the check of a property the search for a remedy may take.
const REMEDY_TIME: Duration = Duration::from_millis(100);

/// Checks properties of one model. Without [`property`](Checker::property) it checks everything
/// that the model states: the absence of errors, `ltl` blocks, `never` claims and accept labels.
#[derive(Debug)]
pub struct Checker<'a> {
    model: &'a Model,
    properties: Vec<Property>,
    assumed: Vec<Property>,
    errors: bool,
    settings: Settings,
    options: Options<'a>,
    time: Option<Duration>,
}

impl<'a> Checker<'a> {
    /// A checker with the default settings: all processors, four fifths of the free memory, no time
    /// limit, shortened counterexamples.
    pub fn new(model: &'a Model) -> Checker<'a> {
        let limits = Limits { memory_bytes: machine::default_memory_bytes(), ..Limits::default() };
        Checker {
            model,
            properties: Vec::new(),
            assumed: Vec::new(),
            errors: false,
            settings: Settings { simplify: true, ..Settings::default() },
            options: Options { limits, ..Options::default() },
            time: None,
        }
    }

    /// Adds a property to check.
    #[must_use]
    pub fn property(mut self, property: Property) -> Checker<'a> {
        self.properties.push(property);
        self
    }

    /// Adds properties to check.
    #[must_use]
    pub fn properties(mut self, properties: impl IntoIterator<Item = Property>) -> Checker<'a> {
        self.properties.extend(properties);
        self
    }

    /// Searches for errors, also if the model states a property with the name `safety`.
    #[must_use]
    pub fn errors(mut self) -> Checker<'a> {
        self.errors = true;
        self
    }

    /// Considers only runs that this automaton ([`Property::Automaton`]) accepts.
    #[must_use]
    pub fn assume(mut self, automaton: Property) -> Checker<'a> {
        self.assumed.push(automaton);
        self
    }

    /// Considers only runs that are fair in this sense.
    #[must_use]
    pub fn fairness(mut self, fairness: Fairness) -> Checker<'a> {
        self.settings.fairness = Some(fairness);
        self
    }

    /// The number of threads; 0 stands for one per processor.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Checker<'a> {
        self.options.threads = NonZeroUsize::new(threads);
        self
    }

    /// The memory limit in bytes.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Checker<'a> {
        self.options.limits.memory_bytes = Some(bytes);
        self
    }

    /// The time limit for the whole check.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Checker<'a> {
        self.time = Some(time);
        self
    }

    /// Replaces all settings of the check.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Checker<'a> {
        self.settings = settings;
        self
    }

    /// Replaces all options of the searches, including the limits and the number of threads.
    #[must_use]
    pub fn options(mut self, options: Options<'a>) -> Checker<'a> {
        self.options = options;
        self
    }

    /// Checks all properties.
    ///
    /// # Errors
    /// A property has a syntax error or the model does not have it, a limit was reached before the
    /// first search, or a counterexample could not be replayed.
    pub fn run(mut self) -> Result<Report<'a>, Error> {
        let budget = self.options.limits.budget.part_of(self.time);
        let requests: Vec<Property> =
            self.properties.iter().chain(&self.assumed).cloned().collect();
        let model = self.model.with_properties(&requests, &budget)?;
        let first = budget.part_of(self.settings.time_per_property);
        ensure_initial_states(&model.program, &first)?;
        let mut requested = match self.errors && self.properties.is_empty() {
            true => Requested::default(),
            false => Requested::resolve(&model, &self.properties, &self.assumed)?,
        };
        requested.safety |= self.errors;
        self.settings.assumptions = requested.assumptions;
        let programs = Programs::default();
        let systems = Systems::new(&programs);
        let mut report =
            Report { model, safety: None, properties: Vec::new(), requested: Vec::new() };
        if requested.safety {
            report.safety = Some(self.check_errors(&systems, &report.model, &budget)?);
        }
        for property in &requested.properties {
            let result = self.check_one(&systems, &report.model, property, &budget)?;
            report.properties.push(result);
        }
        report.requested = requested.properties;
        Ok(report)
    }

    fn check_errors(
        &self,
        systems: &Systems<'_>,
        model: &Model,
        budget: &Budget,
    ) -> Result<SafetyResult, Error> {
        let part = budget.part_of(self.settings.time_per_property);
        let options = within(&self.options, &part);
        check_safety_in(systems, &model.program, &self.settings, &options).map_err(|error| {
            Error::Internal(format!("a counterexample cannot be replayed: {error}"))
        })
    }

    fn check_one(
        &self,
        systems: &Systems<'_>,
        model: &Model,
        property: &ResolvedProperty,
        budget: &Budget,
    ) -> Result<PropertyResult, Error> {
        let start = Instant::now();
        let part = budget.part_of(self.settings.time_per_property);
        let (settings, options) = (&self.settings, &within(&self.options, &part));
        let checked = check_property_in(systems, &model.program, property, settings, options);
        let checked = checked.and_then(|mut result| {
            if settings.remedy {
                let patience = start.elapsed() + REMEDY_TIME;
                let program = &model.program;
                add_remedy_in(
                    systems,
                    program,
                    property,
                    &mut result,
                    settings,
                    options,
                    patience,
                )?;
            }
            Ok(result)
        });
        checked.map_err(|failure| {
            let name = &property.name;
            Error::Internal(format!("{name}: the counterexample cannot be replayed: {failure}"))
        })
    }
}

/// The options with the budget of one property.
fn within<'b>(options: &Options<'b>, budget: &'b Budget) -> Options<'b> {
    Options { limits: Limits { budget, ..options.limits.clone() }, ..options.clone() }
}

/// Requests, resolved in a model.
#[derive(Clone, Debug, Default)]
pub struct Requested {
    /// Search for errors.
    pub safety: bool,
    /// The properties of infinite runs.
    pub properties: Vec<ResolvedProperty>,
    /// The automata of the runs that are considered.
    pub assumptions: Vec<Assumption>,
}

impl Requested {
    /// Resolves the requests; without properties, everything that the model states.
    ///
    /// # Errors
    /// The model does not have a property.
    pub fn resolve(
        model: &Model,
        properties: &[Property],
        assumed: &[Property],
    ) -> Result<Requested, Error> {
        let mut requested = Requested::default();
        for request in properties {
            match request.resolve(model) {
                Ok(property) => requested.properties.push(property),
                Err(_) if *request == Property::safety() => requested.safety = true,
                Err(problem) => return Err(Error::Property(problem)),
            }
        }
        if properties.is_empty() {
            (requested.safety, requested.properties) = (true, all_stated(model));
        }
        for request in assumed {
            let assumption = Assumption::resolve(request, model).map_err(Error::Property)?;
            requested.assumptions.push(assumption);
        }
        Ok(requested)
    }
}
