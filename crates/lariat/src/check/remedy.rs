//! Finds the weakest fairness assumption that makes a violated property hold.
//!
//! Strong fairness excludes every run that weak fairness excludes, and strong fairness of
//! transitions every run that strong fairness of processes excludes (a process that is enabled
//! infinitely often has a transition that is). Weak fairness of transitions is incomparable with
//! both notions for processes. So the weak notions are tried first, and a run that is fair in some
//! sense decides that notion without another search.

use super::fair::is_fair;
use super::verdict::{PropertyResult, check_property_in};
use super::{Programs, ReplayFailure, Settings, Systems};
use crate::property::{Meaning, ResolvedProperty};
use crate::run::Counterexample;
use lariat_ir::Program;
use lariat_search::liveness::fairness::{Actor, Fairness, Strength};
use lariat_search::{Limits, Options, Verdict};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The effect of fairness assumptions on a violated property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The property holds under this notion of fairness, and under no earlier one in [`ORDER`].
    Holds(Fairness),
    /// A run that is fair in every sense violates the property.
    Violated {
        /// The counterexample that is shown is such a run.
        shown: bool,
    },
    /// The searches did not finish within this time.
    Unknown(Duration),
}

/// The notions of fairness in the order in which they are tried: no notion comes before one that it
/// implies.
pub const ORDER: [Fairness; 4] = [
    Fairness { strength: Strength::Weak, actor: Actor::Process },
    Fairness { strength: Strength::Weak, actor: Actor::Transition },
    Fairness { strength: Strength::Strong, actor: Actor::Process },
    Fairness { strength: Strength::Strong, actor: Actor::Transition },
];

impl fmt::Display for Remedy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::Holds(fairness) => write!(out, "holds under --fairness {}", fairness.name()),
            Remedy::Violated { shown } => {
                out.write_str("violated even under strong fairness of processes and transitions")?;
                out.write_str(match shown {
                    true => ", by the run shown",
                    false => {
                        "; the run shown is not fair, --fairness strong-transition shows a fair one"
                    }
                })
            }
            Remedy::Unknown(time) => {
                let time = lariat_search::rounded_time(*time);
                write!(
                    out,
                    "whether it holds under fairness was not decided within {time}: use --fairness NOTION"
                )
            }
        }
    }
}

/// Adds a remedy to the result for a property that an infinite run violates. If a run is found that
/// is fair in every sense, it replaces the counterexample. Other results are unchanged: a finite
/// run can always be continued fairly, and with a fairness assumption there is nothing to add.
///
/// # Errors
/// A run that was found cannot be replayed: a bug in Lariat.
pub fn add_remedy(
    program: &Arc<Program>,
    property: &ResolvedProperty,
    result: &mut PropertyResult,
    settings: &Settings,
    options: &Options<'_>,
    patience: Duration,
) -> Result<(), ReplayFailure> {
    let programs = Programs::default();
    let systems = Systems::new(&programs);
    add_remedy_in(&systems, program, property, result, settings, options, patience)
}

/// [`add_remedy`], with systems that other checks share.
pub(crate) fn add_remedy_in(
    systems: &Systems<'_>,
    program: &Arc<Program>,
    property: &ResolvedProperty,
    result: &mut PropertyResult,
    settings: &Settings,
    options: &Options<'_>,
    patience: Duration,
) -> Result<(), ReplayFailure> {
    let branching = matches!(property.meaning, Meaning::Branching(_));
    let Some(found) = result.counterexample.as_ref().filter(|found| found.is_infinite()) else {
        return Ok(());
    };
    if result.verdict != Verdict::Violated || result.fairness.is_some() || branching {
        return Ok(());
    }
    let advice = remedy(systems, program, property, found, settings, options, patience)?;
    if let Some((remedy, fair_run)) = advice {
        result.remedy = Some(remedy);
        result.counterexample = fair_run.or(result.counterexample.take());
    }
    Ok(())
}

/// The remedy, and a run that is fair in every sense if `found` is not and one was found.
fn remedy(
    systems: &Systems<'_>,
    program: &Arc<Program>,
    property: &ResolvedProperty,
    found: &Counterexample,
    settings: &Settings,
    options: &Options<'_>,
    patience: Duration,
) -> Result<Option<(Remedy, Option<Counterexample>)>, ReplayFailure> {
    let budget = options.limits.budget.part(patience);
    let mut violated: Vec<Fairness> = Vec::new();
    // Adds the notions in which a run is fair, and returns whether it is fair in every sense.
    let mark = |violated: &mut Vec<Fairness>, run: &Counterexample| {
        let fair: Vec<Fairness> =
            ORDER.into_iter().filter(|notion| is_fair(program, run, *notion)).collect();
        violated.extend(&fair);
        fair.len() == ORDER.len()
    };
    let violation = |run: &Counterexample| run.error().is_none();
    if mark(&mut violated, found) {
        return Ok(Some((Remedy::Violated { shown: true }, None)));
    }
    let mut fair_run = None;
    let fair = |notion: Fairness, simplify: bool| {
        let settings = Settings {
            engine: settings.engine,
            fairness: Some(notion),
            assumptions: settings.assumptions.clone(),
            simplify,
            ..Settings::default()
        };
        let limits = Limits { budget: &budget, ..options.limits.clone() };
        let options = Options { limits, ..options.clone() };
        check_property_in(systems, program, property, &settings, &options)
    };
    for notion in ORDER {
        if violated.contains(&notion) {
            continue;
        }
        if budget.check().is_err() {
            return Ok(Some((Remedy::Unknown(patience), None)));
        }
        let found = fair(notion, false)?;
        match found.verdict {
            Verdict::Holds => return Ok(Some((Remedy::Holds(notion), None))),
            Verdict::Violated => {
                fair_run = found
                    .counterexample
                    .filter(|run| violation(run) && mark(&mut violated, run))
                    .or(fair_run);
            }
            Verdict::Inconclusive => return Ok(Some((Remedy::Unknown(patience), None))),
        }
    }
    // A fair run would not be a shortest counterexample.
    if settings.shortest {
        return Ok(Some((Remedy::Violated { shown: false }, None)));
    }
    if settings.simplify && budget.check().is_ok() {
        let simple = fair(ORDER[ORDER.len() - 1], true)?.counterexample;
        fair_run = simple.filter(|run| violation(run) && mark(&mut violated, run)).or(fair_run);
    }
    Ok(Some((Remedy::Violated { shown: fair_run.is_some() }, fair_run)))
}
