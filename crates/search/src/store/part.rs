//! The values that one part of a state takes, each stored once and numbered in the order of
//! arrival.
//!
//! Lookups take no lock. Adding a value does, which is rare: a part has few values, unless the
//! state was split badly. The capacity is fixed until [`PartTable::grow`].

use crate::memory::fallible;
use crate::memory::sync::{AtomicU32, AtomicU64, Mutex, Ordering};
use crate::tuning::store::PART_SMALL_VALUES;

/// Loom models have small tables.
const FIRST_CAPACITY: usize = if cfg!(loom) { 2 } else { 64 };

#[derive(Debug)]
pub struct PartTable {
    /// By number.
    values: Vec<AtomicU64>,
    /// A hash table of numbers plus 1; 0 marks a free slot.
    index: Vec<AtomicU32>,
    length: AtomicU32,
    adding: Mutex<()>,
}

/// Mixes all bits of a value into the high half.
#[inline]
fn hash(value: u64) -> u64 {
    let product = u128::from(value ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
    (product >> 64) as u64 ^ product as u64
}

impl PartTable {
    /// `None` if there is no memory.
    pub fn new() -> Option<PartTable> {
        let mut table = PartTable {
            values: Vec::new(),
            index: Vec::new(),
            length: AtomicU32::new(0),
            adding: Mutex::new(()),
        };
        table.resize(FIRST_CAPACITY).then_some(table)
    }

    /// The number of a value, which is added if it is new; `None` if the table is full.
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

    /// Precondition: [`number`](Self::number) has returned this number.
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
        // A poisoned lock protects a consistent table: the code below does not panic.
        let _guard = self.adding.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // Another thread may have added the value since the lookup.
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

    /// [`memory_bytes`](Self::memory_bytes) after [`grow`](Self::grow).
    pub fn grown_bytes(&self) -> u64 {
        (self.grown() * 8 + index_length(self.grown()) * 4) as u64
    }

    /// Capacities are 2^n and 1.5 · 2^n, so that numbers of every width are used up. A small table
    /// grows more, because growth interrupts the search.
    fn grown(&self) -> usize {
        let capacity = self.values.len();
        if capacity < PART_SMALL_VALUES {
            return 4 * capacity;
        }
        if capacity.is_power_of_two() { capacity / 2 * 3 } else { capacity / 3 * 4 }
    }

    /// `false` if there is no memory, and then nothing has changed.
    #[must_use]
    pub fn grow(&mut self) -> bool {
        self.resize(self.grown())
    }

    fn resize(&mut self, capacity: usize) -> bool {
        assert!(capacity < u32::MAX as usize, "part numbers have 32 bits");
        let mut index = Vec::new();
        if !fallible::extend_to(&mut index, index_length(capacity))
            || !fallible::extend_to(&mut self.values, capacity)
        {
            return false;
        }
        self.index = index;
        for number in 0..self.len() as u32 {
            let mut slot = self.slot(self.value(number));
            while self.index[slot].load(Ordering::Relaxed) != 0 {
                slot = self.next(slot);
            }
            self.index[slot].store(number + 1, Ordering::Relaxed);
        }
        true
    }

    /// Whether the table should grow when another one has to.
    pub fn is_nearly_full(&self) -> bool {
        self.len() * 8 >= self.values.len() * 7
    }
}

fn index_length(capacity: usize) -> usize {
    capacity / 3 * 4 + 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::size;
    use std::collections::HashMap;

    #[test]
    fn a_value_has_one_number() {
        let mut parts = PartTable::new().expect("memory");
        let mut oracle = HashMap::new();
        for step in 0..size(200_000) {
            let value = step * step % 30_011;
            let number = loop {
                match parts.number(value) {
                    Some(number) => break number,
                    None => assert!(parts.grow()),
                }
            };
            assert_eq!(*oracle.entry(value).or_insert(number), number);
            assert_eq!(parts.value(number), value);
        }
        assert_eq!(parts.len(), oracle.len());
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use crate::memory::sync::{Arc, explore};
    use loom::thread;

    /// Threads that number the same values agree, read complete values, and growth keeps both.
    #[test]
    fn loom_threads_agree_on_numbers() {
        explore(3, || {
            let table = Arc::new(PartTable::new().expect("memory"));
            let number = |table: &PartTable, values: [u64; 2]| {
                values.map(|value| {
                    let number = table.number(value).expect("there is room");
                    assert_eq!(table.value(number), value);
                    number
                })
            };
            let other = Arc::clone(&table);
            let thread = thread::spawn(move || number(&other, [9, 5]));
            let [five, nine] = number(&table, [5, 9]);
            assert_eq!(thread.join().expect("no panic"), [nine, five]);
            let mut table = Arc::try_unwrap(table).expect("the thread has ended");
            assert_eq!(table.len(), 2);
            assert_eq!(table.number(11), None);
            assert!(table.grow());
            assert_eq!([table.number(5), table.number(9)], [Some(five), Some(nine)]);
            assert_eq!(table.number(11), Some(2));
        });
    }
}
