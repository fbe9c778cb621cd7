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

use super::packed::permutation::Permutation;
use super::part::Parts;
use super::quotient::Quotient;
use super::{Guarantee, Insertion, Store};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A state of so many bits is stored as it is.
const DIRECT_BITS: u32 = 40;
/// Bits of a word that make a part.
const PART_BITS: u32 = 32;
/// Which part of the table of roots is taken after it has grown, if there is memory enough; it is full at 0.85 or so.
const ROOMY: f64 = 0.65;
/// The same if there is little memory, or if it only grows because the roots do.
const TIGHT: f64 = 0.8;
/// So few roots are encoded afresh rather than given extra bits.
const FEW: u64 = 1 << 15;
/// How many roots are looked at to decide about a pair.
const SAMPLE: usize = 1 << 15;
/// Pairs are considered from so many states on.
const FEW_TO_PAIR: u64 = 1 << 12;
/// Whether parts are worth their tables is asked from so many states on: before, little is known and little is at stake.
const FEW_TO_JUDGE: u64 = 1 << 18;
/// What a root can have.
const MAX_ROOT_BITS: u32 = 64;
/// What a value of a pair costs, in bits.
const PAIR_BITS: f64 = 140.0;
/// A pair must save so many bits a state.
const WORTHWHILE_BITS: f64 = 2.0;

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

/// A part's number in the root: the low bits among the permuted ones, the others extra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    part: usize,
    base_bits: u32,
    extra_bits: u32,
}

impl Field {
    fn bits(&self) -> u32 {
        self.base_bits + self.extra_bits
    }
}

#[inline]
fn mask(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

fn bits_of(value: u64) -> u32 {
    64 - value.leading_zeros()
}

/// A state's place in the table of roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    home: u64,
    extra: u64,
}

/// How the numbers of parts become a root.
#[derive(Clone, Debug)]
struct Packing {
    fields: Vec<Field>,
    /// Of the base bits of all fields.
    permutation: Permutation,
    base_bits: u32,
}

impl Packing {
    fn new(fields: Vec<Field>) -> Packing {
        let base_bits = fields.iter().map(|field| field.base_bits).sum::<u32>().max(1);
        Packing { fields, permutation: Permutation::new(base_bits), base_bits }
    }

    fn extra_bits(&self) -> u32 {
        self.fields.iter().map(|field| field.extra_bits).sum()
    }

    /// `None` if a number has too many bits.
    #[inline]
    fn root(&self, numbers: &[(u64, u64)]) -> Option<Root> {
        let (mut base, mut extra, mut spread) = (0, 0, 0);
        let (mut base_shift, mut extra_shift) = (0, 0);
        for (position, field) in self.fields.iter().enumerate() {
            let number = numbers[field.part].1;
            base |= shifted_up(number & mask(field.base_bits), base_shift);
            let above = shifted_down(number, field.base_bits);
            if above != 0 {
                if bits_of(above) > field.extra_bits {
                    return None;
                }
                extra |= shifted_up(above, extra_shift);
                spread ^= self.spread(position, above);
            }
            base_shift += field.base_bits;
            extra_shift += field.extra_bits;
        }
        Some(Root { home: self.permutation.apply(base) ^ spread, extra })
    }

    /// What the extra bits of a field do to the home number; nothing if they are 0.
    fn spread(&self, position: usize, above: u64) -> u64 {
        let mixed = above.wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(position as u32 * 11);
        self.permutation.apply((mixed ^ mixed >> 32) & mask(self.base_bits))
    }

    /// The inverse of [`root`](Self::root): the numbers of the fields, in order.
    fn numbers(&self, root: Root, numbers: &mut Vec<u64>) {
        numbers.clear();
        let (mut spread, mut shift) = (0, 0);
        for (position, field) in self.fields.iter().enumerate() {
            let above = shifted_down(root.extra, shift) & mask(field.extra_bits);
            if above != 0 {
                spread ^= self.spread(position, above);
            }
            numbers.push(shifted_up(above, field.base_bits));
            shift += field.extra_bits;
        }
        let mut base = self.permutation.invert(root.home ^ spread);
        for (number, field) in numbers.iter_mut().zip(&self.fields) {
            *number |= base & mask(field.base_bits);
            base = shifted_down(base, field.base_bits);
        }
    }

    /// The extra bits of the same numbers under `wider`, where fields may have more of them.
    fn widen(&self, wider: &Packing, extra: u64) -> u64 {
        let mut widened = 0;
        let (mut from, mut to) = (0, 0);
        for (old, new) in self.fields.iter().zip(&wider.fields) {
            widened |= shifted_up(shifted_down(extra, from) & mask(old.extra_bits), to);
            from += old.extra_bits;
            to += new.extra_bits;
        }
        widened
    }
}

/// Shifts by 64 and more give 0.
#[inline]
fn shifted_up(value: u64, by: u32) -> u64 {
    value.checked_shl(by).unwrap_or(0)
}

#[inline]
fn shifted_down(value: u64, by: u32) -> u64 {
    value.checked_shr(by).unwrap_or(0)
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

    /// Encodes all states by these parts of those there are, and drops the parts that are not needed any more.
    fn recode(&mut self, root_parts: &[usize]) {
        let old = self.packing.clone();
        let mut numbers = Vec::new();
        Self::first_numbers(&self.parts, &mut numbers);
        let mut state = vec![0; self.words];
        let parts = &mut self.parts;
        Self::for_each_state(&self.roots, &old, |expand| {
            expand(parts, &mut state);
            while !Self::number(parts, &state, &mut numbers) {
                parts
                    .iter_mut()
                    .filter_map(|part| part.values.as_mut())
                    .filter(|values| values.is_full())
                    .for_each(Parts::grow);
            }
        });
        let mut left = MAX_ROOT_BITS;
        let field = |&part: &usize| {
            let bits = self.needed_bits(part);
            let base_bits = bits.min(left);
            left -= base_bits;
            Field { part, base_bits, extra_bits: bits - base_bits }
        };
        let packing = Packing::new(root_parts.iter().map(field).collect());
        let mut room = self.roots.len() / 4 * 5;
        loop {
            let roots = Quotient::new(packing.base_bits, packing.extra_bits(), room);
            let mut fits = true;
            Self::for_each_state(&self.roots, &old, |expand| {
                expand(&self.parts, &mut state);
                fits = fits && Self::number(&self.parts, &state, &mut numbers);
                let root = packing.root(&numbers).expect("the widths are those of the numbers");
                fits = fits && roots.insert(root.home, root.extra) == Insertion::New;
            });
            if fits {
                self.roots = roots;
                break;
            }
            room += room / 4 + 1000;
        }
        self.packing = packing;
        self.drop_unused_parts();
        self.identity = next_identity();
    }

    fn drop_unused_parts(&mut self) {
        let mut used = vec![false; self.parts.len()];
        for field in &self.packing.fields {
            used[field.part] = true;
        }
        for part in (0..self.parts.len()).rev() {
            if let (true, Source::Pair(left, right)) = (used[part], self.parts[part].source) {
                used[left] = true;
                used[right] = true;
            }
        }
        let renumbered: Vec<usize> = used
            .iter()
            .scan(0, |next, used| {
                let number = *next;
                *next += usize::from(*used);
                Some(number)
            })
            .collect();
        let mut position = 0;
        self.parts.retain(|_| {
            position += 1;
            used[position - 1]
        });
        for part in &mut self.parts {
            if let Source::Pair(left, right) = &mut part.source {
                *left = renumbered[*left];
                *right = renumbered[*right];
            }
        }
        for field in &mut self.packing.fields {
            field.part = renumbered[field.part];
        }
    }

    /// Cuts the words into parts with tables.
    fn cut(&mut self) {
        let first = self.parts.len();
        for word in 0..self.words {
            for shift in (0..64).step_by(PART_BITS as usize) {
                let source = Source::Bits { word, shift, mask: mask(PART_BITS) };
                self.parts.push(Part { source, values: Some(Parts::default()) });
            }
        }
        let roots: Vec<usize> = (first..self.parts.len()).collect();
        self.recode(&roots);
    }

    /// Whole words again, if parts have so many values that their tables cost more than they save, clearly (tables grow
    /// more slowly than the number of states); `true` if so.
    fn rejoin(&mut self) -> bool {
        let mut met = vec![0; self.words];
        let mut state = vec![0; self.words];
        Self::for_each_state(&self.roots, &self.packing, |expand| {
            expand(&self.parts, &mut state);
            met.iter_mut().zip(&state).for_each(|(met, word)| *met |= word);
        });
        let whole_bits: u32 = met.iter().map(|met| bits_of(*met)).sum();
        let states = self.roots.len();
        let in_parts = Quotient::bytes_for(self.packing.base_bits, self.packing.extra_bits(), states);
        let tables = self.memory_bytes() - self.roots.memory_bytes();
        if whole_bits > MAX_ROOT_BITS
            || Quotient::bytes_for(whole_bits, 0, states) > (in_parts + tables) / 5 * 4
        {
            return false;
        }
        self.met = met.into_iter().map(AtomicU64::new).collect();
        let first = self.parts.len();
        self.parts.extend((0..self.words).map(whole_word));
        let words: Vec<usize> = (first..self.parts.len()).collect();
        self.recode(&words);
        self.stays_whole = true;
        true
    }

    /// Pairs neighbours in the root if that saves memory, or must be; `true` if it did.
    fn pair(&mut self) -> bool {
        let count = self.roots.len();
        let mut columns: Vec<Vec<u64>> = vec![Vec::new(); self.packing.fields.len()];
        let mut numbers = Vec::new();
        let step = (count as usize / SAMPLE).max(1);
        let mut position = 0;
        self.roots.for_each(|home, extra| {
            position += 1;
            if position % step == 0 {
                self.packing.numbers(Root { home, extra }, &mut numbers);
                columns.iter_mut().zip(&numbers).for_each(|(column, number)| column.push(*number));
            }
        });
        let mut roots: Vec<(usize, u32)> =
            self.packing.fields.iter().map(|field| (field.part, self.needed_bits(field.part))).collect();
        let before = self.parts.len();
        let sampled = columns.first().map_or(0, Vec::len) as f64;
        // What pairing a field with the next would save, in bits a state, and the bits of the pair's numbers.
        let gain = |roots: &[(usize, u32)], columns: &[Vec<u64>], left: usize| {
            let mut pairs: Vec<u64> = columns[left]
                .iter()
                .zip(&columns[left + 1])
                .map(|(left, right)| left << 32 | right)
                .collect();
            pairs.sort_unstable();
            pairs.dedup();
            let saved = f64::from(roots[left].1 + roots[left + 1].1) - f64::from(bits_of(pairs.len() as u64));
            (saved - PAIR_BITS * pairs.len() as f64 / sampled.max(1.0), bits_of(pairs.len() as u64))
        };
        let mut gains: Vec<(f64, u32)> =
            (1..roots.len()).map(|right| gain(&roots, &columns, right - 1)).collect();
        while roots.len() > 2 {
            let (left, (best, pair_bits)) = gains
                .iter()
                .copied()
                .enumerate()
                .max_by(|one, other| one.1.0.total_cmp(&other.1.0))
                .expect("there are at least two neighbours");
            let total: u32 = roots.iter().map(|root| root.1).sum();
            if best < WORTHWHILE_BITS && total <= MAX_ROOT_BITS - 4 {
                break;
            }
            let mut numbered = HashMap::new();
            let right_column = columns.remove(left + 1);
            for (number, right) in columns[left].iter_mut().zip(right_column) {
                let next = numbered.len() as u64;
                *number = *numbered.entry((*number, right)).or_insert(next);
            }
            let source = Source::Pair(roots[left].0, roots[left + 1].0);
            self.parts.push(Part { source, values: Some(Parts::default()) });
            roots[left] = (self.parts.len() - 1, pair_bits);
            roots.remove(left + 1);
            gains.remove(left);
            for neighbour in [left.wrapping_sub(1), left] {
                if neighbour < gains.len() {
                    gains[neighbour] = gain(&roots, &columns, neighbour);
                }
            }
        }
        if self.parts.len() == before {
            return false;
        }
        let roots: Vec<usize> = roots.into_iter().map(|(part, _)| part).collect();
        self.recode(&roots);
        true
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

    fn emptied(&self, identity_words: usize) -> Interned {
        Interned::new(identity_words)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
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
