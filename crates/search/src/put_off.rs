//! A depth-first search with a bounded stack: what would make it longer is put off.
//!
//! In a graph where most states can be reached from each other, a depth-first stack soon has most of them on it, and a store that must
//! remember the stack saves nothing. So when the stack has its share of the memory, a new state is not entered but kept. It is entered when the search
//! meets it again with a shorter stack, as most are; or else from the empty stack, as if it were initial.
//!
//! **Every state is visited**, since what is put off is kept until it is entered, and what sleeps in it with it; that nothing is left out by sleep sets
//! ([`crate::sleep`]) is an argument about sequences of steps, not about when a state is entered. Met again while it waits, with fewer asleep,
//! it will be entered with those asleep that sleep both times.
//!
//! **The search ends.** What is entered from the empty stack is kept until all is done that was put off behind it: last in, first out. Think of the tree of
//! these states, each below the one behind which it was put off. Each has finitely many below it, because the search from it is one with a stack that is remembered; and on a branch none is
//! there twice, because all that are above it are kept, and so are not new. So the tree is finite.
//!
//! Where what is put off fills the memory, the search begins again with a shorter stack ([`crate::stack`]).
//!
//! A state on the stack has a way back, the stack; for what is put off it is noted ([`crate::ways_back`]).

use crate::ways_back::{Place, WaysBack};

/// What is left to do when the stack is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// To enter what was put off in this slot, that many moves and states behind the initial one.
    Resume { slot: u32, depth: u64, layer: u32, place: Place },
    /// To keep no longer what was entered from the empty stack, in this slot.
    Release { slot: u32 },
}

#[derive(Debug, Default)]
pub(crate) struct PutOff {
    due: Vec<Due>,
    pub ways: WaysBack,
}

impl PutOff {
    pub fn push(&mut self, due: Due) {
        self.due.push(due);
    }

    /// The last that was put off.
    pub fn pop(&mut self) -> Option<Due> {
        self.due.pop()
    }

    /// Now and then, forgets ways that nothing is put off at the end of. Those to these places are needed, too.
    pub fn tidy<'p>(&'p mut self, needed: impl Iterator<Item = &'p mut Place>) {
        if self.ways.has_grown() {
            let due = self.due.iter_mut().filter_map(|due| match due {
                Due::Resume { place, .. } => Some(place),
                Due::Release { .. } => None,
            });
            self.ways.retain(due.chain(needed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ways_back::START;

    #[test]
    fn ways_to_what_is_due_stay() {
        let mut put_off = PutOff::default();
        let mut on_stack = put_off.ways.add(START, 3);
        let place = put_off.ways.add(on_stack, 4);
        put_off.push(Due::Release { slot: 7 });
        put_off.push(Due::Resume { slot: 8, depth: 2, layer: 2, place });
        for arrival in 0..10_000 {
            put_off.ways.add(START, arrival);
            put_off.tidy(std::iter::once(&mut on_stack));
        }
        let Some(Due::Resume { place, .. }) = put_off.pop() else { panic!("the last is the first") };
        assert_eq!((put_off.ways.to(place), put_off.ways.to(on_stack)), (vec![3, 4], vec![3]));
        assert_eq!(put_off.pop(), Some(Due::Release { slot: 7 }));
    }
}
