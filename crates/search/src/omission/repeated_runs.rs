//! Repeated searches with an inexact store, and the joint estimate of omitted states.
//!
//! A run that stored n states and expects e omissions omits a given state with probability about
//! p = e / (n + e). Runs with independent hash functions all omit it with the product of their
//! probabilities. With N the largest n + e, about N·p₁·p₂·… states are omitted by all runs.

use crate::outcome::{MAX_VIOLATIONS, Outcome, Verdict};
use crate::store::Guarantee;
use crate::{Options, Progress, Repetition, reachability};
use lariat_ir::System;
use std::time::Instant;

/// Searches `runs` times with different hash functions, or until an error is found, and joins the
/// outcomes.
pub fn repeated<S: System>(system: &S, options: &Options<'_>, runs: u64) -> Outcome {
    let mut outcomes = Vec::new();
    let start = Instant::now();
    for run in 0..runs.max(1) {
        let repetition = Repetition { run: run + 1, of: runs, before: start.elapsed() };
        let forward = options.progress.map(|report| {
            move |progress: &Progress| {
                report(&Progress { repetition: Some(repetition), ..progress.clone() })
            }
        });
        let progress = forward.as_ref().map(|report| report as &(dyn Fn(&Progress) + Sync));
        let options = Options { store: options.store.reseeded(run), progress, ..options.clone() };
        let outcome = reachability(system, &options);
        let over = outcome.verdict() == Verdict::Holds
            || outcome.limit.is_some()
            || outcome.errors > 0 && !options.all_errors;
        outcomes.push(outcome);
        if over {
            break;
        }
    }
    joined(outcomes)
}

/// One outcome for several runs: the statistics of the largest run, the errors and coverage of all.
/// Precondition: `outcomes` is not empty.
pub fn joined(mut outcomes: Vec<Outcome>) -> Outcome {
    let largest = (0..outcomes.len())
        .max_by_key(|run| outcomes[*run].statistics.states)
        .expect("there was a run");
    let guarantee = joint_guarantee(&outcomes);
    let mut joint = outcomes.swap_remove(largest);
    joint.guarantee = guarantee;
    for other in outcomes {
        joint.exhaustive |= other.exhaustive;
        joint.errors += other.errors;
        joint.error_kinds.extend(other.error_kinds);
        joint.endless_atomic |= other.endless_atomic;
        joint.limit = joint.limit.or(other.limit);
        joint.coverage.join(&other.coverage);
        joint.statistics.time += other.statistics.time;
        joint.statistics.memory_bytes =
            joint.statistics.memory_bytes.max(other.statistics.memory_bytes);
        for violation in other.violations {
            if joint.violations.len() < MAX_VIOLATIONS
                && joint.violations.iter().all(|known| known.error != violation.error)
            {
                joint.violations.push(violation);
            }
        }
    }
    if joint.exhaustive {
        joint.limit = None;
    }
    joint
}

fn joint_guarantee(outcomes: &[Outcome]) -> Guarantee {
    let mut all = 1.0;
    let mut states: f64 = 0.0;
    for outcome in outcomes {
        let Guarantee::Omissions { expected } = outcome.guarantee else { return Guarantee::Exact };
        let stored = outcome.statistics.states as f64;
        states = states.max(stored + expected);
        all *= if expected > 0.0 { expected / (stored + expected) } else { 0.0 };
    }
    Guarantee::Omissions { expected: all * states }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Statistics;

    fn outcome(states: u64, expected: f64) -> Outcome {
        Outcome {
            guarantee: Guarantee::Omissions { expected },
            statistics: Statistics { states, ..Statistics::default() },
            ..Outcome::default()
        }
    }

    #[test]
    fn omissions_multiply() {
        let joint = joined(vec![outcome(900, 100.0), outcome(990, 10.0)]);
        assert_eq!(joint.guarantee, Guarantee::Omissions { expected: 1.0 });
        assert_eq!(joint.statistics.states, 990);
        assert_eq!(joined(vec![outcome(5, 0.0)]).guarantee, Guarantee::Omissions { expected: 0.0 });
    }
}
