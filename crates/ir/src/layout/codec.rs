//! Packing and unpacking of a [`State`]: simple and slow. Fast engines work on the words
//! themselves.

use super::{Cells, ChannelKind, Field, Layout, ProcessKind};
use crate::program::{Program, Variables};
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

    /// Writes the value into words in which its bits are still 0.
    #[inline]
    fn put(&self, words: &mut [u64], value: i32) -> Result<(), Unrepresentable> {
        let bits = i64::from(value) - i64::from(self.low);
        if bits < 0 || bits >> self.width != 0 {
            return Err(Unrepresentable);
        }
        if self.width > 0 {
            words[self.word as usize] |= (bits as u64) << self.shift;
        }
        Ok(())
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
            let kind = slot
                .kinds
                .iter()
                .position(|kind| kind.channel_type == channel.channel_type)
                .ok_or(Unrepresentable)?;
            slot.kind.put(words, kind as i32)?;
            slot.owner.put(words, channel.owner.map_or(0, |pid| i32::from(pid) + 1))?;
            let kind = &slot.kinds[kind];
            let fields = kind.fields.len().max(1);
            let length = (channel.contents.len() / fields) as u32;
            if length > kind.slots {
                return Err(Unrepresentable);
            }
            kind.length.put(words, length as i32)?;
            for (place, &value) in channel.contents.iter().enumerate() {
                kind.field((place / fields) as u32, place % fields).put(words, value)?;
            }
        }
        Ok(())
    }

    /// The state with these words.
    pub fn decode(&self, program: &Program, words: &[u64]) -> State {
        let pid = |value: i32| (value > 0).then(|| (value - 1) as Pid);
        let process_count = self.process_count.read(words) as usize;
        let channel_count = self.channel_count.read(words) as usize;
        let processes = self.processes[..process_count].iter().map(|slot| {
            let kind = &slot.kinds[slot.kind.read(words) as usize];
            let process_type = program.process_type(kind.process_type);
            Process {
                process_type: kind.process_type,
                location: crate::program::LocationId(kind.location.read(words) as u32),
                priority: slot.priority.read(words) as u8,
                locals: read_all(&process_type.variables, &kind.variables, words),
            }
        });
        let channels = self.channels[..channel_count].iter().map(|slot| {
            let kind = &slot.kinds[slot.kind.read(words) as usize];
            let length = kind.length.read(words) as u32;
            let contents = (0..length).flat_map(|position| {
                (0..kind.fields.len()).map(move |field| kind.field(position, field).read(words))
            });
            Channel {
                channel_type: kind.channel_type,
                owner: pid(slot.owner.read(words)),
                contents: contents.collect(),
            }
        });
        State {
            globals: read_all(&program.variables, &self.globals, words),
            processes: processes.collect(),
            channels: channels.collect(),
            exclusive: pid(self.control.read(words)),
            last: self.last.read(words) as u8,
            partner: self.partner.read(words) as u8,
            event: self.event.read(words) as u32,
        }
    }
}

fn put_all(cells: &[Cells], values: &[i32], words: &mut [u64]) -> Result<(), Unrepresentable> {
    let mut values = values.iter();
    for cells in cells {
        match cells {
            Cells::Constant(constants) => {
                for constant in constants {
                    if values.next() != Some(constant) {
                        return Err(Unrepresentable);
                    }
                }
            }
            Cells::Row { count, .. } => {
                for element in 0..*count {
                    let value = values.next().copied().ok_or(Unrepresentable)?;
                    cells.field(element).put(words, value)?;
                }
            }
        }
    }
    Ok(())
}

fn read_all(variables: &Variables, cells: &[Cells], words: &[u64]) -> Vec<i32> {
    let mut values = Vec::with_capacity(variables.slot_count());
    for (variable, cells) in variables.iter().zip(cells) {
        values.extend((0..variable.length()).map(|element| cells.field(element).read(words)));
    }
    values
}
