//! A search that expands next what leaves the fewest states to be remembered, for graphs in which a depth-first search visits too much again.
//!
//! A state is worth remembering while steps into it or out of it were not passed. How many there are into it is guessed from the steps seen before
//! ([`crate::ways_in`]); what was met as often is forgotten first ([`Replacement::Met`](crate::store::Replacement)). So what is to be remembered is the border between what was visited and what was not,
//! and its length depends on the order. (That no order needs less than the *vertex separation* of the graph is why this is worth while: it is often far below what
//! is on a depth-first stack, or in two levels.)
//!
//! A step is passed as soon as both its ends are there: those out of a state when it begins to wait, and then those into it from others that wait, which are
//! guessed and looked up. So a state that waits is not in the way of those that it leads to, and when it is expanded, only what is missing is added.
//! The order is that of Sloan (An algorithm for profile and wavefront reduction of sparse matrices, 1986) without his distances: next is the state with the fewest steps
//! that were not passed, into it and out of it; of these, the oldest.
//!
//! A guess that is too low does much harm: one state that was forgotten too early is new again, and so is everything behind it. So where there is room, what is kept longest of that which is not expected
//! again are states that steps about which something new was learned lately nearly lead to.
//!
//! Everything is visited, and the search ends, for the reasons that a search by levels has ([`crate::levels`]): they do not depend on the order, nor on what is
//! expected. A step is passed only if the state at its end was visited, which is seen by expanding the one before it. Guesses that are bad make it give up.

use crate::Coverage;
use crate::expansion::Expansion;
use crate::levels::{Passed, Plan, Waiting, different};
use crate::single::Stop;
use crate::store::{Cache, Expected, Standing, Store};
use crate::tally::Tally;
use crate::ways_back::Place;
use crate::ways_in::WaysIn;
use model::system::System;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::AtomicBool;

/// What is known of a state that waits.
#[derive(Debug)]
struct Known {
    waiting: Waiting,
    /// When it began to wait.
    time: u64,
    /// Its arrivals that are passed, and how many others there are.
    passed: Passed,
    ahead: u32,
    /// So many states are before it from which it was not met.
    behind: u32,
    /// It has the words that are not stored in common with most states, so that its arrivals can be told from what is stored.
    usual: bool,
}

impl Known {
    /// What goes first. A state whose last step was passed need not wait.
    fn key(&self) -> (u32, u64, u32) {
        let left = if self.ahead == 0 { 0 } else { self.ahead + self.behind };
        (left, self.time, self.waiting.slot)
    }
}

/// What waits, by slot, and in order.
#[derive(Debug, Default)]
struct Front {
    known: HashMap<u32, Known>,
    order: BTreeSet<(u32, u64, u32)>,
}

impl Front {
    fn insert(&mut self, known: Known) {
        self.order.insert(known.key());
        self.known.insert(known.waiting.slot, known);
    }

    fn change(&mut self, slot: u32, change: impl FnOnce(&mut Known)) {
        if let Some(known) = self.known.get_mut(&slot) {
            self.order.remove(&known.key());
            change(known);
            self.order.insert(known.key());
        }
    }

    fn pop(&mut self) -> Option<Known> {
        self.order.pop_first().and_then(|(.., slot)| self.known.remove(&slot))
    }
}

#[derive(Debug)]
pub(crate) struct Narrow<'a, S> {
    system: &'a S,
    ways_in: WaysIn,
    /// Expands what begins to wait, and what is before it; and what is counted there.
    expansion: Expansion<true>,
    unseen: Tally,
    /// The words that are not stored, in most states.
    unstored: Option<Vec<u64>>,
    front: Front,
    /// What began to wait just now.
    new: Vec<(Waiting, Vec<u64>)>,
    time: u64,
}

/// A state that waits takes so much in a hash table, with a byte that says whether its place is taken, at most seven eighths of which are.
const IN_TABLE: usize = (size_of::<(u32, Known)>() + 1) * 8 / 7;
/// And so much in an ordered set, whose nodes are about two thirds full.
const IN_ORDER: usize = size_of::<(u32, u64, u32)>() * 3 / 2;

impl<'a, S: System> Narrow<'a, S> {
    pub fn new(system: &'a S, ways_in: WaysIn) -> Narrow<'a, S> {
        Narrow {
            system,
            ways_in,
            expansion: Expansion::new(system.width()),
            unseen: Tally { coverage: Coverage::new(system.transition_count()), ..Tally::default() },
            unstored: None,
            front: Front::default(),
            new: Vec::new(),
            time: 0,
        }
    }

    /// Passes the steps between a state that begins to wait and those that are there.
    fn connect(
        &mut self,
        store: &Cache,
        stop: &AtomicBool,
        waiting: Waiting,
        state: &[u64],
    ) -> Result<(), Stop> {
        self.expansion.expand(self.system, state, &mut self.unseen, stop)?;
        let (state, unstored) = state.split_at(self.system.width().identity);
        let usual = self.unstored.get_or_insert_with(|| unstored.to_vec()) == unstored;
        let arrivals = self.expansion.take_arrivals();
        let stride = self.expansion.stride();
        for (name, arrival) in self.expansion.names().iter().zip(arrivals.chunks_exact(stride)) {
            self.ways_in.see(*name, state, &arrival[1..=state.len()]);
        }
        let (mut passed, mut ahead) = (Passed::default(), 0);
        for (number, arrival) in different(&arrivals, stride, state) {
            let next = &arrival[1..=state.len()];
            if store.standing(next, store.key(next)).is_some() && passed.add(number) {
                store.meet(next, store.key(next));
                self.met(store, next);
            } else {
                ahead += 1;
            }
        }
        self.expansion.give_back(arrivals);
        self.time += 1;
        let time = self.time;
        self.front.insert(Known { waiting, time, passed, ahead, behind: 0, usual });
        let before: Vec<_> = self.ways_in.before(state).collect();
        let expected = before.len() as u32;
        for before in before {
            self.pass(store, stop, before, state)?;
        }
        let met = match store.standing(state, store.key(state)) {
            Some(Standing::Waits { met, .. }) => met,
            _ => 0,
        };
        let behind = expected.saturating_sub(met);
        self.front.change(waiting.slot, |known| known.behind = behind);
        Ok(())
    }

    /// Passes the step to a state that is there from one that may lead to it, if that waits and does.
    fn pass(
        &mut self,
        store: &Cache,
        stop: &AtomicBool,
        mut before: Vec<u64>,
        state: &[u64],
    ) -> Result<(), Stop> {
        let Some(Standing::Waits { slot, .. }) = store.standing(&before, store.key(&before)) else {
            return Ok(());
        };
        if !self.front.known.get(&slot).is_some_and(|known| known.usual && known.ahead > 0) {
            return Ok(());
        }
        before.extend(self.unstored.iter().flatten());
        self.expansion.expand(self.system, &before, &mut self.unseen, stop)?;
        let mut arrivals = self.expansion.arrivals().chunks_exact(self.expansion.stride());
        if let Some(number) = arrivals.position(|arrival| arrival[1..=state.len()] == *state) {
            self.front.change(slot, |known| {
                if known.passed.add(number) {
                    known.ahead -= 1;
                    store.meet(state, store.key(state));
                }
            });
        }
        Ok(())
    }
}

impl<S: System> Plan for Narrow<'_, S> {
    fn wait(&mut self, _: &Cache, waiting: Waiting, state: &[u64]) {
        self.new.push((waiting, state.to_vec()));
    }

    fn met(&mut self, store: &Cache, state: &[u64]) {
        if let Some(Standing::Waits { slot, .. }) = store.standing(state, store.key(state)) {
            self.front.change(slot, |known| known.behind = known.behind.saturating_sub(1));
        }
    }

    fn expected(&self, state: &[u64], _: u32) -> u32 {
        self.ways_in.count(state)
    }

    fn expected_now(&self, state: &[u64]) -> Expected {
        let (perhaps, doubt) = self.ways_in.nearly(state);
        Expected { times: self.ways_in.count(state), perhaps, doubt }
    }

    fn next(&mut self, store: &Cache, stop: &AtomicBool) -> Result<Option<(Waiting, Passed)>, Stop> {
        for (waiting, state) in std::mem::take(&mut self.new) {
            self.connect(store, stop, waiting, &state)?;
        }
        Ok(self.front.pop().map(|known| (known.waiting, known.passed)))
    }

    fn len(&self) -> usize {
        self.front.known.len() + self.new.len()
    }

    fn memory_bytes(&self) -> u64 {
        let new = self.new.capacity() * size_of::<(Waiting, Vec<u64>)>();
        let waiting = self.front.known.capacity() * IN_TABLE + self.front.order.len() * IN_ORDER;
        (new + waiting) as u64 + self.ways_in.memory_bytes()
    }

    fn places(&mut self) -> impl Iterator<Item = &mut Place> {
        let new = self.new.iter_mut().map(|(waiting, _)| &mut waiting.place);
        self.front.known.values_mut().map(|known| &mut known.waiting.place).chain(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::{ByLevel, attempt};
    use crate::store::{Reached, Replacement};
    use crate::testing::Written;
    use crate::ways_back::START;
    use crate::{Options, Outcome, StoreKind, reachability};
    use model::system::Width;
    use proptest::prelude::*;
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::time::Duration;

    /// Processes with three bits each, in one word. A step of one: where it must be, whether the one to its right must be elsewhere than in the last
    /// field, and where it goes.
    #[derive(Debug)]
    struct Processes {
        count: u32,
        steps: Vec<(u64, Option<u64>, u64)>,
        visits: Mutex<Vec<u64>>,
    }

    impl Processes {
        fn new(count: u32, steps: Vec<(u64, Option<u64>, u64)>) -> Processes {
            Processes { count, steps, visits: Mutex::default() }
        }

        fn successors(&self, state: u64) -> Vec<u64> {
            let at = |process: u32| state >> (3 * process) & 7;
            let mut next = Vec::new();
            for process in 0..self.count {
                for (from, not, to) in &self.steps {
                    if at(process) == *from && Some(at((process + 1) % self.count)) != *not {
                        next.push(state ^ (from ^ to) << (3 * process));
                    }
                }
            }
            next
        }

        fn reachable(&self) -> HashSet<u64> {
            let (mut known, mut stack) = (HashSet::from([0]), vec![0]);
            while let Some(state) = stack.pop() {
                stack.extend(self.successors(state).into_iter().filter(|next| known.insert(*next)));
            }
            known
        }

        fn system(&self) -> impl System {
            Written {
                width: Width { identity: 1, all: 1 },
                successors: |state: &[u64]| {
                    self.successors(state[0]).into_iter().map(|next| vec![next]).collect()
                },
                is_right: |state: &[u64]| {
                    self.visits.lock().expect("nobody panics").push(state[0]);
                    true
                },
            }
        }

        /// What is known after so many of all steps were seen.
        fn ways_in(&self, one_in: u64) -> WaysIn {
            let mut ways_in = WaysIn::default();
            for state in self.reachable().into_iter().filter(|state| state % one_in == 0) {
                self.successors(state).into_iter().for_each(|to| ways_in.see(1 << 32, &[state], &[to]));
            }
            ways_in
        }

        fn search(&self, room: u64, one_in: u64) -> Outcome {
            let system = self.system();
            let cache = Cache::new(1, room, Replacement::Layers, 3);
            let plan = Narrow::new(&system, self.ways_in(one_in));
            let options = Options { all_errors: true, ..Options::default() };
            attempt(&system, cache, plan, &options, Duration::ZERO).expect("everything fits")
        }
    }

    fn processes() -> impl Strategy<Value = Processes> {
        let step = (0u64..5, prop::option::of(0u64..5), 0u64..5);
        (1u32..4, prop::collection::vec(step, 1..9)).prop_map(|(count, steps)| Processes::new(count, steps))
    }

    proptest! {
        #![proptest_config(seeded::cases(300))]

        /// However bad the guesses are, and whatever is forgotten, a search that comes to its end has visited every state.
        #[test]
        fn visits_everything(processes in processes(), room in 1u64..130, one_in in 1u64..5) {
            let outcome = processes.search(room, one_in);
            let visited: HashSet<u64> = processes.visits.lock().expect("nobody panics").iter().copied().collect();
            let reachable = processes.reachable();
            prop_assert!(visited.is_subset(&reachable));
            prop_assert!(outcome.limit.is_some() || outcome.exhaustive && visited == reachable);
            prop_assert!(room < reachable.len() as u64 || outcome.exhaustive);
        }

        /// The same for all ways together.
        #[test]
        fn all_ways_together(processes in processes(), room in 1u64..130, sleep_sets in any::<bool>()) {
            let store = StoreKind::Cache { states: Some(room), replacement: Replacement::Layers, sleep_sets, seed: 3 };
            let limits = crate::Limits { states: Some(100_000), ..crate::Limits::default() };
            let options = Options { all_errors: true, store, limits, ..Options::default() };
            let outcome = reachability(&processes.system(), &options);
            let visited: HashSet<u64> = processes.visits.lock().expect("nobody panics").iter().copied().collect();
            let reachable = processes.reachable();
            prop_assert!(visited.is_subset(&reachable));
            prop_assert!(outcome.limit.is_some() || outcome.exhaustive && visited == reachable);
        }
    }

    /// Rings of four states, in which no step can be undone: with room for half of all states none is visited twice, where a search by levels gives up.
    #[test]
    fn remembers_the_border() {
        let processes = Processes::new(6, vec![(0, None, 1), (1, None, 3), (3, None, 2), (2, None, 0)]);
        let states = processes.reachable().len();
        assert!(processes.search(states as u64 / 2, 1).exhaustive);
        assert_eq!(processes.visits.lock().expect("nobody panics").len(), states);
        let cache = Cache::new(1, states as u64 / 2, Replacement::Layers, 3);
        let options = Options { all_errors: true, ..Options::default() };
        let outcome = attempt(&processes.system(), cache, ByLevel::default(), &options, Duration::ZERO);
        assert!(!outcome.expect("everything fits").exhaustive);
    }

    /// Rings of three states: with room for nine in twenty of all states none is visited twice. If steps were passed only when a state is expanded, the best next
    /// one each time would need room for more than eleven.
    #[test]
    fn passes_steps_between_what_waits() {
        let processes = Processes::new(6, vec![(0, None, 1), (1, None, 2), (2, None, 0)]);
        let states = processes.reachable().len();
        assert!(processes.search(states as u64 * 9 / 20, 1).exhaustive);
        assert_eq!(processes.visits.lock().expect("nobody panics").len(), states);
    }

    /// What waits takes memory as well: where there is none, another search has to do it, and this one does not take more and more.
    #[test]
    fn gives_up_where_there_is_no_memory() {
        let processes = Processes::new(6, vec![(0, None, 1), (1, None, 3), (3, None, 2), (2, None, 0)]);
        let system = processes.system();
        let limits = crate::Limits { memory_bytes: Some(1), ..crate::Limits::default() };
        let options = Options { all_errors: true, limits, ..Options::default() };
        let cache = Cache::new(1, 1 << 20, Replacement::Layers, 3);
        let plan = Narrow::new(&system, processes.ways_in(1));
        let outcome = attempt(&system, cache, plan, &options, Duration::ZERO).expect("everything fits");
        assert!(matches!(outcome.limit, Some(crate::Limit::Kept { .. })), "{:?}", outcome.limit);
    }

    #[test]
    fn what_waits_is_counted() {
        let processes = Processes::new(2, vec![(0, None, 1)]);
        let system = processes.system();
        let store = Cache::new(1, 1 << 12, Replacement::Layers, 3).by_levels();
        let mut plan = Narrow::new(&system, processes.ways_in(1));
        let (empty, stop) = (plan.memory_bytes(), AtomicBool::new(false));
        for state in 0..1000u64 {
            let Reached::New { slot } =
                store.reach(&[state], store.key(&[state]), false, |_| Expected::default())
            else {
                panic!("there is room")
            };
            plan.wait(&store, Waiting { slot, depth: 0, place: START }, &[state]);
        }
        plan.next(&store, &stop).expect("everything fits");
        let each = size_of::<(u32, Known)>() + size_of::<(u32, u64, u32)>();
        assert!((999 * each..4000 * each).contains(&((plan.memory_bytes() - empty) as usize)));
    }
}
