//! Two color bits for each node, of one thread. The [`SharedGraph`](super::SharedGraph) has the
//! colors that threads share.

use crate::liveness::graph::Node;

/// Two bits for each node, initially 0.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeColors {
    bytes: Vec<u8>,
}

impl NodeColors {
    /// The number of nodes for which there are bits.
    pub fn len(&self) -> usize {
        4 * self.bytes.len()
    }

    #[inline]
    pub fn get(&self, node: Node) -> u8 {
        let byte = self.bytes.get(node as usize / 4).copied().unwrap_or(0);
        byte >> (node % 4 * 2) & 3
    }

    #[inline]
    pub fn set(&mut self, node: Node, color: u8) {
        let index = node as usize / 4;
        if index >= self.bytes.len() {
            self.bytes.resize((index + 1).max(self.bytes.len() * 5 / 4), 0);
        }
        let shift = node % 4 * 2;
        let byte = &mut self.bytes[index];
        *byte = *byte & !(3 << shift) | color << shift;
    }

    /// Sets one bit of the color; returns whether it was unset.
    #[inline]
    pub fn insert(&mut self, node: Node, bit: u8) -> bool {
        let bit_in_byte = bit << (node % 4 * 2);
        match self.bytes.get_mut(node as usize / 4) {
            Some(byte) => {
                let before = *byte;
                *byte |= bit_in_byte;
                before & bit_in_byte == 0
            }
            None => {
                self.set(node, bit);
                true
            }
        }
    }

    #[inline]
    pub fn has(&self, node: Node, bit: u8) -> bool {
        self.get(node) & bit != 0
    }

    pub fn remove(&mut self, node: Node, bit: u8) {
        self.set(node, self.get(node) & !bit);
    }
}
