//! The layout of a quotient table: which line and remainder a home number has, and how entries lie
//! in a line.
//!
//! A line is 512 bits: a byte with the number of entries and a lock bit, then the first byte (the
//! tag) of each entry, then the other bits (the rest) of each entry. Tags are compared eight at a
//! time.

pub(super) const LINE_WORDS: usize = 8;
pub(super) const LINE_BITS: u32 = 512;
pub(super) const COUNT_MASK: u64 = 0x7f;
pub(super) const LOCKED: u64 = 0x80;
pub(super) const HEADER_BITS: u32 = 8;
const TAG_BITS: u32 = 8;
/// Loom models have small tables.
const DISPLACEMENT_BITS: u32 = if cfg!(loom) { 1 } else { 5 };
/// Lines that can hold a key: its home line and the lines after it.
pub(super) const WINDOW: usize = 1 << DISPLACEMENT_BITS;
/// The widest entry: a tag and a word.
pub(super) const MAX_ENTRY_BITS: u32 = TAG_BITS + 64;

/// A copy of a line.
pub(super) type LineWords = [u64; LINE_WORDS];

/// The least home number of a line, and the distance of its product from the line's start.
pub(super) type LineStart = (u64, u64);

/// The layout of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Geometry {
    pub home_bits: u32,
    extra_bits: u32,
    /// Home lines; `WINDOW - 1` more at the end hold displaced keys.
    pub lines: usize,
    /// Bits of the home number that the line stands for.
    line_bits: u32,
    pub slots: u32,
    /// Bits of an entry outside of its tag.
    rest_bits: u32,
}

impl Geometry {
    pub fn new(home_bits: u32, extra_bits: u32, lines: usize) -> Geometry {
        let line_bits = lines.ilog2().min(home_bits);
        let entry_bits = (home_bits - line_bits + extra_bits + DISPLACEMENT_BITS).max(TAG_BITS + 1);
        let slots = ((LINE_BITS - HEADER_BITS) / entry_bits).min(COUNT_MASK as u32);
        Geometry {
            home_bits,
            extra_bits,
            lines,
            line_bits,
            slots,
            rest_bits: entry_bits - TAG_BITS,
        }
    }

    pub fn entry_bits(&self) -> u32 {
        self.rest_bits + TAG_BITS
    }

    /// The line and the remainder of a home number. The products of two numbers with the same line
    /// differ by multiples of `lines`, so they still differ without their low `line_bits` bits.
    #[inline]
    pub fn split(&self, home: u64) -> (usize, u64) {
        let product = u128::from(home) * self.lines as u128;
        let line = (product >> self.home_bits) as usize;
        let below = product as u64 & (u64::MAX >> (64 - self.home_bits));
        (line, below >> self.line_bits)
    }

    /// The inverse of [`split`](Self::split): the least number whose product has at least the known
    /// bits.
    #[inline]
    fn join(&self, start: LineStart, remainder: u64) -> u64 {
        let above = u128::from(remainder) << self.line_bits;
        let above = (above + u128::from(self.lines as u64 - 1)).saturating_sub(u128::from(start.1));
        let quotient = match u64::try_from(above) {
            Ok(above) => above / self.lines as u64,
            Err(_) => (above / self.lines as u128) as u64,
        };
        start.0 + quotient
    }

    fn start(&self, line: usize) -> LineStart {
        let product = (line as u128) << self.home_bits;
        let least = product.div_ceil(self.lines as u128);
        (least as u64, (least * self.lines as u128 - product) as u64)
    }

    /// The entry of a key in its home line; a key displaced by `n` lines has this entry plus `n`.
    #[inline]
    pub fn entry(&self, remainder: u64, extra: u64) -> u128 {
        u128::from(remainder) << DISPLACEMENT_BITS
            | u128::from(extra) << (self.home_bits - self.line_bits + DISPLACEMENT_BITS)
    }

    /// Home number and extra bits of an entry. `starts[n]` is the start of the line `n` lines
    /// before the entry's.
    #[inline]
    fn key(&self, starts: &[LineStart; WINDOW], entry: u128) -> (u64, u64) {
        let displacement = entry as usize & (WINDOW - 1);
        let remainder_bits = self.home_bits - self.line_bits;
        let remainder = (entry >> DISPLACEMENT_BITS) as u64 & mask(remainder_bits);
        let extra = (entry >> (DISPLACEMENT_BITS + remainder_bits)) as u64;
        (self.join(starts[displacement], remainder), extra)
    }

    /// The word and the bit where the rest of a slot begins.
    #[inline]
    fn rest_position(&self, slot: u32) -> (usize, u32) {
        let bit = HEADER_BITS + self.slots * TAG_BITS + slot * self.rest_bits;
        ((bit / 64) as usize, bit % 64)
    }

    #[inline]
    fn rest(&self, words: &LineWords, slot: u32) -> u64 {
        let (word, shift) = self.rest_position(slot);
        let high = words.get(word + 1).map_or(0, |next| (next << 1) << (63 - shift));
        (words[word] >> shift | high) & mask(self.rest_bits)
    }

    /// Does the line hold the entry?
    #[inline]
    pub fn contains(&self, words: &LineWords, entry: u128) -> bool {
        const LOW: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = 0x8080_8080_8080_8080;
        let count = count(words);
        let wanted = (entry as u64 & 0xff) * LOW;
        let wanted_rest = (entry >> TAG_BITS) as u64;
        for word in 0..=(count / 8) as usize {
            // A zero byte is a matching tag. The byte above one may be reported wrongly, so the
            // tag is compared again below.
            let difference = words[word] ^ wanted;
            let mut matches = difference.wrapping_sub(LOW) & !difference & HIGH;
            while matches != 0 {
                let position = word as u32 * 8 + matches.trailing_zeros() / 8;
                if position != 0
                    && position <= count
                    && self.rest(words, position - 1) == wanted_rest
                    && tag(words, position - 1) == entry as u64 & 0xff
                {
                    return true;
                }
                matches &= matches - 1;
            }
        }
        false
    }

    /// Adds an entry to a line with a free slot.
    pub fn append(&self, words: &mut LineWords, entry: u128) {
        let slot = count(words);
        let position = slot + 1;
        words[(position / 8) as usize] |= (entry as u64 & 0xff) << (position % 8 * 8);
        let (word, shift) = self.rest_position(slot);
        let rest = (entry >> TAG_BITS) as u64;
        words[word] |= rest << shift;
        let high = (rest >> 1) >> (63 - shift);
        if high != 0 {
            words[word + 1] |= high;
        }
        words[0] += 1;
    }

    /// Calls `visit` with home number and extra bits of every key in a line.
    pub fn for_each(&self, line: usize, words: &LineWords, visit: &mut impl FnMut(u64, u64)) {
        let starts =
            std::array::from_fn(|displacement| self.start(line.saturating_sub(displacement)));
        for slot in 0..count(words) {
            let entry = u128::from(self.rest(words, slot)) << TAG_BITS;
            let (home, extra) = self.key(&starts, entry | u128::from(tag(words, slot)));
            visit(home, extra);
        }
    }
}

#[inline]
pub(super) fn mask(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

/// The number of entries in a line.
pub(super) fn count(words: &LineWords) -> u32 {
    (words[0] & COUNT_MASK) as u32
}

fn tag(words: &LineWords, slot: u32) -> u64 {
    words[(slot + 1) as usize / 8] >> ((slot + 1) % 8 * 8) & 0xff
}
