//! The reduced program that is searched in place of the model's program, and the translation of
//! runs found in it back to the model's program.

use lariat_ir::interp::Patience;
use lariat_ir::reduce::{Observed, Passes, Reduced, reduce_by};
use lariat_ir::system::{Move, Numbering, Step};
use lariat_ir::{Budget, Interpreter, Program, State};
use lariat_search::product::LassoRun;
use lariat_search::replay::{ReplayError, confirm, replay};
use lariat_search::{Coverage, Run, Violation};

/// The variant of a program that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The program itself: every step is one of its steps.
    Written,
    /// A program with the same states. Steps of an atomic sequence may be merged, because no state
    /// between them is stored.
    SameStates,
    /// A program with fewer states.
    Reduced,
}

impl Version {
    /// The variant to search; `raw` if the user requested the counts of the original program.
    pub fn usual(raw: bool) -> Version {
        if raw { Version::SameStates } else { Version::Reduced }
    }
}

/// A program and the variant that is searched.
#[derive(Debug)]
pub struct Reduction<'p> {
    original: &'p Program,
    /// `None` if the program itself is searched.
    reduced: Option<Reduced>,
    version: Version,
}

impl<'p> Reduction<'p> {
    /// For a search for errors, which observes only assertions, run-time errors and end states.
    pub fn new(original: &'p Program, version: Version, budget: &Budget) -> Reduction<'p> {
        Reduction::observing(original, version, &Observed::default(), budget)
    }

    /// For a search that also observes the conditions in `observed`. If the budget runs out, the
    /// program is reduced less.
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

    /// Can the searched program have other states than the original?
    pub fn changes_states(&self) -> bool {
        self.version == Version::Reduced && self.program() != self.original
    }

    /// The steps of the original for steps of the searched program.
    pub fn steps(&self, steps: &[Step]) -> Vec<Step> {
        self.reduced.as_ref().map_or_else(|| steps.to_vec(), |reduced| reduced.expand(steps))
    }

    /// The infinite run of the original for one of the searched program.
    pub fn lasso(&self, run: &LassoRun) -> LassoRun {
        LassoRun {
            initial: run.initial,
            prefix: self.steps(&run.prefix),
            cycle: self.steps(&run.cycle),
        }
    }

    /// The program to search.
    pub fn program(&self) -> &Program {
        self.reduced.as_ref().map_or(self.original, |reduced| &reduced.program)
    }

    /// The run of the original program with the same violation, and its states, replayed on the
    /// reference semantics.
    ///
    /// # Errors
    /// The original has no such run, which is a bug in Lariat; or its last step, a `d_step`, does
    /// not finish within a limit. (A `d_step` may repeat its state earlier in the reduced program,
    /// which has fewer variables.)
    pub fn replayed(
        &self,
        found: &Violation,
        patience: Patience<'_>,
    ) -> Result<(Run, Vec<State>), ReplayError> {
        let interpreter = Interpreter::new(self.original).with_patience(patience);
        let Some(reduced) = &self.reduced else {
            return Ok((found.run.clone(), replay(&interpreter, found)?));
        };
        let mut first_failure = None;
        for steps in reduced.expansions(&found.run.steps) {
            let run = Run { steps, ..found.run.clone() };
            let candidate = Violation { error: found.error.clone(), run };
            match replay(&interpreter, &candidate) {
                Ok(states) => return Ok((candidate.run, states)),
                Err(failure) => first_failure = first_failure.or(Some(failure)),
            }
        }
        Err(first_failure.unwrap_or_else(|| ReplayError::NoSuchError(found.error.clone())))
    }

    /// Confirms that the original program has this violation, without keeping the states.
    ///
    /// # Errors
    /// The original has no such run, which is a bug in Lariat.
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

    /// The transitions of the original that were taken. A merged step takes several; one that fails
    /// takes those before the failure, which are found in the runs to errors.
    pub fn coverage<'r>(
        &self,
        mut coverage: Coverage,
        runs: impl Iterator<Item = &'r [Step]>,
    ) -> Coverage {
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
        for steps in runs {
            let before = steps.split_last().map_or(&[][..], |(_, before)| before);
            before.iter().for_each(|step| coverage.mark(numbering.encode_step(step)));
        }
        coverage
    }
}
