//! Runs, and the changes of their steps in readable form.

use crate::program::{Program, Variables};
use crate::state::{Channel, State};
use crate::system::{Move, Step};

/// A run: a prefix and, if the run is infinite, a cycle that is repeated forever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The steps before the cycle.
    pub prefix: Vec<Step>,
    /// The steps of the cycle; empty for a finite run.
    pub cycle: Vec<Step>,
}

/// A variable or channel that a step changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name of the variable or channel.
    pub name: String,
    /// The value after the step.
    pub value: String,
}

/// The differences between two states: globals, then locals by process, then channels.
pub fn changes(program: &Program, before: &State, after: &State) -> Vec<Change> {
    let mut out = Vec::new();
    compare(program, &program.variables, &before.globals, &after.globals, "", &mut out);
    for (pid, process) in after.processes.iter().enumerate() {
        let kind = program.process_type(process.process_type);
        let prefix = format!("{}[{pid}]:", kind.name);
        match before.processes.get(pid) {
            Some(old) if old.process_type == process.process_type => {
                compare(program, &kind.variables, &old.locals, &process.locals, &prefix, &mut out);
            }
            _ => {
                let defaults = State::new_process(program, process.process_type, 1).locals;
                compare(program, &kind.variables, &defaults, &process.locals, &prefix, &mut out);
            }
        }
    }
    for (index, channel) in after.channels.iter().enumerate() {
        let old = before.channels.get(index);
        if old.is_none_or(|old| old.contents != channel.contents)
            && (old.is_some() || !channel.contents.is_empty())
        {
            out.push(Change {
                name: channel_name(program, after, index),
                value: contents(program, channel),
            });
        }
    }
    out
}

/// A name for a channel: that of a variable that holds its number.
pub fn channel_name(program: &Program, state: &State, index: usize) -> String {
    let number = index as i32 + 1;
    let kind = program.channel_type(state.channels[index].channel_type);
    for variable in program.variables.iter() {
        if variable.meaning == crate::program::Meaning::Channel {
            let slots = &state.globals[variable.slots()];
            if let Some(element) = slots.iter().position(|&value| value == number) {
                return variable.element_name(element as u32);
            }
        }
    }
    match state.channels[index].owner {
        Some(pid) => format!("{}[{pid}]", kind.name),
        None => kind.name.clone(),
    }
}

/// The messages of a channel: `[1,2][3,4]`.
pub fn contents(program: &Program, channel: &Channel) -> String {
    let fields = &program.channel_type(channel.channel_type).fields;
    let mut text = String::new();
    for message in channel.contents.chunks(fields.len()) {
        let shown: Vec<String> = message
            .iter()
            .zip(fields)
            .map(|(&value, field)| program.show_value(field.meaning, value))
            .collect();
        text += &format!("[{}]", shown.join(","));
    }
    if text.is_empty() { "empty".into() } else { text }
}

fn compare(
    program: &Program,
    variables: &Variables,
    before: &[i32],
    after: &[i32],
    prefix: &str,
    out: &mut Vec<Change>,
) {
    for variable in variables.iter() {
        for (element, slot) in variable.slots().enumerate() {
            if before[slot] != after[slot] {
                let name = if variable.dimensions.is_empty() {
                    variable.name.clone()
                } else {
                    variable.element_name(element as u32)
                };
                out.push(Change {
                    name: format!("{prefix}{name}"),
                    value: program.show_value(variable.meaning, after[slot]),
                });
            }
        }
    }
}

/// The moves of a step, in order.
pub fn moves(step: &Step) -> impl Iterator<Item = Move> {
    let (first, second) = match *step {
        Step::Move(only) => (Some(only), None),
        Step::Rendezvous { send, receive } => (Some(send), Some(receive)),
        Step::Release(_) | Step::Refused(_) => (None, None),
    };
    first.into_iter().chain(second)
}
