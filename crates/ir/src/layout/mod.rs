//! The packing of states into machine words: each value takes only the bits that its observed
//! values need.
//!
//! Ranges that cannot be proven are observed ([`profile`]) and assumed. An engine checks that each
//! new state fits; if one does not, a wider layout is made and all known states are translated.
//! Widths thus affect memory, never correctness.
//!
//! Rules that engines rely on:
//! - No value crosses the border of a word. A value is `low` plus its bits; a value of width 0 is
//!   always `low`.
//! - All bits of components that do not exist (a process beyond the count, a message beyond the
//!   length) are 0.
//! - The first `width.identity` words identify the state; hidden variables and the process with
//!   atomic control are in the words after them.

mod anticipation;
mod codec;
mod pack;
mod profile;
mod recode;
mod sampling;
mod untrusted;

pub use codec::Unrepresentable;
pub use profile::{Interval, Profile};
pub use recode::Recoder;
pub use sampling::{Coverage, Sample};

use crate::program::{ChannelTypeId, ProcessTypeId};
use crate::system::Width;

/// The position of one number: `low` plus the `width` bits at `shift` of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The index of the word.
    pub word: u32,
    /// The lowest bit.
    pub shift: u8,
    /// The number of bits, at most 32.
    pub width: u8,
    /// The value whose bits are all 0.
    pub low: i32,
}

impl Field {
    /// The values that the field can represent.
    pub fn interval(&self) -> Interval {
        Interval {
            low: i64::from(self.low),
            high: i64::from(self.low) + ((1i64 << self.width) - 1),
        }
    }
}

/// A sequence of equal cells, `per_word` in each word: the first is at `shift` of `word`, the next
/// `width` bits higher, and the first of the next word again at `shift`. `per_word` is a power of
/// two unless all cells are in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The index of the first word.
    pub word: u32,
    /// The lowest bit of the first cell of each word.
    pub shift: u8,
    /// The number of bits of a cell, at most 64.
    pub width: u8,
    /// The number of cells in a word.
    pub per_word: u32,
}

impl Row {
    /// The word and the lowest bit of a cell.
    pub fn cell(&self, index: u32) -> (u32, u8) {
        let per_word = self.per_word.max(1);
        (self.word + index / per_word, self.shift + (index % per_word) as u8 * self.width)
    }
}

/// The position of the elements of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Not stored: each element has always had this value.
    Constant(Vec<i32>),
    /// Element `i` is `low` plus the bits of cell `i`.
    #[allow(missing_docs, reason = "the line above says it")]
    Row { row: Row, low: i32, count: u32 },
}

impl Cells {
    /// The number of elements.
    pub fn count(&self) -> usize {
        match self {
            Cells::Constant(values) => values.len(),
            Cells::Row { count, .. } => *count as usize,
        }
    }

    /// The position of an element.
    pub fn field(&self, element: u32) -> Field {
        match self {
            Cells::Constant(values) => Field { low: values[element as usize], ..Field::default() },
            Cells::Row { row, low, .. } => {
                let (word, shift) = row.cell(element);
                Field { word, shift, width: row.width, low: *low }
            }
        }
    }
}

/// The packing of the process with some number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSlot {
    /// The observed types of processes with this number.
    pub kinds: Vec<ProcessKind>,
    /// The index of its type in `kinds`.
    pub kind: Field,
    /// The priority.
    pub priority: Field,
}

/// The packing of a process, depending on its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessKind {
    /// The type.
    pub process_type: ProcessTypeId,
    /// The location.
    pub location: Field,
    /// The variables of the type.
    pub variables: Vec<Cells>,
}

/// The packing of the channel with some number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelSlot {
    /// The observed types of channels with this number.
    pub kinds: Vec<ChannelKind>,
    /// The index of its type in `kinds`.
    pub kind: Field,
    /// 0 for a global channel, otherwise the number of its owner plus 1.
    pub owner: Field,
}

/// The packing of a channel, depending on its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelKind {
    /// The type.
    pub channel_type: ChannelTypeId,
    /// The number of messages in the channel.
    pub length: Field,
    /// The most messages that can be represented; at most the capacity of the channel.
    pub slots: u32,
    /// The cells at a message's position, one in each row; a message of more than 64 bits has
    /// several.
    pub rows: Vec<Row>,
    /// The fields of a message.
    pub fields: Vec<MessageField>,
}

/// The position of a field in its message: at `shift` of the cell in `rows[row]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageField {
    /// The index in [`ChannelKind::rows`].
    pub row: u32,
    /// The lowest bit within the cell.
    pub shift: u8,
    /// The number of bits.
    pub width: u8,
    /// The value whose bits are all 0.
    pub low: i32,
}

/// The positions of all values of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The number of words of a state.
    pub width: Width,
    /// For each word of the identity, the number of its lowest bits that are in use.
    pub identity_bits: Vec<u32>,
    /// The global variables.
    pub globals: Vec<Cells>,
    /// By process number; a state with more processes cannot be represented.
    pub processes: Vec<ProcessSlot>,
    /// Channel number `n` is at index `n - 1`.
    pub channels: Vec<ChannelSlot>,
    /// The number of processes.
    pub process_count: Field,
    /// The number of channels.
    pub channel_count: Field,
    /// The process that moved last; always 0 if the program does not remember it.
    pub last: Field,
    /// The other process of the last step; always 0 if the program does not remember it.
    pub partner: Field,
    /// The location of the event trace.
    pub event: Field,
    /// Outside the identity: 0, or the number of the process with exclusive control plus 1.
    pub control: Field,
}
