//! The two sides of a rendezvous: which receives can answer a send, and what that adds to the send's access.

use super::channels::ChannelSet;
use super::collect::{Collector, Phase};
use super::{Access, Resource, widen};
use crate::expression::Expr;
use crate::program::{BranchKind, LocationId, Operation, ProcessTypeId};
use std::collections::BTreeSet;

impl Collector<'_> {
    pub fn may_be_rendezvous(&self, reader: ProcessTypeId, channel: &Expr) -> bool {
        let rendezvous = |kind| self.program.channel_type(kind).capacity == 0;
        match self.channels.value(Some(reader), channel) {
            ChannelSet::Any => self.program.channel_types.iter().any(|kind| kind.capacity == 0),
            ChannelSet::Known(numbers) => numbers.iter().any(|&number| match self.channels.type_of(number) {
                Some(kind) => rendezvous(kind),
                None => number > 0 && self.program.channel_types.iter().any(|kind| kind.capacity == 0),
            }),
        }
    }

    /// The other side of a rendezvous: whatever a process that can receive from the channel would touch.
    pub fn partners(&self, sender: ProcessTypeId, channel: &Expr, access: &mut Access) {
        let sent = self.channels.value(Some(sender), channel);
        access.enabling.insert(Resource::Processes);
        for receiver in self.receivers.iter().filter(|receiver| receiver.may_meet(&sent)) {
            let Receiver { kind, location, index, .. } = *receiver;
            include_widened(access, &self.one_side(kind, location, index, Phase::HalfWay), kind);
        }
    }

    pub fn receivers(&self) -> Vec<Receiver> {
        let mut receivers = Vec::new();
        for (number, kind) in self.program.process_types.iter().enumerate() {
            let id = ProcessTypeId(number as u32);
            for (number, location) in kind.locations.iter().enumerate() {
                for (index, transition) in location.transitions.iter().enumerate() {
                    for receive in receives(&transition.operation) {
                        let elsewhere = self.certain_channels(id, receive);
                        receivers.push(Receiver {
                            kind: id,
                            location: LocationId(number as u32),
                            index,
                            elsewhere,
                        });
                    }
                }
            }
        }
        receivers
    }

    /// The channels the receive can be from, if finding that out can never go wrong.
    fn certain_channels(&self, receiver: ProcessTypeId, receive: &Operation) -> Option<BTreeSet<i32>> {
        let Operation::Receive { channel, keep: false, .. } = receive else { return None };
        let certain = match channel {
            Expr::Const(_) => true,
            Expr::Read(place) if place.indices.is_empty() => true,
            Expr::Read(place) => {
                matches!(self.resource(Some(receiver), place), Some(Resource::Global(_, Some(_))))
            }
            _ => false,
        };
        match self.channels.value(Some(receiver), channel) {
            ChannelSet::Known(numbers) if certain => {
                let exist = numbers.iter().all(|&number| self.channels.type_of(number).is_some());
                exist.then_some(numbers)
            }
            _ => None,
        }
    }
}

/// A transition that may answer a rendezvous. Half way through one it is at least looked at, and that can go wrong, unless
/// it names channels that are certainly others.
pub(super) struct Receiver {
    kind: ProcessTypeId,
    location: LocationId,
    index: usize,
    elsewhere: Option<BTreeSet<i32>>,
}

impl Receiver {
    fn may_meet(&self, sent: &ChannelSet) -> bool {
        match (sent, &self.elsewhere) {
            (ChannelSet::Known(sent), Some(numbers)) => !numbers.is_disjoint(sent),
            _ => true,
        }
    }
}

fn include_widened(access: &mut Access, there: &Access, receiver: ProcessTypeId) {
    let wide = |resource: &Resource| widen(*resource, receiver);
    access.enabling.extend(there.enabling.iter().map(wide));
    access.reads.extend(there.reads.iter().map(wide));
    access.writes.extend(there.writes.iter().map(wide));
    access.channels.extend(&there.channels);
}

/// The receives an operation can answer a rendezvous with.
pub(super) fn receives(operation: &Operation) -> Vec<&Operation> {
    match operation {
        Operation::Receive { .. } => vec![operation],
        Operation::Deterministic(body) => {
            let inside = body.nodes.iter().flatten().filter_map(|branch| match &branch.kind {
                BranchKind::Operation(inside @ Operation::Receive { .. }) => Some(inside),
                _ => None,
            });
            inside.collect()
        }
        _ => Vec::new(),
    }
}
