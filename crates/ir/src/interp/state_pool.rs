//! Reuse of discarded states. A state consists of many small allocations; refilling those of a
//! discarded state is much faster than allocating and freeing.

use crate::program::Program;
use crate::state::State;

/// A pool of discarded states.
#[derive(Debug, Default)]
pub struct StatePool {
    states: Vec<State>,
}

/// The most states that are kept; an expansion returns its states soon. Not measured.
const MOST: usize = 256;

impl StatePool {
    /// A copy of a state, in the memory of a discarded one if there is one.
    pub fn copy(&mut self, state: &State) -> State {
        match self.states.pop() {
            Some(mut copy) => {
                copy.clone_from(state);
                copy
            }
            None => state.clone(),
        }
    }

    /// Any state.
    pub(super) fn take(&mut self, program: &Program) -> State {
        self.states.pop().unwrap_or_else(|| State::empty(program))
    }

    /// Adds a state that is no longer needed.
    pub fn give(&mut self, state: State) {
        if self.states.len() < MOST {
            self.states.push(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{ChannelTypeId, LocationId, ProcessTypeId};
    use crate::state::{Channel, Process};

    fn state(processes: usize, channels: usize, filled: usize, last: u8) -> State {
        let process = |number: usize| Process {
            process_type: ProcessTypeId(number as u32),
            location: LocationId(7 + number as u32),
            priority: last,
            locals: vec![i32::from(last); number + filled],
        };
        let channel = |number: usize| Channel {
            channel_type: ChannelTypeId(number as u32),
            owner: number.is_multiple_of(2).then_some(last),
            contents: vec![i32::from(last); filled * number],
        };
        State {
            globals: vec![i32::from(last); filled],
            processes: (0..processes).map(process).collect(),
            channels: (0..channels).map(channel).collect(),
            exclusive: (filled == 1).then_some(last),
            last,
            partner: last + 1,
            event: u32::from(last) + 2,
        }
    }

    #[test]
    fn a_copy_contains_nothing_of_the_reused_state() {
        let states = [state(3, 2, 1, 5), state(1, 4, 3, 6), state(4, 0, 0, 7), state(2, 3, 2, 8)];
        for old in &states {
            for new in &states {
                let mut pool = StatePool::default();
                pool.give(old.clone());
                assert_eq!(pool.copy(new), *new);
                assert_eq!(pool.copy(new), *new);
            }
        }
    }
}
