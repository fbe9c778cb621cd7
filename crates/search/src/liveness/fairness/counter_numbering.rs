//! The numbering of pairs of a node and a counter: by a table, or by arithmetic if the counter is
//! the tail of a packet (hybrid storage; Godefroid, Holzmann 1993). A table has an entry for each
//! pair; tails need only a bit for each, but for all possible counters.

use crate::liveness::Node;
use std::collections::HashMap;

/// A counter that has counted everything.
pub(super) const FULL: u32 = u32::MAX;

/// Why a pair has no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unnumbered {
    /// There is no room for this counter.
    Counter(u32),
    /// All of this many numbers are used.
    NodeNumbers(u64),
}

#[derive(Debug)]
pub(super) enum CounterNumbering {
    Table {
        nodes: Vec<(Node, u32)>,
        index: HashMap<(Node, u32), Node>,
    },
    Tails {
        /// The number of counter values; the last one is [`FULL`].
        counters: u32,
        /// A bit by number: was the pair visited?
        visited: Vec<u64>,
        len: usize,
    },
}

impl CounterNumbering {
    pub fn table() -> CounterNumbering {
        CounterNumbering::Table { nodes: Vec::new(), index: HashMap::new() }
    }

    /// Precondition: `counters > 0`.
    pub fn tails(counters: u32) -> CounterNumbering {
        CounterNumbering::Tails { counters, visited: Vec::new(), len: 0 }
    }

    pub fn counters(&self) -> u32 {
        match self {
            CounterNumbering::Table { .. } => 1,
            CounterNumbering::Tails { counters, .. } => *counters,
        }
    }

    /// The number of pairs visited.
    pub fn len(&self) -> usize {
        match self {
            CounterNumbering::Table { nodes, .. } => nodes.len(),
            CounterNumbering::Tails { len, .. } => *len,
        }
    }

    pub fn memory_bytes(&self) -> u64 {
        let bytes = match self {
            // An entry of the index takes one more byte than its content.
            CounterNumbering::Table { nodes, index } => {
                nodes.capacity() * size_of::<(Node, u32)>()
                    + index.capacity() * (size_of::<((Node, u32), Node)>() + 1)
            }
            CounterNumbering::Tails { visited, .. } => 8 * visited.capacity(),
        };
        bytes as u64
    }

    pub fn number(&mut self, node: Node, counter: u32) -> Result<Node, Unnumbered> {
        match self {
            CounterNumbering::Table { nodes, index } => {
                if let Some(number) = index.get(&(node, counter)) {
                    return Ok(*number);
                }
                let most = Unnumbered::NodeNumbers(u64::from(Node::MAX));
                let number = Node::try_from(nodes.len()).map_err(|_| most)?;
                index.insert((node, counter), number);
                nodes.push((node, counter));
                Ok(number)
            }
            CounterNumbering::Tails { counters, visited, len } => {
                let last = *counters - 1;
                let tail = match counter {
                    FULL => last,
                    _ if counter < last => counter,
                    _ => return Err(Unnumbered::Counter(counter)),
                };
                let most = Unnumbered::NodeNumbers(u64::from(Node::MAX));
                let first = node.checked_mul(*counters);
                let number = first.and_then(|first| first.checked_add(tail)).ok_or(most)?;
                let (word, bit) = (number as usize / 64, 1 << (number % 64));
                if word >= visited.len() {
                    visited.resize((word + 1).max(visited.len() * 5 / 4), 0);
                }
                *len += usize::from(visited[word] & bit == 0);
                visited[word] |= bit;
                Ok(number)
            }
        }
    }

    pub fn get(&self, number: Node) -> (Node, u32) {
        match self {
            CounterNumbering::Table { nodes, .. } => nodes[number as usize],
            CounterNumbering::Tails { counters, .. } => {
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

        /// Both numberings are invertible and count the same pairs.
        #[test]
        fn numbers_are_invertible(
            keys in prop::collection::vec((0u32..200, prop_oneof![0u32..9, Just(FULL)]), 1..300),
        ) {
            let (mut table, mut tails) = (CounterNumbering::table(), CounterNumbering::tails(10));
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
        let mut tails = CounterNumbering::tails(3);
        assert_eq!(tails.number(0, 2), Err(Unnumbered::Counter(2)));
        assert_eq!(
            tails.number(Node::MAX / 2, FULL),
            Err(Unnumbered::NodeNumbers(u64::from(Node::MAX)))
        );
    }
}
