//! Shorter counterexamples: without detours, without irrelevant steps, and with few context
//! switches.
//!
//! Every change is tried on the reference semantics and kept only if the run still ends with its
//! error; [`lasso`] does the same for infinite runs. The work is bounded by a number of expanded
//! states, so the result does not depend on the machine. Removing parts of a failing input follows
//! Zeller and Hildebrandt (Simplifying and isolating failure-inducing input, 2002).

pub mod lasso;
mod walk;

use super::{Counterexample, Evidence, Path};
use lariat_ir::trace::moves;
use lariat_ir::{Budget, State, Step};
use lariat_search::{Run, Violation};
use std::collections::HashMap;
use walk::{Fails, Goal, Walker};

/// The number of states expanded to shorten one run: enough for a run of a hundred steps.
const MAX_EXPANSIONS: u64 = 6_000;

/// The same error by a run that is not longer and has no more context switches. If the budget runs
/// out, the best run found until then. Runs that do not end with an error are returned unchanged.
pub fn simplified(found: &Counterexample, budget: &Budget) -> Counterexample {
    let Evidence::Error(error) = &found.shows else { return found.clone() };
    if budget.is_over() {
        return found.clone();
    }
    let mut best = Path { steps: found.prefix.clone(), states: found.states.clone() };
    best = without_detours(best);
    let work = MAX_EXPANSIONS.max(4 * best.steps.len() as u64);
    let walker = Walker::new(&found.program, Fails(error), work, budget);
    remove(&walker, &mut best);
    regroup(&walker, &mut best);
    let run = Run { initial: found.initial, steps: best.steps };
    let violation = Violation { error: error.clone(), run };
    // The walker followed the run piecewise; it must also replay as a whole.
    match lariat_search::replay::replay(&lariat_ir::Interpreter::new(&found.program), &violation) {
        Ok(states) => {
            let shows = Evidence::Error(violation.error);
            Counterexample::finite(&found.program, shows, violation.run, states)
        }
        Err(_) => found.clone(),
    }
}

/// Removes loops that return to an earlier state of the run. The last step stays, because it can be
/// the one with the error.
fn without_detours(path: Path) -> Path {
    let count = path.steps.len();
    let before = || path.states.iter().take(count).enumerate();
    let last: HashMap<&State, usize> = before().map(|(index, state)| (state, index)).collect();
    let (mut steps, mut states) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < count
        && let Some(state) = path.states.get(at)
    {
        at = last[state];
        states.push(state.clone());
        steps.push(path.steps[at]);
        at += 1;
    }
    states.extend(path.states.get(count).cloned());
    Path { steps, states }
}

/// Removes steps, in blocks of decreasing size.
fn remove(walker: &Walker<'_, impl Goal>, best: &mut Path) {
    let mut size = best.steps.len() / 2;
    while size > 0 {
        let mut end = best.steps.len();
        while end > 0 && !walker.is_exhausted() {
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
    // Often all steps of one process can be removed together, wherever they are.
    let mut pids: Vec<u8> = best.steps.iter().flat_map(moves).map(|taken| taken.pid).collect();
    pids.sort_unstable();
    pids.dedup();
    for pid in pids {
        let others = |step: &&Step| moves(step).all(|taken| taken.pid != pid);
        let rest: Vec<Step> = best.steps.iter().filter(others).copied().collect();
        if rest.len() < best.steps.len()
            && !walker.is_exhausted()
            && let Some(shorter) = walker.from(best, 0, &rest)
        {
            *best = shorter;
        }
    }
}

/// Reorders steps to reduce context switches.
fn regroup(walker: &Walker<'_, impl Goal>, best: &mut Path) {
    let mut at = 1;
    while at < best.steps.len() && !walker.is_exhausted() {
        if !is_switch(&best.steps[at - 1], &best.steps[at]) {
            at += 1;
            continue;
        }
        let switches = switches(&best.steps);
        let candidates = [earlier(&best.steps, at), later(&best.steps, at)];
        let better = candidates.into_iter().flatten().find_map(|(start, order)| {
            let path = walker.from(best, start, &order[start..])?;
            let no_longer = path.steps.len() <= best.steps.len();
            (no_longer && self::switches(&path.steps) < switches).then_some(path)
        });
        match better {
            Some(path) => {
                *best = path;
                at = at.saturating_sub(1).max(1);
            }
            None => at += 1,
        }
    }
}

/// Moves the next steps of the process that moved before `at` to `at`.
fn earlier(steps: &[Step], at: usize) -> Option<(usize, Vec<Step>)> {
    let first = (at..steps.len()).find(|&index| !is_switch(&steps[at - 1], &steps[index]))?;
    let end = block_end(steps, first);
    let mut order = steps[..at].to_vec();
    order.extend(&steps[first..end]);
    order.extend(&steps[at..first]);
    order.extend(&steps[end..]);
    Some((at, order))
}

/// Moves the steps just before `at` to where their process continues.
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

/// The number of context switches.
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
