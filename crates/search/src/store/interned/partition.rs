//! The partition of states into parts: words split into parts with tables, parts joined to pairs
//! where that saves bits in the states stored so far, and whole words again where tables cost more
//! than they save. Each change encodes all states again.

use super::root::{Field, Packing, StateRoot, bits_of, mask};
use super::tree::{InternedPart, PartNumbers, PartSource, PartTree, whole_word};
use super::{Interned, MAX_ROOT_BITS, next_identity};
use crate::store::part::PartTable;
use crate::store::quotient::Quotient;
use crate::store::{Insertion, Store};
use crate::tuning::store::{
    INTERNED_PAIR_GAIN_BITS, INTERNED_PAIR_VALUE_BITS, INTERNED_PARTITION_SAMPLE,
    INTERNED_ROOT_PARTS, INTERNED_SAMPLE,
};
use std::collections::HashMap;
use std::sync::atomic::AtomicU64;

/// The bits of a word that form a part.
const PART_BITS: u32 = 32;

/// Parts of a root to be, with the values that they take in a sample of states.
struct PairCandidates {
    /// The number of each part, and the bits of its numbers.
    parts: Vec<(usize, u32)>,
    /// For each part its number in each sampled state.
    columns: Vec<Vec<u64>>,
}

impl PairCandidates {
    /// The bits per state that pairing a part with the next would save, and the bits of the pair's
    /// numbers.
    fn gain(&self, left: usize) -> (f64, u32) {
        let mut pairs: Vec<u64> = self.columns[left]
            .iter()
            .zip(&self.columns[left + 1])
            .map(|(left, right)| left << 32 | right)
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let pair_bits = bits_of(pairs.len() as u64);
        let saved = f64::from(self.parts[left].1 + self.parts[left + 1].1) - f64::from(pair_bits);
        let sampled = self.columns[left].len().max(1) as f64;
        (saved - INTERNED_PAIR_VALUE_BITS * pairs.len() as f64 / sampled, pair_bits)
    }

    /// Pairs neighbours while that saves memory, or while the root is too wide or has too many
    /// parts. Returns the pairs, which get numbers from `first` on; `None` if there is no memory.
    fn pair(&mut self, first: usize) -> Option<Vec<InternedPart>> {
        let mut added: Vec<InternedPart> = Vec::new();
        let mut gains: Vec<(f64, u32)> =
            (1..self.parts.len()).map(|right| self.gain(right - 1)).collect();
        while self.parts.len() > 2 {
            let (left, (best, pair_bits)) = gains
                .iter()
                .copied()
                .enumerate()
                .max_by(|one, other| one.1.0.total_cmp(&other.1.0))
                .expect("there are at least two neighbours");
            let total: u32 = self.parts.iter().map(|part| part.1).sum();
            if best < INTERNED_PAIR_GAIN_BITS
                && total <= MAX_ROOT_BITS - 4
                && self.parts.len() <= INTERNED_ROOT_PARTS
            {
                break;
            }
            let mut numbered = HashMap::new();
            let right_column = self.columns.remove(left + 1);
            for (number, right) in self.columns[left].iter_mut().zip(right_column) {
                let next = numbered.len() as u64;
                *number = *numbered.entry((*number, right)).or_insert(next);
            }
            let source = PartSource::Pair(self.parts[left].0, self.parts[left + 1].0);
            added.push(InternedPart { source, values: Some(PartTable::new()?) });
            self.parts[left] = (first + added.len() - 1, pair_bits);
            self.parts.remove(left + 1);
            gains.remove(left);
            for neighbour in [left.wrapping_sub(1), left] {
                if neighbour < gains.len() {
                    gains[neighbour] = self.gain(neighbour);
                }
            }
        }
        Some(added)
    }

    fn root_parts(&self) -> Vec<usize> {
        self.parts.iter().map(|(part, _)| *part).collect()
    }
}

impl Interned {
    /// Encodes all states with `root_parts` as the parts of the root, and drops unused parts.
    /// Parts from `first` on are new. `false` if there is no memory; then the encoding is as
    /// before.
    fn recode_from(&mut self, first: usize, root_parts: &[usize]) -> bool {
        let mut numbers = PartNumbers::new();
        numbers.reset(&self.parts);
        // Pairs of parts of the root are found without decoding the state.
        let is_new_bits = |part: &InternedPart| matches!(part.source, PartSource::Bits { .. });
        let needs_state = self.parts.parts()[first..].iter().any(is_new_bits);
        let (mut fields, mut state) = (Vec::new(), vec![0; self.parts.words()]);
        let old = &self.packing;
        let mut number = |parts: &PartTree, numbers: &mut PartNumbers, root: StateRoot| {
            old.numbers(root, &mut fields);
            let known = old.fields.iter().map(|field| field.part).zip(fields.iter().copied());
            if !needs_state {
                return numbers.derive(parts, known, first);
            }
            state.fill(0);
            known.for_each(|(part, number)| parts.expand(part, number, &mut state));
            numbers.update(parts, &state)
        };
        let parts = &mut self.parts;
        let mut has_memory = true;
        self.roots.for_each(|home, extra| {
            while has_memory && !number(parts, &mut numbers, StateRoot { home, extra }) {
                has_memory = parts.grow_full();
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
            self.roots.for_each(|home, extra| {
                fits = fits && number(&self.parts, &mut numbers, StateRoot { home, extra });
                let root =
                    packing.root(numbers.known()).expect("the packing has bits for all numbers");
                fits = fits && roots.insert(root.home, root.extra) == Insertion::New;
            });
            if fits {
                self.roots = roots;
                break;
            }
            capacity += capacity / 4 + 1000;
        }
        self.packing = packing;
        self.parts.keep(self.packing.fields.iter_mut().map(|field| &mut field.part));
        self.identity = next_identity();
        self.recoded = self.roots.len();
        true
    }

    /// Encodes all states with fields of just the bits that they need; `false` if there is no
    /// memory, and then nothing has changed.
    pub(super) fn recode(&mut self) -> bool {
        let roots: Vec<usize> = self.packing.fields.iter().map(|field| field.part).collect();
        self.recode_from(self.parts.parts().len(), &roots)
    }

    /// Adds `added` to the parts and encodes all states with `root_parts`; without memory for it,
    /// nothing changes.
    fn recode_with(&mut self, added: Vec<InternedPart>, root_parts: &[usize]) -> bool {
        let before = self.parts.parts().len();
        self.parts.extend(added);
        let recoded = self.recode_from(before, root_parts);
        if !recoded {
            self.parts.truncate(before);
        }
        recoded
    }

    /// The halves of all words.
    fn halves(&self) -> Vec<PartSource> {
        let half = |number: usize| {
            let shift = number as u32 % 2 * PART_BITS;
            PartSource::Bits { word: number / 2, shift, mask: mask(PART_BITS) }
        };
        (0..2 * self.parts.words()).map(half).collect()
    }

    /// Splits the words into parts with tables; `false` if there is no memory.
    pub(super) fn split(&mut self) -> bool {
        let mut parts = Vec::new();
        for source in self.halves() {
            let Some(table) = PartTable::new() else { return false };
            parts.push(InternedPart { source, values: Some(table) });
        }
        let first = self.parts.parts().len();
        let roots: Vec<usize> = (first..first + parts.len()).collect();
        self.recode_with(parts, &roots)
    }

    /// Returns to whole words if parts have too many values, so that their tables clearly cost more
    /// than they save (a fifth: tables grow more slowly than the number of states). `true` if it
    /// did.
    pub(super) fn rejoin(&mut self) -> bool {
        let mut seen_bits = vec![0; self.parts.words()];
        let mut state = vec![0; self.parts.words()];
        let mut whole_bits = 0;
        Self::for_each_state(&self.roots, &self.packing, |expand| {
            if whole_bits <= MAX_ROOT_BITS {
                expand(&self.parts, &mut state);
                seen_bits.iter_mut().zip(&state).for_each(|(seen, word)| *seen |= word);
                whole_bits = seen_bits.iter().map(|seen| bits_of(*seen)).sum();
            }
        });
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
        let (first, count) = (self.parts.parts().len(), self.parts.words());
        let words: Vec<usize> = (first..first + count).collect();
        self.parts_rejected = self.recode_with((0..count).map(whole_word).collect(), &words);
        self.parts_rejected
    }

    /// Chooses all parts anew from the bits of a sample of states: first choices are made with few
    /// states. `true` if it did.
    pub(super) fn partition(&mut self) -> bool {
        self.partitioned = true;
        let sources = self.halves();
        let step = (self.roots.len() as usize / INTERNED_PARTITION_SAMPLE).max(1);
        let (mut position, mut state) = (0, vec![0; self.parts.words()]);
        let mut columns: Vec<Vec<u64>> = vec![Vec::new(); sources.len()];
        Self::for_each_state(&self.roots, &self.packing, |expand| {
            position += 1;
            if position % step == 0 {
                expand(&self.parts, &mut state);
                let halves = state.iter().flat_map(|word| [word & mask(PART_BITS), word >> 32]);
                columns.iter_mut().zip(halves).for_each(|(column, half)| column.push(half));
            }
        });
        let first = self.parts.parts().len();
        let distinct = |column: &Vec<u64>| {
            let mut values = column.clone();
            values.sort_unstable();
            values.dedup();
            bits_of(values.len() as u64)
        };
        let parts = (first..).zip(columns.iter().map(distinct)).collect();
        let mut candidates = PairCandidates { parts, columns };
        let Some(pairs) = candidates.pair(first + sources.len()) else { return false };
        let roots = candidates.root_parts();
        let mut added = Vec::new();
        for (number, source) in (first..).zip(sources) {
            // In a pair a part is its own number: the pair has room for all its bits.
            let values = match roots.contains(&number).then(PartTable::new) {
                Some(None) => return false,
                values => values.flatten(),
            };
            added.push(InternedPart { source, values });
        }
        added.extend(pairs);
        self.recode_with(added, &roots)
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
        let fields = self.packing.fields.iter();
        let parts = fields.map(|field| (field.part, self.needed_bits(field.part))).collect();
        let mut candidates = PairCandidates { parts, columns };
        let Some(added) = candidates.pair(self.parts.parts().len()) else { return false };
        !added.is_empty() && self.recode_with(added, &candidates.root_parts())
    }
}
