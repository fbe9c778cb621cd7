//! All states of a program that a property observes, and all steps between them.

use lariat_ir::system::{Move, nothing_moves};
use lariat_ir::trace::moves;
use lariat_ir::{Interpreter, State};
use std::collections::{HashMap, HashSet};

/// The state graph of a program.
#[derive(Debug)]
pub struct Graph {
    pub states: Vec<State>,
    /// The number of initial states, which come first.
    pub initial: usize,
    /// By state.
    pub steps: Vec<Vec<Step>>,
    /// By state: the moves that are enabled, whether they complete or end in an error.
    pub enabled: Vec<Vec<Move>>,
    /// By state: the states inside atomic sequences, if one that begins there can run forever.
    pub inside: Vec<Option<Inside>>,
    numbers: HashMap<State, usize>,
}

/// A step from one observed state to the next, possibly through an atomic sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// All moves on the path; none where nothing can move and the run stutters in its last state.
    pub moves: Vec<Move>,
    pub target: usize,
}

/// The states inside the atomic sequences that begin in a state, if one of them can run forever. A
/// property does not observe these states: a run that stays among them looks as if it stayed in the
/// state before.
#[derive(Debug)]
pub struct Inside {
    /// From the state before the sequence: the moves, and the state inside that follows.
    pub entries: Vec<(Vec<Move>, usize)>,
    /// By state inside: the moves, and the state inside that follows.
    pub steps: Vec<Vec<(Vec<Move>, usize)>>,
    /// By state inside: the moves that are enabled.
    pub enabled: Vec<Vec<Move>>,
}

/// The oracle does not support programs with more paths through the atomic sequences of one state.
const MAX_ATOMIC_PATHS: usize = 2000;

impl Graph {
    /// `None` if there are more than `most` states, or too many paths through an atomic sequence.
    pub fn new(interpreter: &Interpreter<'_>, most: usize) -> Option<Graph> {
        let states = interpreter.initial_states().ok()?;
        let numbers = states.iter().cloned().zip(0..).collect();
        let initial = states.len();
        let mut graph = Graph {
            states,
            initial,
            steps: Vec::new(),
            enabled: Vec::new(),
            inside: Vec::new(),
            numbers,
        };
        while graph.steps.len() < graph.states.len() {
            let state = graph.states[graph.steps.len()].clone();
            let mut successors = Vec::new();
            interpreter.successors(&state, &mut successors);
            graph
                .enabled
                .push(successors.iter().flat_map(|successor| moves(&successor.step)).collect());
            graph.inside.push(inside(interpreter, &state)?);
            let found = atomic_paths(interpreter, state)?;
            let steps = found
                .into_iter()
                .map(|(moves, target)| Step { moves, target: graph.number(target) });
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

    /// The number of a state, if it is reachable.
    pub fn find(&self, state: &State) -> Option<usize> {
        self.numbers.get(state).copied()
    }

    /// Can a run enter an atomic sequence in this state and never leave it?
    pub fn diverges(&self, state: usize) -> bool {
        self.inside[state].is_some()
    }
}

/// All paths from a state to the next observed ones: the set of moves, in a fixed order, and the
/// target. Paths with the same moves and target are listed once.
fn atomic_paths(interpreter: &Interpreter<'_>, state: State) -> Option<Vec<(Vec<Move>, State)>> {
    let mut found = Vec::new();
    let mut visited = HashSet::new();
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
            let mut moved: Vec<Move> =
                moved.iter().copied().chain(moves(&successor.step)).collect();
            moved.sort_unstable_by_key(|taken| {
                (taken.pid, taken.process_type.0, taken.location, taken.transition)
            });
            moved.dedup();
            if !visited.insert((moved.clone(), target.clone())) {
                continue;
            }
            if visited.len() > MAX_ATOMIC_PATHS {
                return None;
            }
            if interpreter.is_transient(&target) { &mut queue } else { &mut found }
                .push((moved, target));
        }
    }
    Some(found)
}

/// The states inside the atomic sequences that begin in a state; `Some(None)` if all sequences end.
fn inside(interpreter: &Interpreter<'_>, state: &State) -> Option<Option<Inside>> {
    let mut states: Vec<State> = Vec::new();
    let mut part = Inside { entries: Vec::new(), steps: Vec::new(), enabled: Vec::new() };
    let inner = |state: &State, states: &mut Vec<State>| {
        let mut successors = Vec::new();
        interpreter.successors(state, &mut successors);
        let enabled: Vec<Move> =
            successors.iter().flat_map(|successor| moves(&successor.step)).collect();
        let mut steps = Vec::new();
        for successor in successors {
            let Some(target) = successor.state.filter(|target| interpreter.is_transient(target))
            else {
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
        if states.len() > MAX_ATOMIC_PATHS {
            return None;
        }
        let state = states[part.steps.len()].clone();
        let (steps, enabled) = inner(&state, &mut states);
        part.steps.push(steps);
        part.enabled.push(enabled);
    }
    // Removes states without a successor until none is left; only states that lead to a cycle
    // remain.
    let mut alive = vec![true; states.len()];
    while let Some(dead) = (0..states.len()).find(|&position| {
        alive[position] && !part.steps[position].iter().any(|(_, target)| alive[*target])
    }) {
        alive[dead] = false;
    }
    Some(alive.contains(&true).then_some(part))
}
