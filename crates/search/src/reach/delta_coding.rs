//! Delta coding of a frontier chunk, for states that will wait for a long time.
//!
//! Neighbours in a frontier differ in a process or two. So each word of an entry is coded as the
//! exclusive or with the same word of the previous entry: one byte for the position and number of
//! the bytes from the first to the last nonzero one, then these bytes. One byte stands for up to 16
//! consecutive words that are equal. Coding is nearly as fast as copying.

const WORD: usize = size_of::<u64>();
/// The most equal words that one byte stands for.
const MAX_RUN: usize = 16;

#[derive(Debug)]
pub(crate) struct DeltaCoded {
    /// The code, followed by a word of padding, so that complete words can be read to the end.
    bytes: Box<[u8]>,
    words: usize,
}

impl DeltaCoded {
    /// Codes entries of `stride` words each; `buffer` is scratch memory.
    pub fn new(words: &[u64], stride: usize, buffer: &mut Vec<u8>) -> DeltaCoded {
        buffer.resize(words.len() * (WORD + 1) + WORD, 0);
        let before = |place: usize| if place < stride { 0 } else { words[place - stride] };
        let (mut place, mut end) = (0, 0);
        while place < words.len() {
            let difference = words[place] ^ before(place);
            if difference == 0 {
                let most = MAX_RUN.min(words.len() - place);
                let run = (1..most).find(|next| words[place + next] != before(place + next));
                let run = run.unwrap_or(most);
                buffer[end] = (run - 1) as u8;
                (place, end) = (place + run, end + 1);
                continue;
            }
            let skipped = difference.trailing_zeros() as usize / 8;
            let shifted = difference >> (skipped * 8);
            let length = WORD - shifted.leading_zeros() as usize / 8;
            buffer[end] = (skipped | length << 4) as u8;
            buffer[end + 1..][..WORD].copy_from_slice(&shifted.to_le_bytes());
            (place, end) = (place + 1, end + 1 + length);
        }
        DeltaCoded { bytes: buffer[..end + WORD].into(), words: words.len() }
    }

    /// The number of words when decoded.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The size of the code.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Appends the decoded words. Precondition: the stride is that of [`new`](Self::new).
    pub fn decode(&self, stride: usize, out: &mut Vec<u64>) {
        let start = out.len();
        let mut at = 0;
        while out.len() < start + self.words {
            let place = out.len() - start;
            let (low, length) =
                (usize::from(self.bytes[at] & 15), usize::from(self.bytes[at] >> 4));
            if length == 0 {
                for place in place..=place + low {
                    out.push(if place < stride { 0 } else { out[start + place - stride] });
                }
                at += 1;
                continue;
            }
            let mut shifted = [0; WORD];
            shifted.copy_from_slice(&self.bytes[at + 1..][..WORD]);
            let known = u64::MAX >> (64 - length * 8);
            let difference = (u64::from_le_bytes(shifted) & known) << (low * 8);
            let before = if place < stride { 0 } else { out[out.len() - stride] };
            out.push(difference ^ before);
            at += 1 + length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Words with few bits set, and others.
    fn word() -> impl Strategy<Value = u64> {
        prop_oneof![
            any::<u64>(),
            (0u32..64).prop_map(|bit| 1 << bit),
            Just(0),
            Just(u64::MAX),
            0u64..1000
        ]
    }

    proptest! {
        #![proptest_config(seeded::cases(256))]

        #[test]
        fn decoding_inverts_coding(
            stride in 1usize..7,
            words in prop::collection::vec(word(), 0..300),
            before in prop::collection::vec(word(), 0..3),
        ) {
            let words = &words[..words.len() / stride * stride];
            let mut buffer = vec![0xff; 5];
            let coded = DeltaCoded::new(words, stride, &mut buffer);
            prop_assert_eq!(coded.words(), words.len());
            let mut out = before.clone();
            coded.decode(stride, &mut out);
            prop_assert_eq!(&out[..before.len()], &before);
            prop_assert_eq!(&out[before.len()..], words);
        }
    }

    #[test]
    fn unchanged_words_share_a_byte() {
        let words: Vec<u64> = (0..512).flat_map(|number| [number, 5, 6, 7, 8, 9]).collect();
        let coded = DeltaCoded::new(&words, 6, &mut Vec::new());
        assert!(coded.bytes.len() < 512 * 4, "{} bytes", coded.bytes.len());
    }

    #[test]
    fn an_unchanged_word_takes_a_byte() {
        let words: Vec<u64> =
            (0..512).flat_map(|number| [0xdead_beef, 0x1234_5678_9abc_0000 | number]).collect();
        let coded = DeltaCoded::new(&words, 2, &mut Vec::new());
        assert!(coded.bytes.len() < 512 * 4, "{} bytes", coded.bytes.len());
    }
}
