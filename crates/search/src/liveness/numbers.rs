//! When nodes were met, for searches that find strong components. Only nodes whose component is not complete need their number (they are
//! *live*); of the others two bits say all there is to know. So numbers are kept in a hash table as long as few nodes are live, and by
//! node in a list, as Tarjan has them, once that takes less.

use super::colors::Colors;
use super::graph::Node;
use rapidhash::RapidHashMap;

/// The number of a node that does not belong to the part being searched, or whose component is complete.
pub const OUTSIDE: u32 = u32::MAX;
/// The number of a node that was not met yet.
pub const UNMET: u32 = 0;

/// Colors of nodes that somebody has spoken of.
const WAITING: u8 = 1;
const LIVE: u8 = 2;
const LEFT: u8 = 3;

/// By node, when it was met, from 1.
#[derive(Clone, Debug)]
pub struct Numbers {
    kept: Kept,
    /// The number of nodes nobody has spoken of.
    others: u32,
}

#[derive(Clone, Debug)]
enum Kept {
    Few { colors: Colors, live: RapidHashMap<Node, u32> },
    Many(Vec<u32>),
}

impl Numbers {
    /// All nodes wait to be met.
    pub fn whole() -> Numbers {
        Numbers::new(UNMET)
    }

    /// No node belongs to the part, so far.
    pub fn nothing() -> Numbers {
        Numbers::new(OUTSIDE)
    }

    fn new(others: u32) -> Numbers {
        Numbers { kept: Kept::Few { colors: Colors::default(), live: RapidHashMap::default() }, others }
    }

    #[inline]
    pub fn get(&self, node: Node) -> u32 {
        match &self.kept {
            Kept::Many(list) => list.get(node as usize).copied().unwrap_or(self.others),
            Kept::Few { colors, live } => match colors.get(node) {
                WAITING => UNMET,
                LEFT => OUTSIDE,
                LIVE => live.get(&node).copied().unwrap_or(OUTSIDE),
                _ => self.others,
            },
        }
    }

    #[inline]
    pub fn set(&mut self, node: Node, number: u32) {
        match &mut self.kept {
            Kept::Many(list) => {
                let index = node as usize;
                if index >= list.len() {
                    list.resize((index + 1).max(list.len() * 5 / 4), self.others);
                }
                list[index] = number;
            }
            Kept::Few { colors, live } => {
                let color = match number {
                    UNMET => WAITING,
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
                        self.list_all();
                    }
                } else if before == LIVE {
                    live.remove(&node);
                }
            }
        }
    }

    /// From now on all nodes are in a list.
    #[cold]
    fn list_all(&mut self) {
        let Kept::Few { colors, .. } = &self.kept else { return };
        let list = (0..colors.len() as Node).map(|node| self.get(node)).collect();
        self.kept = Kept::Many(list);
    }

    /// What they take.
    #[cfg(test)]
    fn memory_bytes(&self) -> usize {
        match &self.kept {
            Kept::Few { colors, live } => colors.len() / 4 + larger_bytes(live) / 2,
            Kept::Many(list) => 4 * list.len(),
        }
    }
}

/// About what the table takes when it has grown: it becomes twice as large, and keeps an eighth of its places and a byte for each.
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
            whole in any::<bool>(),
            steps in prop::collection::vec((0u32..300, prop_oneof![Just(UNMET), Just(OUTSIDE), 1u32..1000]), 1..500),
        ) {
            let mut numbers = if whole { Numbers::whole() } else { Numbers::nothing() };
            let others = if whole { UNMET } else { OUTSIDE };
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

    /// A long chain of nodes, each complete before the next is met, takes two bits a node; a single component no more than a list.
    #[test]
    fn memory_is_for_live_nodes() {
        let mut chain = Numbers::whole();
        for node in 0..100_000 {
            chain.set(node, node + 1);
            chain.set(node, OUTSIDE);
        }
        assert!(chain.memory_bytes() < 100_000 / 3, "{}", chain.memory_bytes());
        let mut component = Numbers::whole();
        (0..100_000).for_each(|node| component.set(node, node + 1));
        assert!(component.memory_bytes() <= 4 * 100_000 * 5 / 4, "{}", component.memory_bytes());
        assert!((0..100_000).all(|node| component.get(node) == node + 1));
    }
}
