//! Validation of states, packed or not, from files that may be damaged or forged.
//!
//! Engines trust the states they are given. A state that passes these checks has the shape of the
//! program's states, so engines can expand it without leaving their tables. Reachability is not
//! checked.

use super::Layout;
use crate::program::{Program, Variables};
use crate::state::{Channel, Pid, Process, State};

/// The most processes, and the most channels, of a state.
const MOST: usize = 255;

impl Layout {
    /// The state with these words; `None` if they do not encode a state of the program in this
    /// layout.
    pub fn decode_untrusted(&self, program: &Program, words: &[u64]) -> Option<State> {
        if words.len() != self.width.all || !self.counts_fit(words) {
            return None;
        }
        let state = self.decode(program, words);
        // Every state has a single encoding, in which unused bits are 0.
        let mut encoded = Vec::new();
        let is_canonical = self.encode(&state, &mut encoded).is_ok() && encoded == words;
        (is_canonical && state.belongs_to(program)).then_some(state)
    }

    /// Whether the numbers that `decode` uses as indices or lengths are in range.
    fn counts_fit(&self, words: &[u64]) -> bool {
        let count = |field: &super::Field, most: usize| {
            usize::try_from(field.read(words)).ok().filter(|count| *count <= most)
        };
        let (Some(processes), Some(channels)) = (
            count(&self.process_count, self.processes.len()),
            count(&self.channel_count, self.channels.len()),
        ) else {
            return false;
        };
        let is_kind =
            |field: &super::Field, kinds: usize| count(field, kinds).filter(|kind| *kind < kinds);
        self.processes[..processes]
            .iter()
            .all(|slot| is_kind(&slot.kind, slot.kinds.len()).is_some())
            && self.channels[..channels].iter().all(|slot| {
                is_kind(&slot.kind, slot.kinds.len()).is_some_and(|kind| {
                    let kind = &slot.kinds[kind];
                    count(&kind.length, kind.slots as usize).is_some()
                })
            })
    }
}

impl State {
    /// Whether the state has the variables, processes and channels that the program declares, with
    /// values of their domains.
    pub fn belongs_to(&self, program: &Program) -> bool {
        let is_alive = |pid: Pid| usize::from(pid) < self.processes.len();
        let event_locations = program.event_trace.as_ref().map_or(1, |trace| trace.locations.len());
        self.processes.len() <= MOST
            && self.channels.len() <= MOST
            && values_fit(&program.variables, &self.globals)
            && self.processes.iter().all(|process| process.belongs_to(program))
            && self.channels.iter().all(|channel| channel.belongs_to(program))
            && self.exclusive.is_none_or(is_alive)
            && (self.event as usize) < event_locations.max(1)
    }
}

impl Process {
    fn belongs_to(&self, program: &Program) -> bool {
        program.process_types.get(self.process_type.index()).is_some_and(|kind| {
            self.location.index() < kind.locations.len()
                && values_fit(&kind.variables, &self.locals)
        })
    }
}

impl Channel {
    fn belongs_to(&self, program: &Program) -> bool {
        let Some(kind) = program.channel_types.get(self.channel_type.index()) else { return false };
        let fields = kind.fields.len();
        if fields == 0 {
            return self.contents.is_empty();
        }
        let values = self.contents.iter().zip(kind.fields.iter().cycle());
        self.contents.len().is_multiple_of(fields)
            && self.contents.len() / fields <= kind.capacity as usize
            && values.into_iter().all(|(value, field)| field.domain.store(*value) == Some(*value))
    }
}

/// Whether there is a value of the right domain for each element of each variable.
fn values_fit(variables: &Variables, values: &[i32]) -> bool {
    values.len() == variables.slot_count()
        && variables.iter().all(|variable| {
            let fits = |value: &i32| variable.domain.store(*value) == Some(*value);
            values[variable.slots()].iter().all(fits)
        })
}
