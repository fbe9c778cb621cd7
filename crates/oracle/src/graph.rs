//! All states of a program in which a property looks, and all steps between them.

use model::system::{Move, nothing_moves};
use model::trace::moves;
use model::{Interpreter, State};
use std::collections::{HashMap, HashSet};

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
    /// By state: what happens inside atomic sequences, if one that begins there never ends.
    pub inside: Vec<Option<Inside>>,
    numbers: HashMap<State, usize>,
}

/// From one state to another, through an atomic sequence if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// All who move on the way; nobody where nothing can move and the run goes on in its last state.
    pub moves: Vec<Move>,
    pub target: usize,
}

/// The states inside the atomic sequences that begin in a state, where one of them never ends. A property does not
/// see these states: a run that stays among them looks as if it stayed in the state before.
#[derive(Debug)]
pub struct Inside {
    /// From the state before the sequence: all who move, and the state inside that follows.
    pub entries: Vec<(Vec<Move>, usize)>,
    /// The same by state inside.
    pub steps: Vec<Vec<(Vec<Move>, usize)>>,
    /// By state inside: what could happen there next.
    pub enabled: Vec<Vec<Move>>,
}

/// Programs with more ways through the atomic sequences of one state are not for this oracle.
const WAYS: usize = 2000;

impl Graph {
    /// Nothing if there are more than `most` states, or too many ways through an atomic sequence.
    pub fn new(interpreter: &Interpreter<'_>, most: usize) -> Option<Graph> {
        let states = interpreter.initial_states().ok()?;
        let numbers = states.iter().cloned().zip(0..).collect();
        let initial = states.len();
        let mut graph =
            Graph { states, initial, steps: Vec::new(), enabled: Vec::new(), inside: Vec::new(), numbers };
        while graph.steps.len() < graph.states.len() {
            let state = graph.states[graph.steps.len()].clone();
            let mut successors = Vec::new();
            interpreter.successors(&state, &mut successors);
            graph.enabled.push(successors.iter().flat_map(|successor| moves(&successor.step)).collect());
            graph.inside.push(inside(interpreter, &state)?);
            let found = ways(interpreter, state)?;
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

    /// Can a run go from this state into an atomic sequence that it never leaves?
    pub fn diverges(&self, state: usize) -> bool {
        self.inside[state].is_some()
    }
}

/// Every way from a state to the next ones where a property looks: all who move on it, in a fixed order, and where it leads. Two ways on
/// which the same moves are made are one.
fn ways(interpreter: &Interpreter<'_>, state: State) -> Option<Vec<(Vec<Move>, State)>> {
    let mut found = Vec::new();
    let mut met = HashSet::new();
    let mut queue = vec![(Vec::new(), state)];
    let mut next = 0;
    while let Some((moved, state)) = queue.get(next).cloned() {
        next += 1;
        let mut successors = Vec::new();
        interpreter.successors(&state, &mut successors);
        if nothing_moves(&successors) {
            found.push((moved, state));
            continue;
        }
        for successor in successors {
            let Some(target) = successor.state else { continue };
            let mut moved: Vec<Move> = moved.iter().copied().chain(moves(&successor.step)).collect();
            moved.sort_unstable_by_key(|taken| {
                (taken.pid, taken.process_type.0, taken.location, taken.transition)
            });
            moved.dedup();
            if !met.insert((moved.clone(), target.clone())) {
                continue;
            }
            if met.len() > WAYS {
                return None;
            }
            if interpreter.is_transient(&target) { &mut queue } else { &mut found }.push((moved, target));
        }
    }
    Some(found)
}

/// The states inside the atomic sequences that begin in a state; `Some(None)` if all of them end.
fn inside(interpreter: &Interpreter<'_>, state: &State) -> Option<Option<Inside>> {
    let mut states: Vec<State> = Vec::new();
    let mut part = Inside { entries: Vec::new(), steps: Vec::new(), enabled: Vec::new() };
    let inner = |state: &State, states: &mut Vec<State>| {
        let mut successors = Vec::new();
        interpreter.successors(state, &mut successors);
        let enabled: Vec<Move> = successors.iter().flat_map(|successor| moves(&successor.step)).collect();
        let mut steps = Vec::new();
        for successor in successors {
            let Some(target) = successor.state.filter(|target| interpreter.is_transient(target)) else {
                continue;
            };
            let number = states.iter().position(|known| *known == target).unwrap_or_else(|| {
                states.push(target);
                states.len() - 1
            });
            steps.push((moves(&successor.step).collect(), number));
        }
        (steps, enabled)
    };
    part.entries = inner(state, &mut states).0;
    while part.steps.len() < states.len() {
        if states.len() > WAYS {
            return None;
        }
        let state = states[part.steps.len()].clone();
        let (steps, enabled) = inner(&state, &mut states);
        part.steps.push(steps);
        part.enabled.push(enabled);
    }
    // What leads nowhere is taken away until nothing does; a cycle remains.
    let mut alive = vec![true; states.len()];
    while let Some(dead) = (0..states.len())
        .find(|&place| alive[place] && !part.steps[place].iter().any(|(_, target)| alive[*target]))
    {
        alive[dead] = false;
    }
    Some(alive.contains(&true).then_some(part))
}
