//! A breadth-first search that remembers the last levels, for graphs in which every step can be undone: puzzles, above all
//! (Korf, Zhang, Thayer, Hohwald: Frontier search, 2005; for protocols Della Penna, Intrigila, Melatti, Tronci, Venturini Zilli:
//! Exploiting transition locality in automatic verification of finite-state concurrent systems, 2004).
//!
//! In such a graph a depth-first stack soon has most states on it, which is the worst case of [`crate::stack`]. But a step leads from a level to
//! the one before, the same, or the next: what is older is never met again. And a state is met from each of its successors, as often as it has
//! any; so what was met as often is forgotten first ([`Replacement::Met`](crate::store::Replacement)), and nothing is visited twice as long as there is room for the rest.
//!
//! Whether steps can be undone is seen on the depth-first stack: is the state before among the successors of a new one? When that stack has become long, or memory is full, and
//! nearly all could be undone, the search begins again here: from then on a depth-first search would visit states again, and this one does not.
//!
//! **Every state is visited.** What is new waits, and is kept until it is expanded; so when nothing waits, all successors of all states that were ever visited
//! were visited. That is true whatever is forgotten.
//!
//! **The search ends**, because it gives up: where what waits fills the memory, or too much is visited again. Then the depth-first search has to do it.
//!
//! What waits takes memory beside the store, in some orders more than a state in the store does. So the store does not grow into memory that this will need if it
//! grows as well; and where both together reach the limit, that is a reason to give up, too: a depth-first search with a short stack needs little beside the store.

use crate::expansion::{Expansion, run_along};
use crate::limits::Limit;
use crate::outcome::Outcome;
use crate::single::{Single, Stop, Unfit, from_each};
use crate::store::{Cache, Expected, Reached, Store};
use crate::ways_back::{Place, START, WaysBack};
use crate::{Options, Run};
use model::system::{StepCode, System};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// One step in so many may be final, and one visit in so many one too many.
const FEW: u64 = 32;
/// Visits after which that is looked at, at least.
const VISITS: u64 = 1 << 8;

/// How many steps were looked at, and how many of them can be undone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Undone {
    steps: u64,
    undone: u64,
}

impl Undone {
    pub fn see(&mut self, can_be: bool) {
        self.steps += 1;
        self.undone += u64::from(can_be);
    }

    pub fn are_nearly_all(&self) -> bool {
        self.undone > self.steps - self.steps.div_ceil(FEW)
    }
}

/// In which order what waits is expanded, and how often a state is expected to be met. It decides what is visited when, and what is
/// remembered; not what is visited.
pub(crate) trait Plan {
    /// This state waits from now on.
    fn wait(&mut self, store: &Cache, waiting: Waiting, state: &[u64]);

    /// A state that was there is met from one more state, or has just been expanded.
    fn met(&mut self, _store: &Cache, _state: &[u64]) {}

    /// From how many states is this one met, that has so many successors?
    fn expected(&self, state: &[u64], successors: u32) -> u32;

    /// The same for a state that is about to be forgotten, if more has been learned meanwhile.
    fn expected_now(&self, _state: &[u64]) -> Expected {
        Expected::default()
    }

    /// What is expanded next, and which of its arrivals lead to states that were counted as met from it before.
    fn next(&mut self, store: &Cache, stop: &AtomicBool) -> Result<Option<(Waiting, Passed)>, Stop>;

    /// How many wait.
    fn len(&self) -> usize;

    /// About so much memory it takes for what waits, and for what it has learned.
    fn memory_bytes(&self) -> u64;

    /// The places of all that wait.
    fn places(&mut self) -> impl Iterator<Item = &mut Place>;
}

/// What has waited longest goes first, and a state is met from its successors.
#[derive(Debug, Default)]
pub(crate) struct ByLevel(VecDeque<Waiting>);

impl Plan for ByLevel {
    fn wait(&mut self, _: &Cache, waiting: Waiting, _: &[u64]) {
        self.0.push_back(waiting);
    }

    fn expected(&self, _: &[u64], successors: u32) -> u32 {
        successors
    }

    fn next(&mut self, _: &Cache, _: &AtomicBool) -> Result<Option<(Waiting, Passed)>, Stop> {
        Ok(self.0.pop_front().map(|waiting| (waiting, Passed::default())))
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn memory_bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<Waiting>()) as u64
    }

    fn places(&mut self) -> impl Iterator<Item = &mut Place> {
        self.0.iter_mut().map(|waiting| &mut waiting.place)
    }
}

/// Visits all states, or ends with a limit: [`Limit::Kept`] or [`Limit::MemoryBytes`] if another search may need less.
pub(crate) fn attempt<S: System>(
    system: &S,
    store: Cache,
    plan: impl Plan,
    options: &Options<'_>,
    before: Duration,
) -> Result<Outcome, Box<Unfit>> {
    let initial = match system.initial_states() {
        Ok(initial) => initial,
        Err(error) => return Ok(Outcome::without_start(error)),
    };
    let width = system.width();
    let mut search = Levels {
        system,
        store: store.by_levels(),
        single: Single::new(system, options, before),
        expansion: Expansion::new(width),
        unstored: initial.first().map_or(Vec::new(), |state| state[width.identity..].to_vec()),
        unusual: HashMap::new(),
        initial: 0,
        plan,
        ways: WaysBack::default(),
        look_at: VISITS,
        room: u64::MAX,
    };
    let visited = from_each(&initial, |number, state| {
        search.initial = number;
        search.single.tally.transitions += 1;
        search.from(state)
    });
    match visited {
        Ok(None) => {}
        Ok(limit) => search.single.end_at(limit),
        Err(misfit) => return Err(search.single.unfit(system, misfit)),
    }
    let (guarantee, bytes) = (search.store.guarantee(), search.memory_bytes());
    let revisits = search.store.revisits();
    Ok(search.single.outcome(system, guarantee, bytes, revisits))
}

/// A state to be expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub slot: u32,
    pub depth: u64,
    pub place: Place,
}

/// Arrivals of a state by number, as far as there are bits for them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed(u64);

impl Passed {
    pub fn has(self, number: usize) -> bool {
        number < u64::BITS as usize && self.0 & 1 << number != 0
    }

    /// Adds an arrival; is it one of them now, and was not before?
    pub fn add(&mut self, number: usize) -> bool {
        let is_new = number < u64::BITS as usize && !self.has(number);
        if is_new {
            self.0 |= 1 << number;
        }
        is_new
    }
}

struct Levels<'a, S, P> {
    system: &'a S,
    store: Cache,
    single: Single<'a>,
    expansion: Expansion,
    /// The words that are not stored, in most states; and in others that wait.
    unstored: Vec<u64>,
    unusual: HashMap<u32, Vec<u64>>,
    initial: usize,
    plan: P,
    ways: WaysBack,
    /// After so many visits it is looked at how many were one too many.
    look_at: u64,
    /// How much the store may take together with what is beside it, as it was when the store grew last.
    room: u64,
}

impl<S: System, P: Plan> Levels<'_, S, P> {
    /// Visits everything that can be reached from this state and is not known.
    fn from(&mut self, state: &[u64]) -> Result<(), Stop> {
        self.arrive(state, 0, None)?;
        while let Some((next, passed)) = self.plan.next(&self.store, self.single.flag())? {
            self.expand(next, passed)?;
            if self.ways.has_grown() {
                self.ways.retain(self.plan.places());
            }
        }
        Ok(())
    }

    fn expand(&mut self, Waiting { slot, depth, place }: Waiting, passed: Passed) -> Result<(), Stop> {
        let waiting = self.plan.len() as u64;
        let bytes = self.memory_bytes();
        self.single.tick(|| bytes, waiting)?;
        if bytes > self.room {
            return Err(self.give_up());
        }
        let mut state = self.store.waiting(slot);
        state.extend(self.unusual.remove(&slot).unwrap_or_else(|| self.unstored.clone()));
        let stop = self.single.flag();
        self.expansion.expand(self.system, &state, &mut self.single.tally, stop)?;
        if !self.expansion.met.is_empty() {
            let met = std::mem::take(&mut self.expansion.met);
            let (system, initial, ways) = (self.system, self.initial, &self.ways);
            self.single.note(met, |codes| run(system, initial, ways, place, codes))?;
        }
        let arrivals = self.expansion.take_arrivals();
        let state = &state[..self.system.width().identity];
        let mut successors = 0;
        for (number, entry) in different(&arrivals, self.expansion.stride(), state) {
            successors += 1;
            if !passed.has(number) {
                self.arrive(&entry[1..], depth + entry[0], Some((place, number as u32)))?;
            }
        }
        self.store.expanded(slot, self.plan.expected(state, successors));
        self.plan.met(&self.store, state);
        self.expansion.give_back(arrivals);
        Ok(())
    }

    /// Comes to a state, which waits if it is new; by which arrival, from which place.
    fn arrive(&mut self, state: &[u64], depth: u64, by: Option<(Place, u32)>) -> Result<(), Stop> {
        let (stored, unstored) = state.split_at(self.system.width().identity);
        let slot = loop {
            let expected = |state: &[u64]| self.plan.expected_now(state);
            match self.store.reach(stored, self.store.key(stored), by.is_some(), expected) {
                Reached::Known => {
                    self.plan.met(&self.store, stored);
                    return Ok(());
                }
                Reached::New { slot } => break slot,
                Reached::Full => {
                    if !self.grow() {
                        return Err(self.give_up());
                    }
                }
            }
        };
        if unstored != self.unstored {
            self.unusual.insert(slot, unstored.to_vec());
        }
        let place = by.map_or(START, |(place, number)| self.ways.add(place, number));
        let expand = self.single.add(depth)?;
        self.check_invariants(state, place)?;
        if expand {
            self.plan.wait(&self.store, Waiting { slot, depth, place }, state);
        } else {
            self.unusual.remove(&slot);
            self.store.expanded(slot, 0);
        }
        self.look_back()
    }

    fn check_invariants(&mut self, state: &[u64], place: Place) -> Result<(), Stop> {
        if self.system.has_invariants() {
            let mut violated = Vec::new();
            self.system.violated_invariants(state, &mut violated);
            if !violated.is_empty() {
                let met = violated.into_iter().map(|error| (error, Vec::new())).collect();
                let (system, initial, ways) = (self.system, self.initial, &self.ways);
                self.single.note(met, |codes| run(system, initial, ways, place, codes))?;
            }
        }
        Ok(())
    }

    /// Now and then, gives up if too much was visited again. There are finitely many different states, so a search that goes on for ever would.
    fn look_back(&mut self) -> Result<(), Stop> {
        let visits = self.single.tally.states;
        if visits < self.look_at {
            return Ok(());
        }
        self.look_at = visits + (visits / FEW).max(VISITS);
        match self.store.revisits() {
            // The number of different states is an estimate, and may be off by as much again.
            Some(revisits) if revisits.distinct < visits - 2 * visits / FEW => Err(self.give_up()),
            _ => Ok(()),
        }
    }

    /// What the store takes, and what is beside it.
    fn memory_bytes(&self) -> u64 {
        self.store.memory_bytes() + self.beside()
    }

    fn beside(&self) -> u64 {
        self.plan.memory_bytes() + self.ways.memory_bytes()
    }

    /// Makes room in the store, so that there will be some beside it as well: for twice the states, that may be twice what it is now.
    fn grow(&mut self) -> bool {
        let room = self.single.meter.store_limit(self.memory_bytes());
        self.room = room;
        self.store.grow(room.saturating_sub(2 * self.beside()), 1)
    }

    fn give_up(&self) -> Stop {
        self.single.stop(Limit::Kept { states: self.store.len(), bytes: self.memory_bytes() })
    }
}

/// The arrivals of a state that are different from it and from those before, each with its number.
pub(crate) fn different<'a>(
    arrivals: &'a [u64],
    stride: usize,
    state: &'a [u64],
) -> impl Iterator<Item = (usize, &'a [u64])> {
    let stored = move |arrival: &'a [u64]| &arrival[1..=state.len()];
    let others = move |number| arrivals.chunks_exact(stride).take(number).map(stored);
    arrivals.chunks_exact(stride).enumerate().filter(move |(number, arrival)| {
        stored(arrival) != state && others(*number).all(|other| other != stored(arrival))
    })
}

fn run<S: System>(
    system: &S,
    initial: usize,
    ways: &WaysBack,
    place: Place,
    codes: &[StepCode],
) -> Option<Run> {
    run_along(system, initial, ways.to(place), codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Replacement;
    use crate::testing::Written;
    use crate::{StoreKind, reachability};
    use model::system::Width;
    use proptest::prelude::*;
    use std::sync::Mutex;

    /// A graph by successors, from node 0. The last node is wrong. A second word, which is not stored, tells by which arrival one came.
    #[derive(Debug)]
    struct Graph {
        successors: Vec<Vec<usize>>,
        visits: Mutex<Vec<u64>>,
    }

    impl Graph {
        fn new(successors: Vec<Vec<usize>>) -> Graph {
            let visits = Mutex::new(vec![0; successors.len()]);
            Graph { successors, visits }
        }

        /// How far each node is; nothing for those that cannot be reached.
        fn distances(&self) -> Vec<Option<usize>> {
            let mut distances = vec![None; self.successors.len()];
            distances[0] = Some(0);
            let mut queue = VecDeque::from([0]);
            while let Some(node) = queue.pop_front() {
                for &next in &self.successors[node] {
                    if distances[next].is_none() {
                        distances[next] = distances[node].map(|distance: usize| distance + 1);
                        queue.push_back(next);
                    }
                }
            }
            distances
        }

        fn system(&self) -> impl System {
            let wrong = self.successors.len() - 1;
            Written {
                width: Width { identity: 1, all: 2 },
                successors: |state: &[u64]| {
                    let next = self.successors[state[0] as usize].iter().enumerate();
                    next.map(|(number, node)| vec![*node as u64, number as u64 / 2]).collect()
                },
                is_right: move |state: &[u64]| {
                    self.visits.lock().expect("nobody panics")[state[0] as usize] += 1;
                    state[0] as usize != wrong
                },
            }
        }

        /// Forgets what was visited: which nodes were?
        fn visited(&self) -> Vec<bool> {
            let visits = &mut *self.visits.lock().expect("nobody panics");
            std::mem::replace(visits, vec![0; self.successors.len()])
                .iter()
                .map(|visits| *visits > 0)
                .collect()
        }
    }

    /// Any graph; with `undone`, every step can be undone.
    fn graph(undone: bool) -> impl Strategy<Value = Graph> {
        let edges = |nodes: usize| prop::collection::vec((0..nodes, 0..nodes), 0..3 * nodes);
        (1usize..80).prop_flat_map(move |nodes| (Just(nodes), edges(nodes))).prop_map(
            move |(nodes, edges)| {
                let mut successors = vec![Vec::new(); nodes];
                for (from, to) in edges {
                    successors[from].push(to);
                    if undone {
                        successors[to].push(from);
                    }
                }
                Graph::new(successors)
            },
        )
    }

    /// Whatever is forgotten, a search that comes to its end has visited every state.
    fn is_whole(graph: &Graph, outcome: &Outcome, shortest: bool) -> Result<(), TestCaseError> {
        let (distances, visited) = (graph.distances(), graph.visited());
        for (node, distance) in distances.iter().enumerate() {
            prop_assert!(distance.is_some() || !visited[node]);
            prop_assert!(
                outcome.limit.is_some() || distance.is_none() || visited[node],
                "not visited: {}",
                node
            );
        }
        if outcome.limit.is_none() {
            prop_assert!(outcome.exhaustive);
            let wrong = distances.last().copied().flatten();
            prop_assert_eq!(!outcome.violations.is_empty(), wrong.is_some());
            if let (Some(distance), Some(violation)) = (wrong, outcome.violations.first()) {
                let steps = violation.run.steps.len();
                prop_assert!(steps >= distance && (!shortest || steps == distance));
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(seeded::cases(300))]

        #[test]
        fn visits_everything(graph in prop_oneof![graph(false), graph(true)], states in 1u64..80) {
            let cache = Cache::new(1, states, Replacement::Layers, 3);
            let options = Options { all_errors: true, ..Options::default() };
            let outcome = attempt(&graph.system(), cache, ByLevel::default(), &options, Duration::ZERO).expect("everything fits");
            is_whole(&graph, &outcome, true)?;
        }

        /// Depth-first, then by levels if that is better, then depth-first again if it is not.
        #[test]
        fn all_ways_together(graph in prop_oneof![graph(false), graph(true)], states in 1u64..80, sleep_sets in any::<bool>()) {
            let store = StoreKind::Cache { states: Some(states), replacement: Replacement::Layers, sleep_sets, seed: 3 };
            let limits = crate::Limits { states: Some(100_000), ..crate::Limits::default() };
            let options = Options { all_errors: true, store, limits, ..Options::default() };
            is_whole(&graph, &reachability(&graph.system(), &options), false)?;
        }
    }

    /// Arrivals for which there are no bits are never passed, so they are always visited.
    #[test]
    fn passes_what_it_has_bits_for() {
        let mut passed = Passed::default();
        for number in [0, 63, 64, 1000] {
            assert!(!passed.has(number));
            assert_eq!(passed.add(number), number < 64);
            assert!(!passed.add(number), "only once");
            assert_eq!(passed.has(number), number < 64);
        }
    }

    const SIDE: usize = 60;

    fn grid() -> Graph {
        let neighbours = |node: usize| {
            let (x, y) = (node % SIDE, node / SIDE);
            let mut near = Vec::new();
            near.extend((x > 0).then(|| node - 1));
            near.extend((x + 1 < SIDE).then_some(node + 1));
            near.extend((y > 0).then(|| node - SIDE));
            near.extend((y + 1 < SIDE).then_some(node + SIDE));
            near
        };
        Graph::new((0..SIDE * SIDE).map(neighbours).collect())
    }

    /// Who asks for a policy of replacement gets that one: nothing is done by levels.
    #[test]
    fn does_not_override_a_policy() {
        for replacement in [Replacement::Random, Replacement::LeastRecentlyUsed, Replacement::Deepest] {
            let graph = grid();
            let store = StoreKind::Cache { states: Some(2000), replacement, sleep_sets: true, seed: 0 };
            let limits = crate::Limits { states: Some(10_000), ..crate::Limits::default() };
            let options = Options { all_errors: true, store, limits, ..Options::default() };
            let steps = reachability(&graph.system(), &options).statistics.depth;
            assert!(steps > 2 * SIDE as u64, "{replacement:?}: not deeper than there are levels");
        }
    }

    /// A grid: with room for three of its diagonals nothing is visited twice.
    #[test]
    fn remembers_the_last_levels() {
        let graph = grid();
        let store = StoreKind::Cache {
            states: Some(4 * SIDE as u64),
            replacement: Replacement::Layers,
            sleep_sets: true,
            seed: 0,
        };
        let outcome =
            reachability(&graph.system(), &Options { all_errors: true, store, ..Options::default() });
        assert!(outcome.exhaustive);
        assert!(graph.visited().into_iter().all(|visited| visited));
        let revisits = outcome.statistics.revisits.expect("a cache counts");
        // What the depth-first search did before its stack was long, and each state once.
        assert!(revisits.insertions <= 4 * SIDE as u64 + (SIDE * SIDE) as u64, "{revisits:?}");
        assert_eq!(outcome.violations[0].run.steps.len(), 2 * (SIDE - 1));
    }

    /// A cycle that does not fit is walked round for ever by a search that forgets where it came into it.
    #[test]
    fn gives_up() {
        let graph = Graph::new((0..1000).map(|node| vec![node % 999 + 1]).collect());
        let cache = Cache::new(1, 10, Replacement::Layers, 0);
        let outcome = attempt(
            &graph.system(),
            cache,
            ByLevel::default(),
            &Options { all_errors: true, ..Options::default() },
            Duration::ZERO,
        );
        let outcome = outcome.expect("everything fits");
        assert!(matches!(outcome.limit, Some(Limit::Kept { .. })) && !outcome.exhaustive);
    }

    /// Two numbers that can be counted up and down. Depth-first a large one is met soon; by levels only after the limit.
    #[test]
    fn an_error_that_was_met_is_not_lost() {
        let system = Written {
            width: Width { identity: 1, all: 1 },
            successors: |state: &[u64]| {
                let (x, y) = (state[0] & 255, state[0] >> 8);
                let mut next = Vec::new();
                next.extend((x > 0).then(|| vec![state[0] - 1]));
                next.extend((y > 0).then(|| vec![state[0] - 256]));
                next.extend((x < 200).then(|| vec![state[0] + 1]));
                next.extend((y < 200).then(|| vec![state[0] + 256]));
                next
            },
            is_right: |state: &[u64]| state[0] != 150 << 8 && state[0] != 150,
        };
        let store = StoreKind::Cache {
            states: Some(2000),
            replacement: Replacement::Layers,
            sleep_sets: false,
            seed: 0,
        };
        let limits = crate::Limits { states: Some(3000), ..crate::Limits::default() };
        let outcome =
            reachability(&system, &Options { all_errors: true, store, limits, ..Options::default() });
        assert_eq!(outcome.limit, Some(Limit::States(3000)));
        assert!(
            outcome.statistics.revisits.is_some_and(|revisits| revisits.insertions > 3001),
            "it began again"
        );
        assert_eq!((outcome.verdict(), outcome.violations.len()), (crate::Verdict::Violated, 1));
    }
}
