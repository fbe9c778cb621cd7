//! Who moves along an edge of the product, and who could: what fairness is about.
//!
//! An edge is a step of the program, or a whole atomic sequence; all who move in it have moved. Who could move is a question to the program alone, for the
//! automaton may forbid a step that is possible. Inside of an atomic sequence nobody waits for anything.

use super::graph::{ProductGraph, Stop};
use crate::atomic::{Broken, Visitor, Walk, Watch};
use crate::limits::Limit;
use crate::liveness::fairness::{Actor, ActorSet, FairEdge, FairGraph};
use crate::liveness::{Edge, Graph, Node};
use model::RuntimeError;
use model::observe::Observable;
use model::system::{StepCode, Successors, System};
use std::collections::HashMap;

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
    fn add(&mut self, code: StepCode, set: &mut ActorSet) {
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

    fn endless(&mut self) {}
}

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// All arrivals, in the order of the node's edges.
    fn arrivals(&mut self, node: Node) -> Result<Arrivals, Stop> {
        loop {
            match self.try_arrivals(node) {
                Ok(arrivals) => {
                    return match arrivals.error {
                        Some(error) => Err(Stop::Failed(node, error)),
                        None => Ok(arrivals),
                    };
                }
                Err(Broken::Misfit(misfit)) => self.widen(&misfit)?,
                Err(Broken::Stopped) => return Err(Stop::Limit(Limit::Interrupted)),
            }
        }
    }

    fn try_arrivals(&mut self, node: Node) -> Result<Arrivals, Broken> {
        self.load(node);
        let width = self.nodes.product.width();
        let mut successors = Successors::new(width);
        self.nodes.product.successors(&self.state, &mut successors)?;
        let mut arrivals = Arrivals { identity: width.identity, ..Arrivals::default() };
        arrivals.error = successors.errors.first().map(|(_, error)| error.clone());
        let mut walk = None;
        let mut watch = Watch::default();
        for index in 0..successors.len() {
            let (code, state) = (successors.code(index), successors.state(index));
            if code.is_stopped() || code.is_refused() {
                continue;
            }
            if code.is_transient() {
                let walk = walk.get_or_insert_with(|| Walk::new(width));
                walk.through(&self.nodes.product, state, code, &mut watch, self.interrupt(), &mut arrivals)?;
            } else {
                arrivals.arrival(state, &[code], 0);
            }
        }
        Ok(arrivals)
    }

    /// The steps along an edge.
    pub fn edge_codes(&mut self, node: Node, edge: usize) -> Result<Vec<StepCode>, Stop> {
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
        for index in 0..successors.len() {
            let code = successors.code(index);
            if !code.is_refused() {
                self.actors.add(code, enabled);
            }
        }
        Ok(())
    }
}

impl<S: Observable> FairGraph for ProductGraph<'_, '_, S> {
    fn expand(&mut self, node: Node, edges: &mut Vec<FairEdge>, enabled: &mut ActorSet) -> Result<(), Stop> {
        self.tick()?;
        let mut targets = Vec::new();
        let arrivals = loop {
            let arrivals = self.arrivals(node)?;
            targets.clear();
            if self.add(arrivals.words.chunks_exact(arrivals.identity), |target| targets.push(target))? {
                break arrivals;
            }
        };
        let mut start = 0;
        for (&(marks, end), &target) in arrivals.list.iter().zip(&targets) {
            let mut movers = ActorSet::new();
            arrivals.codes[start..end].iter().for_each(|&code| self.actors.add(code, &mut movers));
            start = end;
            edges.push(FairEdge { edge: Edge { marks: marks & self.all_marks(), target }, movers });
        }
        self.tally.transitions += arrivals.list.len() as u64;
        self.enabled(node, enabled)
    }
}
