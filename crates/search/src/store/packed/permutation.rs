//! An invertible hash: a permutation of the numbers of a given bit width, whose high bits are well
//! mixed.
//!
//! It consists of shifts and multiplications by odd numbers, as in the finalizers of common hash
//! functions, but on exactly the bits that a key has, so a hash has no more bits than its key.

/// A permutation of `0..1 << bits`.
#[derive(Clone, Debug)]
pub(in crate::store) struct Permutation {
    mask: u64,
    /// At least half of the bits, so that `x ^ x >> shift` is its own inverse.
    shift: u32,
    inverses: [u64; 2],
}

const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

impl Permutation {
    /// Precondition: `1 <= bits <= 64`.
    pub fn new(bits: u32) -> Permutation {
        debug_assert!((1..=64).contains(&bits));
        Permutation {
            mask: u64::MAX >> (64 - bits),
            shift: bits.div_ceil(2),
            inverses: FACTORS.map(inverse),
        }
    }

    /// Precondition: `key` is within the permutation's range.
    #[inline]
    pub fn apply(&self, key: u64) -> u64 {
        let mut hash = key;
        for factor in FACTORS {
            hash ^= hash >> self.shift;
            hash = hash.wrapping_mul(factor) & self.mask;
        }
        hash ^ hash >> self.shift
    }

    /// The key with this hash.
    pub fn invert(&self, hash: u64) -> u64 {
        let mut key = hash;
        for inverse in self.inverses.iter().rev() {
            key ^= key >> self.shift;
            key = key.wrapping_mul(*inverse) & self.mask;
        }
        key ^ key >> self.shift
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each round doubles the number
/// of correct bits.
fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn permutes_small_sets() {
        for bits in 1..=12 {
            let permutation = Permutation::new(bits);
            let mut hashes: Vec<u64> = (0..1 << bits).map(|key| permutation.apply(key)).collect();
            hashes.sort_unstable();
            assert!(hashes.iter().copied().eq(0..1 << bits));
        }
    }

    proptest! {
        #![proptest_config(seeded::cases(256))]

        #[test]
        fn inverts(bits in 1u32..=64, key: u64) {
            let key = key & u64::MAX >> (64 - bits);
            let permutation = Permutation::new(bits);
            prop_assert_eq!(permutation.invert(permutation.apply(key)), key);
        }
    }
}
