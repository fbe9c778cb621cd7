//! The nodes of a product as threads share them: the product, and the table of its nodes, whole or in packets.

use super::packets::{Packets, Tail};
use super::system::Product;
use super::table::NoMemory;
use crate::apart::Apart;
use crate::liveness::Node;
use model::observe::Observable;
use model::system::{Misfit, System};
use std::sync::atomic::AtomicU64;

/// See the module.
pub(crate) struct Nodes<'m, S: Observable> {
    pub product: Product<'m, S>,
    pub table: Packets,
    pub tail: Tail,
    /// How often the product was widened.
    pub widened: u64,
    /// Transitions, counted now and then, for those who want to know how things get on.
    pub transitions: Apart<AtomicU64>,
}

impl<'m, S: Observable> Nodes<'m, S> {
    /// None yet.
    pub fn new(product: Product<'m, S>, tail: Tail) -> Nodes<'m, S> {
        let (bits, tails) = match tail.has_property() {
            true => (product.system().identity_bits(), product.monitor().states() as u32),
            false => (product.identity_bits(), 1),
        };
        let table = Packets::new(bits.len(), last(&bits), tails);
        Nodes { product, table, tail, widened: 0, transitions: Apart::default() }
    }

    /// Is the automaton's state the tail of a packet?
    #[inline]
    pub fn is_split(&self) -> bool {
        self.tail.has_property()
    }

    /// Replaces `words` by those that tell which node it is.
    pub fn identity(&self, node: Node, words: &mut Vec<u64>) {
        words.clear();
        if self.is_split() {
            let mut head = Vec::new();
            self.table.load(node, &mut head);
            self.product.joined(&head, self.table.tail(node), words);
        } else {
            self.table.load(node, words);
        }
    }

    /// With at most so many bytes for the table while nodes are translated.
    pub fn widen(&mut self, misfit: &Misfit, memory_bytes: u64) -> Result<(), NoMemory> {
        self.recode(self.product.widened(misfit), memory_bytes)
    }

    /// Translates all nodes, or none if that needs more memory.
    pub fn recode(&mut self, wide: Product<'m, S>, memory_bytes: u64) -> Result<(), NoMemory> {
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

/// How many bits of the last word are ever set.
fn last(bits: &[u32]) -> u32 {
    bits.last().map_or(u64::BITS, |bits| (*bits).clamp(1, u64::BITS))
}

/// Nodes to be looked up together, where these are in packets.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The words of the heads one after the other.
    heads: Vec<u64>,
    pub tails: Vec<u32>,
    whole: Vec<u64>,
}

impl Batch {
    pub fn clear(&mut self) {
        self.heads.clear();
        self.tails.clear();
    }

    /// The heads, of so many words each.
    pub fn heads(&self, words: usize) -> impl Iterator<Item = &[u64]> + Clone {
        (0..self.tails.len()).map(move |index| &self.heads[index * words..][..words])
    }

    /// Adds nodes with these words.
    pub fn fill<'w, S: Observable>(&mut self, nodes: &Nodes<'_, S>, list: impl Iterator<Item = &'w [u64]>) {
        for words in list {
            self.tails.push(nodes.product.automaton_state(words));
            self.whole.clear();
            self.whole.extend_from_slice(words);
            nodes.product.set_automaton_state(&mut self.whole, 0);
            self.heads.extend_from_slice(nodes.product.program_words(&self.whole));
        }
    }
}
