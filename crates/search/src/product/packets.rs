//! Hybrid storage (Godefroid, Holzmann 1993, "On the verification of temporal properties", section 4).
//!
//! Nodes that differ in a small part alone, their *tail*, are stored together as a *packet*: once what they have in common, the *head*, and a bit for
//! each tail that says whether the node with it was met. Heads have numbers (`table`), and a node's number is that of its head and, as its last binary digits,
//! its tail; so what a search knows of its nodes, beside them by number, lies in the packet as well. With a single tail a packet is
//! a node and there are no bits: the classical storage.

use super::table::{MOST_NODES, NodeTable, Numbers};
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
    /// Bits of a packet: a part of a word, or whole words.
    room: usize,
    /// Where the colors begin.
    colors: Option<usize>,
}

impl Layout {
    fn new(tails: u32, colored: bool) -> Layout {
        let tails = tails as usize;
        let plain = if tails == 1 { 0 } else { FLAGS as usize + tails };
        // Both colors of a node are in one word.
        let colors = colored.then(|| plain.next_multiple_of(2));
        let room = match colors.map_or(plain, |colors| colors + 2 * tails) {
            0 => 0,
            bits @ 1..=64 => bits.next_power_of_two(),
            bits => bits.next_multiple_of(64),
        };
        Layout { room, colors }
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
    /// Those of each packet, all in one place: so a thread that looks at a packet another one has written to waits for one cache line.
    bits: Words,
    layout: Layout,
    len: Count,
}

impl Packets {
    /// For heads of so many words, each with so many tails.
    pub fn new(words: usize, tails: u32) -> Packets {
        let tails = tails.max(1);
        let heads = NodeTable::new(words, most_heads(tails));
        let mut packets = Packets {
            heads,
            tails,
            digits: digits(tails),
            bits: Words::default(),
            layout: Layout::new(tails, false),
            len: Count::default(),
        };
        packets.make_room();
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

    /// Sets a flag of a packet; was it unset? `alone`: no other thread does so. Precondition: there are several tails.
    #[inline]
    pub fn mark(&self, head: Node, flag: u8, alone: bool) -> bool {
        let first = head as usize * self.layout.room;
        let flag = u64::from(flag) << (first % 64);
        self.bits.set(first / 64, flag, alone) & flag == 0
    }

    /// Unsets the flags of all packets.
    pub fn unmark(&mut self) {
        if !self.is_classical() {
            self.unset(0..FLAGS as usize);
        }
    }

    /// Unsets these bits of all packets.
    fn unset(&mut self, which: Range<usize>) {
        let room = self.layout.room;
        let mut kept = vec![u64::MAX; room.div_ceil(64)];
        for first in (0..64 * kept.len()).step_by(room) {
            which.clone().for_each(|bit| kept[(first + bit) / 64] &= !(1 << ((first + bit) % 64)));
        }
        self.bits.iter_mut().zip(kept.iter().cycle()).for_each(|(word, kept)| *word &= kept);
    }

    /// No node has a color; from now on they can have some.
    pub fn fade(&mut self) {
        if let Some(colors) = self.layout.colors {
            return self.unset(colors..colors + 2 * self.tails as usize);
        }
        let (before, old) = (self.layout, std::mem::take(&mut self.bits));
        self.layout = Layout::new(self.tails, true);
        self.make_room();
        let places = |head: usize| {
            let (from, to) = (head * before.room, head * self.layout.room);
            (0..before.room).map(move |bit| (from + bit, to + bit))
        };
        for (from, to) in (0..self.heads.numbers() as usize).flat_map(places) {
            let bit = old[from / 64].load(Ordering::Relaxed) >> (from % 64) & 1;
            if bit != 0 {
                self.bits.set(to / 64, bit << (to % 64), true);
            }
        }
    }

    /// The place of the node's colors. Precondition: nodes [can have](Self::fade) some.
    #[inline]
    fn colors(&self, node: Node) -> usize {
        let Layout { room, colors } = self.layout;
        self.head(node) as usize * room + colors.unwrap_or(0) + 2 * self.tail(node) as usize
    }

    /// Has the node this color?
    #[inline]
    pub fn has_color(&self, node: Node, color: u8) -> bool {
        let place = self.colors(node);
        self.bits[place / 64].load(Ordering::Acquire) >> (place % 64) & u64::from(color) != 0
    }

    /// Gives the node a color; had it not? `alone`: no other thread does so.
    #[inline]
    pub fn color(&self, node: Node, color: u8, alone: bool) -> bool {
        let place = self.colors(node);
        let bit = u64::from(color) << (place % 64);
        self.bits.set(place / 64, bit, alone) & bit == 0
    }

    /// The node of a packet with this tail, which is met herewith. `alone`: no other thread meets any.
    #[inline]
    pub fn meet_one(&self, head: Node, tail: u32, alone: bool) -> Node {
        if !self.is_classical() {
            let place = head as usize * self.layout.room + (FLAGS + tail) as usize;
            let bit = 1 << (place % 64);
            if self.bits.set(place / 64, bit, alone) & bit == 0 {
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
            let first = head as usize * self.layout.room;
            for &(words, bits) in &bits.bits {
                let before =
                    self.bits.set(first / 64 + words as usize, bits << (first % 64), alone) >> (first % 64);
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

    /// Makes room for more packets, with so many threads; `false` if all numbers are taken.
    pub fn grow(&mut self, threads: usize) -> bool {
        let grown = self.heads.grow(threads);
        self.make_room();
        grown
    }

    /// Makes room for the bits of all heads that there is room for.
    fn make_room(&mut self) {
        if self.heads.most() == 0 {
            return;
        }
        self.bits.extend_to((self.heads.capacity() * self.layout.room).div_ceil(64), 1);
    }

    /// Replaces the words of every head; the numbers remain.
    pub fn recode(&mut self, words: usize, recode: impl FnMut(&[u64], &mut Vec<u64>)) {
        self.heads.recode(words, recode);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn number(packets: &mut Packets, head: u64, tail: u32, numbers: &mut Numbers) -> Node {
        let hash = packets.hash(&[head]);
        loop {
            match packets.intern_head(&[head], hash, numbers, true) {
                Some(head) => return packets.meet_one(head, tail, true),
                None => assert!(packets.grow(2), "there are numbers left"),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]

        /// Every pair of head and tail has a number of its own from which both can be told, through growing and recoding.
        #[test]
        fn nodes_are_heads_and_tails(
            tails in 1u32..100,
            keys in prop::collection::vec((0u64..1500, any::<u32>()), 1..3000),
            recode in 0usize..3000,
        ) {
            let mut packets = Packets::new(1, tails);
            let mut known: HashMap<(u64, u32), Node> = HashMap::new();
            let (mut offset, mut own) = (0, Numbers::default());
            for (index, (head, tail)) in keys.into_iter().enumerate() {
                if index == recode {
                    offset = 1 << 40;
                    packets.recode(1, |old, new| {
                        new.clear();
                        new.push(old[0] + offset);
                    });
                }
                let tail = tail % tails;
                let node = number(&mut packets, head + offset, tail, &mut own);
                if index % 3 == 0 && tails > 1 {
                    // Another one along with it.
                    let (mut both, other) = (Bits::default(), (tail + index as u32) % tails);
                    both.insert(tail);
                    both.insert(other);
                    packets.meet(&[packets.head(node)], &both, index % 2 == 0, |_, flags| assert_eq!(flags, 0));
                    let met = packets.node(packets.head(node), other);
                    prop_assert_eq!(*known.entry((head, other)).or_insert(met), met);
                }
                prop_assert_eq!(*known.entry((head, tail)).or_insert(node), node);
                prop_assert_eq!((packets.word(node, 0), packets.tail(node)), (head + offset, tail));
                let mut read = Vec::new();
                packets.load(node, &mut read);
                prop_assert_eq!(read, vec![head + offset]);
            }
            let mut numbers: Vec<Node> = known.values().copied().collect();
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert_eq!(numbers.len(), known.len());
            prop_assert_eq!(packets.len(), known.len());
            let mut heads: Vec<u64> = known.keys().map(|(head, _)| *head).collect();
            heads.sort_unstable();
            heads.dedup();
            prop_assert_eq!(packets.packets(), heads.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]

        /// What is said of a node or of a packet is said of nothing else, whatever shares the words with it, and through growing.
        #[test]
        fn bits_are_kept_apart(
            tails in prop_oneof![1u32..9, 20u32..40, 60u32..70],
            steps in prop::collection::vec((0u8..6, 0u64..700, any::<u32>()), 1..2000),
        ) {
            let mut packets = Packets::new(1, tails);
            let (mut colored, mut own) = (false, Numbers::default());
            let (mut met, mut colors, mut flags) = (HashMap::new(), HashMap::new(), HashMap::new());
            for (what, head, tail) in steps {
                let tail = tail % tails;
                match what {
                    0 if head < 20 => {
                        packets.fade();
                        colored = true;
                        colors.clear();
                    }
                    1 if head < 20 => {
                        packets.unmark();
                        flags.clear();
                    }
                    2 | 3 if colored && met.contains_key(&(head, tail)) => {
                        let color: &mut u8 = colors.entry((head, tail)).or_default();
                        let node = met[&(head, tail)];
                        prop_assert_eq!(packets.color(node, what - 1, what == 2), *color & (what - 1) == 0);
                        *color |= what - 1;
                    }
                    4 if tails > 1 && met.contains_key(&(head, tail)) => {
                        let flag: &mut u8 = flags.entry(head).or_default();
                        let number = packets.head(met[&(head, tail)]);
                        prop_assert_eq!(packets.mark(number, TAKEN, true), *flag & TAKEN == 0);
                        let (mut left, before) = (Bits::default(), *flag | TAKEN);
                        left.insert_flags(LEFT);
                        packets.meet(&[number], &left, false, |_, seen| assert_eq!(seen, before));
                        *flag = TAKEN | LEFT;
                    }
                    _ => {
                        met.insert((head, tail), number(&mut packets, head, tail, &mut own));
                    }
                }
                prop_assert_eq!(packets.len(), met.len());
            }
            for (key, node) in met {
                let color = colors.get(&key).copied().unwrap_or(0);
                for one in [1, 2] {
                    prop_assert_eq!(colored && packets.has_color(node, one), color & one != 0);
                }
                if tails > 1 {
                    let flag = flags.get(&key.0).copied().unwrap_or(0);
                    packets.meet(&[packets.head(node)], &Bits { bits: vec![(0, 0)] }, true, |_, seen| assert_eq!(seen, flag));
                }
            }
        }
    }

    #[test]
    fn numbers_end_before_they_overflow() {
        for tails in [1, 2, 3, 1000, 1 << 20, 1 << 23, 1 << 24, u32::MAX] {
            let most = most_heads(tails);
            let last = u64::from(most) << digits(tails);
            assert!(most == 0 || last <= u64::from(u32::MAX), "{tails}");
        }
    }

    /// Threads that meet the same nodes at once count each of them once.
    #[test]
    fn threads_count_nodes_once() {
        let mut packets = Packets::new(1, 8);
        // Not all of a thread's share of numbers need be used.
        packets.heads.make_room(1 << 13, 1);
        packets.make_room();
        let packets = &packets;
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                scope.spawn(move || {
                    let mut own = Numbers::default();
                    for step in 0..(1u64 << 15) {
                        let key = step * (2 * thread + 1) % (1 << 15);
                        let head = [key / 8];
                        let head = packets.intern_head(&head, packets.hash(&head), &mut own, false);
                        let head = head.expect("there is room");
                        packets.meet_one(head, (key % 8) as u32, false);
                    }
                });
            }
        });
        assert_eq!((packets.len(), packets.packets()), (1 << 15, 1 << 12));
    }
}
