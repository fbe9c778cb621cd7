//! The arithmetic of a segment: the home bucket of a hash, the remainder that has to be stored, and
//! the layout of a bucket.
//!
//! A hash has `hash_bits` bits. With any number of `buckets`, its home bucket is
//! `⌊hash · buckets / 2^hash_bits⌋`, so buckets are in the order of hashes in tables of every size.
//! The remainder is the rank of the hash among those of its bucket: the low half of the product,
//! divided by `buckets`. The division is a multiplication by the reciprocal, rounded up: different
//! hashes still have different remainders, which exceed the true rank by at most one.

/// Bits of the remainder that are kept in the tag.
pub(super) const TAG_BITS: u32 = 10;
/// Buckets that an entry may be in, including its home; at most 62, so that probe numbers fit in
/// tags. A full table with 8 instead of 16 probes was not faster.
pub(super) const PROBES: u64 = 16;
/// Adjacent buckets that are probed before a jump.
pub(super) const NEIGHBOURS: u64 = 4;
const LINE: usize = 64;

/// The layout of a segment.
#[derive(Clone, Debug)]
pub(super) struct SegmentShape {
    hash_bits: u32,
    pub buckets: u64,
    /// `⌈2^64 / buckets⌉`
    reciprocal: u64,
    /// Bytes of the remainder that are stored in the entry.
    pub rest_bytes: usize,
    pub entry_bytes: usize,
    pub slots: usize,
    /// Words of four tags each at the start of a bucket.
    pub tag_words: usize,
    pub bucket_bytes: usize,
}

/// The home bucket of a hash, and the remainder that identifies it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Home {
    pub bucket: u64,
    pub remainder: u64,
}

fn high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

impl SegmentShape {
    /// For entries with `stored_bytes` bytes of stored words. Preconditions: `1 <= hash_bits < 64`,
    /// `buckets >= 2`.
    pub fn new(hash_bits: u32, buckets: u64, stored_bytes: usize) -> SegmentShape {
        let reciprocal = ((1u128 << 64).div_ceil(u128::from(buckets))) as u64;
        let largest = high((1 << hash_bits) - 1, reciprocal);
        let rest_bits = (u64::BITS - largest.leading_zeros()).saturating_sub(TAG_BITS);
        let rest_bytes = rest_bits.div_ceil(8) as usize;
        let entry_bytes = rest_bytes + stored_bytes;
        let (bucket_bytes, tag_words, slots) = arrange(entry_bytes);
        SegmentShape {
            hash_bits,
            buckets,
            reciprocal,
            rest_bytes,
            entry_bytes,
            slots,
            tag_words,
            bucket_bytes,
        }
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

    /// The inverse of [`home`](Self::home). Precondition: `first` is the lowest hash of the bucket.
    pub fn hash(&self, home: Home, first: u64) -> u64 {
        let hash = first + home.remainder;
        // The remainder may exceed the rank by one.
        if hash >> self.hash_bits == 0 && self.home(hash) == home { hash } else { hash - 1 }
    }

    /// The bucket that the given probe visits.
    pub fn probe(&self, home: u64, probe: u64, remainder: u64) -> u64 {
        let buckets = self.buckets;
        let mut displacement = probe % NEIGHBOURS;
        if probe >= NEIGHBOURS {
            // Depends on the entry, and can be computed from its tag.
            let low = remainder & ((1 << TAG_BITS) - 1);
            let jump = buckets / 4 + ((low * buckets) >> (TAG_BITS + 1));
            let jumps = probe / NEIGHBOURS;
            // With the square, jumps by half of the table do not return to the same buckets.
            displacement += jump * jumps + 16 * jumps * jumps;
        }
        let mut bucket = home + displacement;
        // A few rounds at most, which are faster than a division.
        while bucket >= buckets {
            bucket -= buckets;
        }
        bucket
    }

    /// Bytes of all buckets; `None` if they exceed the address space.
    pub fn bytes(&self) -> Option<usize> {
        usize::try_from(self.buckets).ok()?.checked_mul(self.bucket_bytes)
    }

    /// The number of slots.
    pub fn capacity(&self) -> u64 {
        self.buckets * self.slots as u64
    }

    /// The offset of an entry in its bucket.
    #[inline]
    pub fn entry_offset(&self, slot: usize) -> usize {
        self.tag_words * 8 + slot * self.entry_bytes
    }
}

/// Bytes, tag words and slots of a bucket for entries of this size: one cache line, unless that
/// would waste more than 15 % compared with the best of four sizes (not measured).
fn arrange(entry_bytes: usize) -> (usize, usize, usize) {
    let fill = |bytes: usize| {
        let slots = |tag_words: usize| match (bytes - 8 * tag_words).checked_div(entry_bytes) {
            Some(fitting) => fitting.min(4 * tag_words),
            None => 4 * tag_words,
        };
        // The comparison of tags handles at most four words.
        let tag_words = (1..=4).max_by_key(|&words| (slots(words), 8 - words)).unwrap_or(1);
        (bytes, tag_words, slots(tag_words))
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
    fn entries_fit_their_bucket() {
        assert_eq!(arrange(2), (64, 4, 16));
        assert_eq!(arrange(6), (64, 2, 8));
        assert_eq!(arrange(14), (64, 1, 4));
        for bytes in 0..2000 {
            let (bucket, tag_words, slots) = arrange(bytes);
            assert!(
                slots >= 1 && slots <= 4 * tag_words && 8 * tag_words + slots * bytes <= bucket
            );
        }
    }

    proptest! {
        #![proptest_config(seeded::cases(256))]

        #[test]
        fn homes_are_invertible(
            hash_bits in 1u32..=60, buckets in 2u64..100_000_000, hash: u64
        ) {
            let hash = hash & ((1 << hash_bits) - 1);
            let shape = SegmentShape::new(hash_bits, buckets, 0);
            let home = shape.home(hash);
            prop_assert!(home.bucket < buckets);
            prop_assert!(home.remainder >> TAG_BITS >> (8 * shape.rest_bytes) == 0);
            prop_assert_eq!(shape.hash(home, shape.first_hash(home.bucket)), hash);
        }

        #[test]
        fn neighbouring_hashes_have_different_homes(
            hash_bits in 2u32..=60, buckets in 2u64..1000, hash: u64
        ) {
            let shape = SegmentShape::new(hash_bits, buckets, 0);
            let hash = (hash & ((1 << hash_bits) - 1)).max(1);
            prop_assert_ne!(shape.home(hash - 1), shape.home(hash));
        }
    }
}
