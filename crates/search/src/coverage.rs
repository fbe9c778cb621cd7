//! Which transitions were ever taken.

use model::system::Move;

/// A set of transitions, by process type, location and position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    taken: Vec<Vec<Vec<bool>>>,
}

fn entry<T: Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if index >= list.len() {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}

impl Coverage {
    pub fn mark(&mut self, taken: &Move) {
        let locations = entry(&mut self.taken, taken.process_type.index());
        let transitions = entry(locations, taken.location as usize);
        *entry(transitions, taken.transition as usize) = true;
    }

    pub fn contains(&self, process_type: usize, location: usize, transition: usize) -> bool {
        let locations = self.taken.get(process_type);
        let transitions = locations.and_then(|locations| locations.get(location));
        transitions.and_then(|transitions| transitions.get(transition)).copied().unwrap_or(false)
    }
}
