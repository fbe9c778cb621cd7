//! Breadth-first reachability: shortest counterexamples. From a stored state all stored states next to it are
//! found, through atomic sequences if need be; such a passage counts as one step.
//!
//! Of a visited state only the packed bytes and the number of its predecessor remain. A run is
//! computed again along the predecessors.

use crate::Options;
use crate::arrival::{Arrival, Explorer, Stop};
use crate::atomic::{Chain, Watch};
use crate::outcome::{Outcome, Run};
use crate::store::{StateId, StateSet};
use model::{Step, Successor, System};
use std::collections::VecDeque;

pub(crate) fn search<S: System>(system: &S, options: &Options<'_>) -> Outcome {
    let mut explorer = Explorer::new(system, options);
    let result = run(&mut explorer);
    explorer.finish(result)
}

/// How a stored state was first reached.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Initial(u32),
    From(StateId),
}

fn run<S: System>(explorer: &mut Explorer<'_, S>) -> Result<(), Stop> {
    let system = explorer.system;
    let mut origins = Vec::new();
    let mut queue = VecDeque::new();
    for (number, state) in explorer.initial_states()?.into_iter().enumerate() {
        if let Arrival::New(id, state) = explorer.start(number, state)? {
            origins.push(Origin::Initial(number as u32));
            queue.push_back((id, state));
        }
    }
    let mut level = 0;
    while !queue.is_empty() && explorer.within_depth(level) {
        for _ in 0..queue.len() {
            let Some((id, state)) = queue.pop_front() else { break };
            let mut walk = Walk::new(system, &state);
            let run_on = |set: &StateSet, origins: &[Origin], steps: &[Step]| {
                Predecessors { system, set, origins }.run_to(id, steps)
            };
            if walk.is_stuck() {
                explorer.stuck(&state, |set| run_on(set, &origins, &[]))?;
            }
            while let Some(successor) = walk.next() {
                match explorer.arrive(successor, |set| run_on(set, &origins, &walk.steps))? {
                    Arrival::Known => {}
                    Arrival::New(new, state) => {
                        origins.push(Origin::From(id));
                        queue.push_back((new, state));
                    }
                    Arrival::Transient(state) => {
                        if !walk.go_through(&state) {
                            explorer.outcome.endless_atomic = true;
                        }
                    }
                }
            }
        }
        level += u64::from(!queue.is_empty());
        explorer.outcome.statistics.depth = level;
    }
    Ok(())
}

/// All steps from a stored state to the next stored ones, depth-first through the states between.
struct Walk<'a, S: System> {
    system: &'a S,
    /// For each state on the way: the steps not yet taken, the next one last.
    pending: Vec<(Chain, Vec<Successor<S::State>>)>,
    /// The steps taken since the stored state.
    steps: Vec<Step>,
    watch: Watch<S::State>,
}

impl<'a, S: System> Walk<'a, S> {
    fn new(system: &'a S, from: &S::State) -> Walk<'a, S> {
        let mut walk = Walk { system, pending: Vec::new(), steps: Vec::new(), watch: Watch::default() };
        walk.expand(Chain::default(), from);
        walk
    }

    fn expand(&mut self, chain: Chain, state: &S::State) {
        let mut successors = Vec::new();
        self.system.successors(state, &mut successors);
        successors.reverse();
        self.pending.push((chain, successors));
    }

    /// Before the first step: is there none?
    fn is_stuck(&self) -> bool {
        self.pending.iter().all(|(_, successors)| model::system::nothing_moves(successors))
    }

    fn next(&mut self) -> Option<Successor<S::State>> {
        loop {
            let depth = self.pending.len();
            let (_, successors) = self.pending.last_mut()?;
            self.steps.truncate(depth - 1);
            match successors.pop() {
                Some(successor) => {
                    self.steps.push(successor.step);
                    return Some(successor);
                }
                None => {
                    self.pending.pop();
                }
            }
        }
    }

    /// The last step led to `state`, which is not stored; returns whether it is visited.
    fn go_through(&mut self, state: &S::State) -> bool {
        let chain = self.pending.last().map_or(Chain::default(), |(chain, _)| *chain);
        match self.watch.follow(chain, state) {
            Some(chain) => {
                self.expand(chain, state);
                true
            }
            None => false,
        }
    }
}

/// The tree of first arrivals.
struct Predecessors<'a, S: System> {
    system: &'a S,
    set: &'a StateSet,
    origins: &'a [Origin],
}

impl<S: System> Predecessors<'_, S> {
    /// The run to a stored state, and on with `steps`.
    fn run_to(&self, mut id: StateId, steps: &[Step]) -> Run {
        let mut stations = Vec::new();
        let initial = loop {
            match self.origins[id.0 as usize] {
                Origin::Initial(number) => break number as usize,
                Origin::From(previous) => {
                    stations.push(id);
                    id = previous;
                }
            }
        };
        let mut run = Run { initial, steps: Vec::new() };
        let mut states = self.system.initial_states().unwrap_or_default();
        if initial >= states.len() {
            return run;
        }
        let mut state = states.swap_remove(initial);
        for &station in stations.iter().rev() {
            let Some(next) = self.passage(&state, station, &mut run.steps) else { break };
            state = next;
        }
        run.steps.extend(steps);
        run
    }

    /// Finds the first way from a stored state to a stored state next to it.
    fn passage(&self, from: &S::State, to: StateId, steps: &mut Vec<Step>) -> Option<S::State> {
        let wanted = self.set.get(to);
        let mut packed = Vec::new();
        let mut walk = Walk::new(self.system, from);
        while let Some(successor) = walk.next() {
            let Some(state) = successor.state else { continue };
            if self.system.is_transient(&state) {
                walk.go_through(&state);
                continue;
            }
            packed.clear();
            self.system.encode(&state, &mut packed);
            if packed == wanted {
                steps.extend(&walk.steps);
                return Some(state);
            }
        }
        None
    }
}
