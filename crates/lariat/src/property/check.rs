//! Checking one property: choose a search, search the product, replay what is found.

use super::lasso::{Lasso, LassoError};
use super::monitor::{Automaton, Form, Prepared, automaton, prepare};
use super::{
    Assumption, Judge, Judges, Meaning, Property, Remedy, UnseenLabel, Unsuitable, Wanted, branching,
};
use crate::check::{COMPILING, Counterexample, Engine, FEW_STEPS, REDUCING, can_be_shown};
use crate::reduction::{Reduction, Version};
use crate::shorten::lasso;
use model::observe::Observable;
use model::{Budget, Program, RuntimeError};
use native::Native;
use search::liveness::Algorithm;
use search::liveness::fairness::{Fairness, Strength};
use search::product::{
    Answer, Length, Monitor, Request, Shape, Tail, explore, find, find_fair, find_in_store, find_prefix,
    has_cycles,
};
use search::replay::ReplayError;
use search::{Limit, Options, Run, StoreKind, Verdict, Violation};
use std::fmt;
use std::time::Duration;

/// How to check.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    pub engine: Engine,
    /// Use no reduction.
    pub raw: bool,
    /// The search to use; one that suits the property if nothing is said.
    pub algorithm: Option<Algorithm>,
    /// Visit the product once and judge nothing, to see what that alone costs.
    pub explore: bool,
    /// How a search for cycles stores the states of the product; as is best if nothing is said.
    pub hybrid: Option<Tail>,
    /// Find a run than which none is shorter.
    pub shortest: bool,
    /// Only runs that are fair like this matter.
    pub fairness: Option<Fairness>,
    /// Only runs that all of these accept matter.
    pub assumptions: Vec<Assumption>,
    /// Make the run easier to read.
    pub simplify: bool,
    /// Find out which fairness would make a violated property hold.
    pub remedy: bool,
    /// Give up a property after so long and go on with the next.
    pub time_per_property: Option<Duration>,
}

/// What is known of a property after a search.
#[derive(Debug)]
pub struct Checked {
    pub name: String,
    /// How the property was asked for.
    pub wanted: Wanted,
    pub kind: &'static str,
    pub verdict: Verdict,
    pub answer: Answer,
    /// Why it could not be checked.
    pub unsuitable: Option<Unsuitable>,
    /// Labels it asks for that are passed where it does not look.
    pub unseen: Vec<UnseenLabel>,
    /// The search that was used.
    pub search: &'static str,
    /// Why that one.
    pub because: &'static str,
    pub automaton_states: usize,
    /// The fairness that was assumed.
    pub fairness: Option<Fairness>,
    /// The automata of fair runs that were assumed.
    pub assumed: Vec<Wanted>,
    /// A store was asked for that is none for this search: it has a table of its own.
    pub store_unused: bool,
    /// What fairness would change, if that was asked.
    pub remedy: Option<Remedy>,
    /// The run that shows the verdict.
    pub lasso: Option<Lasso>,
    /// A condition of the property has no value: the run to where it has none.
    pub failure: Option<Counterexample>,
}

/// A run that was found cannot be believed: a fault of ours.
#[derive(Debug)]
pub enum Failure {
    Lasso(LassoError),
    Replay(ReplayError),
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Lasso(error) => write!(out, "{error}"),
            Failure::Replay(error) => write!(out, "{error}"),
        }
    }
}

impl std::error::Error for Failure {}

/// What is to be done.
enum Plan {
    /// No run is forbidden.
    Nothing,
    Reachability,
    Explore,
    /// By one search, or by another one for several threads if the product is large.
    Cycles(Algorithm, Option<Algorithm>),
    /// `nested`, in the store that was asked for.
    InStore,
}

/// Checks a property of a program.
///
/// # Errors
/// A fault of ours: a counterexample is none.
pub fn check(
    program: &Program,
    property: &Property,
    choice: &Choice,
    options: &Options<'_>,
) -> Result<Checked, Failure> {
    check_on(None, program, property, choice, options)
}

/// The same, on a system that was made before: of the program as the property means it ([`prepare`]), to be searched without reductions.
pub(super) fn check_on(
    made: Option<&Native<'_>>,
    program: &Program,
    property: &Property,
    choice: &Choice,
    options: &Options<'_>,
) -> Result<Checked, Failure> {
    if let Meaning::Branching(formula) = &property.meaning {
        let reason = if !choice.assumptions.is_empty() {
            Some("automata of fair runs are not for formulas of branching time; say it in the formula")
        } else if choice.is_hybrid() {
            Some("hybrid storage is for properties of single runs, not for formulas of branching time")
        } else {
            None
        };
        if let Some(reason) = reason {
            return Ok(unsuitable(property, Unsuitable::Branching(reason.into())));
        }
        return match branching::check(program, formula, choice, options)? {
            Ok(checked) => Ok(checked),
            Err(reason) => Ok(unsuitable(property, reason)),
        };
    }
    let budget = options.limits.budget;
    let planned = prepare(program, property, &choice.assumptions, budget).and_then(|prepared| {
        let plan = plan(&prepared, property, choice, &options.store, budget)?;
        Ok((prepared, plan))
    });
    let (prepared, (plan, because, found)) = match planned {
        Ok(planned) => planned,
        Err(reason) => return Ok(unsuitable(property, reason)),
    };
    let monitor = Monitor::new(found.0, found.1, prepared.stutters);
    let deterministic = matches!(plan, Plan::Cycles(Algorithm::Deterministic, _));
    let judge = Judge::of_search(prepared, property, monitor, deterministic, choice);
    // Reductions keep the runs, but neither who could move on them nor how many steps they have.
    let version = match choice.fairness.is_some() || choice.shortest {
        true => Version::Written,
        false => Version::usual(choice.raw),
    };
    let observed = &judge.prepared.observed;
    let reduction = Reduction::observing(&judge.prepared.program, version, observed, budget);
    if let Err(exhausted) = budget.check() {
        return Ok(unsuitable(property, Unsuitable::Exhausted(exhausted, REDUCING)));
    }
    let system =
        made.map_or_else(|| choice.engine.system(reduction.program(), budget), |made| Ok(made.again()));
    if let Err(exhausted) = budget.check() {
        return Ok(unsuitable(property, Unsuitable::Exhausted(exhausted, COMPILING)));
    }
    let answer = match system {
        Ok(system) => {
            let system = system.with_patience(options.limits.patience());
            search(system, &judge.monitor, &plan, choice, options)
        }
        Err(error) => without_start(error),
    };
    let mut checked = Checked {
        name: property.name.clone(),
        wanted: property.wanted.clone(),
        kind: property.kind(),
        verdict: if choice.explore { Verdict::Inconclusive } else { answer.verdict() },
        search: match plan {
            Plan::Nothing => "none",
            Plan::Explore => "explore",
            Plan::Reachability => "reachability",
            Plan::Cycles(planned, _) => search_name(answer.algorithm.unwrap_or(planned), choice.fairness),
            Plan::InStore => Algorithm::Nested.name(),
        },
        because: match (&plan, answer.algorithm) {
            _ if answer.stem => {
                "a violation is a cycle; it is looked for after states in which the automaton can leave"
            }
            _ if answer.joined => "a violation is a cycle; the product is large, so all threads search",
            (Plan::Cycles(Algorithm::Ufscc, _), Some(Algorithm::Couvreur)) => {
                "`ufscc` has no room for so many acceptance sets"
            }
            _ => because,
        },
        automaton_states: judge.monitor.states(),
        fairness: choice.fairness,
        assumed: choice.assumptions.iter().map(|assumption| assumption.wanted.clone()).collect(),
        unsuitable: None,
        unseen: judge.prepared.unseen.clone(),
        store_unused: matches!(plan, Plan::Cycles(..)) && options.store != StoreKind::Automatic,
        remedy: None,
        lasso: None,
        failure: None,
        answer,
    };
    if let Some(run) = &checked.answer.lasso {
        let steps = run.prefix.len() + run.cycle.len();
        let program = &judge.prepared.program;
        if steps > FEW_STEPS && !can_be_shown(program, steps, &options.limits) {
            // Nothing is called violated by a run that was not followed.
            let memory_bytes = options.limits.memory_bytes.unwrap_or(0);
            checked.verdict = Verdict::Inconclusive;
            checked.answer.lasso = None;
            checked.answer.limit = Some(Limit::RunTooLong { steps: steps as u64, memory_bytes });
            return Ok(checked);
        }
        let lasso = judge.judge(&reduction.lasso(run)).map_err(Failure::Lasso)?;
        checked.lasso = Some(if choice.simplify { lasso::simplified(&judge, lasso, budget) } else { lasso });
    }
    if let Some(failure) = &checked.answer.failure {
        checked.failure = Some(failing(&judge.prepared, &reduction, failure)?);
    }
    Ok(checked)
}

/// Nothing was searched.
fn unsuitable(property: &Property, reason: Unsuitable) -> Checked {
    Checked {
        name: property.name.clone(),
        wanted: property.wanted.clone(),
        kind: property.kind(),
        verdict: Verdict::Inconclusive,
        answer: Answer::default(),
        unsuitable: Some(reason),
        unseen: Vec::new(),
        search: "none",
        because: "the property cannot be checked this way",
        automaton_states: 0,
        fairness: None,
        assumed: Vec::new(),
        store_unused: false,
        remedy: None,
        lasso: None,
        failure: None,
    }
}

/// The run to a state where a condition has no value, in the program itself.
fn failing(
    prepared: &Prepared,
    reduction: &Reduction<'_>,
    found: &Violation,
) -> Result<Counterexample, Failure> {
    let steps = reduction.steps(&found.run.steps);
    let run = Run { steps, ..found.run };
    let states = super::lasso::follow(&prepared.program, run.initial, &run.steps).map_err(Failure::Lasso)?;
    Ok(Counterexample { violation: Violation { error: found.error.clone(), run }, states })
}

fn without_start(error: RuntimeError) -> Answer {
    Answer { failure: Some(Violation { error, run: Run::default() }), ..Answer::default() }
}

/// What the search is called when only fair runs matter.
fn search_name(algorithm: Algorithm, fairness: Option<Fairness>) -> &'static str {
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

impl Choice {
    /// Is a storage asked for that is not the usual one?
    fn is_hybrid(&self) -> bool {
        self.hybrid.is_some_and(|tail| tail != Tail::Demon)
    }
}

/// Which search, why, and with which automaton.
fn plan(
    prepared: &Prepared,
    property: &Property,
    choice: &Choice,
    store: &StoreKind,
    budget: &Budget,
) -> Result<(Plan, &'static str, Automaton), Unsuitable> {
    // What can be searched for cycles in a store: not what else was asked for.
    let in_store =
        has_cycles(store) && choice.fairness.is_none() && choice.hybrid.is_none() && !choice.shortest;
    if choice.explore {
        if choice.is_hybrid() {
            return Err(Unsuitable::ExploreHybrid);
        }
        let found = automaton(prepared, property, &choice.assumptions, Form::Generalized, budget)?;
        return Ok((Plan::Explore, "the product is visited once and nothing is judged", found));
    }
    if let Some(algorithm) = choice.algorithm {
        if choice.hybrid == Some(Tail::None) && (algorithm != Algorithm::Magic || choice.fairness.is_some()) {
            return Err(Unsuitable::NoDemon);
        }
        if algorithm == Algorithm::Deterministic && choice.fairness.is_some() {
            return Err(Unsuitable::DeterministicFair);
        }
        let found = automaton(prepared, property, &choice.assumptions, Form::of(choice.algorithm), budget)?;
        return Ok(match algorithm {
            Algorithm::Nested if in_store => {
                (Plan::InStore, "as asked for, in the store that was asked for", found)
            }
            _ => (Plan::Cycles(algorithm, None), "as asked for", found),
        });
    }
    if choice.hybrid == Some(Tail::None) {
        return Err(Unsuitable::NoDemon);
    }
    let found = automaton(prepared, property, &choice.assumptions, Form::Generalized, budget)?;
    // Only to see its shape.
    let monitor = Monitor::new(found.0.clone(), found.1.clone(), prepared.stutters);
    let (plan, because) = match monitor.shape() {
        Shape::Empty => (Plan::Nothing, "no run at all can violate the property"),
        // In packets only searches for cycles store what they visit.
        Shape::Terminal if prepared.stutters && !choice.is_hybrid() => {
            (Plan::Reachability, "a violation shows in finite time")
        }
        // Fairness needs the whole component.
        Shape::Terminal | Shape::Weak if monitor.is_weak() && choice.fairness.is_none() => {
            (WEAK, "a violation is a cycle; the automaton is weak")
        }
        Shape::Terminal | Shape::Weak | Shape::General => (GENERAL, "a violation is a cycle"),
    };
    Ok(match plan {
        Plan::Cycles(..) if in_store => {
            let of_buchi = || automaton(prepared, property, &choice.assumptions, Form::Buchi, budget);
            let found = if monitor.is_weak() { found } else { of_buchi()? };
            (Plan::InStore, "a violation is a cycle; it is looked for in the store that was asked for", found)
        }
        _ => (plan, because, found),
    })
}

/// In a weak product a cycle is judged when it is closed: depth-first search and two bits a node will do.
const WEAK: Plan = Plan::Cycles(Algorithm::Nested, Some(Algorithm::Cndfs));
const GENERAL: Plan = Plan::Cycles(Algorithm::Couvreur, Some(Algorithm::Ufscc));

fn search<S: Observable>(
    system: S,
    monitor: &Monitor,
    plan: &Plan,
    choice: &Choice,
    options: &Options<'_>,
) -> Answer {
    match plan {
        Plan::Nothing => Answer::default(),
        Plan::Explore => explore(system, monitor, options),
        Plan::Reachability => {
            let order = if choice.shortest { search::Order::BreadthFirst } else { options.order };
            let options = Options { order, checkpoint: None, resume: None, ..options.clone() };
            find_prefix(system, monitor, &options)
        }
        Plan::Cycles(..) | Plan::InStore => {
            let (algorithm, when_large) = match *plan {
                Plan::Cycles(algorithm, when_large) => (algorithm, when_large),
                _ => (Algorithm::Nested, None),
            };
            let request = Request {
                algorithm,
                when_large,
                join_after: options.join_after,
                hybrid: choice.hybrid,
                length: match choice.shortest {
                    true => Length::Shortest,
                    false if choice.simplify => Length::Shortened,
                    false => Length::AsFound,
                },
                threads: options.threads,
                limits: options.limits.clone(),
                progress: options.progress,
            };
            match choice.fairness {
                _ if matches!(plan, Plan::InStore) => find_in_store(system, monitor, &request, options),
                Some(fairness) => find_fair(system, monitor, &request, fairness),
                None => find(system, monitor, &request),
            }
        }
    }
}
