//! An invertible hash of exactly as many bits as a key has: two rounds of multiplication by an odd number and a shift
//! folded in, each of which can be undone modulo a power of two. What a quotient table leaves out of a key
//! it can thus compute again.

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

/// A bijection of the numbers below two to the power of `bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    bits: u32,
    mask: u64,
    /// At least half the bits, so that folding twice is folding not at all.
    shift: u32,
}

impl Permutation {
    /// Precondition: `bits` is between 1 and 64.
    pub fn new(bits: u32) -> Permutation {
        assert!((1..=64).contains(&bits), "a key has 1 to 64 bits");
        Permutation { bits, mask: u64::MAX >> (64 - bits), shift: bits.div_ceil(2) }
    }

    pub fn bits(self) -> u32 {
        self.bits
    }

    /// The highest bits of the result depend on all bits of the key.
    #[inline]
    pub fn apply(self, key: u64) -> u64 {
        debug_assert_eq!(key & !self.mask, 0);
        let mut hash = key.wrapping_mul(FIRST) & self.mask;
        hash ^= self.fold(hash);
        hash = hash.wrapping_mul(SECOND) & self.mask;
        hash ^= self.fold(hash);
        hash.wrapping_mul(FIRST) & self.mask
    }

    #[inline]
    pub fn invert(self, hash: u64) -> u64 {
        const FIRST_INVERSE: u64 = inverse(FIRST);
        const SECOND_INVERSE: u64 = inverse(SECOND);
        let mut key = hash.wrapping_mul(FIRST_INVERSE) & self.mask;
        key ^= self.fold(key);
        key = key.wrapping_mul(SECOND_INVERSE) & self.mask;
        key ^= self.fold(key);
        key.wrapping_mul(FIRST_INVERSE) & self.mask
    }

    #[inline]
    fn fold(self, hash: u64) -> u64 {
        // A shift by all of one bit's width (`bits == 1`) would be fine too; by 64 it never is.
        hash >> self.shift
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each step doubles the bits that are right.
const fn inverse(odd: u64) -> u64 {
    let mut result = odd;
    let mut step = 0;
    while step < 6 {
        result = result.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(result)));
        step += 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn inverts(bits in 1u32..=64, key: u64) {
            let permutation = Permutation::new(bits);
            let key = key & (u64::MAX >> (64 - bits));
            let hash = permutation.apply(key);
            prop_assert!(bits == 64 || hash < 1 << bits);
            prop_assert_eq!(permutation.invert(hash), key);
        }
    }
}
