//! An entry in memory: the stored words of a state, each in as many bytes as it needs, then the
//! part of the hash that neither the bucket nor the tag stands for.

use super::shape::{SegmentShape, TAG_BITS};

/// The words of a state other than the hashed one, each with the bytes it takes.
pub(super) type StoredWords = [(usize, usize)];

impl SegmentShape {
    /// Does the entry hold this state?
    ///
    /// SAFETY: `entry` points to a complete entry of this shape that no thread writes.
    #[inline]
    pub unsafe fn entry_equals(
        &self,
        entry: *const u8,
        remainder: u64,
        state: &[u64],
        stored: &StoredWords,
    ) -> bool {
        let mut place = entry;
        // SAFETY: an entry has the bytes of the stored words and then those of the rest.
        unsafe {
            for &(word, bytes) in stored {
                if load(place, bytes) != state[word] {
                    return false;
                }
                place = place.add(bytes);
            }
            load(place, self.rest_bytes) == remainder >> TAG_BITS
        }
    }

    /// SAFETY: `entry` points to memory for an entry that no other thread accesses.
    #[inline]
    pub unsafe fn write_entry(
        &self,
        entry: *mut u8,
        remainder: u64,
        state: &[u64],
        stored: &StoredWords,
    ) {
        let mut place = entry;
        // SAFETY: as in `entry_equals`.
        unsafe {
            for &(word, bytes) in stored {
                store(place, state[word], bytes);
                place = place.add(bytes);
            }
            store(place, remainder >> TAG_BITS, self.rest_bytes);
        }
    }

    /// Writes the stored words into `state`; returns the rest of the hash.
    ///
    /// SAFETY: `entry` points to a complete entry of this shape that no thread writes.
    pub unsafe fn read_entry(
        &self,
        entry: *const u8,
        state: &mut [u64],
        stored: &StoredWords,
    ) -> u64 {
        let mut place = entry;
        // SAFETY: as in `entry_equals`.
        unsafe {
            for &(word, bytes) in stored {
                state[word] = load(place, bytes);
                place = place.add(bytes);
            }
            load(place, self.rest_bytes)
        }
    }

    /// The rest of an entry's hash.
    ///
    /// SAFETY: as for `read_entry`.
    #[inline]
    pub unsafe fn read_rest(&self, entry: *const u8) -> u64 {
        // SAFETY: the rest ends the entry.
        unsafe { load(entry.add(self.stored_bytes()), self.rest_bytes) }
    }

    /// Writes an entry with the stored words of `from`, an entry of any shape, and another
    /// remainder.
    ///
    /// SAFETY: `from` points to a complete entry, `to` to memory for an entry of this shape; no
    /// other thread accesses them, and they do not overlap.
    #[inline]
    pub unsafe fn copy_entry(&self, from: *const u8, to: *mut u8, remainder: u64) {
        // SAFETY: an entry of any shape begins with the stored words.
        unsafe {
            copy_few(from, to, self.stored_bytes());
            store(to.add(self.stored_bytes()), remainder >> TAG_BITS, self.rest_bytes);
        }
    }

    fn stored_bytes(&self) -> usize {
        self.entry_bytes - self.rest_bytes
    }
}

/// The little-endian number of `bytes` bytes, at most 8.
///
/// SAFETY: `place` is valid for reading `bytes` bytes, which no thread writes.
#[inline]
unsafe fn load(place: *const u8, bytes: usize) -> u64 {
    // SAFETY: only bytes below `place + bytes` are read.
    unsafe {
        if bytes == 8 {
            return place.cast::<u64>().read_unaligned().to_le();
        }
        let mut value = 0;
        let mut at = 0;
        if bytes & 4 != 0 {
            value = u64::from(place.cast::<u32>().read_unaligned().to_le());
            at = 4;
        }
        if bytes & 2 != 0 {
            value |= u64::from(place.add(at).cast::<u16>().read_unaligned().to_le()) << (8 * at);
            at += 2;
        }
        if bytes & 1 != 0 {
            value |= u64::from(place.add(at).read()) << (8 * at);
        }
        value
    }
}

/// SAFETY: `place` is valid for writing `bytes` bytes, which no other thread accesses.
#[inline]
unsafe fn store(place: *mut u8, value: u64, bytes: usize) {
    // SAFETY: only bytes below `place + bytes` are written.
    unsafe {
        if bytes == 8 {
            return place.cast::<u64>().write_unaligned(value.to_le());
        }
        let mut at = 0;
        if bytes & 4 != 0 {
            place.cast::<u32>().write_unaligned((value as u32).to_le());
            at = 4;
        }
        if bytes & 2 != 0 {
            place.add(at).cast::<u16>().write_unaligned(((value >> (8 * at)) as u16).to_le());
            at += 2;
        }
        if bytes & 1 != 0 {
            place.add(at).write((value >> (8 * at)) as u8);
        }
    }
}

/// Copies `bytes` bytes; for a few of them this is faster than a call of `memcpy`.
///
/// SAFETY: the ranges are valid and do not overlap, and no other thread accesses them.
#[inline]
unsafe fn copy_few(from: *const u8, to: *mut u8, bytes: usize) {
    let mut at = 0;
    // SAFETY: only bytes below `bytes` are read and written.
    unsafe {
        while at + 8 <= bytes {
            to.add(at).cast::<u64>().write_unaligned(from.add(at).cast::<u64>().read_unaligned());
            at += 8;
        }
        store(to.add(at), load(from.add(at), bytes - at), bytes - at);
    }
}
