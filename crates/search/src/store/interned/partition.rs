//! The partition of states into parts: words split into parts with tables, parts joined to pairs
//! where that saves bits in the states stored so far, and whole words again where tables cost more
//! than they save. Each change encodes all states again.

use super::root::{Field, Packing, StateRoot, bits_of, mask};
use super::{
    Interned, InternedPart, MAX_ROOT_BITS, PartSource, grow_full, next_identity, whole_word,
};
use crate::store::part::PartTable;
use crate::store::quotient::Quotient;
use crate::store::{Insertion, Store};
use crate::tuning::store::{INTERNED_PAIR_GAIN_BITS, INTERNED_PAIR_VALUE_BITS, INTERNED_SAMPLE};
use std::collections::HashMap;
use std::sync::atomic::AtomicU64;

/// The bits of a word that form a part.
const PART_BITS: u32 = 32;

impl Interned {
    /// Encodes all states with `root_parts` as the parts of the root, and drops unused parts.
    /// `false` if there is no memory; then the encoding is as before.
    pub(super) fn recode(&mut self, root_parts: &[usize]) -> bool {
        let mut numbers = Vec::new();
        Self::first_numbers(&self.parts, &mut numbers);
        let mut state = vec![0; self.words];
        let parts = &mut self.parts;
        let mut has_memory = true;
        Self::for_each_state(&self.roots, &self.packing, |expand| {
            expand(parts, &mut state);
            while has_memory && !Self::number(parts, &state, &mut numbers) {
                has_memory = grow_full(parts);
            }
        });
        if !has_memory {
            return false;
        }
        let mut left = MAX_ROOT_BITS;
        let field = |&part: &usize| {
            let bits = self.needed_bits(part);
            let base_bits = bits.min(left);
            left -= base_bits;
            Field { part, base_bits, extra_bits: bits - base_bits }
        };
        let packing = Packing::new(root_parts.iter().map(field).collect());
        let mut capacity = self.roots.len() / 4 * 5;
        loop {
            let Some(roots) = Quotient::new(packing.base_bits, packing.extra_bits(), capacity)
            else {
                return false;
            };
            let mut fits = true;
            Self::for_each_state(&self.roots, &self.packing, |expand| {
                expand(&self.parts, &mut state);
                fits = fits && Self::number(&self.parts, &state, &mut numbers);
                let root = packing.root(&numbers).expect("the packing has bits for all numbers");
                fits = fits && roots.insert(root.home, root.extra) == Insertion::New;
            });
            if fits {
                self.roots = roots;
                break;
            }
            capacity += capacity / 4 + 1000;
        }
        self.packing = packing;
        self.drop_unused_parts();
        self.identity = next_identity();
        true
    }

    /// Adds `added` to the parts and encodes all states with `root_parts`; without memory for it,
    /// nothing changes.
    fn recode_with(&mut self, added: Vec<InternedPart>, root_parts: &[usize]) -> bool {
        let before = self.parts.len();
        self.parts.extend(added);
        let recoded = self.recode(root_parts);
        if !recoded {
            self.parts.truncate(before);
        }
        recoded
    }

    fn drop_unused_parts(&mut self) {
        let mut used = vec![false; self.parts.len()];
        for field in &self.packing.fields {
            used[field.part] = true;
        }
        for part in (0..self.parts.len()).rev() {
            if let (true, PartSource::Pair(left, right)) = (used[part], self.parts[part].source) {
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
            if let PartSource::Pair(left, right) = &mut part.source {
                *left = renumbered[*left];
                *right = renumbered[*right];
            }
        }
        for field in &mut self.packing.fields {
            field.part = renumbered[field.part];
        }
    }

    /// Splits the words into parts with tables; `false` if there is no memory.
    pub(super) fn split(&mut self) -> bool {
        let mut parts = Vec::new();
        for word in 0..self.words {
            for shift in (0..64).step_by(PART_BITS as usize) {
                let source = PartSource::Bits { word, shift, mask: mask(PART_BITS) };
                let Some(table) = PartTable::new() else { return false };
                parts.push(InternedPart { source, values: Some(table) });
            }
        }
        let first = self.parts.len();
        let roots: Vec<usize> = (first..first + parts.len()).collect();
        self.recode_with(parts, &roots)
    }

    /// Returns to whole words if parts have too many values, so that their tables clearly cost more
    /// than they save (a fifth: tables grow more slowly than the number of states). `true` if it
    /// did.
    pub(super) fn rejoin(&mut self) -> bool {
        let mut seen_bits = vec![0; self.words];
        let mut state = vec![0; self.words];
        Self::for_each_state(&self.roots, &self.packing, |expand| {
            expand(&self.parts, &mut state);
            seen_bits.iter_mut().zip(&state).for_each(|(seen, word)| *seen |= word);
        });
        let whole_bits: u32 = seen_bits.iter().map(|seen| bits_of(*seen)).sum();
        let states = self.roots.len();
        let in_parts =
            Quotient::bytes_for(self.packing.base_bits, self.packing.extra_bits(), states);
        let tables = self.memory_bytes() - self.roots.memory_bytes();
        if whole_bits > MAX_ROOT_BITS
            || Quotient::bytes_for(whole_bits, 0, states) > (in_parts + tables) / 5 * 4
        {
            return false;
        }
        self.seen_bits = seen_bits.into_iter().map(AtomicU64::new).collect();
        let first = self.parts.len();
        let words: Vec<usize> = (first..first + self.words).collect();
        self.parts_rejected = self.recode_with((0..self.words).map(whole_word).collect(), &words);
        self.parts_rejected
    }

    /// Pairs neighbours in the root if that saves memory, or if the root is too wide; `true` if it
    /// did.
    pub(super) fn pair(&mut self) -> bool {
        let count = self.roots.len();
        let mut columns: Vec<Vec<u64>> = vec![Vec::new(); self.packing.fields.len()];
        let mut numbers = Vec::new();
        let step = (count as usize / INTERNED_SAMPLE).max(1);
        let mut position = 0;
        self.roots.for_each(|home, extra| {
            position += 1;
            if position % step == 0 {
                self.packing.numbers(StateRoot { home, extra }, &mut numbers);
                columns.iter_mut().zip(&numbers).for_each(|(column, number)| column.push(*number));
            }
        });
        let mut roots: Vec<(usize, u32)> = self
            .packing
            .fields
            .iter()
            .map(|field| (field.part, self.needed_bits(field.part)))
            .collect();
        let first = self.parts.len();
        let mut added: Vec<InternedPart> = Vec::new();
        let sampled = columns.first().map_or(0, Vec::len) as f64;
        // The bits per state that pairing a field with the next would save, and the bits of the
        // pair's numbers.
        let gain = |roots: &[(usize, u32)], columns: &[Vec<u64>], left: usize| {
            let mut pairs: Vec<u64> = columns[left]
                .iter()
                .zip(&columns[left + 1])
                .map(|(left, right)| left << 32 | right)
                .collect();
            pairs.sort_unstable();
            pairs.dedup();
            let saved = f64::from(roots[left].1 + roots[left + 1].1)
                - f64::from(bits_of(pairs.len() as u64));
            (
                saved - INTERNED_PAIR_VALUE_BITS * pairs.len() as f64 / sampled.max(1.0),
                bits_of(pairs.len() as u64),
            )
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
            if best < INTERNED_PAIR_GAIN_BITS && total <= MAX_ROOT_BITS - 4 {
                break;
            }
            let mut numbered = HashMap::new();
            let right_column = columns.remove(left + 1);
            for (number, right) in columns[left].iter_mut().zip(right_column) {
                let next = numbered.len() as u64;
                *number = *numbered.entry((*number, right)).or_insert(next);
            }
            let source = PartSource::Pair(roots[left].0, roots[left + 1].0);
            let Some(table) = PartTable::new() else { return false };
            added.push(InternedPart { source, values: Some(table) });
            roots[left] = (first + added.len() - 1, pair_bits);
            roots.remove(left + 1);
            gains.remove(left);
            for neighbour in [left.wrapping_sub(1), left] {
                if neighbour < gains.len() {
                    gains[neighbour] = gain(&roots, &columns, neighbour);
                }
            }
        }
        let roots: Vec<usize> = roots.into_iter().map(|(part, _)| part).collect();
        !added.is_empty() && self.recode_with(added, &roots)
    }
}
