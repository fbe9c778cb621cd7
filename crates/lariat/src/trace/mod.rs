//! A run as drawings of it need it: a lane for every process, per step who did what and which values changed, sends
//! joined with the receives that took their messages. Pages, charts and the explorer all show this.
//!
//! States are kept as differences, so a long run stays small. An infinite run has the step at which its cycle begins; a
//! formula's atoms have a value per state.

mod messages;
mod values;

use crate::run::transition;
use messages::Messages;
use model::program::{Extent, Operation, Program};
use model::system::Move;
use model::trace::moves;
use model::{State, Step};
use serde::Serialize;
use std::collections::HashMap;
use values::each_difference;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// What the run shows.
    pub title: String,
    pub lanes: Vec<Lane>,
    /// The names that `initial` and `set` refer to by position.
    pub variables: Vec<String>,
    /// What the variables hold at first.
    pub initial: Vec<(usize, String)>,
    /// Where the processes are at first: lane and location.
    pub start: Vec<(usize, u32)>,
    pub events: Vec<Event>,
    /// If the run is infinite: the event with which its cycle begins.
    pub cycle: Option<usize>,
    /// Conditions and whether they hold: at first, then after each event.
    pub atoms: Vec<Atom>,
}

/// A process of the run. A number that is used again for another type of process has another lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lane {
    /// `name[pid]`
    pub process: String,
    pub pid: u8,
    /// The number of its process type.
    pub kind: usize,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The mover; for a rendezvous the sender, then the receiver.
    pub actions: Vec<Act>,
    /// Variables and their new values; nothing for one that is gone.
    pub set: Vec<(usize, Option<String>)>,
    /// Lanes and their new locations; nothing for a process that is gone.
    pub at: Vec<(usize, Option<u32>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

/// A statement that a process executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Act {
    pub lane: usize,
    pub file: String,
    pub line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    pub statement: String,
}

/// A message that a step sent or took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    pub kind: MessageKind,
    pub channel: String,
    /// Its fields, `ping,3`.
    pub text: String,
    /// For a receive: the event that sent it and the sender's lane, if that is known.
    pub from: Option<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
    Send,
    Receive,
    /// Send and receive as one step.
    Rendezvous,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Atom {
    pub name: String,
    pub values: Vec<bool>,
}

/// Draws up a trace while a run is made.
#[derive(Debug)]
pub struct Recorder<'p> {
    program: &'p Program,
    trace: Trace,
    names: HashMap<String, usize>,
    cursor: Cursor,
}

/// Where a run has come to, as far as its drawing is concerned.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// By process number: its lane now.
    alive: Vec<usize>,
    messages: Messages,
    state: State,
}

impl<'p> Recorder<'p> {
    pub fn new(program: &'p Program, initial: &State) -> Recorder<'p> {
        let mut recorder = Recorder {
            program,
            trace: Trace::default(),
            names: HashMap::new(),
            cursor: Cursor { alive: Vec::new(), messages: Messages::new(initial), state: initial.clone() },
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

    /// The next step; `after` is missing if an error stopped it half way.
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
        // Giving up control is no step to show; nothing but control changes.
        if !event.actions.is_empty() {
            self.trace.events.push(event);
        }
    }

    /// What is drawn so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    pub fn cursor(&self) -> Cursor {
        self.cursor.clone()
    }

    /// Back to where the cursor was, after so many events.
    pub fn rewind(&mut self, events: usize, cursor: Cursor) {
        self.trace.events.truncate(events);
        self.cursor = cursor;
    }

    /// The next step is the first of the cycle.
    pub fn mark_cycle(&mut self) {
        self.trace.cycle = Some(self.trace.events.len());
    }

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

    /// Who went where; processes get their lanes here.
    fn movements(&mut self, before: &State, after: &State) -> Vec<(usize, Option<u32>)> {
        let mut out = Vec::new();
        for lane in self.cursor.alive.drain(after.processes.len().min(self.cursor.alive.len())..) {
            out.push((lane, None));
        }
        for (pid, process) in after.processes.iter().enumerate() {
            let kind = process.process_type.index();
            let name = format!("{}[{pid}]", self.program.process_types[kind].name);
            let known = before.processes.get(pid).filter(|old| old.process_type == process.process_type);
            if pid >= self.cursor.alive.len() || known.is_none() {
                let lanes = &mut self.trace.lanes;
                let lane = lanes.iter().position(|lane| lane.process == name).unwrap_or(lanes.len());
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
    /// A run whose states are known; `cycle` is the step at which it begins to repeat itself.
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

    /// Adds conditions whose values are known by state of the run, `None` where nobody looked (inside of atomic sequences): there they
    /// are as they were before. Giving up control is no event, so the last value before the next event counts.
    #[must_use]
    pub fn with_atoms(mut self, steps: &[Step], names: &[String], values: &[Option<Vec<bool>>]) -> Trace {
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
                    known = value.as_ref().and_then(|value| value.get(number).copied()).unwrap_or(known);
                    by_state.push(known);
                }
                let at = |end: &usize| by_state.get(*end).or(by_state.last()).copied().unwrap_or(false);
                Atom { name: name.clone(), values: ends.iter().map(at).collect() }
            })
            .collect();
        self
    }

    /// What every variable holds after so many events.
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
