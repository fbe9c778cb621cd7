//! All states of a program in which a property looks, and all steps between them.

use model::system::{Move, nothing_moves};
use model::trace::moves;
use model::{Interpreter, State};
use std::collections::HashMap;

/// The whole graph of a program.
#[derive(Debug)]
pub struct Graph {
    pub states: Vec<State>,
    /// How many of them, the first ones, are initial.
    pub initial: usize,
    /// By state.
    pub steps: Vec<Vec<Step>>,
    /// By state: what could happen there next, whether it is completed or ends in an error.
    pub enabled: Vec<Vec<Move>>,
    numbers: HashMap<State, usize>,
}

/// From one state to another, through an atomic sequence if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// All who move on the way; nobody where nothing can move and the run goes on in its last state.
    pub moves: Vec<Move>,
    pub target: usize,
}

/// Longer ways through an atomic sequence are left to others.
const LONGEST: usize = 60;

/// So are more ways than this from one state.
const WAYS: usize = 500;

impl Graph {
    /// Nothing if there are more than `most` states; or if an atomic sequence may never end, for what a property sees of that is another question.
    pub fn new(interpreter: &Interpreter<'_>, most: usize) -> Option<Graph> {
        let states = interpreter.initial_states().ok()?;
        let numbers = states.iter().cloned().zip(0..).collect();
        let initial = states.len();
        let mut graph = Graph { states, initial, steps: Vec::new(), enabled: Vec::new(), numbers };
        while graph.steps.len() < graph.states.len() {
            let state = graph.states[graph.steps.len()].clone();
            let mut successors = Vec::new();
            interpreter.successors(&state, &mut successors);
            graph.enabled.push(successors.iter().flat_map(|successor| moves(&successor.step)).collect());
            let mut found = Vec::new();
            ways(interpreter, &mut vec![state], &mut Vec::new(), &mut found)?;
            let steps = found.into_iter().map(|(moves, target)| Step { moves, target: graph.number(target) });
            let steps = steps.collect();
            graph.steps.push(steps);
            if graph.states.len() > most {
                return None;
            }
        }
        Some(graph)
    }

    fn number(&mut self, state: State) -> usize {
        let next = self.states.len();
        let number = *self.numbers.entry(state.clone()).or_insert(next);
        if number == next {
            self.states.push(state);
        }
        number
    }

    /// The number of a state, if it can be reached.
    pub fn find(&self, state: &State) -> Option<usize> {
        self.numbers.get(state).copied()
    }
}

/// Every way from the last state of the path to a state where a property looks, with all who move on it.
fn ways(
    interpreter: &Interpreter<'_>,
    path: &mut Vec<State>,
    moved: &mut Vec<Move>,
    found: &mut Vec<(Vec<Move>, State)>,
) -> Option<()> {
    let state = path.last()?.clone();
    let mut successors = Vec::new();
    interpreter.successors(&state, &mut successors);
    if nothing_moves(&successors) {
        found.push((moved.clone(), state));
        return Some(());
    }
    for successor in successors {
        let Some(next) = successor.state else { continue };
        let before = moved.len();
        moved.extend(moves(&successor.step));
        if !interpreter.is_transient(&next) {
            found.push((moved.clone(), next));
        } else if path.len() > LONGEST || found.len() > WAYS || path.contains(&next) {
            return None;
        } else {
            path.push(next);
            ways(interpreter, path, moved, found)?;
            path.pop();
        }
        moved.truncate(before);
    }
    Some(())
}
