//! Sleep sets (Godefroid: Using partial orders to improve automatic verification methods, 1990), which state-space caching
//! lives on (Godefroid, Holzmann, Pirottin: State-space caching revisited, 1992).
//!
//! Where two steps commute, the state behind both is reached in either order, and a search that has forgotten it visits it
//! twice, with all that is behind it. So once `a` has been taken, it *sleeps* behind `b`, and on until a step is taken that it
//! does not commute with. Every state is still visited, and expanded whole, so errors, deadlocks and coverage are those of the plain
//! search; only fewer ways lead to each.
//!
//! What commutes is not derived from the program but seen in its graph: `a` and `b` commute in `s` if each can be taken after the
//! other and both orders lead to the same state. That is finer than what the text of a program tells (array elements, channels
//! neither full nor empty), and right for whatever a language has: rendezvous, `timeout`, priorities. It takes looking one state ahead.
//!
//! **Why every state is visited.** Name the steps so that no two steps of a state have the same name. Two sequences of steps from a
//! state are equivalent if exchanging neighbours that commute where they stand makes one of the other; they end in the same
//! state. Let first(w) be the steps with which the sequences equivalent to w begin. Claim: if `s` was visited while Z slept, and nothing of
//! first(w) is in Z, then the state behind w is visited. By induction on the length of w: let `a` be the step of first(w) that was
//! taken first in `s`, so w is equivalent to some a·v. Behind `a` sleep those of Z, and of the steps taken before, that commute with it. If one of these, b,
//! were in first(v), then w would be equivalent to a·b·u and to b·a·u, and b in first(w): but Z has nothing of that, and `a` was
//! the first. At the initial state nothing sleeps.
//!
//! A state that is remembered with Z and met again while only Y sleeps is entered again for Z \ Y, and remembered with Z ∩ Y from then on. This time
//! sleep Z ∩ Y and what has been taken *this time*. What was taken the first time must not, since behind it slept what is taken now. (The
//! same argument, with `a` the step taken first in the first of the visits after which nothing of first(w) sleeps.) If the state is on the stack, this visit waits
//! until the one before has taken all it wanted: its successors are still at hand, and whatever else was woken by then is taken with it.
//!
//! Entering again costs an expansion, so it is done ahead of time where it costs nothing: when a state is expanded, and what sleeps in it leads to states that are
//! known, it is as if the state were entered again at once for just these, and each found known ([`still_asleep`]). Most of what sleeps is like that while
//! the store remembers enough: the state behind both orders was visited a moment ago.

use crate::atomic::Broken;
use crate::expansion::Expansion;
use crate::tally::Tally;
use model::system::{System, Width};
use std::sync::atomic::AtomicBool;

/// A set of arrivals of a state, by number. Those with numbers too large for it never sleep.
pub(crate) type Asleep = u32;

const NUMBERED: usize = Asleep::BITS as usize;

fn contains(set: Asleep, number: usize) -> bool {
    number < NUMBERED && set >> number & 1 == 1
}

/// In a [`Commutation`]: the two do not commute.
const NOT: u8 = u8::MAX;

/// Which arrivals of a state are to be visited, and which sleep meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agenda {
    wanted: Asleep,
    /// Are those wanted that have no place in the set?
    all_others: bool,
    asleep: Asleep,
    next: usize,
}

impl Agenda {
    /// All that does not sleep.
    pub fn all_but(asleep: Asleep) -> Agenda {
        Agenda { wanted: !asleep, all_others: true, asleep, next: 0 }
    }

    /// Only those woken, while others sleep on.
    pub fn only(woken: Asleep, asleep: Asleep) -> Agenda {
        Agenda { wanted: woken, all_others: false, asleep, next: 0 }
    }

    /// What sleeps.
    pub fn asleep(&self) -> Asleep {
        self.asleep
    }

    /// Does it matter which of so many arrivals commute?
    pub fn needs_commutation(&self, arrivals: usize) -> bool {
        let some = (0..arrivals).any(|number| self.wants(number));
        some && (0..arrivals).filter(|number| self.wants(*number) || contains(self.asleep, *number)).count()
            > 1
    }

    fn wants(&self, number: usize) -> bool {
        if number < NUMBERED { contains(self.wanted, number) } else { self.all_others }
    }

    /// The next of so many arrivals to be visited, and what sleeps behind it.
    pub fn next(&mut self, arrivals: usize, commutation: &[u8]) -> Option<(usize, Asleep)> {
        let number = (self.next..arrivals).find(|number| self.wants(*number))?;
        self.next = number + 1;
        let asleep = behind(commutation, arrivals, number, self.asleep);
        if number < NUMBERED {
            self.asleep |= 1 << number;
        }
        Some((number, asleep))
    }
}

/// What must go on sleeping of what sleeps in a state: not what leads to states that are `known`, so that arriving there, while so many
/// sleep, would change nothing. It is taken now, and the state need not be entered again for it.
pub(crate) fn still_asleep(
    commutation: &[u8],
    arrivals: usize,
    asleep: Asleep,
    mut known: impl FnMut(usize, Asleep) -> bool,
) -> Asleep {
    let mut still = asleep;
    // What is taken first is looked at last: behind it, nothing sleeps that is taken later.
    for number in (0..arrivals.min(NUMBERED)).rev().filter(|number| contains(asleep, *number)) {
        let others = still & !(1 << number);
        if known(number, behind(commutation, arrivals, number, others)) {
            still = others;
        }
    }
    still
}

/// What sleeps behind an arrival, numbered as there, of what slept before.
fn behind(commutation: &[u8], arrivals: usize, taken: usize, asleep: Asleep) -> Asleep {
    let count = arrivals.min(NUMBERED);
    let Some(row) = commutation.get(taken * count..(taken + 1) * count).filter(|_| taken < count) else {
        return 0;
    };
    let still = row.iter().enumerate().filter(|(other, number)| contains(asleep, *other) && **number != NOT);
    still.fold(0, |set, (_, number)| set | 1 << number)
}

/// Finds out what commutes.
#[derive(Debug)]
pub(crate) struct Commutation {
    /// One state ahead.
    expansion: Expansion<true>,
    /// The states behind two arrivals, by pair.
    corners: Vec<u64>,
}

impl Commutation {
    pub fn new(width: Width) -> Commutation {
        Commutation { expansion: Expansion::new(width), corners: Vec::new() }
    }

    /// Appends to `table`, for each pair of the arrivals of a state: if they commute, which arrival of the first the second is.
    /// What is met on the way is counted in `unseen`: the search will come there, or has been there.
    pub fn look<S: System>(
        &mut self,
        system: &S,
        here: &Expansion<true>,
        unseen: &mut Tally,
        stop: &AtomicBool,
        table: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        let (stride, words) = (here.stride(), here.stride() - 1);
        let count = here.names().len().min(NUMBERED);
        let names: Vec<Option<u64>> = (0..count)
            .map(|number| only(here.names(), here.names()[number]).map(|_| here.names()[number]))
            .collect();
        let start = table.len();
        table.resize(start + count * count, NOT);
        let table = &mut table[start..];
        self.corners.clear();
        self.corners.resize(count * count * words, 0);
        for one in 0..count {
            let state = &here.arrivals()[one * stride + 1..(one + 1) * stride];
            self.expansion.expand(system, state, unseen, stop)?;
            for (other, name) in names.iter().enumerate().filter(|(other, _)| *other != one) {
                let Some(number) = name.and_then(|name| only(self.expansion.names(), name)) else { continue };
                let pair = one * count + other;
                if number < NUMBERED {
                    table[pair] = number as u8;
                    let state = &self.expansion.arrivals()[number * stride + 1..(number + 1) * stride];
                    self.corners[pair * words..(pair + 1) * words].copy_from_slice(state);
                }
            }
        }
        let corner = |pair: usize| &self.corners[pair * words..(pair + 1) * words];
        for one in 0..count {
            for other in 0..one {
                let (there, back) = (one * count + other, other * count + one);
                let commute = table[there] != NOT && table[back] != NOT && corner(there) == corner(back);
                if !commute {
                    (table[there], table[back]) = (NOT, NOT);
                }
            }
        }
        Ok(())
    }
}

/// Where the name is, if it is there once.
fn only(names: &[u64], name: u64) -> Option<usize> {
    let mut places = names.iter().enumerate().filter(|(_, other)| **other == name).map(|(place, _)| place);
    let place = places.next();
    place.filter(|_| places.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three steps of which the first two commute; behind either the other has another number.
    const TABLE: [u8; 9] = [NOT, 5, NOT, 4, NOT, NOT, NOT, NOT, NOT];

    #[test]
    fn a_step_sleeps_behind_those_it_commutes_with() {
        let mut agenda = Agenda::all_but(0);
        assert!(agenda.needs_commutation(3));
        assert_eq!(agenda.next(3, &TABLE), Some((0, 0)));
        assert_eq!(agenda.next(3, &TABLE), Some((1, 1 << 4)));
        assert_eq!(agenda.next(3, &TABLE), Some((2, 0)));
        assert_eq!(agenda.next(3, &TABLE), None);
    }

    #[test]
    fn what_sleeps_is_not_taken() {
        let mut agenda = Agenda::all_but(0b10);
        assert_eq!(agenda.next(3, &TABLE), Some((0, 1 << 5)));
        assert_eq!(agenda.next(3, &TABLE), Some((2, 0)));
        assert_eq!(agenda.next(3, &TABLE), None);
        assert!(!Agenda::all_but(0b111).needs_commutation(3));
    }

    /// Only what is taken this time sleeps behind what is taken later.
    #[test]
    fn entering_again() {
        let mut agenda = Agenda::only(0b10, 0);
        assert_eq!(agenda.next(3, &TABLE), Some((1, 0)));
        assert_eq!(agenda.next(3, &TABLE), None);
    }

    /// The first two commute: if one is known to have been visited while the other sleeps, the other must go on sleeping.
    #[test]
    fn what_leads_to_known_states_is_taken() {
        let mut asked = Vec::new();
        let mut known = |number, asleep| {
            asked.push((number, asleep));
            number == 1
        };
        assert_eq!(still_asleep(&TABLE, 3, 0b111, &mut known), 0b101);
        assert_eq!(asked, [(2, 0), (1, 1 << 4), (0, 0)]);
        assert_eq!(still_asleep(&[], 3, 0b11, |_, asleep| asleep == 0), 0);
    }

    #[test]
    fn more_arrivals_than_can_sleep() {
        let mut agenda = Agenda::all_but(Asleep::MAX);
        let many = NUMBERED + 2;
        assert_eq!(agenda.next(many, &[]), Some((NUMBERED, 0)));
        assert_eq!(agenda.next(many, &[]), Some((NUMBERED + 1, 0)));
        assert_eq!(agenda.next(many, &[]), None);
        assert_eq!(Agenda::only(0, 0).next(many, &[]), None);
    }

    #[test]
    fn a_name_that_two_steps_have_is_none() {
        assert_eq!(only(&[3, 1, 2, 1], 2), Some(2));
        assert_eq!(only(&[3, 1, 2, 1], 1), None);
        assert_eq!(only(&[3, 1, 2, 1], 4), None);
    }
}
