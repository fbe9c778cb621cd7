//! Pseudo-random numbers: a seed determines the sequence, on every machine and in every version, so
//! that a run with random choices can be repeated. Not for cryptography.

/// SplitMix64 (Steele, Lea and Flood, 2014), the generator for everything but the choices of the
/// searches.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The sequence with this seed; every seed is suitable.
    pub const fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next_u64() % bound as u64) as usize
    }
}

/// Knuth's linear congruential generator for MMIX, with Newlib's increment. The choices of the
/// searches use it, because published counts of searches with a seed depend on its sequence. Its
/// low bits have short periods: use the high ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lcg(u64);

impl Lcg {
    /// The sequence with this seed.
    pub const fn new(seed: u64) -> Lcg {
        Lcg(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.0
    }

    /// A number below `bound`, which is between 1 and 2³².
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((self.next_u64() >> 32) * bound) >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_fixed() {
        assert_eq!(SplitMix64::new(1).next_u64(), 0x910a_2dec_8902_5cc1);
        let mut random = Lcg::new(0);
        assert_eq!(random.next_u64(), 0x1405_7b7e_f767_814f);
        assert!((0..100).all(|_| random.below(3) < 3));
    }
}
