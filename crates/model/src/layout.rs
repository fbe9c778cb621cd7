//! How a state is packed: each value in as many bits as its domain needs, one after the other.
//!
//! Processes come and go, so the length varies; the counts stand first, and everything that follows can be
//! told from what precedes it. Hidden variables are left out, and so is who has atomic
//! control: only states where nobody has are ever packed.

use crate::domain::Domain;
use crate::program::{Action, ChannelTypeId, LocationId, ProcessTypeId, Program, Variables};
use crate::state::{Channel, Process, State};

/// The widths that depend on the program as a whole.
#[derive(Clone, Debug)]
pub struct Layout {
    globals: Vec<Slot>,
    /// By process type.
    locals: Vec<Vec<Slot>>,
    process_type_bits: u32,
    channel_type_bits: u32,
    location_bits: Vec<u32>,
    length_bits: Vec<u32>,
    owner_bits: u32,
    priority_bits: u32,
    last_bits: u32,
    event_bits: u32,
}

/// How one value that is not hidden is packed.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Its place among the values of its scope.
    index: u32,
    width: u32,
    domain: Domain,
}

fn slots(variables: &Variables) -> Vec<Slot> {
    let shown = variables.iter().filter(|variable| !variable.hidden);
    let each = shown.flat_map(|variable| {
        let domain = variable.domain;
        variable.slots().map(move |index| Slot { index: index as u32, width: domain.width(), domain })
    });
    each.collect()
}

/// Bits to tell `count` things apart.
fn bits_for(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

impl Layout {
    pub fn new(program: &Program) -> Layout {
        let local_channels = program
            .process_types
            .iter()
            .any(|kind| kind.prologue.iter().any(|action| matches!(action, Action::NewChannel { .. })));
        Layout {
            globals: slots(&program.variables),
            locals: program.process_types.iter().map(|kind| slots(&kind.variables)).collect(),
            process_type_bits: bits_for(program.process_types.len()),
            channel_type_bits: bits_for(program.channel_types.len()),
            location_bits: program.process_types.iter().map(|kind| bits_for(kind.locations.len())).collect(),
            length_bits: program
                .channel_types
                .iter()
                .map(|kind| bits_for(kind.capacity as usize + 1))
                .collect(),
            owner_bits: if local_channels { 8 } else { 0 },
            priority_bits: if program.has_priorities { 8 } else { 0 },
            last_bits: if program.remembers_last { 8 } else { 0 },
            event_bits: program.event_trace.as_ref().map_or(0, |trace| bits_for(trace.locations.len())),
        }
    }

    /// Appends the packed state.
    pub fn encode(&self, program: &Program, state: &State, out: &mut Vec<u8>) {
        debug_assert!(state.exclusive.is_none(), "states inside an atomic sequence are not stored");
        let mut writer = Writer { out, bits: 0, count: 0 };
        writer.put(state.processes.len() as u32, 8);
        writer.put(state.channels.len() as u32, 8);
        writer.put(u32::from(state.last), self.last_bits);
        writer.put(state.event, self.event_bits);
        writer.put_values(&self.globals, &state.globals);
        for process in &state.processes {
            writer.put(process.process_type.0, self.process_type_bits);
            writer.put(process.location.0, self.location_bits[process.process_type.index()]);
            writer.put(u32::from(process.priority), self.priority_bits);
            writer.put_values(&self.locals[process.process_type.index()], &process.locals);
        }
        for channel in &state.channels {
            let fields = &program.channel_type(channel.channel_type).fields;
            writer.put(channel.channel_type.0, self.channel_type_bits);
            writer.put(channel.owner.map_or(255, u32::from), self.owner_bits);
            let length = (channel.contents.len() / fields.len()) as u32;
            writer.put(length, self.length_bits[channel.channel_type.index()]);
            for (field, &value) in fields.iter().cycle().zip(&channel.contents) {
                writer.put_value(field.domain, value);
            }
        }
        writer.finish();
    }

    /// The state whose packed form this is.
    pub fn decode(&self, program: &Program, bytes: &[u8]) -> State {
        let mut reader = Reader { bytes: bytes.iter(), bits: 0, count: 0 };
        let processes = reader.get(8);
        let channels = reader.get(8);
        let mut state = State::empty(program);
        state.last = reader.get(self.last_bits) as u8;
        state.event = reader.get(self.event_bits);
        reader.get_values(&self.globals, &mut state.globals);
        for _ in 0..processes {
            let process_type = ProcessTypeId(reader.get(self.process_type_bits));
            let kind = program.process_type(process_type);
            let location = LocationId(reader.get(self.location_bits[process_type.index()]));
            let priority = if self.priority_bits > 0 { reader.get(self.priority_bits) as u8 } else { 1 };
            let mut locals = vec![0; kind.variables.slot_count()];
            reader.get_values(&self.locals[process_type.index()], &mut locals);
            state.processes.push(Process { process_type, location, priority, locals });
        }
        for _ in 0..channels {
            let channel_type = ChannelTypeId(reader.get(self.channel_type_bits));
            let owner = if self.owner_bits > 0 { reader.get(self.owner_bits) as u8 } else { 255 };
            let length = reader.get(self.length_bits[channel_type.index()]) as usize;
            let fields = &program.channel_type(channel_type).fields;
            let contents = fields
                .iter()
                .cycle()
                .take(length * fields.len())
                .map(|field| reader.get_value(field.domain))
                .collect();
            state.channels.push(Channel { channel_type, owner: (owner != 255).then_some(owner), contents });
        }
        state
    }
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    bits: u64,
    count: u32,
}

impl Writer<'_> {
    /// Of width 0 is what the program never varies, whatever its value.
    fn put(&mut self, value: u32, width: u32) {
        if width == 0 {
            return;
        }
        debug_assert!(width == 32 || value < 1 << width, "{value} does not fit {width} bits");
        self.bits |= u64::from(value) << self.count;
        self.count += width;
        if self.count >= 32 {
            self.out.extend_from_slice(&(self.bits as u32).to_le_bytes());
            self.bits >>= 32;
            self.count -= 32;
        }
    }

    fn put_value(&mut self, domain: Domain, value: i32) {
        self.put(domain.to_bits(value), domain.width());
    }

    fn put_values(&mut self, slots: &[Slot], values: &[i32]) {
        for slot in slots {
            self.put(slot.domain.to_bits(values[slot.index as usize]), slot.width);
        }
    }

    fn finish(self) {
        let bytes = self.count.div_ceil(8) as usize;
        self.out.extend_from_slice(&self.bits.to_le_bytes()[..bytes]);
    }
}

struct Reader<'a> {
    bytes: std::slice::Iter<'a, u8>,
    bits: u64,
    count: u32,
}

impl Reader<'_> {
    fn get(&mut self, width: u32) -> u32 {
        while self.count < width {
            self.bits |= u64::from(*self.bytes.next().expect("a packed state is complete")) << self.count;
            self.count += 8;
        }
        let value = self.bits & ((1u64 << width) - 1);
        self.bits >>= width;
        self.count -= width;
        value as u32
    }

    fn get_value(&mut self, domain: Domain) -> i32 {
        domain.from_bits(self.get(domain.width()))
    }

    fn get_values(&mut self, slots: &[Slot], values: &mut [i32]) {
        for slot in slots {
            values[slot.index as usize] = slot.domain.from_bits(self.get(slot.width));
        }
    }
}
