//! Exact storage in a few bytes a state: parts of states stored once, a state as a root of their numbers, the root by
//! quotient.
//!
//! States of concurrent systems are combinations of few local states (Holzmann: State compression in Spin, 1997). A part
//! is some bits of the state, or a pair of parts (a tree, as in Laarman, van de Pol, Weber: Parallel recursive state compression
//! for free, 2011), and has a table of [`Parts`]. The numbers of the parts at the root, bit-packed, are a bijection of the
//! state, and go to a [`Quotient`] table through a [`Permutation`] of exactly their bits. A state that is
//! short enough is its own root.
//!
//! Numbers are given only the bits they have needed so far. When a part has more values than that, its further bits are
//! *extra*: they are stored beside the permuted ones, and as they are 0 in all roots so far, nothing moves but to make
//! room. Which parts are paired is decided by what the states stored so far say about it.

mod parting;
mod root;

pub use root::Root;

use super::part::Parts;
use super::quotient::Quotient;
use super::{Guarantee, Insertion, Store};
use root::{Field, Packing, bits_of, mask};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A state of so many bits is stored as it is.
const DIRECT_BITS: u32 = 40;
/// Which part of the table of roots is taken after it has grown, if there is memory enough; it is full at 0.85 or so.
const ROOMY: f64 = 0.65;
/// The same if there is little memory, or if it only grows because the roots do.
const TIGHT: f64 = 0.8;
/// So few roots are encoded afresh rather than given extra bits.
const FEW: u64 = 1 << 15;
/// Pairs are considered from so many states on.
const FEW_TO_PAIR: u64 = 1 << 12;
/// Whether parts are worth their tables is asked from so many states on: before, little is known and little is at stake.
const FEW_TO_JUDGE: u64 = 1 << 18;
/// What a root can have.
const MAX_ROOT_BITS: u32 = 64;

/// Where the value of a part comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Bits {
        word: usize,
        shift: u32,
        mask: u64,
    },
    /// The numbers of two parts that come before.
    Pair(usize, usize),
}

#[derive(Debug)]
struct Part {
    source: Source,
    /// `None` if a value is its own number.
    values: Option<Parts>,
}

/// A word that is its own number.
fn whole_word(word: usize) -> Part {
    Part { source: Source::Bits { word, shift: 0, mask: u64::MAX }, values: None }
}

thread_local! {
    /// Value and number of each part of the state this thread encoded last, and in which store. A successor
    /// has most parts in common with the one before it.
    static LAST: RefCell<(u64, Vec<(u64, u64)>)> = const { RefCell::new((0, Vec::new())) };
}

/// Identifies the parts of a store; 0 is none.
fn next_identity() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The store.
#[derive(Debug)]
pub struct Interned {
    words: usize,
    /// A pair comes behind what it is made of.
    parts: Vec<Part>,
    packing: Packing,
    roots: Quotient,
    roots_full: AtomicBool,
    /// Changes whenever numbers do.
    identity: u64,
    /// All bits met, by word, while states are their own roots.
    met: Vec<AtomicU64>,
    /// How many states there were when pairs were last thought about.
    considered: u64,
    /// Parts were tried, and cost more than they saved.
    stays_whole: bool,
}

impl Interned {
    pub fn new(identity_words: usize) -> Interned {
        let parts = (0..identity_words).map(whole_word).collect();
        let field = |part| Field { part, base_bits: 0, extra_bits: 0 };
        Interned {
            words: identity_words,
            parts,
            packing: Packing::new((0..identity_words).map(field).collect()),
            roots: Quotient::new(1, 0, 0),
            roots_full: AtomicBool::new(false),
            identity: next_identity(),
            met: (0..identity_words).map(|_| AtomicU64::new(0)).collect(),
            considered: 0,
            stays_whole: false,
        }
    }

    fn is_direct(&self) -> bool {
        self.parts.iter().all(|part| part.values.is_none())
    }

    /// Makes `numbers`, which are values and numbers of the parts of a state, those of this one; `false` if a part
    /// has no room for a new value.
    #[inline]
    fn number(parts: &[Part], state: &[u64], numbers: &mut [(u64, u64)]) -> bool {
        for (position, part) in parts.iter().enumerate() {
            let value = match part.source {
                Source::Bits { word, shift, mask } => state[word] >> shift & mask,
                Source::Pair(left, right) => numbers[left].1 << 32 | numbers[right].1,
            };
            if numbers[position].0 != value {
                let number = match &part.values {
                    Some(values) => match values.number(value) {
                        Some(number) => u64::from(number),
                        None => return false,
                    },
                    None => value,
                };
                numbers[position] = (value, number);
            }
        }
        true
    }

    /// What [`number`](Self::number) starts from: values that are numbered already.
    fn first_numbers(parts: &[Part], numbers: &mut Vec<(u64, u64)>) {
        numbers.clear();
        let first = |part: &Part| match &part.values {
            Some(values) if values.len() > 0 => (values.value(0), 0),
            // A value that no part has: halves of words and pairs of numbers below 2^32 - 1 are other ones.
            Some(_) => (u64::MAX, 0),
            None => (0, 0),
        };
        numbers.extend(parts.iter().map(first));
    }

    #[inline]
    fn encode(&self, state: &[u64]) -> Option<Root> {
        let root = LAST.with_borrow_mut(|(identity, numbers)| {
            if *identity != self.identity {
                Self::first_numbers(&self.parts, numbers);
                *identity = self.identity;
            }
            Self::number(&self.parts, state, numbers).then(|| self.packing.root(numbers)).flatten()
        });
        if root.is_none() {
            for (met, word) in self.met.iter().zip(state) {
                met.fetch_or(*word, Ordering::Relaxed);
            }
        }
        root
    }

    /// Writes what a part's number stands for into the state.
    fn expand(parts: &[Part], part: usize, number: u64, state: &mut [u64]) {
        let part = &parts[part];
        let value = part.values.as_ref().map_or(number, |values| values.value(number as u32));
        match part.source {
            Source::Bits { word, shift, .. } => state[word] |= value << shift,
            Source::Pair(left, right) => {
                Self::expand(parts, left, value >> 32, state);
                Self::expand(parts, right, value & mask(32), state);
            }
        }
    }

    fn for_each_state(
        roots: &Quotient,
        packing: &Packing,
        mut visit: impl FnMut(&dyn Fn(&[Part], &mut [u64])),
    ) {
        let mut numbers = Vec::new();
        roots.for_each(|home, extra| {
            packing.numbers(Root { home, extra }, &mut numbers);
            visit(&|parts, state| {
                state.fill(0);
                for (field, number) in packing.fields.iter().zip(&numbers) {
                    Self::expand(parts, field.part, *number, state);
                }
            });
        });
    }

    /// Bits that a part's numbers need.
    fn needed_bits(&self, part: usize) -> u32 {
        match (&self.parts[part].values, self.parts[part].source) {
            (Some(values), _) => bits_of(values.len().saturating_sub(1) as u64),
            (None, Source::Bits { word, shift, mask }) => {
                bits_of(self.met[word].load(Ordering::Relaxed) >> shift & mask)
            }
            (None, Source::Pair(..)) => unreachable!("a pair is always numbered"),
        }
    }

    /// The packing with room for the numbers given so far, where the present one has not.
    fn wider_packing(&self) -> Option<Packing> {
        let mut wider = self.packing.clone();
        if !wider.fields.iter().any(|field| self.needed_bits(field.part) > field.bits()) {
            return None;
        }
        for field in &mut wider.fields {
            // What is nearly used up gets its next bit along with the others.
            let values = self.parts[field.part].values.as_ref().map_or(0, |values| values.len() as u64);
            let soon = u32::from(values > 64 && values > mask(field.bits()) / 8 * 7);
            let needed = self.needed_bits(field.part).max(field.bits() + soon);
            field.extra_bits = needed - field.base_bits;
        }
        Some(wider)
    }
}

impl Store for Interned {
    type Key = Option<Root>;

    #[inline]
    fn key(&self, state: &[u64]) -> Option<Root> {
        let root = self.encode(state)?;
        self.roots.prefetch(root.home);
        Some(root)
    }

    #[inline]
    fn insert(&self, _state: &[u64], key: Option<Root>) -> Insertion {
        let Some(root) = key else { return Insertion::Full };
        let result = self.roots.insert(root.home, root.extra);
        if result == Insertion::Full {
            self.roots_full.store(true, Ordering::Relaxed);
        }
        result
    }

    fn grow(&mut self, memory_bytes: u64, _: usize) -> bool {
        let full = |part: &Part| {
            part.values
                .as_ref()
                .filter(|values| values.is_full())
                .map_or(0, |values| values.grown_bytes() - values.memory_bytes())
        };
        let parts_bytes: u64 = self.parts.iter().map(full).sum();
        if self.memory_bytes() + parts_bytes > memory_bytes {
            return false;
        }
        self.parts
            .iter_mut()
            .filter_map(|part| part.values.as_mut())
            .filter(|values| values.is_full())
            .for_each(Parts::grow);
        let spare = memory_bytes - self.memory_bytes();
        let states = self.roots.len();
        // What encodes all roots afresh needs room for them twice.
        let affordable = self.roots.memory_bytes() / 2 * 3 <= spare;
        let bits: u32 = self.packing.fields.iter().map(|field| self.needed_bits(field.part)).sum();
        let cut = if self.stays_whole { MAX_ROOT_BITS } else { DIRECT_BITS };
        if self.is_direct() && bits > cut && affordable {
            self.cut();
            return true;
        }
        let think_again = states > FEW_TO_PAIR && states > 2 * self.considered;
        if affordable && !self.is_direct() && (bits > MAX_ROOT_BITS || think_again) {
            self.considered = states;
            if states > FEW_TO_JUDGE && self.rejoin() || self.packing.fields.len() > 2 && self.pair() {
                return true;
            }
        }
        let wider = self.wider_packing();
        let roots_full = self.roots_full.swap(false, Ordering::Relaxed);
        if let Some(wider) = wider {
            let extra_bits = wider.extra_bits();
            if states < FEW || !self.roots.accepts(extra_bits) || self.packing.base_bits < bits_of(states) {
                if !affordable {
                    return false;
                }
                let roots: Vec<usize> = self.packing.fields.iter().map(|field| field.part).collect();
                self.recode(&roots);
                return true;
            }
            let load = if roots_full { ROOMY } else { TIGHT };
            if self.roots.rebuilt_bytes(extra_bits, load) > self.roots.memory_bytes() + spare {
                return false;
            }
            let old = std::mem::replace(&mut self.packing, wider);
            self.roots.rebuild(extra_bits, load, |extra| old.widen(&self.packing, extra));
        } else if roots_full {
            let extra_bits = self.packing.extra_bits();
            let allowed = self.roots.memory_bytes() + spare;
            let fits = |load: &f64| self.roots.rebuilt_bytes(extra_bits, *load) <= allowed;
            let Some(load) = [ROOMY, TIGHT].into_iter().find(fits) else { return false };
            self.roots.rebuild(extra_bits, load, |extra| extra);
        }
        true
    }

    fn len(&self) -> u64 {
        self.roots.len()
    }

    fn memory_bytes(&self) -> u64 {
        let parts: u64 =
            self.parts.iter().filter_map(|part| part.values.as_ref()).map(Parts::memory_bytes).sum();
        self.roots.memory_bytes() + parts
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Exact
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u64])) -> bool {
        let mut state = vec![0; self.words];
        Self::for_each_state(&self.roots, &self.packing, |expand| {
            expand(&self.parts, &mut state);
            visit(&state);
        });
        true
    }

    fn emptied(&self, identity_words: usize, _memory_bytes: u64) -> Option<Interned> {
        Some(Interned::new(identity_words))
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
        fn is_a_set(states in testing::states()) {
            testing::is_a_set(Interned::new(states.words), &states)?;
        }
    }

    #[test]
    fn threads_agree() {
        for words in [1, 2, 5] {
            testing::threads_agree(Interned::new(words), words);
        }
    }

    #[test]
    fn few_bytes_a_state() {
        let states = testing::product(4, 200_000);
        let mut store = Interned::new(4);
        testing::insert_all(&mut store, &states);
        let bytes = store.memory_bytes() as f64 / store.len() as f64;
        assert!(bytes < 9.0, "{bytes} bytes a state");
    }

    /// Each half of the word has about as many values as there are states.
    #[test]
    fn parts_that_do_not_pay_are_given_up() {
        let state = |number: u64| vec![number.wrapping_mul(0x5_deec_e66d) & mask(48)];
        let states: Vec<Vec<u64>> = (0..700_000).map(state).collect();
        let mut store = Interned::new(1);
        testing::insert_all(&mut store, &states);
        assert!(store.is_direct());
        let bytes = store.memory_bytes() as f64 / store.len() as f64;
        assert!(bytes < 8.0, "{bytes} bytes a state");
        let mut found = Vec::new();
        store.for_each(&mut |state| found.push(state.to_vec()));
        found.sort_unstable();
        let mut expected = states;
        expected.sort_unstable();
        expected.dedup();
        assert!(found == expected);
    }

    #[test]
    fn refuses_to_outgrow_its_memory() {
        let states = testing::product(3, 100_000);
        let mut store = Interned::new(3);
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
