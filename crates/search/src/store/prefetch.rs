//! Asking the processor for memory before it is needed.

/// Starts to fetch the cache line of `place`, where the processor can be asked to.
#[inline]
#[allow(unsafe_code)]
pub fn line<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing into the program; any address would do, and this one is valid.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
