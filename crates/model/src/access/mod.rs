//! What a transition reads and writes, known without running it.
//!
//! The sets are conservative: a step changes nothing outside `writes`, and neither whether it can be taken nor
//! what it does (errors included) depends on anything outside `reads`. [`interferes`](Access::interferes) is built on
//! that: two transitions of different processes that do not interfere are independent in the sense of the
//! literature on partial orders: neither enables or disables the other, and in either order they lead to the same state.
//!
//! A rendezvous is one step of two processes. It is found at the sender, whose sets include what all possible
//! receivers would do; a receive from a rendezvous channel never happens by itself.
//!
//! `channels` finds out which channels an expression can mean, `collect` walks operations and expressions,
//! `rendezvous` joins the two sides of one, this file owns the sets. Nothing here knows a search.

mod channels;
mod collect;
mod rendezvous;

pub use channels::ChannelSet;
pub(crate) use channels::{Channels, constant_element};

use crate::program::{LocationId, ProcessTypeId, Program, VariableId};
use collect::Collector;
use std::collections::BTreeSet;

/// A part of the state, as seen by one process. `None` for an element means any of the variable's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    Global(VariableId, Option<u32>),
    /// A variable of the process itself.
    Local(VariableId, Option<u32>),
    /// A variable of some process of this type, perhaps another one.
    Remote(ProcessTypeId, VariableId, Option<u32>),
    /// Where the process itself is.
    Location,
    /// Where some process of this type is.
    LocationOf(ProcessTypeId),
    /// What is in the channel with this number, one that the program's prologue creates.
    Channel(u32),
    /// What is in a channel nobody could name beforehand.
    AnyChannel,
    /// Which channels exist.
    Channels,
    /// Which processes exist.
    Processes,
    Priorities,
    /// Who moved last.
    Last,
    /// Who is inside an atomic sequence. Every transition reads it; in states where nobody is, only those that
    /// keep control change it.
    Control,
    /// Where the event trace is.
    Event,
    /// All of the state: what `timeout`, `enabled` and priorities ask about.
    Everything,
}

/// How a channel is used, for those who know more about queues than that both ends touch them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChannelUse {
    Send,
    /// Takes a message.
    Receive,
    /// Looks without taking.
    Inspect,
}

pub type Resources = BTreeSet<Resource>;

/// What one transition (or expression, which writes nothing) touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// On what it depends whether the transition can be taken; part of `reads`.
    pub enabling: Resources,
    pub reads: Resources,
    pub writes: Resources,
    /// By channel number; `None` is any channel.
    pub channels: BTreeSet<(Option<u32>, ChannelUse)>,
}

impl Access {
    /// Can a step of one process with this access and a step of another with `other` get in each other's way?
    pub fn interferes(&self, own: ProcessTypeId, other: &Access, others: ProcessTypeId) -> bool {
        let meet =
            |writes: &Resources, writer: ProcessTypeId, touched: &Resources, toucher: ProcessTypeId| {
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

/// Can the two be the same part of the state, seen by two different processes of these types?
pub fn overlap(one: Resource, own: ProcessTypeId, other: Resource, others: ProcessTypeId) -> bool {
    let same = |one: Option<u32>, other: Option<u32>| one.is_none() || other.is_none() || one == other;
    match (widen(one, own), widen(other, others)) {
        _ if is_private(one) && is_private(other) => false,
        (Resource::Everything, _) | (_, Resource::Everything) => true,
        (Resource::Global(a, i), Resource::Global(b, j)) => a == b && same(i, j),
        (Resource::Remote(s, a, i), Resource::Remote(t, b, j)) => s == t && a == b && same(i, j),
        (Resource::AnyChannel, Resource::Channel(_)) | (Resource::Channel(_), Resource::AnyChannel) => true,
        (a, b) => a == b,
    }
}

fn is_private(resource: Resource) -> bool {
    matches!(resource, Resource::Local(..) | Resource::Location)
}

/// The resource as any process names it.
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
    /// The program must keep the IR's rules.
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
                        (0..count).map(|index| collector.transition(kind, location, index)).collect()
                    })
                    .collect()
            })
            .collect();
        AccessTable { accesses }
    }

    pub fn transition(&self, kind: ProcessTypeId, location: LocationId, index: usize) -> &Access {
        &self.accesses[kind.index()][location.index()][index]
    }
}

/// What an expression reads, evaluated by a process of the type or by nobody.
pub fn expression_reads(
    program: &Program,
    reader: Option<ProcessTypeId>,
    expr: &crate::expression::Expr,
) -> Resources {
    let mut access = Access::default();
    Collector::new(program).expression(reader, expr, &mut access);
    access.reads
}
