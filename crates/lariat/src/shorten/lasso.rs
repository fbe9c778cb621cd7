//! Infinite runs that are easier to read: the same property is violated, with fewer steps and fewer changes of process.
//!
//! The way to the cycle and the cycle itself are each brought into another order, but end where they ended, so they still fit
//! together. A run whose beginning alone is forbidden may end anywhere. Whatever is tried, the property itself judges the run.

use super::walk::{Goal, Walker};
use super::{WORK, Way, regroup, remove, switches};
use crate::property::{Judge, Judges, Lasso};
use model::{Budget, Interpreter, Successor};
use search::product::LassoRun;

/// A run that is no longer, or the same.
/// As good as can be had within the budget.
pub fn simplified(judge: &Judge, lasso: Lasso, budget: &Budget) -> Lasso {
    // Where not even the values come back, that the cycle is one was found by other means.
    if lasso.differs || budget.is_over() {
        return lasso;
    }
    let mut run = lasso.run();
    let end = lasso.prefix.len();
    let prefix = Way { steps: lasso.prefix.clone(), states: lasso.states[..=end].to_vec() };
    run.prefix = improved(judge, &run, Part::Prefix, prefix, budget);
    if lasso.cycle.len() > 1 {
        let cycle = Way { steps: lasso.cycle.clone(), states: lasso.states[end..].to_vec() };
        run.cycle = improved(judge, &run, Part::Cycle, cycle, budget);
    }
    let length = |lasso: &Lasso| (lasso.prefix.len() + lasso.cycle.len(), switches(&lasso.steps()));
    match judge.judge(&run) {
        Ok(better) if !better.differs && length(&better) < length(&lasso) => better,
        _ => lasso,
    }
}

/// Which part of the run is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Prefix,
    Cycle,
}

fn improved(judge: &Judge, run: &LassoRun, part: Part, mut way: Way, budget: &Budget) -> Vec<model::Step> {
    let goal = Violates { judge, run, part, end: way.states.last().cloned() };
    let work = WORK.max(4 * way.steps.len() as u64);
    let walker = Walker::new(judge.program(), goal, work, budget);
    remove(&walker, &mut way);
    regroup(&walker, &mut way);
    way.steps
}

/// The run violates the property with another way in place of one of its parts.
struct Violates<'a> {
    judge: &'a Judge,
    run: &'a LassoRun,
    part: Part,
    /// Where the part ends.
    end: Option<model::State>,
}

impl Goal for Violates<'_> {
    /// A step alone does not say.
    fn is_shown_by(&self, _: &Successor) -> bool {
        false
    }

    fn shown_by(&self, _: &Interpreter<'_>, way: Way, _: &[Successor]) -> Option<Way> {
        let is_finite = self.run.cycle.is_empty();
        if !is_finite && way.states.last() != self.end.as_ref() {
            return None;
        }
        let mut run = self.run.clone();
        match self.part {
            Part::Prefix => run.prefix.clone_from(&way.steps),
            // Nothing at all comes back to where it was, but is no cycle.
            Part::Cycle if way.steps.is_empty() => return None,
            Part::Cycle => run.cycle.clone_from(&way.steps),
        }
        let judged = self.judge.judge(&run).ok().filter(|judged| !judged.differs)?;
        // What is forbidden may show earlier now.
        Some(if is_finite { Way { steps: judged.prefix, states: judged.states } } else { way })
    }
}
