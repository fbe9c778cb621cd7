//! Hash values of states for the stores that keep no states.

use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

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

/// How many words are copied out at once to be hashed as bytes; most states are shorter.
const BLOCK: usize = 32;

#[inline]
fn hash(state: &[u64], secrets: &RapidSecrets) -> u64 {
    let mut bytes = [0u8; BLOCK * 8];
    if state.len() <= BLOCK {
        rapidhash_v3_seeded(write(state, &mut bytes), secrets)
    } else {
        let all: Vec<u8> = state.iter().flat_map(|word| word.to_le_bytes()).collect();
        rapidhash_v3_seeded(&all, secrets)
    }
}

#[inline]
fn write<'a>(state: &[u64], bytes: &'a mut [u8; BLOCK * 8]) -> &'a [u8] {
    for (target, word) in bytes.chunks_exact_mut(8).zip(state) {
        target.copy_from_slice(&word.to_le_bytes());
    }
    &bytes[..state.len() * 8]
}
