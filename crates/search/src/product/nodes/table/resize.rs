//! Operations on the whole table: growth, and re-encoding of all nodes.

use super::{EMPTY, NodeTable, OutOfMemory};
use crate::memory::atomic_words::AtomicWords;
use crate::memory::sync::Ordering;
use crate::product::nodes::growth::rehash_in_place;
use crate::tuning::product::{
    INITIAL_ENTRIES, INITIAL_NODES, MEDIUM_TABLE_ENTRIES, SMALL_TABLE_ENTRIES,
};

impl NodeTable {
    /// Grows the table with the given number of threads, to at most `memory_bytes`. Then it is not
    /// [full](Self::is_full), unless it has reached [`max_nodes`](Self::max_nodes).
    pub fn grow(&mut self, memory_bytes: u64, threads: usize) -> Result<(), OutOfMemory> {
        let reserved = self.number_bound() as usize;
        // When memory is scarce, grow by a small part instead of failing.
        for part in [4, 32] {
            let nodes = (reserved + reserved / part + INITIAL_NODES).min(self.max_nodes as usize);
            let bytes = 8 * (nodes * self.stride + self.entries_for(nodes)) as u64;
            if bytes <= memory_bytes {
                return if self.reserve(nodes, threads) { Ok(()) } else { Err(OutOfMemory) };
            }
        }
        Err(OutOfMemory)
    }

    /// The number of hash table entries for `nodes` nodes.
    fn entries_for(&self, nodes: usize) -> usize {
        let before = self.entries.len();
        // The load factor is at most 0.7.
        if nodes * 10 <= before * 7 {
            return before;
        }
        // Every growth moves all entries, so small tables grow by larger factors.
        let longer = match before {
            ..SMALL_TABLE_ENTRIES => before * 4,
            SMALL_TABLE_ENTRIES..MEDIUM_TABLE_ENTRIES => before * 2,
            _ => before / 2 * 3,
        };
        (nodes * 10 / 7 + 1).max(longer).max(INITIAL_ENTRIES)
    }

    /// Makes room for `nodes` nodes; `false`, without a change, if there is no memory.
    pub fn reserve(&mut self, nodes: usize, threads: usize) -> bool {
        let (before, entries) = (self.entries.len(), self.entries_for(nodes));
        if !self.words.extend_to(nodes * self.stride, threads)
            || !self.entries.extend_to(entries, threads)
        {
            return false;
        }
        if entries > before {
            rehash_in_place(&self.entries, before, threads, |entry| {
                self.home((entry >> 32) as u32)
            });
        }
        self.capacity = nodes as u32;
        true
    }

    fn insert_entry(&mut self, entry: u64) {
        let mut place = self.home((entry >> 32) as u32);
        while self.entries[place].load(Ordering::Relaxed) != EMPTY {
            place = self.next_place(place);
        }
        self.entries[place].store(entry, Ordering::Relaxed);
    }

    /// Replaces the words of every node; the numbers remain. Keeps as many of the bits that do not
    /// belong to the nodes as fit. Changes nothing if there is no memory for the old and the new
    /// words together.
    pub fn recode(
        &mut self,
        stride: usize,
        last_bits: u32,
        mut recode: impl FnMut(&[u64], &mut Vec<u64>),
    ) -> Result<(), OutOfMemory> {
        let words = AtomicWords::zeroed(self.capacity as usize * stride).ok_or(OutOfMemory)?;
        let empty = AtomicWords::zeroed(self.entries.len()).ok_or(OutOfMemory)?;
        let old = std::mem::replace(&mut self.words, words);
        let old_mask = self.mask();
        let old_stride = std::mem::replace(&mut self.stride, stride);
        let old_bits = std::mem::replace(&mut self.last_bits, last_bits);
        let entries = std::mem::replace(&mut self.entries, empty);
        let (mut old_words, mut words) = (Vec::new(), Vec::new());
        let entries = entries.iter().map(|entry| entry.load(Ordering::Relaxed));
        for entry in entries.filter(|entry| *entry != EMPTY) {
            let node = (entry as u32 - 1) as usize;
            old_words.clear();
            let slots = &old[node * old_stride..][..old_stride];
            old_words.extend(slots.iter().map(|word| word.load(Ordering::Relaxed)));
            let mut others = 0;
            if let Some(last) = old_words.last_mut() {
                others = last.checked_shr(old_bits).unwrap_or(0);
                *last &= old_mask;
            }
            recode(&old_words, &mut words);
            let hash = self.hash(&words[..stride]);
            if let Some(last) = words[..stride].last_mut() {
                *last |= others.checked_shl(last_bits).unwrap_or(0);
            }
            for (slot, word) in self.words[node * stride..].iter().zip(&words[..stride]) {
                slot.store(*word, Ordering::Relaxed);
            }
            self.insert_entry(u64::from(hash) << 32 | u64::from(entry as u32));
        }
        Ok(())
    }

    /// Reduces the capacity again. Precondition: no number from `nodes` on is reserved.
    pub fn reduce_capacity(&mut self, nodes: usize) {
        self.capacity = self.capacity.min(nodes as u32);
    }

    /// The bytes that [`recode`](Self::recode) to nodes of `stride` words needs in addition.
    pub fn recoding_bytes(&self, stride: usize) -> u64 {
        8 * (self.capacity as usize * stride + self.entries.len()) as u64
    }
}
