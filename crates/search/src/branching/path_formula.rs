//! `E ψ` for any path formula ψ: the product of a structure with the automaton of ψ (Emerson and
//! Lei 1987; section 7 of Peled's survey). Its strong components are completed in reverse
//! topological order; the states in a component that has an accepting, fair cycle, or leads to one
//! that has, begin such a path.

use super::labelling::Labelling;
use super::node_set::NodeSet;
use super::structure::{Structure, TimeCheck};
use crate::limits::Limit;
use crate::liveness::VisitNumbers;
use crate::liveness::components::components;
use crate::liveness::fairness::{ActorSet, FairEdge, FairGraph, Refinement, Strength};
use crate::liveness::{Edge, Graph, Node};
use lariat_ltl::automaton::{Edge as AutomatonEdge, Marks, StateId, Tgba};
use lariat_ltl::guard::Guard;
use std::rc::Rc;

/// A structure and an automaton that reads the labels of its states. Node `s·|Q| + q` is state `s`,
/// to be read in `q`.
#[derive(Debug)]
pub(super) struct PathProduct<'s> {
    pub structure: &'s Structure,
    pub automaton: &'s Tgba,
    /// By atom of the automaton.
    pub labels: Vec<Rc<NodeSet>>,
    pub initial: Vec<Node>,
    /// Is fairness considered?
    fair: bool,
    time_check: TimeCheck<'s>,
}

impl<'s> PathProduct<'s> {
    /// `None` if there are more nodes than numbers.
    pub fn new(
        labelling: &Labelling<'s>,
        automaton: &'s Tgba,
        labels: Vec<Rc<NodeSet>>,
    ) -> Option<PathProduct<'s>> {
        let structure = labelling.structure;
        let count = structure.len().checked_mul(automaton.state_count())?;
        // The last number has a special meaning.
        (count < u32::MAX as usize).then_some(())?;
        let (fair, time_check) = (labelling.strength.is_some(), labelling.time_check());
        Some(PathProduct { structure, automaton, labels, initial: Vec::new(), fair, time_check })
    }

    fn states(&self) -> Node {
        self.automaton.state_count() as Node
    }

    /// The nodes in which a path from this state starts.
    pub fn starts(&self, state: Node) -> Vec<Node> {
        self.automaton.initial.iter().map(|start| state * self.states() + start.0).collect()
    }

    pub fn state_of(&self, node: Node) -> Node {
        node / self.states()
    }

    /// The edges of the automaton that read the state's label.
    fn reading(&self, node: Node) -> impl Iterator<Item = &AutomatonEdge> {
        let state = self.state_of(node);
        let edges = &self.automaton.edges[(node % self.states()) as usize];
        edges.iter().filter(move |edge| {
            self.automaton
                .guards
                .holds(edge.guard, |atom| self.labels[atom as usize].contains(state))
        })
    }

    /// Does the automaton accept every word after the label of this node's state?
    pub fn is_universal(&self, node: Node) -> bool {
        let all = Marks::all(self.automaton.sets);
        let accepts_all = |state: StateId| {
            self.automaton.edges[state.index()]
                .iter()
                .any(|edge| edge.target == state && edge.guard == Guard::TRUE && edge.marks == all)
        };
        self.reading(node).any(|edge| accepts_all(edge.target))
    }

    /// The edge of the structure for the node's edge at this position.
    pub fn edge_of_structure(&self, node: Node, index: usize) -> usize {
        index % self.structure.successors(self.state_of(node)).len()
    }

    /// The states from which an accepting, fair path starts.
    pub fn states_with_path(&mut self, strength: Option<Strength>) -> Result<NodeSet, Limit> {
        let mut result = NodeSet::none(self.structure.len());
        if self.automaton.initial.is_empty() {
            return Ok(result);
        }
        let all: Vec<Node> =
            (0..self.structure.len() as Node).flat_map(|state| self.starts(state)).collect();
        let mut good = NodeSet::none(self.len());
        // Without fairness no actor is enabled, so weak fairness requires nothing.
        let mut refinement = Refinement::new(strength.unwrap_or(Strength::Weak));
        let mut edges = Vec::new();
        components(self, &all, &mut VisitNumbers::all_unvisited(), |graph, component| {
            let members = component.members;
            let mut is_good = false;
            for &member in members {
                edges.clear();
                graph.successors(member, &mut edges)?;
                if edges.iter().any(|edge| good.contains(edge.target)) {
                    is_good = true;
                    break;
                }
            }
            // A finite path suffices if every continuation satisfies the formula, even if each
            // continuation ends in a run-time error.
            is_good |= members.iter().any(|&member| graph.is_universal(member));
            if is_good || component.cyclic && refinement.fair_part(graph, members)?.is_some() {
                members.iter().for_each(|&member| good.insert(member));
            }
            Ok(None::<()>)
        })?;
        for state in 0..self.structure.len() as Node {
            if self.starts(state).iter().any(|&start| good.contains(start)) {
                result.insert(state);
            }
        }
        Ok(result)
    }
}

impl Graph for PathProduct<'_> {
    type Error = Limit;

    fn initial(&mut self) -> Result<Vec<Node>, Limit> {
        Ok(self.initial.clone())
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Limit> {
        self.time_check.tick()?;
        let targets = self.structure.successors(self.state_of(node));
        let states = self.states();
        for edge in self.reading(node) {
            let marks = edge.marks.0;
            out.extend(
                targets
                    .iter()
                    .map(|&target| Edge { marks, target: target * states + edge.target.0 }),
            );
        }
        Ok(())
    }

    fn all_marks(&self) -> u64 {
        Marks::all(self.automaton.sets).0
    }

    fn is_accepting(&self, node: Node) -> bool {
        self.reading(node).all(|edge| edge.marks.0 == self.all_marks())
    }

    fn len(&self) -> usize {
        self.structure.len() * self.automaton.state_count()
    }
}

impl FairGraph for PathProduct<'_> {
    fn expand(
        &mut self,
        node: Node,
        edges: &mut Vec<FairEdge>,
        enabled: &mut ActorSet,
    ) -> Result<(), Limit> {
        let mut plain = Vec::new();
        self.successors(node, &mut plain)?;
        let state = self.state_of(node);
        for (index, edge) in plain.into_iter().enumerate() {
            let movers = self.structure.movers(state, self.edge_of_structure(node, index));
            edges.push(FairEdge { edge, movers });
        }
        match self.structure.enabled(state).filter(|_| self.fair) {
            Some(set) => enabled.clone_from(set),
            None => enabled.clear(),
        }
        Ok(())
    }
}
