//! The parts of states as a forest, and the numbers of a state's parts, derived from those of the
//! state before: only parts with changed bits, and the pairs above them, are looked up (incremental
//! updates of Laarman, van de Pol, Weber: Parallel recursive state compression for free, 2011).

use crate::store::part::PartTable;

/// The definition of a part's value.
#[derive(Clone, Copy, Debug)]
pub(super) enum PartSource {
    Bits {
        word: usize,
        shift: u32,
        mask: u64,
    },
    /// The numbers of two preceding parts.
    Pair(usize, usize),
}

#[derive(Debug)]
pub(super) struct InternedPart {
    pub source: PartSource,
    /// `None` if a value is its own number: a whole state is its own root, or a part of at most 32
    /// bits is in a pair.
    pub values: Option<PartTable>,
}

/// A whole word, which is its own number.
pub(super) fn whole_word(word: usize) -> InternedPart {
    InternedPart { source: PartSource::Bits { word, shift: 0, mask: u64::MAX }, values: None }
}

/// The part above a part of the root.
const NO_PAIR: u32 = u32::MAX;

/// Stands for the number of a value that has none yet.
const NO_NUMBER: u64 = u64::MAX;

#[derive(Debug)]
pub(super) struct PartTree {
    /// A pair comes after its two parts.
    parts: Vec<InternedPart>,
    /// For each part the pair that it belongs to.
    above: Vec<u32>,
    /// For each word the parts that are bits of it.
    of_word: Vec<Vec<u32>>,
}

impl PartTree {
    pub fn new(words: usize, parts: Vec<InternedPart>) -> PartTree {
        let mut tree = PartTree { parts, above: Vec::new(), of_word: vec![Vec::new(); words] };
        tree.link();
        tree
    }

    /// Derives `above` and `of_word` from the parts.
    fn link(&mut self) {
        self.above.clear();
        self.above.resize(self.parts.len(), NO_PAIR);
        self.of_word.iter_mut().for_each(Vec::clear);
        for (number, part) in (0..).zip(&self.parts) {
            match part.source {
                PartSource::Bits { word, .. } => self.of_word[word].push(number),
                PartSource::Pair(left, right) => {
                    self.above[left] = number;
                    self.above[right] = number;
                }
            }
        }
    }

    pub fn parts(&self) -> &[InternedPart] {
        &self.parts
    }

    pub fn words(&self) -> usize {
        self.of_word.len()
    }

    /// Precondition: no present part is in two pairs then.
    pub fn extend(&mut self, added: Vec<InternedPart>) {
        self.parts.extend(added);
        self.link();
    }

    pub fn truncate(&mut self, parts: usize) {
        self.parts.truncate(parts);
        self.link();
    }

    pub fn tables(&self) -> impl Iterator<Item = &PartTable> {
        self.parts.iter().filter_map(|part| part.values.as_ref())
    }

    /// Grows the tables that are nearly full; `false` if there is no memory.
    pub fn grow_full(&mut self) -> bool {
        let mut tables = self.parts.iter_mut().filter_map(|part| part.values.as_mut());
        tables.all(|values| !values.is_nearly_full() || values.grow())
    }

    /// Keeps the parts in `roots` and those they consist of, and updates `roots`.
    pub fn keep<'a>(&mut self, roots: impl Iterator<Item = &'a mut usize>) {
        let roots: Vec<&mut usize> = roots.collect();
        let mut used = vec![false; self.parts.len()];
        roots.iter().for_each(|root| used[**root] = true);
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
        let mut keep = used.iter();
        self.parts.retain(|_| keep.next().is_some_and(|used| *used));
        for part in &mut self.parts {
            if let PartSource::Pair(left, right) = &mut part.source {
                *left = renumbered[*left];
                *right = renumbered[*right];
            }
        }
        for root in roots {
            *root = renumbered[*root];
        }
        self.link();
    }

    /// Adds the bits of a part with this number to the state.
    pub fn expand(&self, part: usize, number: u64, state: &mut [u64]) {
        let part = &self.parts[part];
        let value = part.values.as_ref().map_or(number, |values| values.value(number as u32));
        match part.source {
            PartSource::Bits { word, shift, .. } => state[word] |= value << shift,
            PartSource::Pair(left, right) => {
                self.expand(left, value >> 32, state);
                self.expand(right, value & u64::from(u32::MAX), state);
            }
        }
    }
}

/// The numbers of the parts of one state.
#[derive(Debug, Default)]
pub(super) struct PartNumbers {
    state: Vec<u64>,
    /// For each part a value and its number: those of `state`, if complete.
    known: Vec<(u64, u64)>,
    /// A set of parts whose values may have changed.
    changed: Vec<u64>,
    is_complete: bool,
}

impl PartNumbers {
    pub const fn new() -> PartNumbers {
        PartNumbers {
            state: Vec::new(),
            known: Vec::new(),
            changed: Vec::new(),
            is_complete: false,
        }
    }

    /// Begins with a tree, whose part numbers these are from now on.
    pub fn reset(&mut self, tree: &PartTree) {
        let first = |part: &InternedPart| match &part.values {
            Some(values) if values.len() > 0 => (values.value(0), 0),
            Some(_) => (0, NO_NUMBER),
            None => (0, 0),
        };
        self.known.clear();
        self.known.extend(tree.parts.iter().map(first));
        self.state.clear();
        self.state.resize(tree.words(), 0);
        self.changed.clear();
        self.changed.resize(tree.parts.len().div_ceil(64), 0);
        self.is_complete = false;
    }

    /// The value and the number of each part.
    pub fn known(&self) -> &[(u64, u64)] {
        &self.known
    }

    /// Changes to the numbers of `state`, adding new values to the tables; `false` if a table is
    /// full. Precondition: [`reset`](Self::reset) with this tree.
    #[inline]
    pub fn update(&mut self, tree: &PartTree, state: &[u64]) -> bool {
        if self.is_complete {
            for (word, (before, now)) in self.state.iter_mut().zip(state).enumerate() {
                if *before != *now {
                    *before = *now;
                    for part in &tree.of_word[word] {
                        self.changed[*part as usize / 64] |= 1 << (part % 64);
                    }
                }
            }
        } else {
            self.state.copy_from_slice(state);
            for part in 0..tree.parts.len() {
                self.changed[part / 64] |= 1 << (part % 64);
            }
        }
        self.is_complete = false;
        for index in 0..self.changed.len() {
            while self.changed[index] != 0 {
                let part = index * 64 + self.changed[index].trailing_zeros() as usize;
                self.changed[index] &= self.changed[index] - 1;
                let value = match tree.parts[part].source {
                    PartSource::Bits { word, shift, mask } => state[word] >> shift & mask,
                    PartSource::Pair(left, right) => self.known[left].1 << 32 | self.known[right].1,
                };
                match self.look_up(tree, part, value) {
                    Some(true) => {}
                    Some(false) => continue,
                    None => return false,
                }
                let above = tree.above[part];
                if above != NO_PAIR {
                    self.changed[above as usize / 64] |= 1 << (above % 64);
                }
            }
        }
        self.is_complete = true;
        true
    }

    /// Changes to the number of a part's value; whether it differs from before. `None` if the table
    /// is full.
    #[inline]
    fn look_up(&mut self, tree: &PartTree, part: usize, value: u64) -> Option<bool> {
        if self.known[part].0 == value && self.known[part].1 != NO_NUMBER {
            return Some(false);
        }
        let number = match &tree.parts[part].values {
            Some(values) => u64::from(values.number(value)?),
            None => value,
        };
        self.known[part] = (value, number);
        Some(true)
    }

    /// Changes to the numbers of a state of which only parts in `given` are known, and then the
    /// pairs from `first` on, which consist of them; `false` if a table is full.
    pub fn derive(
        &mut self,
        tree: &PartTree,
        given: impl Iterator<Item = (usize, u64)>,
        first: usize,
    ) -> bool {
        self.is_complete = false;
        // Not the value of a number that was looked up: only the number is used.
        given.for_each(|(part, number)| self.known[part].1 = number);
        for part in first..tree.parts.len() {
            let PartSource::Pair(left, right) = tree.parts[part].source else { continue };
            let value = self.known[left].1 << 32 | self.known[right].1;
            if self.look_up(tree, part, value).is_none() {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::random::SplitMix64;

    /// Two words in halves, three of which are paired; some tables are full at times.
    #[test]
    fn updates_give_the_numbers_of_a_new_start() {
        let table = || Some(PartTable::new().expect("memory"));
        let half = |word, shift, values| {
            let source = PartSource::Bits { word, shift, mask: u64::from(u32::MAX) };
            InternedPart { source, values }
        };
        let pair =
            |left, right| InternedPart { source: PartSource::Pair(left, right), values: table() };
        let parts = vec![
            half(0, 0, None),
            half(0, 32, table()),
            half(1, 0, None),
            half(1, 32, table()),
            pair(0, 1),
            pair(4, 2),
        ];
        let mut tree = PartTree::new(2, parts);
        let mut numbers = PartNumbers::new();
        numbers.reset(&tree);
        let mut random = SplitMix64::new(7);
        let mut state = [0u64; 2];
        for _ in 0..2000 {
            let bit = random.next_u64() % 8;
            state[random.next_u64() as usize % 2] ^= 1 << (bit % 4 + bit / 4 * 32);
            while !numbers.update(&tree, &state) {
                assert!(tree.grow_full());
            }
            let mut anew = PartNumbers::new();
            anew.reset(&tree);
            assert!(anew.update(&tree, &state));
            assert_eq!(anew.known(), numbers.known());
            let mut expanded = [0u64; 2];
            for root in [5, 3] {
                tree.expand(root, numbers.known()[root].1, &mut expanded);
            }
            assert_eq!(expanded, state);
        }
        tree.keep([5, 3].iter_mut());
        assert_eq!(tree.parts().len(), 6);
    }
}
