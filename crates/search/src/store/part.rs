//! The values that one part of a state takes, each stored once and numbered in the order of arrival.
//!
//! Looking a value up takes no lock; adding one does, which is rare: a part has few values, or it was cut badly. There is
//! room for a fixed number of values until [`Parts::grow`].

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const FIRST_CAPACITY: usize = 64;

#[derive(Debug)]
pub struct Parts {
    /// By number.
    values: Vec<AtomicU64>,
    /// One more than the number of a value, by its hash; 0 where there is none.
    index: Vec<AtomicU32>,
    length: AtomicU32,
    adding: Mutex<()>,
}

impl Default for Parts {
    fn default() -> Parts {
        let mut parts = Parts {
            values: Vec::new(),
            index: Vec::new(),
            length: AtomicU32::new(0),
            adding: Mutex::new(()),
        };
        parts.resize(FIRST_CAPACITY);
        parts
    }
}

/// Mixes all bits of a value into the high half.
#[inline]
fn hash(value: u64) -> u64 {
    let product = u128::from(value ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
    (product >> 64) as u64 ^ product as u64
}

impl Parts {
    /// The number of a value, which is added if it is new; `None` if there is no room for it.
    #[inline]
    pub fn number(&self, value: u64) -> Option<u32> {
        let mut slot = self.slot(value);
        loop {
            match self.index[slot].load(Ordering::Acquire) {
                0 => return self.add(value, slot),
                found if self.value(found - 1) == value => return Some(found - 1),
                _ => slot = self.next(slot),
            }
        }
    }

    /// Precondition: the number was given for it.
    #[inline]
    pub fn value(&self, number: u32) -> u64 {
        self.values[number as usize].load(Ordering::Relaxed)
    }

    #[inline]
    fn slot(&self, value: u64) -> usize {
        ((u128::from(hash(value)) * self.index.len() as u128) >> 64) as usize
    }

    #[inline]
    fn next(&self, slot: usize) -> usize {
        if slot + 1 == self.index.len() { 0 } else { slot + 1 }
    }

    #[cold]
    fn add(&self, value: u64, mut slot: usize) -> Option<u32> {
        // Nothing can be half done: a panic is not possible while the lock is held.
        let _guard = self.adding.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        loop {
            match self.index[slot].load(Ordering::Relaxed) {
                0 => break,
                found if self.value(found - 1) == value => return Some(found - 1),
                _ => slot = self.next(slot),
            }
        }
        let number = self.length.load(Ordering::Relaxed);
        self.values.get(number as usize)?.store(value, Ordering::Relaxed);
        self.length.store(number + 1, Ordering::Relaxed);
        self.index[slot].store(number + 1, Ordering::Release);
        Some(number)
    }

    pub fn len(&self) -> usize {
        self.length.load(Ordering::Relaxed) as usize
    }

    pub fn memory_bytes(&self) -> u64 {
        (self.values.len() * 8 + self.index.len() * 4) as u64
    }

    /// What [`grow`](Self::grow) would make of [`memory_bytes`](Self::memory_bytes).
    pub fn grown_bytes(&self) -> u64 {
        (self.grown() * 8 + index_length(self.grown()) * 4) as u64
    }

    /// Powers of two and one and a half times those, so that every width of numbers is used to the full.
    fn grown(&self) -> usize {
        let capacity = self.values.len();
        if capacity.is_power_of_two() { capacity / 2 * 3 } else { capacity / 3 * 4 }
    }

    pub fn grow(&mut self) {
        self.resize(self.grown());
    }

    fn resize(&mut self, capacity: usize) {
        assert!(capacity < u32::MAX as usize, "parts are numbered with 32 bits");
        self.values.reserve_exact(capacity - self.values.len());
        self.values.resize_with(capacity, AtomicU64::default);
        // The old index goes before the new one comes.
        self.index = Vec::new();
        self.index.resize_with(index_length(capacity), AtomicU32::default);
        for number in 0..self.len() as u32 {
            let mut slot = self.slot(self.value(number));
            while self.index[slot].load(Ordering::Relaxed) != 0 {
                slot = self.next(slot);
            }
            self.index[slot].store(number + 1, Ordering::Relaxed);
        }
    }

    pub fn is_full(&self) -> bool {
        self.len() == self.values.len()
    }
}

fn index_length(capacity: usize) -> usize {
    capacity / 3 * 4 + 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn numbers_are_given_once() {
        let mut parts = Parts::default();
        let mut oracle = HashMap::new();
        for step in 0..200_000u64 {
            let value = step * step % 30_011;
            let number = loop {
                match parts.number(value) {
                    Some(number) => break number,
                    None => parts.grow(),
                }
            };
            assert_eq!(*oracle.entry(value).or_insert(number), number);
            assert_eq!(parts.value(number), value);
        }
        assert_eq!(parts.len(), oracle.len());
    }
}
