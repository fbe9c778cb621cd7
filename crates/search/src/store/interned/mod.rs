//! Exact storage in a few bytes per state: parts of states are stored once, a state is a root of
//! their numbers, and the root is stored by quotient.
//!
//! States of concurrent systems are combinations of few local states (Holzmann: State compression
//! in Spin, 1997). A part is some bits of the state, or a pair of parts (a tree, as in Laarman, van
//! de Pol, Weber: Parallel recursive state compression for free, 2011), and has a [`PartTable`].
//! The numbers of the parts at the root, bit-packed, are a bijection of the state, and go to a
//! [`Quotient`] table through a permutation of exactly their bits. A short state is its own root.
//!
//! A state is encoded from the one that the same thread encoded before it ([`tree`]): the parts
//! that did not change are not looked up. Values of parts never move.
//!
//! Numbers have only the bits they have needed so far. When a part has more values, its further
//! bits are *extra*: they are stored beside the permuted ones, and because they are 0 in all
//! existing roots, entries only move to make room. The states stored so far decide which parts are
//! paired.

mod partition;
mod root;
mod tree;

pub use root::StateRoot;

use super::part::PartTable;
use super::quotient::Quotient;
use super::{Guarantee, Insertion, Store};
use crate::tuning::store::{
    INTERNED_DIRECT_BITS, INTERNED_PAIRING_STATES, INTERNED_RECODE_STATES,
    INTERNED_REJOINING_STATES, QUOTIENT_LOAD_ROOMY, QUOTIENT_LOAD_TIGHT,
};
use root::{Field, Packing, bits_of, mask};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tree::{PartNumbers, PartSource, PartTree, whole_word};

/// The most bits of a root.
const MAX_ROOT_BITS: u32 = 64;

thread_local! {
    /// The store, and the part numbers, of the state that this thread encoded last. Consecutive
    /// successors share most parts.
    static LAST: RefCell<(u64, PartNumbers)> = const { RefCell::new((0, PartNumbers::new())) };
}

/// A new identity for the part numbers of a store; none is 0.
fn next_identity() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// See the module.
#[derive(Debug)]
pub struct Interned {
    parts: PartTree,
    packing: Packing,
    roots: Quotient,
    roots_full: AtomicBool,
    /// Changes whenever part numbers do.
    identity: u64,
    /// The bits seen set in each word, while states are their own roots.
    seen_bits: Vec<AtomicU64>,
    /// The number of states when pairs were last considered.
    considered: u64,
    /// Parts were chosen from a sample of states.
    partitioned: bool,
    /// The number of states when all roots were last encoded again.
    recoded: u64,
    /// Part tables cost more than they saved and were given up.
    parts_rejected: bool,
}

impl Interned {
    /// `None` if there is no memory.
    pub fn new(identity_words: usize) -> Option<Interned> {
        let words = (0..identity_words).map(whole_word).collect();
        let field = |part| Field { part, base_bits: 0, extra_bits: 0 };
        Some(Interned {
            parts: PartTree::new(identity_words, words),
            packing: Packing::new((0..identity_words).map(field).collect()),
            roots: Quotient::new(1, 0, 0)?,
            roots_full: AtomicBool::new(false),
            identity: next_identity(),
            seen_bits: (0..identity_words).map(|_| AtomicU64::new(0)).collect(),
            considered: 0,
            partitioned: false,
            recoded: 0,
            parts_rejected: false,
        })
    }

    /// Are states their own roots?
    fn is_direct(&self) -> bool {
        self.parts.tables().next().is_none()
    }

    #[inline]
    fn encode(&self, state: &[u64]) -> Option<StateRoot> {
        let root = LAST.with_borrow_mut(|(identity, numbers)| {
            if *identity != self.identity {
                numbers.reset(&self.parts);
                *identity = self.identity;
            }
            let is_numbered = numbers.update(&self.parts, state);
            is_numbered.then(|| self.packing.root(numbers.known())).flatten()
        });
        if root.is_none() {
            for (seen, word) in self.seen_bits.iter().zip(state) {
                seen.fetch_or(*word, Ordering::Relaxed);
            }
        }
        root
    }

    /// Calls `visit` for each state with a function that decodes it.
    fn for_each_state(
        roots: &Quotient,
        packing: &Packing,
        mut visit: impl FnMut(&dyn Fn(&PartTree, &mut [u64])),
    ) {
        let mut numbers = Vec::new();
        roots.for_each(|home, extra| {
            packing.numbers(StateRoot { home, extra }, &mut numbers);
            visit(&|parts, state| {
                state.fill(0);
                for (field, number) in packing.fields.iter().zip(&numbers) {
                    parts.expand(field.part, *number, state);
                }
            });
        });
    }

    /// The bits that a part's numbers need.
    fn needed_bits(&self, part: usize) -> u32 {
        let part = &self.parts.parts()[part];
        match (&part.values, part.source) {
            (Some(values), _) => bits_of(values.len().saturating_sub(1) as u64),
            (None, PartSource::Bits { word, shift, mask }) => {
                bits_of(self.seen_bits[word].load(Ordering::Relaxed) >> shift & mask)
            }
            (None, PartSource::Pair(..)) => unreachable!("a pair has a table"),
        }
    }

    /// A packing with enough bits for all numbers, if the present one has too few.
    fn wider_packing(&self) -> Option<Packing> {
        let mut wider = self.packing.clone();
        if !wider.fields.iter().any(|field| self.needed_bits(field.part) > field.bits()) {
            return None;
        }
        let is_small = self.roots.len() < INTERNED_RECODE_STATES;
        for field in &mut wider.fields {
            // A field that is nearly used up gets its next bit now; in a small table, one that had
            // too few bits gets two, which takes space only until roots are encoded again.
            let table = self.parts.parts()[field.part].values.as_ref();
            let values = table.map_or(0, |values| values.len() as u64);
            let soon = u32::from(values > 64 && values > mask(field.bits()) / 8 * 7);
            let needed = self.needed_bits(field.part);
            let spare = u32::from(is_small && table.is_some() && needed > field.bits());
            let bits = (needed + spare).max(field.bits() + soon);
            field.extra_bits = bits - field.base_bits;
        }
        let total: u32 = wider.fields.iter().map(Field::bits).sum();
        if total > MAX_ROOT_BITS {
            for field in &mut wider.fields {
                field.extra_bits = self.needed_bits(field.part).max(field.bits()) - field.base_bits;
            }
        }
        Some(wider)
    }
}

impl Store for Interned {
    type Key = Option<StateRoot>;

    #[inline]
    fn key(&self, state: &[u64]) -> Option<StateRoot> {
        let root = self.encode(state)?;
        self.roots.prefetch(root.home);
        Some(root)
    }

    #[inline]
    fn insert(&self, _state: &[u64], key: Option<StateRoot>) -> Insertion {
        let Some(root) = key else { return Insertion::Full };
        let result = self.roots.insert(root.home, root.extra);
        if result == Insertion::Full {
            self.roots_full.store(true, Ordering::Relaxed);
        }
        result
    }

    fn grow(&mut self, memory_bytes: u64, _: usize) -> bool {
        let grown = self.parts.tables().filter(|values| values.is_nearly_full());
        let parts_bytes: u64 =
            grown.map(|values| values.grown_bytes() - values.memory_bytes()).sum();
        if self.memory_bytes() + parts_bytes > memory_bytes || !self.parts.grow_full() {
            return false;
        }
        let spare = memory_bytes - self.memory_bytes();
        let states = self.roots.len();
        // Encoding all roots again needs both tables at once.
        let can_recode = self.roots.memory_bytes() / 2 * 3 <= spare;
        let bits: u32 = self.packing.fields.iter().map(|field| self.needed_bits(field.part)).sum();
        let direct_bits = if self.parts_rejected { MAX_ROOT_BITS } else { INTERNED_DIRECT_BITS };
        if self.is_direct() && bits > direct_bits && can_recode {
            return self.split();
        }
        let reconsider = states > INTERNED_PAIRING_STATES && states > 2 * self.considered;
        if can_recode && !self.is_direct() && (bits > MAX_ROOT_BITS || reconsider) {
            self.considered = states;
            if states > INTERNED_REJOINING_STATES && self.rejoin()
                || reconsider && !self.partitioned && self.parts.words() > 1 && self.partition()
                || self.packing.fields.len() > 2 && self.pair()
            {
                return true;
            }
        }
        let wider = self.wider_packing();
        let roots_full = self.roots_full.load(Ordering::Relaxed);
        let allowed = self.roots.memory_bytes() + spare;
        let grown = if let Some(wider) = wider {
            let extra_bits = wider.extra_bits();
            if states < INTERNED_RECODE_STATES && states >= 2 * self.recoded
                || !self.roots.accepts(extra_bits)
                || self.packing.base_bits < bits_of(states)
            {
                can_recode && self.recode()
            } else {
                let load = if roots_full { QUOTIENT_LOAD_ROOMY } else { QUOTIENT_LOAD_TIGHT };
                let old = &self.packing;
                let widen = |extra| old.widen(&wider, extra);
                let rebuilt = self.roots.rebuilt_bytes(extra_bits, load) <= allowed
                    && self.roots.rebuild(extra_bits, load, widen);
                if rebuilt {
                    self.packing = wider;
                }
                rebuilt
            }
        } else if roots_full {
            let extra_bits = self.packing.extra_bits();
            let fits = |load: &f64| self.roots.rebuilt_bytes(extra_bits, *load) <= allowed;
            let load = [QUOTIENT_LOAD_ROOMY, QUOTIENT_LOAD_TIGHT].into_iter().find(fits);
            load.is_some_and(|load| self.roots.rebuild(extra_bits, load, |extra| extra))
        } else {
            true
        };
        if grown {
            self.roots_full = AtomicBool::new(false);
        }
        grown
    }

    fn len(&self) -> u64 {
        self.roots.len()
    }

    fn memory_bytes(&self) -> u64 {
        self.roots.memory_bytes() + self.parts.tables().map(PartTable::memory_bytes).sum::<u64>()
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Exact
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u64])) -> bool {
        let mut state = vec![0; self.parts.words()];
        Self::for_each_state(&self.roots, &self.packing, |expand| {
            expand(&self.parts, &mut state);
            visit(&state);
        });
        true
    }

    fn emptied(&self, identity_words: usize, _memory_bytes: u64) -> Option<Interned> {
        Interned::new(identity_words)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(seeded::cases(24))]
        #[test]
        fn behaves_like_a_set(states in testing::states()) {
            testing::is_a_set(Interned::new(states.words).expect("memory"), &states)?;
        }
    }

    #[test]
    fn threads_agree() {
        for words in [1, 2, 5] {
            testing::threads_agree(Interned::new(words).expect("memory"), words);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "needs a large table")]
    fn states_take_few_bytes() {
        let states = testing::product(4, 200_000);
        let mut store = Interned::new(4).expect("memory");
        testing::insert_all(&mut store, &states);
        let bytes = store.memory_bytes() as f64 / store.len() as f64;
        assert!(bytes < 9.0, "{bytes} bytes per state");
    }

    /// Each half of the word has about as many values as there are states.
    #[test]
    #[cfg_attr(miri, ignore = "needs a large table")]
    fn parts_that_save_nothing_are_rejected() {
        let state = |number: u64| vec![number.wrapping_mul(0x5_deec_e66d) & mask(48)];
        let states: Vec<Vec<u64>> = (0..700_000).map(state).collect();
        let mut store = Interned::new(1).expect("memory");
        testing::insert_all(&mut store, &states);
        assert!(store.is_direct());
        let bytes = store.memory_bytes() as f64 / store.len() as f64;
        assert!(bytes < 8.0, "{bytes} bytes per state");
        let mut found = Vec::new();
        store.for_each(&mut |state| found.push(state.to_vec()));
        found.sort_unstable();
        let mut expected = states;
        expected.sort_unstable();
        expected.dedup();
        assert!(found == expected);
    }

    #[test]
    #[cfg_attr(miri, ignore = "needs a large table")]
    fn respects_the_memory_limit() {
        let states = testing::product(3, 100_000);
        let mut store = Interned::new(3).expect("memory");
        let full = states.iter().find(|state| {
            loop {
                let key = store.key(state);
                match store.insert(state, key) {
                    Insertion::Full if store.grow(120_000, 1) => {}
                    result => break result == Insertion::Full,
                }
            }
        });
        assert!(full.is_some());
        assert!(store.memory_bytes() <= 120_000);
        let mut count = 0;
        store.for_each(&mut |_| count += 1);
        assert_eq!(count, store.len());
    }
}
