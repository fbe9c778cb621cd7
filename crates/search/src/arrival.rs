//! The one step all searches share: arriving at a successor. It counts, notes errors and coverage,
//! stores the state, and watches the limits; a search only decides where to go next.

use crate::Options;
use crate::limits::{Limit, Meter, peak_memory_bytes};
use crate::outcome::{MAX_VIOLATIONS, Outcome, Run, Violation};
use crate::store::{StateId, StateSet};
use model::trace::moves;
use model::{RuntimeError, Step, Successor, System};

/// Where a step led.
#[derive(Debug)]
pub(crate) enum Arrival<State> {
    /// Nowhere new: the state is known, or an error stopped the step.
    Known,
    New(StateId, State),
    /// Inside an atomic sequence, to be passed through.
    Transient(State),
}

/// Why a search ends before everything is visited.
#[derive(Debug)]
pub(crate) enum Stop {
    FirstError,
    Limit(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

/// What every search has: the visited states, the figures and the findings.
#[derive(Debug)]
pub(crate) struct Explorer<'a, S: System> {
    pub system: &'a S,
    pub set: StateSet,
    pub outcome: Outcome,
    all_errors: bool,
    depth_limit: u64,
    state_limit: u64,
    meter: Meter<'a>,
    packed: Vec<u8>,
    violated: Vec<RuntimeError>,
}

impl<'a, S: System> Explorer<'a, S> {
    pub fn new(system: &'a S, options: &Options<'a>) -> Explorer<'a, S> {
        Explorer {
            system,
            set: StateSet::new(),
            outcome: Outcome::default(),
            all_errors: options.all_errors,
            depth_limit: options.limits.depth.unwrap_or(u64::MAX),
            state_limit: options.limits.states.unwrap_or(u64::MAX),
            meter: Meter::new(&options.limits),
            packed: Vec::new(),
            violated: Vec::new(),
        }
    }

    /// The initial states; an error while making them is a violation with an empty run.
    pub fn initial_states(&mut self) -> Result<Vec<S::State>, Stop> {
        match self.system.initial_states() {
            Ok(states) => Ok(states),
            Err(error) => {
                self.report(vec![error], |_| Run::default())?;
                Ok(Vec::new())
            }
        }
    }

    /// Arrives at a state by no step at all.
    pub fn start(&mut self, initial: usize, state: S::State) -> Result<Arrival<S::State>, Stop> {
        self.visit(state, |_| Run { initial, steps: Vec::new() })
    }

    /// Takes a step. `run` gives the run up to and including it, if an error asks for it; it may look
    /// at the states visited so far.
    #[inline]
    pub fn arrive(
        &mut self,
        successor: Successor<S::State>,
        run: impl Fn(&StateSet) -> Run,
    ) -> Result<Arrival<S::State>, Stop> {
        let Successor { step, state, errors } = successor;
        if !errors.is_empty() {
            self.report(errors, &run)?;
        }
        let Some(state) = state else {
            return Ok(Arrival::Known);
        };
        for taken in moves(&step) {
            self.outcome.coverage.mark(&taken);
        }
        self.visit(state, run)
    }

    #[inline]
    fn visit(&mut self, state: S::State, run: impl Fn(&StateSet) -> Run) -> Result<Arrival<S::State>, Stop> {
        self.meter.tick(|| self.set.memory_bytes())?;
        if self.system.is_transient(&state) {
            self.outcome.statistics.atomic_steps += 1;
            return Ok(Arrival::Transient(state));
        }
        self.packed.clear();
        self.system.encode(&state, &mut self.packed);
        if !self.set.has_room() {
            return Err(Limit::States(self.set.len() as u64).into());
        }
        let Some(id) = self.set.insert(&self.packed) else {
            self.outcome.statistics.transitions += 1;
            return Ok(Arrival::Known);
        };
        if self.set.len() as u64 > self.state_limit {
            return Err(Limit::States(self.state_limit).into());
        }
        self.outcome.statistics.transitions += 1;
        self.system.violated_invariants(&state, &mut self.violated);
        if !self.violated.is_empty() {
            let errors = std::mem::take(&mut self.violated);
            self.report(errors, run)?;
        }
        Ok(Arrival::New(id, state))
    }

    /// A state without successors: may the system rest here?
    pub fn stuck(&mut self, state: &S::State, run: impl Fn(&StateSet) -> Run) -> Result<(), Stop> {
        if self.system.is_valid_end(state) {
            return Ok(());
        }
        self.report(vec![RuntimeError::InvalidEndState], run)
    }

    /// May a state at this depth be expanded? If not, the search is not exhaustive.
    pub fn within_depth(&mut self, depth: u64) -> bool {
        if depth < self.depth_limit {
            return true;
        }
        self.outcome.limit = Some(Limit::Depth(self.depth_limit));
        false
    }

    #[cold]
    fn report(&mut self, errors: Vec<RuntimeError>, run: impl Fn(&StateSet) -> Run) -> Result<(), Stop> {
        self.outcome.errors += errors.len() as u64;
        let mut built: Option<Run> = None;
        for error in errors {
            self.outcome.error_kinds.insert(error.kind());
            let violations = &mut self.outcome.violations;
            if violations.len() < MAX_VIOLATIONS && violations.iter().all(|known| known.error != error) {
                let run = built.get_or_insert_with(|| run(&self.set)).clone();
                violations.push(Violation { error, run });
            }
        }
        if self.all_errors { Ok(()) } else { Err(Stop::FirstError) }
    }

    /// The figures are complete.
    pub fn finish(mut self, result: Result<(), Stop>) -> Outcome {
        match result {
            Ok(()) => self.outcome.exhaustive = self.outcome.limit.is_none(),
            Err(Stop::FirstError) => {}
            Err(Stop::Limit(limit)) => self.outcome.limit = Some(limit),
        }
        let statistics = &mut self.outcome.statistics;
        statistics.states = (self.set.len() as u64).min(self.state_limit);
        statistics.state_bytes = self.set.longest() as u64;
        statistics.memory_bytes = peak_memory_bytes().unwrap_or_else(|| self.set.memory_bytes());
        statistics.time = self.meter.elapsed();
        self.outcome
    }
}

/// How many moves a step consists of.
pub(crate) fn weight(step: &Step) -> u64 {
    match step {
        Step::Move(_) => 1,
        Step::Rendezvous { .. } => 2,
        Step::Release(_) | Step::Refused(_) => 0,
    }
}
