//! Hybrid storage (Godefroid, Holzmann 1993, "On the verification of temporal properties", section 4).
//!
//! Nodes that differ in a small part alone, their *tail*, are stored together as a *packet*: once what they have in common, the *head*, and a bit for
//! each tail that says whether the node with it was met. Heads have numbers (`table`), and a node's number is that of its head and, as its last binary digits,
//! its tail; so what a search knows of its nodes, beside them by number, lies in the packet as well. With a single tail a packet is
//! a node and there are no bits: the classical storage.
//!
//! Most heads do not need all bits of their last word. Where the others are enough the packet's bits are those: they cost nothing, and whoever has come to the head
//! has them at hand.

use super::table::{MOST_NODES, NoMemory, NodeTable, Numbers};
use crate::apart::Count;
use crate::liveness::Node;
use crate::words::Words;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// What is not stored with every node, but is the tail of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tail {
    /// Not even the demon of `magic`: it is part of each node, as in the classical storage, so that most nodes are stored twice. Only to see what
    /// that costs.
    None,
    /// Nothing else: a packet is a state of program × property.
    #[default]
    Demon,
    /// The state of the property's automaton, with which those of fair runs are joined: a packet is a state of the program.
    Property,
    /// The same, and the counter of a search with flag counters.
    Fairness,
}

impl Tail {
    pub const ALL: [Tail; 4] = [Tail::None, Tail::Demon, Tail::Property, Tail::Fairness];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Tail::None => "none",
            Tail::Demon => "demon",
            Tail::Property => "property",
            Tail::Fairness => "fairness",
        }
    }

    /// Is the property's automaton part of the tail?
    #[inline]
    pub(super) fn has_property(self) -> bool {
        matches!(self, Tail::Property | Tail::Fairness)
    }
}

/// What became of a hybrid storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketFigures {
    pub tail: Tail,
    pub packets: u64,
    /// How many nodes a packet has room for.
    pub tails: u64,
    /// Nodes met: with their counters, if these are in the tail.
    pub nodes: u64,
}

/// The first bits of a packet are its *flags*, which say what became of it as a whole; then comes one for each tail.
const FLAGS: u32 = 2;
/// The edges of its companion (see [`joint`](super::joint)) have been made, or are about to be.
pub(super) const TAKEN: u8 = 1;
/// Its companion is among those nodes that a search goes on from.
pub(super) const LEFT: u8 = 2;

/// Some bits of a packet.
#[derive(Debug, Default)]
pub(super) struct Bits {
    /// After so many words, these.
    bits: Vec<(u32, u64)>,
}

impl Bits {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// That of a tail.
    pub fn insert(&mut self, tail: u32) {
        self.put((FLAGS + tail) / 64, 1 << ((FLAGS + tail) % 64));
    }

    /// Those of flags.
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

/// How many binary digits so many tails have.
fn digits(tails: u32) -> u32 {
    u32::BITS - (tails - 1).leading_zeros()
}

/// Where the bits of a packet are: its flags, one bit for each tail, and two for the colors of each node, if a search wants them. With a single tail, a packet
/// has colors at most.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// They are in the last word of the head, after so many bits that are the head's.
    within: Option<u32>,
    /// If they are not, bits of a packet: a part of a word, or whole words.
    room: usize,
    /// Where the colors begin.
    colors: Option<usize>,
}

impl Layout {
    /// In the last word of heads that have so many words and leave it some bits, if these are enough. There is always room for colors then.
    fn within(tails: u32, words: usize, last_bits: u32) -> Option<Layout> {
        let (bits, colors) = Layout::bits(tails, true);
        let is_room = words > 0 && bits <= (u64::BITS - last_bits) as usize;
        is_room.then_some(Layout { within: Some(last_bits), room: 0, colors })
    }

    /// In a place of their own.
    fn apart(tails: u32, colored: bool) -> Layout {
        let (bits, colors) = Layout::bits(tails, colored);
        let room = match bits {
            0 => 0,
            1..=64 => bits.next_power_of_two(),
            _ => bits.next_multiple_of(64),
        };
        Layout { within: None, room, colors }
    }

    /// How many bits there are, and where the colors begin.
    fn bits(tails: u32, colored: bool) -> (usize, Option<usize>) {
        let tails = tails as usize;
        let plain = if tails == 1 { 0 } else { FLAGS as usize + tails };
        // Both colors of a node are in one word.
        let colors = colored.then(|| plain.next_multiple_of(2));
        (colors.map_or(plain, |colors| colors + 2 * tails), colors)
    }

    /// Which word has a bit of a packet, and which of its bits it is.
    #[inline]
    fn place(&self, heads: &NodeTable, head: Node, bit: usize) -> (usize, usize) {
        match self.within {
            Some(shift) => (heads.last_word(head), shift as usize + bit),
            None => {
                let place = head as usize * self.room + bit;
                (place / 64, place % 64)
            }
        }
    }

    /// How many words of their own the bits of so many packets take.
    fn words_for(&self, packets: usize) -> usize {
        (packets * self.room).div_ceil(64)
    }

    /// How many bits of its last word the table must leave to the head.
    fn last_bits(&self) -> u32 {
        self.within.unwrap_or(u64::BITS)
    }
}

/// How many heads there can be, so that the numbers of their nodes are numbers.
fn most_heads(tails: u32) -> u32 {
    (u64::from(MOST_NODES) >> digits(tails)) as u32
}

/// The nodes of a product. Threads share it as they do the table of heads.
#[derive(Debug)]
pub(super) struct Packets {
    heads: NodeTable,
    tails: u32,
    /// Binary digits of a node's number that are its tail.
    digits: u32,
    /// Those of each packet that are not in its head, all in one place: so a thread that looks at a packet another one has written to waits for one cache line.
    bits: Words,
    layout: Layout,
    len: Count,
}

impl Packets {
    /// For heads of so many words, of the last of which so many bits are ever set, each with so many tails.
    pub fn new(words: usize, last_bits: u32, tails: u32) -> Packets {
        let tails = tails.max(1);
        let layout = Layout::within(tails, words, last_bits).unwrap_or_else(|| Layout::apart(tails, false));
        let heads = NodeTable::new(words, layout.last_bits(), most_heads(tails));
        let mut packets = Packets {
            heads,
            tails,
            digits: digits(tails),
            bits: Words::default(),
            layout,
            len: Count::default(),
        };
        if !packets.make_room() {
            packets.heads.cut_room(0);
        }
        packets
    }

    /// Is there but one tail?
    #[inline]
    fn is_classical(&self) -> bool {
        self.tails == 1
    }

    pub fn tails(&self) -> u32 {
        self.tails
    }

    /// Nodes met.
    #[inline]
    pub fn len(&self) -> usize {
        if self.is_classical() { self.heads.len() } else { self.len.sum() as usize }
    }

    pub fn packets(&self) -> usize {
        self.heads.len()
    }

    /// All numbers of nodes are below.
    pub fn numbers(&self) -> u64 {
        u64::from(self.heads.numbers()) << self.digits
    }

    /// How many nodes there can be.
    pub fn most(&self) -> u64 {
        u64::from(self.heads.most()) * u64::from(self.tails)
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

    /// The hash value of a head.
    #[inline]
    pub fn hash(&self, head: &[u64]) -> u32 {
        self.heads.hash(head)
    }

    /// Starts to fetch the place of a head with this hash value.
    #[inline]
    pub fn prepare(&self, hash: u32) {
        self.heads.prepare(hash);
    }

    /// Starts to fetch the words of the node's head.
    #[inline]
    pub fn fetch_words(&self, node: Node) {
        self.heads.fetch_words(self.head(node));
    }

    /// Starts to fetch the head that is likely to be the one with this hash value.
    #[inline]
    pub fn fetch(&self, hash: u32) {
        self.heads.fetch(hash);
    }

    /// The head with these words, if it was met. Precondition: nobody else adds any meanwhile.
    pub fn find_head(&self, head: &[u64]) -> Option<Node> {
        self.heads.find(head, self.hash(head))
    }

    /// The number of the packet with this head; a new one if there is none. `None` if there is no room for it. `alone`: no other thread adds
    /// any.
    #[inline]
    pub fn intern_head(&self, head: &[u64], hash: u32, numbers: &mut Numbers, alone: bool) -> Option<Node> {
        self.heads.intern(head, hash, numbers, alone)
    }

    /// The node of a packet with this tail.
    #[inline]
    pub fn node(&self, head: Node, tail: u32) -> Node {
        debug_assert!(tail < self.tails);
        head << self.digits | tail
    }

    /// Where the bits of packets are.
    #[inline]
    fn bits(&self) -> &Words {
        if self.layout.within.is_some() { self.heads.words() } else { &self.bits }
    }

    /// Which word of those has a bit of a packet, and which of its bits it is.
    #[inline]
    fn place(&self, head: Node, bit: usize) -> (usize, usize) {
        self.layout.place(&self.heads, head, bit)
    }

    /// Sets a flag of a packet; was it unset? `alone`: no other thread does so. Precondition: there are several tails.
    #[inline]
    pub fn mark(&self, head: Node, flag: u8, alone: bool) -> bool {
        let (word, shift) = self.place(head, 0);
        let flag = u64::from(flag) << shift;
        self.bits().set(word, flag, alone) & flag == 0
    }

    /// Unsets the flags of all packets.
    pub fn unmark(&mut self) {
        if !self.is_classical() {
            self.unset(0..FLAGS as usize);
        }
    }

    /// Unsets these bits of all packets.
    fn unset(&mut self, which: Range<usize>) {
        if let Some(shift) = self.layout.within {
            let kept = which.fold(u64::MAX, |kept, bit| kept & !(1 << (shift as usize + bit)));
            return self.heads.last_words().for_each(|word| *word &= kept);
        }
        let room = self.layout.room;
        let mut kept = vec![u64::MAX; room.div_ceil(64)];
        for first in (0..64 * kept.len()).step_by(room) {
            which.clone().for_each(|bit| kept[(first + bit) / 64] &= !(1 << ((first + bit) % 64)));
        }
        self.bits.iter_mut().zip(kept.iter().cycle()).for_each(|(word, kept)| *word &= kept);
    }

    /// No node has a color; from now on they can have some.
    pub fn fade(&mut self) -> Result<(), NoMemory> {
        match self.layout.colors {
            Some(colors) => self.unset(colors..colors + 2 * self.tails as usize),
            None => self.arrange(Layout::apart(self.tails, true))?,
        }
        Ok(())
    }

    /// Moves the bits of all packets to where another layout has them, in a place of their own. Colors that there were must be there.
    fn arrange(&mut self, layout: Layout) -> Result<(), NoMemory> {
        let (bits, _) = Layout::bits(self.tails, self.layout.colors.is_some());
        let room = Words::zeroed(layout.words_for(self.heads.capacity())).ok_or(NoMemory)?;
        let apart = std::mem::replace(&mut self.bits, room);
        let before = std::mem::replace(&mut self.layout, layout);
        let old = if before.within.is_some() { self.heads.words() } else { &apart };
        for head in 0..self.heads.numbers() {
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

    /// The place of the node's colors. Precondition: nodes [can have](Self::fade) some.
    #[inline]
    fn colors(&self, node: Node) -> (usize, usize) {
        let colors = self.layout.colors.unwrap_or(0) + 2 * self.tail(node) as usize;
        self.place(self.head(node), colors)
    }

    /// Has the node this color?
    #[inline]
    pub fn has_color(&self, node: Node, color: u8) -> bool {
        let (word, shift) = self.colors(node);
        self.bits()[word].load(Ordering::Acquire) >> shift & u64::from(color) != 0
    }

    /// Gives the node a color; had it not? `alone`: no other thread does so.
    #[inline]
    pub fn color(&self, node: Node, color: u8, alone: bool) -> bool {
        let (word, shift) = self.colors(node);
        let bit = u64::from(color) << shift;
        self.bits().set(word, bit, alone) & bit == 0
    }

    /// The node of a packet with this tail, which is met herewith. `alone`: no other thread meets any.
    #[inline]
    pub fn meet_one(&self, head: Node, tail: u32, alone: bool) -> Node {
        if !self.is_classical() {
            let (word, shift) = self.place(head, (FLAGS + tail) as usize);
            let bit = 1 << shift;
            if self.bits().set(word, bit, alone) & bit == 0 {
                self.len.add(1);
            }
        }
        self.node(head, tail)
    }

    /// Sets these bits of packets: nodes with these tails are met. `seen` is told which flags a packet had before, if flags or low tails are among
    /// the bits. `alone`: no other thread meets any. With a single tail nothing is done.
    #[inline]
    pub fn meet(&self, heads: &[Node], bits: &Bits, alone: bool, mut seen: impl FnMut(Node, u8)) {
        if self.is_classical() {
            return;
        }
        let mut new = 0;
        for &head in heads {
            let (first, shift) = self.place(head, 0);
            for &(words, bits) in &bits.bits {
                let before = self.bits().set(first + words as usize, bits << shift, alone) >> shift;
                let mut unset = bits & !before;
                if words == 0 {
                    seen(head, (before & ((1 << FLAGS) - 1)) as u8);
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

    /// Makes room for more packets, with so many threads, so that all take at most so many bytes. Then it is not
    /// [full](Self::is_full), unless all numbers are taken.
    pub fn grow(&mut self, memory_bytes: u64, threads: usize) -> Result<(), NoMemory> {
        let before = self.heads.capacity();
        let bits_bytes = 8 * self.layout.words_for(before + before / 4) as u64;
        self.heads.grow(memory_bytes.saturating_sub(bits_bytes), threads)?;
        if self.make_room() {
            return Ok(());
        }
        self.heads.cut_room(before);
        Err(NoMemory)
    }

    /// Makes room for the bits of all heads that there is room for; `false` if there is no memory.
    fn make_room(&mut self) -> bool {
        self.bits.extend_to(self.layout.words_for(self.heads.capacity()), 1)
    }

    /// Replaces the words of every head, by so many, so many bits of the last of which are ever set; the numbers remain.
    /// All of it takes at most so many bytes meanwhile; where that is not enough, the words remain as they were.
    pub fn recode(
        &mut self,
        words: usize,
        last_bits: u32,
        memory_bytes: u64,
        recode: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<(), NoMemory> {
        if self.memory_bytes() + self.heads.recoding_bytes(words) > memory_bytes {
            return Err(NoMemory);
        }
        let mut wide = self.layout;
        if self.layout.within.is_some() {
            match Layout::within(self.tails, words, last_bits) {
                Some(layout) => wide = layout,
                None => {
                    self.arrange(Layout::apart(self.tails, true))?;
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
