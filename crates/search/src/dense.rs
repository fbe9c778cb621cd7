//! A chunk of waiting states in a fraction of its bytes, for those that will wait for long.
//!
//! Neighbours in a frontier are siblings or cousins: a process or two have moved, the rest is the same. So each word of
//! an entry is written as what it differs in (exclusive or) from the same word of the entry before: a byte that says which bytes those
//! are, from the first to the last that is not 0, and these. There is no search for matches in it; it is as fast as copying, nearly.

const WORD: usize = size_of::<u64>();

#[derive(Debug)]
pub(crate) struct Dense {
    /// What was written, and a word more, so that whole words can be read to the end.
    bytes: Box<[u8]>,
    words: usize,
}

impl Dense {
    /// The entries have `stride` words each; `buffer` is room to work in.
    pub fn new(words: &[u64], stride: usize, buffer: &mut Vec<u8>) -> Dense {
        buffer.resize(words.len() * (WORD + 1) + WORD, 0);
        let mut end = 0;
        for (place, &word) in words.iter().enumerate() {
            let difference = word ^ if place < stride { 0 } else { words[place - stride] };
            let skipped = difference.trailing_zeros() as usize / 8 % WORD;
            let shifted = difference >> (skipped * 8);
            let length = WORD - shifted.leading_zeros() as usize / 8;
            buffer[end] = (skipped | length << 4) as u8;
            buffer[end + 1..][..WORD].copy_from_slice(&shifted.to_le_bytes());
            end += 1 + length;
        }
        Dense { bytes: buffer[..end + WORD].into(), words: words.len() }
    }

    pub fn words(&self) -> usize {
        self.words
    }

    /// Appends the words. Precondition: the stride is that of [`new`](Self::new).
    pub fn expand(&self, stride: usize, out: &mut Vec<u64>) {
        let start = out.len();
        let mut at = 0;
        for place in start..start + self.words {
            let (skipped, length) = (self.bytes[at] & 15, self.bytes[at] >> 4);
            let mut shifted = [0; WORD];
            shifted.copy_from_slice(&self.bytes[at + 1..][..WORD]);
            let known = u64::MAX.checked_shr(64 - u32::from(length) * 8).unwrap_or(0);
            let difference = (u64::from_le_bytes(shifted) & known) << (skipped * 8);
            out.push(difference ^ if place - start < stride { 0 } else { out[place - stride] });
            at += 1 + usize::from(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Words with few bits that differ, and others.
    fn word() -> impl Strategy<Value = u64> {
        prop_oneof![any::<u64>(), (0u32..64).prop_map(|bit| 1 << bit), Just(0), Just(u64::MAX), 0u64..1000]
    }

    proptest! {
        #![proptest_config(seeded::cases(256))]

        #[test]
        fn comes_back_as_it_was(
            stride in 1usize..7,
            words in prop::collection::vec(word(), 0..300),
            before in prop::collection::vec(word(), 0..3),
        ) {
            let words = &words[..words.len() / stride * stride];
            let mut buffer = vec![0xff; 5];
            let dense = Dense::new(words, stride, &mut buffer);
            prop_assert_eq!(dense.words(), words.len());
            let mut out = before.clone();
            dense.expand(stride, &mut out);
            prop_assert_eq!(&out[..before.len()], &before);
            prop_assert_eq!(&out[before.len()..], words);
        }
    }

    #[test]
    fn what_neighbours_have_in_common_takes_a_byte_a_word() {
        let words: Vec<u64> =
            (0..512).flat_map(|number| [0xdead_beef, 0x1234_5678_9abc_0000 | number]).collect();
        let dense = Dense::new(&words, 2, &mut Vec::new());
        assert!(dense.bytes.len() < 512 * 4, "{} bytes", dense.bytes.len());
    }
}
