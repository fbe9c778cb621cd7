//! Hybrid storage (Godefroid, Holzmann 1993, "On the verification of temporal properties", section
//! 4).
//!
//! Nodes that differ only in a small component, their *tail*, are stored together as a *packet*:
//! their common component, the *head*, is stored once, with one bit for each tail that says whether
//! the node with that tail was visited. Heads are numbered (`table`); a node's number is its head's
//! number followed by its tail as the lowest bits. Data that a search keeps by node number is
//! therefore grouped by packet, too. With a single tail a packet is a node and has no such bits:
//! classical storage.
//!
//! Most heads do not use all bits of their last word. If the unused bits suffice, they hold the
//! bits of the packet, at no cost in memory and in a cache line that is already loaded.

use crate::liveness::Node;
use crate::memory::atomic_words::AtomicWords;
use crate::memory::padded::ShardedCounter;
use crate::product::nodes::packet_bits::{FLAGS, PacketBits, PacketLayout};
use crate::product::nodes::table::{MAX_NODES, NodeTable, NumberRange, OutOfMemory};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// The number of bits for a tail.
fn digits(tails: u32) -> u32 {
    u32::BITS - (tails - 1).leading_zeros()
}

/// The maximal number of heads such that node numbers do not overflow.
fn max_heads(tails: u32) -> u32 {
    (u64::from(MAX_NODES) >> digits(tails)) as u32
}

/// The nodes of a product. Threads share it like the table of heads.
#[derive(Debug)]
pub(in crate::product) struct Packets {
    heads: NodeTable,
    tails: u32,
    /// The lowest bits of a node's number are its tail; this is their count.
    digits: u32,
    /// The packet bits that are not in the heads, those of one packet next to each other: a thread
    /// that reads a packet after another thread has written to it waits for one cache line.
    bits: AtomicWords,
    layout: PacketLayout,
    len: ShardedCounter,
}

impl Packets {
    /// For heads of `words` words, of which the last uses `last_bits` bits, each with `tails`
    /// tails.
    pub fn new(words: usize, last_bits: u32, tails: u32) -> Packets {
        let tails = tails.max(1);
        let layout = PacketLayout::in_head(tails, words, last_bits)
            .unwrap_or_else(|| PacketLayout::separate(tails, false));
        let heads = NodeTable::new(words, layout.last_bits(), max_heads(tails));
        let mut packets = Packets {
            heads,
            tails,
            digits: digits(tails),
            bits: AtomicWords::default(),
            layout,
            len: ShardedCounter::default(),
        };
        if !packets.reserve() {
            packets.heads.reduce_capacity(0);
        }
        packets
    }

    /// Is there only one tail?
    #[inline]
    fn is_classical(&self) -> bool {
        self.tails == 1
    }

    pub fn tails(&self) -> u32 {
        self.tails
    }

    /// The number of visited nodes.
    #[inline]
    pub fn len(&self) -> usize {
        if self.is_classical() { self.heads.len() } else { self.len.sum() as usize }
    }

    pub fn packets(&self) -> usize {
        self.heads.len()
    }

    /// An upper bound (exclusive) on the numbers of all nodes.
    pub fn number_bound(&self) -> u64 {
        u64::from(self.heads.number_bound()) << self.digits
    }

    /// The maximal number of nodes.
    pub fn max_nodes(&self) -> u64 {
        u64::from(self.heads.max_nodes()) * u64::from(self.tails)
    }

    pub fn memory_bytes(&self) -> u64 {
        self.heads.memory_bytes() + 8 * self.bits.len() as u64
    }

    /// The number of the node's packet.
    #[inline]
    pub fn head(&self, node: Node) -> Node {
        node >> self.digits
    }

    #[inline]
    pub fn tail(&self, node: Node) -> u32 {
        node & ((1 << self.digits) - 1)
    }

    /// Words of a head.
    pub fn words(&self) -> usize {
        self.heads.stride()
    }

    /// One of the words of the node's head.
    #[inline]
    pub fn word(&self, node: Node, index: usize) -> u64 {
        self.heads.word(self.head(node), index)
    }

    /// Appends the words of the node's head.
    #[inline]
    pub fn load(&self, node: Node, out: &mut Vec<u64>) {
        self.heads.load(self.head(node), out);
    }

    #[inline]
    pub fn hash(&self, head: &[u64]) -> u32 {
        self.heads.hash(head)
    }

    /// Prefetches the table's entry for a head with this hash.
    #[inline]
    pub fn prefetch_entry(&self, hash: u32) {
        self.heads.prefetch_entry(hash);
    }

    /// Prefetches the words of the node's head.
    #[inline]
    pub fn prefetch_words(&self, node: Node) {
        self.heads.prefetch_words(self.head(node));
    }

    /// Prefetches the words of the head that probably has this hash.
    #[inline]
    pub fn prefetch_candidate(&self, hash: u32) {
        self.heads.prefetch_candidate(hash);
    }

    /// The head with these words, if it is in the table. Precondition: no other thread adds heads.
    pub fn find_head(&self, head: &[u64]) -> Option<Node> {
        self.heads.find(head, self.hash(head))
    }

    /// The number of the packet with this head, which is added if it is missing. `None` if the
    /// table is full. `exclusive`: no other thread adds heads.
    #[inline]
    pub fn intern_head(
        &self,
        head: &[u64],
        hash: u32,
        numbers: &mut NumberRange,
        exclusive: bool,
    ) -> Option<Node> {
        self.heads.intern(head, hash, numbers, exclusive)
    }

    /// The node of a packet with this tail.
    #[inline]
    pub fn node(&self, head: Node, tail: u32) -> Node {
        debug_assert!(tail < self.tails);
        head << self.digits | tail
    }

    /// The words that hold the bits of packets.
    #[inline]
    fn bits(&self) -> &AtomicWords {
        if self.layout.in_head.is_some() { self.heads.words() } else { &self.bits }
    }

    /// The word in [`bits`](Self::bits) that holds a bit of a packet, and the bit's position in it.
    #[inline]
    fn place(&self, head: Node, bit: usize) -> (usize, usize) {
        self.layout.place(&self.heads, head, bit)
    }

    /// Sets a flag of a packet; returns whether it was unset. `exclusive`: no other thread sets
    /// flags. Precondition: there are several tails.
    #[inline]
    pub fn set_flag(&self, head: Node, flag: u8, exclusive: bool) -> bool {
        let (word, shift) = self.place(head, 0);
        let flag = u64::from(flag) << shift;
        self.bits().set(word, flag, exclusive) & flag == 0
    }

    /// Clears the flags of all packets.
    pub fn clear_flags(&mut self) {
        if !self.is_classical() {
            self.clear_bits(0..FLAGS as usize);
        }
    }

    /// Clears these bits of all packets.
    fn clear_bits(&mut self, which: Range<usize>) {
        if let Some(shift) = self.layout.in_head {
            let kept = which.fold(u64::MAX, |kept, bit| kept & !(1 << (shift as usize + bit)));
            return self.heads.last_words().for_each(|word| *word &= kept);
        }
        let room = self.layout.bits_per_packet;
        let mut kept = vec![u64::MAX; room.div_ceil(64)];
        for first in (0..64 * kept.len()).step_by(room) {
            which.clone().for_each(|bit| kept[(first + bit) / 64] &= !(1 << ((first + bit) % 64)));
        }
        self.bits.iter_mut().zip(kept.iter().cycle()).for_each(|(word, kept)| *word &= kept);
    }

    /// Removes all colors from all nodes and allocates room for colors if there is none.
    pub fn clear_colors(&mut self) -> Result<(), OutOfMemory> {
        match self.layout.colors {
            Some(colors) => self.clear_bits(colors..colors + 2 * self.tails as usize),
            None => self.move_bits(PacketLayout::separate(self.tails, true))?,
        }
        Ok(())
    }

    /// Moves the bits of all packets to another layout outside the heads. Precondition: the new
    /// layout has colors if the old one has.
    fn move_bits(&mut self, layout: PacketLayout) -> Result<(), OutOfMemory> {
        let (bits, _) = PacketLayout::bits(self.tails, self.layout.colors.is_some());
        let room =
            AtomicWords::zeroed(layout.words_for(self.heads.capacity())).ok_or(OutOfMemory)?;
        let separate = std::mem::replace(&mut self.bits, room);
        let before = std::mem::replace(&mut self.layout, layout);
        let old = if before.in_head.is_some() { self.heads.words() } else { &separate };
        for head in 0..self.heads.number_bound() {
            for bit in 0..bits {
                let (word, shift) = before.place(&self.heads, head, bit);
                if old[word].load(Ordering::Relaxed) >> shift & 1 != 0 {
                    let (word, shift) = self.place(head, bit);
                    self.bits.set(word, 1 << shift, true);
                }
            }
        }
        Ok(())
    }

    /// The word and bit of the node's colors. Precondition: [`clear_colors`](Self::clear_colors)
    /// was called.
    #[inline]
    fn colors(&self, node: Node) -> (usize, usize) {
        let colors = self.layout.colors.unwrap_or(0) + 2 * self.tail(node) as usize;
        self.place(self.head(node), colors)
    }

    #[inline]
    pub fn has_color(&self, node: Node, insert_color: u8) -> bool {
        let (word, shift) = self.colors(node);
        self.bits()[word].load(Ordering::Acquire) >> shift & u64::from(insert_color) != 0
    }

    /// Adds a color to the node; returns whether it was missing. `exclusive`: no other thread adds
    /// colors.
    #[inline]
    pub fn insert_color(&self, node: Node, insert_color: u8, exclusive: bool) -> bool {
        let (word, shift) = self.colors(node);
        let bit = u64::from(insert_color) << shift;
        self.bits().set(word, bit, exclusive) & bit == 0
    }

    /// Marks the node of a packet with this tail as visited. `exclusive`: no other thread does so.
    #[inline]
    pub fn visit(&self, head: Node, tail: u32, exclusive: bool) -> Node {
        if !self.is_classical() {
            let (word, shift) = self.place(head, (FLAGS + tail) as usize);
            let bit = 1 << shift;
            if self.bits().set(word, bit, exclusive) & bit == 0 {
                self.len.add(1);
            }
        }
        self.node(head, tail)
    }

    /// Sets bits of packets: marks the nodes with these tails as visited. If flags or low tails are
    /// among the bits, calls `flags_before` with the flags that each packet had before.
    /// `exclusive`: no other thread sets bits. Does nothing with a single tail.
    #[inline]
    pub fn visit_all(
        &self,
        heads: &[Node],
        bits: &PacketBits,
        exclusive: bool,
        mut flags_before: impl FnMut(Node, u8),
    ) {
        if self.is_classical() {
            return;
        }
        let mut new = 0;
        for &head in heads {
            let (first, shift) = self.place(head, 0);
            for &(words, bits) in &bits.bits {
                let before =
                    self.bits().set(first + words as usize, bits << shift, exclusive) >> shift;
                let mut unset = bits & !before;
                if words == 0 {
                    flags_before(head, (before & ((1 << FLAGS) - 1)) as u8);
                    unset &= !((1 << FLAGS) - 1);
                }
                new += unset.count_ones();
            }
        }
        if new > 0 {
            self.len.add(u64::from(new));
        }
    }

    /// Is there no room for another packet?
    pub fn is_full(&self) -> bool {
        self.heads.is_full()
    }

    /// Grows the table with the given number of threads, to at most `memory_bytes` in all. Then it
    /// is not [full](Self::is_full), unless all numbers are used.
    pub fn grow(&mut self, memory_bytes: u64, threads: usize) -> Result<(), OutOfMemory> {
        let before = self.heads.capacity();
        let bits_bytes = 8 * self.layout.words_for(before + before / 4) as u64;
        self.heads.grow(memory_bytes.saturating_sub(bits_bytes), threads)?;
        if self.reserve() {
            return Ok(());
        }
        self.heads.reduce_capacity(before);
        Err(OutOfMemory)
    }

    /// Allocates the bits of all heads that there is room for; `false` if there is no memory.
    fn reserve(&mut self) -> bool {
        self.bits.extend_to(self.layout.words_for(self.heads.capacity()), 1)
    }

    /// Replaces the words of every head by `words` words, of which the last uses `last_bits` bits;
    /// the numbers remain. All of it takes at most `memory_bytes` meanwhile; changes nothing if
    /// that is not enough.
    pub fn recode(
        &mut self,
        words: usize,
        last_bits: u32,
        memory_bytes: u64,
        recode: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<(), OutOfMemory> {
        if self.memory_bytes() + self.heads.recoding_bytes(words) > memory_bytes {
            return Err(OutOfMemory);
        }
        let mut wide = self.layout;
        if self.layout.in_head.is_some() {
            match PacketLayout::in_head(self.tails, words, last_bits) {
                Some(layout) => wide = layout,
                None => {
                    self.move_bits(PacketLayout::separate(self.tails, true))?;
                    wide = self.layout;
                }
            }
        }
        self.heads.recode(words, wide.last_bits(), recode)?;
        self.layout = wide;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
