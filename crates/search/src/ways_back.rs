//! The ways to states that a depth-first search has put off: a tree, of which only the branches to such states are there.
//!
//! The way to a state on the stack is the stack. When a state is put off, the stack above it is about to go; what is needed of it is noted, once for
//! all states put off below the same part of it. When the tree has grown to twice its size, branches that nobody needs any more are cut.

/// The place of a state in the tree.
pub(crate) type Place = u32;

/// Where all ways begin.
pub(crate) const START: Place = u32::MAX;

/// Below this, nothing is cut.
const SMALL: usize = 1 << 10;

#[derive(Debug, Default)]
pub(crate) struct WaysBack {
    /// The place of the state before, and which of its arrivals.
    steps: Vec<(Place, u32)>,
    /// How many were needed when that was looked at.
    retained: usize,
}

impl WaysBack {
    pub fn add(&mut self, before: Place, arrival: u32) -> Place {
        self.steps.push((before, arrival));
        (self.steps.len() - 1) as Place
    }

    /// The arrivals on the way to a place.
    pub fn to(&self, place: Place) -> Vec<u32> {
        let steps = std::iter::successors(self.step(place), |(before, _)| self.step(*before));
        let mut arrivals: Vec<u32> = steps.map(|(_, arrival)| arrival).collect();
        arrivals.reverse();
        arrivals
    }

    fn step(&self, place: Place) -> Option<(Place, u32)> {
        self.steps.get(place as usize).copied()
    }

    /// So much memory it takes, at most: while branches are cut, it is noted where each step goes.
    pub fn memory_bytes(&self) -> u64 {
        (self.steps.capacity() * (size_of::<(Place, u32)>() + size_of::<Place>())) as u64
    }

    /// Is it time for [`WaysBack::retain`]?
    pub fn has_grown(&self) -> bool {
        self.steps.len() > 2 * self.retained + SMALL
    }

    /// Forgets all that is on no way to one of these `wanted` places, and moves the others together.
    pub fn retain<'w>(&mut self, wanted: impl Iterator<Item = &'w mut Place>) {
        let wanted: Vec<&mut Place> = wanted.filter(|place| **place != START).collect();
        let mut moved = vec![START; self.steps.len()];
        for place in &wanted {
            let mut place = **place;
            while place != START && std::mem::replace(&mut moved[place as usize], 0) == START {
                place = self.steps[place as usize].0;
            }
        }
        let mut next = 0;
        for place in 0..self.steps.len() {
            if moved[place] == START {
                continue;
            }
            let (before, arrival) = self.steps[place];
            // What is before was added before.
            let before = if before == START { START } else { moved[before as usize] };
            self.steps[next as usize] = (before, arrival);
            moved[place] = next;
            next += 1;
        }
        self.steps.truncate(next as usize);
        self.retained = self.steps.len();
        for place in wanted {
            *place = moved[*place as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_wanted_branches_stay() {
        let mut ways = WaysBack::default();
        let one = ways.add(START, 5);
        let other = ways.add(START, 6);
        let mut below = [ways.add(one, 7), ways.add(other, 8), ways.add(one, 9), START];
        let unwanted = below[1];
        assert_eq!((ways.to(below[0]), ways.to(unwanted)), (vec![5, 7], vec![6, 8]));
        let [first, _, last, start] = &mut below;
        ways.retain([last, first, start].into_iter());
        assert_eq!(ways.steps.len(), 3);
        assert!(!ways.has_grown());
        assert_eq!(
            (ways.to(below[0]), ways.to(below[2]), ways.to(below[3])),
            (vec![5, 7], vec![5, 9], vec![])
        );
    }
}
