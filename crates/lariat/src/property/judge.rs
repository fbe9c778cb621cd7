//! Making an infinite run believable: every step is taken by the reference semantics, the cycle closes, and the property itself is
//! violated on the run, by its direct evaluation and not by any search.

use super::check::Choice;
use super::fair::is_fair;
use super::lasso::{Lasso, LassoError, extend, follow, letters, word};
use super::monitor::{Form, Prepared, Unsuitable, automaton, prepare};
use super::{Assumption, Meaning, Property};
use model::{Budget, Expr, Interpreter, Program, RuntimeError, Step};
use omega::emptiness::accepts;
use omega::formula::evaluate;
use promela::claim;
use search::liveness::fairness::Fairness;
use search::product::{LassoRun, Monitor};

/// Rounds after which a cycle of the program need not be exact in variables that nobody reads.
const ROUNDS: usize = 16;

/// Says of a run whether it shows that a property is violated.
pub trait Judges {
    /// The program as the property sees it.
    fn program(&self) -> &Program;

    /// Replays a run of the program and asks the property about it.
    ///
    /// # Errors
    /// Why it does not show that the property is violated.
    fn judge(&self, run: &LassoRun) -> Result<Lasso, LassoError>;
}

/// Of a property of infinite runs: the run alone tells.
#[derive(Debug)]
pub struct Judge {
    pub(super) prepared: Prepared,
    property: Property,
    pub(super) monitor: Monitor,
    /// The automaton is one of the runs that are allowed.
    deterministic: bool,
    /// Runs that are not fair like this violate nothing.
    fairness: Option<Fairness>,
    /// Nor do runs that one of these does not accept.
    assumptions: Vec<Assumption>,
    rounds: usize,
}

impl Judge {
    /// Of a property in a program, whatever was searched; of what `choice` says only what runs count matters.
    ///
    /// # Errors
    /// Why there is no automaton for the property.
    pub fn new(
        program: &Program,
        property: &Property,
        choice: &Choice,
        budget: &Budget,
    ) -> Result<Judge, Unsuitable> {
        let prepared = prepare(program, property, &[], budget)?;
        let (automaton, conditions) = automaton(&prepared, property, &[], Form::Generalized, budget)?;
        let monitor = Monitor::new(automaton, conditions, prepared.stutters);
        Ok(Judge::of_search(prepared, property, monitor, false, choice))
    }

    /// With the automaton that a search uses.
    pub(super) fn of_search(
        prepared: Prepared,
        property: &Property,
        monitor: Monitor,
        deterministic: bool,
        choice: &Choice,
    ) -> Judge {
        Judge {
            prepared,
            property: property.clone(),
            monitor,
            deterministic,
            fairness: choice.fairness,
            assumptions: choice.assumptions.clone(),
            rounds: ROUNDS,
        }
    }

    /// Goes round a cycle so often before it is taken for one that never comes back.
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

    fn judge(&self, run: &LassoRun) -> Result<Lasso, LassoError> {
        let Judge { prepared, property, monitor, .. } = self;
        let (atoms, conditions) = atoms(property, monitor);
        let interpreter = Interpreter::new(&prepared.program);
        let mut lasso = Lasso {
            initial: run.initial,
            prefix: run.prefix.clone(),
            cycle: run.cycle.clone(),
            states: follow(&prepared.program, run.initial, &run.prefix)?,
            atoms,
            values: Vec::new(),
            differs: false,
            reported: None,
        };
        if !run.cycle.is_empty() {
            close(&interpreter, &mut lasso, &run.cycle, self.rounds)?;
        }
        lasso.values = letters(&prepared.program, &conditions, &lasso.states)?;
        if run.cycle.is_empty() {
            trim(&interpreter, monitor, self.deterministic, &mut lasso)?;
        } else if !run.cycle.is_empty()
            && lasso.values[lasso.prefix.len()] != lasso.values[lasso.states.len() - 1]
        {
            return Err(LassoError::DoesNotClose);
        }
        let word = word(&lasso, &lasso.values);
        let violated = match &property.meaning {
            Meaning::Formula(of) => {
                !evaluate(&of.formulas, of.formula, &word, |letter, atom| letter[atom.0 as usize])
            }
            _ => accepts(monitor.automaton(), &word, |letter: &Vec<bool>, atom| letter[atom as usize]),
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
        lasso.reported = reported(prepared, property, &lasso);
        Ok(lasso)
    }
}

/// What a claim says about the run besides that it is forbidden.
fn reported(prepared: &Prepared, property: &Property, lasso: &Lasso) -> Option<String> {
    let Meaning::Claim(claim) = &property.meaning else { return None };
    // Its atoms are the first of the monitor's, in the same order.
    let claim = claim::automaton(&prepared.program, claim).ok()?;
    claim.failure(lasso.values.iter().flatten()).map(ToString::to_string)
}

/// Ends a run where the violation shows: the search sees it one step later.
fn trim(
    interpreter: &Interpreter<'_>,
    monitor: &Monitor,
    deterministic: bool,
    lasso: &mut Lasso,
) -> Result<(), LassoError> {
    // What the automaton reads, which may be less than the formula's conditions, and in which states.
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
    let count = if deterministic { monitor.dead_prefix(letters) } else { monitor.bad_prefix(letters) };
    let count = count.ok_or(LassoError::Allowed)?;
    let last = places[count - 1];
    lasso.states.truncate(last + 1);
    lasso.values.truncate(last + 1);
    lasso.prefix.truncate(last);
    Ok(())
}

/// The conditions and their names: those of the formula, or of the automaton.
fn atoms(property: &Property, monitor: &Monitor) -> (Vec<String>, Vec<Expr>) {
    match &property.meaning {
        Meaning::Formula(of) => {
            let name = |number| of.formulas.atom_name(omega::formula::AtomId(number)).to_string();
            ((0..of.atoms.len() as u32).map(name).collect(), of.atoms.clone())
        }
        _ => {
            let names = monitor.automaton().atoms.iter().map(|name| name.to_string());
            (names.collect(), monitor.conditions().to_vec())
        }
    }
}

/// Goes round the cycle until a state repeats itself. A reduced program knows less of a state than the program itself, so
/// that may take more than one round; a variable that counts on and is never read may take forever.
fn close(
    interpreter: &Interpreter<'_>,
    lasso: &mut Lasso,
    cycle: &[Step],
    rounds: usize,
) -> Result<(), LassoError> {
    let start = lasso.states.len() - 1;
    for round in 1..=rounds {
        extend(interpreter, &mut lasso.states, cycle)?;
        let last = lasso.states.len() - 1;
        let same =
            (0..round).find(|earlier| lasso.states[start + earlier * cycle.len()] == lasso.states[last]);
        if let Some(first) = same {
            lasso.prefix.extend(cycle.repeat(first));
            lasso.cycle = cycle.repeat(round - first);
            roll_back(interpreter, lasso);
            return Ok(());
        }
    }
    lasso.states.truncate(start + cycle.len() + 1);
    lasso.differs = true;
    Ok(())
}

/// Lets the cycle start as early as it can. It starts where no atomic sequence is going on.
fn roll_back(interpreter: &Interpreter<'_>, lasso: &mut Lasso) {
    let round = lasso.cycle.len();
    let mut earlier = 0;
    for back in 1..=lasso.prefix.len() {
        let place = lasso.prefix.len() - back;
        if lasso.prefix[place] != lasso.cycle[(round - back % round) % round]
            || lasso.states[place] != lasso.states[place + round]
        {
            break;
        }
        if !interpreter.is_transient(&lasso.states[place]) {
            earlier = back;
        }
    }
    lasso.cycle.rotate_right(earlier % round);
    lasso.prefix.truncate(lasso.prefix.len() - earlier);
    lasso.states.truncate(lasso.states.len() - earlier);
}
