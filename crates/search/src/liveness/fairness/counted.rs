//! The numbers of nodes that have a counter: by a table, or by arithmetic where the counter is the tail of a packet (hybrid storage; Godefroid, Holzmann
//! 1993). A table has an entry for each node with its counter; tails need only a bit for each, but for all counters there may be.

use crate::liveness::Node;
use std::collections::HashMap;

/// A counter that has seen all.
pub(super) const FULL: u32 = u32::MAX;

/// Why a node with its counter has no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unnumbered {
    /// There is no room for this counter.
    Counter(u32),
    /// There are no more than so many numbers.
    Numbers(u64),
}

#[derive(Debug)]
pub(super) enum Counted {
    Table {
        nodes: Vec<(Node, u32)>,
        index: HashMap<(Node, u32), Node>,
    },
    Tails {
        /// How many counters there are, the last for one that has seen all.
        counters: u32,
        /// A bit by number: was it met?
        met: Vec<u64>,
        len: usize,
    },
}

impl Counted {
    pub fn table() -> Counted {
        Counted::Table { nodes: Vec::new(), index: HashMap::new() }
    }

    /// Precondition: there is at least one counter.
    pub fn tails(counters: u32) -> Counted {
        Counted::Tails { counters, met: Vec::new(), len: 0 }
    }

    pub fn counters(&self) -> u32 {
        match self {
            Counted::Table { .. } => 1,
            Counted::Tails { counters, .. } => *counters,
        }
    }

    /// Nodes met.
    pub fn len(&self) -> usize {
        match self {
            Counted::Table { nodes, .. } => nodes.len(),
            Counted::Tails { len, .. } => *len,
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        let bytes = match self {
            // An entry of the index takes a byte more than what is in it.
            Counted::Table { nodes, index } => {
                nodes.capacity() * size_of::<(Node, u32)>()
                    + index.capacity() * (size_of::<((Node, u32), Node)>() + 1)
            }
            Counted::Tails { met, .. } => 8 * met.capacity(),
        };
        bytes as u64
    }

    pub fn number(&mut self, node: Node, counter: u32) -> Result<Node, Unnumbered> {
        match self {
            Counted::Table { nodes, index } => {
                if let Some(number) = index.get(&(node, counter)) {
                    return Ok(*number);
                }
                let most = Unnumbered::Numbers(u64::from(Node::MAX));
                let number = Node::try_from(nodes.len()).map_err(|_| most)?;
                index.insert((node, counter), number);
                nodes.push((node, counter));
                Ok(number)
            }
            Counted::Tails { counters, met, len } => {
                let last = *counters - 1;
                let tail = match counter {
                    FULL => last,
                    _ if counter < last => counter,
                    _ => return Err(Unnumbered::Counter(counter)),
                };
                let most = Unnumbered::Numbers(u64::from(Node::MAX));
                let first = node.checked_mul(*counters);
                let number = first.and_then(|first| first.checked_add(tail)).ok_or(most)?;
                let (word, bit) = (number as usize / 64, 1 << (number % 64));
                if word >= met.len() {
                    met.resize((word + 1).max(met.len() * 5 / 4), 0);
                }
                *len += usize::from(met[word] & bit == 0);
                met[word] |= bit;
                Ok(number)
            }
        }
    }

    pub fn get(&self, number: Node) -> (Node, u32) {
        match self {
            Counted::Table { nodes, .. } => nodes[number as usize],
            Counted::Tails { counters, .. } => {
                let tail = number % counters;
                (number / counters, if tail + 1 == *counters { FULL } else { tail })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(seeded::cases(200))]

        /// Both kinds of numbers lead back to the node, and count the same nodes.
        #[test]
        fn numbers_lead_back(keys in prop::collection::vec((0u32..200, prop_oneof![0u32..9, Just(FULL)]), 1..300)) {
            let (mut table, mut tails) = (Counted::table(), Counted::tails(10));
            for (node, counter) in keys {
                for counted in [&mut table, &mut tails] {
                    let number = counted.number(node, counter).expect("there is room");
                    prop_assert_eq!(counted.get(number), (node, counter));
                    prop_assert_eq!(counted.number(node, counter), Ok(number));
                }
                prop_assert_eq!(table.len(), tails.len());
            }
        }
    }

    #[test]
    fn what_has_no_room_has_no_number() {
        let mut tails = Counted::tails(3);
        assert_eq!(tails.number(0, 2), Err(Unnumbered::Counter(2)));
        assert_eq!(tails.number(Node::MAX / 2, FULL), Err(Unnumbered::Numbers(u64::from(Node::MAX))));
    }
}
