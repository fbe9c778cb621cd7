//! Confirms that a run violates a property: every step is taken by the reference semantics, the
//! cycle closes, and the property is evaluated on the run directly, independently of the search.

use super::Settings;
use super::automaton::{AutomatonForm, PreparedProgram, Unsuitable, automaton, prepare};
use super::fair::is_fair;
use crate::property::{Assumption, Meaning, ResolvedProperty};
use crate::run::finite::follow;
use crate::run::lasso::{close, letters, word};
use crate::run::{Counterexample, Evidence, LassoError};
use lariat_ir::{Budget, Expr, Interpreter, Program, RuntimeError};
use lariat_ltl::emptiness::accepts;
use lariat_ltl::formula::evaluate;
use lariat_promela::claim;
use lariat_search::liveness::fairness::Fairness;
use lariat_search::product::{LassoRun, Monitor};
use std::sync::Arc;

/// Rounds of a cycle after which it need not close in variables that are never read.
const ROUNDS: usize = 16;

/// Decides whether a run shows that a property is violated.
pub trait Judges {
    /// The program in which the property is evaluated.
    fn program(&self) -> &Program;

    /// Replays a run of the program and evaluates the property on it.
    ///
    /// # Errors
    /// Why the run does not show that the property is violated.
    fn judge(&self, run: &LassoRun) -> Result<Counterexample, LassoError>;
}

/// Judges runs by a property of single runs.
#[derive(Debug)]
pub struct Judge {
    /// The model's program.
    model: Arc<Program>,
    pub(super) prepared: PreparedProgram,
    property: ResolvedProperty,
    pub(super) monitor: Monitor,
    /// The monitor accepts the allowed runs instead of the forbidden ones.
    deterministic: bool,
    fairness: Option<Fairness>,
    assumptions: Vec<Assumption>,
    rounds: usize,
}

impl Judge {
    /// Judges runs independently of a search; of the settings only the fairness matters.
    ///
    /// # Errors
    /// The property has no automaton.
    pub fn new(
        program: &Arc<Program>,
        property: &ResolvedProperty,
        settings: &Settings,
        budget: &Budget,
    ) -> Result<Judge, Unsuitable> {
        let prepared = prepare(program, property, &[], budget)?;
        let form = AutomatonForm::Generalized;
        let (automaton, conditions) = automaton(&prepared, property, &[], form, budget)?;
        let monitor = Monitor::new(automaton, conditions, prepared.stutters);
        Ok(Judge::of_search(program, prepared, property, (monitor, form), settings))
    }

    /// Judges runs with the automaton that a search used.
    pub(super) fn of_search(
        program: &Arc<Program>,
        prepared: PreparedProgram,
        property: &ResolvedProperty,
        (monitor, form): (Monitor, AutomatonForm),
        settings: &Settings,
    ) -> Judge {
        Judge {
            model: Arc::clone(program),
            prepared,
            property: property.clone(),
            monitor,
            deterministic: form == AutomatonForm::Deterministic,
            fairness: settings.fairness,
            assumptions: settings.assumptions.clone(),
            rounds: ROUNDS,
        }
    }

    /// Sets the number of rounds after which a cycle need not close.
    #[must_use]
    pub fn with_rounds(mut self, rounds: usize) -> Judge {
        self.rounds = rounds;
        self
    }
}

impl Judges for Judge {
    fn program(&self) -> &Program {
        &self.prepared.program
    }

    fn judge(&self, run: &LassoRun) -> Result<Counterexample, LassoError> {
        let Judge { prepared, property, monitor, .. } = self;
        let (atoms, conditions) = atoms(property, monitor);
        let interpreter = Interpreter::new(&prepared.program);
        let mut lasso = Counterexample {
            program: Arc::clone(&self.model),
            shows: Evidence::Violation(None),
            initial: run.initial,
            prefix: run.prefix.clone(),
            cycle: run.cycle.clone(),
            states: follow(&prepared.program, run.initial, &run.prefix)?,
            atoms,
            values: Vec::new(),
            differs: false,
        };
        if !run.cycle.is_empty() {
            close(&interpreter, &mut lasso, &run.cycle, self.rounds)?;
        }
        lasso.values = letters(&prepared.program, &conditions, &lasso.states)?;
        if run.cycle.is_empty() {
            trim(&interpreter, monitor, self.deterministic, &mut lasso)?;
        } else if lasso.values[lasso.prefix.len()] != lasso.values[lasso.states.len() - 1] {
            return Err(LassoError::DoesNotClose);
        }
        let word = word(&lasso, &lasso.values);
        let violated = match &property.meaning {
            Meaning::Formula(of) => {
                !evaluate(&of.formulas, of.formula, &word, |letter, atom| letter[atom.0 as usize])
            }
            _ => accepts(monitor.automaton(), &word, |letter: &Vec<bool>, atom| {
                letter[atom as usize]
            }),
        };
        if !violated {
            return Err(LassoError::Allowed);
        }
        if self.fairness.is_some_and(|fairness| !is_fair(&prepared.program, &lasso, fairness)) {
            return Err(LassoError::Unfair);
        }
        for assumption in &self.assumptions {
            if !assumption.accepts(&prepared.program, &lasso)? {
                return Err(LassoError::Unfair);
            }
        }
        lasso.shows = Evidence::Violation(failed_assertion(prepared, property, &lasso));
        Ok(lasso)
    }
}

/// The message of the assertion that fails in a claim.
fn failed_assertion(
    prepared: &PreparedProgram,
    property: &ResolvedProperty,
    lasso: &Counterexample,
) -> Option<String> {
    let Meaning::Claim(claim) = &property.meaning else { return None };
    // The claim's atoms come first among the monitor's atoms, in the same order.
    let claim = claim::automaton(&prepared.program, claim).ok()?;
    claim.failure(lasso.values.iter().flatten()).map(ToString::to_string)
}

/// Ends a finite run at the state that completes the violation; the search detects it one step
/// later.
fn trim(
    interpreter: &Interpreter<'_>,
    monitor: &Monitor,
    deterministic: bool,
    lasso: &mut Counterexample,
) -> Result<(), LassoError> {
    // The letters that the automaton reads. It may have fewer conditions than the formula.
    let mut letters = Vec::new();
    let mut places = Vec::new();
    for (place, state) in
        lasso.states.iter().enumerate().filter(|(_, state)| !interpreter.is_transient(state))
    {
        let values = monitor.conditions().iter().map(|each| interpreter.evaluate(state, each));
        let values: Result<Vec<i32>, RuntimeError> = values.collect();
        let values = values.map_err(|error| LassoError::NoValue(place, error))?;
        letters.push(values.into_iter().map(|value| value != 0).collect());
        places.push(place);
    }
    let count =
        if deterministic { monitor.dead_prefix(letters) } else { monitor.bad_prefix(letters) };
    let count = count.ok_or(LassoError::Allowed)?;
    let last = places[count - 1];
    lasso.states.truncate(last + 1);
    lasso.values.truncate(last + 1);
    lasso.prefix.truncate(last);
    Ok(())
}

/// The conditions and their names: those of the formula, otherwise those of the automaton.
fn atoms(property: &ResolvedProperty, monitor: &Monitor) -> (Vec<String>, Vec<Expr>) {
    match &property.meaning {
        Meaning::Formula(of) => {
            let name =
                |number| of.formulas.atom_name(lariat_ltl::formula::AtomId(number)).to_string();
            ((0..of.atoms.len() as u32).map(name).collect(), of.atoms.clone())
        }
        _ => {
            let names = monitor.automaton().atoms.iter().map(|name| name.to_string());
            (names.collect(), monitor.conditions().to_vec())
        }
    }
}
