//! Small programs, built by hand or generated, and a naive search as oracle.
#![allow(dead_code)]

use lariat_ir::domain::Domain;
use lariat_ir::expression::{BinaryOp, Expr, Pattern, Place, Scope};
use lariat_ir::program::{
    Action, ChannelType, ChannelTypeId, FieldType, Instance, Location, LocationId, Meaning,
    Operation, Origin, OriginId, ProcessType, ProcessTypeId, Program, Transition, VariableId,
    Variables,
};
use lariat_ir::{Interpreter, RuntimeError, State};
use lariat_search::replay::replay;
use lariat_search::{Outcome, Violation};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};

pub fn global(variable: u32) -> Place {
    Place { scope: Scope::Global, variable: VariableId(variable), indices: Vec::new() }
}

pub fn read(variable: u32) -> Expr {
    Expr::Read(global(variable))
}

pub fn compare(op: BinaryOp, variable: u32, value: i32) -> Expr {
    Expr::binary(op, read(variable), Expr::Const(value))
}

pub fn assign(variable: u32, value: Expr) -> Action {
    Action::Assign(vec![(global(variable), value)])
}

pub fn add(variable: u32, value: i32) -> Action {
    assign(variable, Expr::binary(BinaryOp::Add, read(variable), Expr::Const(value)))
}

pub fn edge(operation: Operation, target: u32) -> Transition {
    Transition {
        operation,
        target: LocationId(target),
        keeps_control: false,
        escape: 0,
        origin: OriginId(0),
    }
}

pub fn atomic(operation: Operation, target: u32) -> Transition {
    Transition { keeps_control: true, ..edge(operation, target) }
}

pub fn guarded(guard: Expr, actions: Vec<Action>) -> Operation {
    Operation::Guarded { guard, actions }
}

pub fn process(name: &str, locations: Vec<Vec<Transition>>, end: &[usize]) -> ProcessType {
    let locations = locations.into_iter().enumerate().map(|(index, transitions)| Location {
        transitions,
        end: end.contains(&index),
        ..Location::default()
    });
    ProcessType {
        name: name.into(),
        parameters: 0,
        variables: Variables::default(),
        prologue: Vec::new(),
        initial_location: LocationId(0),
        locations: locations.collect(),
        provided: None,
        deterministic: false,
        exclusive: Vec::new(),
    }
}

/// A program with one process of each type and these global variables.
pub fn program(variables: &[(&str, Domain, bool)], process_types: Vec<ProcessType>) -> Program {
    let mut program = Program { origins: vec![Origin::default()], ..Program::default() };
    for (name, domain, hidden) in variables {
        program.variables.add(*name, Vec::new(), *domain, Meaning::Number, *hidden);
    }
    for (index, process_type) in process_types.into_iter().enumerate() {
        program.process_types.push(process_type);
        program
            .initial_processes
            .push(Instance { process_type: ProcessTypeId(index as u32), priority: 1 });
    }
    program
}

/// The counts of the oracle, or of a search.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub states: u64,
    pub transitions: u64,
    pub atomic_steps: u64,
    pub errors: u64,
    pub kinds: BTreeSet<&'static str>,
}

impl Figures {
    pub fn of(outcome: &Outcome) -> Figures {
        Figures {
            states: outcome.statistics.states,
            transitions: outcome.statistics.transitions,
            atomic_steps: outcome.statistics.atomic_steps,
            errors: outcome.errors,
            kinds: outcome.error_kinds.clone(),
        }
    }
}

/// Counts by definition: every stored state, and every path from one to the next. `None` if some
/// atomic sequence never ends or there are too many paths.
pub fn oracle(program: &Program) -> Option<Figures> {
    let interpreter = Interpreter::new(program);
    let mut figures = Figures::default();
    let mut known: HashSet<State> = HashSet::new();
    let mut waiting = Vec::new();
    for state in interpreter.initial_states().ok()? {
        figures.transitions += 1;
        if known.insert(state.clone()) {
            waiting.push(state);
        }
    }
    while let Some(state) = waiting.pop() {
        let mut fuel = 20_000;
        follow_paths(
            &interpreter,
            &state,
            &mut HashMap::new(),
            &mut fuel,
            &mut figures,
            &mut |next| {
                if known.insert(next.clone()) {
                    waiting.push(next);
                }
            },
        )?;
    }
    figures.states = known.len() as u64;
    Some(figures)
}

/// The length of a shortest run to an error, in steps between stored states.
pub fn shortest(program: &Program) -> Option<usize> {
    let interpreter = Interpreter::new(program);
    let mut level = interpreter.initial_states().ok()?;
    let mut known: HashSet<State> = level.iter().cloned().collect();
    for steps in 0.. {
        let mut next = Vec::new();
        for state in &level {
            let mut figures = Figures::default();
            let mut add = |state: State| {
                if known.insert(state.clone()) {
                    next.push(state);
                }
            };
            follow_paths(
                &interpreter,
                state,
                &mut HashMap::new(),
                &mut 20_000,
                &mut figures,
                &mut add,
            )?;
            if figures.errors > 0 {
                return Some(steps);
            }
        }
        if next.is_empty() {
            return None;
        }
        level = next;
    }
    None
}

/// The length of a violation's run, in steps between stored states.
pub fn stored_steps(program: &Program, violation: &Violation) -> usize {
    let interpreter = Interpreter::new(program);
    let states = replay(&interpreter, violation).expect("every counterexample replays");
    let before_last = violation.run.steps.len();
    let end = if violation.error == RuntimeError::InvalidEndState {
        before_last + 1
    } else {
        before_last
    };
    states[..end].iter().skip(1).filter(|state| !interpreter.is_transient(state)).count()
}

fn follow_paths(
    interpreter: &Interpreter<'_>,
    state: &State,
    above: &mut HashMap<State, ()>,
    fuel: &mut u32,
    figures: &mut Figures,
    add: &mut dyn FnMut(State),
) -> Option<()> {
    *fuel = fuel.checked_sub(1)?;
    let mut successors = Vec::new();
    interpreter.successors(state, &mut successors);
    if successors.is_empty() && !interpreter.is_valid_end(state) {
        figures.errors += 1;
        figures.kinds.insert(RuntimeError::InvalidEndState.kind());
    }
    for successor in successors {
        figures.errors += successor.errors.len() as u64;
        figures.kinds.extend(successor.errors.iter().map(RuntimeError::kind));
        let Some(next) = successor.state else { continue };
        if interpreter.is_transient(&next) {
            figures.atomic_steps += 1;
            if above.insert(next.clone(), ()).is_some() {
                return None;
            }
            follow_paths(interpreter, &next, above, fuel, figures, add)?;
            above.remove(&next);
        } else {
            figures.transitions += 1;
            add(next);
        }
    }
    Some(())
}

const GLOBALS: u32 = 3;
const LOCATIONS: u32 = 4;
/// Variables that hold the numbers of a buffered and of a rendezvous channel.
const CHANNELS: [u32; 2] = [GLOBALS, GLOBALS + 1];

fn any_guard() -> impl Strategy<Value = Expr> {
    prop_oneof![
        3 => Just(Expr::TRUE),
        1 => Just(Expr::Timeout),
        4 => (0..GLOBALS, 0..3i32)
            .prop_map(|(variable, value)| compare(BinaryOp::Equal, variable, value)),
        2 => (0..GLOBALS, 0..3i32)
            .prop_map(|(variable, value)| compare(BinaryOp::Less, variable, value)),
    ]
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => (0..GLOBALS, 0..4i32)
            .prop_map(|(variable, value)| assign(variable, Expr::Const(value))),
        2 => (0..GLOBALS).prop_map(|variable| add(variable, 1)),
        1 => (0..GLOBALS, 0..3i32).prop_map(|(variable, value)| Action::Assert {
            condition: compare(BinaryOp::NotEqual, variable, value),
            text: "generated".into(),
        }),
        1 => (0..GLOBALS, 0..GLOBALS).prop_map(|(variable, by)| {
            assign(variable, Expr::binary(BinaryOp::Divide, Expr::Const(3), read(by)))
        }),
    ]
}

fn any_operation() -> impl Strategy<Value = Operation> {
    let channel = || prop::sample::select(CHANNELS.to_vec()).prop_map(read);
    prop_oneof![
        6 => (any_guard(), prop::collection::vec(any_action(), 0..3))
            .prop_map(|(guard, actions)| guarded(guard, actions)),
        1 => Just(Operation::Else),
        2 => (channel(), 0..2i32).prop_map(|(channel, value)| Operation::Send {
            channel,
            arguments: vec![Expr::Const(value)],
            sorted: false,
        }),
        2 => (channel(), 0..GLOBALS).prop_map(|(channel, variable)| Operation::Receive {
            channel,
            patterns: vec![Pattern::Bind(global(variable))],
            random: false,
            keep: false,
        }),
        1 => Just(Operation::End),
    ]
}

fn any_process() -> impl Strategy<Value = ProcessType> {
    let transition = (any_operation(), 0..LOCATIONS, prop::bool::weighted(0.3)).prop_map(
        |(operation, target, keeps)| Transition {
            keeps_control: keeps && operation != Operation::End,
            ..edge(operation, target)
        },
    );
    let location = prop::collection::vec(transition, 0..4);
    (prop::collection::vec(location, LOCATIONS as usize), any::<u8>()).prop_map(
        |(locations, ends)| {
            let ends: Vec<usize> =
                (0..LOCATIONS as usize).filter(|bit| ends >> bit & 1 == 1).collect();
            process("generated", locations, &ends)
        },
    )
}

pub fn any_program() -> impl Strategy<Value = Program> {
    prop::collection::vec(any_process(), 1..4).prop_map(|process_types| {
        let two_bits = Domain::unsigned(2);
        let mut program = program(
            &[("a", two_bits, false), ("b", two_bits, false), ("c", two_bits, false)],
            process_types,
        );
        for (index, capacity) in [(0, 1), (1, 0)] {
            let variable =
                program.variables.add("channel", Vec::new(), Domain::BYTE, Meaning::Channel, false);
            let fields = vec![FieldType { domain: two_bits, meaning: Meaning::Number }];
            program.channel_types.push(ChannelType { name: "channel".into(), capacity, fields });
            let place = global(variable.0);
            program.prologue.push(Action::NewChannel { place, channel_type: ChannelTypeId(index) });
        }
        program
    })
}
