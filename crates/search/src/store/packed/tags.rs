//! The tags of a bucket, four to a word, one for each slot: free, being written, or ten bits of the
//! remainder of the entry's hash and the number of the probe that found the slot.

use super::shape::TAG_BITS;

/// The tag of a slot whose entry is being written; a free slot has the tag 0.
pub(super) const WRITING: u64 = 1;
/// The least tag of a complete entry.
pub(super) const FIRST_TAG: u64 = 2;
pub(super) const TAGS_PER_WORD: usize = 4;

/// The tag of an entry that the given probe placed.
#[inline]
pub(super) fn tag(probe: u64, remainder: u64) -> u64 {
    FIRST_TAG + (probe << TAG_BITS | remainder & ((1 << TAG_BITS) - 1))
}

/// The probe number and the low bits of the remainder. Precondition: the entry is complete.
#[inline]
pub(super) fn parts_of(tag: u64) -> (u64, u64) {
    let tag = tag - FIRST_TAG;
    (tag >> TAG_BITS, tag & ((1 << TAG_BITS) - 1))
}

#[inline]
pub(super) fn shift(slot: usize) -> usize {
    16 * (slot % TAGS_PER_WORD)
}

/// The tag of a slot within the word that holds it.
#[inline]
pub(super) fn extract(word: u64, slot: usize) -> u64 {
    word >> shift(slot) & 0xffff
}

/// Slots taken in a word of tags. Slots are taken in order, and only free slots have the tag 0.
#[inline]
pub(super) fn taken(word: u64) -> usize {
    (u64::BITS - word.leading_zeros()).div_ceil(16) as usize
}

/// Bit masks of the slots whose tag is `tag`, and of the slots without a complete entry. The slot
/// after the last word counts as incomplete.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn compare<const WORDS: usize>(words: [u64; WORDS], tag: u64) -> (u32, u32) {
    use std::arch::x86_64::*;
    let word = |index: usize| if index < WORDS { words[index] as i64 } else { 0 };
    // SAFETY: every processor of this architecture has SSE2.
    let (same, open) = unsafe {
        let wanted = _mm_set1_epi16(tag as i16);
        let (one, zero) = (_mm_set1_epi16(WRITING as i16), _mm_setzero_si128());
        let is_open = |tags| _mm_cmpeq_epi16(_mm_subs_epu16(tags, one), zero);
        let low = _mm_set_epi64x(word(1), word(0));
        let high = if WORDS > 2 { _mm_set_epi64x(word(3), word(2)) } else { zero };
        let same = _mm_packs_epi16(_mm_cmpeq_epi16(low, wanted), _mm_cmpeq_epi16(high, wanted));
        let open = _mm_packs_epi16(is_open(low), is_open(high));
        (_mm_movemask_epi8(same) as u32, _mm_movemask_epi8(open) as u32)
    };
    let beyond = u32::MAX << (TAGS_PER_WORD * WORDS);
    (same & !beyond, open | beyond)
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(super) fn compare<const WORDS: usize>(words: [u64; WORDS], tag: u64) -> (u32, u32) {
    let (mut same, mut open) = (0, u32::MAX << (TAGS_PER_WORD * WORDS));
    for slot in 0..TAGS_PER_WORD * WORDS {
        let found = extract(words[slot / TAGS_PER_WORD], slot);
        same |= u32::from(found == tag) << slot;
        open |= u32::from(found <= WRITING) << slot;
    }
    (same, open)
}
