//! The initial states: that of the prologue, or all states that satisfy the initial condition.

use super::{Context, Machine, Patience};
use crate::error::RuntimeError;
use crate::expression::{BinaryOp, Expr, Scope};
use crate::program::{Program, VariableId};
use crate::state::State;
use std::cell::RefCell;

pub fn initial_states(program: &Program) -> Result<Vec<State>, RuntimeError> {
    let mut machine = Machine {
        program,
        state: State::empty(program),
        pid: 0,
        timeout: false,
        spawned: 0,
        handshake: None,
        noted: RefCell::default(),
        output: None,
        patience: Patience::default(),
    };
    for action in &program.prologue {
        machine.act(action)?;
    }
    let mut states = vec![machine.state.clone()];
    if let Some(condition) = &program.initial_condition {
        states = satisfying(program, &machine.state, condition)?;
    }
    for state in &mut states {
        machine.state = std::mem::replace(state, State::empty(program));
        for instance in &program.initial_processes {
            machine.new_process(instance.process_type, &[], instance.priority)?;
        }
        std::mem::swap(state, &mut machine.state);
    }
    Ok(states)
}

/// All states that satisfy the condition and differ from `base` only in the variables in it. Slots
/// are assigned one by one; each conjunct is tested as soon as all its variables are assigned.
fn satisfying(
    program: &Program,
    base: &State,
    condition: &Expr,
) -> Result<Vec<State>, RuntimeError> {
    let mut conjuncts = Vec::new();
    split(condition, &mut conjuncts);
    let mut slots = Vec::new();
    let mut tests: Vec<(usize, &Expr)> = Vec::new();
    for conjunct in conjuncts {
        let mut mentioned = Vec::new();
        collect(program, conjunct, &mut mentioned);
        for slot in mentioned {
            if !slots.contains(&slot) {
                slots.push(slot);
            }
        }
        tests.push((slots.len(), conjunct));
    }
    let mut found = Vec::new();
    let mut state = base.clone();
    extend(program, &slots, &tests, 0, &mut state, &mut found)?;
    Ok(found)
}

fn extend(
    program: &Program,
    slots: &[(VariableId, usize)],
    tests: &[(usize, &Expr)],
    known: usize,
    state: &mut State,
    found: &mut Vec<State>,
) -> Result<(), RuntimeError> {
    let noted = RefCell::default();
    let context = Context::outside(program, state, &noted);
    for (needs, test) in tests {
        if *needs == known && !context.truth(test)? {
            return Ok(());
        }
    }
    let Some(&(variable, slot)) = slots.get(known) else {
        found.push(state.clone());
        return Ok(());
    };
    let domain = program.variables.get(variable).domain;
    if let Some(value) = tests.iter().find_map(|(_, test)| required_value(test, variable)) {
        // A single value is possible, so the others are not tried.
        if domain.store(value) == Some(value) {
            state.globals[slot] = value;
            extend(program, slots, tests, known + 1, state, found)?;
        }
        return Ok(());
    }
    for bits in 0..=(u64::MAX >> (64 - domain.width().max(1))) {
        let value = domain.from_bits(bits as u32);
        if domain.store(value) == Some(value) {
            state.globals[slot] = value;
            extend(program, slots, tests, known + 1, state, found)?;
        }
        if domain.width() == 0 {
            break;
        }
    }
    Ok(())
}

/// The only value of a scalar variable that a conjunct such as `x == 3` allows.
fn required_value(test: &Expr, variable: VariableId) -> Option<i32> {
    let Expr::Binary(BinaryOp::Equal, left, right) = test else { return None };
    let (Expr::Read(place), Expr::Const(value)) = (&**left, &**right) else { return None };
    let scalar =
        place.scope == Scope::Global && place.variable == variable && place.indices.is_empty();
    scalar.then_some(*value)
}

fn split<'a>(condition: &'a Expr, conjuncts: &mut Vec<&'a Expr>) {
    match condition {
        Expr::Binary(BinaryOp::And, left, right) => {
            split(left, conjuncts);
            split(right, conjuncts);
        }
        other => conjuncts.push(other),
    }
}

/// The global slots that an expression may read.
fn collect(program: &Program, expr: &Expr, slots: &mut Vec<(VariableId, usize)>) {
    if let Expr::Read(place) = expr
        && place.scope == Scope::Global
    {
        slots.extend(
            program.variables.get(place.variable).slots().map(|slot| (place.variable, slot)),
        );
    }
    expr.for_each_child(&mut |child| collect(program, child, slots));
}
