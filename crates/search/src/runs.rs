//! Several searches that may each omit states, and what they know together.
//!
//! A run that stored n states and expects to have omitted e omits a given state with probability about p = e / (n + e). Runs with
//! independent hash functions omit it all with the product of their probabilities, so of the N states there are (as the run that
//! found most of them says) N·p₁·p₂·… are expected to be omitted by all.

use crate::outcome::{MAX_VIOLATIONS, Outcome, Verdict};
use crate::store::Guarantee;
use crate::{Options, Progress, Repetition, reachability};
use model::System;
use std::time::Instant;

/// Searches `runs` times with different hash functions, or until an error is found; and joins what was found.
pub fn repeated<S: System>(system: &S, options: &Options<'_>, runs: u64) -> Outcome {
    let mut outcomes = Vec::new();
    let start = Instant::now();
    for run in 0..runs.max(1) {
        let repetition = Repetition { run: run + 1, of: runs, before: start.elapsed() };
        let told = options.progress.map(|tell| {
            move |progress: &Progress| tell(&Progress { repetition: Some(repetition), ..progress.clone() })
        });
        let progress = told.as_ref().map(|tell| tell as &(dyn Fn(&Progress) + Sync));
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

/// One outcome for several runs: figures are those of the largest run, errors and coverage those of all. Precondition: there is one.
pub fn joined(mut outcomes: Vec<Outcome>) -> Outcome {
    let largest =
        (0..outcomes.len()).max_by_key(|run| outcomes[*run].statistics.states).expect("there was a run");
    let guarantee = joint_guarantee(&outcomes);
    let mut whole = outcomes.swap_remove(largest);
    whole.guarantee = guarantee;
    for other in outcomes {
        whole.exhaustive |= other.exhaustive;
        whole.errors += other.errors;
        whole.error_kinds.extend(other.error_kinds);
        whole.endless_atomic |= other.endless_atomic;
        whole.limit = whole.limit.or(other.limit);
        whole.coverage.join(&other.coverage);
        whole.statistics.time += other.statistics.time;
        whole.statistics.memory_bytes = whole.statistics.memory_bytes.max(other.statistics.memory_bytes);
        for violation in other.violations {
            if whole.violations.len() < MAX_VIOLATIONS
                && whole.violations.iter().all(|known| known.error != violation.error)
            {
                whole.violations.push(violation);
            }
        }
    }
    if whole.exhaustive {
        whole.limit = None;
    }
    whole
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
        let whole = joined(vec![outcome(900, 100.0), outcome(990, 10.0)]);
        assert_eq!(whole.guarantee, Guarantee::Omissions { expected: 1.0 });
        assert_eq!(whole.statistics.states, 990);
        assert_eq!(joined(vec![outcome(5, 0.0)]).guarantee, Guarantee::Omissions { expected: 0.0 });
    }
}
