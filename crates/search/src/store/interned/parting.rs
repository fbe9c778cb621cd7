//! Which parts states have: words cut into parts with tables, parts joined to pairs where the states stored so far say that this saves bits, and whole words again
//! where tables cost more than they save. Each time all states are encoded anew.

use super::root::{Field, Packing, Root, bits_of, mask};
use super::{Interned, MAX_ROOT_BITS, Part, Source, next_identity, whole_word};
use crate::store::part::Parts;
use crate::store::quotient::Quotient;
use crate::store::{Insertion, Store};
use std::collections::HashMap;
use std::sync::atomic::AtomicU64;

/// Bits of a word that make a part.
const PART_BITS: u32 = 32;
/// How many roots are looked at to decide about a pair.
const SAMPLE: usize = 1 << 15;
/// What a value of a pair costs, in bits.
const PAIR_BITS: f64 = 140.0;
/// A pair must save so many bits a state.
const WORTHWHILE_BITS: f64 = 2.0;

impl Interned {
    /// Encodes all states by these parts of those there are, and drops the parts that are not needed any more.
    pub(super) fn recode(&mut self, root_parts: &[usize]) {
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
    pub(super) fn cut(&mut self) {
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
    pub(super) fn rejoin(&mut self) -> bool {
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
    pub(super) fn pair(&mut self) -> bool {
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
}
