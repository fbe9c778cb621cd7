//! Packing and unpacking of a [`State`]: simple and slow. Fast engines work on the words
//! themselves.

use super::{Cells, ChannelKind, ChannelSlot, Field, Layout, ProcessKind, Row};
use crate::program::{LocationId, Program};
use crate::state::{Channel, Pid, Process, State};

/// A state has a value that the layout cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unrepresentable;

impl Field {
    /// Reads the value from the words.
    #[inline]
    pub fn read(&self, words: &[u64]) -> i32 {
        if self.width == 0 {
            return self.low;
        }
        let bits = words[self.word as usize] >> self.shift & ((1 << self.width) - 1);
        self.low.wrapping_add(bits as i32)
    }

    /// Writes the value into words in which its bits are still 0. A second call with the same value
    /// removes it.
    #[inline]
    fn put(&self, words: &mut [u64], value: i32) -> Result<(), Unrepresentable> {
        let bits = i64::from(value) - i64::from(self.low);
        if bits < 0 || bits >> self.width != 0 {
            return Err(Unrepresentable);
        }
        if self.width > 0 {
            words[self.word as usize] ^= (bits as u64) << self.shift;
        }
        Ok(())
    }

    /// Replaces the value in words that contain the old one.
    #[inline]
    fn replace(&self, words: &mut [u64], old: i32, new: i32) -> Result<(), Unrepresentable> {
        self.put(words, old)?;
        self.put(words, new)
    }
}

impl ChannelKind {
    /// The position of a field of the message at `position`.
    pub fn field(&self, position: u32, field: usize) -> Field {
        let place = self.fields[field];
        if place.width == 0 {
            return Field { low: place.low, ..Field::default() };
        }
        let (word, shift) = self.rows[place.row as usize].cell(position);
        Field { word, shift: shift + place.shift, width: place.width, low: place.low }
    }
}

impl ChannelSlot {
    /// Writes a channel into words in which its bits are still 0. A second call with the same
    /// channel removes it.
    fn put(&self, words: &mut [u64], channel: &Channel) -> Result<(), Unrepresentable> {
        let kind = self
            .kinds
            .iter()
            .position(|kind| kind.channel_type == channel.channel_type)
            .ok_or(Unrepresentable)?;
        self.kind.put(words, kind as i32)?;
        self.owner.put(words, channel.owner.map_or(0, |pid| i32::from(pid) + 1))?;
        let kind = &self.kinds[kind];
        let fields = kind.fields.len().max(1);
        let length = (channel.contents.len() / fields) as u32;
        if length > kind.slots {
            return Err(Unrepresentable);
        }
        kind.length.put(words, length as i32)?;
        for (place, &value) in channel.contents.iter().enumerate() {
            kind.field((place / fields) as u32, place % fields).put(words, value)?;
        }
        Ok(())
    }
}

impl Layout {
    /// Appends the words of a state; on failure, `out` is unchanged.
    pub fn encode(&self, state: &State, out: &mut Vec<u64>) -> Result<(), Unrepresentable> {
        let start = out.len();
        out.resize(start + self.width.all, 0);
        let result = self.fill(state, &mut out[start..]);
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    /// As [`encode`](Layout::encode), for a state that is similar to one with known words.
    pub fn encode_near(
        &self,
        known: &State,
        known_words: &[u64],
        state: &State,
        out: &mut Vec<u64>,
    ) -> Result<(), Unrepresentable> {
        let same_processes = known.processes.len() == state.processes.len()
            && known.processes.iter().zip(&state.processes).all(|(old, new)| {
                old.process_type == new.process_type && old.priority == new.priority
            });
        if !same_processes || known.channels.len() != state.channels.len() {
            return self.encode(state, out);
        }
        let start = out.len();
        out.extend_from_slice(known_words);
        let result = self.replace(known, state, &mut out[start..]);
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    /// Replaces a state by one with the same processes and channels.
    fn replace(&self, old: &State, new: &State, words: &mut [u64]) -> Result<(), Unrepresentable> {
        let control = |state: &State| state.exclusive.map_or(0, |pid| i32::from(pid) + 1);
        self.last.replace(words, old.last.into(), new.last.into())?;
        self.partner.replace(words, old.partner.into(), new.partner.into())?;
        self.event.replace(words, old.event as i32, new.event as i32)?;
        self.control.replace(words, control(old), control(new))?;
        replace_all(&self.globals, &old.globals, &new.globals, words)?;
        let slots = self.processes.iter();
        for ((old, new), slot) in old.processes.iter().zip(&new.processes).zip(slots) {
            let mut kinds = slot.kinds.iter();
            let kind = kinds.find(|kind| kind.process_type == new.process_type);
            let ProcessKind { location, variables, .. } = kind.ok_or(Unrepresentable)?;
            location.replace(words, old.location.0 as i32, new.location.0 as i32)?;
            replace_all(variables, &old.locals, &new.locals, words)?;
        }
        for ((old, new), slot) in old.channels.iter().zip(&new.channels).zip(&self.channels) {
            if old != new {
                slot.put(words, old)?;
                slot.put(words, new)?;
            }
        }
        Ok(())
    }

    fn fill(&self, state: &State, words: &mut [u64]) -> Result<(), Unrepresentable> {
        if state.processes.len() > self.processes.len()
            || state.channels.len() > self.channels.len()
        {
            return Err(Unrepresentable);
        }
        self.process_count.put(words, state.processes.len() as i32)?;
        self.channel_count.put(words, state.channels.len() as i32)?;
        self.last.put(words, state.last.into())?;
        self.partner.put(words, state.partner.into())?;
        self.event.put(words, state.event as i32)?;
        self.control.put(words, state.exclusive.map_or(0, |pid| i32::from(pid) + 1))?;
        put_all(&self.globals, &state.globals, words)?;
        for (process, slot) in state.processes.iter().zip(&self.processes) {
            let kind = slot
                .kinds
                .iter()
                .position(|kind| kind.process_type == process.process_type)
                .ok_or(Unrepresentable)?;
            slot.kind.put(words, kind as i32)?;
            slot.priority.put(words, process.priority.into())?;
            let ProcessKind { location, variables, .. } = &slot.kinds[kind];
            location.put(words, process.location.0 as i32)?;
            put_all(variables, &process.locals, words)?;
        }
        for (channel, slot) in state.channels.iter().zip(&self.channels) {
            slot.put(words, channel)?;
        }
        Ok(())
    }

    /// The state with these words.
    pub fn decode(&self, program: &Program, words: &[u64]) -> State {
        let mut state = State::empty(program);
        self.decode_into(words, &mut state);
        state
    }

    /// Replaces a state by the one with these words, in the memory of the replaced one.
    pub fn decode_into(&self, words: &[u64], state: &mut State) {
        let pid = |value: i32| (value > 0).then(|| (value - 1) as Pid);
        read_all(&self.globals, words, &mut state.globals);
        let slots = &self.processes[..self.process_count.read(words) as usize];
        state.processes.resize_with(slots.len(), Process::blank);
        for (process, slot) in state.processes.iter_mut().zip(slots) {
            let kind = &slot.kinds[slot.kind.read(words) as usize];
            process.process_type = kind.process_type;
            process.location = LocationId(kind.location.read(words) as u32);
            process.priority = slot.priority.read(words) as u8;
            read_all(&kind.variables, words, &mut process.locals);
        }
        let slots = &self.channels[..self.channel_count.read(words) as usize];
        state.channels.resize_with(slots.len(), Channel::blank);
        for (channel, slot) in state.channels.iter_mut().zip(slots) {
            let kind = &slot.kinds[slot.kind.read(words) as usize];
            channel.channel_type = kind.channel_type;
            channel.owner = pid(slot.owner.read(words));
            channel.contents.clear();
            for position in 0..kind.length.read(words) as u32 {
                let fields = 0..kind.fields.len();
                let values = fields.map(|field| kind.field(position, field).read(words));
                channel.contents.extend(values);
            }
        }
        state.exclusive = pid(self.control.read(words));
        state.last = self.last.read(words) as u8;
        state.partner = self.partner.read(words) as u8;
        state.event = self.event.read(words) as u32;
    }
}

impl Row {
    /// The word and the lowest bit of each of the first cells.
    #[inline]
    fn cells(self, count: u32) -> impl Iterator<Item = (u32, u8)> {
        let per_word = self.per_word.max(1);
        let (mut word, mut shift, mut left) = (self.word, self.shift, per_word);
        (0..count).map(move |_| {
            if left == 0 {
                (word, shift, left) = (word + 1, self.shift, per_word);
            }
            let cell = (word, shift);
            shift += self.width;
            left -= 1;
            cell
        })
    }
}

/// Writes the values of all variables of a scope.
fn put_all(cells: &[Cells], mut values: &[i32], words: &mut [u64]) -> Result<(), Unrepresentable> {
    for cells in cells {
        let (own, rest) = values.split_at_checked(cells.count()).ok_or(Unrepresentable)?;
        values = rest;
        match cells {
            Cells::Constant(constants) => {
                if !constants.iter().eq(own) {
                    return Err(Unrepresentable);
                }
            }
            Cells::Row { row, low, count } => {
                for ((word, shift), &value) in row.cells(*count).zip(own) {
                    Field { word, shift, width: row.width, low: *low }.put(words, value)?;
                }
            }
        }
    }
    Ok(())
}

/// Replaces the values of all variables of a scope, which the words contain.
fn replace_all(
    cells: &[Cells],
    mut old: &[i32],
    mut new: &[i32],
    words: &mut [u64],
) -> Result<(), Unrepresentable> {
    if old == new {
        return Ok(());
    }
    for cells in cells {
        let (own_old, rest_old) = old.split_at_checked(cells.count()).ok_or(Unrepresentable)?;
        let (own_new, rest_new) = new.split_at_checked(cells.count()).ok_or(Unrepresentable)?;
        (old, new) = (rest_old, rest_new);
        if own_old.iter().eq(own_new) {
            continue;
        }
        let Cells::Row { row, low, count } = cells else { return Err(Unrepresentable) };
        for ((word, shift), (&old, &new)) in row.cells(*count).zip(own_old.iter().zip(own_new)) {
            Field { word, shift, width: row.width, low: *low }.replace(words, old, new)?;
        }
    }
    Ok(())
}

/// Reads the values of all variables of a scope.
fn read_all(cells: &[Cells], words: &[u64], values: &mut Vec<i32>) {
    values.clear();
    for cells in cells {
        match cells {
            Cells::Constant(constants) => values.extend(constants),
            Cells::Row { row, low, count } => {
                values.extend(row.cells(*count).map(|(word, shift)| {
                    Field { word, shift, width: row.width, low: *low }.read(words)
                }))
            }
        }
    }
}
