//! A nearest state that satisfies a condition, breadth-first with the reference semantics.

use crate::condition::Condition;
use lariat_ir::{Interpreter, State, Step};
use std::collections::HashMap;

/// The most states visited: a few seconds of work.
const MAX_STATES: usize = 100_000;

/// The steps from `start` to a nearest other state that satisfies the condition, without releases
/// of control.
pub fn nearest(
    interpreter: Interpreter<'_>,
    start: &State,
    condition: &Condition,
) -> Result<Vec<Step>, String> {
    let mut number: HashMap<State, usize> = HashMap::from([(start.clone(), 0)]);
    let mut list = vec![start.clone()];
    let mut before: Vec<Option<(usize, Step)>> = vec![None];
    let mut at = 0;
    let mut successors = Vec::new();
    while at < list.len() {
        successors.clear();
        interpreter.successors(&list[at], &mut successors);
        for successor in successors.drain(..) {
            let Some(state) = successor.state else { continue };
            if number.contains_key(&state) {
                continue;
            }
            before.push(Some((at, successor.step)));
            if !interpreter.is_transient(&state) && condition.holds(&interpreter, &state) {
                return Ok(path(&before));
            }
            number.insert(state.clone(), list.len());
            list.push(state);
            if list.len() >= MAX_STATES {
                return Err(format!("not found among the nearest {MAX_STATES} states"));
            }
        }
        at += 1;
    }
    Err("no reachable state satisfies the condition".into())
}

fn path(before: &[Option<(usize, Step)>]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = before.len() - 1;
    while let Some(Some((previous, step))) = before.get(at) {
        if !matches!(step, Step::Release(_)) {
            steps.push(*step);
        }
        at = *previous;
    }
    steps.reverse();
    steps
}
