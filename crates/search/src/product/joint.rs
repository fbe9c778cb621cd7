//! The successors of nodes that are stored in packets, the automaton's state being the tail.
//!
//! The program is asked once for what it does in a state, whatever states the automaton may be in there; the edges are what the program does, combined with what
//! the automaton does. Where the automaton has a state that it can always [wait](super::Monitor::waiting) in, every packet has a node with it, the *companion* of
//! all others. A companion only passes by, so its edges may be followed at any time: they are made along with those of whatever other node of
//! its packet is looked at first, and the program is asked once instead of twice.

use super::graph::{ProductGraph, Stop};
use super::monitor::Target;
use crate::atomic::Broken;
use crate::limits::Limit;
use crate::liveness::{Edge, Node};
use model::RuntimeError;
use model::observe::Observable;
use model::system::Misfit;
use std::ops::Range;

/// Of a packet: the edges of its companion have been made, or are about to be.
pub(super) const TAKEN: u8 = 1;
/// Of a packet: its companion is among those that a search goes on from.
const LEFT: u8 = 2;

/// Where the program gets.
#[derive(Clone, Debug)]
enum Arrivals {
    /// It stays where it is.
    Same,
    These(Range<usize>),
}

/// Whose edges, and who is told of them?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Own,
    Companion,
    /// The companion's, to nodes that come to be looked at anyhow.
    Silent,
}

/// Each arrival of the program with each state that the automaton comes to.
#[derive(Clone, Debug)]
struct Fan {
    source: Node,
    arrivals: Arrivals,
    targets: Range<usize>,
    role: Role,
}

/// What is known of nodes being expanded, before it is known which nodes they lead to.
#[derive(Debug, Default)]
pub(super) struct Joint {
    letter: Vec<u64>,
    targets: Vec<Target>,
    fans: Vec<Fan>,
}

/// What the automaton does in a state.
struct Choice {
    targets: Range<usize>,
    /// Along with the program; otherwise it does not matter any more what the program does.
    moves: bool,
}

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// The automaton's state in the companion of this node, if its edges are not made yet; they must be from now on.
    pub(super) fn take_companion(&self, node: Node) -> Option<u32> {
        let waiting = self.nodes.product.monitor().waiting()?;
        // Of a node that stands for all that follow the program is not asked.
        let own = self.absorbed(node).is_none();
        (own && self.nodes.table.mark(self.nodes.table.head(node), TAKEN)).then_some(waiting)
    }

    /// Appends the edges of nodes; and to `left`, what their companions lead to and would not be looked at otherwise, if the automaton's state in these is given.
    pub(super) fn joint_successors(
        &mut self,
        nodes: &[Node],
        companion: Option<u32>,
        out: &mut Vec<Edge>,
        left: &mut Vec<Node>,
    ) -> Result<(), Stop> {
        nodes.iter().try_for_each(|_| self.tick())?;
        let counted = (self.tally.transitions, self.tally.atomic_steps);
        let mut joint = std::mem::take(&mut self.joint);
        loop {
            match self.expand_jointly(nodes, companion, &mut joint)? {
                Ok(()) if self.add_heads()? => break,
                Ok(()) => {}
                Err(misfit) => self.widen(&misfit),
            }
            // Once more, with another layout.
            (self.tally.transitions, self.tally.atomic_steps) = counted;
        }
        joint.fans.iter().for_each(|fan| self.follow(&joint, fan, out, left));
        self.joint = joint;
        self.check_size()
    }

    /// Asks the program and the automaton.
    fn expand_jointly(
        &mut self,
        nodes: &[Node],
        companion: Option<u32>,
        joint: &mut Joint,
    ) -> Result<Result<(), Box<Misfit>>, Stop> {
        self.program.clear();
        joint.targets.clear();
        joint.fans.clear();
        nodes.iter().for_each(|node| self.nodes.table.fetch_words(*node));
        for &node in nodes {
            self.load_program(node);
            let letter = self.nodes.product.letter(&self.state, &mut joint.letter);
            letter.map_err(|error| Stop::Failed(node, error))?;
            let own = self.choose(self.nodes.table.tail(node), joint);
            let other = companion.map(|automaton| self.choose(automaton, joint));
            let branches = |choice: &Choice| if choice.moves { choice.targets.len() as u64 } else { 0 };
            let all = branches(&own) + other.as_ref().map_or(0, branches);
            let moved = match all {
                0 => Arrivals::Same,
                _ => match self.ask_program(all)? {
                    Ok(arrivals) => arrivals,
                    Err(misfit) => return Ok(Err(misfit)),
                },
            };
            let arrivals = |choice: &Choice| if choice.moves { moved.clone() } else { Arrivals::Same };
            if let Some(other) = other {
                let silent = if other.moves && own.moves { self.hush(&own, &other, joint) } else { 0 };
                let middle = other.targets.start + silent;
                for (targets, role) in [
                    (other.targets.start..middle, Role::Silent),
                    (middle..other.targets.end, Role::Companion),
                ] {
                    joint.fans.push(Fan { source: node, arrivals: arrivals(&other), targets, role });
                }
            }
            let arrivals = arrivals(&own);
            joint.fans.push(Fan { source: node, arrivals, targets: own.targets, role: Role::Own });
        }
        Ok(Ok(()))
    }

    /// What the automaton can do.
    fn choose(&mut self, automaton: u32, joint: &mut Joint) -> Choice {
        let start = joint.targets.len();
        let product = &self.nodes.product;
        let monitor = product.monitor();
        if product.absorbs()
            && let Some(marks) = monitor.absorbing(automaton)
        {
            joint.targets.push((automaton, marks));
            return Choice { targets: start..start + 1, moves: false };
        }
        monitor.targets(automaton, &joint.letter, &mut joint.targets);
        let mut targets = joint.targets[start..].iter();
        if product.absorbs()
            && let Some(&universal) = targets.find(|(target, _)| monitor.is_universal(*target))
        {
            joint.targets.truncate(start);
            joint.targets.push(universal);
            self.tally.transitions += 1;
            return Choice { targets: start..start + 1, moves: false };
        }
        Choice { targets: start..joint.targets.len(), moves: true }
    }

    /// What the program does in `self.state`, counted as often as the automaton has choices.
    fn ask_program(&mut self, choices: u64) -> Result<Result<Arrivals, Box<Misfit>>, Stop> {
        let before = (self.tally.transitions, self.tally.atomic_steps);
        let first = self.program.arrivals().len() / self.program.stride();
        let stop = self.interrupt();
        let product = &self.nodes.product;
        match self.program.expand_more(product.system(), &self.state, &mut self.tally, stop) {
            Ok(()) => {}
            Err(Broken::Misfit(misfit)) => return Ok(Err(misfit)),
            Err(Broken::Stopped) => return Err(Stop::Limit(Limit::Interrupted)),
        }
        // The program's errors are not the property's business; and that it has come to an end is none.
        for (error, _) in self.program.met.drain(..) {
            if error != RuntimeError::InvalidEndState {
                product.monitor().note(&error);
            }
        }
        if product.monitor().stutters() && self.program.nothing_moved() {
            self.tally.transitions = before.0 + choices;
            return Ok(Ok(Arrivals::Same));
        }
        self.tally.transitions = before.0 + (self.tally.transitions - before.0) * choices;
        self.tally.atomic_steps = before.1 + (self.tally.atomic_steps - before.1) * choices;
        Ok(Ok(Arrivals::These(first..self.program.arrivals().len() / self.program.stride())))
    }

    /// Puts those targets of the companion first of which nobody has to be told: nodes that the node itself leads to, and the companions of such
    /// nodes, whose edges are made along with theirs. How many are they?
    fn hush(&self, own: &Choice, other: &Choice, joint: &mut Joint) -> usize {
        let product = &self.nodes.product;
        let monitor = product.monitor();
        let is_looked_at = |target: u32| !monitor.is_passing(target);
        let makes_companion =
            |target: u32| is_looked_at(target) && !(product.absorbs() && monitor.absorbing(target).is_some());
        let (before, others) = joint.targets.split_at_mut(other.targets.start);
        let own = &before[own.targets.clone()];
        let is_silent = |target: u32| {
            own.iter().any(|(met, _)| *met == target && is_looked_at(target))
                || monitor.waiting() == Some(target) && own.iter().any(|(met, _)| makes_companion(*met))
        };
        others.sort_by_key(|(target, _)| !is_silent(*target));
        others.iter().filter(|(target, _)| is_silent(*target)).count()
    }

    /// Looks up the packets of all arrivals; `false` if the product was widened meanwhile, so that they mean nothing any more.
    fn add_heads(&mut self) -> Result<bool, Stop> {
        let (stride, identity) = (self.program.stride(), self.nodes.product.program_width().identity);
        let arrivals = self.program.take_arrivals();
        let added = self.look_up(arrivals.chunks_exact(stride).map(|arrival| &arrival[1..=identity]))?;
        self.program.give_back(arrivals);
        Ok(added)
    }

    /// The edges of a fan.
    fn follow(&self, joint: &Joint, fan: &Fan, out: &mut Vec<Edge>, left: &mut Vec<Node>) {
        let table = &self.nodes.table;
        let monitor = self.nodes.product.monitor();
        let own = [table.head(fan.source)];
        let heads = match &fan.arrivals {
            Arrivals::Same => &own[..],
            Arrivals::These(range) => &self.lookup.heads[range.clone()],
        };
        let targets = &joint.targets[fan.targets.clone()];
        for &head in heads {
            for &(automaton, marks) in targets {
                let target = table.node(head, automaton);
                match fan.role {
                    Role::Own => out.push(Edge { marks, target }),
                    Role::Companion if monitor.waiting() != Some(automaton) || table.mark(head, LEFT) => {
                        left.push(target);
                    }
                    _ => {}
                }
            }
        }
    }
}
