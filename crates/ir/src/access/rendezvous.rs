//! The two sides of a rendezvous: the receives that can complete a send, and their contribution to
//! the access of the send.

use super::channels::ChannelSet;
use super::collect::{Collector, Phase};
use super::{Access, Resource, widen};
use crate::expression::Expr;
use crate::program::{LocationId, Operation, ProcessTypeId};
use std::collections::BTreeSet;

impl Collector<'_> {
    pub fn may_be_rendezvous(&self, reader: ProcessTypeId, channel: &Expr) -> bool {
        let rendezvous = |kind| self.program.channel_type(kind).capacity == 0;
        match self.channels.value(Some(reader), channel) {
            ChannelSet::Any => self.program.channel_types.iter().any(|kind| kind.capacity == 0),
            ChannelSet::Known(numbers) => {
                numbers.iter().any(|&number| match self.channels.type_of(number) {
                    Some(kind) => rendezvous(kind),
                    None => {
                        number > 0
                            && self.program.channel_types.iter().any(|kind| kind.capacity == 0)
                    }
                })
            }
        }
    }

    /// Adds the accesses of all processes that can receive from the channel.
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

    /// The possible channels of the receive; `None` if evaluating the channel can fail.
    fn certain_channels(
        &self,
        receiver: ProcessTypeId,
        receive: &Operation,
    ) -> Option<BTreeSet<i32>> {
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

/// A transition that may complete a rendezvous. In the middle of a rendezvous its guard is
/// evaluated, which may fail, unless its possible channels are known to be other ones.
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

/// The receives of an operation, which can complete a rendezvous.
pub(super) fn receives(operation: &Operation) -> Vec<&Operation> {
    let mut found = Vec::new();
    operation.for_each_simple(&mut |simple| {
        if matches!(simple, Operation::Receive { .. }) {
            found.push(simple);
        }
    });
    found
}
