//! The bits of a packet and their storage: flags, one bit per tail, two color bits per node.

use crate::liveness::Node;
use crate::product::nodes::table::NodeTable;

/// The first bits of a packet are *flags* that apply to the packet as a whole; one bit for each
/// tail follows.
pub(in crate::product::nodes) const FLAGS: u32 = 2;
/// The companion (see [`packet`](crate::product::expand::packet)) is expanded, or a thread is about
/// to expand it.
pub(in crate::product) const COMPANION_EXPANDED: u8 = 1;
/// The companion is among the nodes from which a search continues.
pub(in crate::product) const COMPANION_QUEUED: u8 = 2;

/// A set of bits of a packet.
#[derive(Debug, Default)]
pub(in crate::product) struct PacketBits {
    /// Pairs of a word's index within the packet and bits of that word.
    pub(in crate::product::nodes) bits: Vec<(u32, u64)>,
}

impl PacketBits {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    pub fn insert(&mut self, tail: u32) {
        self.put((FLAGS + tail) / 64, 1 << ((FLAGS + tail) % 64));
    }

    pub fn insert_flags(&mut self, flags: u8) {
        self.put(0, u64::from(flags));
    }

    fn put(&mut self, word: u32, put: u64) {
        match self.bits.iter_mut().find(|(other, _)| *other == word) {
            Some((_, bits)) => *bits |= put,
            None => self.bits.push((word, put)),
        }
    }
}

/// Where the bits of a packet are: flags, one bit for each tail, and two color bits for each node
/// if a search uses colors. A packet with a single tail has only colors.
#[derive(Clone, Copy, Debug)]
pub(in crate::product::nodes) struct PacketLayout {
    /// The bits are in the last word of the head, above this many bits that belong to the head.
    pub in_head: Option<u32>,
    /// Otherwise: bits of storage for a packet, a divisor or a multiple of 64.
    pub bits_per_packet: usize,
    /// The position of the first color bit.
    pub colors: Option<usize>,
}

impl PacketLayout {
    /// A layout in the last word of the head, if that has enough unused bits, with room for colors.
    pub fn in_head(tails: u32, words: usize, last_bits: u32) -> Option<PacketLayout> {
        let (bits, colors) = PacketLayout::bits(tails, true);
        let fits = words > 0 && bits <= (u64::BITS - last_bits) as usize;
        fits.then_some(PacketLayout { in_head: Some(last_bits), bits_per_packet: 0, colors })
    }

    /// A layout in storage outside the heads.
    pub fn separate(tails: u32, colored: bool) -> PacketLayout {
        let (bits, colors) = PacketLayout::bits(tails, colored);
        let bits_per_packet = match bits {
            0 => 0,
            1..=64 => bits.next_power_of_two(),
            _ => bits.next_multiple_of(64),
        };
        PacketLayout { in_head: None, bits_per_packet, colors }
    }

    /// The number of bits, and the position of the first color bit.
    pub fn bits(tails: u32, colored: bool) -> (usize, Option<usize>) {
        let tails = tails as usize;
        let plain = if tails == 1 { 0 } else { FLAGS as usize + tails };
        // Aligned, so that both colors of a node are in one word.
        let colors = colored.then(|| plain.next_multiple_of(2));
        (colors.map_or(plain, |colors| colors + 2 * tails), colors)
    }

    /// The word that holds a bit of a packet, and the position of the bit in it.
    #[inline]
    pub fn place(&self, heads: &NodeTable, head: Node, bit: usize) -> (usize, usize) {
        match self.in_head {
            Some(shift) => (heads.last_word(head), shift as usize + bit),
            None => {
                let place = head as usize * self.bits_per_packet + bit;
                (place / 64, place % 64)
            }
        }
    }

    /// The number of words outside the heads for this many packets.
    pub fn words_for(&self, packets: usize) -> usize {
        (packets * self.bits_per_packet).div_ceil(64)
    }

    /// The number of bits of the last word that belong to the head.
    pub fn last_bits(&self) -> u32 {
        self.in_head.unwrap_or(u64::BITS)
    }
}
