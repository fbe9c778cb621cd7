//! Anticipation: the room that a layout has beyond the observed values, after a misfit.
//!
//! A misfit costs a pause in which all known states are recoded and all code is compiled again; a
//! wider state only costs memory. So the room grows with the number of misfits, up to the proven
//! ranges, the capacities of the channels and the largest number of processes: after [`ROOM`] is
//! exhausted, no state misfits. What one process of a type or one channel of a type has shown is
//! expected of all of them.

use super::Layout;
use super::profile::{ChannelSeen, ChannelSlotSeen, Interval, ProcessSeen, Profile, SlotSeen};
use crate::expression::Scope;
use crate::program::{
    Action, ChannelTypeId, Meaning, ProcessType, ProcessTypeId, Program, Variable, VariableId,
};
use std::sync::Arc;

/// The room after a misfit.
struct Room {
    /// Factor by which a range that was too narrow is extended beyond the observed values.
    headroom: i64,
    /// A proven range is represented if that takes at most this number of bits for all elements of
    /// the variable, …
    trusted_bits: u32,
    /// … or at most this number of bits more for each element.
    additional_bits: u32,
    /// Factor by which a channel that was too short is lengthened.
    length: u32,
    /// Whether every channel has room for its capacity.
    capacity: bool,
    /// If processes or channels were added, the room for them in halves of their number.
    components_in_halves: usize,
    /// Whether types of processes and channels that were not observed have room, too.
    unseen: bool,
    /// Whether every reachable state has room.
    everything: bool,
}

/// The room after the first, second, … misfit. The first keeps narrow states narrow: many searches
/// have a single misfit. The third includes bytes.
const ROOM: [Room; 7] = {
    const fn room(headroom: i64, trusted_bits: u32, additional_bits: u32, length: u32) -> Room {
        let (capacity, unseen, everything, components_in_halves) = (false, false, false, 4);
        Room {
            headroom,
            trusted_bits,
            additional_bits,
            length,
            capacity,
            components_in_halves,
            unseen,
            everything,
        }
    }
    let all = room(1 << 32, u32::MAX, u32::MAX, u32::MAX);
    [
        Room { components_in_halves: 3, ..room(4, 0, 0, 2) },
        Room { components_in_halves: 3, ..room(16, 4, 1, 4) },
        room(256, 8, 2, 8),
        room(1 << 12, 64, 4, u32::MAX),
        Room { components_in_halves: 6, ..room(1 << 16, 1024, 8, u32::MAX) },
        Room { components_in_halves: 8, capacity: true, unseen: true, ..all },
        Room {
            components_in_halves: usize::MAX,
            capacity: true,
            unseen: true,
            everything: true,
            ..all
        },
    ]
};

impl Profile {
    /// Makes room for more than was observed. `before` is the profile before the misfit. Room that
    /// makes the state no longer than necessary is taken at once.
    pub fn anticipate(&mut self, program: &Program, before: &Profile) {
        let level = self.misfits.min(ROOM.len() - 1);
        self.misfits += 1;
        let needed = self.with_room(program, before, &ROOM[level]);
        let words = |profile: &Profile| Layout::new(program, profile).width.identity;
        let most = words(&needed);
        // Not for what is constant: generated code is faster for constants.
        let free = ROOM[level + 1..].iter().rev().filter(|room| !room.unseen);
        let mut free = free.map(|room| self.with_room(program, before, room));
        *self = free.find(|wider| words(wider) <= most).unwrap_or(needed);
    }

    fn with_room(&self, program: &Program, before: &Profile, room: &Room) -> Profile {
        let mut wide = self.clone();
        wide.extend_grown(program, before, room);
        wide.add_processes(program, before, room);
        wide.add_channels(program, before, room);
        // Other processes of the same type probably behave alike, and each would cause a misfit.
        wide.share(program);
        wide.trust_proven(program, room);
        wide
    }

    /// Extends the ranges that grew since `before` further: a range that grew once tends to grow
    /// again.
    fn extend_grown(&mut self, program: &Program, before: &Profile, room: &Room) {
        let widen = |seen: &mut Interval, before: Interval, proven: Interval| {
            let more = (seen.high - seen.low + 1).saturating_mul(room.headroom - 1);
            let mut wide = *seen;
            if seen.high > before.high {
                wide.high = wide.high.saturating_add(more);
            }
            if seen.low < before.low {
                wide.low = wide.low.saturating_sub(more);
            }
            *seen = seen.join(wide.meet(proven.join(*seen)));
        };
        let ranges = Arc::clone(&self.ranges);
        for (number, variable) in (0..).zip(program.variables.iter()) {
            let proven = ranges.global(VariableId(number));
            for slot in variable.slots() {
                widen(&mut self.globals[slot], before.globals[slot], proven);
            }
        }
        for (slot, before) in self.processes.iter_mut().zip(&before.processes) {
            if slot.priority != before.priority || room.everything && program.has_priorities {
                slot.priority = Interval { low: 0, high: 255 };
            }
            // New components are at the end.
            for (seen, before) in slot.kinds.iter_mut().zip(&before.kinds) {
                let variables = &program.process_type(seen.process_type).variables;
                for (number, variable) in (0..).zip(variables.iter()) {
                    let proven = ranges.local(seen.process_type, VariableId(number));
                    for slot in variable.slots() {
                        widen(&mut seen.locals[slot], before.locals[slot], proven);
                    }
                }
            }
        }
        for (slot, before) in self.channels.iter_mut().zip(&before.channels) {
            for (seen, before) in slot.kinds.iter_mut().zip(&before.kinds) {
                if seen.longest > before.longest {
                    seen.longest = seen.longest.saturating_mul(room.length);
                }
                for (number, (field, before)) in
                    seen.fields.iter_mut().zip(&before.fields).enumerate()
                {
                    if let (Some(field), Some(before)) = (field, before) {
                        widen(field, *before, ranges.channel_field(seen.channel_type, number));
                    }
                }
            }
        }
        for seen in self.channels.iter_mut().flat_map(|slot| &mut slot.kinds) {
            let capacity = program.channel_type(seen.channel_type).capacity;
            seen.longest = if room.capacity { capacity } else { seen.longest.min(capacity) };
        }
    }

    /// If a process got a new number or a new type since `before`, makes room for more processes,
    /// and for each type at all numbers between those that its processes had.
    fn add_processes(&mut self, program: &Program, before: &Profile, room: &Room) {
        if self.process_count != before.process_count || room.everything {
            self.process_count.low = 0;
        }
        let fixed = program.initial_processes.len();
        let types = |slots: &[SlotSeen]| -> Vec<(usize, ProcessTypeId)> {
            let dynamic =
                |(number, slot): &(usize, &SlotSeen)| *number >= fixed || slot.kinds.len() > 1;
            let slots = slots.iter().enumerate().filter(dynamic);
            slots
                .flat_map(|(number, slot)| {
                    slot.kinds.iter().map(move |kind| (number, kind.process_type))
                })
                .collect()
        };
        let (now, earlier) = (types(&self.processes), types(&before.processes));
        if now.len() == earlier.len() && !room.everything {
            return;
        }
        let mut extents = Extents::new(&now, &earlier, room);
        if room.unseen {
            extents.cover_all(created_types(program));
        }
        let mut patterns: Vec<ProcessSeen> = Vec::new();
        for &(process_type, ..) in &extents.0 {
            let all = self.processes.iter().flat_map(|slot| &slot.kinds);
            let mut all = all.filter(|seen| seen.process_type == process_type);
            let first = all.next().cloned();
            let mut pattern = first.unwrap_or_else(|| ProcessSeen::unseen(program, process_type));
            for seen in all {
                pattern.locals.iter_mut().zip(&seen.locals).for_each(|(own, other)| {
                    *own = own.join(*other);
                });
            }
            patterns.push(pattern);
        }
        let dynamic: Vec<usize> = now.iter().map(|(number, _)| *number).collect();
        let known = self.processes.len();
        if known > before.processes.len() || room.everything {
            let priority = self.processes.iter().map(|slot| slot.priority).reduce(Interval::join);
            let priority = priority.unwrap_or(Interval::point(1));
            let most = room.components(known, self.ranges.most_processes());
            self.processes.resize(most, SlotSeen { kinds: Vec::new(), priority });
            self.process_count.high = most as i64;
        }
        for (number, slot) in self.processes.iter_mut().enumerate() {
            if number < known && !dynamic.contains(&number) && !room.everything {
                continue;
            }
            let fitting = |seen: &&ProcessSeen| extents.cover(seen.process_type, number);
            patterns.iter().filter(fitting).for_each(|pattern| slot.add(pattern));
            if slot.kinds.is_empty() {
                slot.kinds.clone_from(&patterns);
            }
        }
    }

    /// As [`add_processes`](Profile::add_processes), for channels.
    fn add_channels(&mut self, program: &Program, before: &Profile, room: &Room) {
        if self.channel_count != before.channel_count || room.everything {
            self.channel_count.low = 0;
        }
        let fixed =
            program.prologue.iter().filter(|action| matches!(action, Action::NewChannel { .. }));
        let fixed = fixed.count();
        let types = |slots: &[ChannelSlotSeen]| -> Vec<(usize, ChannelTypeId)> {
            let slots = slots.iter().enumerate().skip(fixed);
            slots
                .flat_map(|(number, slot)| {
                    slot.kinds.iter().map(move |kind| (number, kind.channel_type))
                })
                .collect()
        };
        let owners = |slots: &[ChannelSlotSeen]| slots.iter().map(|slot| slot.owner.high).max();
        let (now, earlier) = (types(&self.channels), types(&before.channels));
        let owners_grew = owners(&self.channels) != owners(&before.channels);
        if now.len() == earlier.len() && !owners_grew && !room.everything {
            return;
        }
        let mut extents = Extents::new(&now, &earlier, room);
        if room.unseen {
            extents.cover_all(owned_types(program));
        }
        let mut patterns: Vec<ChannelSeen> = Vec::new();
        for &(channel_type, ..) in &extents.0 {
            let all = self.channels.iter().flat_map(|slot| &slot.kinds);
            let mut pattern = ChannelSeen::unseen(program, channel_type);
            all.filter(|seen| seen.channel_type == channel_type)
                .for_each(|seen| pattern.include(seen));
            if room.capacity {
                pattern.longest = program.channel_type(channel_type).capacity;
            }
            patterns.push(pattern);
        }
        let known = self.channels.len();
        // Any process can own a channel.
        let owner = Interval { low: 0, high: self.processes.len() as i64 };
        if known > before.channels.len() || room.everything {
            let most = room.components(known, self.ranges.most_channels());
            self.channels.resize(most, ChannelSlotSeen { kinds: Vec::new(), owner });
            self.channel_count.high = most as i64;
        }
        for (number, slot) in self.channels.iter_mut().enumerate().skip(fixed) {
            slot.owner = slot.owner.join(owner);
            let fitting = |seen: &&ChannelSeen| extents.cover(seen.channel_type, number);
            patterns.iter().filter(fitting).for_each(|pattern| slot.add(pattern));
            if slot.kinds.is_empty() {
                slot.kinds.clone_from(&patterns);
            }
        }
    }

    /// Represents the proven range of each variable that has few bits. Until everything is
    /// represented, constants are exceptions if they are channels or if no process of the type
    /// changes them after its start, because generated code is much faster for them.
    fn trust_proven(&mut self, program: &Program, room: &Room) {
        let ranges = Arc::clone(&self.ranges);
        let trusted = |proven: Interval, seen: Interval, elements: usize| {
            let bits = u64::from(proven.bits());
            bits * elements as u64 <= u64::from(room.trusted_bits)
                || bits <= u64::from(seen.bits().saturating_add(room.additional_bits))
        };
        let trust = |seen: &mut [Interval], variable: &Variable, proven: Interval, set: bool| {
            let is_constant = seen.iter().all(|interval| interval.is_point());
            if is_constant && !room.unseen && (variable.meaning == Meaning::Channel || !set) {
                return;
            }
            let joined = seen.iter().copied().reduce(Interval::join).unwrap_or(proven);
            if trusted(proven, joined, seen.len()) {
                seen.iter_mut().for_each(|seen| *seen = seen.join(proven));
            }
        };
        for (number, variable) in (0..).zip(program.variables.iter()) {
            let proven = ranges.global(VariableId(number));
            trust(&mut self.globals[variable.slots()], variable, proven, true);
        }
        let written: Vec<Vec<bool>> = program.process_types.iter().map(written_locals).collect();
        for seen in self.processes.iter_mut().flat_map(|slot| &mut slot.kinds) {
            let kind = seen.process_type;
            for (number, variable) in program.process_type(kind).variables.iter().enumerate() {
                let proven = ranges.local(kind, VariableId(number as u32));
                let set = written[kind.index()][number];
                trust(&mut seen.locals[variable.slots()], variable, proven, set);
            }
        }
        for seen in self.channels.iter_mut().flat_map(|slot| &mut slot.kinds) {
            for (number, field) in seen.fields.iter_mut().enumerate() {
                let proven = ranges.channel_field(seen.channel_type, number);
                let domain = program.channel_type(seen.channel_type).fields[number].domain;
                let known = field.unwrap_or(Interval::point(domain.default_value()));
                if trusted(proven, known, seen.longest.max(1) as usize) {
                    *field = Some(field.map_or(proven, |field| field.join(proven)));
                }
            }
        }
    }
}

/// For each type, the lowest and the highest number that its processes or channels are expected to
/// have.
struct Extents<K>(Vec<(K, usize, usize)>);

impl<K: Copy + PartialEq> Extents<K> {
    /// The observed numbers now and earlier. A type whose highest number has grown gets more.
    fn new(now: &[(usize, K)], earlier: &[(usize, K)], room: &Room) -> Extents<K> {
        let highest = |seen: &[(usize, K)], kind: K| {
            seen.iter().filter(|(_, other)| *other == kind).map(|(number, _)| *number).max()
        };
        let mut extents = Extents(Vec::new());
        for &(number, kind) in now {
            match extents.0.iter_mut().find(|(known, ..)| *known == kind) {
                Some((_, low, high)) => (*low, *high) = (number.min(*low), number.max(*high)),
                None => extents.0.push((kind, number, number)),
            }
        }
        for (kind, low, high) in &mut extents.0 {
            let grows = *low < *high && highest(earlier, *kind).is_none_or(|other| other < *high);
            if grows {
                *high = room.components(*high + 1, u32::MAX);
            }
        }
        extents
    }

    /// Expects these types at every number.
    fn cover_all(&mut self, kinds: Vec<K>) {
        for kind in kinds {
            self.0.retain(|(known, ..)| *known != kind);
            self.0.push((kind, 0, usize::MAX));
        }
    }

    fn cover(&self, kind: K, number: usize) -> bool {
        let own = self.0.iter().find(|(known, ..)| *known == kind);
        own.is_some_and(|(_, low, high)| (*low..=*high).contains(&number))
    }
}

impl Room {
    /// The room for processes or channels of which `now` are known and `most` are possible.
    fn components(&self, now: usize, most: u32) -> usize {
        (now.saturating_mul(self.components_in_halves) / 2).min(most as usize).max(now)
    }
}

impl SlotSeen {
    /// Adds a type, unless it is there already.
    fn add(&mut self, kind: &ProcessSeen) {
        if self.kinds.iter().all(|known| known.process_type != kind.process_type) {
            self.kinds.push(kind.clone());
        }
    }
}

impl ProcessSeen {
    fn unseen(program: &Program, process_type: ProcessTypeId) -> ProcessSeen {
        let default = |variable: &Variable| {
            let value = Interval::point(variable.domain.default_value());
            std::iter::repeat_n(value, variable.length() as usize)
        };
        let variables = &program.process_type(process_type).variables;
        ProcessSeen { process_type, locals: variables.iter().flat_map(default).collect() }
    }
}

impl ChannelSlotSeen {
    /// Adds a type, unless it is there already.
    fn add(&mut self, kind: &ChannelSeen) {
        if self.kinds.iter().all(|known| known.channel_type != kind.channel_type) {
            self.kinds.push(kind.clone());
        }
    }
}

impl ChannelSeen {
    fn unseen(program: &Program, channel_type: ChannelTypeId) -> ChannelSeen {
        let fields = vec![None; program.channel_type(channel_type).fields.len()];
        ChannelSeen { channel_type, longest: 0, fields }
    }
}

/// The types of which processes are created after the start.
fn created_types(program: &Program) -> Vec<ProcessTypeId> {
    let mut created = vec![false; program.process_types.len()];
    let locations = program.process_types.iter().flat_map(|kind| &kind.locations);
    for transition in locations.flat_map(|location| &location.transitions) {
        transition.operation.for_each_run(&mut |kind| created[kind.index()] = true);
    }
    (0..).map(ProcessTypeId).zip(created).filter(|(_, yes)| *yes).map(|(kind, _)| kind).collect()
}

/// The types of the channels that processes create.
fn owned_types(program: &Program) -> Vec<ChannelTypeId> {
    let actions = program.process_types.iter().flat_map(|kind| &kind.prologue);
    let types = actions.filter_map(|action| match action {
        Action::NewChannel { channel_type, .. } => Some(*channel_type),
        _ => None,
    });
    types.collect()
}

/// By local variable: whether a transition of the process writes it.
fn written_locals(process_type: &ProcessType) -> Vec<bool> {
    let mut written = vec![false; process_type.variables.len()];
    for transition in process_type.locations.iter().flat_map(|location| &location.transitions) {
        transition.operation.for_each_written(&mut |place| {
            if place.scope == Scope::Local {
                written[place.variable.index()] = true;
            }
        });
    }
    written
}
