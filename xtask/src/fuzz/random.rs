//! Random choices of the fuzzers: a seed determines the program on every machine.

use lariat_ir::random::SplitMix64;

/// A reproducible sequence of choices.
#[derive(Debug, Clone)]
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// An element of a non-empty slice.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// An element drawn according to its weight; `None` when all weights are 0.
    pub fn weighted<T: Copy>(&mut self, items: &[(usize, T)]) -> Option<T> {
        let total: usize = items.iter().map(|(weight, _)| weight).sum();
        let mut rest = if total == 0 { return None } else { self.below(total) };
        for &(weight, item) in items {
            if rest < weight {
                return Some(item);
            }
            rest -= weight;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_stream() {
        let (mut left, mut right) = (Random::new(7), Random::new(7));
        assert!((0..100).all(|_| left.below(1000) == right.below(1000)));
        assert_ne!(Random::new(1).below(1000), Random::new(2).below(1000));
    }

    #[test]
    fn weights() {
        let mut random = Random::new(3);
        assert_eq!(random.weighted(&[(0, 'a'), (5, 'b')]), Some('b'));
        assert_eq!(random.weighted::<char>(&[(0, 'a')]), None);
    }
}
