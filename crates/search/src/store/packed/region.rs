//! Memory for a table: zeroed, on cache lines, in huge pages where it is large and the system offers them, and given back
//! to the system when dropped.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

const LINE: usize = 64;
/// From here on memory comes from the system directly.
const MAPPED: usize = 1 << 20;
const HUGE_PAGE: usize = 2 << 20;
/// From here on in huge pages, as far as whole ones fit.
const HUGE: usize = HUGE_PAGE;

/// A stretch of zeroed memory.
#[derive(Debug)]
pub(super) struct Region {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a region is plain memory that belongs to nobody else; who reads and writes it through `start` must see to
// synchronization.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// `None` if there is no memory. Precondition: `bytes > 0`.
    pub fn new(bytes: usize) -> Option<Region> {
        #[cfg(unix)]
        if bytes >= MAPPED {
            return mapped::map(bytes, if bytes >= HUGE { HUGE_PAGE } else { 0 })
                .map(|start| Region { start, bytes });
        }
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(layout(bytes)?) };
        NonNull::new(start).map(|start| Region { start, bytes })
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
        if self.bytes >= MAPPED {
            return mapped::unmap(self.start, self.bytes);
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

    /// Maps zeroed memory at a multiple of `huge_page`, unless that is 0.
    pub fn map(bytes: usize, huge_page: usize) -> Option<NonNull<u8>> {
        let asked = bytes.checked_add(huge_page)?;
        // SAFETY: a new anonymous mapping touches no memory in use.
        let start = unsafe {
            libc::mmap(
                null_mut(),
                asked,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        if huge_page == 0 {
            return NonNull::new(start.cast());
        }
        let ahead = (start as usize).next_multiple_of(huge_page) - start as usize;
        let behind = asked - ahead - bytes.next_multiple_of(4096);
        // SAFETY: what is given back lies within the mapping just made and outside of what is kept. The advice cannot
        // hurt.
        unsafe {
            let start = start.cast::<u8>();
            if ahead > 0 {
                libc::munmap(start.cast(), ahead);
            }
            let kept = start.add(ahead);
            if behind > 0 {
                libc::munmap(kept.add(bytes.next_multiple_of(4096)).cast(), behind);
            }
            #[cfg(target_os = "linux")]
            libc::madvise(kept.cast(), bytes, libc::MADV_HUGEPAGE);
            NonNull::new(kept)
        }
    }

    pub fn unmap(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the region owns this mapping and is being dropped.
        unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
    }
}
