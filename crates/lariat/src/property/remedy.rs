//! Which fairness would make a violated property hold?
//!
//! A strong notion rules out all runs that the weak one does, and strong fairness of transitions all that strong fairness of processes does (a
//! process that can move again and again has a transition that can). Weak fairness of transitions is incomparable with both notions
//! for processes. So the weak ones are tried first, and a run that is fair in some sense need not be searched for again.

use super::check::{Checked, Choice, Failure, check_on};
use super::fair::is_fair;
use super::monitor::prepare;
use super::{Lasso, Property, Wanted};
use model::Program;
use search::liveness::fairness::{Actor, Fairness, Strength};
use search::{Limits, Options, Verdict};
use std::fmt;
use std::time::{Duration, Instant};

/// What fairness can do for a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The property holds if runs are fair like this, and under no notion that comes before it in [`ORDER`].
    Holds(Fairness),
    /// It is violated on a run that is fair in every sense; is it the one that is shown?
    Violated { shown: bool },
    /// Nobody had the patience to find out.
    Unknown(Duration),
}

/// None implies one that comes before it but those it is stronger than.
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
                    true => ", by the run that is shown",
                    false => {
                        "; the run that is shown is not fair, --fairness strong-transition shows one that is"
                    }
                })
            }
            Remedy::Unknown(time) => {
                let time = search::rounded_time(*time);
                write!(
                    out,
                    "whether it holds under fairness is not known within {time}: --fairness NOTION finds out"
                )
            }
        }
    }
}

/// What fairness can do, and a run that is fair in every sense if the one that was found is not and one was found since.
#[derive(Debug)]
pub struct Advice {
    pub remedy: Remedy,
    pub fair_run: Option<Lasso>,
}

impl From<Remedy> for Advice {
    fn from(remedy: Remedy) -> Advice {
        Advice { remedy, fair_run: None }
    }
}

/// What fairness can do for a property that is violated by an infinite run; nothing is said of others, as every finite run can be continued
/// fairly, nor where fairness was assumed already.
///
/// # Errors
/// A fault of ours: a run that was found is none.
pub fn remedy(
    program: &Program,
    property: &Property,
    checked: &Checked,
    choice: &Choice,
    options: &Options<'_>,
    patience: Duration,
) -> Result<Option<Advice>, Failure> {
    let branching = matches!(checked.wanted, Wanted::Ctl(_));
    let Some(lasso) = checked.lasso.as_ref().filter(|lasso| !lasso.cycle.is_empty()) else { return Ok(None) };
    if checked.verdict != Verdict::Violated || checked.fairness.is_some() || branching {
        return Ok(None);
    }
    let patience = options.limits.time.map_or(patience, |limit| limit.min(patience));
    let start = Instant::now();
    let mut violated: Vec<Fairness> = Vec::new();
    // Adds the notions in which a run is fair; are these all?
    let mark = |violated: &mut Vec<Fairness>, lasso: &Lasso| {
        let fair: Vec<Fairness> =
            ORDER.into_iter().filter(|notion| is_fair(program, lasso, *notion)).collect();
        violated.extend(&fair);
        fair.len() == ORDER.len()
    };
    if mark(&mut violated, lasso) {
        return Ok(Some(Remedy::Violated { shown: true }.into()));
    }
    let mut fair_run = None;
    // Reductions are of no use here, so all notions can be asked about on one system.
    let Ok(prepared) = prepare(program, property, &choice.assumptions) else { return Ok(None) };
    let system = choice.engine.system(&prepared.program).ok();
    let fair = |notion: Fairness, simplify: bool, left: Duration| {
        let choice = Choice {
            engine: choice.engine,
            fairness: Some(notion),
            assumptions: choice.assumptions.clone(),
            simplify,
            ..Choice::default()
        };
        let limits = Limits { time: Some(left), ..options.limits.clone() };
        let options = Options { limits, ..options.clone() };
        check_on(system.as_ref(), program, property, &choice, &options)
    };
    for notion in ORDER {
        if violated.contains(&notion) {
            continue;
        }
        let left = patience.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(Some(Remedy::Unknown(patience).into()));
        }
        let found = fair(notion, false, left)?;
        match found.verdict {
            Verdict::Holds => return Ok(Some(Remedy::Holds(notion).into())),
            Verdict::Violated => {
                fair_run = found.lasso.filter(|lasso| mark(&mut violated, lasso)).or(fair_run)
            }
            Verdict::Inconclusive => return Ok(Some(Remedy::Unknown(patience).into())),
        }
    }
    // Who wants a shortest run gets no other one.
    if choice.shortest {
        return Ok(Some(Remedy::Violated { shown: false }.into()));
    }
    let left = patience.saturating_sub(start.elapsed());
    if choice.simplify && !left.is_zero() {
        let simple = fair(ORDER[ORDER.len() - 1], true, left)?.lasso;
        fair_run = simple.filter(|lasso| mark(&mut violated, lasso)).or(fair_run);
    }
    Ok(Some(Advice { remedy: Remedy::Violated { shown: fair_run.is_some() }, fair_run }))
}
