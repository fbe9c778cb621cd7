//! Hash functions of states for stores that do not hold whole states.

use rapidhash::v3::{RapidSecrets, rapidhash_v3_nano_inline};

/// A pair of hash functions, selected by a seed.
#[derive(Clone, Debug)]
pub struct Hasher {
    first: RapidSecrets,
    second: RapidSecrets,
}

impl Hasher {
    pub fn new(seed: u64) -> Hasher {
        let secrets =
            |seed: u64| RapidSecrets::seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
        Hasher { first: secrets(2 * seed + 1), second: secrets(2 * seed + 2) }
    }

    /// The first hash value of a state.
    #[inline]
    pub fn hash(&self, state: &[u64]) -> u64 {
        hash(state, &self.first)
    }

    /// Two independent hash values.
    #[inline]
    pub fn pair(&self, state: &[u64]) -> (u64, u64) {
        (hash(state, &self.first), hash(state, &self.second))
    }
}

#[inline]
fn hash(state: &[u64], secrets: &RapidSecrets) -> u64 {
    // SAFETY: the bytes are exactly those of `state`, which is borrowed and initialized.
    let bytes =
        unsafe { std::slice::from_raw_parts(state.as_ptr().cast::<u8>(), size_of_val(state)) };
    // The variant for short inputs: most states have few words.
    rapidhash_v3_nano_inline::<true, false>(bytes, secrets)
}
