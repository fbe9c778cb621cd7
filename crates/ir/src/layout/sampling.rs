//! Sampling of a program's states for some milliseconds, to choose a layout.
//!
//! A breadth-first search visits the states nearest to the given ones; random walks then reach
//! deeper states. Fair walks rarely see extreme values, such as full channels, which need some
//! process to be delayed for long. Most walks therefore obey random priorities that change from
//! time to time (as in Burckhardt, Kothari, Musuvathi and Nagarakatti's probabilistic concurrency
//! testing, 2010). A variable that counts processes is highest when all of them have entered and
//! none has left: for each such variable there is a climb, a walk that delays leaving. Some walks
//! prefer full channels or many processes. A program whose walks still find new values at the end
//! is sampled longer.

use super::Profile;
use crate::budget::{Budget, UNLIMITED};
use crate::error::RuntimeError;
use crate::expression::Expr;
use crate::interp::{Interpreter, StatePool};
use crate::program::{Location, Operation, ProcessType, Program, Transition};
use crate::random::SplitMix64;
use crate::ranges::Count;
use crate::state::{Pid, State};
use crate::system::{Step, Successor};
use rapidhash::fast::SeedableState;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

/// Effort of a sampling, in values copied or compared: some milliseconds.
const EFFORT: usize = 2_000_000;
/// Part of the effort that is reserved for walks, which see more of the rare values.
const WALK_EFFORT: usize = 1_250_000;
/// Steps of a walk.
const WALK_STEPS: usize = 400;
/// One walk in this many is fair.
const FAIR_WALKS: usize = 3;
/// One walk in this many prefers messages in channels, or processes.
const FILLING_WALKS: usize = 4;
/// One walk in this many is longer than the others, by [`LONG_WALK`].
const LONG_WALKS: usize = 4;
const LONG_WALK: usize = 8;
/// While walks find new values, the effort is extended up to this many times.
const EXTENSIONS: usize = 4;
/// Effort of one extension.
const EXTENSION_EFFORT: usize = 500_000;
/// Mean number of steps between changes of the priorities.
const PRIORITY_STEPS: usize = 24;
/// Steps after which a `d_step` is abandoned.
const DSTEP_STEPS: u64 = 1 << 16;
/// The most steps of a climb.
const CLIMB_STEPS: usize = 200;
/// The seed of the walks: arbitrary, fixed so that a program always gets the same layout.
const SEED: u64 = 0;

/// The result of sampling from the initial states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The observed values.
    pub profile: Profile,
    /// The part of the state space that was sampled.
    pub coverage: Coverage,
}

/// How much of the state space the sampling covered; it affects speed only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// States visited breadth-first.
    pub states: usize,
    /// Visited states whose successors were not computed; 0 if the search was exhaustive.
    pub edge: usize,
}

impl Profile {
    /// Samples from the initial states.
    pub fn sample(interpreter: &Interpreter<'_>) -> Result<Sample, RuntimeError> {
        Profile::sample_within(interpreter, &UNLIMITED)
    }

    /// Samples from the initial states, until the budget runs out.
    pub fn sample_within(
        interpreter: &Interpreter<'_>,
        budget: &Budget,
    ) -> Result<Sample, RuntimeError> {
        let states = interpreter.initial_states()?;
        let mut profile = Profile::initial_within(interpreter.program(), &states, budget);
        let coverage = profile.add_sample(interpreter, &states, budget);
        profile.share(interpreter.program());
        Ok(Sample { profile, coverage })
    }

    /// Adds the values sampled from `from`, within a fixed effort and the budget.
    pub fn add_sample(
        &mut self,
        interpreter: &Interpreter<'_>,
        from: &[State],
        budget: &Budget,
    ) -> Coverage {
        let interpreter = &interpreter.with_patience(interpreter.patience().at_most(DSTEP_STEPS));
        let mut sampler = Sampler {
            interpreter,
            costs: Costs::new(interpreter.program()),
            effort: EFFORT,
            budget,
            successors: Vec::new(),
            pool: StatePool::default(),
        };
        for state in from {
            self.include(interpreter.program(), state);
        }
        let (states, edge) = sampler.neighbourhood(self, from, WALK_EFFORT);
        let coverage = Coverage { states, edge: edge.len() };
        if edge.is_empty() {
            return coverage;
        }
        let mut random = SplitMix64::new(SEED);
        let ranges = Arc::clone(&self.ranges);
        for (variable, count) in ranges.counts() {
            let slot = interpreter.program().variables.get(variable).first_slot();
            if self.globals[slot].bits() < count.values.bits() {
                let state = from[random.below(from.len())].clone();
                sampler.climb(self, state, slot, count, &mut random);
            }
        }
        for _ in 0..=EXTENSIONS {
            let before = self.clone();
            while sampler.effort > 0 {
                // Some walks continue from the edge of the neighbourhood, some from the given
                // states.
                let start = if random.below(2) == 0 { &edge } else { from };
                let state = start[random.below(start.len())].clone();
                sampler.walk(self, state, &mut random);
            }
            if *self == before || budget.is_over() {
                break;
            }
            sampler.effort = EXTENSION_EFFORT;
        }
        coverage
    }
}

struct Sampler<'a, 'p> {
    interpreter: &'a Interpreter<'p>,
    costs: Costs,
    effort: usize,
    budget: &'a Budget,
    successors: Vec<Successor>,
    pool: StatePool,
}

impl Sampler<'_, '_> {
    /// Computes the successors of a state and charges the effort for them.
    fn expand(&mut self, state: &State) {
        self.successors.drain(..).filter_map(|old| old.state).for_each(|old| self.pool.give(old));
        self.interpreter.successors_reusing(state, &mut self.successors, &mut self.pool);
        self.effort = self.effort.saturating_sub(self.costs.of(state, self.successors.len()));
        if self.budget.is_over() {
            self.effort = 0;
        } else if self
            .successors
            .iter()
            .flat_map(|successor| &successor.errors)
            .any(RuntimeError::is_limit)
        {
            // A long d_step costs much more than its number of successors suggests.
            self.effort /= 2;
        }
        self.successors.retain(|successor| successor.state.is_some());
    }

    /// Breadth-first search until only the effort `leave` is left, level by level; returns the
    /// number of visited states and those that were not expanded.
    fn neighbourhood(
        &mut self,
        profile: &mut Profile,
        from: &[State],
        leave: usize,
    ) -> (usize, Vec<State>) {
        // Hashes suffice: a collision only omits a state from the sample, and copies of all states
        // would take most of the time.
        let hashes = SeedableState::fixed();
        let mut seen: HashSet<u64, SeedableState<'_>> =
            HashSet::with_hasher(SeedableState::fixed());
        seen.extend(from.iter().map(|state| hashes.hash_one(state)));
        let mut frontier = from.to_vec();
        while self.effort > leave && !frontier.is_empty() {
            let mut next = Vec::new();
            let mut level = std::mem::take(&mut frontier).into_iter();
            for state in level.by_ref() {
                self.expand(&state);
                for state in self.successors.drain(..).filter_map(|successor| successor.state) {
                    if seen.insert(hashes.hash_one(&state)) {
                        profile.include(self.interpreter.program(), &state);
                        next.push(state);
                    } else {
                        self.pool.give(state);
                    }
                }
                self.pool.give(state);
                if self.effort <= leave {
                    break;
                }
            }
            // If the effort ends within a level, the edge contains states of two levels.
            frontier.extend(level);
            frontier.extend(next);
        }
        (seen.len(), frontier)
    }

    /// Adds all successors of a state to the profile; `false` if there are none or the effort is
    /// spent.
    fn include_successors(&mut self, profile: &mut Profile, state: &State) -> bool {
        let before = self.effort;
        self.expand(state);
        for state in self.successors.iter().filter_map(|successor| successor.state.as_ref()) {
            profile.include(self.interpreter.program(), state);
        }
        let continues = !self.successors.is_empty() && self.effort > 0;
        if !continues {
            // Walks that end at once must use up effort too.
            self.effort = self.effort.saturating_sub(before - self.effort);
        }
        continues
    }

    /// Takes one of the steps of highest rank; `false` if there is none.
    fn step<R: Ord>(
        &mut self,
        state: &mut State,
        random: &mut SplitMix64,
        rank: impl Fn(&State, &Successor) -> R,
    ) -> bool {
        let highest = self.successors.iter().map(|successor| rank(state, successor)).max();
        let first = |successor: &&mut Successor| Some(rank(state, successor)) == highest;
        let count = self.successors.iter_mut().filter(first).count();
        let chosen = self.successors.iter_mut().filter(first).nth(random.below(count));
        let next = chosen.and_then(|chosen| chosen.state.take());
        next.map(|next| self.pool.give(std::mem::replace(state, next))).is_some()
    }

    /// A random walk that increases a count. It prefers steps that increase the count, avoids those
    /// that decrease it, and otherwise prefers steps of processes that are counted.
    fn climb(
        &mut self,
        profile: &mut Profile,
        mut state: State,
        slot: usize,
        count: &Count,
        random: &mut SplitMix64,
    ) {
        for _ in 0..CLIMB_STEPS {
            let rank = |from: &State, successor: &Successor| {
                let rises =
                    successor.state.as_ref().map(|to| to.globals[slot].cmp(&from.globals[slot]));
                let mover = from.processes.get(usize::from(mover(&successor.step)));
                (rises, mover.is_some_and(|mover| count.counted[mover.process_type.index()]))
            };
            if profile.globals[slot].contains(count.values)
                || !self.include_successors(profile, &state)
                || !self.step(&mut state, random, rank)
            {
                break;
            }
        }
    }

    fn walk(&mut self, profile: &mut Profile, mut state: State, random: &mut SplitMix64) {
        let fair = random.below(FAIR_WALKS) == 0;
        let fills = random.below(FILLING_WALKS) == 0;
        let longer = if random.below(LONG_WALKS) == 0 { LONG_WALK } else { 1 };
        let mut priorities: Vec<usize> = Vec::new();
        for _ in 0..longer * WALK_STEPS {
            if !self.include_successors(profile, &state) {
                break;
            }
            while priorities.len() < state.processes.len() {
                priorities.push(random.below(usize::MAX));
            }
            if random.below(PRIORITY_STEPS) == 0 && !priorities.is_empty() {
                let changed = random.below(priorities.len());
                priorities[changed] = random.below(usize::MAX);
            }
            let priority = |_: &State, successor: &Successor| {
                let filled = successor.state.as_ref().filter(|_| fills).map(contents);
                let own = priorities.get(usize::from(mover(&successor.step))).copied();
                (filled, own.filter(|_| !fair))
            };
            if !self.step(&mut state, random, priority) {
                break;
            }
        }
    }
}

/// The number of processes and of values in channels.
fn contents(state: &State) -> usize {
    let values: usize = state.channels.iter().map(|channel| channel.contents.len()).sum();
    state.processes.len() + values
}

fn mover(step: &Step) -> Pid {
    match *step {
        Step::Move(mover) | Step::Refused(mover) => mover.pid,
        Step::Rendezvous { send, .. } => send.pid,
        Step::Release(pid) => pid,
    }
}

/// The cost of expanding a state, in values copied or compared.
struct Costs {
    /// By process type and location: the size of the transitions tried there.
    locations: Vec<Vec<usize>>,
}

impl Costs {
    fn new(program: &Program) -> Costs {
        let of_type = |kind: &ProcessType| kind.locations.iter().map(location_size).collect();
        Costs { locations: program.process_types.iter().map(of_type).collect() }
    }

    /// The cost of a state with this number of successors.
    fn of(&self, state: &State, successors: usize) -> usize {
        let parts = state.processes.len() + state.channels.len();
        let locals: usize = state.processes.iter().map(|process| process.locals.len()).sum();
        let tried: usize = state
            .processes
            .iter()
            .map(|process| self.locations[process.process_type.index()][process.location.index()])
            .sum();
        (state.globals.len() + locals + 16 * parts + 64) * (successors + 1) + 4 * tried
    }
}

fn location_size(location: &Location) -> usize {
    let size = |transition: &Transition| match &transition.operation {
        Operation::Guarded { guard, actions } => expression_size(guard) + 4 * actions.len(),
        Operation::Deterministic(body) => 16 * body.nodes.len(),
        // If it is a rendezvous, it is tried with every other process.
        Operation::Send { .. } => 64,
        _ => 4,
    };
    location.transitions.iter().map(size).sum()
}

fn expression_size(expr: &Expr) -> usize {
    let mut size = 1;
    expr.for_each_child(&mut |child| size += expression_size(child));
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_that_is_left_has_an_edge_on_both_sides() {
        let source = "var x : 0..9\ninit x <= 2\nup: x < 9 -> x := x + 1\n";
        let program = crate::text::parse("test.lts", source).expect("a transition system");
        let interpreter = Interpreter::new(&program);
        let from = interpreter.initial_states().expect("there are some");
        assert_eq!(from.len(), 3);
        let mut profile = Profile::initial(&program, &from);
        let costs = Costs::new(&program);
        let mut sampler = Sampler {
            interpreter: &interpreter,
            costs,
            effort: EFFORT,
            budget: &UNLIMITED,
            successors: Vec::new(),
            pool: StatePool::default(),
        };
        // One state is enough to use up the effort.
        let (_, edge) = sampler.neighbourhood(&mut profile, &from, EFFORT - 1);
        assert!(from[1..].iter().all(|state| edge.contains(state)), "{edge:?}");
    }
}
