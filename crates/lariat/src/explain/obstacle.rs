//! Why a transition is not enabled.

use crate::run::steps::transition;
use lariat_ir::expression::{BinaryOp, Expr, Pattern, Place, Scope};
use lariat_ir::interp::Context;
use lariat_ir::program::{BranchKind, Meaning, Operation, Program, VariableId};
use lariat_ir::system::Move;
use lariat_ir::trace::{channel_name, contents};
use lariat_ir::{RuntimeError, State};
use std::cell::RefCell;

/// The reason why a transition is not enabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A condition is false: the variables and channels that it reads.
    False { reads: Vec<Read>, channels: Vec<usize>, provided: bool },
    /// The channel is full.
    Full(usize),
    /// The channel is empty.
    Empty(usize),
    /// The channel has messages, but none that matches.
    NoMatch(usize),
    /// No process is ready to receive from the rendezvous channel.
    NoReceiver(usize),
    /// No process is ready to send to the rendezvous channel.
    NoSender(usize),
    /// Younger processes must end first.
    Younger,
    /// A higher priority, an error, or an unknown reason.
    Other(String),
}

/// A variable that a false condition depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    pub name: String,
    pub value: String,
    /// The global variable; `None` for a local one.
    pub global: Option<VariableId>,
}

impl Obstacle {
    /// The obstacle of a transition in a deadlock. Precondition: the transition is not enabled.
    pub fn of(program: &Program, state: &State, taken: &Move) -> Obstacle {
        let noted = RefCell::default();
        // In a deadlock `timeout` is true.
        let context =
            Context { pid: taken.pid, timeout: true, ..Context::outside(program, state, &noted) };
        let kind = program.process_type(taken.process_type);
        if let Some(condition) = &kind.provided
            && context.truth(condition) == Ok(false)
        {
            return false_condition(&context, condition, true);
        }
        of_operation(&context, &transition(program, taken).operation)
            .unwrap_or_else(|error| Obstacle::Other(error.to_string()))
    }

    pub fn text(&self, program: &Program, state: &State) -> String {
        let name = |channel: &usize| channel_name(program, state, *channel);
        match self {
            Obstacle::False { reads, channels, provided } => {
                let values = reads.iter().map(|read| format!("{} is {}", read.name, read.value));
                let held = channels.iter().map(|channel| {
                    format!(
                        "{} holds {}",
                        name(channel),
                        contents(program, &state.channels[*channel])
                    )
                    .replace("holds empty", "is empty")
                });
                let text = values.chain(held).collect::<Vec<_>>().join(", ");
                match provided {
                    true => format!("its `provided` clause is false: {text}"),
                    false => text,
                }
            }
            Obstacle::Full(channel) => {
                let capacity = program.channel_type(state.channels[*channel].channel_type).capacity;
                let messages = lariat_promela::diagnostic::count(capacity as usize, "message");
                format!("{} is full with {messages}", name(channel))
            }
            Obstacle::Empty(channel) => format!("{} is empty", name(channel)),
            Obstacle::NoMatch(channel) => {
                format!("{} holds {}", name(channel), contents(program, &state.channels[*channel]))
            }
            Obstacle::NoReceiver(channel) => {
                format!("no process is ready to receive from {}", name(channel))
            }
            Obstacle::NoSender(channel) => {
                format!("no process is ready to send to {}", name(channel))
            }
            Obstacle::Younger => "processes started later have not ended".into(),
            Obstacle::Other(text) => text.clone(),
        }
    }
}

fn of_operation(context: &Context<'_>, operation: &Operation) -> Result<Obstacle, RuntimeError> {
    Ok(match operation {
        Operation::Guarded { guard, .. } => false_condition(context, guard, false),
        Operation::Else => Obstacle::Other("another option is executable".into()),
        Operation::End => Obstacle::Younger,
        Operation::Send { channel, .. } => {
            let (index, rendezvous) = channel_index(context, channel)?;
            if rendezvous { Obstacle::NoReceiver(index) } else { Obstacle::Full(index) }
        }
        Operation::Receive { channel, .. } => {
            let (index, rendezvous) = channel_index(context, channel)?;
            match context.state.channels[index].contents.is_empty() {
                _ if rendezvous => Obstacle::NoSender(index),
                true => Obstacle::Empty(index),
                false => Obstacle::NoMatch(index),
            }
        }
        Operation::Deterministic(body) => {
            let first =
                body.nodes.first().into_iter().flatten().find_map(|branch| match &branch.kind {
                    BranchKind::Operation(operation) => Some(operation),
                    BranchKind::Enter => None,
                });
            match first {
                Some(operation) => of_operation(context, operation)?,
                None => Obstacle::Other("none of its options is executable".into()),
            }
        }
    })
}

/// The channel's index, and whether it is a rendezvous channel.
fn channel_index(context: &Context<'_>, channel: &Expr) -> Result<(usize, bool), RuntimeError> {
    let number = context.value(channel)?;
    let found = context.channel(number)?;
    let rendezvous = context.program.channel_type(found.channel_type).capacity == 0;
    Ok((number as usize - 1, rendezvous))
}

fn false_condition(context: &Context<'_>, condition: &Expr, provided: bool) -> Obstacle {
    let (mut reads, mut channels) = (Vec::new(), Vec::new());
    collect(context, condition, &mut reads, &mut channels);
    Obstacle::False { reads, channels, provided }
}

/// Collects the variables and channels that a false condition reads; of a conjunction only those of
/// the false part.
fn collect(context: &Context<'_>, expr: &Expr, reads: &mut Vec<Read>, channels: &mut Vec<usize>) {
    if let Expr::Binary(BinaryOp::And, left, right) = expr {
        let part = if context.truth(left) == Ok(false) { left } else { right };
        return collect(context, part, reads, channels);
    }
    let mut note = |read: Option<Read>| {
        if let Some(read) = read.filter(|read| !reads.contains(read)) {
            reads.push(read);
        }
    };
    match expr {
        Expr::Read(place) => note(read(context, place)),
        Expr::ProcessCount => note(Some(Read {
            name: "_nr_pr".into(),
            value: context.state.processes.len().to_string(),
            global: None,
        })),
        Expr::Channel(_, channel) | Expr::Poll { channel, .. } => {
            if let Ok((index, _)) = channel_index(context, channel)
                && !channels.contains(&index)
            {
                channels.push(index);
            }
        }
        Expr::ReadRemote { .. } => {
            if let Ok(value) = context.value(expr) {
                note(Some(Read {
                    name: "a variable of another process".into(),
                    value: value.to_string(),
                    global: None,
                }));
            }
        }
        _ => {}
    }
    expr.for_each_child(&mut |child| {
        // The name of an array element already shows its index.
        let is_channel = matches!(expr, Expr::Channel(..));
        if !matches!(expr, Expr::Read(_)) && !is_channel {
            collect(context, child, reads, channels);
        }
    });
    if let Expr::Poll { patterns, .. } = expr {
        for pattern in patterns {
            if let Pattern::Match(inner) = pattern {
                collect(context, inner, reads, channels);
            }
        }
    }
}

fn read(context: &Context<'_>, place: &Place) -> Option<Read> {
    let variables = context.variables(place.scope);
    let variable = variables.get(place.variable);
    let slot = context.slot(place).ok()?;
    let (prefix, value, global) = match place.scope {
        Scope::Global => (String::new(), context.state.globals[slot], Some(place.variable)),
        Scope::Local => {
            let process = &context.state.processes[usize::from(context.pid)];
            (String::new(), process.locals[slot], None)
        }
    };
    if variable.meaning == Meaning::Channel {
        return None;
    }
    let element = (slot - variable.first_slot()) as u32;
    let name = match variable.dimensions.is_empty() {
        true => variable.name.clone(),
        false => variable.element_name(element),
    };
    let value = context.program.show_value(variable.meaning, value);
    Some(Read { name: prefix + &name, value, global })
}
