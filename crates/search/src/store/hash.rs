//! Hash values of states for the stores that keep no states.

use rapidhash::v3::{RapidSecrets, rapidhash_v3_nano_inline};

/// A family of hash functions: each seed gives another.
#[derive(Clone, Debug)]
pub struct Hasher {
    first: RapidSecrets,
    second: RapidSecrets,
}

impl Hasher {
    pub fn new(seed: u64) -> Hasher {
        let secrets = |seed: u64| RapidSecrets::seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
        Hasher { first: secrets(2 * seed + 1), second: secrets(2 * seed + 2) }
    }

    /// 64 bits of a state.
    #[inline]
    pub fn hash(&self, state: &[u64]) -> u64 {
        hash(state, &self.first)
    }

    /// Two values that know nothing of each other.
    #[inline]
    pub fn pair(&self, state: &[u64]) -> (u64, u64) {
        (hash(state, &self.first), hash(state, &self.second))
    }
}

#[inline]
fn hash(state: &[u64], secrets: &RapidSecrets) -> u64 {
    // SAFETY: the bytes of words, which are initialized.
    let bytes = unsafe { std::slice::from_raw_parts(state.as_ptr().cast::<u8>(), size_of_val(state)) };
    // Most states are short.
    rapidhash_v3_nano_inline::<true, false>(bytes, secrets)
}
