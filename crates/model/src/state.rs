//! A state, spelled out: what every variable, process and channel holds. Plain and easy to inspect;
//! [`layout`](crate::layout) packs it.

use crate::program::{ChannelTypeId, LocationId, ProcessTypeId, Program};
use serde::{Deserialize, Serialize};

/// A process number; at most 255 processes exist at a time.
pub type Pid = u8;

#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct State {
    pub globals: Vec<i32>,
    /// By number. Processes form a stack: only the last can cease to exist.
    pub processes: Vec<Process>,
    /// Channel number `n` is at index `n - 1`; 0 is no channel.
    pub channels: Vec<Channel>,
    /// The process inside an atomic sequence that still has control.
    pub exclusive: Option<Pid>,
    /// The process that moved last, if the program asks (else 0).
    pub last: Pid,
    /// The process that moved with it, if the program asks (else 0).
    #[serde(default)]
    pub partner: Pid,
    /// The location of the event trace (0 if there is none).
    pub event: u32,
}

#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    pub process_type: ProcessTypeId,
    pub location: LocationId,
    /// 1 unless the program uses priorities.
    pub priority: u8,
    pub locals: Vec<i32>,
}

#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Channel {
    pub channel_type: ChannelTypeId,
    /// The process whose end destroys the channel; `None` for a global one.
    pub owner: Option<Pid>,
    /// The messages, head first, field after field.
    pub contents: Vec<i32>,
}

/// Written out for `clone_from`, which uses the memory that is there.
macro_rules! clone_by_field {
    ($name:ident { $($field:ident),* }) => {
        impl Clone for $name {
            fn clone(&self) -> $name {
                $name { $($field: self.$field.clone()),* }
            }

            fn clone_from(&mut self, source: &$name) {
                let $name { $($field),* } = source;
                $(self.$field.clone_from($field);)*
            }
        }
    };
}

clone_by_field!(State { globals, processes, channels, exclusive, last, partner, event });
clone_by_field!(Process { process_type, location, priority, locals });
clone_by_field!(Channel { channel_type, owner, contents });

impl State {
    /// About how much memory it takes.
    pub fn memory_bytes(&self) -> usize {
        /// What the allocator needs beside what it gives.
        const ALLOCATION: usize = 16;
        let values = |values: &Vec<i32>| size_of_val(&values[..]) + ALLOCATION;
        let process = |process: &Process| size_of::<Process>() + values(&process.locals);
        let channel = |channel: &Channel| size_of::<Channel>() + values(&channel.contents);
        size_of::<State>()
            + values(&self.globals)
            + self.processes.iter().map(process).sum::<usize>()
            + self.channels.iter().map(channel).sum::<usize>()
    }

    /// What a process holds before it starts: everything at its default.
    pub fn new_process(program: &Program, process_type: ProcessTypeId, priority: u8) -> Process {
        let kind = program.process_type(process_type);
        Process { process_type, location: kind.initial_location, priority, locals: defaults(&kind.variables) }
    }

    /// No processes, no channels, variables at their defaults.
    pub fn empty(program: &Program) -> State {
        State {
            globals: defaults(&program.variables),
            processes: Vec::new(),
            channels: Vec::new(),
            exclusive: None,
            last: 0,
            partner: 0,
            event: program.event_trace.as_ref().map_or(0, |trace| trace.initial),
        }
    }
}

fn defaults(variables: &crate::program::Variables) -> Vec<i32> {
    let mut values = vec![0; variables.slot_count()];
    for variable in variables.iter() {
        values[variable.slots()].fill(variable.domain.default_value());
    }
    values
}
