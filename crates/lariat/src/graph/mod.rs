//! Small graphs for display: the state space of a program, computed with the reference semantics,
//! and the automata of its process types. Serialised as JSON, or rendered for Graphviz ([`dot`]).

pub mod automata;
pub mod dot;
pub mod property;

use crate::run::steps::transition;
use lariat_ir::program::Meaning;
use lariat_ir::trace::{changes, channel_name, moves};
use lariat_ir::{Interpreter, Program, RuntimeError, State};
use serde::Serialize;
use std::collections::HashMap;

/// The reachable states, in breadth-first order, up to a limit.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StateGraph {
    /// The states.
    pub states: Vec<Node>,
    /// The transitions.
    pub edges: Vec<Edge>,
    /// There are more states.
    pub truncated: bool,
}

/// A state.
#[derive(Clone, Debug, Serialize)]
pub struct Node {
    /// It is an initial state.
    pub initial: bool,
    /// Inside an atomic sequence: searches do not store it.
    pub transient: bool,
    /// Nothing can move.
    pub end: bool,
    /// An invalid end state, or violated invariants.
    pub errors: Vec<String>,
    /// The positions of processes, and the values that differ from the defaults.
    pub values: Vec<String>,
}

/// A transition.
#[derive(Clone, Debug, Serialize)]
pub struct Edge {
    /// The source state.
    pub from: usize,
    /// The target state; `None` if an error stopped the step.
    pub to: Option<usize>,
    /// The processes that move.
    pub process: String,
    /// Their statements.
    pub statement: String,
    /// The errors of the step.
    pub errors: Vec<String>,
}

/// Explores at most `max_states` states.
///
/// # Errors
/// The program has no initial state.
pub fn explore(program: &Program, max_states: usize) -> Result<StateGraph, RuntimeError> {
    let interpreter = Interpreter::new(program);
    let mut graph = StateGraph::default();
    let mut known: HashMap<State, usize> = HashMap::new();
    let mut list: Vec<State> = Vec::new();
    for state in interpreter.initial_states()? {
        if list.len() < max_states && !known.contains_key(&state) {
            known.insert(state.clone(), list.len());
            graph.states.push(node(program, &interpreter, &state, true));
            list.push(state);
        }
    }
    let mut at = 0;
    while at < list.len() {
        let mut successors = Vec::new();
        interpreter.successors(&list[at], &mut successors);
        if lariat_ir::system::nothing_moves(&successors) {
            graph.states[at].end = true;
            if !interpreter.is_valid_end(&list[at]) {
                graph.states[at].errors.push(RuntimeError::InvalidEndState.to_string());
            }
        }
        for successor in successors {
            let errors = successor.errors.iter().map(ToString::to_string).collect();
            let to = match successor.state {
                None => None,
                Some(state) => match known.get(&state) {
                    Some(number) => Some(*number),
                    None if list.len() >= max_states => {
                        graph.truncated = true;
                        continue;
                    }
                    None => {
                        known.insert(state.clone(), list.len());
                        graph.states.push(node(program, &interpreter, &state, false));
                        list.push(state);
                        Some(list.len() - 1)
                    }
                },
            };
            let (mut processes, mut statements) = (Vec::new(), Vec::new());
            for taken in moves(&successor.step) {
                let kind = &program.process_type(taken.process_type).name;
                processes.push(format!("{kind}[{}]", taken.pid));
                statements.push(program.origin(transition(program, &taken).origin).text.clone());
            }
            graph.edges.push(Edge {
                from: at,
                to,
                process: processes.join(" and "),
                statement: statements.join(" / "),
                errors,
            });
        }
        at += 1;
    }
    Ok(graph)
}

fn node(program: &Program, interpreter: &Interpreter<'_>, state: &State, initial: bool) -> Node {
    let mut errors = Vec::new();
    let transient = interpreter.is_transient(state);
    if !transient {
        interpreter.violated_invariants(state, &mut errors);
    }
    let values = changes(program, &defaults(program, state), state);
    let places = state.processes.iter().enumerate().map(|(pid, process)| {
        let kind = program.process_type(process.process_type);
        let location = kind.location(process.location);
        let place = match location.labels.first() {
            Some(label) => label.clone(),
            None => location.transitions.first().map_or_else(
                || "end".into(),
                |next| format!("line {}", program.origin(next.origin).line),
            ),
        };
        format!("{}[{pid}] at {place}", kind.name)
    });
    Node {
        initial,
        transient,
        end: false,
        errors: errors.iter().map(ToString::to_string).collect(),
        values: places
            .chain(values.into_iter().map(|change| format!("{} = {}", change.name, change.value)))
            .collect(),
    }
}

/// The state with default values; a variable after which a channel is named holds that channel,
/// because the channel is shown with its messages.
fn defaults(program: &Program, state: &State) -> State {
    let mut defaults = State::empty(program);
    for variable in program.variables.iter().filter(|variable| variable.meaning == Meaning::Channel)
    {
        for (element, slot) in variable.slots().enumerate() {
            let held = state.globals[slot];
            let channel =
                usize::try_from(held - 1).ok().filter(|index| *index < state.channels.len());
            if channel.is_some_and(|index| {
                channel_name(program, state, index) == variable.element_name(element as u32)
            }) {
                defaults.globals[slot] = held;
            }
        }
    }
    defaults
}
