//! Bit-state hashing (Holzmann: On limits and possibilities of automated protocol analysis, 1987;
//! with several functions: An analysis of bitstate hashing, 1998): a state is `k` bits of one large
//! array. A state whose bits are all set already counts as known.
//!
//! The `k` positions come from two hash values by double hashing (Kirsch, Mitzenmacher: Less
//! hashing, same performance, 2006; with the cubic term of Dillinger, Manolios: Bloom filters in
//! probabilistic verification, 2004, because plain double hashing gives too many states the
//! same positions).
//!
//! A new state is omitted with probability ρᵏ, where ρ is the fraction of bits that are set when it
//! arrives. If n states were stored, and the fraction was ρⱼ at the j-th, then for each state
//! stored ρᵏ/(1-ρᵏ) new states were omitted on average, so
//!
//! > expected omissions = Σⱼ ρⱼᵏ / (1 - ρⱼᵏ).
//!
//! The sum is maintained during the search; set bits are counted exactly. States reachable only
//! through an omitted state are missed as well ([`crate::omission::in_degree`]).

use super::hash::Hasher;
use super::{Guarantee, Insertion, Store, prefetch};
use crate::memory::fallible;
use crate::memory::sync::AtomicU64;
use crate::tuning::memory::BIT_ARRAY_PIECE_WORDS;
use lariat_ir::budget::{Budget, UNLIMITED};
use std::sync::atomic::{self, Ordering};

/// The default number of hash functions.
pub const DEFAULT_FUNCTIONS: u32 = 3;
/// The largest number of hash functions.
pub const MAX_FUNCTIONS: u32 = 16;
/// Counters, on different cache lines so that threads seldom contend.
const COUNTERS: usize = 16;
/// States of a counter after which the sum of expected omissions is updated.
const BATCH: u64 = 64;

/// Statistics of the states whose hash selects this counter.
#[repr(align(64))]
#[derive(Debug, Default)]
struct OmissionCounter {
    states: atomic::AtomicU64,
    bits: atomic::AtomicU64,
    /// Expected omissions, the bits of an `f64`.
    omissions: atomic::AtomicU64,
}

/// See the module.
#[derive(Debug)]
pub struct Bitstate {
    hasher: Hasher,
    functions: u32,
    words: Vec<AtomicU64>,
    counters: [OmissionCounter; COUNTERS],
}

/// Two hash values, which determine the positions of a state's bits.
#[derive(Clone, Copy, Debug)]
pub struct Positions {
    first: u64,
    step: u64,
}

impl Bitstate {
    /// An array of `memory_bytes`. Precondition: `functions` is between 1 and [`MAX_FUNCTIONS`].
    /// `None` if there is no memory.
    pub fn new(memory_bytes: u64, functions: u32, seed: u64) -> Option<Bitstate> {
        Bitstate::within(memory_bytes, functions, seed, &UNLIMITED)
    }

    /// Like [`new`](Bitstate::new); the array is smaller if the budget ends meanwhile.
    pub fn within(
        memory_bytes: u64,
        functions: u32,
        seed: u64,
        budget: &Budget,
    ) -> Option<Bitstate> {
        let words = array((memory_bytes / 8).max(8) as usize, budget)?;
        Some(Bitstate { hasher: Hasher::new(seed), functions, words, counters: Default::default() })
    }

    fn bits(&self) -> u64 {
        self.words.len() as u64 * 64
    }

    #[inline]
    fn position(&self, state: Positions, function: u64) -> (usize, u64) {
        let cubic = function * function * function / 6;
        let hash = state.first.wrapping_add(state.step.wrapping_mul(function)).wrapping_add(cubic);
        let bit = (u128::from(hash) * u128::from(self.bits())) >> 64;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    fn sum(&self, part: impl Fn(&OmissionCounter) -> u64) -> u64 {
        self.counters.iter().map(part).sum()
    }

    /// The fraction of bits that are set.
    pub fn fill(&self) -> f64 {
        self.sum(|counter| counter.bits.load(Ordering::Relaxed)) as f64 / self.bits() as f64
    }

    fn expected_omissions(&self) -> f64 {
        self.counters
            .iter()
            .map(|counter| f64::from_bits(counter.omissions.load(Ordering::Relaxed)))
            .sum()
    }

    /// Counts a new state that set `bits`.
    #[inline]
    fn count(&self, counter: usize, bits: u64) {
        let counter = &self.counters[counter];
        counter.bits.fetch_add(bits, Ordering::Relaxed);
        let states = counter.states.fetch_add(1, Ordering::Relaxed) + 1;
        if states.is_multiple_of(BATCH) {
            self.add_omissions(counter);
        }
    }

    #[cold]
    fn add_omissions(&self, counter: &OmissionCounter) {
        let taken = self.fill().powi(self.functions as i32);
        let added = BATCH as f64 * taken / (1.0 - taken).max(1e-9);
        let add = |sum: u64| Some((f64::from_bits(sum) + added).to_bits());
        // The update never fails, because `add` always returns a value.
        let _ = counter.omissions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }
}

/// Words without set bits, fewer than `length` if the budget ends meanwhile; `None` if there is no
/// memory. Writing all words of a large array takes seconds.
fn array(length: usize, budget: &Budget) -> Option<Vec<AtomicU64>> {
    let mut words = Vec::new();
    words.try_reserve_exact(length).ok()?;
    while words.len() < length && (words.is_empty() || budget.check().is_ok()) {
        let end = length.min(words.len() + BIT_ARRAY_PIECE_WORDS);
        if !fallible::extend_to(&mut words, end) {
            return None;
        }
    }
    Some(words)
}

impl Store for Bitstate {
    type Key = Positions;
    const OMITS: bool = true;
    const FIXED: bool = true;

    #[inline]
    fn key(&self, state: &[u64]) -> Positions {
        let (first, step) = self.hasher.pair(state);
        let positions = Positions { first, step };
        for function in 0..u64::from(self.functions) {
            prefetch::line(&self.words[self.position(positions, function).0]);
        }
        positions
    }

    /// If threads insert the same state concurrently, it is new to at least one of them, perhaps to
    /// several; then it is visited several times.
    #[inline]
    fn insert(&self, _state: &[u64], key: Positions) -> Insertion {
        let mut set = 0;
        for function in 0..u64::from(self.functions) {
            let (word, bit) = self.position(key, function);
            let word = &self.words[word];
            if word.load(Ordering::Relaxed) & bit == 0
                && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
            {
                set += 1;
            }
        }
        if set == 0 {
            return Insertion::Known;
        }
        self.count(key.first as usize % COUNTERS, set);
        Insertion::New
    }

    /// The array has a fixed size.
    fn grow(&mut self, _: u64, _: usize) -> bool {
        false
    }

    fn len(&self) -> u64 {
        self.sum(|counter| counter.states.load(Ordering::Relaxed))
    }

    fn memory_bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Omissions { expected: self.expected_omissions() }
    }

    fn for_each(&self, _visit: &mut dyn FnMut(&[u64])) -> bool {
        false
    }

    fn emptied(&self, _identity_words: usize, _memory_bytes: u64) -> Option<Bitstate> {
        Some(Bitstate {
            hasher: self.hasher.clone(),
            functions: self.functions,
            words: array(self.words.len(), &UNLIMITED)?,
            counters: Default::default(),
        })
    }

    /// Reuses the array: there may be no memory for a second one.
    fn clear(&mut self) -> bool {
        self.words.iter_mut().for_each(|word| word.store(0, Ordering::Relaxed));
        self.counters = Default::default();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    /// Writing a large array takes longer than a short time limit.
    #[test]
    fn an_array_is_smaller_if_the_time_is_over() {
        let over = Budget::of(std::time::Duration::ZERO);
        let store = Bitstate::within(1 << 36, 3, 0, &over);
        // The address space may be limited.
        assert!(store.is_none_or(|store| store.memory_bytes() == 8 * BIT_ARRAY_PIECE_WORDS as u64));
    }

    /// The estimate holds for nearly empty and nearly full arrays, few and many functions.
    #[test]
    #[cfg_attr(miri, ignore = "statistics need many states")]
    fn omissions_match_the_estimate() {
        let states = testing::product(3, 200_000);
        for bytes in [30_000, 100_000, 300_000, 1_000_000] {
            for functions in [1, 2, 3, 5, 8] {
                let (mut omitted, mut expected) = (0.0, 0.0);
                for seed in 0..3 {
                    let mut store = Bitstate::new(bytes, functions, seed).expect("memory");
                    omitted +=
                        (states.len() as u64 - testing::insert_all(&mut store, &states)) as f64;
                    let Guarantee::Omissions { expected: said } = store.guarantee() else {
                        panic!("the store may omit states")
                    };
                    expected += said;
                }
                assert!(
                    omitted < 1.5 * expected + 20.0 && omitted > expected / 1.5 - 20.0,
                    "{bytes} bytes, {functions} functions: {omitted} omitted, {expected} expected"
                );
            }
        }
    }

    #[test]
    fn inserted_states_are_known() {
        let states = testing::product(2, testing::size(10_000));
        let mut store = Bitstate::new(testing::size(1 << 20), 3, 7).expect("memory");
        testing::insert_all(&mut store, &states);
        assert_eq!(testing::insert_all(&mut store, &states), 0);
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use crate::memory::sync::{Arc, explore};
    use loom::thread;

    /// A state inserted by several threads is new to at least one of them, no bit is lost, and the
    /// bits are counted exactly.
    #[test]
    fn loom_no_state_is_lost() {
        explore(3, || {
            let store = Arc::new(Bitstate::new(64, 2, 0).expect("memory"));
            let insert = |store: &Bitstate, states: [[u64; 1]; 2]| {
                states.map(|state| store.insert(&state, store.key(&state)) == Insertion::New)
            };
            let other = Arc::clone(&store);
            let thread = thread::spawn(move || insert(&other, [[2], [1]]));
            let [one, two] = insert(&store, [[1], [2]]);
            let [other_two, other_one] = thread.join().expect("no panic");
            assert!((one || other_one) && (two || other_two));
            assert_eq!(insert(&store, [[1], [2]]), [false, false]);
            let set: u32 = store.words.iter().map(|w| w.load(Ordering::Relaxed).count_ones()).sum();
            assert_eq!(store.sum(|counter| counter.bits.load(Ordering::Relaxed)), u64::from(set));
        });
    }
}
