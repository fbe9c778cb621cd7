//! The successors of nodes that are stored in packets, the automaton's state being the tail.
//!
//! The program is asked once for what it does in a state, whatever states the automaton may be in there; the edges are what the program does, combined with what
//! the automaton does. Where the automaton has a state that it can always [wait](super::Monitor::waiting) in, every packet has a node with it, the *companion* of
//! all others. A companion only passes by, so its edges may be followed at any time: they are made along with those of whatever other node of
//! its packet is looked at first, and the program is asked once instead of twice.

use super::graph::{ProductGraph, Stop};
use super::monitor::Target;
use super::packets::{LEFT, TAKEN};
use super::reply::{Fan, Replies};
use crate::atomic::Broken;
use crate::limits::Limit;
use crate::liveness::{Edge, Node};
use model::RuntimeError;
use model::observe::Observable;
use model::system::Misfit;
use std::ops::Range;

/// Where the program gets.
#[derive(Clone, Debug)]
enum Arrivals {
    /// It stays where it is.
    Same,
    These(Range<usize>),
}

/// The edges of a node, and of its companion if that is asked for.
#[derive(Clone, Debug)]
struct Fans {
    source: Node,
    arrivals: Arrivals,
    /// The number of what the automaton replies.
    reply: usize,
}

/// What is known of nodes being expanded, before it is known which nodes they lead to.
#[derive(Debug, Default)]
pub(super) struct Joint {
    letter: Vec<u64>,
    replies: Replies,
    fans: Vec<Fans>,
}

/// Whose edges are wanted?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// The node's own, all of them.
    All,
    /// Those of the node to nodes that are not passing. Those to passing nodes are left, and so is what its companion leads to and would not be looked at otherwise, if its
    /// state of the automaton is given.
    Component(Option<u32>),
}

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// The automaton's state in the companion of this node, if its edges are not made yet; they must be from now on.
    pub(super) fn take_companion(&self, node: Node) -> Option<u32> {
        let waiting = self.nodes.product.monitor().waiting()?;
        // Of a node that stands for all that follow the program is not asked.
        let own = self.absorbed(node).is_none();
        (own && self.nodes.table.mark(self.nodes.table.head(node), TAKEN, self.alone)).then_some(waiting)
    }

    /// Appends the edges of nodes that are wanted, and to `left` what they leave.
    pub(super) fn joint_successors(
        &mut self,
        nodes: &[Node],
        within: Within,
        out: &mut Vec<Edge>,
        left: &mut Vec<Node>,
    ) -> Result<(), Stop> {
        nodes.iter().try_for_each(|_| self.tick())?;
        let counted = (self.tally.transitions, self.tally.atomic_steps);
        let mut joint = self.joint.take().unwrap_or_default();
        loop {
            match self.expand_jointly(nodes, within, &mut joint)? {
                Ok(()) if self.add_heads()? => break,
                Ok(()) => {}
                Err(misfit) => self.widen(&misfit)?,
            }
            // Once more, with another layout.
            (self.tally.transitions, self.tally.atomic_steps) = counted;
        }
        joint.fans.iter().for_each(|fans| self.follow(&joint.replies, fans, within, out, left));
        self.joint = Some(joint);
        self.check_size()
    }

    /// Asks the program and the automaton.
    fn expand_jointly(
        &mut self,
        nodes: &[Node],
        within: Within,
        joint: &mut Joint,
    ) -> Result<Result<(), Box<Misfit>>, Stop> {
        self.program.clear();
        joint.replies.begin();
        joint.fans.clear();
        let companion = match within {
            Within::All => None,
            Within::Component(companion) => companion,
        };
        nodes.iter().for_each(|node| self.nodes.table.fetch_words(*node));
        for &node in nodes {
            self.load_program(node);
            let product = &self.nodes.product;
            let letter = product.letter(&self.state, &mut joint.letter);
            letter.map_err(|error| Stop::Failed(node, error))?;
            let tail = self.nodes.table.tail(node);
            let number =
                joint.replies.find(product.monitor(), product.absorbs(), tail, companion, &joint.letter);
            let reply = joint.replies.get(number);
            self.tally.transitions += reply.transitions;
            let arrivals = match reply.branches {
                0 => Arrivals::Same,
                branches => match self.ask_program(branches)? {
                    Ok(arrivals) => arrivals,
                    Err(misfit) => return Ok(Err(misfit)),
                },
            };
            joint.fans.push(Fans { source: node, arrivals, reply: number });
        }
        Ok(Ok(()))
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
            Err(Broken::Stopped | Broken::Unfinished(Limit::Interrupted)) => return Err(self.stopped()),
            Err(Broken::Unfinished(limit)) => return Err(Stop::Limit(limit)),
        }
        // The program's errors are not the property's business; and that it has come to an end is none.
        if !self.program.met.is_empty() {
            for (error, _) in self.program.met.drain(..) {
                if error != RuntimeError::InvalidEndState {
                    product.monitor().note(&error);
                }
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

    /// Looks up the packets of all arrivals; `false` if the product was widened meanwhile, so that they mean nothing any more.
    fn add_heads(&mut self) -> Result<bool, Stop> {
        let (stride, identity) = (self.program.stride(), self.nodes.product.program_width().identity);
        let arrivals = self.program.take_arrivals();
        let added = self.look_up(arrivals.chunks_exact(stride).map(|arrival| &arrival[1..=identity]))?;
        self.program.give_back(arrivals);
        Ok(added)
    }

    /// The edges themselves.
    fn follow(
        &self,
        replies: &Replies,
        fans: &Fans,
        within: Within,
        out: &mut Vec<Edge>,
        left: &mut Vec<Node>,
    ) {
        let reply = replies.get(fans.reply);
        let source = [self.nodes.table.head(fans.source)];
        let heads = match &fans.arrivals {
            Arrivals::Same => &source[..],
            Arrivals::These(range) => &self.lookup.heads[range.clone()],
        };
        self.follow_fan(&reply.moves, heads, within, out, left);
        if !reply.stays.met.is_empty() {
            self.follow_fan(&reply.stays, &source, within, out, left);
        }
    }

    #[inline]
    fn follow_fan(
        &self,
        fan: &Fan,
        heads: &[Node],
        within: Within,
        out: &mut Vec<Edge>,
        left: &mut Vec<Node>,
    ) {
        let table = &self.nodes.table;
        let waiting = self.nodes.product.monitor().waiting().filter(|_| fan.companions);
        table.meet(heads, &fan.met, self.alone, |head, flags| {
            left.extend(waiting.filter(|_| flags & LEFT == 0).map(|automaton| table.node(head, automaton)));
        });
        let edges = |&(automaton, marks): &Target| {
            heads.iter().map(move |head| Edge { marks, target: table.node(*head, automaton) })
        };
        match within {
            // In the order of the product's arrivals: edges are told by their numbers (see `FairGraph`).
            Within::All => {
                let edge = |head: Node, &(automaton, marks): &Target| Edge {
                    marks,
                    target: table.node(head, automaton),
                };
                heads.iter().for_each(|&head| out.extend(fan.own.iter().map(|target| edge(head, target))));
            }
            Within::Component(_) => {
                fan.inner.iter().for_each(|target| out.extend(edges(target)));
                fan.passing.iter().for_each(|target| left.extend(edges(target).map(|edge| edge.target)));
            }
        }
        for &automaton in &fan.left {
            left.extend(heads.iter().map(|head| table.node(*head, automaton)));
        }
    }
}
