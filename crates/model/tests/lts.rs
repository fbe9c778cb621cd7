//! Transition systems written as `.lts` texts: what they mean, and what is said about texts that mean nothing.

use model::program::Program;
use model::system::System;
use model::{Interpreter, RuntimeError, State, text};
use std::collections::HashMap;

fn read(source: &str) -> Program {
    let program = text::parse("test.lts", source).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let printed = text::print(&program);
    let again = text::parse("", &printed).unwrap_or_else(|errors| panic!("{printed}\n{errors:#?}"));
    assert_eq!(again, program, "{printed}");
    program
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Graph {
    initial: usize,
    states: usize,
    transitions: usize,
    invalid_ends: usize,
    errors: Vec<RuntimeError>,
}

/// The whole state graph.
fn explore(program: &Program) -> Graph {
    let interpreter = Interpreter::new(program);
    let mut graph = Graph::default();
    let mut seen: HashMap<State, ()> = HashMap::new();
    let mut todo = Vec::new();
    for state in interpreter.initial_states().unwrap() {
        graph.initial += 1;
        if seen.insert(state.clone(), ()).is_none() {
            todo.push(state);
        }
    }
    let mut successors = Vec::new();
    while let Some(state) = todo.pop() {
        interpreter.violated_invariants(&state, &mut graph.errors);
        successors.clear();
        interpreter.successors(&state, &mut successors);
        graph.transitions += successors.len();
        if successors.is_empty() && !interpreter.is_valid_end(&state) {
            graph.invalid_ends += 1;
        }
        for successor in successors.drain(..) {
            graph.errors.extend(successor.errors);
            if let Some(next) = successor.state
                && seen.insert(next.clone(), ()).is_none()
            {
                todo.push(next);
            }
        }
    }
    graph.states = seen.len();
    graph
}

#[test]
fn mutual_exclusion_of_the_survey() {
    let graph = explore(&read(include_str!("lts/mutual_exclusion.lts")));
    assert_eq!(graph, Graph { initial: 2, states: 12, transitions: 18, ..Graph::default() });
}

#[test]
fn sum_of_the_survey() {
    let graph = explore(&read(include_str!("lts/sum.lts")));
    assert_eq!(graph, Graph { initial: 1, states: 6, transitions: 7, ..Graph::default() });
}
