//! How a state is packed into machine words: every value in as many bits as the values it was seen to take need.
//!
//! What cannot be proven small is observed ([`profile`]) and assumed; whoever makes a state must check that it fits, and
//! if it does not, a wider layout is made and the states known so far are translated. So the widths are a
//! matter of memory alone, never of truth.
//!
//! Rules that engines rely on:
//! - No value crosses a word's border. A value is `low` plus its bits; a value of width 0 is always `low`.
//! - What does not exist (a process beyond the count, a message beyond the length) has all bits 0.
//! - The first `width.identity` words are the state's identity; hidden variables and who has atomic control are
//!   in words behind them.

mod codec;
mod look;
mod pack;
mod profile;
mod recode;
mod untrusted;

pub use codec::Unfit;
pub use look::{Extent, FirstLook};
pub use profile::{Interval, Profile};
pub use recode::Recoder;

use crate::program::{ChannelTypeId, ProcessTypeId};
use crate::system::Width;

/// Where one number lives: `low` plus the `width` bits at `shift` of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    pub word: u32,
    pub shift: u8,
    /// At most 32.
    pub width: u8,
    pub low: i32,
}

impl Field {
    /// The values that fit.
    pub fn interval(&self) -> Interval {
        Interval { low: i64::from(self.low), high: i64::from(self.low) + ((1i64 << self.width) - 1) }
    }
}

/// Equal cells of bits in a row: `per_word` to a word, the first at `shift` of `word`, then one `width` further up; the next
/// word's first cell is at the same `shift`. `per_word` is a power of two unless all cells are in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub word: u32,
    pub shift: u8,
    /// At most 64.
    pub width: u8,
    pub per_word: u32,
}

impl Row {
    /// Word and shift of a cell.
    pub fn cell(&self, index: u32) -> (u32, u8) {
        let per_word = self.per_word.max(1);
        (self.word + index / per_word, self.shift + (index % per_word) as u8 * self.width)
    }
}

/// Where the elements of a variable live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Nowhere: each element has always had this value.
    Constant(Vec<i32>),
    /// Element `i` is `low` plus the bits of cell `i`.
    Row { row: Row, low: i32, count: u32 },
}

impl Cells {
    /// Where an element lives.
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

/// How the process with one number is packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSlot {
    /// The types that processes with this number were seen to have.
    pub kinds: Vec<ProcessKind>,
    /// Which of them.
    pub kind: Field,
    pub priority: Field,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessKind {
    pub process_type: ProcessTypeId,
    pub location: Field,
    /// By variable of the type.
    pub variables: Vec<Cells>,
}

/// How the channel with one number is packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelSlot {
    /// The types that channels with this number were seen to have.
    pub kinds: Vec<ChannelKind>,
    /// Which of them.
    pub kind: Field,
    /// 0 for a global channel, otherwise one more than its owner's number.
    pub owner: Field,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelKind {
    pub channel_type: ChannelTypeId,
    /// How many messages it holds.
    pub length: Field,
    /// Messages there is room for; at most the channel's capacity.
    pub slots: u32,
    /// A message is a cell of each row, at the message's position; a message of more than 64 bits has several.
    pub rows: Vec<Row>,
    /// By field of the message.
    pub fields: Vec<MessageField>,
}

/// Where a field is within its message: at `shift` of the cell in `rows[row]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageField {
    pub row: u32,
    pub shift: u8,
    pub width: u8,
    pub low: i32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub width: Width,
    /// For each word of the identity, how many of its lowest bits are in use.
    pub identity_bits: Vec<u32>,
    /// By variable of the program.
    pub globals: Vec<Cells>,
    /// By process number; there is room for so many processes.
    pub processes: Vec<ProcessSlot>,
    /// Channel number `n` is at index `n - 1`.
    pub channels: Vec<ChannelSlot>,
    pub process_count: Field,
    pub channel_count: Field,
    /// The process that moved last; always 0 if the program does not ask.
    pub last: Field,
    /// The process that moved with it; always 0 if the program does not ask.
    pub partner: Field,
    /// The location of the event trace.
    pub event: Field,
    /// Behind the identity: 0, or one more than the number of the process that has atomic control.
    pub control: Field,
}
