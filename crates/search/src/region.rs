//! Memory for a table: zeroed, on cache lines, in huge pages where it is large and the system has them ready, and given
//! back to the system when dropped.
//!
//! Large regions come with address space behind them, so that they can grow where they are: no page is
//! asked for twice, and on many machines asking for pages is what takes time. From some size on they consist of whole huge
//! pages; a region that reaches it has to move once.

use crate::faults::{Fault, fails};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

const LINE: usize = 64;
/// From here on memory comes from the system directly.
const MAPPED: usize = 1 << 17;

/// From here on in huge pages; smaller regions would waste too much of them.
const HUGE: usize = 4 << 20;

/// A stretch of zeroed memory.
#[derive(Debug)]
pub(crate) struct Region {
    start: NonNull<u8>,
    bytes: usize,
    /// Address space from `start` on; 0 if the memory is the allocator's.
    reserved: usize,
}

// SAFETY: a region is plain memory that belongs to nobody else; who reads and writes it through `start` must see to
// synchronization.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// `None` if there is no memory. Precondition: `bytes > 0`.
    pub fn new(bytes: usize) -> Option<Region> {
        if bytes >= MAPPED && fails(Fault::Memory) {
            return None;
        }
        #[cfg(unix)]
        if bytes >= MAPPED {
            let (start, reserved) = mapped::reserve(bytes)?;
            // Dropped if there is no memory after all.
            let mut region = Region { start, bytes: 0, reserved };
            return region.open(bytes, 1).then_some(region);
        }
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(layout(bytes)?) };
        NonNull::new(start).map(|start| Region { start, bytes, reserved: 0 })
    }

    /// Makes it larger where it is, by zeroed memory; `false` if that cannot be. So many threads may ask for it.
    pub fn extend(&mut self, bytes: usize, threads: usize) -> bool {
        if bytes > self.reserved || (1..HUGE).contains(&self.bytes) && bytes >= HUGE {
            return false;
        }
        !fails(Fault::Memory) && self.open(bytes, threads)
    }

    /// Precondition: so much address space is reserved.
    fn open(&mut self, bytes: usize, threads: usize) -> bool {
        #[cfg(unix)]
        if !mapped::open(self.start, self.bytes, bytes, bytes >= HUGE, threads) {
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
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, LINE).ok()
}

impl Drop for Region {
    fn drop(&mut self) {
        #[cfg(unix)]
        if self.reserved > 0 {
            return mapped::release(self.start, self.reserved);
        }
        if let Some(layout) = layout(self.bytes) {
            // SAFETY: allocated in `new` with the same layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}

#[cfg(unix)]
mod mapped {
    use std::ptr::{NonNull, null_mut};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    const PAGE: usize = 4096;
    const HUGE_PAGE: usize = 2 << 20;
    /// As much address space as is asked for at most, and as is tried at least.
    const MOST: usize = 1 << 38;
    /// Clearing a huge page takes a fraction of this, if there is one at hand. Where the system must first make one, or
    /// get it from a hypervisor, small pages are better.
    const PATIENCE: Duration = Duration::from_millis(3);

    /// To ask for as much takes longer than to start a thread.
    #[cfg(target_os = "linux")]
    const WORTH_A_THREAD: usize = 1 << 20;

    /// A huge page took too long.
    static NOT_AT_HAND: AtomicBool = AtomicBool::new(false);

    /// Of limited address space, a region takes at most one part in so many beyond what it needs now: other regions, stacks
    /// and the allocator need some too.
    const SHARE: usize = 64;

    /// How much address space a region may take. `ulimit -v` limits that of the process.
    fn most() -> usize {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the limit is written to where it may be.
        let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
        match usize::try_from(limit.rlim_cur) {
            Ok(bytes) if known && limit.rlim_cur != libc::RLIM_INFINITY => {
                (bytes / SHARE / HUGE_PAGE * HUGE_PAGE).min(MOST)
            }
            _ => MOST,
        }
    }

    /// Address space, not yet memory, for at least so many bytes, beginning at a huge page; and how much it is.
    pub fn reserve(bytes: usize) -> Option<(NonNull<u8>, usize)> {
        let least = bytes.checked_next_multiple_of(HUGE_PAGE)?;
        let mut wanted = least.max(most());
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
        let asked = bytes.checked_add(HUGE_PAGE)?;
        // SAFETY: a new anonymous mapping touches no memory in use.
        let start = unsafe {
            libc::mmap(
                null_mut(),
                asked,
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
        // SAFETY: what is given back lies within the mapping just made and outside of what is kept.
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

    /// Makes the first `bytes` bytes memory, of which `before` are already, in huge pages if they are wanted and come
    /// quickly; `false` if the system does not want to. Precondition: the address space from `start` on is reserved and that large.
    pub fn open(start: NonNull<u8>, before: usize, bytes: usize, huge: bool, threads: usize) -> bool {
        let page = if huge { HUGE_PAGE } else { PAGE };
        let (first, end) = (before.next_multiple_of(page), bytes.next_multiple_of(page));
        if end <= first {
            return true;
        }
        // SAFETY: the range lies within the address space that the region owns, whose end is one of a huge page.
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

    /// The time that this thread has had: what others take on a busy machine says nothing about pages.
    #[cfg(target_os = "linux")]
    fn own_time() -> Duration {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the clock's value is written to where it may be.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    /// Asks for huge pages, if they come quickly.
    ///
    /// SAFETY: the memory is zero, writable, and used by nobody yet.
    #[cfg(target_os = "linux")]
    unsafe fn advise(start: *mut u8, bytes: usize) {
        // SAFETY: advice cannot hurt, and what is written is what is there.
        unsafe {
            if !NOT_AT_HAND.load(Ordering::Relaxed) {
                libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE);
                let begun = own_time();
                start.write_volatile(0);
                if own_time().saturating_sub(begun) < PATIENCE {
                    return;
                }
                NOT_AT_HAND.store(true, Ordering::Relaxed);
            }
            libc::madvise(start.cast(), bytes, libc::MADV_NOHUGEPAGE);
        }
    }

    /// Asks for the pages themselves, all at once: what hashing spreads over the memory touches every page soon, and being given them one by one takes longer, all the more when several
    /// threads ask. Systems that cannot do this give them one by one.
    ///
    /// SAFETY: the memory is zero, writable, and used by nobody yet.
    #[cfg(target_os = "linux")]
    unsafe fn populate(start: *mut u8, bytes: usize, threads: usize) {
        let threads = threads.min(bytes / WORTH_A_THREAD).max(1);
        let share = (bytes / threads).next_multiple_of(PAGE);
        let first = start as usize;
        // SAFETY: nothing is changed that could be seen.
        let populate = move |thread: usize| unsafe {
            let (from, to) = (first + thread * share, (first + bytes).min(first + (thread + 1) * share));
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
