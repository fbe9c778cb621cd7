//! Counterexamples that are easier to read: without detours, without steps that do not matter, and with as few changes from
//! one process to another as can be found.
//!
//! Every change is tried on the reference semantics and kept only if the run still ends with its error, so the result is
//! exact; [`lasso`] does the same for infinite runs. The work is bounded by a number of steps, so it is the same on every machine. Removing parts of a failing
//! input follows Zeller and Hildebrandt (Simplifying and isolating failure-inducing input, 2002).

pub mod lasso;
mod walk;

use crate::check::Counterexample;
use model::trace::moves;
use model::{Budget, Program, State, Step};
use search::{Run, Violation};
use std::collections::HashMap;
use walk::{Fails, Goal, Walker};

/// How many states may be expanded to simplify one run: enough for a run of a hundred steps.
const WORK: u64 = 6_000;

/// The same error, by a run that is no longer and has no more changes of process.
/// If the budget runs out, as far as it was made simpler until then.
pub fn simplified(program: &Program, found: &Counterexample, budget: &Budget) -> Counterexample {
    let Violation { error, run } = &found.violation;
    let as_found = || Counterexample { violation: found.violation.clone(), states: found.states.clone() };
    if budget.is_over() {
        return as_found();
    }
    let mut best = Way { steps: run.steps.clone(), states: found.states.clone() };
    best = without_detours(best);
    let length = best.steps.len() as u64;
    let walker = Walker::new(program, Fails(error), WORK.max(4 * length), budget);
    remove(&walker, &mut best);
    regroup(&walker, &mut best);
    let violation = Violation { error: error.clone(), run: Run { steps: best.steps, ..run.clone() } };
    // What was tried step by step is replayed as a whole before anyone sees it.
    match search::replay::replay(&model::Interpreter::new(program), &violation) {
        Ok(states) => Counterexample { violation, states },
        Err(_) => as_found(),
    }
}

/// A run and the states it goes through, the initial one first; the last step may have none behind it.
#[derive(Clone, Debug)]
struct Way {
    steps: Vec<Step>,
    states: Vec<State>,
}

/// Cuts out what leads back to a state that the run was in before. The last step stays: it may be what fails.
fn without_detours(way: Way) -> Way {
    let count = way.steps.len();
    let before = || way.states.iter().take(count).enumerate();
    let last: HashMap<&State, usize> = before().map(|(index, state)| (state, index)).collect();
    let (mut steps, mut states) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < count
        && let Some(state) = way.states.get(at)
    {
        at = last[state];
        states.push(state.clone());
        steps.push(way.steps[at]);
        at += 1;
    }
    states.extend(way.states.get(count).cloned());
    Way { steps, states }
}

/// Leaves out steps, many at a time at first.
fn remove(walker: &Walker<'_, impl Goal>, best: &mut Way) {
    let mut size = best.steps.len() / 2;
    while size > 0 {
        let mut end = best.steps.len();
        while end > 0 && !walker.is_tired() {
            let start = end.saturating_sub(size);
            let rest = best.steps[end..].to_vec();
            if let Some(shorter) = walker.from(best, start, &rest)
                && shorter.steps.len() < best.steps.len()
            {
                *best = shorter;
                end = start.min(best.steps.len());
            } else {
                end = start;
            }
        }
        size /= 2;
    }
    // What one process does alone can often go as a whole, wherever its steps are.
    let mut pids: Vec<u8> = best.steps.iter().flat_map(moves).map(|taken| taken.pid).collect();
    pids.sort_unstable();
    pids.dedup();
    for pid in pids {
        let others = |step: &&Step| moves(step).all(|taken| taken.pid != pid);
        let rest: Vec<Step> = best.steps.iter().filter(others).copied().collect();
        if rest.len() < best.steps.len()
            && !walker.is_tired()
            && let Some(shorter) = walker.from(best, 0, &rest)
        {
            *best = shorter;
        }
    }
}

/// Brings steps of one process together.
fn regroup(walker: &Walker<'_, impl Goal>, best: &mut Way) {
    let mut at = 1;
    while at < best.steps.len() && !walker.is_tired() {
        if !is_switch(&best.steps[at - 1], &best.steps[at]) {
            at += 1;
            continue;
        }
        let switches = switches(&best.steps);
        let candidates = [earlier(&best.steps, at), later(&best.steps, at)];
        let better = candidates.into_iter().flatten().find_map(|(start, order)| {
            let way = walker.from(best, start, &order[start..])?;
            let no_longer = way.steps.len() <= best.steps.len();
            (no_longer && self::switches(&way.steps) < switches).then_some(way)
        });
        match better {
            Some(way) => {
                *best = way;
                at = at.saturating_sub(1).max(1);
            }
            None => at += 1,
        }
    }
}

/// The next steps of the process before `at`, moved to `at`.
fn earlier(steps: &[Step], at: usize) -> Option<(usize, Vec<Step>)> {
    let first = (at..steps.len()).find(|&index| !is_switch(&steps[at - 1], &steps[index]))?;
    let end = block_end(steps, first);
    let mut order = steps[..at].to_vec();
    order.extend(&steps[first..end]);
    order.extend(&steps[at..first]);
    order.extend(&steps[end..]);
    Some((at, order))
}

/// The steps of the process just before `at`, moved to where it goes on.
fn later(steps: &[Step], at: usize) -> Option<(usize, Vec<Step>)> {
    let next = (at..steps.len()).find(|&index| !is_switch(&steps[at - 1], &steps[index]))?;
    let mut start = at - 1;
    while start > 0 && !is_switch(&steps[start - 1], &steps[start]) {
        start -= 1;
    }
    let mut order = steps[..start].to_vec();
    order.extend(&steps[at..next]);
    order.extend(&steps[start..at]);
    order.extend(&steps[next..]);
    Some((start, order))
}

fn block_end(steps: &[Step], first: usize) -> usize {
    let mut end = first + 1;
    while end < steps.len() && !is_switch(&steps[end - 1], &steps[end]) {
        end += 1;
    }
    end
}

/// How often another process goes on.
pub fn switches(steps: &[Step]) -> usize {
    steps.windows(2).filter(|pair| is_switch(&pair[0], &pair[1])).count()
}

fn is_switch(before: &Step, after: &Step) -> bool {
    let shares = |taken: u8| moves(before).any(|other| other.pid == taken);
    let silent = moves(before).next().is_none() || moves(after).next().is_none();
    !silent && !moves(after).any(|taken| shares(taken.pid))
}

#[cfg(test)]
mod tests;
