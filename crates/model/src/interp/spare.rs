//! States that nobody needs any more. A state is many small pieces of memory; to fill those of an old one takes a fraction of the time
//! that it takes to ask for new ones and to give them back.

use crate::state::State;

/// See the module.
#[derive(Debug, Default)]
pub struct Spare {
    states: Vec<State>,
}

/// More are not kept: what one expansion needs is soon given back.
const MOST: usize = 256;

impl Spare {
    /// A copy of a state.
    pub fn copy(&mut self, state: &State) -> State {
        match self.states.pop() {
            Some(mut copy) => {
                copy.clone_from(state);
                copy
            }
            None => state.clone(),
        }
    }

    /// Takes a state that is not needed any more.
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
    fn nothing_of_the_old_state_is_left() {
        let states = [state(3, 2, 1, 5), state(1, 4, 3, 6), state(4, 0, 0, 7), state(2, 3, 2, 8)];
        for old in &states {
            for new in &states {
                let mut spare = Spare::default();
                spare.give(old.clone());
                assert_eq!(spare.copy(new), *new);
                assert_eq!(spare.copy(new), *new);
            }
        }
    }
}
