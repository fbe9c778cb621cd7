//! The arithmetic of a segment: which bucket a hash belongs to, what remains to be stored of it, and how entries lie in
//! a bucket.
//!
//! A hash is a number `hash` of `hash_bits` bits. With `buckets` buckets (any number), it belongs to bucket
//! `⌊hash · buckets / 2^hash_bits⌋`, so buckets are in the order of hashes and a larger table has them in the same order. What remains is
//! its place among the hashes of that bucket: the low half of the product, divided by `buckets`. Instead of a division
//! there is a multiplication by the reciprocal, rounded up: it still keeps different hashes apart, and differs from the true
//! place by at most one.

/// Bits of what remains that are kept in the tag.
pub(super) const TAG_BITS: u32 = 10;
/// Places an entry may be in, the bucket where it belongs included; at most 62, so that tags fit.
pub(super) const PLACES: u64 = 16;
/// Buckets next to each other that are tried before a jump.
pub(super) const NEIGHBOURS: u64 = 4;
const LINE: usize = 64;

/// Where the entries of a segment lie.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    hash_bits: u32,
    pub buckets: u64,
    /// `⌈2^64 / buckets⌉`
    reciprocal: u64,
    /// Bytes that remain of the hash beside the tag.
    pub rest_bytes: usize,
    pub entry_bytes: usize,
    pub slots: usize,
    /// Words of four tags each at the start of a bucket.
    pub tag_words: usize,
    pub bucket_bytes: usize,
}

/// Where a hash belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Home {
    pub bucket: u64,
    pub remainder: u64,
}

fn high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

impl Shape {
    /// For entries that have `other_bytes` bytes beside the hash. Preconditions: `1 <= hash_bits < 64`, `buckets >= 2`.
    pub fn new(hash_bits: u32, buckets: u64, other_bytes: usize) -> Shape {
        let reciprocal = ((1u128 << 64).div_ceil(u128::from(buckets))) as u64;
        let largest = high((1 << hash_bits) - 1, reciprocal);
        let rest_bits = (u64::BITS - largest.leading_zeros()).saturating_sub(TAG_BITS);
        let rest_bytes = rest_bits.div_ceil(8) as usize;
        let entry_bytes = rest_bytes + other_bytes;
        let (bucket_bytes, tag_words, slots) = arrange(entry_bytes);
        Shape { hash_bits, buckets, reciprocal, rest_bytes, entry_bytes, slots, tag_words, bucket_bytes }
    }

    /// Precondition: `hash < 1 << hash_bits`.
    #[inline]
    pub fn home(&self, hash: u64) -> Home {
        let product = u128::from(hash << (64 - self.hash_bits)) * u128::from(self.buckets);
        let low = product as u64 >> (64 - self.hash_bits);
        Home { bucket: (product >> 64) as u64, remainder: high(low, self.reciprocal) }
    }

    /// The lowest hash of a bucket.
    pub fn first_hash(&self, bucket: u64) -> u64 {
        (u128::from(bucket) << self.hash_bits).div_ceil(u128::from(self.buckets)) as u64
    }

    /// The hash that belongs there. Precondition: `first` is the lowest hash of the bucket.
    pub fn hash(&self, home: Home, first: u64) -> u64 {
        let hash = first + home.remainder;
        // The remainder may be one more than the place.
        if hash >> self.hash_bits == 0 && self.home(hash) == home { hash } else { hash - 1 }
    }

    /// Where an entry goes that had to move on so often.
    pub fn place(&self, home: u64, moves: u64, remainder: u64) -> u64 {
        let buckets = self.buckets;
        let mut away = moves % NEIGHBOURS;
        if moves >= NEIGHBOURS {
            // Different from entry to entry, and known from the tag.
            let low = remainder & ((1 << TAG_BITS) - 1);
            let jump = buckets / 4 + ((low * buckets) >> (TAG_BITS + 1));
            let jumps = moves / NEIGHBOURS;
            // The square keeps apart what a jump by half the table would bring back.
            away += jump * jumps + 16 * jumps * jumps;
        }
        let mut bucket = home + away;
        // A few rounds at most, which take less time than a division.
        while bucket >= buckets {
            bucket -= buckets;
        }
        bucket
    }

    /// Bytes of all buckets; `None` if nobody has so many.
    pub fn bytes(&self) -> Option<usize> {
        usize::try_from(self.buckets).ok()?.checked_mul(self.bucket_bytes)
    }

    /// States there is room for at best.
    pub fn room(&self) -> u64 {
        self.buckets * self.slots as u64
    }

    /// Where an entry lies in its bucket.
    #[inline]
    pub fn entry_offset(&self, slot: usize) -> usize {
        self.tag_words * 8 + slot * self.entry_bytes
    }
}

/// Bytes of a bucket, tag words and slots for entries of this size: one cache line unless too much of it would be
/// wasted.
fn arrange(entry_bytes: usize) -> (usize, usize, usize) {
    let fill = |bytes: usize| {
        let of = |tag_words: usize| match (bytes - 8 * tag_words).checked_div(entry_bytes) {
            Some(room) => room.min(4 * tag_words),
            None => 4 * tag_words,
        };
        // More than four words of tags would take too long to compare.
        let tag_words = (1..=4).max_by_key(|&words| (of(words), 8 - words)).unwrap_or(1);
        (bytes, tag_words, of(tag_words))
    };
    let least = (8 + entry_bytes).div_ceil(LINE);
    let choices: Vec<_> = (least..least + 4).map(|lines| fill(lines * LINE)).collect();
    let cost = |&(bytes, _, slots): &(usize, usize, usize)| bytes as f64 / slots as f64;
    let best = choices.iter().map(cost).fold(f64::MAX, f64::min);
    *choices.iter().find(|choice| cost(choice) <= 1.15 * best).unwrap_or(&choices[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn arranges_entries() {
        assert_eq!(arrange(2), (64, 4, 16));
        assert_eq!(arrange(6), (64, 2, 8));
        assert_eq!(arrange(14), (64, 1, 4));
        for bytes in 0..2000 {
            let (bucket, tag_words, slots) = arrange(bytes);
            assert!(slots >= 1 && slots <= 4 * tag_words && 8 * tag_words + slots * bytes <= bucket);
        }
    }

    proptest! {
        #![proptest_config(seeded::cases(256))]

        #[test]
        fn a_home_is_as_good_as_a_hash(hash_bits in 1u32..=60, buckets in 2u64..100_000_000, hash: u64) {
            let hash = hash & ((1 << hash_bits) - 1);
            let shape = Shape::new(hash_bits, buckets, 0);
            let home = shape.home(hash);
            prop_assert!(home.bucket < buckets);
            prop_assert!(home.remainder >> TAG_BITS >> (8 * shape.rest_bytes) == 0);
            prop_assert_eq!(shape.hash(home, shape.first_hash(home.bucket)), hash);
        }

        #[test]
        fn homes_differ(hash_bits in 2u32..=60, buckets in 2u64..1000, hash: u64) {
            let shape = Shape::new(hash_bits, buckets, 0);
            let hash = (hash & ((1 << hash_bits) - 1)).max(1);
            prop_assert_ne!(shape.home(hash - 1), shape.home(hash));
        }
    }
}
