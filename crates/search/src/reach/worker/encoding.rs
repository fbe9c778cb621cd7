//! The words that a worker puts before the words of a state.

use crate::reach::predecessors::NO_PREDECESSOR;
use crate::tuning::reach::BLOCK_STATES;

/// The word before a state in the frontier: its depth, and its number among the predecessors.
#[inline]
pub(super) fn header(depth: u64, number: u32) -> u64 {
    depth.min(u32::MAX.into()) | u64::from(number) << 32
}

#[inline]
pub(super) fn depth(header: u64) -> u64 {
    header & u64::from(u32::MAX)
}

#[inline]
pub(super) fn number(header: u64) -> u32 {
    (header >> 32) as u32
}

/// The part of a header that means that predecessors are not recorded.
pub(crate) const NO_NUMBER: u64 = (NO_PREDECESSOR as u64) << 32;

/// The word before a successor that is to be inserted.
#[derive(Clone, Copy)]
pub(super) struct Origin(pub u64);

impl Origin {
    /// The slot of an initial state, which has no predecessor in the block.
    pub const INITIAL: usize = BLOCK_STATES;
    /// The slot of a successor of a resumed search. The depth of its predecessor is in place of the
    /// successor's number.
    pub const RESUMED: usize = BLOCK_STATES + 1;

    /// The successor's predecessor is at `slot` of the block; `moves` is the weight of the steps.
    #[inline]
    pub fn new(slot: usize, successor: u32, moves: u64) -> Origin {
        Origin(slot as u64 | u64::from(successor) << 8 | moves.min((1 << 23) - 1) << 40)
    }

    #[inline]
    pub fn slot(self) -> usize {
        self.0 as usize & 0xff
    }

    #[inline]
    pub fn successor(self) -> u32 {
        (self.0 >> 8) as u32
    }

    #[inline]
    pub fn moves(self) -> u64 {
        self.0 >> 40
    }
}
