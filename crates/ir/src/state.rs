//! Unpacked states: the values of all variables, processes and channels, easy to inspect.
//! [`layout`](crate::layout) packs them.

use crate::program::{ChannelTypeId, LocationId, ProcessTypeId, Program};
use serde::{Deserialize, Serialize};

/// A process number; at most 255 processes exist at a time.
pub type Pid = u8;

/// A state of a program.
#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct State {
    /// The values of the global variables, by slot.
    pub globals: Vec<i32>,
    /// By number. Processes form a stack: only the last one can cease to exist.
    pub processes: Vec<Process>,
    /// Channel number `n` is at index `n - 1`; the number 0 denotes no channel.
    pub channels: Vec<Channel>,
    /// The process inside an atomic sequence that has exclusive control.
    pub exclusive: Option<Pid>,
    /// The process that moved last; 0 if the program does not remember it.
    pub last: Pid,
    /// The other process of the last step; 0 if the program does not remember it.
    #[serde(default)]
    pub partner: Pid,
    /// The location of the event trace (0 if there is none).
    pub event: u32,
}

/// A process.
#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// Its type.
    pub process_type: ProcessTypeId,
    /// Its location.
    pub location: LocationId,
    /// 1 unless the program uses priorities.
    pub priority: u8,
    /// The values of its variables, by slot.
    pub locals: Vec<i32>,
}

/// A channel.
#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Channel {
    /// Its type.
    pub channel_type: ChannelTypeId,
    /// The process with which the channel ceases to exist; `None` for a global channel.
    pub owner: Option<Pid>,
    /// The fields of the messages, first message first.
    pub contents: Vec<i32>,
}

/// Implements `Clone` with a `clone_from` that reuses allocations, which `derive` does not.
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

impl Process {
    /// A process without variables, in whose place another is put.
    pub(crate) fn blank() -> Process {
        let (process_type, location) = (ProcessTypeId(0), LocationId(0));
        Process { process_type, location, priority: 0, locals: Vec::new() }
    }
}

impl Channel {
    /// An empty channel, in whose place another is put.
    pub(crate) fn blank() -> Channel {
        Channel { channel_type: ChannelTypeId(0), owner: None, contents: Vec::new() }
    }
}

impl State {
    /// The approximate memory consumption.
    pub fn memory_bytes(&self) -> usize {
        /// The overhead of an allocation.
        const ALLOCATION: usize = 16;
        let values = |values: &Vec<i32>| size_of_val(&values[..]) + ALLOCATION;
        let process = |process: &Process| size_of::<Process>() + values(&process.locals);
        let channel = |channel: &Channel| size_of::<Channel>() + values(&channel.contents);
        size_of::<State>()
            + values(&self.globals)
            + self.processes.iter().map(process).sum::<usize>()
            + self.channels.iter().map(channel).sum::<usize>()
    }

    /// A new process, whose variables have their defaults.
    pub fn new_process(program: &Program, process_type: ProcessTypeId, priority: u8) -> Process {
        let kind = program.process_type(process_type);
        Process {
            process_type,
            location: kind.initial_location,
            priority,
            locals: defaults(&kind.variables),
        }
    }

    /// A state without processes and channels, whose variables have their defaults.
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
