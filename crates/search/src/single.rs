//! What the searches in one thread have in common: the count, the limits, the outcome, and beginning again with a wider layout.

use crate::atomic::Broken;
use crate::expansion::Met;
use crate::limits::{Limit, Meter, peak_memory_bytes, resident_bytes};
use crate::outcome::{Outcome, Statistics};
use crate::pool::Sign;
use crate::store::{Guarantee, Revisits};
use crate::tally::Tally;
use crate::{Coverage, Goal, Options, Progress, Run};
use model::system::{Misfit, StepCode, System};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How often limits are looked at, in units of work; and how often somebody is told about progress.
const LOOK: u32 = 256;
const TELL: Duration = Duration::from_millis(200);

/// Why a search stopped before its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The sign says why.
    Over,
    Misfit(Box<Misfit>),
    /// A step could not be finished within this limit.
    Unfinished(Limit),
}

impl From<Broken> for Stop {
    fn from(broken: Broken) -> Stop {
        match broken {
            Broken::Misfit(misfit) => Stop::Misfit(misfit),
            Broken::Stopped => Stop::Over,
            Broken::Unfinished(limit) => Stop::Unfinished(limit),
        }
    }
}

impl From<Limit> for Stop {
    fn from(_: Limit) -> Stop {
        Stop::Over
    }
}

/// A state did not fit the layout; and the errors met before.
#[derive(Debug)]
pub(crate) struct Unfit {
    misfit: Box<Misfit>,
    pub met: Outcome,
}

/// Visits what can be reached from each initial state, until the search is stopped. Returns the limit
/// within which a step could not be finished, if that was the reason.
pub(crate) fn from_each(
    initial: &[Vec<u64>],
    mut visit: impl FnMut(usize, &[u64]) -> Result<(), Stop>,
) -> Result<Option<Limit>, Box<Misfit>> {
    for (number, state) in initial.iter().enumerate() {
        match visit(number, state) {
            Ok(()) => {}
            Err(Stop::Over) => break,
            Err(Stop::Misfit(misfit)) => return Err(misfit),
            Err(Stop::Unfinished(limit)) => return Ok(Some(limit)),
        }
    }
    Ok(None)
}

pub(crate) struct Single<'a> {
    pub options: &'a Options<'a>,
    pub tally: Tally,
    pub sign: Sign,
    pub meter: Meter<'a>,
    goal: Goal,
    ticks: u32,
    told: Instant,
}

impl<'a> Single<'a> {
    pub fn new<S: System>(system: &S, options: &'a Options<'a>, before: Duration) -> Single<'a> {
        Single {
            options,
            tally: Tally { coverage: Coverage::new(system.transition_count()), ..Tally::default() },
            sign: Sign::default(),
            meter: Meter::new(&options.limits, before),
            goal: if options.all_errors { Goal::Everything } else { Goal::FirstError },
            ticks: 0,
            told: Instant::now(),
        }
    }

    /// Raised when the search must end for time or an interruption, for loops within the expansion of a state.
    pub fn flag(&self) -> &'a AtomicBool {
        self.options.limits.budget.flag()
    }

    /// Ends the search for a limit.
    pub fn stop(&self, limit: Limit) -> Stop {
        self.end_at(Some(limit));
        Stop::Over
    }

    /// The search is over. A step that was interrupted does not know whether a deadline did that.
    pub fn end_at(&self, limit: Option<Limit>) {
        let reason = |limit| if limit == Limit::Interrupted { self.meter.reason() } else { limit };
        self.sign.stop(limit.map(reason));
    }

    /// Called once for every state expanded.
    pub fn tick(&mut self, store_bytes: impl Fn() -> u64, waiting: u64) -> Result<(), Stop> {
        self.ticks = self.ticks.wrapping_add(1);
        if !self.ticks.is_multiple_of(LOOK) && !self.meter.is_over() {
            return Ok(());
        }
        self.meter.check_time().map_err(|limit| self.stop(limit))?;
        if self.ticks.is_multiple_of(16 * LOOK) {
            self.meter.check_memory(store_bytes()).map_err(|limit| self.stop(limit))?;
        }
        if let Some(progress) = self.options.progress
            && self.told.elapsed() >= TELL
        {
            self.told = Instant::now();
            progress(&Progress {
                states: self.tally.states,
                transitions: self.tally.transitions,
                depth: self.tally.depth,
                waiting,
                memory_bytes: resident_bytes().unwrap_or_else(store_bytes),
                elapsed: self.meter.elapsed(),
                repetition: None,
            });
        }
        Ok(())
    }

    /// Counts a new state that is so deep; `false` if it is too deep to be expanded.
    pub fn add(&mut self, depth: u64) -> Result<bool, Stop> {
        self.tally.states += 1;
        self.tally.depth = self.tally.depth.max(depth);
        if let Some(limit) = self.options.limits.states
            && self.tally.states > limit
        {
            return Err(self.stop(Limit::States(limit)));
        }
        Ok(self.expands(depth))
    }

    /// Is a state so deep to be expanded?
    pub fn expands(&mut self, depth: u64) -> bool {
        let deep = self.options.limits.depth.is_some_and(|limit| depth >= limit);
        self.tally.too_deep |= deep;
        !deep
    }

    /// Notes errors; `run` gives the run that ends with these steps.
    pub fn note(&mut self, met: Met, mut run: impl FnMut(&[StepCode]) -> Option<Run>) -> Result<(), Stop> {
        for (error, codes) in met {
            self.tally.note(error, || run(&codes));
        }
        self.goal.look(&self.tally, &self.sign);
        if self.sign.is_over() { Err(Stop::Over) } else { Ok(()) }
    }

    /// The search ends for a state that does not fit.
    pub fn unfit<S: System>(self, system: &S, misfit: Box<Misfit>) -> Box<Unfit> {
        let outcome = self.outcome(system, Guarantee::Exact, 0, None);
        Box::new(Unfit { misfit, met: Outcome { exhaustive: false, ..outcome } })
    }

    pub fn outcome<S: System>(
        self,
        system: &S,
        guarantee: Guarantee,
        store_bytes: u64,
        revisits: Option<Revisits>,
    ) -> Outcome {
        let mut limit = self.sign.limit();
        if self.meter.is_over() && !self.sign.is_over() {
            // The expansion of a state was ended by the flag.
            limit = limit.or(Some(self.meter.reason()));
        }
        if self.tally.too_deep {
            limit = limit.or(self.options.limits.depth.map(Limit::Depth));
        }
        Outcome {
            violations: self.tally.violations,
            errors: self.tally.errors,
            error_kinds: self.tally.error_kinds.into_keys().collect(),
            limit,
            guarantee,
            exhaustive: limit.is_none() && !self.sign.is_over() && guarantee == Guarantee::Exact,
            endless_atomic: self.tally.endless_atomic,
            statistics: Statistics {
                states: self.tally.states.min(self.options.limits.states.unwrap_or(u64::MAX)),
                transitions: self.tally.transitions,
                atomic_steps: self.tally.atomic_steps,
                depth: self.tally.depth,
                state_bytes: 8 * system.width().identity as u64,
                store_bytes,
                memory_bytes: peak_memory_bytes().unwrap_or(store_bytes),
                time: self.meter.elapsed(),
                revisits,
                compressed: None,
            },
            coverage: self.tally.coverage,
            ..Outcome::default()
        }
    }
}

/// Searches; when a state does not fit the layout, again from the start in a wider one. What was met before is not lost if that search does not come so far.
pub(crate) fn with_room<S: System>(
    system: &S,
    mut search: impl FnMut(&S, Duration) -> Result<Outcome, Box<Unfit>>,
) -> Outcome {
    let start = Instant::now();
    let mut wide = None;
    let mut before = Outcome::default();
    loop {
        let now = wide.as_ref().unwrap_or(system);
        let Unfit { misfit, mut met } = match search(now, start.elapsed()) {
            Ok(mut outcome) => {
                outcome.keep_errors_of(before);
                return outcome;
            }
            Err(unfit) => *unfit,
        };
        met.keep_errors_of(before);
        before = met;
        wide = Some(now.widened(&misfit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Replacement, StoreKind, Verdict, reachability};
    use model::RuntimeError;
    use model::layout::Recoder;
    use model::system::{Step, Successors, Width};
    use std::sync::atomic::Ordering;

    /// Counts up. An error is met, then a number that does not fit; as soon as there is room for it, somebody loses patience.
    struct Counter<'a> {
        is_wide: bool,
        interrupt: &'a AtomicBool,
    }

    const WRONG: u64 = 2 * LOOK as u64;
    const LARGE: u64 = 3 * LOOK as u64;

    impl System for Counter<'_> {
        fn width(&self) -> Width {
            Width { identity: 1, all: 1 }
        }

        fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
            Ok(vec![vec![0]])
        }

        fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
            if state[0] == LARGE && !self.is_wide {
                return Err(Box::new(Misfit { states: Vec::new(), within: false }));
            }
            out.push(StepCode(1 << 32), &[state[0] + 1]);
            Ok(())
        }

        fn is_valid_end(&self, _: &[u64]) -> bool {
            true
        }

        fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
            if state[0] == WRONG {
                out.push(RuntimeError::InvalidEndState);
            }
        }

        fn has_invariants(&self) -> bool {
            true
        }

        fn step(&self, _: StepCode) -> Step {
            Step::STUTTER
        }

        fn transition_count(&self) -> usize {
            1
        }

        fn widened(&self, _: &Misfit) -> Self {
            self.interrupt.store(true, Ordering::Relaxed);
            Counter { is_wide: true, interrupt: self.interrupt }
        }

        fn recoder(&self, _: &Self) -> Recoder {
            unreachable!("the search begins again")
        }
    }

    #[test]
    fn an_error_met_before_a_misfit_is_not_lost() {
        let interrupt = std::sync::Arc::new(AtomicBool::new(false));
        let budget = model::Budget::until(std::sync::Arc::clone(&interrupt));
        let store = StoreKind::Cache {
            states: Some(1 << 20),
            replacement: Replacement::Layers,
            sleep_sets: false,
            seed: 0,
        };
        let limits = Limits { budget: &budget, ..Limits::default() };
        let options = Options { all_errors: true, store, limits, ..Options::default() };
        let outcome = reachability(&Counter { is_wide: false, interrupt: &interrupt }, &options);
        assert_eq!(outcome.limit, Some(Limit::Interrupted));
        assert!(outcome.statistics.states <= WRONG, "the second time it did not come so far");
        assert_eq!((outcome.verdict(), outcome.violations.len()), (Verdict::Violated, 1));
        assert_eq!(outcome.violations[0].run.steps.len() as u64, WRONG);
    }
}
