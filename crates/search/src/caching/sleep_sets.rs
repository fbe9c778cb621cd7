//! Sleep sets (Godefroid: Using partial orders to improve automatic verification methods, 1990),
//! which make state-space caching practical (Godefroid, Holzmann, Pirottin: State-space caching
//! revisited, 1992).
//!
//! Where two steps commute, both orders lead to the same state, and a search that has evicted it
//! visits it twice, with all its successors. So once `a` has been taken, it *sleeps* after `b`,
//! until a step is taken that does not commute with `a`. Every state is still visited and fully
//! expanded, so errors, deadlocks and coverage are those of the plain search; only fewer paths
//! lead to each state.
//!
//! Independence is not derived from the program text but observed: `a` and `b` commute in `s` if
//! each is enabled after the other and both orders lead to the same state. That is finer than a
//! static analysis (array elements, channels neither full nor empty) and holds for every construct
//! of a language: rendezvous, `timeout`, priorities. It costs a look-ahead of one state.
//!
//! **Why every state is visited.** Name the steps such that no two steps of a state have the same
//! name. Two sequences of steps from a state are equivalent if exchanging neighbours that commute
//! transforms one into the other; they end in the same state. Let first(w) be the first steps of
//! all sequences equivalent to w. Claim: if `s` was visited with sleep set Z, and first(w) ∩ Z = ∅,
//! the state after w is visited. Induction on the length of w: let `a` be the step of first(w)
//! that was taken first in `s`, so w is equivalent to some a·v. The sleep set after `a` contains
//! the steps that commute with `a` among those of Z and those taken before `a`. If such a step b
//! were in first(v), w would be equivalent to a·b·u and to b·a·u, and b in first(w): but Z contains
//! no step of first(w), and `a` was the first one taken. The initial state has an empty sleep set.
//!
//! A state stored with sleep set Z and reached again with Y is entered again for Z \ Y, and stored
//! with Z ∩ Y from then on. The sleep set of this visit is Z ∩ Y and the steps taken *in this
//! visit*. Steps of the first visit must not be added, since the steps taken now slept after them.
//! (The same argument, with `a` the step taken first in the first visit after which no step of
//! first(w) sleeps.) If the state is on the stack, the visit waits until the present one is done:
//! its successors are still in memory.
//!
//! Entering a state again costs an expansion. Where a sleeping step leads to a stored state, it is
//! therefore taken at once, when the state is expanded ([`remaining_sleep_set`]). While the cache
//! holds enough states, most sleeping steps are of this kind.

use crate::reach::atomic::ExpansionError;
use crate::reach::expansion::Expansion;
use crate::reach::tally::Tally;
use crate::store::SleepSet;
use lariat_ir::system::{System, Width};
use std::sync::atomic::AtomicBool;

/// The number of successors of a state that can be in a sleep set; the others never are.
const SLEEPERS: usize = SleepSet::BITS as usize;

fn contains(set: SleepSet, index: usize) -> bool {
    index < SLEEPERS && set >> index & 1 == 1
}

/// In an independence table: the two steps do not commute.
const DEPENDENT: u8 = u8::MAX;

/// The successors of a state that are still to be visited, and its sleep set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    scheduled: SleepSet,
    /// Are successors beyond the range of a sleep set scheduled?
    others_scheduled: bool,
    sleep_set: SleepSet,
    next: usize,
}

impl Schedule {
    /// All successors that do not sleep.
    pub fn all_but(sleep_set: SleepSet) -> Schedule {
        Schedule { scheduled: !sleep_set, others_scheduled: true, sleep_set, next: 0 }
    }

    /// Only the woken successors.
    pub fn only(woken: SleepSet, sleep_set: SleepSet) -> Schedule {
        Schedule { scheduled: woken, others_scheduled: false, sleep_set, next: 0 }
    }

    pub fn sleep_set(&self) -> SleepSet {
        self.sleep_set
    }

    /// Can the independence of `count` successors influence a sleep set?
    pub fn needs_independence(&self, count: usize) -> bool {
        let any = (0..count).any(|index| self.is_scheduled(index));
        let involved =
            |index: &usize| self.is_scheduled(*index) || contains(self.sleep_set, *index);
        any && (0..count).filter(involved).count() > 1
    }

    fn is_scheduled(&self, index: usize) -> bool {
        if index < SLEEPERS { contains(self.scheduled, index) } else { self.others_scheduled }
    }

    /// The next of `count` successors to visit, and its sleep set.
    pub fn next(&mut self, count: usize, independence: &[u8]) -> Option<(usize, SleepSet)> {
        let index = (self.next..count).find(|index| self.is_scheduled(*index))?;
        self.next = index + 1;
        let successor_sleep_set = sleep_set_after(independence, count, index, self.sleep_set);
        if index < SLEEPERS {
            self.sleep_set |= 1 << index;
        }
        Some((index, successor_sleep_set))
    }
}

/// Removes from a sleep set the successors for which `is_known` returns true: it receives the index
/// and the sleep set of a successor and returns whether a visit to it would have no effect.
pub(crate) fn remaining_sleep_set(
    independence: &[u8],
    count: usize,
    sleep_set: SleepSet,
    mut is_known: impl FnMut(usize, SleepSet) -> bool,
) -> SleepSet {
    let mut remaining = sleep_set;
    // In reverse order: after a step that is taken first, no step that is taken later sleeps.
    for index in (0..count.min(SLEEPERS)).rev().filter(|index| contains(sleep_set, *index)) {
        let others = remaining & !(1 << index);
        if is_known(index, sleep_set_after(independence, count, index, others)) {
            remaining = others;
        }
    }
    remaining
}

/// The sleep set of successor `taken`, in its numbering of steps.
fn sleep_set_after(
    independence: &[u8],
    count: usize,
    taken: usize,
    sleep_set: SleepSet,
) -> SleepSet {
    let width = count.min(SLEEPERS);
    let Some(row) = independence.get(taken * width..(taken + 1) * width).filter(|_| taken < width)
    else {
        return 0;
    };
    let commuting = row
        .iter()
        .enumerate()
        .filter(|(other, index)| contains(sleep_set, *other) && **index != DEPENDENT);
    commuting.fold(0, |set, (_, index)| set | 1 << index)
}

/// Finds the pairs of successors that commute.
#[derive(Debug)]
pub(crate) struct IndependenceFinder {
    /// The expansion of a successor.
    expansion: Expansion<true>,
    /// For each pair of steps, the state after both.
    corners: Vec<u64>,
}

impl IndependenceFinder {
    pub fn new(width: Width) -> IndependenceFinder {
        IndependenceFinder { expansion: Expansion::new(width), corners: Vec::new() }
    }

    /// Appends a square table to `table`: for each pair of successors that commute, the index that
    /// the second step has in the first successor. The look-ahead is counted in `uncounted`: the
    /// search visits those states at another time.
    pub fn append_table<S: System>(
        &mut self,
        system: &S,
        here: &Expansion<true>,
        uncounted: &mut Tally,
        stop: &AtomicBool,
        table: &mut Vec<u8>,
    ) -> Result<(), ExpansionError> {
        let (stride, words) = (here.stride(), here.stride() - 1);
        let count = here.labels().len().min(SLEEPERS);
        let names: Vec<Option<u64>> = here.labels()[..count]
            .iter()
            .map(|name| index_of_unique(here.labels(), *name).map(|_| *name))
            .collect();
        let start = table.len();
        table.resize(start + count * count, DEPENDENT);
        let table = &mut table[start..];
        self.corners.clear();
        self.corners.resize(count * count * words, 0);
        for one in 0..count {
            let state = &here.successors()[one * stride + 1..(one + 1) * stride];
            self.expansion.expand(system, state, uncounted, stop)?;
            for (other, name) in names.iter().enumerate().filter(|(other, _)| *other != one) {
                let found = name.and_then(|name| index_of_unique(self.expansion.labels(), name));
                let Some(index) = found.filter(|index| *index < SLEEPERS) else { continue };
                let pair = one * count + other;
                table[pair] = index as u8;
                let state = &self.expansion.successors()[index * stride + 1..(index + 1) * stride];
                self.corners[pair * words..(pair + 1) * words].copy_from_slice(state);
            }
        }
        let corner = |pair: usize| &self.corners[pair * words..(pair + 1) * words];
        for one in 0..count {
            for other in 0..one {
                let (there, back) = (one * count + other, other * count + one);
                let commute = table[there] != DEPENDENT
                    && table[back] != DEPENDENT
                    && corner(there) == corner(back);
                if !commute {
                    (table[there], table[back]) = (DEPENDENT, DEPENDENT);
                }
            }
        }
        Ok(())
    }
}

/// The index of a name that occurs exactly once.
fn index_of_unique(names: &[u64], name: u64) -> Option<usize> {
    let mut found = names.iter().enumerate().filter(|(_, other)| **other == name);
    let (index, _) = found.next()?;
    found.next().is_none().then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three steps the first two commute; after each, the other one has another index.
    const TABLE: [u8; 9] = [
        DEPENDENT, 5, DEPENDENT, //
        4, DEPENDENT, DEPENDENT, //
        DEPENDENT, DEPENDENT, DEPENDENT,
    ];

    #[test]
    fn a_step_sleeps_after_the_steps_it_commutes_with() {
        let mut schedule = Schedule::all_but(0);
        assert!(schedule.needs_independence(3));
        assert_eq!(schedule.next(3, &TABLE), Some((0, 0)));
        assert_eq!(schedule.next(3, &TABLE), Some((1, 1 << 4)));
        assert_eq!(schedule.next(3, &TABLE), Some((2, 0)));
        assert_eq!(schedule.next(3, &TABLE), None);
    }

    #[test]
    fn sleeping_steps_are_not_taken() {
        let mut schedule = Schedule::all_but(0b10);
        assert_eq!(schedule.next(3, &TABLE), Some((0, 1 << 5)));
        assert_eq!(schedule.next(3, &TABLE), Some((2, 0)));
        assert_eq!(schedule.next(3, &TABLE), None);
        assert!(!Schedule::all_but(0b111).needs_independence(3));
    }

    /// In a later visit, only steps taken in that visit sleep after the following ones.
    #[test]
    fn entering_again() {
        let mut schedule = Schedule::only(0b10, 0);
        assert_eq!(schedule.next(3, &TABLE), Some((1, 0)));
        assert_eq!(schedule.next(3, &TABLE), None);
    }

    /// The first two steps commute: one that is known to have been visited while the other slept
    /// does not wake the other.
    #[test]
    fn steps_to_known_states_are_taken() {
        let mut calls = Vec::new();
        let mut is_known = |index, sleep_set| {
            calls.push((index, sleep_set));
            index == 1
        };
        assert_eq!(remaining_sleep_set(&TABLE, 3, 0b111, &mut is_known), 0b101);
        assert_eq!(calls, [(2, 0), (1, 1 << 4), (0, 0)]);
        assert_eq!(remaining_sleep_set(&[], 3, 0b11, |_, sleep_set| sleep_set == 0), 0);
    }

    #[test]
    fn more_successors_than_can_sleep() {
        let mut schedule = Schedule::all_but(SleepSet::MAX);
        let many = SLEEPERS + 2;
        assert_eq!(schedule.next(many, &[]), Some((SLEEPERS, 0)));
        assert_eq!(schedule.next(many, &[]), Some((SLEEPERS + 1, 0)));
        assert_eq!(schedule.next(many, &[]), None);
        assert_eq!(Schedule::only(0, 0).next(many, &[]), None);
    }

    #[test]
    fn ambiguous_names_are_not_found() {
        assert_eq!(index_of_unique(&[3, 1, 2, 1], 2), Some(2));
        assert_eq!(index_of_unique(&[3, 1, 2, 1], 1), None);
        assert_eq!(index_of_unique(&[3, 1, 2, 1], 4), None);
    }
}
