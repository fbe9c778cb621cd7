//! Shorter infinite runs: the same property is violated with fewer steps and context switches.
//!
//! The prefix and the cycle are changed separately, and each must still end in the state in which
//! it ended, so that they fit together. The prefix of a finite violation may end anywhere. Every
//! candidate is judged by the property itself.

use super::walk::{Goal, Walker};
use super::{MAX_EXPANSIONS, Path, regroup, remove, switches};
use crate::check::{Judge, Judges};
use crate::run::Counterexample;
use lariat_ir::{Budget, Interpreter, State, Successor};
use lariat_search::product::LassoRun;

/// A run that is not longer, or the same run. If the budget runs out, the best one found until
/// then.
pub fn simplified(judge: &Judge, found: Counterexample, budget: &Budget) -> Counterexample {
    // If the states of the cycle do not repeat, reordering its steps cannot be checked.
    if found.differs || budget.is_over() {
        return found;
    }
    let mut run = found.lasso();
    let end = found.prefix.len();
    let prefix = Path { steps: found.prefix.clone(), states: found.states[..=end].to_vec() };
    run.prefix = improved(judge, &run, Part::Prefix, prefix, budget);
    if found.cycle.len() > 1 {
        let cycle = Path { steps: found.cycle.clone(), states: found.states[end..].to_vec() };
        run.cycle = improved(judge, &run, Part::Cycle, cycle, budget);
    }
    let length =
        |run: &Counterexample| (run.prefix.len() + run.cycle.len(), switches(&run.steps()));
    match judge.judge(&run) {
        Ok(better) if !better.differs && length(&better) < length(&found) => better,
        _ => found,
    }
}

/// The part of a run that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Prefix,
    Cycle,
}

fn improved(
    judge: &Judge,
    run: &LassoRun,
    part: Part,
    mut path: Path,
    budget: &Budget,
) -> Vec<lariat_ir::Step> {
    let goal = Violates { judge, run, part, end: path.states.last().cloned() };
    let work = MAX_EXPANSIONS.max(4 * path.steps.len() as u64);
    let walker = Walker::new(judge.program(), goal, work, budget);
    remove(&walker, &mut path);
    regroup(&walker, &mut path);
    path.steps
}

/// The run violates the property with another path in place of one of its parts.
struct Violates<'a> {
    judge: &'a Judge,
    run: &'a LassoRun,
    part: Part,
    /// The state in which the part must end.
    end: Option<State>,
}

impl Violates<'_> {
    fn is_finite(&self) -> bool {
        self.run.cycle.is_empty()
    }
}

impl Goal for Violates<'_> {
    /// A single step does not decide.
    fn is_shown_by(&self, _: &Successor) -> bool {
        false
    }

    fn can_end_in(&self, _: &Interpreter<'_>, state: &State, _: &[Successor]) -> bool {
        self.is_finite() || self.end.as_ref() == Some(state)
    }

    fn shown_by(&self, path: Path) -> Option<Path> {
        let mut run = self.run.clone();
        match self.part {
            Part::Prefix => run.prefix.clone_from(&path.steps),
            // The empty path returns to its first state but is not a cycle.
            Part::Cycle if path.steps.is_empty() => return None,
            Part::Cycle => run.cycle.clone_from(&path.steps),
        }
        let judged = self.judge.judge(&run).ok().filter(|judged| !judged.differs)?;
        // The violation may be complete earlier.
        Some(if self.is_finite() {
            Path { steps: judged.prefix, states: judged.states }
        } else {
            path
        })
    }
}
