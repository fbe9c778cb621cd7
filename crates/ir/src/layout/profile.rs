//! The observed values of a program: the range of each variable, and the processes and channels
//! observed under each number. A layout is made from a profile.
//!
//! The first profile is a sample (`sampling.rs`). After each misfit, values sampled from the misfit
//! are added, and room for more (`anticipation.rs`), so that there are only a few misfits.

use super::{Cells, Field, Layout};
use crate::budget::{Budget, UNLIMITED};
use crate::domain::Domain;
use crate::expression::{Place, Scope};
use crate::program::{
    Action, BranchKind, ChannelTypeId, Operation, ProcessTypeId, Program, VariableId, Variables,
};
use crate::ranges::{self, Ranges};
use crate::state::State;
use std::sync::Arc;

/// The numbers `low..=high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The lowest number.
    pub low: i64,
    /// The highest number.
    pub high: i64,
}

impl Interval {
    /// The interval of a single number.
    pub const fn point(value: i32) -> Interval {
        Interval { low: value as i64, high: value as i64 }
    }

    /// The values of a domain.
    pub fn of_domain(domain: Domain) -> Interval {
        match domain {
            Domain::Bits { bits: 32.., .. } => {
                Interval { low: i32::MIN.into(), high: i32::MAX.into() }
            }
            Domain::Bits { bits, signed: false } => Interval { low: 0, high: (1 << bits) - 1 },
            Domain::Bits { bits, signed: true } => {
                Interval { low: -(1 << (bits - 1)), high: (1 << (bits - 1)) - 1 }
            }
            Domain::Range { low, high } => Interval { low: low.into(), high: high.into() },
        }
    }

    /// The smallest interval that contains both.
    pub fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The intersection; `low > high` if it is empty.
    pub fn meet(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// Whether `other` is a part of this interval.
    pub fn contains(self, other: Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Whether the interval has a single number.
    pub fn is_point(self) -> bool {
        self.low == self.high
    }

    /// The number of bits that distinguish its numbers.
    pub fn bits(self) -> u32 {
        u64::BITS - ((self.high - self.low) as u64).leading_zeros()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProcessSeen {
    pub process_type: ProcessTypeId,
    /// By slot of the variables of the type.
    pub locals: Vec<Interval>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SlotSeen {
    pub kinds: Vec<ProcessSeen>,
    pub priority: Interval,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChannelSeen {
    pub channel_type: ChannelTypeId,
    pub longest: u32,
    /// By field; `None` while no message was observed.
    pub fields: Vec<Option<Interval>>,
}

impl ChannelSeen {
    /// Adds what was observed of another channel of the type.
    pub fn include(&mut self, other: &ChannelSeen) {
        self.longest = self.longest.max(other.longest);
        for (field, other) in self.fields.iter_mut().zip(&other.fields) {
            *field = match (*field, *other) {
                (Some(one), Some(other)) => Some(one.join(other)),
                (one, other) => one.or(other),
            };
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChannelSlotSeen {
    pub kinds: Vec<ChannelSeen>,
    /// As in [`ChannelSlot::owner`](super::ChannelSlot::owner).
    pub owner: Interval,
}

/// Observed and proven ranges; see the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Proven ranges: no layout needs to represent more.
    pub(super) ranges: Arc<Ranges>,
    /// By slot of the global variables.
    pub(super) globals: Vec<Interval>,
    pub(super) processes: Vec<SlotSeen>,
    pub(super) channels: Vec<ChannelSlotSeen>,
    pub(super) process_count: Interval,
    pub(super) channel_count: Interval,
    /// How often room was made for [more values](Profile::anticipate).
    pub(super) misfits: usize,
}

/// Bits by which a variable may exceed its observed width if that covers its proven range.
const TRUSTED_BITS: u32 = 4;

impl Profile {
    /// The profile of one state.
    pub fn of(program: &Program, state: &State) -> Profile {
        Profile::with_ranges(program, ranges::analyse(program), state)
    }

    fn with_ranges(program: &Program, ranges: Ranges, state: &State) -> Profile {
        let mut profile = Profile {
            ranges: Arc::new(ranges),
            globals: state.globals.iter().map(|&value| Interval::point(value)).collect(),
            processes: Vec::new(),
            channels: Vec::new(),
            process_count: Interval::point(state.processes.len() as i32),
            channel_count: Interval::point(state.channels.len() as i32),
            misfits: 0,
        };
        profile.include(program, state);
        profile
    }

    /// The profile of the initial states.
    pub fn initial(program: &Program, states: &[State]) -> Profile {
        Profile::initial_within(program, states, &UNLIMITED)
    }

    /// As [`initial`](Profile::initial), with a range analysis that stays within a budget.
    pub fn initial_within(program: &Program, states: &[State], budget: &Budget) -> Profile {
        let ranges = ranges::analyse_within(program, budget);
        let Some(first) = states.first() else {
            return Profile::with_ranges(program, ranges, &State::empty(program));
        };
        let mut profile = Profile::with_ranges(program, ranges, first);
        for state in states {
            profile.include(program, state);
        }
        profile
    }

    /// Adds the values of a state.
    pub fn include(&mut self, program: &Program, state: &State) {
        extend(&mut self.globals, &state.globals);
        self.process_count = self.process_count.join(Interval::point(state.processes.len() as i32));
        self.channel_count = self.channel_count.join(Interval::point(state.channels.len() as i32));
        for (pid, process) in state.processes.iter().enumerate() {
            let priority = Interval::point(i32::from(process.priority));
            if pid == self.processes.len() {
                self.processes.push(SlotSeen { kinds: Vec::new(), priority });
            }
            let slot = &mut self.processes[pid];
            slot.priority = slot.priority.join(priority);
            match slot.kinds.iter_mut().find(|kind| kind.process_type == process.process_type) {
                Some(kind) => extend(&mut kind.locals, &process.locals),
                None => slot.kinds.push(ProcessSeen {
                    process_type: process.process_type,
                    locals: process.locals.iter().map(|&value| Interval::point(value)).collect(),
                }),
            }
        }
        for (index, channel) in state.channels.iter().enumerate() {
            let owner = Interval::point(channel.owner.map_or(0, |pid| i32::from(pid) + 1));
            if index == self.channels.len() {
                self.channels.push(ChannelSlotSeen { kinds: Vec::new(), owner });
            }
            let slot = &mut self.channels[index];
            slot.owner = slot.owner.join(owner);
            let channel_type = program.channel_type(channel.channel_type);
            let width = channel_type.fields.len();
            let position =
                slot.kinds.iter().position(|kind| kind.channel_type == channel.channel_type);
            let position = position.unwrap_or_else(|| {
                slot.kinds.push(ChannelSeen {
                    channel_type: channel.channel_type,
                    longest: 0,
                    fields: vec![None; width],
                });
                slot.kinds.len() - 1
            });
            let kind = &mut slot.kinds[position];
            kind.longest = kind.longest.max((channel.contents.len() / width.max(1)) as u32);
            for (place, &value) in channel.contents.iter().enumerate() {
                let field = &mut kind.fields[place % width];
                let point = Interval::point(value);
                *field = Some(field.map_or(point, |seen| seen.join(point)));
            }
        }
    }

    /// Adds everything that a layout made from this profile can represent, so that its states fit
    /// the next layout, too.
    pub fn absorb(&mut self, program: &Program, layout: &Layout) {
        let of_globals = |variable| self.ranges.global(variable);
        absorb(&program.variables, &layout.globals, of_globals, &mut self.globals);
        for (seen, slot) in self.processes.iter_mut().zip(&layout.processes) {
            seen.priority = seen.priority.join(slot.priority.interval());
            for (seen, kind) in seen.kinds.iter_mut().zip(&slot.kinds) {
                let variables = &program.process_type(kind.process_type).variables;
                let of_locals = |variable| self.ranges.local(kind.process_type, variable);
                absorb(variables, &kind.variables, of_locals, &mut seen.locals);
            }
        }
        for (seen, slot) in self.channels.iter_mut().zip(&layout.channels) {
            seen.owner = seen.owner.join(slot.owner.interval());
            for (seen, kind) in seen.kinds.iter_mut().zip(&slot.kinds) {
                seen.longest = seen.longest.max(kind.slots);
                for (field, (seen, place)) in seen.fields.iter_mut().zip(&kind.fields).enumerate() {
                    let room =
                        Field { low: place.low, width: place.width, ..Field::default() }.interval();
                    let room = room.meet(self.ranges.channel_field(kind.channel_type, field));
                    *seen = Some(seen.map_or(room, |seen| seen.join(room)));
                }
            }
        }
        // The counts are not extended: a component beyond the observed ones would have no slot.
    }

    /// Gives all processes of a type, and all channels of a type, the joined ranges of that type,
    /// because most of them eventually behave alike. A variable that never changed in any of them
    /// keeps its value in each.
    pub fn share(&mut self, program: &Program) {
        let mut shared = self.clone();
        for number in 0..program.process_types.len() {
            let kind = ProcessTypeId(number as u32);
            let of_kind = |seen: &&ProcessSeen| seen.process_type == kind;
            let all: Vec<&ProcessSeen> =
                self.processes.iter().flat_map(|slot| &slot.kinds).filter(of_kind).collect();
            for variable in program.process_type(kind).variables.iter() {
                let changes = |seen: &&ProcessSeen| {
                    !seen.locals[variable.slots()].iter().all(|seen| seen.is_point())
                };
                if !all.iter().any(changes) {
                    continue;
                }
                for place in variable.slots() {
                    let joined = all.iter().map(|seen| seen.locals[place]).reduce(Interval::join);
                    let kinds = shared.processes.iter_mut().flat_map(|slot| &mut slot.kinds);
                    for seen in kinds.filter(|seen| seen.process_type == kind) {
                        seen.locals[place] = joined.unwrap_or(seen.locals[place]);
                    }
                }
            }
        }
        let all = self.channels.iter().flat_map(|slot| &slot.kinds);
        for seen in shared.channels.iter_mut().flat_map(|slot| &mut slot.kinds) {
            let channel_type = seen.channel_type;
            for other in all.clone().filter(|other| other.channel_type == channel_type) {
                seen.include(other);
            }
        }
        *self = shared;
    }

    /// Covers the values that variables have only inside a d_step: by the proven range or, if that
    /// takes many more bits, by one additional bit.
    pub fn cover_values_inside_steps(&mut self, program: &Program) {
        let widen = |seen: &mut [Interval], proven: Interval| {
            let joined = seen.iter().copied().reduce(Interval::join).unwrap_or(proven);
            let doubled = Interval { high: joined.low + (2 << joined.bits()) - 1, ..joined };
            let room = if proven.bits() <= joined.bits() + TRUSTED_BITS {
                proven
            } else {
                doubled.meet(proven)
            };
            seen.iter_mut().for_each(|seen| *seen = seen.join(room));
        };
        for (kind, place) in written_by_dsteps(program) {
            match place.scope {
                Scope::Global => {
                    let slots = program.variables.get(place.variable).slots();
                    widen(&mut self.globals[slots], self.ranges.global(place.variable));
                }
                Scope::Local => {
                    let slots = program.process_type(kind).variables.get(place.variable).slots();
                    for seen in self.processes.iter_mut().flat_map(|slot| &mut slot.kinds) {
                        if seen.process_type == kind {
                            let proven = self.ranges.local(kind, place.variable);
                            widen(&mut seen.locals[slots.clone()], proven);
                        }
                    }
                }
            }
        }
    }
}

fn absorb(
    variables: &Variables,
    cells: &[Cells],
    proven: impl Fn(VariableId) -> Interval,
    seen: &mut [Interval],
) {
    for (number, (variable, cells)) in variables.iter().zip(cells).enumerate() {
        if let Cells::Row { .. } = cells {
            let room = cells.field(0).interval().meet(proven(VariableId(number as u32)));
            for seen in &mut seen[variable.slots()] {
                *seen = seen.join(room);
            }
        }
    }
}

/// The variables that d_steps assign, each once.
fn written_by_dsteps(program: &Program) -> Vec<(ProcessTypeId, &Place)> {
    let mut found: Vec<(ProcessTypeId, &Place)> = Vec::new();
    for (number, process_type) in program.process_types.iter().enumerate() {
        let kind = ProcessTypeId(number as u32);
        for transition in process_type.locations.iter().flat_map(|location| &location.transitions) {
            let Operation::Deterministic(body) = &transition.operation else { continue };
            for branch in body.nodes.iter().flatten() {
                let BranchKind::Operation(Operation::Guarded { actions, .. }) = &branch.kind else {
                    continue;
                };
                for action in actions {
                    let Action::Assign(assignments) = action else { continue };
                    for (place, _) in assignments {
                        let same = |(other, known): &(ProcessTypeId, &Place)| {
                            known.scope == place.scope
                                && known.variable == place.variable
                                && (place.scope == Scope::Global || *other == kind)
                        };
                        if !found.iter().any(same) {
                            found.push((kind, place));
                        }
                    }
                }
            }
        }
    }
    found
}

fn extend(intervals: &mut [Interval], values: &[i32]) {
    for (interval, &value) in intervals.iter_mut().zip(values) {
        *interval = interval.join(Interval::point(value));
    }
}
