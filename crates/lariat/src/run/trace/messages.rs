//! Connects receives with the sends whose messages they took, by tracking the contents of channels.

use super::{Message, MessageKind};
use crate::run::steps::transition;
use lariat_ir::expression::Expr;
use lariat_ir::interp::Context;
use lariat_ir::program::{Operation, Program};
use lariat_ir::state::Channel;
use lariat_ir::system::Move;
use lariat_ir::trace::channel_name;
use lariat_ir::{State, Step};
use std::cell::RefCell;

/// The event and the lane that sent each message in a channel, by channel.
#[derive(Clone, Debug)]
pub struct Messages {
    waiting: Vec<Vec<Option<(usize, usize)>>>,
}

impl Messages {
    pub fn new(initial: &State) -> Messages {
        let mut messages = Messages { waiting: Vec::new() };
        messages.waiting.resize(initial.channels.len(), Vec::new());
        messages
    }

    /// The message of a step that sends or receives; `lanes` is indexed by process number.
    pub fn step(
        &mut self,
        program: &Program,
        step: &Step,
        event: usize,
        lanes: &[usize],
        before: &State,
        after: &State,
    ) -> Option<Message> {
        let message = match step {
            Step::Move(taken) => self.buffered(program, taken, event, lanes, before, after),
            Step::Rendezvous { send, .. } => rendezvous(program, send, before),
            Step::Release(_) | Step::Refused(_) => None,
        };
        self.adjust(program, before, after);
        message
    }

    fn buffered(
        &mut self,
        program: &Program,
        taken: &Move,
        event: usize,
        lanes: &[usize],
        before: &State,
        after: &State,
    ) -> Option<Message> {
        let (channel, kind) = match &transition(program, taken).operation {
            Operation::Send { channel, .. } => (channel, MessageKind::Send),
            Operation::Receive { channel, keep: false, .. } => (channel, MessageKind::Receive),
            _ => return None,
        };
        let index = channel_of(program, before, taken, channel)?;
        let (old, new) = (before.channels.get(index)?, after.channels.get(index)?);
        let fields = program.channel_type(old.channel_type).fields.len();
        let name = channel_name(program, after, index);
        self.waiting.resize(before.channels.len().max(after.channels.len()), Vec::new());
        let waiting = &mut self.waiting[index];
        waiting.resize(old.contents.len() / fields, None);
        let differs = first_difference(&old.contents, &new.contents, fields);
        let lane = lanes.get(usize::from(taken.pid)).copied().unwrap_or(0);
        match kind {
            MessageKind::Send if new.contents.len() > old.contents.len() => {
                waiting.insert(differs.min(waiting.len()), Some((event, lane)));
                Some(Message {
                    kind,
                    channel: name,
                    text: fields_text(program, new, differs),
                    from: None,
                })
            }
            MessageKind::Receive if new.contents.len() < old.contents.len() => {
                // Among equal adjacent messages the first was taken.
                let message = |position: usize| old.contents.chunks(fields).nth(position);
                let mut position = differs;
                while position > 0 && message(position - 1) == message(position) {
                    position -= 1;
                }
                let from = if position < waiting.len() { waiting.remove(position) } else { None };
                Some(Message {
                    kind,
                    channel: name,
                    text: fields_text(program, old, position),
                    from,
                })
            }
            // The message was lost.
            MessageKind::Send => {
                Some(Message { kind, channel: name, text: String::new(), from: None })
            }
            _ => None,
        }
    }

    /// Adjusts to steps that changed several channels or destroyed some: the senders of messages
    /// that cannot be attributed are unknown.
    fn adjust(&mut self, program: &Program, before: &State, after: &State) {
        self.waiting.resize(after.channels.len(), Vec::new());
        for (index, channel) in after.channels.iter().enumerate() {
            let fields = program.channel_type(channel.channel_type).fields.len();
            let waiting = &mut self.waiting[index];
            if before.channels.get(index).is_none_or(|old| old.owner != channel.owner) {
                waiting.clear();
            }
            waiting.resize(channel.contents.len() / fields, None);
        }
    }
}

/// The channel that the expression of a move denotes before the move.
fn channel_of(program: &Program, state: &State, taken: &Move, channel: &Expr) -> Option<usize> {
    let noted = RefCell::default();
    let context = Context { pid: taken.pid, ..Context::outside(program, state, &noted) };
    let number = context.value(channel).ok()?;
    usize::try_from(number).ok()?.checked_sub(1).filter(|index| *index < state.channels.len())
}

fn rendezvous(program: &Program, send: &Move, before: &State) -> Option<Message> {
    let Operation::Send { channel, arguments, .. } = &transition(program, send).operation else {
        return None;
    };
    let index = channel_of(program, before, send, channel)?;
    let noted = RefCell::default();
    let context = Context { pid: send.pid, ..Context::outside(program, before, &noted) };
    let kind = program.channel_type(before.channels[index].channel_type);
    let text =
        arguments.iter().zip(&kind.fields).map(|(argument, field)| match context.value(argument) {
            Ok(value) => program.show_value(field.meaning, value),
            Err(_) => "?".into(),
        });
    Some(Message {
        kind: MessageKind::Rendezvous,
        channel: channel_name(program, before, index),
        text: text.collect::<Vec<_>>().join(","),
        from: None,
    })
}

/// The index of the first message in which the contents of two channels differ.
fn first_difference(old: &[i32], new: &[i32], fields: usize) -> usize {
    old.chunks(fields).zip(new.chunks(fields)).take_while(|(old, new)| old == new).count()
}

fn fields_text(program: &Program, channel: &Channel, position: usize) -> String {
    let fields = &program.channel_type(channel.channel_type).fields;
    let message = channel.contents.chunks(fields.len()).nth(position).unwrap_or_default();
    let shown =
        message.iter().zip(fields).map(|(&value, field)| program.show_value(field.meaning, value));
    shown.collect::<Vec<_>>().join(",")
}
