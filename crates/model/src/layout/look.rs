//! A look around: what can be seen of a program in some milliseconds.
//!
//! First the states nearest the given ones, level by level; then walks, which get to where a breadth-first look does not.
//! Fair walks keep to the middle of the state space: the largest values, the fullest channels, are where somebody does not
//! get to move for long. So most walks obey random priorities that change now and then (as in Burckhardt, Kothari, Musuvathi
//! and Nagarakatti's probabilistic concurrency testing, 2010). And a variable that counts processes is highest when all whom it counts
//! have come and nobody has left: for each there is a climb, in which leaving is put off.

use super::Profile;
use crate::budget::{Budget, UNLIMITED};
use crate::error::RuntimeError;
use crate::expression::Expr;
use crate::interp::{Interpreter, Spare};
use crate::program::{Location, Operation, ProcessType, Program, Transition};
use crate::ranges::Count;
use crate::state::{Pid, State};
use crate::system::{Step, Successor};
use rapidhash::fast::SeedableState;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

/// How many values may be looked at: some milliseconds.
const EFFORT: usize = 2_000_000;
/// As many of them as are left for walks, which see more of what is rare.
const WALKS: usize = 1_250_000;
/// How long a walk is.
const WALK: usize = 400;
/// One walk of so many lets anybody move at any time.
const FAIR: usize = 3;
/// Priorities change once in so many steps.
const PATIENCE: usize = 24;
/// How many steps a single d_step may take; a longer one is not looked into.
const DSTEP_STEPS: u64 = 1 << 16;
/// How long a climb is at most.
const CLIMB: usize = 200;

/// What a look around from the initial states shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstLook {
    pub profile: Profile,
    pub extent: Extent,
}

/// How far a look went: this may be relied on for speed, not for truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// States seen level by level.
    pub states: usize,
    /// Those of them behind which nobody looked: none if that was all.
    pub edge: usize,
}

impl Profile {
    /// A short look around from the initial states.
    pub fn first_look(interpreter: &Interpreter<'_>) -> Result<FirstLook, RuntimeError> {
        Profile::first_look_within(interpreter, &UNLIMITED)
    }

    /// The same, ended early if the budget runs out.
    pub fn first_look_within(
        interpreter: &Interpreter<'_>,
        budget: &Budget,
    ) -> Result<FirstLook, RuntimeError> {
        let states = interpreter.initial_states()?;
        let mut profile = Profile::initial_within(interpreter.program(), &states, budget);
        let extent = profile.look_around(interpreter, &states, budget);
        profile.share(interpreter.program());
        Ok(FirstLook { profile, extent })
    }

    /// Adds what can be seen from some states, within a fixed effort and within the budget.
    pub fn look_around(&mut self, interpreter: &Interpreter<'_>, from: &[State], budget: &Budget) -> Extent {
        let interpreter = &interpreter.with_patience(interpreter.patience().at_most(DSTEP_STEPS));
        let mut look = Look {
            interpreter,
            costs: Costs::new(interpreter.program()),
            effort: EFFORT,
            budget,
            successors: Vec::new(),
            spare: Spare::default(),
        };
        for state in from {
            self.include(interpreter.program(), state);
        }
        let (states, edge) = look.neighbourhood(self, from, WALKS);
        let extent = Extent { states, edge: edge.len() };
        if edge.is_empty() {
            return extent;
        }
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let ranges = Arc::clone(&self.ranges);
        for (variable, count) in ranges.counts() {
            let slot = interpreter.program().variables.get(variable).first_slot();
            if self.globals[slot].bits() < count.values.bits() {
                let state = from[random.below(from.len())].clone();
                look.climb(self, state, slot, count, &mut random);
            }
        }
        while look.effort > 0 {
            // Some walks go on from the edge of the neighbourhood, some start afresh.
            let start = if random.below(2) == 0 { &edge } else { from };
            let state = start[random.below(start.len())].clone();
            look.walk(self, state, &mut random);
        }
        extent
    }
}

struct Look<'a, 'p> {
    interpreter: &'a Interpreter<'p>,
    costs: Costs,
    effort: usize,
    budget: &'a Budget,
    successors: Vec<Successor>,
    spare: Spare,
}

impl Look<'_, '_> {
    /// Puts the steps from a state into `successors`, and pays for it.
    fn expand(&mut self, state: &State) {
        self.successors.drain(..).filter_map(|old| old.state).for_each(|old| self.spare.give(old));
        self.interpreter.successors_from(state, &mut self.successors, &mut self.spare);
        self.effort = self.effort.saturating_sub(self.costs.of(state, self.successors.len()));
        if self.budget.is_over() {
            self.effort = 0;
        } else if self.successors.iter().flat_map(|successor| &successor.errors).any(RuntimeError::is_limit) {
            // That took much longer than the number of successors tells.
            self.effort /= 2;
        }
        self.successors.retain(|successor| successor.state.is_some());
    }

    /// Looks at the neighbourhood, level by level, until only so much effort is left; returns how many states it has, and its edge.
    fn neighbourhood(&mut self, profile: &mut Profile, from: &[State], leave: usize) -> (usize, Vec<State>) {
        // Hashes do: to overlook a state in 2^64 is harmless here, and copies of all states would take most of the time.
        let hashes = SeedableState::fixed();
        let mut seen: HashSet<u64, SeedableState<'_>> = HashSet::with_hasher(SeedableState::fixed());
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
                        self.spare.give(state);
                    }
                }
                self.spare.give(state);
                if self.effort <= leave {
                    break;
                }
            }
            // A level that was left has an edge on both sides.
            frontier.extend(level);
            frontier.extend(next);
        }
        (seen.len(), frontier)
    }

    /// Looks at all steps from a state, if there are any and there is effort left.
    fn look_ahead(&mut self, profile: &mut Profile, state: &State) -> bool {
        let before = self.effort;
        self.expand(state);
        for state in self.successors.iter().filter_map(|successor| successor.state.as_ref()) {
            profile.include(self.interpreter.program(), state);
        }
        let goes_on = !self.successors.is_empty() && self.effort > 0;
        if !goes_on {
            // Walks that end at once cost something too.
            self.effort = self.effort.saturating_sub(before - self.effort);
        }
        goes_on
    }

    /// Makes one of the steps of highest rank; `false` if there is none.
    fn step<R: Ord>(
        &mut self,
        state: &mut State,
        random: &mut Random,
        rank: impl Fn(&State, &Successor) -> R,
    ) -> bool {
        let highest = self.successors.iter().map(|successor| rank(state, successor)).max();
        let first = |successor: &&mut Successor| Some(rank(state, successor)) == highest;
        let count = self.successors.iter_mut().filter(first).count();
        let chosen = self.successors.iter_mut().filter(first).nth(random.below(count));
        let next = chosen.and_then(|chosen| chosen.state.take());
        next.map(|next| self.spare.give(std::mem::replace(state, next))).is_some()
    }

    /// A walk to where a count is high: whoever is counted goes first, and what lowers it comes last.
    fn climb(
        &mut self,
        profile: &mut Profile,
        mut state: State,
        slot: usize,
        count: &Count,
        random: &mut Random,
    ) {
        for _ in 0..CLIMB {
            let rank = |from: &State, successor: &Successor| {
                let rises = successor.state.as_ref().map(|to| to.globals[slot].cmp(&from.globals[slot]));
                let mover = from.processes.get(usize::from(mover(&successor.step)));
                (rises, mover.is_some_and(|mover| count.counted[mover.process_type.index()]))
            };
            if profile.globals[slot].contains(count.values)
                || !self.look_ahead(profile, &state)
                || !self.step(&mut state, random, rank)
            {
                break;
            }
        }
    }

    fn walk(&mut self, profile: &mut Profile, mut state: State, random: &mut Random) {
        let fair = random.below(FAIR) == 0;
        let mut priorities: Vec<usize> = Vec::new();
        for _ in 0..WALK {
            if !self.look_ahead(profile, &state) {
                break;
            }
            while priorities.len() < state.processes.len() {
                priorities.push(random.below(usize::MAX));
            }
            if random.below(PATIENCE) == 0 && !priorities.is_empty() {
                let changed = random.below(priorities.len());
                priorities[changed] = random.below(usize::MAX);
            }
            let priority = |_: &State, successor: &Successor| match fair {
                true => None,
                false => priorities.get(usize::from(mover(&successor.step))).copied(),
            };
            if !self.step(&mut state, random, priority) {
                break;
            }
        }
    }
}

fn mover(step: &Step) -> Pid {
    match *step {
        Step::Move(mover) | Step::Refused(mover) => mover.pid,
        Step::Rendezvous { send, .. } => send.pid,
        Step::Release(pid) => pid,
    }
}

/// What it takes to look at states, in values copied or compared.
struct Costs {
    /// By process type and location: the size of everything that is tried there.
    locations: Vec<Vec<usize>>,
}

impl Costs {
    fn new(program: &Program) -> Costs {
        let of_type = |kind: &ProcessType| kind.locations.iter().map(location_size).collect();
        Costs { locations: program.process_types.iter().map(of_type).collect() }
    }

    /// Of a state with so many successors.
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
        // A rendezvous asks every other process.
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

/// A small generator of random numbers (Marsaglia's xorshift); the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * bound as u128) >> 64) as usize
    }
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
        let mut look = Look {
            interpreter: &interpreter,
            costs,
            effort: EFFORT,
            budget: &UNLIMITED,
            successors: Vec::new(),
            spare: Spare::default(),
        };
        // One state is enough to use up the effort.
        let (_, edge) = look.neighbourhood(&mut profile, &from, EFFORT - 1);
        assert!(from[1..].iter().all(|state| edge.contains(state)), "{edge:?}");
    }
}
