//! Checks one property of infinite runs: prepares the program and the automaton, follows the plan,
//! and turns the search's answer into a verdict with a replayed counterexample.

use super::automaton::{AutomatonForm, PreparedProgram, Unsuitable, automaton, prepare};
use super::execute::execute;
use super::judge::{Judge, Judges};
use super::plan::{Plan, PlannedSearch, ProductStore, form, plan};
use super::reduction::Reduction;
use super::remedy::Remedy;
use super::{COMPILING, Programs, REDUCING, ReplayFailure, Settings, Systems, branching};
use crate::property::{Meaning, Property, ResolvedProperty, UnseenLabel};
use crate::run::finite::{can_be_shown, follow};
use crate::run::shorten::lasso::simplified;
use crate::run::{Counterexample, Evidence};
use lariat_ir::{Budget, Program};
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::{Fairness, Strength};
use lariat_search::product::{Answer, Monitor};
use lariat_search::{Limit, Options, Run, StoreKind, Verdict};
use std::sync::Arc;

/// The result of checking a property.
#[derive(Debug)]
pub struct PropertyResult {
    /// The name used in reports.
    pub name: String,
    /// The request that was checked.
    pub request: Property,
    /// The kind of property, see [`ResolvedProperty::kind`].
    pub kind: &'static str,
    /// Does the property hold?
    pub verdict: Verdict,
    /// What the search reported. Its run is empty: `counterexample` replaces it.
    pub answer: Answer,
    /// Why the property could not be checked.
    pub unsuitable: Option<Unsuitable>,
    /// Labels that the property depends on and that are passed unobserved.
    pub unseen: Vec<UnseenLabel>,
    /// The search that was used.
    pub search: &'static str,
    /// Why this search was used.
    pub because: &'static str,
    /// The number of states of the automaton.
    pub automaton_states: usize,
    /// The fairness that was assumed.
    pub fairness: Option<Fairness>,
    /// The fairness automata that were assumed.
    pub assumed: Vec<Property>,
    /// A store was requested that this search does not use.
    pub store_unused: bool,
    /// The fairness assumption that would make the property hold, if that was requested.
    pub remedy: Option<Remedy>,
    /// The run that shows the verdict.
    pub counterexample: Option<Counterexample>,
}

/// Checks a property of a program.
///
/// # Errors
/// A run that was found cannot be replayed: a bug in Lariat.
pub fn check_property(
    program: &Arc<Program>,
    property: &ResolvedProperty,
    settings: &Settings,
    options: &Options<'_>,
) -> Result<PropertyResult, ReplayFailure> {
    check_property_in(&Systems::new(&Programs::default()), program, property, settings, options)
}

/// [`check_property`], with systems that other checks share.
pub(crate) fn check_property_in(
    systems: &Systems<'_>,
    program: &Arc<Program>,
    property: &ResolvedProperty,
    settings: &Settings,
    options: &Options<'_>,
) -> Result<PropertyResult, ReplayFailure> {
    if let Meaning::Branching(formula) = &property.meaning {
        let found = branching::check(systems, program, property, formula, settings, options)?;
        return Ok(found.unwrap_or_else(|reason| unsuitable(property, reason)));
    }
    let budget = options.limits.budget;
    let (plan, judge) = match planned(program, property, settings, options) {
        Ok(planned) => planned,
        Err(reason) => return Ok(unsuitable(property, reason)),
    };
    let prepared = &judge.prepared;
    let reduction =
        Reduction::observing(&prepared.program, plan.version, &prepared.observed, budget);
    if let Err(exhausted) = budget.check() {
        return Ok(unsuitable(property, Unsuitable::Exhausted(exhausted, REDUCING)));
    }
    let system = systems.of(reduction.program(), settings.engine, budget);
    if let Err(exhausted) = budget.check() {
        return Ok(unsuitable(property, Unsuitable::Exhausted(exhausted, COMPILING)));
    }
    let answer = match system {
        Ok(system) => {
            let system = system.with_patience(options.limits.patience());
            execute(system, &judge.monitor, &plan, settings, options)
        }
        Err(error) => return Ok(unsuitable(property, Unsuitable::NoInitialState(error))),
    };
    let search = FinishedSearch { program, judge: &judge, reduction: &reduction, plan: &plan };
    search.conclude(property, answer, settings, options)
}

/// The plan, and the judge that holds the program and the monitor to search with.
fn planned(
    program: &Arc<Program>,
    property: &ResolvedProperty,
    settings: &Settings,
    options: &Options<'_>,
) -> Result<(Plan, Judge), Unsuitable> {
    let budget = options.limits.budget;
    let prepared = prepare(program, property, &settings.assumptions, budget)?;
    let first = form(settings)?;
    let mut monitor = monitor(&prepared, property, settings, first, budget)?;
    let plan = plan(settings, &options.store, (&monitor).into());
    if plan.form != first {
        monitor = self::monitor(&prepared, property, settings, plan.form, budget)?;
    }
    let judge = Judge::of_search(program, prepared, property, (monitor, plan.form), settings);
    Ok((plan, judge))
}

fn monitor(
    prepared: &PreparedProgram,
    property: &ResolvedProperty,
    settings: &Settings,
    form: AutomatonForm,
    budget: &Budget,
) -> Result<Monitor, Unsuitable> {
    let (automaton, conditions) =
        automaton(prepared, property, &settings.assumptions, form, budget)?;
    Ok(Monitor::new(automaton, conditions, prepared.stutters))
}

/// A search that has ended, and what is needed to replay its run.
struct FinishedSearch<'a> {
    program: &'a Arc<Program>,
    judge: &'a Judge,
    reduction: &'a Reduction<'a>,
    plan: &'a Plan,
}

impl FinishedSearch<'_> {
    /// The result for the search's answer, with its run replayed and judged.
    fn conclude(
        &self,
        property: &ResolvedProperty,
        mut answer: Answer,
        settings: &Settings,
        options: &Options<'_>,
    ) -> Result<PropertyResult, ReplayFailure> {
        let FinishedSearch { program, judge, reduction, plan } = *self;
        let mut counterexample = None;
        let mut verdict = if settings.explore { Verdict::Inconclusive } else { answer.verdict() };
        if let Some(run) = answer.lasso.take() {
            let steps = run.prefix.len() + run.cycle.len();
            if can_be_shown(judge.program(), steps, &options.limits) {
                let found = judge.judge(&reduction.lasso(&run)).map_err(ReplayFailure::Lasso)?;
                counterexample = Some(match settings.simplify {
                    true => simplified(judge, found, options.limits.budget),
                    false => found,
                });
            } else {
                // A verdict must not rest on a run that was not replayed.
                let memory_bytes = options.limits.memory_bytes.unwrap_or(0);
                verdict = Verdict::Inconclusive;
                answer.limit = Some(Limit::RunTooLong { steps: steps as u64, memory_bytes });
            }
        }
        if let Some(failure) = answer.failure.take() {
            let steps = reduction.steps(&failure.run.steps);
            let run = Run { steps, ..failure.run };
            let states = follow(judge.program(), run.initial, &run.steps);
            let shows = Evidence::NoValue(failure.error);
            let states = states.map_err(ReplayFailure::Lasso)?;
            counterexample = Some(Counterexample::finite(program, shows, run, states));
        }
        let own_table = plan.store == ProductStore::Table;
        Ok(PropertyResult {
            verdict,
            search: search_name(plan, &answer, settings.fairness),
            because: reason(plan, &answer),
            automaton_states: judge.monitor.states(),
            fairness: settings.fairness,
            assumed: settings.assumptions.iter().map(|each| each.request.clone()).collect(),
            unseen: judge.prepared.unseen.clone(),
            store_unused: own_table && options.store != StoreKind::Automatic,
            counterexample,
            answer,
            ..PropertyResult::new(property)
        })
    }
}

impl PropertyResult {
    /// The result before a search.
    pub(super) fn new(property: &ResolvedProperty) -> PropertyResult {
        PropertyResult {
            name: property.name.clone(),
            request: property.request.clone(),
            kind: property.kind(),
            verdict: Verdict::Inconclusive,
            answer: Answer::default(),
            unsuitable: None,
            unseen: Vec::new(),
            search: "none",
            because: "the property cannot be checked this way",
            automaton_states: 0,
            fairness: None,
            assumed: Vec::new(),
            store_unused: false,
            remedy: None,
            counterexample: None,
        }
    }
}

/// The result for a property that was not searched for.
fn unsuitable(property: &ResolvedProperty, reason: Unsuitable) -> PropertyResult {
    PropertyResult { unsuitable: Some(reason), ..PropertyResult::new(property) }
}

/// The name of the search that was used, for reports.
fn search_name(plan: &Plan, answer: &Answer, fairness: Option<Fairness>) -> &'static str {
    let algorithm = match plan.search {
        PlannedSearch::Nothing => return "none",
        PlannedSearch::Explore => return "explore",
        PlannedSearch::Reachability => return "reachability",
        PlannedSearch::Cycles { algorithm, .. } => answer.algorithm.unwrap_or(algorithm),
    };
    match (fairness.map(|fairness| fairness.strength), algorithm) {
        (None, _) => algorithm.name(),
        (Some(Strength::Strong), _) => "components refined by fairness",
        (Some(Strength::Weak), Algorithm::Queue) => "queue with flag counters",
        (Some(Strength::Weak), Algorithm::Interleaved) => "interleaved with flag counters",
        (Some(Strength::Weak), Algorithm::Magic) => "magic with flag counters",
        (Some(Strength::Weak), Algorithm::Nested) => "nested with flag counters",
        (Some(Strength::Weak), _) => "couvreur with sets of actors",
    }
}

/// Why that search was used, including decisions that were made during the search.
fn reason(plan: &Plan, answer: &Answer) -> &'static str {
    match (plan.search, answer.algorithm) {
        _ if answer.stem => {
            "a violation is a cycle; it is searched for after states in which the automaton can leave its initial state"
        }
        _ if answer.joined => "a violation is a cycle; the product is large, so all threads search",
        (PlannedSearch::Cycles { algorithm: Algorithm::Ufscc, .. }, Some(Algorithm::Couvreur)) => {
            "`ufscc` does not support this number of acceptance sets"
        }
        _ => plan.reason,
    }
}
