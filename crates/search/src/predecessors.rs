//! How states were first reached, so that a run to each can be shown: for every state the one before it and which of its
//! arrivals led on. The states themselves are computed again.
//!
//! This costs eight bytes for each state, so it is kept only at the start of a search, where most errors are found, and in
//! the second search that is made for an error found later.

use crate::atomic::{Visitor, Walk, Watch};
use crate::memory::memory_left;
use crate::outcome::Run;
use model::RuntimeError;
use model::system::{Step, StepCode, Successors, System};
use std::sync::atomic::AtomicBool;

/// In place of a predecessor: the state is an initial one.
pub(crate) const NOBODY: u32 = u32::MAX;

/// The tree of first arrivals.
#[derive(Debug)]
pub(crate) struct Predecessors {
    /// By number of the state: its predecessor, and which of that one's arrivals; or which initial state.
    arrivals: Vec<(u32, u32)>,
    capacity: usize,
    /// The limit of memory: runs for which there is no room are not shown.
    memory_bytes: Option<u64>,
}

impl Predecessors {
    /// With room for `capacity` states, in a search with this memory limit.
    pub fn new(capacity: usize, memory_bytes: Option<u64>) -> Predecessors {
        Predecessors { arrivals: Vec::new(), capacity: capacity.min(NOBODY as usize), memory_bytes }
    }

    /// The number of the new state; `None` if there is no room.
    #[inline]
    pub fn add(&mut self, predecessor: u32, arrival: u32) -> Option<u32> {
        if self.arrivals.len() >= self.capacity {
            return None;
        }
        self.arrivals.push((predecessor, arrival));
        Some(self.arrivals.len() as u32 - 1)
    }

    /// The run to a state, and on with these steps; `None` if the state is not known, or there is no memory for the run.
    pub fn run_to<S: System>(&self, system: &S, state: u32, codes: &[StepCode]) -> Option<Run> {
        let mut choices = Vec::new();
        let mut number = state;
        let initial = loop {
            let &(predecessor, arrival) = self.arrivals.get(number as usize)?;
            if predecessor == NOBODY {
                break arrival as usize;
            }
            choices.push(arrival);
            number = predecessor;
        };
        let bytes = (choices.len() * size_of::<Step>()) as u64;
        if memory_left(self.memory_bytes).is_some_and(|left| bytes > left) {
            return None;
        }
        let mut state = system.initial_states().ok()?.into_iter().nth(initial)?;
        let mut steps = Vec::with_capacity(choices.len());
        for &arrival in choices.iter().rev() {
            let (codes, next) = passage(system, &state, arrival)?;
            steps.extend(codes.iter().map(|code| system.step(*code)));
            state = next;
        }
        steps.extend(codes.iter().map(|code| system.step(*code)));
        Some(Run { initial, steps })
    }
}

/// The steps from a stored state to one of the stored states next to it, by number, in the order of a walk.
pub(crate) fn passage<S: System>(
    system: &S,
    state: &[u64],
    arrival: u32,
) -> Option<(Vec<StepCode>, Vec<u64>)> {
    let mut successors = Successors::new(system.width());
    system.successors(state, &mut successors).ok()?;
    let mut search = Numbered { left: arrival, found: None };
    let mut watch = Watch::default();
    let mut walk = Walk::new(system.width());
    for index in 0..successors.len() {
        let code = successors.code(index);
        if code.is_stopped() || code.is_refused() {
            continue;
        }
        let state = successors.state(index);
        if code.is_transient() {
            walk.through(system, state, code, &mut watch, &AtomicBool::new(false), &mut search).ok()?;
        } else {
            search.arrival(state, &[code], 0);
        }
        if search.found.is_some() {
            break;
        }
    }
    search.found
}

/// Looks for the arrival with a number.
struct Numbered {
    left: u32,
    found: Option<(Vec<StepCode>, Vec<u64>)>,
}

impl Visitor for Numbered {
    fn taken(&mut self, _: StepCode) {}

    fn atomic(&mut self) {}

    fn arrival(&mut self, state: &[u64], codes: &[StepCode], _: u64) {
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None if self.found.is_none() => self.found = Some((codes.to_vec(), state.to_vec())),
            None => {}
        }
    }

    fn error(&mut self, _: &RuntimeError, _: &[StepCode]) {}

    fn endless(&mut self) {}

    fn is_done(&self) -> bool {
        self.found.is_some()
    }
}
