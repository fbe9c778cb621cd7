//! A run in the form that drawings need: a lane for each process, an event for each step with its
//! statements and changed values, and sends connected to the receives that took their messages.
//! Pages, charts and the explorer use this form.
//!
//! States are stored as differences, so that a long run stays small.

mod messages;
mod values;

use super::steps::transition;
use lariat_ir::program::{Extent, Operation, Program};
use lariat_ir::system::Move;
use lariat_ir::trace::moves;
use lariat_ir::{State, Step};
use messages::Messages;
use serde::Serialize;
use std::collections::HashMap;
use values::each_difference;

/// A run as a sequence of events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// What the run shows.
    pub title: String,
    /// The processes of the run.
    pub lanes: Vec<Lane>,
    /// The names that `initial` and `set` refer to by position.
    pub variables: Vec<String>,
    /// The values in the initial state, by variable.
    pub initial: Vec<(usize, String)>,
    /// The lanes and locations of the initial processes.
    pub start: Vec<(usize, u32)>,
    /// The steps, in order.
    pub events: Vec<Event>,
    /// If the run is infinite: the index of the first event of its cycle.
    pub cycle: Option<usize>,
    /// The conditions of the property.
    pub atoms: Vec<Atom>,
}

/// A process of the run. A process number that is reused for another process type gets a new lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lane {
    /// `name[pid]`
    pub process: String,
    /// The process number.
    pub pid: u8,
    /// The index of its process type.
    pub kind: usize,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The statement of the process that moves; for a rendezvous those of sender and receiver.
    pub actions: Vec<Act>,
    /// Variables and their new values; `None` for a variable that no longer exists.
    pub set: Vec<(usize, Option<String>)>,
    /// Lanes and their new locations; `None` for a process that no longer exists.
    pub at: Vec<(usize, Option<u32>)>,
    /// The message that the step sent or received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

/// A statement that a process executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Act {
    /// The index of the process's lane.
    pub lane: usize,
    /// The file of the statement.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// The range of the statement in the file, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// The text of the statement.
    pub statement: String,
}

/// A message that a step sent or received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// How it was transferred.
    pub kind: MessageKind,
    /// The name of the channel.
    pub channel: String,
    /// The fields, such as `ping,3`.
    pub text: String,
    /// For a receive: the event of the send and the sender's lane, if known.
    pub from: Option<(usize, usize)>,
}

/// How a message is transferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
    /// Put into a buffered channel.
    Send,
    /// Taken from a buffered channel.
    Receive,
    /// Sent and received in one step.
    Rendezvous,
}

/// A condition of the property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Atom {
    /// The condition as the user wrote it.
    pub name: String,
    /// Its value in the initial state, then after each event.
    pub values: Vec<bool>,
}

/// Builds a trace step by step.
#[derive(Debug)]
pub struct Recorder<'p> {
    program: &'p Program,
    trace: Trace,
    names: HashMap<String, usize>,
    cursor: Cursor,
}

/// The state of a recorder, to which it can be rewound.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// The current lane of each process, by process number.
    alive: Vec<usize>,
    messages: Messages,
    state: State,
}

impl<'p> Recorder<'p> {
    /// A trace that begins in this state.
    pub fn new(program: &'p Program, initial: &State) -> Recorder<'p> {
        let mut recorder = Recorder {
            program,
            trace: Trace::default(),
            names: HashMap::new(),
            cursor: Cursor {
                alive: Vec::new(),
                messages: Messages::new(initial),
                state: initial.clone(),
            },
        };
        let nothing = State { globals: Vec::new(), ..State::empty(program) };
        for (name, value) in recorder.differences(&nothing, initial) {
            recorder.trace.initial.extend(value.map(|value| (name, value)));
        }
        for (lane, location) in recorder.movements(&nothing, initial) {
            recorder.trace.start.extend(location.map(|location| (lane, location)));
        }
        recorder
    }

    /// Appends a step; `after` is `None` if an error stopped the step.
    pub fn push(&mut self, step: &Step, after: Option<&State>) {
        let number = self.trace.events.len();
        let actions: Vec<Act> = moves(step).map(|taken| self.act(&taken)).collect();
        let before = self.cursor.state.clone();
        let mut event = Event { actions, ..Event::default() };
        if let Some(after) = after {
            let Cursor { alive, messages, .. } = &mut self.cursor;
            event.message = messages.step(self.program, step, number, alive, &before, after);
            event.set = self.differences(&before, after);
            event.at = self.movements(&before, after);
            self.cursor.state = after.clone();
        }
        // A release of control is not an event: it changes nothing else.
        if !event.actions.is_empty() {
            self.trace.events.push(event);
        }
    }

    /// The trace so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The current state of the recorder.
    pub fn cursor(&self) -> Cursor {
        self.cursor.clone()
    }

    /// Returns to a cursor that was taken after this number of events.
    pub fn rewind(&mut self, events: usize, cursor: Cursor) {
        self.trace.events.truncate(events);
        self.cursor = cursor;
    }

    /// Marks the next step as the first of the cycle.
    pub fn mark_cycle(&mut self) {
        self.trace.cycle = Some(self.trace.events.len());
    }

    /// The complete trace.
    pub fn finish(mut self, title: String) -> Trace {
        self.trace.title = title;
        self.trace
    }

    fn act(&self, taken: &Move) -> Act {
        let transition = transition(self.program, taken);
        let origin = self.program.origin(transition.origin);
        let statement = match transition.operation {
            Operation::End if origin.text.is_empty() => "-end-".into(),
            _ => origin.text.clone(),
        };
        let lane = self.cursor.alive.get(usize::from(taken.pid)).copied().unwrap_or(0);
        Act { lane, file: origin.file.clone(), line: origin.line, extent: origin.extent, statement }
    }

    fn differences(&mut self, before: &State, after: &State) -> Vec<(usize, Option<String>)> {
        let mut out = Vec::new();
        let (names, variables) = (&mut self.names, &mut self.trace.variables);
        each_difference(self.program, before, after, &mut |name, value| {
            let next = variables.len();
            let number = *names.entry(name.clone()).or_insert(next);
            if number == next {
                variables.push(name);
            }
            out.push((number, value));
        });
        out
    }

    /// The processes that changed their location. Assigns lanes to new processes.
    fn movements(&mut self, before: &State, after: &State) -> Vec<(usize, Option<u32>)> {
        let mut out = Vec::new();
        for lane in self.cursor.alive.drain(after.processes.len().min(self.cursor.alive.len())..) {
            out.push((lane, None));
        }
        for (pid, process) in after.processes.iter().enumerate() {
            let kind = process.process_type.index();
            let name = format!("{}[{pid}]", self.program.process_types[kind].name);
            let known =
                before.processes.get(pid).filter(|old| old.process_type == process.process_type);
            if pid >= self.cursor.alive.len() || known.is_none() {
                let lanes = &mut self.trace.lanes;
                let lane =
                    lanes.iter().position(|lane| lane.process == name).unwrap_or(lanes.len());
                if lane == lanes.len() {
                    lanes.push(Lane { process: name, pid: pid as u8, kind });
                }
                self.cursor.alive.truncate(pid);
                self.cursor.alive.push(lane);
            }
            if known.is_none_or(|old| old.location != process.location) {
                out.push((self.cursor.alive[pid], Some(process.location.0)));
            }
        }
        out
    }
}

impl Trace {
    /// The trace of a run with known states; `cycle` is the index of the first step of its cycle.
    pub fn new(
        program: &Program,
        steps: &[Step],
        states: &[State],
        cycle: Option<usize>,
        title: String,
    ) -> Trace {
        let Some(initial) = states.first() else { return Trace { title, ..Trace::default() } };
        let mut recorder = Recorder::new(program, initial);
        for (index, step) in steps.iter().enumerate() {
            if cycle == Some(index) {
                recorder.mark_cycle();
            }
            recorder.push(step, states.get(index + 1));
        }
        recorder.finish(title)
    }

    /// Adds conditions with their values by state. Where the value is `None` (inside atomic
    /// sequences), the previous value is repeated. A release of control is not an event, so the
    /// last value before the next event is used.
    #[must_use]
    pub fn with_atoms(
        mut self,
        steps: &[Step],
        names: &[String],
        values: &[Option<Vec<bool>>],
    ) -> Trace {
        let mut ends: Vec<usize> = vec![0];
        for (index, step) in steps.iter().enumerate() {
            if moves(step).next().is_some() {
                ends.push(index + 1);
            } else if let Some(last) = ends.last_mut() {
                *last = index + 1;
            }
        }
        self.atoms = names
            .iter()
            .enumerate()
            .map(|(number, name)| {
                let mut known = false;
                let mut by_state: Vec<bool> = Vec::with_capacity(values.len());
                for value in values {
                    known = value
                        .as_ref()
                        .and_then(|value| value.get(number).copied())
                        .unwrap_or(known);
                    by_state.push(known);
                }
                let at =
                    |end: &usize| by_state.get(*end).or(by_state.last()).copied().unwrap_or(false);
                Atom { name: name.clone(), values: ends.iter().map(at).collect() }
            })
            .collect();
        self
    }

    /// The value of every variable after this number of events.
    pub fn values_after(&self, events: usize) -> Vec<Option<&str>> {
        let mut values = vec![None; self.variables.len()];
        for (variable, value) in &self.initial {
            values[*variable] = Some(value.as_str());
        }
        for (variable, value) in self.events.iter().take(events).flat_map(|event| &event.set) {
            values[*variable] = value.as_deref();
        }
        values
    }
}

#[cfg(test)]
mod tests;
