//! The program that is searched in place of the model's, and the way back from what is found in it.

use model::interp::Patience;
use model::reduce::{Observed, Passes, Reduced, reduce_by};
use model::system::{Move, Numbering, Step};
use model::{Budget, Interpreter, Program, State};
use search::product::LassoRun;
use search::replay::{ReplayError, confirm, replay};
use search::{Coverage, Run, Violation};

/// What is searched in place of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Nothing: every step is one of the program's.
    Written,
    /// A program with the same states. The steps of an atomic sequence may be joined: nothing is between them.
    SameStates,
    /// One with fewer states.
    Reduced,
}

impl Version {
    /// That in which a user who may want it raw has a program searched.
    pub fn usual(raw: bool) -> Version {
        if raw { Version::SameStates } else { Version::Reduced }
    }
}

/// A program and what it is searched as.
#[derive(Debug)]
pub struct Reduction<'p> {
    original: &'p Program,
    /// Nothing if the program is searched as it is.
    reduced: Option<Reduced>,
    version: Version,
}

impl<'p> Reduction<'p> {
    /// For a search for errors, in which nothing but the program's own assertions and ends is observed.
    pub fn new(original: &'p Program, version: Version, budget: &Budget) -> Reduction<'p> {
        Reduction::observing(original, version, &Observed::default(), budget)
    }

    /// For a search in which this is observed. If the budget runs out, less is reduced.
    pub fn observing(
        original: &'p Program,
        version: Version,
        observed: &Observed,
        budget: &Budget,
    ) -> Reduction<'p> {
        let passes = match version {
            Version::Written => None,
            Version::SameStates => Some(Passes::SAME_STATES),
            Version::Reduced => Some(Passes::ALL),
        };
        let reduced = passes.map(|passes| reduce_by(original, observed, passes, budget));
        Reduction { original, reduced, version }
    }

    /// Can what is searched have other states than the original program?
    pub fn changes_states(&self) -> bool {
        self.version == Version::Reduced && self.program() != self.original
    }

    /// Steps of the original for steps of what was searched.
    pub fn steps(&self, steps: &[Step]) -> Vec<Step> {
        self.reduced.as_ref().map_or_else(|| steps.to_vec(), |reduced| reduced.expand(steps))
    }

    /// An infinite run of the original for one of what was searched.
    pub fn lasso(&self, run: &LassoRun) -> LassoRun {
        LassoRun { initial: run.initial, prefix: self.steps(&run.prefix), cycle: self.steps(&run.cycle) }
    }

    /// The model's own program.
    pub fn original(&self) -> &'p Program {
        self.original
    }

    /// What to search.
    pub fn program(&self) -> &Program {
        self.reduced.as_ref().map_or(self.original, |reduced| &reduced.program)
    }

    /// The same violation of the original program, with the states of its run, as the reference semantics sees it.
    ///
    /// # Errors
    /// The run has no counterpart there, which is an error of ours; or its last step is not finished within a limit. A d_step
    /// may repeat its state sooner in the reduced program, which has fewer variables.
    pub fn counterexample(
        &self,
        found: &Violation,
        patience: Patience<'_>,
    ) -> Result<(Violation, Vec<State>), ReplayError> {
        let interpreter = Interpreter::new(self.original).with_patience(patience);
        let Some(reduced) = &self.reduced else { return Ok((found.clone(), replay(&interpreter, found)?)) };
        let mut first_failure = None;
        for steps in reduced.expansions(&found.run.steps) {
            let run = Run { steps, ..found.run.clone() };
            let candidate = Violation { error: found.error.clone(), run };
            match replay(&interpreter, &candidate) {
                Ok(states) => return Ok((candidate, states)),
                Err(failure) => first_failure = first_failure.or(Some(failure)),
            }
        }
        Err(first_failure.unwrap_or_else(|| ReplayError::NoSuchError(found.error.clone())))
    }

    /// Is there such a violation of the original program? The states of its run are not kept.
    ///
    /// # Errors
    /// The run has no counterpart there: an error of ours.
    pub fn confirm(&self, found: &Violation) -> Result<(), ReplayError> {
        let interpreter = Interpreter::new(self.original);
        let Some(reduced) = &self.reduced else { return confirm(&interpreter, found) };
        let mut outcome = Err(ReplayError::NoSuchError(found.error.clone()));
        for steps in reduced.expansions(&found.run.steps) {
            let run = Run { initial: found.run.initial, steps };
            outcome = confirm(&interpreter, &Violation { error: found.error.clone(), run });
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    /// Which transitions of the original were taken: a merged step takes several. One that fails takes those before the failure, which the runs of
    /// [counterexamples](Self::counterexample) tell.
    pub fn coverage(&self, mut coverage: Coverage, counterexamples: &[Violation]) -> Coverage {
        let Some(reduced) = &self.reduced else { return coverage };
        let numbering = Numbering::new(self.original);
        let taken: Vec<u32> =
            (0..numbering.len() as u32).filter(|&number| coverage.contains(number)).collect();
        for number in taken {
            let (process_type, location, transition) = numbering.transition(number);
            for along in reduced.moves(&Move { pid: 0, process_type, location, transition }) {
                coverage.mark(numbering.encode_step(&Step::Move(along)));
            }
        }
        for Violation { run, .. } in counterexamples {
            let before = run.steps.split_last().map_or(&[][..], |(_, before)| before);
            before.iter().for_each(|step| coverage.mark(numbering.encode_step(step)));
        }
        coverage
    }
}
