//! Memory for a table: zeroed, aligned to cache lines, in huge pages where it is large and the
//! system has them available, and returned to the system when dropped.
//!
//! A large region reserves address space after it and grows in place: no page is requested twice,
//! and on many machines the requests for pages take most of the time of an allocation. From
//! [`HUGE_PAGES_FROM_BYTES`] on, a region consists of whole huge pages; a region that reaches this
//! size moves once. Miri, which does not know these system calls, gets memory of the allocator.

use crate::faults::{Fault, fails};
use crate::tuning::memory::HUGE_PAGES_FROM_BYTES;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

const LINE: usize = 64;

/// A range of zeroed memory.
#[derive(Debug)]
pub(crate) struct Region {
    start: NonNull<u8>,
    bytes: usize,
    /// Address space from `start` on; 0 if the memory belongs to the allocator.
    reserved: usize,
}

// SAFETY: a region owns its memory; the code that reads and writes it through `start` must
// synchronize.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// `None` if there is no memory. Precondition: `bytes > 0`.
    pub fn new(bytes: usize) -> Option<Region> {
        if fails(Fault::Memory) {
            return None;
        }
        #[cfg(all(unix, not(miri)))]
        if bytes >= crate::tuning::memory::MAPPED_FROM_BYTES {
            let (start, reserved) = mapped::reserve(bytes)?;
            // Dropped if the system refuses the memory.
            let mut region = Region { start, bytes: 0, reserved };
            return region.open(bytes, 1).then_some(region);
        }
        Region::allocate(bytes)
    }

    /// One cache line. Aborts without memory, as small allocations of the standard library do.
    pub fn one_line() -> Region {
        Region::allocate(LINE).unwrap_or_else(|| handle_alloc_error(Layout::new::<[u64; 8]>()))
    }

    /// Memory of the allocator. Precondition: `bytes > 0`.
    fn allocate(bytes: usize) -> Option<Region> {
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(layout(bytes)?) };
        NonNull::new(start).map(|start| Region { start, bytes, reserved: 0 })
    }

    /// Grows in place to `bytes`, by zeroed memory, which up to `threads` threads request;
    /// `false` if the region would have to move or there is no memory.
    pub fn extend(&mut self, bytes: usize, threads: usize) -> bool {
        let becomes_huge =
            (1..HUGE_PAGES_FROM_BYTES).contains(&self.bytes) && bytes >= HUGE_PAGES_FROM_BYTES;
        if bytes > self.reserved || becomes_huge {
            return false;
        }
        !fails(Fault::Memory) && self.open(bytes, threads)
    }

    /// Makes the first `bytes` bytes accessible. Precondition: `bytes <= self.reserved`.
    #[cfg_attr(any(not(unix), miri), allow(unused_variables))]
    fn open(&mut self, bytes: usize, threads: usize) -> bool {
        #[cfg(all(unix, not(miri)))]
        if !mapped::open(self.start, self.bytes, bytes, threads) {
            return false;
        }
        self.bytes = self.bytes.max(bytes);
        true
    }

    #[inline]
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The word at a byte offset.
    ///
    /// # Safety
    /// `offset` is a multiple of 8 and lies within the region, and while the region is shared the
    /// word is only accessed atomically.
    #[inline]
    pub unsafe fn atomic(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the caller's contract; the region is aligned, and any bit pattern is a word.
        unsafe { &*self.start().add(offset).cast::<AtomicU64>() }
    }

    /// Tells loom that a thread reads the entry at `place`; see `modelled_region.rs`.
    #[inline(always)]
    pub fn note_read(&self, _place: *const u8) {}

    /// Tells loom that a thread writes the entry at `place`.
    #[inline(always)]
    pub fn note_write(&self, _place: *const u8) {}

    /// Copies words from a byte offset on, and clears them in the region.
    /// Precondition: they lie within the region, and `offset` is a multiple of 8.
    #[inline]
    pub fn take_words(&mut self, offset: usize, words: &mut [u64]) {
        debug_assert!(offset.is_multiple_of(8) && offset + 8 * words.len() <= self.bytes);
        // SAFETY: the range lies within the region, which is aligned and borrowed exclusively.
        unsafe {
            let place = self.start().add(offset).cast::<u64>();
            std::ptr::copy_nonoverlapping(place, words.as_mut_ptr(), words.len());
            std::ptr::write_bytes(place, 0, words.len());
        }
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, LINE).ok()
}

impl Drop for Region {
    fn drop(&mut self) {
        #[cfg(all(unix, not(miri)))]
        if self.reserved > 0 {
            return mapped::release(self.start, self.reserved);
        }
        if let Some(layout) = layout(self.bytes) {
            // SAFETY: allocated in `new` with the same layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}

#[cfg(all(unix, not(miri)))]
mod mapped {
    use crate::tuning::memory::{
        ADDRESS_SPACE_SHARE, HUGE_PAGES_FROM_BYTES, MAX_ADDRESS_SPACE_BYTES,
    };
    #[cfg(target_os = "linux")]
    use crate::tuning::memory::{HUGE_PAGE_PATIENCE, POPULATE_BYTES_PER_THREAD};
    use std::ptr::{NonNull, null_mut};
    #[cfg(target_os = "linux")]
    use std::sync::atomic::{AtomicBool, Ordering};
    #[cfg(target_os = "linux")]
    use std::time::Duration;

    const PAGE: usize = 4096;
    const HUGE_PAGE: usize = 2 << 20;

    /// A huge page took too long: regions use small pages from then on.
    #[cfg(target_os = "linux")]
    static HUGE_PAGES_ARE_SLOW: AtomicBool = AtomicBool::new(false);

    /// Address space that one region may reserve beyond its present size. `ulimit -v` limits the
    /// address space of the process.
    fn max_reserved() -> usize {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointer is valid for writing a limit.
        let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
        match usize::try_from(limit.rlim_cur) {
            Ok(bytes) if known && limit.rlim_cur != libc::RLIM_INFINITY => {
                (bytes / ADDRESS_SPACE_SHARE / HUGE_PAGE * HUGE_PAGE).min(MAX_ADDRESS_SPACE_BYTES)
            }
            _ => MAX_ADDRESS_SPACE_BYTES,
        }
    }

    /// Reserves inaccessible address space for at least `bytes` bytes, aligned to a huge page;
    /// returns its start and its size.
    pub fn reserve(bytes: usize) -> Option<(NonNull<u8>, usize)> {
        let least = bytes.checked_next_multiple_of(HUGE_PAGE)?;
        let mut wanted = least.max(max_reserved());
        loop {
            if let Some(start) = map(wanted) {
                return Some((start, wanted));
            }
            if wanted == least {
                return None;
            }
            wanted = (wanted / 4).next_multiple_of(HUGE_PAGE).max(least);
        }
    }

    fn map(bytes: usize) -> Option<NonNull<u8>> {
        let requested = bytes.checked_add(HUGE_PAGE)?;
        // SAFETY: a new anonymous mapping overlaps no memory in use.
        let start = unsafe {
            libc::mmap(
                null_mut(),
                requested,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        let ahead = (start as usize).next_multiple_of(HUGE_PAGE) - start as usize;
        // SAFETY: the unmapped ranges lie within the new mapping and outside of the range kept.
        unsafe {
            let start = start.cast::<u8>();
            let kept = start.add(ahead);
            if ahead > 0 {
                libc::munmap(start.cast(), ahead);
            }
            if ahead < HUGE_PAGE {
                libc::munmap(kept.add(bytes).cast(), HUGE_PAGE - ahead);
            }
            NonNull::new(kept)
        }
    }

    /// Makes the first `bytes` bytes accessible, of which the first `before` already are; `false`
    /// if the system refuses. Precondition: the address space from `start` on is reserved and at
    /// least `bytes` large.
    pub fn open(start: NonNull<u8>, before: usize, bytes: usize, threads: usize) -> bool {
        let huge = bytes >= HUGE_PAGES_FROM_BYTES;
        let page = if huge { HUGE_PAGE } else { PAGE };
        let (first, end) = (before.next_multiple_of(page), bytes.next_multiple_of(page));
        if end <= first {
            return true;
        }
        // SAFETY: the range lies within the reserved address space, whose size is a multiple of
        // the huge page size.
        unsafe {
            let added = start.as_ptr().add(first);
            if libc::mprotect(added.cast(), end - first, libc::PROT_READ | libc::PROT_WRITE) != 0 {
                return false;
            }
            #[cfg(target_os = "linux")]
            {
                if huge {
                    advise(added, end - first);
                }
                populate(added, end - first, threads);
            }
        }
        true
    }

    /// Processor time of this thread: elapsed time on a busy machine says nothing about pages.
    #[cfg(target_os = "linux")]
    fn thread_time() -> Duration {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is valid for writing a time.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    /// Requests huge pages, unless the first of them takes too long.
    ///
    /// SAFETY: the memory is zero and writable, and no other code uses it yet.
    #[cfg(target_os = "linux")]
    unsafe fn advise(start: *mut u8, bytes: usize) {
        // SAFETY: advice does not change contents, and the write replaces a zero by a zero.
        unsafe {
            if !HUGE_PAGES_ARE_SLOW.load(Ordering::Relaxed) {
                libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE);
                let begun = thread_time();
                start.write_volatile(0);
                if thread_time().saturating_sub(begun) < HUGE_PAGE_PATIENCE {
                    return;
                }
                HUGE_PAGES_ARE_SLOW.store(true, Ordering::Relaxed);
            }
            libc::madvise(start.cast(), bytes, libc::MADV_NOHUGEPAGE);
        }
    }

    /// Requests all pages at once. Hashing touches every page soon, and single page faults take
    /// longer, in particular with several threads. Systems without this advice fault pages in one
    /// by one.
    ///
    /// SAFETY: the memory is zero and writable, and no other code uses it yet.
    #[cfg(target_os = "linux")]
    unsafe fn populate(start: *mut u8, bytes: usize, threads: usize) {
        let threads = threads.min(bytes / POPULATE_BYTES_PER_THREAD).max(1);
        let share = (bytes / threads).next_multiple_of(PAGE);
        let first = start as usize;
        // SAFETY: populating pages does not change their contents.
        let populate = move |thread: usize| unsafe {
            let (from, to) =
                (first + thread * share, (first + bytes).min(first + (thread + 1) * share));
            if from < to {
                libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_POPULATE_WRITE);
            }
        };
        std::thread::scope(|scope| {
            for thread in 1..threads {
                if crate::threads::start_small(scope, move || populate(thread)).is_err() {
                    populate(thread);
                }
            }
            populate(0);
        });
    }

    pub fn release(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the region owns this mapping and is being dropped.
        unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
    }
}
