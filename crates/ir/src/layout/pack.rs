//! Construction of a layout: chooses widths from the observed and the proven ranges and places
//! values in words.
//!
//! Large items are placed first, then the small ones in program order, each where it first fits.
//! Few bits are lost this way, and the values of one process stay together, which suits stores that
//! share parts of states.

use super::profile::{ChannelSeen, ChannelSlotSeen, SlotSeen};
use super::{
    Cells, ChannelKind, ChannelSlot, Field, Interval, Layout, MessageField, ProcessKind,
    ProcessSlot, Profile, Row,
};
use crate::program::{Meaning, Program, Variable, VariableId, Variables};
use crate::ranges::Ranges;
use crate::system::Width;

const WORD: u32 = u64::BITS;

impl Layout {
    /// A layout that represents everything in the profile.
    pub fn new(program: &Program, profile: &Profile) -> Layout {
        let ranges = &*profile.ranges;
        let mut plan = Plan::default();
        let of_globals = |variable| ranges.global(variable);
        let globals = plan.variables(&program.variables, of_globals, &profile.globals);
        let processes: Vec<_> =
            profile.processes.iter().map(|slot| plan.process(program, ranges, slot)).collect();
        let channels: Vec<_> =
            profile.channels.iter().map(|slot| plan.channel(program, ranges, slot)).collect();
        let a_process =
            |remembered| if remembered { profile.process_count.high.max(1) - 1 } else { 0 };
        let events = program.event_trace.as_ref().map_or(0, |trace| trace.locations.len() as i64);
        let counts = [
            profile.process_count,
            profile.channel_count,
            Interval { low: 0, high: a_process(program.remembers_last) },
            Interval { low: 0, high: a_process(program.remembers_partner) },
            Interval { low: 0, high: events },
        ];
        let [process_count, channel_count, last, partner, event] =
            counts.map(|interval| plan.number(interval));
        // The field covers every process number: a word that is not stored costs nothing.
        let has_control = program.process_types.iter().flat_map(|kind| &kind.locations);
        let has_control =
            has_control.flat_map(|location| &location.transitions).any(|step| step.keeps_control);
        let control = plan.behind(Interval { low: 0, high: if has_control { 255 } else { 0 } });
        let places = plan.place();
        Layout {
            width: places.width,
            identity_bits: places.identity_bits.clone(),
            globals: places.all_cells(globals),
            processes: processes.into_iter().map(|slot| places.process(slot)).collect(),
            channels: channels.into_iter().map(|slot| places.channel(slot)).collect(),
            process_count: places.field(process_count),
            channel_count: places.field(channel_count),
            last: places.field(last),
            partner: places.field(partner),
            event: places.field(event),
            control: places.field(control),
        }
    }
}

/// The interval to represent: the proven one if it takes few more bits, otherwise the observed one.
fn choose(seen: Interval, proven: Interval) -> Interval {
    if proven.bits() <= seen.bits().max(1) { proven.join(seen) } else { seen }
}

/// A row of cells to be placed.
#[derive(Clone, Copy, Debug)]
struct Item {
    width: u32,
    count: u32,
    /// Whether it is placed outside the identity.
    behind: bool,
}

impl Item {
    fn bits(&self) -> u32 {
        self.width * self.count
    }

    fn per_word(&self) -> u32 {
        if self.bits() <= WORD { self.count } else { 1 << (WORD / self.width).ilog2() }
    }

    /// For each word, the number of its bits that the item takes.
    fn words(&self) -> Vec<u32> {
        if self.bits() <= WORD {
            return vec![self.bits()];
        }
        let (count, per_word) = (self.count, self.per_word());
        let words =
            (0..count.div_ceil(per_word)).map(|word| (count - word * per_word).min(per_word));
        words.map(|cells| cells * self.width).collect()
    }
}

/// The index of an item in the plan.
type ItemId = usize;

/// A number to be placed: its item, unless it is constant, and its interval.
type PlannedField = (Option<ItemId>, Interval);

enum PlannedCells {
    Constant(Vec<i32>),
    Row { item: ItemId, low: i32, count: u32 },
}

struct PlannedProcess {
    kind: PlannedField,
    priority: PlannedField,
    kinds: Vec<(crate::program::ProcessTypeId, PlannedField, Vec<PlannedCells>)>,
}

struct PlannedChannelKind {
    channel_type: crate::program::ChannelTypeId,
    length: PlannedField,
    slots: u32,
    rows: Vec<ItemId>,
    fields: Vec<MessageField>,
}

struct PlannedChannel {
    kind: PlannedField,
    owner: PlannedField,
    kinds: Vec<PlannedChannelKind>,
}

/// The items to be placed.
#[derive(Default)]
struct Plan {
    items: Vec<Item>,
    /// Items that share the place of another one, because the two never coexist.
    shares: Vec<Option<ItemId>>,
}

impl Plan {
    fn item(&mut self, width: u32, count: u32, behind: bool) -> ItemId {
        self.items.push(Item { width, count, behind });
        self.shares.push(None);
        self.items.len() - 1
    }

    fn number(&mut self, interval: Interval) -> PlannedField {
        let item = (interval.bits() > 0).then(|| self.item(interval.bits(), 1, false));
        (item, interval)
    }

    fn behind(&mut self, interval: Interval) -> PlannedField {
        let item = (interval.bits() > 0).then(|| self.item(interval.bits(), 1, true));
        (item, interval)
    }

    fn variables(
        &mut self,
        variables: &Variables,
        proven: impl Fn(VariableId) -> Interval,
        seen: &[Interval],
    ) -> Vec<PlannedCells> {
        let cells = |(number, variable): (usize, &Variable)| {
            self.cells(variable, proven(VariableId(number as u32)), &seen[variable.slots()])
        };
        variables.iter().enumerate().map(cells).collect()
    }

    fn cells(&mut self, variable: &Variable, proven: Interval, seen: &[Interval]) -> PlannedCells {
        // Values that were constant so far probably stay constant, unless they take a single bit.
        let settled = variable.meaning == Meaning::Channel || proven.bits() != 1;
        if seen.iter().all(|interval| interval.is_point()) && settled && !variable.hidden {
            return PlannedCells::Constant(
                seen.iter().map(|interval| interval.low as i32).collect(),
            );
        }
        let joined = seen.iter().copied().reduce(Interval::join).unwrap_or(Interval::point(0));
        // Hidden variables are not stored, so they get their whole domain.
        let interval = if variable.hidden {
            Interval::of_domain(variable.domain)
        } else {
            choose(joined, proven)
        };
        if interval.bits() == 0 {
            return PlannedCells::Constant(vec![interval.low as i32; seen.len()]);
        }
        let item = self.item(interval.bits(), seen.len() as u32, variable.hidden);
        PlannedCells::Row { item, low: interval.low as i32, count: seen.len() as u32 }
    }

    /// Alternatives never coexist: their largest items share a place, their second largest items
    /// share another, and so on. Items of several words share places among themselves.
    fn alternatives<S, T>(&mut self, seen: &[S], plan: impl Fn(&mut Plan, &S) -> T) -> Vec<T> {
        let mut shared: [Vec<ItemId>; 2] = Default::default();
        let mut results = Vec::new();
        for (number, seen) in seen.iter().enumerate() {
            let first = self.items.len();
            results.push(plan(self, seen));
            let mut own: Vec<ItemId> =
                (first..self.items.len()).filter(|&item| !self.items[item].behind).collect();
            own.sort_by_key(|&item| std::cmp::Reverse(self.items[item].bits()));
            let split = own.partition_point(|&item| self.items[item].bits() > WORD);
            for (shared, own) in shared.iter_mut().zip([&own[..split], &own[split..]]) {
                for (position, &item) in own.iter().enumerate() {
                    match shared.get(position).copied() {
                        Some(place) if number > 0 => self.shares[item] = Some(place),
                        _ => shared.push(item),
                    }
                }
            }
        }
        results
    }

    fn process(&mut self, program: &Program, ranges: &Ranges, slot: &SlotSeen) -> PlannedProcess {
        let kind = self.number(Interval { low: 0, high: slot.kinds.len() as i64 - 1 });
        let priority = self.number(slot.priority);
        let kinds = self.alternatives(&slot.kinds, |plan, seen| {
            let process_type = program.process_type(seen.process_type);
            let locations = process_type.locations.len().max(1) as i64 - 1;
            let location = plan.number(Interval { low: 0, high: locations });
            let of_locals = |variable| ranges.local(seen.process_type, variable);
            let variables = plan.variables(&process_type.variables, of_locals, &seen.locals);
            (seen.process_type, location, variables)
        });
        PlannedProcess { kind, priority, kinds }
    }

    fn channel(
        &mut self,
        program: &Program,
        ranges: &Ranges,
        slot: &ChannelSlotSeen,
    ) -> PlannedChannel {
        let kind = self.number(Interval { low: 0, high: slot.kinds.len() as i64 - 1 });
        let owner = self.number(slot.owner);
        let kinds =
            self.alternatives(&slot.kinds, |plan, seen| plan.channel_kind(program, ranges, seen));
        PlannedChannel { kind, owner, kinds }
    }

    fn channel_kind(
        &mut self,
        program: &Program,
        ranges: &Ranges,
        seen: &ChannelSeen,
    ) -> PlannedChannelKind {
        let channel_type = program.channel_type(seen.channel_type);
        // A channel with a small capacity is probably full at some time.
        let slots = if channel_type.capacity <= 2 { channel_type.capacity } else { seen.longest };
        let length = self.number(Interval { low: 0, high: slots.into() });
        let mut widths: Vec<u32> = Vec::new();
        let mut fields = Vec::new();
        for (number, (field, seen_field)) in
            channel_type.fields.iter().zip(&seen.fields).enumerate()
        {
            let proven = ranges.channel_field(seen.channel_type, number);
            let interval = match seen_field {
                Some(seen) => choose(*seen, proven),
                None if proven.bits() <= 1 => proven,
                None => Interval::point(field.domain.default_value()),
            };
            let width = interval.bits();
            if widths.last().is_none_or(|row| row + width > WORD) {
                widths.push(0);
            }
            let row = widths.len() - 1;
            let shift = widths[row] as u8;
            widths[row] += width;
            fields.push(MessageField {
                row: row as u32,
                shift,
                width: width as u8,
                low: interval.low as i32,
            });
        }
        let rows = widths.into_iter().map(|width| self.item(width, slots, false)).collect();
        PlannedChannelKind { channel_type: seen.channel_type, length, slots, rows, fields }
    }

    /// Assigns a place to every item.
    fn place(mut self) -> Places {
        // A shared place is as wide as the widest of its items.
        let mut bits: Vec<u32> = self.items.iter().map(Item::bits).collect();
        let mut used: Vec<Vec<u32>> = self.items.iter().map(Item::words).collect();
        for item in 0..self.items.len() {
            if let Some(place) = self.shares[item] {
                bits[place] = bits[place].max(bits[item]);
                let own = std::mem::take(&mut used[item]);
                let most = used[place].len().max(own.len());
                used[place].resize(most, 0);
                for (used, own) in used[place].iter_mut().zip(own) {
                    *used = own.max(*used);
                }
            }
        }
        let mut order: Vec<ItemId> =
            (0..self.items.len()).filter(|&item| self.shares[item].is_none()).collect();
        // The sort is stable: small items keep the order of the program.
        order.sort_by_key(|&item| std::cmp::Reverse(if bits[item] > 16 { bits[item] } else { 0 }));
        let mut rows = vec![Row::default(); self.items.len()];
        let mut identity = Words::default();
        for &item in order.iter().filter(|&&item| !self.items[item].behind) {
            rows[item] = identity.add(&self.items[item], &used[item]);
        }
        let mut behind = Words { first: identity.used.len() as u32, used: Vec::new() };
        for &item in order.iter().filter(|&&item| self.items[item].behind) {
            rows[item] = behind.add(&self.items[item], &used[item]);
        }
        for item in 0..self.items.len() {
            if let Some(place) = self.shares[item].take() {
                let Row { word, shift, .. } = rows[place];
                let Item { width, .. } = self.items[item];
                rows[item] =
                    Row { word, shift, width: width as u8, per_word: self.items[item].per_word() };
            }
        }
        let identity_words = identity.used.len().max(1);
        if identity.used.is_empty() {
            // Even an empty state has one word.
            for row in rows.iter_mut() {
                row.word += 1;
            }
        }
        let all = identity_words + behind.used.len();
        let mut identity_bits = identity.used;
        identity_bits.resize(identity_words, 0);
        Places { rows, width: Width { identity: identity_words, all }, identity_bits }
    }
}

/// Words being filled, each from its lowest bit.
#[derive(Default)]
struct Words {
    first: u32,
    used: Vec<u32>,
}

impl Words {
    /// A place for an item, and for those that share it: `bits` of each word are used.
    fn add(&mut self, item: &Item, bits: &[u32]) -> Row {
        let per_word = item.per_word();
        let width = item.width as u8;
        let &[bits] = bits else {
            let word = self.first + self.used.len() as u32;
            self.used.extend(bits);
            return Row { word, shift: 0, width, per_word };
        };
        let place = self.used.iter().position(|used| used + bits <= WORD);
        let place = place.unwrap_or_else(|| {
            self.used.push(0);
            self.used.len() - 1
        });
        let shift = self.used[place] as u8;
        self.used[place] += bits;
        // An item without bits may come behind the last bit of a full word.
        let shift = if bits == 0 { 0 } else { shift };
        Row { word: self.first + place as u32, shift, width, per_word }
    }
}

/// The places of all items.
struct Places {
    rows: Vec<Row>,
    width: Width,
    identity_bits: Vec<u32>,
}

impl Places {
    fn field(&self, (item, interval): PlannedField) -> Field {
        match item {
            Some(item) => {
                let Row { word, shift, width, .. } = self.rows[item];
                Field { word, shift, width, low: interval.low as i32 }
            }
            None => Field { low: interval.low as i32, ..Field::default() },
        }
    }

    fn all_cells(&self, planned: Vec<PlannedCells>) -> Vec<Cells> {
        let place = |cells| match cells {
            PlannedCells::Constant(values) => Cells::Constant(values),
            PlannedCells::Row { item, low, count } => {
                Cells::Row { row: self.rows[item], low, count }
            }
        };
        planned.into_iter().map(place).collect()
    }

    fn process(&self, planned: PlannedProcess) -> ProcessSlot {
        let kinds =
            planned.kinds.into_iter().map(|(process_type, location, variables)| ProcessKind {
                process_type,
                location: self.field(location),
                variables: self.all_cells(variables),
            });
        ProcessSlot {
            kinds: kinds.collect(),
            kind: self.field(planned.kind),
            priority: self.field(planned.priority),
        }
    }

    fn channel(&self, planned: PlannedChannel) -> ChannelSlot {
        let kinds = planned.kinds.into_iter().map(|kind| ChannelKind {
            channel_type: kind.channel_type,
            length: self.field(kind.length),
            slots: kind.slots,
            rows: kind.rows.iter().map(|&row| self.rows[row]).collect(),
            fields: kind.fields,
        });
        ChannelSlot {
            kinds: kinds.collect(),
            kind: self.field(planned.kind),
            owner: self.field(planned.owner),
        }
    }
}
