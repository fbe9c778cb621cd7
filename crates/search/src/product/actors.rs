//! Who moves along an edge of the product, and who could: what fairness is about.
//!
//! An edge is a step of the program, or a whole atomic sequence; all who move in it have moved. Who could move is a question to the program alone, for the
//! automaton may forbid a step that is possible. Inside of an atomic sequence nobody waits for anything.

use super::graph::{ProductGraph, Stop};
use crate::atomic::{Broken, Visitor, Walk, Watch, check_finished};
use crate::limits::Limit;
use crate::liveness::fairness::{Actor, ActorSet, FairEdge, FairGraph};
use crate::liveness::{Edge, Graph, Node};
use model::RuntimeError;
use model::observe::Observable;
use model::system::{Misfit, StepCode, Successors, System};
use std::collections::{HashMap, HashSet};

/// The numbers of actors.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActorNumbers {
    /// Nobody is told apart if nothing is said.
    kind: Option<Actor>,
    /// By process and transition, in the order in which they were met.
    transitions: HashMap<(u8, u32), u32>,
}

impl ActorNumbers {
    pub fn new(kind: Option<Actor>) -> ActorNumbers {
        ActorNumbers { kind, transitions: HashMap::new() }
    }

    /// Adds those who move in a step.
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

/// Where the steps of a node lead.
#[derive(Default)]
struct Arrivals {
    /// How many words say which node it is.
    identity: usize,
    /// Of all arrivals, one after the other.
    words: Vec<u64>,
    /// By arrival: its marks, and where the codes of its steps end.
    list: Vec<(u64, usize)>,
    codes: Vec<StepCode>,
    error: Option<RuntimeError>,
    /// An atomic sequence can go on forever.
    endless: bool,
}

impl Visitor for Arrivals {
    fn taken(&mut self, _: StepCode) {}

    fn atomic(&mut self) {}

    fn arrival(&mut self, state: &[u64], codes: &[StepCode], _: u64) {
        self.words.extend_from_slice(&state[..self.identity]);
        self.codes.extend_from_slice(codes);
        // The product keeps the marks in its last word.
        self.list.push((state.last().copied().unwrap_or(0), self.codes.len()));
    }

    fn error(&mut self, error: &RuntimeError, _: &[StepCode]) {
        self.error.get_or_insert_with(|| error.clone());
    }

    fn endless(&mut self) {
        self.endless = true;
    }
}

/// A state inside an atomic sequence, with the actors that moved on the way to it.
struct Within {
    state: Box<[u64]>,
    movers: ActorSet,
    /// The last step to it, and the position of the state before that step.
    code: StepCode,
    predecessor: Option<usize>,
}

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// All arrivals, in the order of the node's edges.
    fn arrivals(&mut self, node: Node) -> Result<Arrivals, Stop> {
        loop {
            match self.try_arrivals(node)? {
                Ok(Arrivals { error: Some(error), .. }) => return Err(Stop::Failed(node, error)),
                Ok(arrivals) => {
                    self.tally.endless_atomic |= arrivals.endless;
                    return Ok(arrivals);
                }
                Err(misfit) => self.widen(&misfit)?,
            }
        }
    }

    fn try_arrivals(&mut self, node: Node) -> Result<Result<Arrivals, Box<Misfit>>, Stop> {
        self.load(node);
        let width = self.nodes.product.width();
        let mut successors = Successors::new(width);
        if let Err(misfit) = self.nodes.product.successors(&self.state, &mut successors) {
            return Ok(Err(misfit));
        }
        if let Err(broken) = check_finished(&successors) {
            return self.broken(broken);
        }
        let mut arrivals = Arrivals { identity: width.identity, ..Arrivals::default() };
        arrivals.error = successors.errors.first().map(|(_, error)| error.clone());
        let mut walk = None;
        let mut watch = Watch::default();
        for index in 0..successors.len() {
            let (code, state) = (successors.code(index), successors.state(index));
            if code.is_stopped() || code.is_refused() {
                continue;
            }
            if !code.is_transient() {
                arrivals.arrival(state, &[code], 0);
                continue;
            }
            let walk = walk.get_or_insert_with(|| Walk::new(width));
            let product = &self.nodes.product;
            match walk.through(product, state, code, &mut watch, self.interrupt(), &mut arrivals) {
                Ok(()) => {}
                Err(broken) => return self.broken(broken),
            }
        }
        if arrivals.endless && self.actors.kind.is_some() {
            return self.endless_arrivals(&successors);
        }
        Ok(Ok(arrivals))
    }

    /// The arrivals of a node where an atomic sequence can go on forever. There are infinitely many
    /// ways through such a sequence; what matters is where they lead and who moves on them, so each
    /// arrival is listed once for every set of actors that can have moved on the way to it.
    fn endless_arrivals(&mut self, first: &Successors) -> Result<Result<Arrivals, Box<Misfit>>, Stop> {
        let width = self.nodes.product.width();
        let mut arrivals = Arrivals { identity: width.identity, endless: true, ..Arrivals::default() };
        arrivals.error = first.errors.first().map(|(_, error)| error.clone());
        let mut met: HashSet<(Box<[u64]>, ActorSet)> = HashSet::new();
        let mut ways: Vec<Within> = Vec::new();
        let mut successors = first.clone();
        let mut from = None;
        loop {
            for index in 0..successors.len() {
                let (code, state) = (successors.code(index), successors.state(index));
                if code.is_stopped() || code.is_refused() {
                    continue;
                }
                let before = from.map(|from: usize| &ways[from].movers);
                let mut movers = before.cloned().unwrap_or_default();
                self.actors.add(code, &mut movers);
                if !met.insert((state.into(), movers.clone())) {
                    continue;
                }
                if code.is_transient() {
                    ways.push(Within { state: state.into(), movers, code, predecessor: from });
                } else {
                    arrivals.arrival(state, &codes_to(&ways, from, code), 0);
                }
            }
            from = Some(from.map_or(0, |from| from + 1));
            let Some(way) = from.and_then(|from| ways.get(from)) else { return Ok(Ok(arrivals)) };
            self.tick()?;
            successors.clear();
            if let Err(misfit) = self.nodes.product.successors(&way.state, &mut successors) {
                return Ok(Err(misfit));
            }
            if let Err(broken) = check_finished(&successors) {
                return self.broken(broken);
            }
        }
    }

    /// What to do about an expansion that did not end: a misfit is for the caller.
    fn broken<T>(&self, broken: Broken) -> Result<Result<T, Box<Misfit>>, Stop> {
        match broken {
            Broken::Misfit(misfit) => Ok(Err(misfit)),
            Broken::Stopped | Broken::Unfinished(Limit::Interrupted) => Err(self.stopped()),
            Broken::Unfinished(limit) => Err(Stop::Limit(limit)),
        }
    }

    /// The steps along an edge.
    pub(crate) fn edge_codes(&mut self, node: Node, edge: usize) -> Result<Vec<StepCode>, Stop> {
        let arrivals = self.arrivals(node)?;
        let start = edge.checked_sub(1).map_or(0, |before| arrivals.list[before].1);
        Ok(arrivals.codes[start..arrivals.list[edge].1].to_vec())
    }

    /// Which conditions hold in a node.
    pub fn letter(&mut self, node: Node, letter: &mut Vec<u64>) -> Result<(), Stop> {
        self.load(node);
        let mut program_state = Vec::new();
        self.nodes.product.program_state(&self.state, &mut program_state);
        self.nodes.product.letter(&program_state, letter).map_err(|error| Stop::Failed(node, error))
    }

    /// Who could move in a node.
    fn enabled(&mut self, node: Node, enabled: &mut ActorSet) -> Result<(), Stop> {
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

    /// The arrivals of a node, and the nodes that they lead to.
    fn arrived(&mut self, node: Node) -> Result<(Arrivals, Vec<Node>), Stop> {
        self.tick()?;
        let mut targets = Vec::new();
        loop {
            let arrivals = self.arrivals(node)?;
            targets.clear();
            if self.add(arrivals.words.chunks_exact(arrivals.identity), |target| targets.push(target))? {
                self.tally.transitions += arrivals.list.len() as u64;
                return Ok((arrivals, targets));
            }
        }
    }

    /// Must edges be those of the arrivals? Where actors are told apart, edges are known by their
    /// numbers, and those of packets or of endless atomic sequences come in another order otherwise.
    pub(super) fn needs_arrivals(&self) -> bool {
        self.actors.kind.is_some() && (self.nodes.is_split() || self.tally.endless_atomic)
    }

    /// The edges of nodes, in the order of [`FairGraph::expand`].
    pub(super) fn fair_successors_of(&mut self, nodes: &[Node], out: &mut Vec<Edge>) -> Result<(), Stop> {
        let all_marks = self.all_marks();
        for &node in nodes {
            let (arrivals, targets) = self.arrived(node)?;
            let marks = arrivals.list.iter().map(|(marks, _)| marks & all_marks);
            out.extend(marks.zip(targets).map(|(marks, target)| Edge { marks, target }));
        }
        Ok(())
    }
}

/// The steps to the state at this position, and one more.
fn codes_to(ways: &[Within], position: Option<usize>, last: StepCode) -> Vec<StepCode> {
    let positions = std::iter::successors(position, |&position| ways[position].predecessor);
    let mut codes: Vec<StepCode> = positions.map(|position| ways[position].code).collect();
    codes.reverse();
    codes.push(last);
    codes
}

impl<S: Observable> FairGraph for ProductGraph<'_, '_, S> {
    fn expand(&mut self, node: Node, edges: &mut Vec<FairEdge>, enabled: &mut ActorSet) -> Result<(), Stop> {
        let (arrivals, targets) = self.arrived(node)?;
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
