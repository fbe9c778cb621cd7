//! One part of the table: buckets of a cache line, filled without locks.
//!
//! A state that finds its bucket full goes to one of the next few, and if these are full too to another place
//! that depends on the hash: neighbours cost little, jumps keep crowds apart.
//!
//! A bucket begins with tags, four to a word, one for each slot: free, being written, or some bits of what remains of
//! the hash together with how often the entry had to move on from the bucket where it belongs. The entry itself, the rest of the state,
//! follows. Who wants to add a state claims the first free slot by exchanging its tag, writes the entry, and
//! publishes the tag; who finds a slot being written waits, for it may be the same state. Nothing is ever removed, so a
//! free slot ends a search.

use super::region::Region;
use super::shape::{Home, Shape, TAG_BITS};
use crate::store::Insertion;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Places an entry may be in, the bucket where it belongs included; at most 62, so that tags fit.
const PLACES: u64 = 16;
/// Buckets next to each other that are tried before a jump.
const NEIGHBOURS: u64 = 4;
const WRITING: u64 = 1;
const FIRST_TAG: u64 = 2;
/// Slots whose tags are looked at together.
const GROUP: usize = 16;

/// The words of a state beside the one that is hashed, each with the bytes it takes.
pub(super) type Others = [(usize, usize)];

#[derive(Debug)]
pub(super) struct Segment {
    shape: Shape,
    region: Region,
    /// Somebody found no room.
    full: AtomicBool,
}

#[inline]
fn tag(moves: u64, remainder: u64) -> u64 {
    FIRST_TAG + (moves << TAG_BITS | remainder & ((1 << TAG_BITS) - 1))
}

impl Segment {
    /// With so many buckets; `None` if there is no memory.
    pub fn new(hash_bits: u32, buckets: u64, other_bytes: usize) -> Option<Segment> {
        let shape = Shape::new(hash_bits, buckets, other_bytes);
        let bytes = usize::try_from(shape.buckets).ok()?.checked_mul(shape.bucket_bytes)?;
        Some(Segment { shape, region: Region::new(bytes)?, full: AtomicBool::new(false) })
    }

    pub fn bytes(&self) -> u64 {
        self.region.bytes() as u64
    }

    pub fn buckets(&self) -> u64 {
        self.shape.buckets
    }

    /// States that fit into a bucket.
    pub fn slots(&self) -> u64 {
        self.shape.slots as u64
    }

    /// States there is room for at best.
    pub fn room(&self) -> u64 {
        self.shape.buckets * self.shape.slots as u64
    }

    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Precondition: `bucket < buckets`.
    #[inline]
    fn bucket(&self, bucket: u64) -> *mut u8 {
        debug_assert!(bucket < self.shape.buckets);
        // SAFETY: the region has so many buckets.
        unsafe { self.region.start().add(bucket as usize * self.shape.bucket_bytes) }
    }

    /// Where an entry goes that had to move on so often.
    fn place(&self, home: u64, moves: u64, remainder: u64) -> u64 {
        let buckets = self.shape.buckets;
        let mut away = moves % NEIGHBOURS;
        if moves >= NEIGHBOURS {
            // Different from entry to entry, and known from the tag.
            let low = remainder & ((1 << TAG_BITS) - 1);
            let jump = buckets / 4 + ((low * buckets) >> (TAG_BITS + 1));
            let jumps = moves / NEIGHBOURS;
            // The square keeps apart what a jump by half the table would bring back.
            away = (away + jump * jumps + 16 * jumps * jumps) % buckets;
        }
        let bucket = home + away;
        if bucket >= buckets { bucket - buckets } else { bucket }
    }

    #[inline]
    fn tags(&self, bucket: u64, word: usize) -> &AtomicU64 {
        debug_assert!(word < self.shape.tag_words);
        // SAFETY: within the bucket, aligned since buckets are, and never accessed but as this atomic word.
        unsafe { &*self.bucket(bucket).cast::<AtomicU64>().add(word) }
    }

    /// Where a hash belongs. Asks the processor to fetch that bucket.
    #[inline]
    pub fn prepare(&self, hash: u64) -> Home {
        let home = self.shape.home(hash);
        let bucket = self.bucket(home.bucket);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a hint without effect on memory.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(bucket.cast());
            if self.shape.bucket_bytes > 64 {
                _mm_prefetch::<_MM_HINT_T0>(bucket.add(64).cast());
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = bucket;
        home
    }

    /// Adds a state whose hash belongs to `home`.
    #[inline]
    pub fn insert(&self, home: Home, state: &[u64], others: &Others) -> Insertion {
        let Home { bucket, remainder } = home;
        if let Some(insertion) = self.insert_at(bucket, tag(0, remainder), remainder, state, others) {
            return insertion;
        }
        self.insert_elsewhere(home, state, others)
    }

    fn insert_elsewhere(&self, home: Home, state: &[u64], others: &Others) -> Insertion {
        let Home { bucket, remainder } = home;
        for moves in 1..PLACES {
            let bucket = self.place(bucket, moves, remainder);
            if let Some(insertion) = self.insert_at(bucket, tag(moves, remainder), remainder, state, others) {
                return insertion;
            }
        }
        self.full.store(true, Ordering::Relaxed);
        Insertion::Full
    }

    /// Adds a state to a bucket; `None` if it is not there and the bucket is full.
    #[inline]
    fn insert_at(
        &self,
        bucket: u64,
        tag: u64,
        remainder: u64,
        state: &[u64],
        others: &Others,
    ) -> Option<Insertion> {
        let mut first = 0;
        while first < self.shape.tag_words {
            let words = self.load(bucket, first);
            let (mut same, open) = compare(words, tag);
            while same != 0 {
                let slot = 4 * first + same.trailing_zeros() as usize;
                // SAFETY: the tag was published, so the entry is complete and will not change.
                if unsafe { self.equals(self.entry(bucket, slot), remainder, state, others) } {
                    return Some(Insertion::Known);
                }
                same &= same - 1;
            }
            if open == 0 {
                first += GROUP / 4;
                continue;
            }
            // Slots are taken in order, so the first that is not published is being written, or ends the bucket.
            let lane = open.trailing_zeros() as usize;
            let slot = 4 * first + lane;
            if slot >= self.shape.slots {
                return None;
            }
            let found = words[lane / 4];
            let shift = 16 * (lane % 4);
            if found >> shift & 0xffff == WRITING {
                std::hint::spin_loop();
                continue;
            }
            let tags = self.tags(bucket, slot / 4);
            let claimed = found | WRITING << shift;
            if tags.compare_exchange_weak(found, claimed, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                continue;
            }
            // SAFETY: we claimed the slot; nobody looks at the entry before its tag is published.
            unsafe { self.write(self.entry(bucket, slot), remainder, state, others) };
            tags.fetch_add((tag - WRITING) << shift, Ordering::Release);
            return Some(Insertion::New);
        }
        None
    }

    /// Four words of tags; behind the last one is nothing that would be a tag.
    #[inline]
    fn load(&self, bucket: u64, first: usize) -> [u64; 4] {
        let word = |index: usize| match first + index < self.shape.tag_words {
            true => self.tags(bucket, first + index).load(Ordering::Acquire),
            false => u64::MAX,
        };
        [word(0), word(1), word(2), word(3)]
    }

    /// Adds a state that is not there; `false` if there is no room. Nobody else uses the segment.
    pub fn add(&mut self, hash: u64, state: &[u64], others: &Others) -> bool {
        let Home { bucket: home, remainder } = self.shape.home(hash);
        for moves in 0..PLACES {
            let bucket = if moves == 0 { home } else { self.place(home, moves, remainder) };
            for word in 0..self.shape.tag_words {
                let tags = self.tags(bucket, word).load(Ordering::Relaxed);
                let free = compare([tags, u64::MAX, u64::MAX, u64::MAX], 0).1;
                let slot = 4 * word + free.trailing_zeros() as usize;
                if free == 0 || slot >= self.shape.slots {
                    continue;
                }
                // SAFETY: the slot is free, and nobody else uses the segment.
                unsafe { self.write(self.entry(bucket, slot), remainder, state, others) };
                let tags = tags | tag(moves, remainder) << (16 * (slot % 4));
                self.tags(bucket, word).store(tags, Ordering::Relaxed);
                return true;
            }
        }
        false
    }

    #[inline]
    fn entry(&self, bucket: u64, slot: usize) -> *mut u8 {
        debug_assert!(slot < self.shape.slots);
        // SAFETY: within the bucket.
        unsafe { self.bucket(bucket).add(self.shape.entry_offset(slot)) }
    }

    /// SAFETY: `entry` is one of this segment, complete, and not written any more.
    #[inline]
    unsafe fn equals(&self, entry: *const u8, remainder: u64, state: &[u64], others: &Others) -> bool {
        let mut place = entry;
        // SAFETY: an entry has the bytes of the other words and then those of the rest.
        unsafe {
            for &(word, bytes) in others {
                if load(place, bytes) != state[word] {
                    return false;
                }
                place = place.add(bytes);
            }
            load(place, self.shape.rest_bytes) == remainder >> TAG_BITS
        }
    }

    /// SAFETY: `entry` is one of this segment, and nobody else reads or writes it.
    #[inline]
    unsafe fn write(&self, entry: *mut u8, remainder: u64, state: &[u64], others: &Others) {
        let mut place = entry;
        // SAFETY: as in `equals`.
        unsafe {
            for &(word, bytes) in others {
                store(place, state[word], bytes);
                place = place.add(bytes);
            }
            store(place, remainder >> TAG_BITS, self.shape.rest_bytes);
        }
    }

    /// Calls `visit` with the hash of every entry, in nearly ascending order. The other words are put into `state`.
    /// Entries that are added meanwhile may be missed.
    pub fn for_each(&self, state: &mut [u64], others: &Others, visit: &mut dyn FnMut(u64, &mut [u64])) {
        // Most entries of a bucket belong to it.
        let mut known = (u64::MAX, 0);
        for bucket in 0..self.shape.buckets {
            for slot in 0..self.shape.slots {
                let tag = self.tags(bucket, slot / 4).load(Ordering::Acquire) >> (16 * (slot % 4)) & 0xffff;
                if tag < FIRST_TAG {
                    break;
                }
                let mut place: *const u8 = self.entry(bucket, slot);
                // SAFETY: the tag was published, so the entry is complete and will not change.
                let rest = unsafe {
                    for &(word, bytes) in others {
                        state[word] = load(place, bytes);
                        place = place.add(bytes);
                    }
                    load(place, self.shape.rest_bytes)
                };
                let moves = (tag - FIRST_TAG) >> TAG_BITS;
                let remainder = rest << TAG_BITS | (tag - FIRST_TAG) & ((1 << TAG_BITS) - 1);
                let away = self.place(0, moves, remainder);
                let home = if bucket >= away { bucket - away } else { bucket + self.shape.buckets - away };
                if known.0 != home {
                    known = (home, self.shape.first_hash(home));
                }
                visit(self.shape.hash(Home { bucket: home, remainder }, known.1), state);
            }
        }
    }

    /// How many entries there are.
    pub fn count(&self) -> u64 {
        let mut count = 0;
        for bucket in 0..self.shape.buckets {
            for word in 0..self.shape.tag_words {
                let tags = self.tags(bucket, word).load(Ordering::Relaxed);
                let (_, open) = compare([tags, u64::MAX, u64::MAX, u64::MAX], 0);
                count += u64::from(4 - open.count_ones());
            }
        }
        count
    }
}

/// Which of the tags in four words are this one, and which are not published: a bit for each.
#[cfg(target_arch = "x86_64")]
#[inline]
fn compare(words: [u64; 4], tag: u64) -> (u32, u32) {
    use std::arch::x86_64::*;
    // SAFETY: every processor of this architecture has SSE2.
    unsafe {
        let low = _mm_set_epi64x(words[1] as i64, words[0] as i64);
        let high = _mm_set_epi64x(words[3] as i64, words[2] as i64);
        let wanted = _mm_set1_epi16(tag as i16);
        let same = _mm_packs_epi16(_mm_cmpeq_epi16(low, wanted), _mm_cmpeq_epi16(high, wanted));
        let (one, zero) = (_mm_set1_epi16(WRITING as i16), _mm_setzero_si128());
        let is_open = |tags| _mm_cmpeq_epi16(_mm_subs_epu16(tags, one), zero);
        let open = _mm_packs_epi16(is_open(low), is_open(high));
        (_mm_movemask_epi8(same) as u32, _mm_movemask_epi8(open) as u32)
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn compare(words: [u64; 4], tag: u64) -> (u32, u32) {
    let (mut same, mut open) = (0, 0);
    for lane in 0..GROUP {
        let found = words[lane / 4] >> (16 * (lane % 4)) & 0xffff;
        same |= u32::from(found == tag) << lane;
        open |= u32::from(found <= WRITING) << lane;
    }
    (same, open)
}

/// The little-endian number of so many bytes, at most 8.
///
/// SAFETY: so many bytes can be read there, and nobody writes them.
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

/// SAFETY: so many bytes can be written there, and nobody else reads or writes them.
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
