//! What is lost behind states that are omitted, tried out on the first states of a system.
//!
//! [`Ways`](crate::ways) knows how many states have one way in, over the whole search, and takes the ways into a state for independent of each other. They
//! are not: where two steps commute, both ways into the state behind them come from the same state, and are lost with it. So the
//! first states, breadth-first, are kept here with their edges, some are taken out by lot, and what cannot be reached any more is counted. How much
//! the ways into these states differ from those into all states says by how much more or less is lost elsewhere. Into the last of them there may be ways from states that
//! are not kept; and before the very first of them lies nearly everything, as it does before few others. So if not all states are kept, only those of the first half are counted, and of
//! these none of the first quarter is taken out.
//!
//! Now and then a state is taken out that nearly all the others are behind. That is part of the mean, but it is not what happens to a search
//! that omits a few, so the median of several trials counts.

use crate::Coverage;
use crate::expansion::Expansion;
use crate::tally::Tally;
use crate::ways::Ways;
use hashbrown::HashMap;
use model::system::System;
use rapidhash::fast::GlobalState;
use std::sync::atomic::AtomicBool;

/// States tried.
const STATES: usize = 1 << 15;
/// One of so many is taken out.
const RATE: u64 = 64;
/// An odd number, for there to be one in the middle.
const TRIALS: u64 = 9;

/// At most by this factor is what is lost elsewhere taken to differ.
const DIFFERENCE: f64 = 4.0;

/// States lost for each that is omitted, in a search that found so many ways into states.
pub(crate) fn lost_with_one<S: System>(system: &S, ways: &Ways) -> f64 {
    Graph::explore(system, STATES).lost_with_one(ways.lost_with_one())
}

/// States by number, the initial ones first, and their successors.
#[derive(Debug, Default)]
struct Graph {
    initial: usize,
    /// Those below are not taken out.
    first: usize,
    /// Those below are counted.
    counted: usize,
    successors: Vec<Vec<u32>>,
}

impl Graph {
    /// The first states, breadth-first, and the edges between them.
    fn explore<S: System>(system: &S, limit: usize) -> Graph {
        let width = system.width();
        let mut expansion: Expansion = Expansion::new(width);
        let mut tally = Tally { coverage: Coverage::new(system.transition_count()), ..Tally::default() };
        let mut numbers: HashMap<Box<[u64]>, u32, GlobalState> = HashMap::default();
        let mut states: Vec<u64> = Vec::new();
        let mut number = |state: &[u64], states: &mut Vec<u64>| {
            let known = numbers.get(&state[..width.identity]).copied();
            known.or_else(|| {
                let number = numbers.len();
                (number < limit).then(|| {
                    numbers.insert(state[..width.identity].into(), number as u32);
                    states.extend_from_slice(state);
                    number as u32
                })
            })
        };
        for state in system.initial_states().unwrap_or_default() {
            number(&state, &mut states);
        }
        let mut graph = Graph { initial: states.len() / width.all, ..Graph::default() };
        while graph.successors.len() * width.all < states.len() {
            let place = graph.successors.len() * width.all;
            let state = states[place..place + width.all].to_vec();
            // A state that does not fit the layout is one that the search omitted too.
            let broken = expansion.expand(system, &state, &mut tally, &AtomicBool::new(false)).is_err();
            let arrivals = if broken { &[] } else { expansion.arrivals() };
            let arrivals = arrivals.chunks_exact(expansion.stride());
            graph.successors.push(arrivals.filter_map(|state| number(&state[1..], &mut states)).collect());
        }
        let kept = graph.successors.len();
        (graph.first, graph.counted) =
            if kept < limit { (graph.initial, kept) } else { (graph.initial.max(kept / 8), kept / 2) };
        graph
    }

    /// For a system of which the ways into all states say that so many are lost.
    fn lost_with_one(&self, by_ways: f64) -> f64 {
        let elsewhere = (by_ways / self.lost_by_ways()).clamp(DIFFERENCE.recip(), DIFFERENCE);
        (self.median() * elsewhere).max(1.0)
    }

    fn median(&self) -> f64 {
        let mut lost: Vec<f64> = (1..=TRIALS).filter_map(|seed| self.trial(seed)).collect();
        lost.sort_by(f64::total_cmp);
        lost.get(lost.len() / 2).copied().unwrap_or(1.0)
    }

    /// States lost for each that was omitted.
    fn trial(&self, seed: u64) -> Option<f64> {
        let mut random = seed;
        let mut by_lot = || {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            ((random >> 32) * RATE) >> 32 == 0
        };
        let taken: Vec<bool> = (0..self.successors.len())
            .map(|state| by_lot() && (self.first..self.counted).contains(&state))
            .collect();
        let mut met: Vec<bool> = (0..self.successors.len()).map(|state| state < self.initial).collect();
        let mut waiting: Vec<usize> = (0..self.initial.min(self.successors.len())).collect();
        let (mut reached, mut omitted) = (0, 0);
        while let Some(state) = waiting.pop() {
            reached += usize::from(state < self.counted);
            for &successor in &self.successors[state] {
                let successor = successor as usize;
                if std::mem::replace(&mut met[successor], true) {
                    continue;
                }
                if taken[successor] {
                    omitted += 1;
                } else {
                    waiting.push(successor);
                }
            }
        }
        (omitted > 0).then(|| (self.counted - reached) as f64 / f64::from(omitted))
    }

    /// What [`Ways`](crate::ways::Ways) would say of these states.
    fn lost_by_ways(&self) -> f64 {
        let mut sources: Vec<Option<usize>> = vec![None; self.successors.len()];
        let mut several = vec![false; self.successors.len()];
        for (source, successors) in self.successors.iter().enumerate() {
            for &successor in successors {
                let known = *sources[successor as usize].get_or_insert(source);
                several[successor as usize] |= known != source;
            }
        }
        let several = several[..self.counted].iter().filter(|several| **several).count();
        self.counted.max(1) as f64 / several.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How many states cannot be reached without this one.
    fn behind(graph: &[Vec<u32>], without: usize) -> usize {
        let mut met = vec![false; graph.len()];
        let mut waiting = vec![0];
        while let Some(state) = waiting.pop() {
            if state != without && !std::mem::replace(&mut met[state], true) {
                waiting.extend(graph[state].iter().map(|successor| *successor as usize));
            }
        }
        met.iter().filter(|met| !**met).count()
    }

    /// Many copies of a small graph side by side, behind one initial state.
    fn copies(small: &[Vec<u32>], count: u32) -> Graph {
        let size = small.len() as u32;
        let mut successors: Vec<Vec<u32>> = vec![(0..count).map(|copy| 1 + copy * size).collect()];
        for copy in 0..count {
            successors.extend(small.iter().map(|list| list.iter().map(|to| 1 + copy * size + to).collect()));
        }
        Graph { initial: 1, first: 1, counted: successors.len(), successors }
    }

    proptest! {
        #![proptest_config(seeded::cases(30))]

        /// Each state is reached from one with a smaller number, and some from others too. So few are taken out that hardly
        /// ever two of them are in the same copy.
        #[test]
        fn what_is_behind_a_state_is_lost_with_it(
            ways in prop::collection::vec((0usize..1000, 0usize..1000), 1..6),
        ) {
            let mut small = vec![Vec::new(); ways.len() + 1];
            for (state, (one, other)) in ways.iter().enumerate() {
                small[one % (state + 1)].push(state as u32 + 1);
                small[other % (state + 2)].push(state as u32 + 1);
            }
            let expected = (0..small.len()).map(|state| behind(&small, state)).sum::<usize>() as f64
                / small.len() as f64;
            let graph = copies(&small, 3000);
            let found = graph.median();
            prop_assert!((found / expected - 1.0).abs() < 0.25, "{} {}", found, expected);
        }
    }

    /// Both ways into the last state of a diamond come from the first.
    #[test]
    fn ways_that_are_lost_together() {
        let graph = copies(&[vec![1, 2], vec![3], vec![3], vec![]], 3000);
        assert!((graph.lost_by_ways() - 4.0).abs() < 0.01);
        // (4 + 1 + 1 + 1) / 4 states are lost with one; twice as many where half as many have several ways in.
        assert!((graph.lost_with_one(4.0) - 7.0 / 4.0).abs() < 0.2, "{}", graph.lost_with_one(4.0));
        assert!((graph.lost_with_one(8.0) - 7.0 / 2.0).abs() < 0.4, "{}", graph.lost_with_one(8.0));
        assert!((graph.lost_with_one(1e9) / graph.lost_with_one(4.0) - DIFFERENCE).abs() < 0.01);
        assert!((Graph::default().lost_with_one(1.0) - 1.0).abs() < 1e-9);
    }
}
