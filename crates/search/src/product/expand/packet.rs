//! The successors of nodes that are stored in packets, the automaton's state being the tail.
//!
//! A state of the program is expanded once, whatever states the automaton may be in there; the
//! edges of the product are the program's steps combined with the automaton's transitions. Where
//! the automaton has a [waiting](crate::product::Monitor::waiting) state, every packet has a node
//! with that state, the *companion* of the packet's other nodes. No accepting cycle passes through
//! a companion, so its edges may be made at any time: they are made along with those of the first
//! other node of the packet that is expanded, which saves a second expansion of the program.

use crate::limits::Limit;
use crate::liveness::{Edge, Node};
use crate::product::expand::automaton_steps::{AutomatonStates, AutomatonSteps, Branches};
use crate::product::graph::{ProductError, ProductGraph};
use crate::product::monitor::AutomatonTarget;
use crate::product::nodes::packet_bits::{COMPANION_EXPANDED, COMPANION_QUEUED};
use crate::reach::atomic::ExpansionError;
use lariat_ir::RuntimeError;
use lariat_ir::observe::Observable;
use lariat_ir::system::Misfit;
use std::ops::Range;

/// The program states that follow a state of the program.
#[derive(Clone, Debug)]
enum ProgramSuccessors {
    /// The state itself.
    Same,
    /// These arrivals of the program's expansion.
    Arrivals(Range<usize>),
}

/// A node whose successors are known as words, but not yet as nodes.
#[derive(Clone, Debug)]
struct ExpandedNode {
    source: Node,
    program: ProgramSuccessors,
    /// The number of the automaton's transitions in [`AutomatonSteps`].
    automaton: usize,
}

/// Buffers for the expansion of packets.
#[derive(Debug, Default)]
pub(in crate::product) struct PacketExpansion {
    letter: Vec<u64>,
    steps: AutomatonSteps,
    nodes: Vec<ExpandedNode>,
}

/// Which edges of a node are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::product) enum EdgeScope {
    /// All edges of the node.
    All,
    /// The edges of the node to nodes that are not rejecting. The rejecting targets are exits. If
    /// the automaton's state in the companion is given, so are the companion's targets that no
    /// other edge makes the search visit.
    Component(Option<u32>),
}

/// The successors of nodes: edges that the search follows, and nodes where it continues later.
struct PacketSuccessors<'o> {
    scope: EdgeScope,
    edges: &'o mut Vec<Edge>,
    exits: &'o mut Vec<Node>,
}

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// The automaton's state in the companion of this node, if the companion is not expanded yet;
    /// it counts as expanded from then on.
    pub(in crate::product) fn claim_companion(&self, node: Node) -> Option<u32> {
        let waiting = self.nodes.product.monitor().waiting()?;
        // The program is not expanded in an absorbing node.
        let expands_program = self.absorbed(node).is_none();
        let table = &self.nodes.table;
        (expands_program && table.set_flag(table.head(node), COMPANION_EXPANDED, self.exclusive))
            .then_some(waiting)
    }

    /// Appends the edges of nodes within `scope`, and their exits.
    pub(in crate::product) fn packet_successors(
        &mut self,
        nodes: &[Node],
        scope: EdgeScope,
        edges: &mut Vec<Edge>,
        exits: &mut Vec<Node>,
    ) -> Result<(), ProductError> {
        nodes.iter().try_for_each(|_| self.tick())?;
        let counted = (self.tally.transitions, self.tally.atomic_steps);
        let mut expansion = self.packet_expansion.take().unwrap_or_default();
        loop {
            match self.expand_packets(nodes, scope, &mut expansion)? {
                Ok(()) if self.intern_heads()? => break,
                Ok(()) => {}
                Err(misfit) => self.widen(&misfit)?,
            }
            // Repeated, since the layout has changed.
            (self.tally.transitions, self.tally.atomic_steps) = counted;
        }
        let mut out = PacketSuccessors { scope, edges, exits };
        expansion.nodes.iter().for_each(|node| self.push_edges(&expansion.steps, node, &mut out));
        self.packet_expansion = Some(expansion);
        self.check_size()
    }

    /// Expands the program and the automaton in each node.
    fn expand_packets(
        &mut self,
        nodes: &[Node],
        scope: EdgeScope,
        expansion: &mut PacketExpansion,
    ) -> Result<Result<(), Box<Misfit>>, ProductError> {
        self.program.clear();
        expansion.steps.evict_if_full();
        expansion.nodes.clear();
        let companion = match scope {
            EdgeScope::All => None,
            EdgeScope::Component(companion) => companion,
        };
        nodes.iter().for_each(|node| self.nodes.table.prefetch_words(*node));
        for &node in nodes {
            self.load_program(node);
            let product = &self.nodes.product;
            let letter = product.letter(&self.state, &mut expansion.letter);
            letter.map_err(|error| ProductError::NoValue(node, error))?;
            let states = AutomatonStates { node: self.nodes.table.tail(node), companion };
            let number = expansion.steps.find(
                product.monitor(),
                product.absorption(),
                states,
                &expansion.letter,
            );
            let steps = expansion.steps.get(number);
            self.tally.transitions += steps.other_transitions;
            let program = match steps.transitions_per_step {
                0 => ProgramSuccessors::Same,
                factor => match self.expand_program(factor)? {
                    Ok(successors) => successors,
                    Err(misfit) => return Ok(Err(misfit)),
                },
            };
            expansion.nodes.push(ExpandedNode { source: node, program, automaton: number });
        }
        Ok(Ok(()))
    }

    /// Expands the program in `self.state`. Each of its steps counts as `factor` transitions.
    fn expand_program(
        &mut self,
        factor: u64,
    ) -> Result<Result<ProgramSuccessors, Box<Misfit>>, ProductError> {
        let before = (self.tally.transitions, self.tally.atomic_steps);
        let first = self.program.successors().len() / self.program.stride();
        let stop = self.interrupt();
        let product = &self.nodes.product;
        match self.program.append(product.system(), &self.state, &mut self.tally, stop) {
            Ok(()) => {}
            Err(ExpansionError::Misfit(misfit)) => return Ok(Err(misfit)),
            Err(ExpansionError::Stopped | ExpansionError::Unfinished(Limit::Interrupted)) => {
                return Err(self.stopped());
            }
            Err(ExpansionError::Unfinished(limit)) => return Err(ProductError::Limit(limit)),
        }
        // The check for errors reports the program's errors; an invalid end state only ends a run.
        if !self.program.errors.is_empty() {
            for (error, _) in self.program.errors.drain(..) {
                if error != RuntimeError::InvalidEndState {
                    product.monitor().note(&error);
                }
            }
        }
        if product.monitor().stutters() && self.program.is_blocked() {
            self.tally.transitions = before.0 + factor;
            return Ok(Ok(ProgramSuccessors::Same));
        }
        self.tally.transitions = before.0 + (self.tally.transitions - before.0) * factor;
        self.tally.atomic_steps = before.1 + (self.tally.atomic_steps - before.1) * factor;
        let end = self.program.successors().len() / self.program.stride();
        Ok(Ok(ProgramSuccessors::Arrivals(first..end)))
    }

    /// Interns the heads of all arrivals. `false` if the product was widened meanwhile, which
    /// invalidates the words of the arrivals.
    fn intern_heads(&mut self) -> Result<bool, ProductError> {
        let (stride, identity) =
            (self.program.stride(), self.nodes.product.program_width().identity);
        let arrivals = self.program.take_successors();
        let added =
            self.intern_batch(arrivals.chunks_exact(stride).map(|arrival| &arrival[1..=identity]))?;
        self.program.restore(arrivals);
        Ok(added)
    }

    fn push_edges(
        &self,
        steps: &AutomatonSteps,
        node: &ExpandedNode,
        out: &mut PacketSuccessors<'_>,
    ) {
        let steps = steps.get(node.automaton);
        let source = [self.nodes.table.head(node.source)];
        let heads = match &node.program {
            ProgramSuccessors::Same => &source[..],
            ProgramSuccessors::Arrivals(range) => &self.lookup.heads[range.clone()],
        };
        self.push_branches(&steps.moves, heads, out);
        if !steps.stays.visited.is_empty() {
            self.push_branches(&steps.stays, &source, out);
        }
    }

    #[inline]
    fn push_branches(&self, branches: &Branches, heads: &[Node], out: &mut PacketSuccessors<'_>) {
        let table = &self.nodes.table;
        let PacketSuccessors { scope, edges, exits } = out;
        let waiting = self.nodes.product.monitor().waiting().filter(|_| branches.queues_companion);
        table.visit_all(heads, &branches.visited, self.exclusive, |head, flags| {
            let queued = flags & COMPANION_QUEUED != 0;
            exits.extend(waiting.filter(|_| !queued).map(|automaton| table.node(head, automaton)));
        });
        let edges_to = |&(automaton, marks): &AutomatonTarget| {
            heads.iter().map(move |head| Edge { marks, target: table.node(*head, automaton) })
        };
        match scope {
            // In the order of the product's arrivals, because `FairGraph` identifies an edge by its
            // position.
            EdgeScope::All => {
                let edge = |head: Node, &(automaton, marks): &AutomatonTarget| Edge {
                    marks,
                    target: table.node(head, automaton),
                };
                heads.iter().for_each(|&head| {
                    edges.extend(branches.all.iter().map(|target| edge(head, target)));
                });
            }
            EdgeScope::Component(_) => {
                branches.inner.iter().for_each(|target| edges.extend(edges_to(target)));
                branches
                    .rejecting
                    .iter()
                    .for_each(|target| exits.extend(edges_to(target).map(|edge| edge.target)));
            }
        }
        for &automaton in &branches.companion_exits {
            exits.extend(heads.iter().map(|head| table.node(*head, automaton)));
        }
    }
}
