//! The parts of the state that a transition reads and writes, computed statically.
//!
//! The sets are conservative: a step changes nothing outside `writes`, and its enabledness and its
//! effect (errors included) depend on nothing outside `reads`. Hence two transitions of different
//! processes that do not [interfere](Access::interferes) are independent in the sense of
//! partial-order reduction: neither enables or disables the other, and both orders lead to the same
//! state.
//!
//! A rendezvous is one step of two processes. It belongs to the sender, whose sets include those of
//! all possible receivers; a receive from a rendezvous channel is never a step by itself.
//!
//! `channels` finds the channels that an expression can denote, `collect` traverses operations and
//! expressions, `rendezvous` combines the two sides of a rendezvous, this file owns the sets.
//! Nothing here depends on searches.

mod channels;
mod collect;
mod rendezvous;

pub use channels::ChannelSet;
pub(crate) use channels::{Channels, constant_element};

use crate::program::{LocationId, ProcessTypeId, Program, VariableId};
use collect::Collector;
use std::collections::BTreeSet;

/// A part of the state, as named by one process. The element `None` stands for all elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// A global variable.
    Global(VariableId, Option<u32>),
    /// A variable of the process itself.
    Local(VariableId, Option<u32>),
    /// A variable of a process of this type, perhaps another one.
    Remote(ProcessTypeId, VariableId, Option<u32>),
    /// The location of the process itself.
    Location,
    /// The location of a process of this type.
    LocationOf(ProcessTypeId),
    /// The contents of the channel with this number, which the program's prologue creates.
    Channel(u32),
    /// The contents of a channel without a known number.
    AnyChannel,
    /// The set of existing channels.
    Channels,
    /// The set of existing processes.
    Processes,
    /// The priorities of processes.
    Priorities,
    /// The process that moved last.
    Last,
    /// The process inside an atomic sequence. Every transition reads it; while there is none, only
    /// transitions that keep control write it.
    Control,
    /// The location of the event trace.
    Event,
    /// The whole state, on which `timeout`, `enabled` and priorities depend.
    Everything,
}

/// The use of a channel, for analyses that know that the two ends of a queue are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChannelUse {
    /// Adds a message.
    Send,
    /// Removes a message.
    Receive,
    /// Reads the contents or the length.
    Inspect,
}

/// A set of parts of the state.
pub type Resources = BTreeSet<Resource>;

/// The access of one transition, or of an expression, which writes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The reads that decide whether the transition is enabled; a subset of `reads`.
    pub enabling: Resources,
    /// The parts that may be read.
    pub reads: Resources,
    /// The parts that may be written.
    pub writes: Resources,
    /// The used channels by number; `None` stands for any channel.
    pub channels: BTreeSet<(Option<u32>, ChannelUse)>,
}

impl Access {
    /// Whether a step of a process of type `own` with this access and a step of another process
    /// with `other` may depend on each other.
    pub fn interferes(&self, own: ProcessTypeId, other: &Access, others: ProcessTypeId) -> bool {
        let meet = |writes: &Resources,
                    writer: ProcessTypeId,
                    touched: &Resources,
                    toucher: ProcessTypeId| {
            writes.iter().any(|&written| {
                touched.iter().any(|&resource| overlap(written, writer, resource, toucher))
            })
        };
        meet(&self.writes, own, &other.reads, others)
            || meet(&self.writes, own, &other.writes, others)
            || meet(&other.writes, others, &self.reads, own)
    }

    fn include(&mut self, other: &Access) {
        self.enabling.extend(&other.enabling);
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.channels.extend(&other.channels);
    }
}

/// Whether the two may be the same part of the state, as named by two different processes of these
/// types.
pub fn overlap(one: Resource, own: ProcessTypeId, other: Resource, others: ProcessTypeId) -> bool {
    let same =
        |one: Option<u32>, other: Option<u32>| one.is_none() || other.is_none() || one == other;
    match (widen(one, own), widen(other, others)) {
        _ if is_private(one) && is_private(other) => false,
        (Resource::Everything, _) | (_, Resource::Everything) => true,
        (Resource::Global(a, i), Resource::Global(b, j)) => a == b && same(i, j),
        (Resource::Remote(s, a, i), Resource::Remote(t, b, j)) => s == t && a == b && same(i, j),
        (Resource::AnyChannel, Resource::Channel(_))
        | (Resource::Channel(_), Resource::AnyChannel) => true,
        (a, b) => a == b,
    }
}

fn is_private(resource: Resource) -> bool {
    matches!(resource, Resource::Local(..) | Resource::Location)
}

/// The resource as named by other processes.
fn widen(resource: Resource, process_type: ProcessTypeId) -> Resource {
    match resource {
        Resource::Local(variable, element) => Resource::Remote(process_type, variable, element),
        Resource::Location => Resource::LocationOf(process_type),
        other => other,
    }
}

/// The accesses of all transitions of a program.
#[derive(Clone, Debug)]
pub struct AccessTable {
    /// By process type, location and transition.
    accesses: Vec<Vec<Vec<Access>>>,
}

impl AccessTable {
    /// Computes the accesses of a program, which must follow the rules of the IR.
    pub fn new(program: &Program) -> AccessTable {
        let collector = Collector::new(program);
        let accesses = (0..program.process_types.len())
            .map(|kind| {
                let kind = ProcessTypeId(kind as u32);
                let locations = &program.process_type(kind).locations;
                (0..locations.len())
                    .map(|location| {
                        let count = locations[location].transitions.len();
                        let location = LocationId(location as u32);
                        (0..count)
                            .map(|index| collector.transition(kind, location, index))
                            .collect()
                    })
                    .collect()
            })
            .collect();
        AccessTable { accesses }
    }

    /// The access of a transition.
    pub fn transition(&self, kind: ProcessTypeId, location: LocationId, index: usize) -> &Access {
        &self.accesses[kind.index()][location.index()][index]
    }
}

/// The parts that an expression reads, evaluated by a process of the type or by no process.
pub fn expression_reads(
    program: &Program,
    reader: Option<ProcessTypeId>,
    expr: &crate::expression::Expr,
) -> Resources {
    let mut access = Access::default();
    Collector::new(program).expression(reader, expr, &mut access);
    access.reads
}
