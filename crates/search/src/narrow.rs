//! A search that expands next what leaves the fewest states to be remembered, for graphs in which a depth-first search visits too much again.
//!
//! A state that was expanded is worth remembering while states that lead to it are not expanded. How many of them there are is guessed from the steps seen before
//! ([`crate::ways_in`]); what was met as often is forgotten first ([`Replacement::Met`](crate::store::Replacement)). So what is to be remembered is the border between what was expanded and what was not,
//! on both sides, and its length depends on the order. (That no order needs less than the *vertex separation* of the graph is why this is worth while: it is often far below what
//! is on a depth-first stack, or in two levels.) The order is greedy: next is the state whose expansion adds the fewest states, less those that need not be remembered any
//! more since nothing else leads to them; of these, the oldest. For that its successors are looked up when it begins to wait, and its *cost* is kept up to date: when a state
//! comes or is waited for once more only, the states before it become cheaper.
//!
//! Everything is visited, and the search ends, for the reasons that a search by levels has ([`crate::levels`]): they do not depend on the order, nor on what is
//! expected. Guesses that are bad make it give up.

use crate::Coverage;
use crate::expansion::Expansion;
use crate::levels::{Plan, Waiting, different};
use crate::single::Stop;
use crate::store::{Cache, Standing, Store};
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
    /// By how many states there will be more to remember when it was expanded.
    cost: i64,
    /// So many states are before it that were not expanded.
    expected: u32,
}

#[derive(Debug)]
pub(crate) struct Narrow<'a, S> {
    system: &'a S,
    ways_in: WaysIn,
    /// One state ahead; and what is counted there.
    ahead: Expansion,
    unseen: Tally,
    /// What waits, by slot, and by cost and time.
    known: HashMap<u32, Known>,
    order: BTreeSet<(i64, u64, u32)>,
    /// What began to wait just now.
    new: Vec<(Waiting, Vec<u64>)>,
    time: u64,
}

/// A state that waits takes so much in a hash table, with a byte that says whether its place is taken, at most seven eighths of which are.
const IN_TABLE: usize = (size_of::<(u32, Known)>() + 1) * 8 / 7;
/// And so much in an ordered set, whose nodes are about two thirds full.
const IN_ORDER: usize = size_of::<(i64, u64, u32)>() * 3 / 2;

impl<'a, S: System> Narrow<'a, S> {
    pub fn new(system: &'a S, ways_in: WaysIn) -> Narrow<'a, S> {
        Narrow {
            system,
            ways_in,
            ahead: Expansion::new(system.width()),
            unseen: Tally { coverage: Coverage::new(system.transition_count()), ..Tally::default() },
            known: HashMap::new(),
            order: BTreeSet::new(),
            new: Vec::new(),
            time: 0,
        }
    }

    /// To expand what waits before this state is worth one more.
    fn cheaper_before(&mut self, store: &Cache, state: &[u64]) {
        for before in self.ways_in.before(state) {
            if let Some(Standing::Waits { slot, .. }) = store.standing(&before, store.key(&before)) {
                cheaper(&mut self.known, &mut self.order, slot);
            }
        }
    }

    /// Finds out what it costs to expand a state.
    fn look_ahead(
        &mut self,
        store: &Cache,
        stop: &AtomicBool,
        waiting: Waiting,
        state: &[u64],
    ) -> Result<(), Stop> {
        let identity = self.system.width().identity;
        self.ahead.expand(self.system, state, &mut self.unseen, stop)?;
        let state = &state[..identity];
        let met = match store.standing(state, store.key(state)) {
            Some(Standing::Waits { met, .. }) => met,
            _ => 0,
        };
        let expected = self.ways_in.count(state).saturating_sub(met);
        let mut cost = -i64::from(expected == 0);
        for (_, arrival) in different(self.ahead.arrivals(), self.ahead.stride(), state) {
            let next = &arrival[1..=identity];
            cost += match store.standing(next, store.key(next)) {
                None => 1,
                Some(Standing::Expanded { expected: 1 }) => -1,
                _ => 0,
            };
        }
        self.time += 1;
        let (time, slot) = (self.time, waiting.slot);
        self.order.insert((cost, time, slot));
        self.known.insert(slot, Known { waiting, time, cost, expected });
        Ok(())
    }
}

fn cheaper(known: &mut HashMap<u32, Known>, order: &mut BTreeSet<(i64, u64, u32)>, slot: u32) {
    if let Some(Known { time, cost, .. }) = known.get_mut(&slot) {
        order.remove(&(*cost, *time, slot));
        *cost -= 1;
        order.insert((*cost, *time, slot));
    }
}

impl<S: System> Plan for Narrow<'_, S> {
    fn see(&mut self, name: u64, from: &[u64], to: &[u64]) {
        self.ways_in.see(name, from, to);
    }

    fn wait(&mut self, store: &Cache, waiting: Waiting, state: &[u64]) {
        self.new.push((waiting, state.to_vec()));
        self.cheaper_before(store, &state[..self.system.width().identity]);
    }

    fn met(&mut self, store: &Cache, state: &[u64]) {
        match store.standing(state, store.key(state)) {
            Some(Standing::Expanded { expected: 1 }) => self.cheaper_before(store, state),
            Some(Standing::Waits { slot, .. }) => {
                if let Some(Known { expected, .. }) = self.known.get_mut(&slot)
                    && *expected > 0
                {
                    *expected -= 1;
                    if *expected == 0 {
                        cheaper(&mut self.known, &mut self.order, slot);
                    }
                }
            }
            _ => {}
        }
    }

    fn expected(&self, state: &[u64], _: u32) -> u32 {
        self.ways_in.count(state)
    }

    fn expected_now(&self, state: &[u64]) -> u32 {
        self.ways_in.count(state)
    }

    fn next(&mut self, store: &Cache, stop: &AtomicBool) -> Result<Option<Waiting>, Stop> {
        for (waiting, state) in std::mem::take(&mut self.new) {
            self.look_ahead(store, stop, waiting, &state)?;
        }
        let next = self.order.pop_first().and_then(|(.., slot)| self.known.remove(&slot));
        Ok(next.map(|known| known.waiting))
    }

    fn len(&self) -> usize {
        self.known.len() + self.new.len()
    }

    fn memory_bytes(&self) -> u64 {
        let new = self.new.capacity() * size_of::<(Waiting, Vec<u64>)>();
        let waiting = self.known.capacity() * IN_TABLE + self.order.len() * IN_ORDER;
        (new + waiting) as u64 + self.ways_in.memory_bytes()
    }

    fn places(&mut self) -> impl Iterator<Item = &mut Place> {
        let new = self.new.iter_mut().map(|(waiting, _)| &mut waiting.place);
        self.known.values_mut().map(|known| &mut known.waiting.place).chain(new)
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
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

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
            let Reached::New { slot } = store.reach(&[state], store.key(&[state]), false, |_| 0) else {
                panic!("there is room")
            };
            plan.wait(&store, Waiting { slot, depth: 0, place: START }, &[state]);
        }
        plan.next(&store, &stop).expect("everything fits");
        let each = size_of::<(u32, Known)>() + size_of::<(i64, u64, u32)>();
        assert!((999 * each..4000 * each).contains(&((plan.memory_bytes() - empty) as usize)));
    }
}
