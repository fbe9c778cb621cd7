//! How many states are lost with an omitted state, by experiment on the first states of a system.
//!
//! [`InDegreeSample`] covers the whole search but assumes that a state's predecessors are omitted
//! independently. They are not: where two steps commute, both predecessors of the state after them
//! have a common predecessor and are lost with it. So the first states are explored breadth-first,
//! some are removed at random, and the states that became unreachable are counted. The ratio of the
//! in-degree estimates for all states and for the explored ones scales the result.
//!
//! If the exploration stops early, the last states may have unexplored predecessors, and nearly
//! all states are reachable only through the very first ones. So only the first half is counted,
//! and no state of the first eighth is removed. The median of several trials is used: a mean would
//! be dominated by the rare trial that removes a state that dominates nearly all others.

use crate::Coverage;
use crate::omission::in_degree::InDegreeSample;
use crate::reach::expansion::Expansion;
use crate::reach::tally::Tally;
use crate::tuning::omission::{EXPLORED_STATES, MAX_SCALE, REMOVAL_RATE, TRIALS};
use hashbrown::HashMap;
use lariat_ir::random::Lcg;
use lariat_ir::system::System;
use rapidhash::fast::GlobalState;
use std::sync::atomic::AtomicBool;

/// The estimated number of states lost per omitted state, in a search with this sample.
pub(crate) fn lost_per_omission<S: System>(system: &S, sample: &InDegreeSample) -> f64 {
    ExploredGraph::explore(system, EXPLORED_STATES).lost_per_omission(sample.lost_per_omission())
}

/// The successors of each explored state, by number. Initial states come first.
#[derive(Debug, Default)]
struct ExploredGraph {
    initial: usize,
    /// States with smaller numbers are not removed.
    first_removable: usize,
    /// States with smaller numbers are counted.
    counted: usize,
    successors: Vec<Vec<u32>>,
}

impl ExploredGraph {
    /// Explores at most `limit` states breadth-first.
    fn explore<S: System>(system: &S, limit: usize) -> ExploredGraph {
        let width = system.width();
        let mut expansion: Expansion = Expansion::new(width);
        let mut tally =
            Tally { coverage: Coverage::new(system.transition_count()), ..Tally::default() };
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
        let mut graph =
            ExploredGraph { initial: states.len() / width.all, ..ExploredGraph::default() };
        while graph.successors.len() * width.all < states.len() {
            let place = graph.successors.len() * width.all;
            let state = states[place..place + width.all].to_vec();
            // A state that does not fit the layout was omitted by the search as well.
            let broken =
                expansion.expand(system, &state, &mut tally, &AtomicBool::new(false)).is_err();
            let arrivals = if broken { &[] } else { expansion.successors() };
            let arrivals = arrivals.chunks_exact(expansion.stride());
            graph
                .successors
                .push(arrivals.filter_map(|state| number(&state[1..], &mut states)).collect());
        }
        let kept = graph.successors.len();
        (graph.first_removable, graph.counted) = if kept < limit {
            (graph.initial, kept)
        } else {
            (graph.initial.max(kept / 8), kept / 2)
        };
        graph
    }

    /// Scales the median of the trials by the in-degree estimate for the whole system.
    fn lost_per_omission(&self, by_in_degree: f64) -> f64 {
        let scale = (by_in_degree / self.lost_by_in_degree()).clamp(MAX_SCALE.recip(), MAX_SCALE);
        (self.median() * scale).max(1.0)
    }

    fn median(&self) -> f64 {
        let mut lost: Vec<f64> = (1..=TRIALS).filter_map(|seed| self.trial(seed)).collect();
        lost.sort_by(f64::total_cmp);
        lost.get(lost.len() / 2).copied().unwrap_or(1.0)
    }

    /// States lost per omitted state in one trial; `None` if none was omitted.
    fn trial(&self, seed: u64) -> Option<f64> {
        let mut random = Lcg::new(seed);
        let mut is_drawn = || random.below(REMOVAL_RATE) == 0;
        let removed: Vec<bool> = (0..self.successors.len())
            .map(|state| is_drawn() && (self.first_removable..self.counted).contains(&state))
            .collect();
        let mut seen: Vec<bool> =
            (0..self.successors.len()).map(|state| state < self.initial).collect();
        let mut waiting: Vec<usize> = (0..self.initial.min(self.successors.len())).collect();
        let (mut reached, mut omitted) = (0, 0);
        while let Some(state) = waiting.pop() {
            reached += usize::from(state < self.counted);
            for &successor in &self.successors[state] {
                let successor = successor as usize;
                if std::mem::replace(&mut seen[successor], true) {
                    continue;
                }
                if removed[successor] {
                    omitted += 1;
                } else {
                    waiting.push(successor);
                }
            }
        }
        (omitted > 0).then(|| (self.counted - reached) as f64 / f64::from(omitted))
    }

    /// The estimate that [`InDegreeSample`] would give for these states.
    fn lost_by_in_degree(&self) -> f64 {
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

    /// The number of states that are unreachable without state `without`.
    fn lost_with(graph: &[Vec<u32>], without: usize) -> usize {
        let mut seen = vec![false; graph.len()];
        let mut waiting = vec![0];
        while let Some(state) = waiting.pop() {
            if state != without && !std::mem::replace(&mut seen[state], true) {
                waiting.extend(graph[state].iter().map(|successor| *successor as usize));
            }
        }
        seen.iter().filter(|seen| !**seen).count()
    }

    /// An initial state that leads to `count` copies of a small graph.
    fn copies(small: &[Vec<u32>], count: u32) -> ExploredGraph {
        let size = small.len() as u32;
        let mut successors: Vec<Vec<u32>> = vec![(0..count).map(|copy| 1 + copy * size).collect()];
        for copy in 0..count {
            successors.extend(
                small.iter().map(|list| list.iter().map(|to| 1 + copy * size + to).collect()),
            );
        }
        ExploredGraph { initial: 1, first_removable: 1, counted: successors.len(), successors }
    }

    proptest! {
        #![proptest_config(seeded::cases(30))]

        /// Each state has a predecessor with a smaller number, and possibly another one. Few states
        /// are removed, so hardly ever two of the same copy.
        #[test]
        fn states_behind_an_omitted_state_are_lost(
            predecessors in prop::collection::vec((0usize..1000, 0usize..1000), 1..6),
        ) {
            let mut small = vec![Vec::new(); predecessors.len() + 1];
            for (state, (one, other)) in predecessors.iter().enumerate() {
                small[one % (state + 1)].push(state as u32 + 1);
                small[other % (state + 2)].push(state as u32 + 1);
            }
            let lost: usize = (0..small.len()).map(|state| lost_with(&small, state)).sum();
            let expected = lost as f64 / small.len() as f64;
            let graph = copies(&small, 3000);
            let found = graph.median();
            prop_assert!((found / expected - 1.0).abs() < 0.25, "{} {}", found, expected);
        }
    }

    /// The last state of a diamond has two predecessors with a common predecessor.
    #[test]
    fn predecessors_that_are_lost_together() {
        let graph = copies(&[vec![1, 2], vec![3], vec![3], vec![]], 3000);
        assert!((graph.lost_by_in_degree() - 4.0).abs() < 0.01);
        // (4 + 1 + 1 + 1) / 4 states are lost per omission; twice as many where half as many states
        // have several predecessors.
        assert!(
            (graph.lost_per_omission(4.0) - 7.0 / 4.0).abs() < 0.2,
            "{}",
            graph.lost_per_omission(4.0)
        );
        assert!(
            (graph.lost_per_omission(8.0) - 7.0 / 2.0).abs() < 0.4,
            "{}",
            graph.lost_per_omission(8.0)
        );
        assert!(
            (graph.lost_per_omission(1e9) / graph.lost_per_omission(4.0) - MAX_SCALE).abs() < 0.01
        );
        assert!((ExploredGraph::default().lost_per_omission(1.0) - 1.0).abs() < 1e-9);
    }
}
