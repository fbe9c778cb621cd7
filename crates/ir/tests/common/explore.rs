//! A simple search for all states, all kinds of errors, and a run for each error.

use lariat_ir::reduce::Passes;
use lariat_ir::state::State;
use lariat_ir::system::{Step, Successor};
use lariat_ir::{Interpreter, Program, RuntimeError};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

#[derive(Debug, Default)]
pub struct Explored {
    /// The states outside atomic sequences.
    pub stored: HashSet<State>,
    /// By text: each error, the index of its initial state, and a run that ends with it.
    pub errors: BTreeMap<String, (RuntimeError, usize, Vec<Step>)>,
}

/// Programs with more processes take too long and are skipped.
const MOST_PROCESSES: usize = 12;

/// A state, the index of its initial state, and its predecessor and step.
type Found = (State, usize, Option<(usize, Step)>);

/// `None` if there are more than `most` states. Hidden variables do not distinguish states.
pub fn explore(program: &Program, most: usize) -> Option<Explored> {
    let interpreter = Interpreter::new(program);
    let mut explored = Explored::default();
    let initial = match interpreter.initial_states() {
        Ok(states) => states,
        Err(error) => {
            explored.errors.insert(error.to_string(), (error, 0, Vec::new()));
            return Some(explored);
        }
    };
    let mut known: HashMap<State, usize> = HashMap::new();
    let mut list: Vec<Found> = Vec::new();
    let mut waiting = VecDeque::new();
    let mut violated = Vec::new();
    let mut successors: Vec<Successor> = Vec::new();
    for (number, state) in initial.into_iter().enumerate() {
        if !known.contains_key(&state) {
            known.insert(state.clone(), list.len());
            waiting.push_back(list.len());
            list.push((state, number, None));
        }
    }
    while let Some(index) = waiting.pop_front() {
        if list.len() > most {
            return None;
        }
        let state = list[index].0.clone();
        if state.processes.len() > MOST_PROCESSES {
            return None;
        }
        let run = |list: &[Found], step: Option<Step>| {
            let mut steps: Vec<Step> = step.into_iter().collect();
            let mut at = index;
            while let Some((from, step)) = list[at].2 {
                steps.push(step);
                at = from;
            }
            steps.reverse();
            (list[at].1, steps)
        };
        let mut note = |list: &[_], error: RuntimeError, step: Option<Step>| {
            explored.errors.entry(error.to_string()).or_insert_with(|| {
                let (initial, steps) = run(list, step);
                (error, initial, steps)
            });
        };
        if !interpreter.is_transient(&state) {
            explored.stored.insert(state.clone());
            interpreter.violated_invariants(&state, &mut violated);
            violated.drain(..).for_each(|error| note(&list, error, None));
        }
        successors.clear();
        interpreter.successors(&state, &mut successors);
        let stuck = !successors.iter().any(|successor| !matches!(successor.step, Step::Refused(_)));
        if stuck && !interpreter.is_valid_end(&state) {
            note(&list, RuntimeError::InvalidEndState, None);
        }
        for successor in successors.drain(..) {
            for error in successor.errors {
                note(&list, error, Some(successor.step));
            }
            if let Some(next) = successor.state
                && !known.contains_key(&next)
            {
                known.insert(next.clone(), list.len());
                waiting.push_back(list.len());
                list.push((next, list[index].1, Some((index, successor.step))));
            }
        }
    }
    Some(explored)
}

/// Whether the run ends with the error.
pub fn replays(program: &Program, error: &RuntimeError, initial: usize, steps: &[Step]) -> bool {
    let interpreter = Interpreter::new(program);
    let mut state = match interpreter.initial_states() {
        Ok(states) if initial < states.len() => states[initial].clone(),
        Err(met) => return met == *error && steps.is_empty(),
        _ => return false,
    };
    for (number, step) in steps.iter().enumerate() {
        let mut successors = Vec::new();
        interpreter.successors(&state, &mut successors);
        successors.retain(|successor| successor.step == *step);
        if number + 1 == steps.len()
            && successors.iter().any(|successor| successor.errors.contains(error))
        {
            return true;
        }
        match successors.into_iter().find_map(|successor| successor.state) {
            Some(next) => state = next,
            None => return false,
        }
    }
    let mut violated = Vec::new();
    if !interpreter.is_transient(&state) {
        interpreter.violated_invariants(&state, &mut violated);
    }
    let mut successors = Vec::new();
    interpreter.successors(&state, &mut successors);
    let stuck = !successors.iter().any(|successor| !matches!(successor.step, Step::Refused(_)));
    violated.contains(error)
        || (*error == RuntimeError::InvalidEndState && stuck && !interpreter.is_valid_end(&state))
}

/// Compares a program with its reduction; returns a description of a difference.
pub fn compare(
    program: &Program,
    passes: Passes,
    most: usize,
) -> Result<Option<(usize, usize)>, String> {
    let reduced = lariat_ir::reduce::reduce_by(
        program,
        &lariat_ir::reduce::Observed::default(),
        passes,
        &lariat_ir::budget::UNLIMITED,
    );
    if let Some(broken) = lariat_ir::verify::verify(&reduced.program).first() {
        return Err(format!("the result breaks a rule: {broken}"));
    }
    let Some(before) = explore(program, most) else { return Ok(None) };
    let Some(after) = explore(&reduced.program, 2 * most) else { return Err("more states".into()) };
    let kinds = |explored: &Explored| explored.errors.keys().cloned().collect::<Vec<String>>();
    if kinds(&before) != kinds(&after) {
        return Err(format!("errors {:?}, reduced {:?}", kinds(&before), kinds(&after)));
    }
    let (states, fewer) = (before.stored.len(), after.stored.len());
    if fewer > states {
        return Err(format!("{states} states, reduced {fewer}"));
    }
    if passes == Passes::SAME_STATES && before.stored != after.stored {
        return Err(format!("{states} states, {fewer} others"));
    }
    for (error, initial, steps) in after.errors.values() {
        if !reduced.expansions(steps).any(|steps| replays(program, error, *initial, &steps)) {
            return Err(format!("no way back for {error}: {steps:?}"));
        }
    }
    Ok(Some((states, fewer)))
}
