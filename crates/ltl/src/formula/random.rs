//! Random formulas for tests, and their random number generator.
//!
//! A random formula is a tree with a given number of nodes and uniformly drawn operators. The
//! generator is SplitMix64 (Steele, Lea, Flood 2014), whose state is one number, so a seed
//! identifies a failing case.

use super::{Formula, Formulas};

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator with the given seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }
}

/// The shape of random formulas.
#[derive(Clone, Copy, Debug)]
pub struct RandomFormula {
    /// Number of atoms, named `p0`, `p1`, ….
    pub atoms: usize,
    /// Number of nodes of the tree.
    pub size: usize,
    /// Whether `X` may occur.
    pub next: bool,
}

impl RandomFormula {
    /// A random formula of this shape.
    pub fn generate(self, store: &mut Formulas, rng: &mut Rng) -> Formula {
        self.tree(store, rng, self.size)
    }

    fn tree(self, store: &mut Formulas, rng: &mut Rng, size: usize) -> Formula {
        if size <= 1 {
            return match rng.below(12) {
                0 => Formula::TRUE,
                1 => Formula::FALSE,
                _ => {
                    let name = format!("p{}", rng.below(self.atoms));
                    store.atom(&name)
                }
            };
        }
        let unary = size == 2 || rng.below(5) < 2;
        if unary {
            let f = self.tree(store, rng, size - 1);
            return match rng.below(if self.next { 4 } else { 3 }) {
                0 => store.not(f),
                1 => store.finally(f),
                2 => store.globally(f),
                _ => store.next(f),
            };
        }
        let left_size = 1 + rng.below(size - 2);
        let f = self.tree(store, rng, left_size);
        let g = self.tree(store, rng, size - 1 - left_size);
        match rng.below(11) {
            0 | 1 => store.and(f, g),
            2 | 3 => store.or(f, g),
            4 => store.implies(f, g),
            5 => store.iff(f, g),
            6 => store.xor(f, g),
            7 => store.until(f, g),
            8 => store.release(f, g),
            9 => store.weak_until(f, g),
            _ => store.strong_release(f, g),
        }
    }
}
