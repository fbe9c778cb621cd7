//! Points where the order in which threads get on matters. Tests let a thread stop there by chance, so that orders that are
//! rare otherwise come up in every run.

#[cfg(test)]
pub(crate) fn point() {
    use std::cell::Cell;
    thread_local! {
        static RANDOM: Cell<u64> = const { Cell::new(0) };
    }
    RANDOM.with(|random| {
        // Where the variable is differs between threads.
        let seed = if random.get() == 0 { std::ptr::from_ref(random) as u64 } else { random.get() };
        let next = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        random.set(next);
        if next >> 61 == 0 {
            std::thread::yield_now();
        }
    });
}

#[cfg(not(test))]
#[inline(always)]
pub(crate) fn point() {}
