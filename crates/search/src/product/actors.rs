//! The actors of a product's edges, and the actors enabled in its nodes, for fairness.
//!
//! An edge is a step of the program or a complete atomic sequence; every actor with a step in the
//! sequence moves along the edge. Which actors are enabled depends on the program alone, since the
//! automaton may forbid a step that is enabled. The states inside an atomic sequence are not
//! considered.

use crate::limits::Limit;
use crate::liveness::fairness::{Actor, ActorSet, FairEdge, FairGraph};
use crate::liveness::{Edge, Graph, Node};
use crate::product::graph::{ProductError, ProductGraph};
use crate::reach::atomic::{
    AtomicWalk, ExpansionError, LoopDetector, SuccessorVisitor, check_finished,
};
use lariat_ir::RuntimeError;
use lariat_ir::observe::Observable;
use lariat_ir::system::{Misfit, StepCode, Successors, TransitionSystem};
use std::collections::{HashMap, HashSet};

/// The numbering of actors.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActorNumbers {
    /// The kind of actor; `None` if fairness is not considered.
    kind: Option<Actor>,
    /// By process and transition, in the order of discovery.
    transitions: HashMap<(u8, u32), u32>,
}

impl ActorNumbers {
    pub fn new(kind: Option<Actor>) -> ActorNumbers {
        ActorNumbers { kind, transitions: HashMap::new() }
    }

    /// Adds the actors of a step.
    pub(super) fn add(&mut self, code: StepCode, set: &mut ActorSet) {
        let Some(kind) = self.kind else { return };
        let processes = [code.0 as u8, (code.0 >> StepCode::RECEIVE_SHIFT) as u8];
        for (process, transition) in processes.into_iter().zip(code.transitions()) {
            match kind {
                Actor::Process => set.insert(u32::from(process)),
                Actor::Transition => {
                    let next = self.transitions.len() as u32;
                    set.insert(*self.transitions.entry((process, transition)).or_insert(next));
                }
            }
        }
    }
}

/// The arrivals of a node's steps.
#[derive(Default)]
struct NodeArrivals {
    /// The number of words that identify a node.
    identity: usize,
    /// The words of all arrivals, one after the other.
    words: Vec<u64>,
    /// By arrival: its marks, and the end of its steps in `codes`.
    list: Vec<(u64, usize)>,
    codes: Vec<StepCode>,
    error: Option<RuntimeError>,
    /// An atomic sequence can run forever.
    endless: bool,
}

impl SuccessorVisitor for NodeArrivals {
    fn taken(&mut self, _: StepCode) {}

    fn atomic(&mut self) {}

    fn arrival(&mut self, state: &[u64], codes: &[StepCode], _: u64) {
        self.words.extend_from_slice(&state[..self.identity]);
        self.codes.extend_from_slice(codes);
        // The product stores the marks in its last word.
        self.list.push((state.last().copied().unwrap_or(0), self.codes.len()));
    }

    fn error(&mut self, error: &RuntimeError, _: &[StepCode]) {
        self.error.get_or_insert_with(|| error.clone());
    }

    fn endless(&mut self) {
        self.endless = true;
    }
}

/// A state inside an atomic sequence, with the actors that moved on the path to it.
struct AtomicState {
    state: Box<[u64]>,
    movers: ActorSet,
    /// The last step of that path, and the position of the state before it.
    code: StepCode,
    predecessor: Option<usize>,
}

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// All arrivals, in the order of the node's edges.
    fn arrivals(&mut self, node: Node) -> Result<NodeArrivals, ProductError> {
        loop {
            match self.try_arrivals(node)? {
                Ok(NodeArrivals { error: Some(error), .. }) => {
                    return Err(ProductError::NoValue(node, error));
                }
                Ok(arrivals) => {
                    self.tally.endless_atomic |= arrivals.endless;
                    return Ok(arrivals);
                }
                Err(misfit) => self.widen(&misfit)?,
            }
        }
    }

    fn try_arrivals(
        &mut self,
        node: Node,
    ) -> Result<Result<NodeArrivals, Box<Misfit>>, ProductError> {
        self.load(node);
        let width = self.nodes.product.width();
        let mut successors = Successors::new(width);
        if let Err(misfit) = self.nodes.product.successors(&self.state, &mut successors) {
            return Ok(Err(misfit));
        }
        if let Err(expansion_error) = check_finished(&successors) {
            return self.expansion_error(expansion_error);
        }
        let mut arrivals = NodeArrivals { identity: width.identity, ..NodeArrivals::default() };
        arrivals.error = successors.errors.first().map(|(_, error)| error.clone());
        let mut walk = None;
        let mut watch = LoopDetector::default();
        for index in 0..successors.len() {
            let (code, state) = (successors.code(index), successors.state(index));
            if code.is_stopped() || code.is_refused() {
                continue;
            }
            if !code.is_transient() {
                arrivals.arrival(state, &[code], 0);
                continue;
            }
            let walk = walk.get_or_insert_with(|| AtomicWalk::new(width));
            let product = &self.nodes.product;
            match walk.through(product, state, code, &mut watch, self.interrupt(), &mut arrivals) {
                Ok(()) => {}
                Err(expansion_error) => return self.expansion_error(expansion_error),
            }
        }
        if arrivals.endless && self.actors.kind.is_some() {
            return self.endless_arrivals(&successors);
        }
        Ok(Ok(arrivals))
    }

    /// The arrivals of a node where an atomic sequence can run forever. There are infinitely many
    /// paths through such a sequence. Only their targets and actors matter, so each arrival is
    /// listed once for every set of actors that can move on a path to it.
    fn endless_arrivals(
        &mut self,
        first: &Successors,
    ) -> Result<Result<NodeArrivals, Box<Misfit>>, ProductError> {
        let width = self.nodes.product.width();
        let mut arrivals =
            NodeArrivals { identity: width.identity, endless: true, ..NodeArrivals::default() };
        arrivals.error = first.errors.first().map(|(_, error)| error.clone());
        let mut visited: HashSet<(Box<[u64]>, ActorSet)> = HashSet::new();
        let mut atomic_states: Vec<AtomicState> = Vec::new();
        let mut successors = first.clone();
        let mut from = None;
        loop {
            for index in 0..successors.len() {
                let (code, state) = (successors.code(index), successors.state(index));
                if code.is_stopped() || code.is_refused() {
                    continue;
                }
                let before = from.map(|from: usize| &atomic_states[from].movers);
                let mut movers = before.cloned().unwrap_or_default();
                self.actors.add(code, &mut movers);
                if !visited.insert((state.into(), movers.clone())) {
                    continue;
                }
                if code.is_transient() {
                    atomic_states.push(AtomicState {
                        state: state.into(),
                        movers,
                        code,
                        predecessor: from,
                    });
                } else {
                    arrivals.arrival(state, &codes_to(&atomic_states, from, code), 0);
                }
            }
            from = Some(from.map_or(0, |from| from + 1));
            let Some(atomic_state) = from.and_then(|from| atomic_states.get(from)) else {
                return Ok(Ok(arrivals));
            };
            self.tick()?;
            successors.clear();
            if let Err(misfit) = self.nodes.product.successors(&atomic_state.state, &mut successors)
            {
                return Ok(Err(misfit));
            }
            if let Err(expansion_error) = check_finished(&successors) {
                return self.expansion_error(expansion_error);
            }
        }
    }

    /// The error of an expansion that did not complete; a misfit is returned for the caller to
    /// widen.
    fn expansion_error<T>(
        &self,
        expansion_error: ExpansionError,
    ) -> Result<Result<T, Box<Misfit>>, ProductError> {
        match expansion_error {
            ExpansionError::Misfit(misfit) => Ok(Err(misfit)),
            ExpansionError::Stopped | ExpansionError::Unfinished(Limit::Interrupted) => {
                Err(self.stopped())
            }
            ExpansionError::Unfinished(limit) => Err(ProductError::Limit(limit)),
        }
    }

    /// The steps along an edge.
    pub(crate) fn edge_codes(
        &mut self,
        node: Node,
        edge: usize,
    ) -> Result<Vec<StepCode>, ProductError> {
        let arrivals = self.arrivals(node)?;
        let start = edge.checked_sub(1).map_or(0, |before| arrivals.list[before].1);
        Ok(arrivals.codes[start..arrivals.list[edge].1].to_vec())
    }

    /// The values of the conditions in a node.
    pub fn letter(&mut self, node: Node, letter: &mut Vec<u64>) -> Result<(), ProductError> {
        self.load(node);
        let mut program_state = Vec::new();
        self.nodes.product.program_state(&self.state, &mut program_state);
        self.nodes
            .product
            .letter(&program_state, letter)
            .map_err(|error| ProductError::NoValue(node, error))
    }

    /// The actors enabled in a node.
    fn enabled(&mut self, node: Node, enabled: &mut ActorSet) -> Result<(), ProductError> {
        enabled.clear();
        let mut program_state = Vec::new();
        let successors = loop {
            self.load(node);
            self.nodes.product.program_state(&self.state, &mut program_state);
            let mut successors = Successors::new(self.nodes.product.system().width());
            match self.nodes.product.system().successors(&program_state, &mut successors) {
                Ok(()) => break successors,
                Err(misfit) => self.widen(&misfit)?,
            }
        };
        self.actors.add_enabled(&successors, enabled);
        Ok(())
    }

    /// Interns the arrivals of a node and returns their nodes, too.
    fn intern_arrivals(&mut self, node: Node) -> Result<(NodeArrivals, Vec<Node>), ProductError> {
        self.tick()?;
        let mut targets = Vec::new();
        loop {
            let arrivals = self.arrivals(node)?;
            targets.clear();
            if self.add(arrivals.words.chunks_exact(arrivals.identity), |target| {
                targets.push(target)
            })? {
                self.tally.transitions += arrivals.list.len() as u64;
                return Ok((arrivals, targets));
            }
        }
    }

    /// Must edges be computed from the arrivals? With fairness, an edge is identified by its
    /// position, and packets and endless atomic sequences give another order otherwise.
    pub(super) fn needs_arrivals(&self) -> bool {
        self.actors.kind.is_some() && (self.nodes.is_split() || self.tally.endless_atomic)
    }

    /// The edges of nodes, in the order of [`FairGraph::expand`].
    pub(super) fn fair_successors_of(
        &mut self,
        nodes: &[Node],
        out: &mut Vec<Edge>,
    ) -> Result<(), ProductError> {
        let all_marks = self.all_marks();
        for &node in nodes {
            let (arrivals, targets) = self.intern_arrivals(node)?;
            let marks = arrivals.list.iter().map(|(marks, _)| marks & all_marks);
            out.extend(marks.zip(targets).map(|(marks, target)| Edge { marks, target }));
        }
        Ok(())
    }
}

/// The steps to the state at this position, and one more.
fn codes_to(
    atomic_states: &[AtomicState],
    position: Option<usize>,
    last: StepCode,
) -> Vec<StepCode> {
    let positions =
        std::iter::successors(position, |&position| atomic_states[position].predecessor);
    let mut codes: Vec<StepCode> = positions.map(|position| atomic_states[position].code).collect();
    codes.reverse();
    codes.push(last);
    codes
}

impl<S: Observable> FairGraph for ProductGraph<'_, '_, S> {
    fn expand(
        &mut self,
        node: Node,
        edges: &mut Vec<FairEdge>,
        enabled: &mut ActorSet,
    ) -> Result<(), ProductError> {
        let (arrivals, targets) = self.intern_arrivals(node)?;
        let mut start = 0;
        for (&(marks, end), &target) in arrivals.list.iter().zip(&targets) {
            let mut movers = ActorSet::new();
            arrivals.codes[start..end].iter().for_each(|&code| self.actors.add(code, &mut movers));
            start = end;
            edges.push(FairEdge { edge: Edge { marks: marks & self.all_marks(), target }, movers });
        }
        self.enabled(node, enabled)
    }
}
