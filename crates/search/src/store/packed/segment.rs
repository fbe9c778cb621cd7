//! One part of the table: buckets of a cache line, filled without locks.
//!
//! A state that finds its bucket full goes to one of the next few, and if these are full too to another place
//! that depends on the hash: neighbours cost little, jumps keep crowds apart.
//!
//! A bucket begins with tags, four to a word, one for each slot: free, being written, or some bits of what remains of
//! the hash together with how often the entry had to move on from the bucket where it belongs. The entry itself, the rest of the state,
//! follows. Who wants to add a state claims the first free slot by exchanging its tag, writes the entry, and
//! publishes the tag; who finds a slot being written waits, for it may be the same state. Nothing is ever removed, so a
//! free slot ends a search. How a segment grows is told in `growth.rs`.

use super::shape::{Home, PLACES, Shape, TAG_BITS};
use crate::liveness::stress;
use crate::region::Region;
use crate::store::Insertion;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const WRITING: u64 = 1;
pub(super) const FIRST_TAG: u64 = 2;
/// The most words of tags that a bucket has.
const TAG_WORDS: usize = 4;

/// The words of a state beside the one that is hashed, each with the bytes it takes.
pub(super) type Others = [(usize, usize)];

#[derive(Debug)]
pub(super) struct Segment {
    pub(super) shape: Shape,
    pub(super) region: Region,
    /// Somebody found no room.
    pub(super) full: AtomicBool,
    /// States with their hashes that found no room when the segment grew: all their places are full.
    pub(super) strays: Vec<(u64, Vec<u64>)>,
}

#[inline]
fn tag(moves: u64, remainder: u64) -> u64 {
    FIRST_TAG + (moves << TAG_BITS | remainder & ((1 << TAG_BITS) - 1))
}

impl Segment {
    /// An empty one; `None` if there is no memory.
    pub fn new(shape: Shape) -> Option<Segment> {
        let region = Region::new(shape.bytes()?)?;
        Some(Segment { shape, region, full: AtomicBool::new(false), strays: Vec::new() })
    }

    pub fn bytes(&self) -> u64 {
        self.region.bytes() as u64
    }

    /// States there is room for at best.
    pub fn room(&self) -> u64 {
        self.shape.room()
    }

    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Precondition: `bucket < buckets`.
    #[inline]
    pub(super) fn bucket(&self, bucket: u64) -> *mut u8 {
        debug_assert!(bucket < self.shape.buckets);
        // SAFETY: the region has so many buckets.
        unsafe { self.region.start().add(bucket as usize * self.shape.bucket_bytes) }
    }

    #[inline]
    fn tags(&self, bucket: u64, word: usize) -> &AtomicU64 {
        debug_assert!(word < self.shape.tag_words);
        // SAFETY: within the bucket, aligned since buckets are, and never accessed but as this atomic word.
        unsafe { &*self.bucket(bucket).cast::<AtomicU64>().add(word) }
    }

    /// Asks the processor to fetch a bucket.
    #[inline]
    pub fn fetch(&self, bucket: u64) {
        let bucket = self.bucket(bucket);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a hint without effect on memory.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(bucket.cast());
            for line in (64..self.shape.bucket_bytes).step_by(64) {
                _mm_prefetch::<_MM_HINT_T0>(bucket.add(line).cast());
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = bucket;
    }

    /// Adds a state whose hash belongs to `home`. `ALONE`: nobody else uses the segment meanwhile.
    #[inline]
    pub fn insert<const ALONE: bool>(&self, home: Home, state: &[u64], others: &Others) -> Insertion {
        // The number of words is known to the compiled code: so tags stay in registers.
        match self.shape.tag_words {
            1 => self.insert_from::<1, ALONE>(home, state, others),
            2 => self.insert_from::<2, ALONE>(home, state, others),
            3 => self.insert_from::<3, ALONE>(home, state, others),
            _ => self.insert_from::<TAG_WORDS, ALONE>(home, state, others),
        }
    }

    #[inline]
    fn insert_from<const WORDS: usize, const ALONE: bool>(
        &self,
        home: Home,
        state: &[u64],
        others: &Others,
    ) -> Insertion {
        let Home { bucket, remainder } = home;
        if let Some(insertion) =
            self.insert_at::<WORDS, ALONE>(bucket, tag(0, remainder), remainder, state, others)
        {
            return insertion;
        }
        self.insert_elsewhere::<WORDS, ALONE>(home, state, others)
    }

    fn insert_elsewhere<const WORDS: usize, const ALONE: bool>(
        &self,
        home: Home,
        state: &[u64],
        others: &Others,
    ) -> Insertion {
        let Home { bucket, remainder } = home;
        for moves in 1..PLACES {
            let bucket = self.shape.place(bucket, moves, remainder);
            let tag = tag(moves, remainder);
            if let Some(insertion) = self.insert_at::<WORDS, ALONE>(bucket, tag, remainder, state, others) {
                return insertion;
            }
        }
        let is_it = |(hash, stray): &(u64, Vec<u64>)| {
            self.shape.home(*hash) == home && others.iter().all(|&(word, _)| stray[word] == state[word])
        };
        if self.strays.iter().any(is_it) {
            return Insertion::Known;
        }
        self.full.store(true, Ordering::Relaxed);
        Insertion::Full
    }

    /// Adds a state to a bucket; `None` if it is not there and the bucket is full. Precondition: buckets have so many
    /// words of tags.
    #[inline]
    fn insert_at<const WORDS: usize, const ALONE: bool>(
        &self,
        bucket: u64,
        tag: u64,
        remainder: u64,
        state: &[u64],
        others: &Others,
    ) -> Option<Insertion> {
        loop {
            let words: [u64; WORDS] =
                std::array::from_fn(|word| self.tags(bucket, word).load(Ordering::Acquire));
            let (mut same, open) = compare(words, tag);
            while same != 0 {
                let slot = same.trailing_zeros() as usize;
                // SAFETY: the tag was published, so the entry is complete and will not change.
                if unsafe { self.equals(self.entry(bucket, slot), remainder, state, others) } {
                    return Some(Insertion::Known);
                }
                same &= same - 1;
            }
            // Slots are taken in order, so the first that is not published is being written, or ends the bucket.
            let slot = open.trailing_zeros() as usize;
            if slot >= self.shape.slots {
                return None;
            }
            stress::point();
            let tags = self.tags(bucket, slot / 4);
            let found = tags.load(Ordering::Relaxed);
            let shift = 16 * (slot % 4);
            match found >> shift & 0xffff {
                0 => {}
                WRITING => {
                    std::hint::spin_loop();
                    continue;
                }
                // Taken since.
                _ => continue,
            }
            if ALONE {
                // SAFETY: the slot is free, and nobody else uses the segment.
                unsafe { self.write(self.entry(bucket, slot), remainder, state, others) };
                tags.store(found | tag << shift, Ordering::Relaxed);
                return Some(Insertion::New);
            }
            let claimed = found | WRITING << shift;
            if tags.compare_exchange_weak(found, claimed, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                continue;
            }
            stress::point();
            // SAFETY: we claimed the slot; nobody looks at the entry before its tag is published.
            unsafe { self.write(self.entry(bucket, slot), remainder, state, others) };
            stress::point();
            tags.fetch_add((tag - WRITING) << shift, Ordering::Release);
            return Some(Insertion::New);
        }
    }

    /// Adds an entry that is not there, of any shape, to the bucket where its hash belongs or another of so many places, if none of
    /// those lies before `first`; `false` if there is no room. Nobody else uses the segment.
    ///
    /// SAFETY: `entry` is complete and not part of this segment.
    pub(super) unsafe fn carry(&mut self, hash: u64, entry: *const u8, places: u64, first: u64) -> bool {
        let Home { bucket: home, remainder } = self.shape.home(hash);
        for moves in 0..places {
            let bucket = if moves == 0 { home } else { self.shape.place(home, moves, remainder) };
            if bucket < first {
                return false;
            }
            // Slots are taken in order, and tags are not 0.
            let Some((slot, tags)) = (0..self.shape.tag_words).find_map(|word| {
                let tags = self.tags(bucket, word).load(Ordering::Relaxed);
                let taken = (u64::BITS - tags.leading_zeros()).div_ceil(16) as usize;
                (taken < 4).then_some((4 * word + taken, tags))
            }) else {
                continue;
            };
            if slot >= self.shape.slots {
                continue;
            }
            let (place, others) = (self.entry(bucket, slot), self.shape.entry_bytes - self.shape.rest_bytes);
            // SAFETY: the slot is free, and an entry of any shape begins with the other words.
            unsafe {
                copy_few(entry, place, others);
                store(place.add(others), remainder >> TAG_BITS, self.shape.rest_bytes);
            }
            let tags = tags | tag(moves, remainder) << (16 * (slot % 4));
            self.tags(bucket, slot / 4).store(tags, Ordering::Relaxed);
            return true;
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
    pub(super) unsafe fn write(&self, entry: *mut u8, remainder: u64, state: &[u64], others: &Others) {
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
        for bucket in 0..self.shape.buckets {
            let decoder = Decoder::new(&self.shape, bucket);
            for slot in 0..self.shape.slots {
                let tag = self.tags(bucket, slot / 4).load(Ordering::Acquire) >> (16 * (slot % 4)) & 0xffff;
                if tag < FIRST_TAG {
                    break;
                }
                // SAFETY: the tag was published, so the entry is complete and will not change.
                let rest = unsafe { self.shape.read(self.entry(bucket, slot), state, others) };
                visit(decoder.hash(&self.shape, tag, rest), state);
            }
        }
        for (hash, stray) in &self.strays {
            state.copy_from_slice(stray);
            visit(*hash, state);
        }
    }

    /// How many entries there are.
    pub fn count(&self) -> u64 {
        let mut count = self.strays.len() as u64;
        for bucket in 0..self.shape.buckets {
            for word in 0..self.shape.tag_words {
                let tags = self.tags(bucket, word).load(Ordering::Relaxed);
                count += u64::from(compare([tags], 0).1.trailing_zeros().min(4));
            }
        }
        count
    }
}

impl Shape {
    /// Puts the other words of an entry into `state`; returns the rest of its hash.
    ///
    /// SAFETY: an entry of this shape is there, complete, and not written any more.
    pub(super) unsafe fn read(&self, entry: *const u8, state: &mut [u64], others: &Others) -> u64 {
        let mut place = entry;
        // SAFETY: an entry has the bytes of the other words and then those of the rest.
        unsafe {
            for &(word, bytes) in others {
                state[word] = load(place, bytes);
                place = place.add(bytes);
            }
            load(place, self.rest_bytes)
        }
    }

    /// The rest of an entry's hash.
    ///
    /// SAFETY: as for `read`.
    #[inline]
    pub(super) unsafe fn read_rest(&self, entry: *const u8) -> u64 {
        // SAFETY: it is the end of the entry.
        unsafe { load(entry.add(self.entry_bytes - self.rest_bytes), self.rest_bytes) }
    }
}

/// Finds the hashes of the entries of a bucket.
#[derive(Debug)]
pub(super) struct Decoder {
    bucket: u64,
    /// The lowest hash that belongs to it: most entries belong to the bucket in which they are.
    first: u64,
}

impl Decoder {
    pub fn new(shape: &Shape, bucket: u64) -> Decoder {
        Decoder { bucket, first: shape.first_hash(bucket) }
    }

    /// Of the entry with this tag, whose rest is this.
    #[inline]
    pub fn hash(&self, shape: &Shape, tag: u64, rest: u64) -> u64 {
        let moves = (tag - FIRST_TAG) >> TAG_BITS;
        let remainder = rest << TAG_BITS | (tag - FIRST_TAG) & ((1 << TAG_BITS) - 1);
        if moves == 0 {
            return shape.hash(Home { bucket: self.bucket, remainder }, self.first);
        }
        let away = shape.place(0, moves, remainder);
        let home = if self.bucket >= away { self.bucket - away } else { self.bucket + shape.buckets - away };
        shape.hash(Home { bucket: home, remainder }, shape.first_hash(home))
    }
}

/// Which of the tags are this one, and which are not published: a bit for each. Behind the last tag there is one that is
/// not published.
#[cfg(target_arch = "x86_64")]
#[inline]
fn compare<const WORDS: usize>(words: [u64; WORDS], tag: u64) -> (u32, u32) {
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
    let beyond = u32::MAX << (4 * WORDS);
    (same & !beyond, open | beyond)
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn compare<const WORDS: usize>(words: [u64; WORDS], tag: u64) -> (u32, u32) {
    let (mut same, mut open) = (0, u32::MAX << (4 * WORDS));
    for lane in 0..4 * WORDS {
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

/// Copies so many bytes, where it does not pay to call somebody who copies many.
///
/// SAFETY: they can be read and written, and nobody else writes or reads them.
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
