//! Which components of a node are the tail of a packet (hybrid storage), and statistics of packets.

/// The components of a node that are not stored with every node, but are the tail of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tail {
    /// Nothing, not even the demon of `magic`: it is part of each node, as in classical storage, so
    /// that most nodes are stored twice. Only for measuring that cost.
    None,
    /// The demon of `magic`: a packet is a state of program × property.
    #[default]
    Demon,
    /// Also the state of the property automaton, combined with the fairness automata: a packet is a
    /// state of the program.
    Property,
    /// Also the counter of a search with flag counters.
    Fairness,
}

impl Tail {
    /// All forms of hybrid storage.
    pub const ALL: [Tail; 4] = [Tail::None, Tail::Demon, Tail::Property, Tail::Fairness];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Tail::None => "none",
            Tail::Demon => "demon",
            Tail::Property => "property",
            Tail::Fairness => "fairness",
        }
    }

    /// Is the state of the property automaton part of the tail?
    #[inline]
    pub(in crate::product) fn has_property(self) -> bool {
        matches!(self, Tail::Property | Tail::Fairness)
    }
}

/// Statistics of hybrid storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketFigures {
    /// The components in the tail.
    pub tail: Tail,
    /// The number of packets.
    pub packets: u64,
    /// The number of nodes that a packet has room for.
    pub tails: u64,
    /// Nodes visited; if counters are in the tail, pairs of a node and a counter.
    pub nodes: u64,
}
