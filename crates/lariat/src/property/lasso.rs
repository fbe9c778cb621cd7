//! Making an infinite run believable: every step is taken by the reference semantics, the cycle closes, and the property itself is
//! violated on the run, by its direct evaluation and not by any search.

use super::monitor::Prepared;
use super::{Assumption, Meaning, Property};
use model::system::nothing_moves;
use model::{Expr, Interpreter, Program, RuntimeError, State, Step};
use omega::emptiness::accepts;
use omega::formula::evaluate;
use omega::word::Lasso as Word;
use promela::claim;
use search::product::{LassoRun, Monitor};
use std::fmt;

/// Rounds after which a cycle of the program need not be exact in variables that nobody reads.
const ROUNDS: usize = 16;

/// An infinite run of the program that violates a property, replayed.
#[derive(Clone, Debug)]
pub struct Lasso {
    pub initial: usize,
    pub prefix: Vec<Step>,
    /// Repeated forever. Empty if the prefix alone shows the violation, whatever follows.
    pub cycle: Vec<Step>,
    /// The states before, between and behind all these steps.
    pub states: Vec<State>,
    /// The conditions of the property, as the user wrote them.
    pub atoms: Vec<String>,
    /// By state: which of them hold; nothing inside of atomic sequences, where the property does not look.
    pub values: Vec<Option<Vec<bool>>>,
    /// The last state differs from the first of the cycle, though only in values that nobody reads.
    pub differs: bool,
    /// What the property itself reports: the assertion of a claim that fails.
    pub reported: Option<String>,
}

/// The run is not what it was said to be: a fault of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LassoError {
    NoSuchInitialState(usize),
    /// The step with this number (from 0) cannot be taken.
    NoSuchStep(usize),
    /// A condition has no value after so many steps.
    NoValue(usize, RuntimeError),
    /// After a round of the cycle the conditions do not have the values they had.
    DoesNotClose,
    /// The property is not violated.
    Allowed,
    /// Somebody is not treated fairly.
    Unfair,
}

impl fmt::Display for LassoError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LassoError::NoSuchInitialState(number) => write!(out, "there is no initial state {number}"),
            LassoError::NoSuchStep(number) => write!(out, "step {} of the run cannot be taken", number + 1),
            LassoError::NoValue(steps, error) => {
                write!(out, "a condition has no value after {steps} steps: {error}")
            }
            LassoError::DoesNotClose => out.write_str("the cycle does not close"),
            LassoError::Unfair => out.write_str("the run is not fair"),
            LassoError::Allowed => out.write_str("the property is not violated on the run"),
        }
    }
}

impl std::error::Error for LassoError {}

/// The states along steps from an initial state: one more than steps.
pub(super) fn follow(program: &Program, initial: usize, steps: &[Step]) -> Result<Vec<State>, LassoError> {
    let interpreter = Interpreter::new(program);
    let start = interpreter.initial_states().ok().and_then(|states| states.into_iter().nth(initial));
    let mut states = vec![start.ok_or(LassoError::NoSuchInitialState(initial))?];
    extend(&interpreter, &mut states, steps)?;
    Ok(states)
}

/// Goes on from the last state.
fn extend(interpreter: &Interpreter<'_>, states: &mut Vec<State>, steps: &[Step]) -> Result<(), LassoError> {
    let mut successors = Vec::new();
    for step in steps {
        let number = states.len() - 1;
        successors.clear();
        interpreter.successors(&states[number], &mut successors);
        if *step == Step::STUTTER {
            if !nothing_moves(&successors) {
                return Err(LassoError::NoSuchStep(number));
            }
            states.push(states[number].clone());
            continue;
        }
        successors.retain(|successor| successor.step == *step);
        let next = successors.drain(..).find_map(|successor| successor.state);
        states.push(next.ok_or(LassoError::NoSuchStep(number))?);
    }
    Ok(())
}

/// Replays a run of the program and asks the property about it.
pub(super) fn replay(
    prepared: &Prepared,
    property: &Property,
    assumptions: &[Assumption],
    monitor: &Monitor,
    deterministic: bool,
    run: &LassoRun,
) -> Result<Lasso, LassoError> {
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
        close(&interpreter, &mut lasso, &run.cycle)?;
    }
    lasso.values = letters(&prepared.program, &conditions, &lasso.states)?;
    if run.cycle.is_empty() && !deterministic {
        trim(&interpreter, monitor, &mut lasso)?;
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
    for assumption in assumptions {
        if !assumption.accepts(&prepared.program, &lasso)? {
            return Err(LassoError::Unfair);
        }
    }
    lasso.reported = reported(prepared, property, &lasso);
    Ok(lasso)
}

/// What a claim says about the run besides that it is forbidden.
fn reported(prepared: &Prepared, property: &Property, lasso: &Lasso) -> Option<String> {
    let Meaning::Claim(claim) = &property.meaning else { return None };
    // Its atoms are the first of the monitor's, in the same order.
    let claim = claim::automaton(&prepared.program, claim).ok()?;
    claim.failure(lasso.values.iter().flatten()).map(ToString::to_string)
}

/// By state, which conditions hold; nothing inside of atomic sequences.
pub(super) fn letters(
    program: &Program,
    conditions: &[Expr],
    states: &[State],
) -> Result<Vec<Option<Vec<bool>>>, LassoError> {
    let interpreter = Interpreter::new(program);
    let letter = |(steps, state): (usize, &State)| {
        if interpreter.is_transient(state) {
            return Ok(None);
        }
        let values = conditions.iter().map(|condition| interpreter.evaluate(state, condition));
        let values: Result<Vec<i32>, RuntimeError> = values.collect();
        let values = values.map_err(|error| LassoError::NoValue(steps, error))?;
        Ok(Some(values.into_iter().map(|value| value != 0).collect()))
    };
    states.iter().enumerate().map(letter).collect()
}

/// Ends a run where the violation shows: the search sees it one step later.
fn trim(interpreter: &Interpreter<'_>, monitor: &Monitor, lasso: &mut Lasso) -> Result<(), LassoError> {
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
    let count = monitor.bad_prefix(letters).ok_or(LassoError::Allowed)?;
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
fn close(interpreter: &Interpreter<'_>, lasso: &mut Lasso, cycle: &[Step]) -> Result<(), LassoError> {
    let start = lasso.states.len() - 1;
    for round in 1..=ROUNDS {
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

/// What is read along the run, given the letters of its states.
pub(super) fn word(lasso: &Lasso, values: &[Option<Vec<bool>>]) -> Word<Vec<bool>> {
    let before = if lasso.cycle.is_empty() { lasso.states.len() } else { lasso.prefix.len() };
    let prefix: Vec<Vec<bool>> = values[..before].iter().flatten().cloned().collect();
    let cycle: Vec<Vec<bool>> = if lasso.cycle.is_empty() {
        // Whatever follows will do.
        prefix.last().cloned().into_iter().collect()
    } else {
        let end = lasso.prefix.len() + lasso.cycle.len();
        values[lasso.prefix.len()..end].iter().flatten().cloned().collect()
    };
    Word::new(prefix, cycle)
}
