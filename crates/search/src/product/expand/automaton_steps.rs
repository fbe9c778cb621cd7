//! The automaton's transitions on a letter, for a node and, if requested, for the companion of the
//! node (see [`packet`](crate::product::expand::packet)).
//!
//! The transitions depend only on the automaton's state and the letter. Both take few values, so
//! [`AutomatonSteps`] caches the transitions in the form from which edges are made.

use crate::product::monitor::{AutomatonTarget, Monitor};
use crate::product::nodes::packet_bits::{COMPANION_QUEUED, PacketBits};
use crate::product::system::Absorption;
use crate::tuning::product::{CACHED_LETTER_STEPS, DIRECT_MAPPED_LETTER_STEPS};
use rapidhash::RapidHashMap;

/// Edges of a node that lead to the same packets.
#[derive(Debug, Default)]
pub(in crate::product) struct Branches {
    /// The tails that the edges reach, and [`COMPANION_QUEUED`] if the companions of the target
    /// packets must be visited.
    pub visited: PacketBits,
    /// The node's edges, in the order of the automaton.
    pub all: Vec<AutomatonTarget>,
    /// The edges in `all` whose automaton state is not rejecting.
    pub inner: Vec<AutomatonTarget>,
    /// The edges in `all` whose automaton state is rejecting.
    pub rejecting: Vec<AutomatonTarget>,
    /// Does the companion lead to companions that no other edge makes the search visit?
    pub queues_companion: bool,
    /// The automaton states other than the waiting one that only the companion leads to.
    pub companion_exits: Vec<u32>,
}

/// The automaton's transitions on one letter.
#[derive(Debug, Default)]
pub(in crate::product) struct LetterSteps {
    /// Transitions that go along with a step of the program.
    pub moves: Branches,
    /// Transitions within the packet: no later step of the program can change the verdict.
    pub stays: Branches,
    /// Transitions of the product for each step of the program.
    pub transitions_per_step: u64,
    /// Transitions of the product that need no step of the program.
    pub other_transitions: u64,
}

impl LetterSteps {
    fn branches(&mut self, moves: bool) -> &mut Branches {
        if moves { &mut self.moves } else { &mut self.stays }
    }
}

/// The automaton's states in a node and, if its edges are requested too, in the companion.
#[derive(Clone, Copy, Debug)]
pub(in crate::product) struct AutomatonStates {
    pub node: u32,
    pub companion: Option<u32>,
}

impl AutomatonStates {
    /// A single number, because that is hashed quickly.
    fn key(self, letter: u64) -> u128 {
        let companion = self.companion.map_or(0, |companion| companion + 1);
        u128::from(letter) << 64 | u128::from(self.node) << 32 | u128::from(companion)
    }
}

/// A cache of [`LetterSteps`], each with a number.
#[derive(Debug)]
pub(in crate::product) struct AutomatonSteps {
    /// A direct-mapped cache before `known`: most searches see few letters.
    recent: [Option<(u128, usize)>; DIRECT_MAPPED_LETTER_STEPS],
    known: RapidHashMap<u128, usize>,
    steps: Vec<LetterSteps>,
}

impl Default for AutomatonSteps {
    fn default() -> AutomatonSteps {
        let recent = [None; DIRECT_MAPPED_LETTER_STEPS];
        AutomatonSteps { recent, known: RapidHashMap::default(), steps: Vec::new() }
    }
}

impl AutomatonSteps {
    /// Empties the cache if it is full. Numbers returned before are invalid afterwards.
    #[inline]
    pub fn evict_if_full(&mut self) {
        if self.steps.len() > CACHED_LETTER_STEPS {
            *self = AutomatonSteps::default();
        }
    }

    #[inline]
    pub fn get(&self, number: usize) -> &LetterSteps {
        &self.steps[number]
    }

    /// The number of the transitions from these states on a letter.
    #[inline]
    pub fn find(
        &mut self,
        monitor: &Monitor,
        absorption: Absorption,
        states: AutomatonStates,
        letter: &[u64],
    ) -> usize {
        // Letters of several words are rare and not cached.
        if letter.len() > 1 {
            return self.add(letter_steps(monitor, absorption, states, letter));
        }
        let bits = letter.first().copied().unwrap_or(0);
        let key = states.key(bits);
        let place = ((states.node as usize) << 3
            ^ (bits as usize) << 1
            ^ usize::from(states.companion.is_some()))
            % DIRECT_MAPPED_LETTER_STEPS;
        if let Some((recent, number)) = self.recent[place]
            && recent == key
        {
            return number;
        }
        let number = match self.known.get(&key) {
            Some(number) => *number,
            None => {
                let number = self.add(letter_steps(monitor, absorption, states, letter));
                self.known.insert(key, number);
                number
            }
        };
        self.recent[place] = Some((key, number));
        number
    }

    fn add(&mut self, steps: LetterSteps) -> usize {
        self.steps.push(steps);
        self.steps.len() - 1
    }
}

/// The transitions from one state of the automaton on a letter.
struct StateSteps {
    targets: Vec<AutomatonTarget>,
    /// Does the program move along? Otherwise no later step of the program matters.
    moves: bool,
    transitions_per_step: u64,
    other_transitions: u64,
}

fn state_steps(
    monitor: &Monitor,
    absorption: Absorption,
    automaton: u32,
    letter: &[u64],
) -> StateSteps {
    let stays = |target: AutomatonTarget, other_transitions| StateSteps {
        targets: vec![target],
        moves: false,
        transitions_per_step: 0,
        other_transitions,
    };
    if let Some(marks) = monitor.absorbing(automaton).filter(|_| absorption != Absorption::Never) {
        return stays((automaton, marks), 0);
    }
    let mut targets = Vec::new();
    monitor.targets(automaton, letter, &mut targets);
    let end = targets.iter().find(|(target, _)| absorption.ends_in(monitor, *target));
    if let Some(&end) = end {
        return stays(end, 1);
    }
    let transitions_per_step = targets.len() as u64;
    StateSteps { targets, moves: true, transitions_per_step, other_transitions: 0 }
}

fn letter_steps(
    monitor: &Monitor,
    absorption: Absorption,
    states: AutomatonStates,
    letter: &[u64],
) -> LetterSteps {
    let own = state_steps(monitor, absorption, states.node, letter);
    let other = states.companion.map(|state| state_steps(monitor, absorption, state, letter));
    let companion = |count: fn(&StateSteps) -> u64| other.as_ref().map_or(0, count);
    let mut steps = LetterSteps {
        transitions_per_step: own.transitions_per_step
            + companion(|other| other.transitions_per_step),
        other_transitions: own.other_transitions + companion(|other| other.other_transitions),
        ..LetterSteps::default()
    };
    if let Some(other) = other {
        let is_redundant =
            |target| other.moves && own.moves && is_redundant(monitor, absorption, &own, target);
        let branches = steps.branches(other.moves);
        let targets = other.targets.iter().map(|(target, _)| *target);
        targets.clone().for_each(|target| branches.visited.insert(target));
        let (companions, exits): (Vec<u32>, _) = targets
            .filter(|target| !is_redundant(*target))
            .partition(|target| monitor.waiting() == Some(*target));
        if !companions.is_empty() {
            branches.queues_companion = true;
            branches.visited.insert_flags(COMPANION_QUEUED);
        }
        branches.companion_exits = exits;
    }
    let branches = steps.branches(own.moves);
    own.targets.iter().for_each(|(target, _)| branches.visited.insert(*target));
    (branches.rejecting, branches.inner) =
        own.targets.iter().partition(|(target, _)| monitor.is_rejecting(*target));
    branches.all = own.targets;
    steps
}

/// Is this target of the companion visited anyway? The search visits each target of the node
/// itself, and expands the companion of such a target along with the target.
fn is_redundant(monitor: &Monitor, absorption: Absorption, own: &StateSteps, target: u32) -> bool {
    let is_searched = |target: u32| !monitor.is_rejecting(target);
    let expands_companion = |target: u32| {
        is_searched(target)
            && !(absorption != Absorption::Never && monitor.absorbing(target).is_some())
    };
    let mut targets = own.targets.iter().map(|(target, _)| *target);
    targets.clone().any(|own| own == target && is_searched(target))
        || monitor.waiting() == Some(target) && targets.any(expands_companion)
}
