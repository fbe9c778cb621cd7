//! The tree of first arrivals, from which the run to a state is reconstructed: for every state its
//! predecessor and the number of the successor that it is. The states are computed again.
//!
//! This costs eight bytes a state, so it is kept only at the start of a search, where most errors
//! are found, and in the second search that finds the run to a later error.

use crate::memory::resident::memory_left;
use crate::outcome::Run;
use crate::reach::expansion::run_by_choices;
use lariat_ir::system::{Step, StepCode, System};

/// The predecessor of an initial state.
pub(crate) const NO_PREDECESSOR: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Predecessors {
    /// By number of the state: its predecessor, and its number among the predecessor's successors
    /// or among the initial states.
    arrivals: Vec<(u32, u32)>,
    capacity: usize,
    /// The memory limit: runs that do not fit are not reconstructed.
    memory_bytes: Option<u64>,
}

impl Predecessors {
    /// For at most `capacity` states, in a search with this memory limit.
    pub fn new(capacity: usize, memory_bytes: Option<u64>) -> Predecessors {
        let capacity = capacity.min(NO_PREDECESSOR as usize);
        Predecessors { arrivals: Vec::new(), capacity, memory_bytes }
    }

    /// The number of the new state; `None` if the capacity is exhausted.
    #[inline]
    pub fn add(&mut self, predecessor: u32, successor: u32) -> Option<u32> {
        if self.arrivals.len() >= self.capacity {
            return None;
        }
        self.arrivals.push((predecessor, successor));
        Some(self.arrivals.len() as u32 - 1)
    }

    /// The run to a state, extended by the steps `codes`; `None` if the state is unknown, or the
    /// run does not fit into memory.
    pub fn run_to<S: System>(&self, system: &S, state: u32, codes: &[StepCode]) -> Option<Run> {
        let mut choices = Vec::new();
        let mut number = state;
        let initial = loop {
            let &(predecessor, successor) = self.arrivals.get(number as usize)?;
            if predecessor == NO_PREDECESSOR {
                break successor as usize;
            }
            choices.push(successor);
            number = predecessor;
        };
        let bytes = (choices.len() * size_of::<Step>()) as u64;
        if memory_left(self.memory_bytes).is_some_and(|left| bytes > left) {
            return None;
        }
        run_by_choices(system, initial, choices.into_iter().rev(), codes)
    }
}
