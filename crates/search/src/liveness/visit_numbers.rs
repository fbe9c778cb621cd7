//! The order of visits, for searches for strong components. Only nodes whose component is not
//! complete need a number (they are *live*); two bits suffice for the others. The numbers are in a
//! hash table while few nodes are live, and in a list by node, as in Tarjan's algorithm, once the
//! list takes less memory.

use crate::liveness::graph::Node;
use crate::liveness::node_colors::NodeColors;
use rapidhash::RapidHashMap;

/// The number of a node that is outside the part being searched, or whose component is complete.
pub const OUTSIDE: u32 = u32::MAX;
/// The number of a node that is not visited.
pub const UNVISITED: u32 = 0;

/// Colors of nodes whose number has been set.
const WAITING: u8 = 1;
const LIVE: u8 = 2;
const LEFT: u8 = 3;

/// By node, its position in the order of visits, from 1.
#[derive(Clone, Debug)]
pub struct VisitNumbers {
    storage: Storage,
    /// The number of all nodes whose number has not been set.
    others: u32,
}

#[derive(Clone, Debug)]
enum Storage {
    Sparse { colors: NodeColors, live: RapidHashMap<Node, u32> },
    Dense(Vec<u32>),
}

impl VisitNumbers {
    /// All nodes are unvisited.
    pub fn all_unvisited() -> VisitNumbers {
        VisitNumbers::new(UNVISITED)
    }

    /// All nodes are outside the part.
    pub fn all_outside() -> VisitNumbers {
        VisitNumbers::new(OUTSIDE)
    }

    fn new(others: u32) -> VisitNumbers {
        VisitNumbers {
            storage: Storage::Sparse {
                colors: NodeColors::default(),
                live: RapidHashMap::default(),
            },
            others,
        }
    }

    /// The number of a node.
    #[inline]
    pub fn get(&self, node: Node) -> u32 {
        match &self.storage {
            Storage::Dense(list) => list.get(node as usize).copied().unwrap_or(self.others),
            Storage::Sparse { colors, live } => match colors.get(node) {
                WAITING => UNVISITED,
                LEFT => OUTSIDE,
                LIVE => live.get(&node).copied().unwrap_or(OUTSIDE),
                _ => self.others,
            },
        }
    }

    /// Sets the number of a node.
    #[inline]
    pub fn set(&mut self, node: Node, number: u32) {
        match &mut self.storage {
            Storage::Dense(list) => {
                let index = node as usize;
                if index >= list.len() {
                    list.resize((index + 1).max(list.len() * 5 / 4), self.others);
                }
                list[index] = number;
            }
            Storage::Sparse { colors, live } => {
                let color = match number {
                    UNVISITED => WAITING,
                    OUTSIDE => LEFT,
                    _ => LIVE,
                };
                let before = colors.get(node);
                if before != color {
                    colors.set(node, color);
                }
                if color == LIVE {
                    live.insert(node, number);
                    if live.len() == live.capacity() && larger_bytes(live) > 4 * colors.len() {
                        self.make_dense();
                    }
                } else if before == LIVE {
                    live.remove(&node);
                }
            }
        }
    }

    /// Moves all numbers to a list.
    #[cold]
    fn make_dense(&mut self) {
        let Storage::Sparse { colors, .. } = &self.storage else { return };
        let list = (0..colors.len() as Node).map(|node| self.get(node)).collect();
        self.storage = Storage::Dense(list);
    }

    #[cfg(test)]
    fn memory_bytes(&self) -> usize {
        match &self.storage {
            Storage::Sparse { colors, live } => colors.len() / 4 + larger_bytes(live) / 2,
            Storage::Dense(list) => 4 * list.len(),
        }
    }
}

/// An estimate of the hash table's size after its next growth: twice the places, an eighth of them
/// unused, and one byte more for each.
fn larger_bytes(live: &RapidHashMap<Node, u32>) -> usize {
    2 * live.capacity() * 8 / 7 * (size_of::<(Node, u32)>() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #![proptest_config(seeded::cases(200))]

        #[test]
        fn numbers_are_what_was_set(
            all_unvisited in any::<bool>(),
            steps in prop::collection::vec(
                (0u32..300, prop_oneof![Just(UNVISITED), Just(OUTSIDE), 1u32..1000]),
                1..500,
            ),
        ) {
            let mut numbers = match all_unvisited {
                true => VisitNumbers::all_unvisited(),
                false => VisitNumbers::all_outside(),
            };
            let others = if all_unvisited { UNVISITED } else { OUTSIDE };
            let mut known: HashMap<Node, u32> = HashMap::new();
            for (node, number) in steps {
                numbers.set(node, number);
                known.insert(node, number);
                for node in 0..310 {
                    prop_assert_eq!(numbers.get(node), known.get(&node).copied().unwrap_or(others));
                }
            }
        }
    }

    /// A long chain of nodes, each complete before the next is visited, takes two bits per node; a
    /// single component takes no more than a list.
    #[test]
    fn memory_is_for_live_nodes() {
        let mut chain = VisitNumbers::all_unvisited();
        for node in 0..100_000 {
            chain.set(node, node + 1);
            chain.set(node, OUTSIDE);
        }
        assert!(chain.memory_bytes() < 100_000 / 3, "{}", chain.memory_bytes());
        let mut component = VisitNumbers::all_unvisited();
        (0..100_000).for_each(|node| component.set(node, node + 1));
        assert!(component.memory_bytes() <= 4 * 100_000 * 5 / 4, "{}", component.memory_bytes());
        assert!((0..100_000).all(|node| component.get(node) == node + 1));
    }
}
