//! The common part of the single-threaded searches: counts, limits, the outcome, and the restart
//! with a wider layout.

use crate::limits::{Limit, Meter, peak_memory_bytes, resident_bytes};
use crate::outcome::{Outcome, Statistics};
use crate::reach::atomic::ExpansionError;
use crate::reach::expansion::FoundErrors;
use crate::reach::tally::Tally;
use crate::reach::work_pool::StopSignal;
use crate::store::{Guarantee, Revisits};
use crate::tuning::limits::{MEMORY_CHECK_FACTOR, PROGRESS_INTERVAL, TIME_CHECK_STATES};
use crate::{Coverage, Goal, Options, Progress, Run};
use lariat_ir::system::{Misfit, StepCode, System};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Why a search ended early.
#[derive(Debug)]
pub(crate) enum SequentialStop {
    /// The [`StopSignal`] was raised.
    Over,
    /// A successor does not fit the layout.
    Misfit(Box<Misfit>),
    /// A step did not end within this limit.
    Unfinished(Limit),
}

impl From<ExpansionError> for SequentialStop {
    fn from(error: ExpansionError) -> SequentialStop {
        match error {
            ExpansionError::Misfit(misfit) => SequentialStop::Misfit(misfit),
            ExpansionError::Stopped => SequentialStop::Over,
            ExpansionError::Unfinished(limit) => SequentialStop::Unfinished(limit),
        }
    }
}

impl From<Limit> for SequentialStop {
    fn from(_: Limit) -> SequentialStop {
        SequentialStop::Over
    }
}

/// A state that does not fit the layout, and the outcome of the search until then.
#[derive(Debug)]
pub(crate) struct UnfitLayout {
    misfit: Box<Misfit>,
    pub outcome: Outcome,
}

/// Calls `visit` with each initial state, until the search ends. Returns the limit within which a
/// step did not end, if that was the reason.
pub(crate) fn visit_initial_states(
    initial: &[Vec<u64>],
    mut visit: impl FnMut(usize, &[u64]) -> Result<(), SequentialStop>,
) -> Result<Option<Limit>, Box<Misfit>> {
    for (number, state) in initial.iter().enumerate() {
        match visit(number, state) {
            Ok(()) => {}
            Err(SequentialStop::Over) => break,
            Err(SequentialStop::Misfit(misfit)) => return Err(misfit),
            Err(SequentialStop::Unfinished(limit)) => return Ok(Some(limit)),
        }
    }
    Ok(None)
}

/// The state that single-threaded searches share.
pub(crate) struct SequentialSearch<'a> {
    pub options: &'a Options<'a>,
    pub tally: Tally,
    pub signal: StopSignal,
    pub meter: Meter<'a>,
    goal: Goal,
    ticks: u32,
    last_progress: Instant,
}

impl<'a> SequentialSearch<'a> {
    pub fn new<S: System>(
        system: &S,
        options: &'a Options<'a>,
        before: Duration,
    ) -> SequentialSearch<'a> {
        SequentialSearch {
            options,
            tally: Tally { coverage: Coverage::new(system.transition_count()), ..Tally::default() },
            signal: StopSignal::default(),
            meter: Meter::new(&options.limits, before),
            goal: if options.all_errors { Goal::Everything } else { Goal::FirstError },
            ticks: 0,
            last_progress: Instant::now(),
        }
    }

    /// Raised when the time limit is reached or the search is interrupted; for loops within the
    /// expansion of a state.
    pub fn flag(&self) -> &'a AtomicBool {
        self.options.limits.budget.flag()
    }

    /// Ends the search because of a limit.
    pub fn stop(&self, limit: Limit) -> SequentialStop {
        self.end_at(Some(limit));
        SequentialStop::Over
    }

    /// Ends the search. The meter says whether the time limit or the user interrupted a step.
    pub fn end_at(&self, limit: Option<Limit>) {
        let reason = |limit| if limit == Limit::Interrupted { self.meter.reason() } else { limit };
        self.signal.end_search(limit.map(reason));
    }

    /// Checks limits and reports progress now and then; to be called for every expanded state.
    pub fn tick(
        &mut self,
        store_bytes: impl Fn() -> u64,
        waiting: u64,
    ) -> Result<(), SequentialStop> {
        self.ticks = self.ticks.wrapping_add(1);
        if !self.ticks.is_multiple_of(TIME_CHECK_STATES) && !self.meter.is_over() {
            return Ok(());
        }
        self.meter.check_time().map_err(|limit| self.stop(limit))?;
        if self.ticks.is_multiple_of(MEMORY_CHECK_FACTOR * TIME_CHECK_STATES) {
            self.meter.check_memory(store_bytes()).map_err(|limit| self.stop(limit))?;
        }
        if let Some(progress) = self.options.progress
            && self.last_progress.elapsed() >= PROGRESS_INTERVAL
        {
            self.last_progress = Instant::now();
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

    /// Counts a new state; whether it is to be expanded.
    pub fn add(&mut self, depth: u64) -> Result<bool, SequentialStop> {
        self.tally.states += 1;
        self.tally.depth = self.tally.depth.max(depth);
        if let Some(limit) = self.options.limits.states
            && self.tally.states > limit
        {
            return Err(self.stop(Limit::States(limit)));
        }
        Ok(self.is_within_depth(depth))
    }

    /// Whether a state of this depth is to be expanded; records that one is not.
    pub fn is_within_depth(&mut self, depth: u64) -> bool {
        let deep = self.options.limits.depth.is_some_and(|limit| depth >= limit);
        self.tally.too_deep |= deep;
        !deep
    }

    /// Counts errors; `run` reconstructs the run to the expanded state, extended by steps.
    pub fn note(
        &mut self,
        errors: FoundErrors,
        mut run: impl FnMut(&[StepCode]) -> Option<Run>,
    ) -> Result<(), SequentialStop> {
        for (error, codes) in errors {
            self.tally.note(error, || run(&codes));
        }
        self.goal.end_if_reached(&self.tally, &self.signal);
        if self.signal.is_search_over() { Err(SequentialStop::Over) } else { Ok(()) }
    }

    /// Ends the search because a state does not fit.
    pub fn unfit<S: System>(self, system: &S, misfit: Box<Misfit>) -> Box<UnfitLayout> {
        let outcome = self.outcome(system, Guarantee::Exact, 0, None);
        Box::new(UnfitLayout { misfit, outcome: Outcome { exhaustive: false, ..outcome } })
    }

    pub fn outcome<S: System>(
        self,
        system: &S,
        guarantee: Guarantee,
        store_bytes: u64,
        revisits: Option<Revisits>,
    ) -> Outcome {
        let mut limit = self.signal.limit();
        if self.meter.is_over() && !self.signal.is_search_over() {
            // The flag ended the expansion of a state.
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
            exhaustive: limit.is_none()
                && !self.signal.is_search_over()
                && guarantee == Guarantee::Exact,
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
                widenings: 0,
            },
            coverage: self.tally.coverage,
            ..Outcome::default()
        }
    }
}

/// Searches, and restarts with a wider layout when a state does not fit. Errors found before a
/// restart are kept, in case the next search ends before it finds them again.
pub(crate) fn restart_when_unfit<S: System>(
    system: &S,
    mut search: impl FnMut(&S, Duration) -> Result<Outcome, Box<UnfitLayout>>,
) -> Outcome {
    let start = Instant::now();
    let mut wide = None;
    let mut widenings = 0;
    let mut before = Outcome::default();
    loop {
        let now = wide.as_ref().unwrap_or(system);
        let UnfitLayout { misfit, mut outcome } = match search(now, start.elapsed()) {
            Ok(mut outcome) => {
                outcome.keep_errors_of(before);
                outcome.statistics.widenings = widenings;
                return outcome;
            }
            Err(unfit) => *unfit,
        };
        outcome.keep_errors_of(before);
        before = outcome;
        let wider = now.widened(&misfit);
        widenings += 1;
        now.layout_widened(&wider);
        wide = Some(wider);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Replacement, StoreKind, Verdict, reachability};
    use lariat_ir::RuntimeError;
    use lariat_ir::system::{Repackable, SearchObserver, Successors, TransitionSystem, Width};
    use std::sync::atomic::Ordering;

    /// Counts up to an error, then to a number that does not fit; widening interrupts the search.
    struct Counter<'a> {
        is_wide: bool,
        interrupt: &'a AtomicBool,
    }

    const WRONG: u64 = 2 * TIME_CHECK_STATES as u64;
    const LARGE: u64 = 3 * TIME_CHECK_STATES as u64;

    impl TransitionSystem for Counter<'_> {
        fn width(&self) -> Width {
            Width { identity: 1, all: 1 }
        }

        fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
            Ok(vec![vec![0]])
        }

        fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
            if state[0] == LARGE && !self.is_wide {
                return Err(Box::new(Misfit { states: Vec::new(), inside_step: false }));
            }
            out.push(StepCode::of_move(0, 0), &[state[0] + 1]);
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

        fn transition_count(&self) -> usize {
            1
        }
    }

    impl Repackable for Counter<'_> {
        fn widened(&self, _: &Misfit) -> Self {
            Counter { is_wide: true, interrupt: self.interrupt }
        }
    }

    impl SearchObserver for Counter<'_> {
        fn layout_widened(&self, _: &Self) {
            self.interrupt.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn an_error_before_a_misfit_is_kept() {
        let interrupt = std::sync::Arc::new(AtomicBool::new(false));
        let budget = lariat_ir::Budget::until(std::sync::Arc::clone(&interrupt));
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
        assert!(outcome.statistics.states <= WRONG, "the second search ended earlier");
        assert_eq!((outcome.verdict(), outcome.violations.len()), (Verdict::Violated, 1));
        assert_eq!(outcome.violations[0].run.steps.len() as u64, WRONG);
    }
}
