//! The nodes of a product, shared by all threads: the product itself and the table of its nodes,
//! with or without packets.

pub(in crate::product) mod growth;
pub(in crate::product) mod lookup;
pub(in crate::product) mod packet_bits;
pub(in crate::product) mod packets;
pub(in crate::product) mod table;
pub(in crate::product) mod tail;

use crate::liveness::Node;
use crate::memory::padded::CachePadded;
use crate::product::nodes::packets::Packets;
use crate::product::nodes::table::OutOfMemory;
use crate::product::nodes::tail::Tail;
use crate::product::system::Product;
use lariat_ir::observe::Observable;
use lariat_ir::system::{Misfit, Repackable, TransitionSystem};
use std::sync::atomic::AtomicU64;

/// The product and its nodes.
pub(crate) struct ProductNodes<'m, S: Observable> {
    pub product: Product<'m, S>,
    pub table: Packets,
    pub tail: Tail,
    /// How often the product was widened.
    pub widened: u64,
    /// Transitions, updated from time to time for progress reports.
    pub transitions: CachePadded<AtomicU64>,
}

impl<'m, S: Observable> ProductNodes<'m, S> {
    pub fn new(product: Product<'m, S>, tail: Tail) -> ProductNodes<'m, S> {
        let (bits, tails) = match tail.has_property() {
            true => (product.system().identity_bits(), product.monitor().states() as u32),
            false => (product.identity_bits(), 1),
        };
        let table = Packets::new(bits.len(), last(&bits), tails);
        ProductNodes { product, table, tail, widened: 0, transitions: CachePadded::default() }
    }

    /// Is the automaton's state the tail of a packet?
    #[inline]
    pub fn is_split(&self) -> bool {
        self.tail.has_property()
    }

    /// Replaces `words` with the words that identify the node.
    pub fn load_identity(&self, node: Node, words: &mut Vec<u64>) {
        words.clear();
        if self.is_split() {
            let mut head = Vec::new();
            self.table.load(node, &mut head);
            self.product.combined(&head, self.table.tail(node), words);
        } else {
            self.table.load(node, words);
        }
    }

    /// Widens the product. The table takes at most `memory_bytes` while the nodes are re-encoded.
    pub fn widen(&mut self, misfit: &Misfit, memory_bytes: u64) -> Result<(), OutOfMemory> {
        self.recode(self.product.widened(misfit), memory_bytes)
    }

    /// Re-encodes all nodes for a wider product; changes nothing if that needs more memory.
    pub fn recode(&mut self, wide: Product<'m, S>, memory_bytes: u64) -> Result<(), OutOfMemory> {
        let (recoder, all, bits) = match self.is_split() {
            true => {
                let recoder = wide.system().recoder(self.product.system());
                (recoder, self.product.program_width().all, wide.system().identity_bits())
            }
            false => (wide.recoder(&self.product), self.product.width().all, wide.identity_bits()),
        };
        let mut old = Vec::new();
        self.table.recode(bits.len(), last(&bits), memory_bytes, |words, new| {
            old.clear();
            old.extend_from_slice(words);
            old.resize(all, 0);
            recoder.recode(&old, new);
        })?;
        self.product = wide;
        self.widened += 1;
        Ok(())
    }
}

/// The number of bits of the last word that are ever set.
fn last(bits: &[u32]) -> u32 {
    bits.last().map_or(u64::BITS, |bits| (*bits).clamp(1, u64::BITS))
}

/// Heads and tails of product states that are interned together.
#[derive(Debug, Default)]
pub(super) struct HeadBatch {
    /// The words of the heads, one head after the other.
    heads: Vec<u64>,
    pub tails: Vec<u32>,
    state: Vec<u64>,
}

impl HeadBatch {
    pub fn clear(&mut self) {
        self.heads.clear();
        self.tails.clear();
    }

    /// The heads, each of `words` words.
    pub fn heads(&self, words: usize) -> impl Iterator<Item = &[u64]> + Clone {
        (0..self.tails.len()).map(move |index| &self.heads[index * words..][..words])
    }

    /// Splits states of the product into heads and tails, and adds them.
    pub fn fill<'w, S: Observable>(
        &mut self,
        nodes: &ProductNodes<'_, S>,
        list: impl Iterator<Item = &'w [u64]>,
    ) {
        for words in list {
            self.tails.push(nodes.product.automaton_state(words));
            self.state.clear();
            self.state.extend_from_slice(words);
            nodes.product.set_automaton_state(&mut self.state, 0);
            self.heads.extend_from_slice(nodes.product.program_words(&self.state));
        }
    }
}
