//! Can a channel grow without bound? The depth-first test of Jard and Jéron (1991, section 4; Jéron
//! 1991) for systems whose channels have no capacity.
//!
//! A new state is compared with its ancestors on the depth-first path that differ from it in
//! channel contents alone. Let the steps between the two receive the messages `α` from a channel
//! that held `X`, and send `β` to it. The steps can be repeated forever iff `X·β·β·… = α·α·…` for
//! every channel they receive from. If some channel gains messages in each round, it grows without
//! bound.
//!
//! The argument needs steps that depend only on the two ends of a growing channel: plain sends and
//! receives, one per step. A step that reads the channel's length, sends sorted, or needs another
//! step to be disabled proves nothing. Unboundedness is undecidable in general, so a search may run
//! until a limit ends it.

use crate::limits::{Limit, Limits, Meter};
use crate::outcome::Run;
use crate::tuning::unbounded::{COMPARED_ANCESTORS, MEMORY_CHECK_STATES, TIME_CHECK_STATES};
use lariat_ir::access::{AccessTable, ChannelUse, Resource};
use lariat_ir::interp::Context;
use lariat_ir::program::{LocationId, Operation, Program};
use lariat_ir::system::Move;
use lariat_ir::{Interpreter, RuntimeError, State, Step, Successor};
use rapidhash::fast::GlobalState;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::time::Duration;

/// The result of the test.
#[derive(Clone, Debug)]
pub enum Boundedness {
    /// Every reachable state was visited, so no channel grows without bound.
    Bounded {
        /// The largest number of messages in each channel; channel `n` has index `n - 1`.
        longest: Vec<usize>,
        /// The number of visited states.
        states: u64,
    },
    /// Some channel grows without bound.
    Unbounded(Box<Growth>),
    /// A limit ended the search before it visited every state or found growth.
    Undecided {
        /// The limit that ended the search.
        limit: Limit,
        /// The number of visited states.
        states: u64,
    },
    /// Making the initial state failed.
    Failed(RuntimeError),
}

/// A run to a cycle of steps that can be repeated forever, and the channels that grow with it.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The run from an initial state to the start of the cycle.
    pub prefix: Run,
    /// The steps of the cycle, once.
    pub cycle: Vec<Step>,
    /// Channel numbers, and how many messages a round adds to each.
    pub channels: Vec<(u32, usize)>,
    /// The states of the run, through the cycle once. The first and last state of the cycle differ
    /// in channel contents alone.
    pub states: Vec<State>,
}

/// The program with channels that are never full. Rendezvous channels do not change.
pub fn without_capacities(program: &Program) -> Program {
    let mut program = program.clone();
    for channel_type in program.channel_types.iter_mut().filter(|kind| kind.capacity > 0) {
        channel_type.capacity = u32::MAX;
    }
    program
}

/// Searches for growth in a program [without capacities](without_capacities).
pub fn unbounded(program: &Program, limits: &Limits<'_>) -> Boundedness {
    let interpreter = Interpreter::new(program);
    let initial = match interpreter.initial_states() {
        Ok(states) => states,
        Err(error) => return Boundedness::Failed(error),
    };
    let mut search = GrowthSearch {
        program,
        interpreter,
        access: AccessTable::new(program),
        path: Vec::new(),
        ancestors: HashMap::default(),
        visited: HashSet::default(),
        longest: Vec::new(),
        bytes: 0,
    };
    let mut meter = PeriodicMeter { meter: Meter::new(limits, Duration::ZERO), ticks: 0 };
    for (number, state) in initial.into_iter().enumerate() {
        match search.from(number, state, limits, &mut meter) {
            Ok(None) => {}
            Ok(Some(growth)) => return Boundedness::Unbounded(Box::new(growth)),
            Err(limit) => {
                return Boundedness::Undecided { limit, states: search.visited.len() as u64 };
            }
        }
    }
    Boundedness::Bounded { longest: search.longest, states: search.visited.len() as u64 }
}

/// Checks time and memory every few states.
struct PeriodicMeter<'a> {
    meter: Meter<'a>,
    ticks: u32,
}

impl PeriodicMeter<'_> {
    fn tick(&mut self, bytes: u64) -> Result<(), Limit> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(TIME_CHECK_STATES) {
            self.meter.check_time()?;
        }
        if self.ticks.is_multiple_of(MEMORY_CHECK_STATES) {
            self.meter.check_memory(bytes)?;
        }
        Ok(())
    }
}

/// A state on the depth-first path.
struct AncestorEntry {
    state: State,
    /// The step that led here.
    step: Option<Step>,
    /// Successors not yet visited, the next one last.
    pending: Vec<Successor>,
    skeleton: u64,
}

struct GrowthSearch<'a> {
    program: &'a Program,
    interpreter: Interpreter<'a>,
    access: AccessTable,
    path: Vec<AncestorEntry>,
    /// Indices into `path` by the hash of the state's skeleton.
    ancestors: HashMap<u64, Vec<usize>, GlobalState>,
    visited: HashSet<State, GlobalState>,
    longest: Vec<usize>,
    /// Approximate memory of the visited states.
    bytes: u64,
}

impl GrowthSearch<'_> {
    fn from(
        &mut self,
        number: usize,
        state: State,
        limits: &Limits<'_>,
        meter: &mut PeriodicMeter<'_>,
    ) -> Result<Option<Growth>, Limit> {
        if let Some(growth) = self.enter(number, None, state) {
            return Ok(Some(growth));
        }
        let mut deepest = false;
        while let Some(top) = self.path.last_mut() {
            meter.tick(self.bytes)?;
            let Some(successor) = top.pending.pop() else {
                self.leave();
                continue;
            };
            let Some(state) = successor.state else { continue };
            if limits.depth.is_some_and(|depth| self.path.len() as u64 > depth) {
                deepest = true;
                continue;
            }
            if limits.states.is_some_and(|states| self.visited.len() as u64 >= states) {
                return Err(Limit::States(self.visited.len() as u64));
            }
            if let Some(growth) = self.enter(number, Some(successor.step), state) {
                return Ok(Some(growth));
            }
        }
        match limits.depth {
            Some(depth) if deepest => Err(Limit::Depth(depth)),
            _ => Ok(None),
        }
    }

    /// Pushes an unvisited state onto the path; returns the growth that it proves, if any.
    fn enter(&mut self, number: usize, step: Option<Step>, state: State) -> Option<Growth> {
        if !self.visited.insert(state.clone()) {
            return None;
        }
        self.bytes += (size_of::<State>() + 4 * state.globals.len()) as u64;
        self.longest.resize(self.longest.len().max(state.channels.len()), 0);
        for (index, channel) in state.channels.iter().enumerate() {
            self.bytes += 4 * channel.contents.len() as u64;
            let length = channel.contents.len() / self.message_width(&state, index);
            self.longest[index] = self.longest[index].max(length);
        }
        let mut pending = Vec::new();
        self.interpreter.successors(&state, &mut pending);
        pending.reverse();
        let skeleton = skeleton(&state);
        let place = self.path.len();
        self.path.push(AncestorEntry { state, step, pending, skeleton });
        let earlier = self.ancestors.entry(skeleton).or_default();
        let compared: Vec<usize> = earlier.iter().rev().take(COMPARED_ANCESTORS).copied().collect();
        earlier.push(place);
        compared.into_iter().find_map(|ancestor| self.growth_since(number, ancestor))
    }

    fn leave(&mut self) {
        let Some(frame) = self.path.pop() else { return };
        if let Some(places) = self.ancestors.get_mut(&frame.skeleton) {
            places.pop();
            if places.is_empty() {
                self.ancestors.remove(&frame.skeleton);
            }
        }
    }

    fn message_width(&self, state: &State, channel: usize) -> usize {
        self.program.channel_type(state.channels[channel].channel_type).fields.len().max(1)
    }

    /// The growth proved by the steps from an ancestor to the top of the path, if any.
    fn growth_since(&self, number: usize, ancestor: usize) -> Option<Growth> {
        let (first, last) = (&self.path[ancestor].state, &self.path.last()?.state);
        if !same_skeleton(first, last) {
            return None;
        }
        let mut growing = Vec::new();
        for (index, (before, after)) in first.channels.iter().zip(&last.channels).enumerate() {
            if after.contents.len() > before.contents.len() {
                growing.push(index);
            } else if after.contents != before.contents {
                return None;
            }
        }
        if growing.is_empty() {
            return None;
        }
        let mut flows: Vec<ChannelFlow> =
            growing.iter().map(|&index| ChannelFlow::new(index)).collect();
        for frames in self.path[ancestor..].windows(2) {
            let step = frames[1].step?;
            if !self.depends_on_ends_only(&frames[0].state, &step, &growing) {
                return None;
            }
            for flow in &mut flows {
                flow.record(
                    &frames[0].state.channels[flow.channel].contents,
                    &frames[1].state.channels[flow.channel].contents,
                )?;
            }
        }
        if !flows.iter().all(|flow| flow.repeats(&first.channels[flow.channel].contents)) {
            return None;
        }
        let steps: Vec<Step> = self.path.iter().filter_map(|frame| frame.step).collect();
        let (prefix, cycle) = steps.split_at(ancestor);
        let added = |&index: &usize| {
            let added = last.channels[index].contents.len() - first.channels[index].contents.len();
            (index as u32 + 1, added / self.message_width(last, index))
        };
        Some(Growth {
            prefix: Run { initial: number, steps: prefix.to_vec() },
            cycle: cycle.to_vec(),
            channels: growing.iter().map(added).collect(),
            states: self.path.iter().map(|frame| frame.state.clone()).collect(),
        })
    }

    /// Is the step's effect independent of the growing channels, except for their first and last
    /// messages?
    fn depends_on_ends_only(&self, state: &State, step: &Step, growing: &[usize]) -> bool {
        let taken = match step {
            Step::Move(taken) => taken,
            Step::Rendezvous { send, receive } => {
                return [send, receive]
                    .into_iter()
                    .all(|side| !self.touches(side, side.transition, growing));
            }
            Step::Release(_) | Step::Refused(_) => return false,
        };
        let process_type = self.program.process_type(taken.process_type);
        let location = process_type.location(LocationId(taken.location));
        let transition = &location.transitions[taken.transition as usize];
        // Transitions that must be disabled for this step must not depend on the channels either.
        let needs_others_disabled = matches!(transition.operation, Operation::Else)
            || location.transitions.iter().any(|other| other.escape > 0)
            || process_type.deterministic;
        let count = location.transitions.len() as u32;
        if needs_others_disabled
            && (0..count)
                .any(|other| other != taken.transition && self.touches(taken, other, growing))
        {
            return false;
        }
        match &transition.operation {
            Operation::Send { channel, sorted: false, .. }
            | Operation::Receive { channel, random: false, keep: false, .. } => {
                let noted = RefCell::default();
                let context =
                    Context { pid: taken.pid, ..Context::outside(self.program, state, &noted) };
                let number = context.value(channel).unwrap_or(0);
                // Apart from its send or receive, the step must not inspect a growing channel.
                let uses = &self.table(taken, taken.transition).channels;
                let inspects = uses.iter().any(|&(channel, used)| {
                    used == ChannelUse::Inspect
                        && channel.is_none_or(|n| growing.contains(&(n as usize).wrapping_sub(1)))
                });
                !inspects && !self.reads_everything(taken, taken.transition) && number > 0
            }
            _ => !self.touches(taken, taken.transition, growing),
        }
    }

    fn table(&self, taken: &Move, transition: u32) -> &lariat_ir::access::Access {
        self.access.transition(taken.process_type, LocationId(taken.location), transition as usize)
    }

    fn reads_everything(&self, taken: &Move, transition: u32) -> bool {
        self.table(taken, transition).reads.contains(&Resource::Everything)
    }

    /// May a transition of the moving process's location access a growing channel?
    fn touches(&self, taken: &Move, transition: u32, growing: &[usize]) -> bool {
        let channels = &self.table(taken, transition).channels;
        self.reads_everything(taken, transition)
            || channels.iter().any(|&(channel, _)| {
                channel.is_none_or(|n| growing.contains(&(n as usize).wrapping_sub(1)))
            })
    }
}

/// The messages sent to and received from one channel along a cycle.
struct ChannelFlow {
    channel: usize,
    /// `α`
    received: Vec<i32>,
    /// `β`
    sent: Vec<i32>,
}

impl ChannelFlow {
    fn new(channel: usize) -> ChannelFlow {
        ChannelFlow { channel, received: Vec::new(), sent: Vec::new() }
    }

    /// Records a step from its channel contents; `None` unless it sends or receives at most one
    /// message.
    fn record(&mut self, before: &[i32], after: &[i32]) -> Option<()> {
        if after.len() > before.len() {
            self.sent.extend(after.strip_prefix(before)?);
        } else if after.len() < before.len() {
            let width = before.len() - after.len();
            (before[width..] == *after).then_some(())?;
            self.received.extend(&before[..width]);
        } else if before != after {
            return None;
        }
        Some(())
    }

    /// Is `X·β·β·… = α·α·…`, where `held` is `X`? Infinite words with periods `p` and `q` that
    /// agree on `p + q` letters after `X` agree forever (Fine and Wilf).
    fn repeats(&self, held: &[i32]) -> bool {
        if self.received.is_empty() {
            return true;
        }
        if self.sent.len() < self.received.len() {
            return false;
        }
        let length = held.len() + self.sent.len() + self.received.len();
        let offered = held.iter().chain(self.sent.iter().cycle());
        let wanted = self.received.iter().cycle();
        offered.zip(wanted).take(length).all(|(offered, wanted)| offered == wanted)
    }
}

fn skeleton(state: &State) -> u64 {
    GlobalState::new().hash_one((
        &state.globals,
        &state.processes,
        state.exclusive,
        state.last,
        state.event,
    ))
}

/// Do two states differ in channel contents alone?
fn same_skeleton(one: &State, other: &State) -> bool {
    one.globals == other.globals
        && one.processes == other.processes
        && one.exclusive == other.exclusive
        && one.last == other.last
        && one.event == other.event
        && one.channels.len() == other.channels.len()
        && one
            .channels
            .iter()
            .zip(&other.channels)
            .all(|(one, other)| one.channel_type == other.channel_type && one.owner == other.owner)
}
