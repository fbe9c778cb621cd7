//! Points where the interleaving of threads matters. In tests a thread randomly yields there, so
//! that rare interleavings occur in every run.

#[cfg(all(test, not(loom)))]
pub(crate) fn point() {
    use std::cell::Cell;
    thread_local! {
        static RANDOM: Cell<u64> = const { Cell::new(0) };
    }
    RANDOM.with(|random| {
        // The address of the variable differs between threads.
        let seed = if random.get() == 0 { std::ptr::from_ref(random) as u64 } else { random.get() };
        let next = lariat_ir::random::Lcg::new(seed).next_u64();
        random.set(next);
        if next >> 61 == 0 {
            std::thread::yield_now();
        }
    });
}

#[cfg(any(not(test), loom))]
#[inline(always)]
pub(crate) fn point() {}
