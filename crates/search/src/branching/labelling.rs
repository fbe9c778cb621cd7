//! Labelling: the states in which a formula holds, computed bottom up, each subformula once and in
//! linear time (Clarke, Emerson and Sistla 1986; section 7 of Peled's survey). `A ψ` is `¬E ¬ψ`;
//! CTL's forms of `E ψ` are solved on the structure itself, other path formulas by their automaton.
//! With fairness, `A` and `E` quantify over fair paths.

use super::node_set::NodeSet;
use super::path_formula::PathProduct;
use super::shapes::{CtlShape, abstracted, is_state_formula, negation, shape};
use super::structure::{Structure, StructureGraph, TimeCheck};
use crate::limits::{Limit, Meter};
use crate::liveness::Node;
use crate::liveness::components::components;
use crate::liveness::fairness::{Refinement, Strength};
use crate::liveness::{UNVISITED, VisitNumbers};
use lariat_ltl::automaton::Tgba;
use lariat_ltl::formula::{Formula, Formulas, Node as Operator};
use lariat_ltl::translate::{Options, TranslateError, translate};
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

/// Why a formula has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabellingError {
    /// A limit was reached.
    Limit(Limit),
    /// This subformula is a path formula without an `A` or `E`.
    NotQuantified(Formula),
    /// The translation of a path formula failed.
    Translate(TranslateError),
    /// There are too many pairs of a state and a state of the automaton.
    TooLarge,
}

impl fmt::Display for LabellingError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabellingError::Limit(limit) => limit.fmt(out),
            LabellingError::NotQuantified(_) => {
                out.write_str("a temporal operator is not in the scope of `A` or `E`")
            }
            LabellingError::Translate(error) => error.fmt(out),
            LabellingError::TooLarge => out.write_str(
                "the product of the states with the formula's automaton has more than 2^32 nodes",
            ),
        }
    }
}

impl std::error::Error for LabellingError {}

impl From<Limit> for LabellingError {
    fn from(limit: Limit) -> LabellingError {
        LabellingError::Limit(limit)
    }
}

/// Evaluates the formulas of one store on one structure.
#[derive(Debug)]
pub struct Labelling<'s> {
    pub(super) structure: &'s Structure,
    pub(super) strength: Option<Strength>,
    pub(super) meter: Option<&'s Meter<'s>>,
    /// The states of each state formula that was evaluated.
    known: HashMap<Formula, Rc<NodeSet>>,
    /// Solve CTL's forms by automata, too: for tests, since both methods must agree.
    pub(super) by_automata: bool,
}

impl<'s> Labelling<'s> {
    /// `strength`: quantify over fair paths only.
    pub fn new(structure: &'s Structure, strength: Option<Strength>) -> Labelling<'s> {
        let by_automata = false;
        Labelling { structure, strength, meter: None, known: HashMap::new(), by_automata }
    }

    /// The structure, or the part of it within a set, as a graph.
    pub(super) fn view<'v>(&self, within: Option<&'v NodeSet>) -> StructureGraph<'v>
    where
        's: 'v,
    {
        let fair = self.strength.is_some();
        StructureGraph {
            structure: self.structure,
            initial: Vec::new(),
            within,
            fair,
            time_check: self.time_check(),
        }
    }

    pub(super) fn time_check(&self) -> TimeCheck<'s> {
        TimeCheck::new(self.meter)
    }

    /// The states in which a state formula holds.
    pub fn states(
        &mut self,
        store: &mut Formulas,
        f: Formula,
    ) -> Result<Rc<NodeSet>, LabellingError> {
        if let Some(known) = self.known.get(&f) {
            return Ok(known.clone());
        }
        let nodes = self.structure.len();
        let set = match store.node(f).clone() {
            Operator::True => NodeSet::all(nodes),
            Operator::False => NodeSet::none(nodes),
            Operator::Atom(atom) => self.structure.labels[atom.0 as usize].clone(),
            Operator::Not(g) => self.owned(store, g)?.complement(),
            Operator::And(list) => {
                let mut set = NodeSet::all(nodes);
                for &g in list.iter() {
                    set.intersect(&*self.states(store, g)?);
                }
                set
            }
            Operator::Or(list) => {
                let mut set = NodeSet::none(nodes);
                for &g in list.iter() {
                    set.union(&*self.states(store, g)?);
                }
                set
            }
            Operator::Implies(a, b) => {
                let mut set = self.owned(store, a)?.complement();
                set.union(&*self.states(store, b)?);
                set
            }
            Operator::Xor(a, b) | Operator::Iff(a, b) => {
                let mut set = self.owned(store, a)?;
                set.differ(&*self.states(store, b)?);
                if matches!(store.node(f), Operator::Iff(..)) { set.complement() } else { set }
            }
            Operator::ExistsPath(path) => self.exists(store, path)?,
            Operator::ForAllPaths(path) => {
                let negation = negation(store, path);
                self.exists(store, negation)?.complement()
            }
            Operator::Next(_)
            | Operator::Finally(_)
            | Operator::Globally(_)
            | Operator::Until(..)
            | Operator::Release(..)
            | Operator::WeakUntil(..)
            | Operator::StrongRelease(..) => return Err(LabellingError::NotQuantified(f)),
        };
        let set = Rc::new(set);
        self.known.insert(f, set.clone());
        Ok(set)
    }

    fn owned(&mut self, store: &mut Formulas, f: Formula) -> Result<NodeSet, LabellingError> {
        Ok((*self.states(store, f)?).clone())
    }

    /// The states from which some (fair) path satisfies the formula.
    fn exists(&mut self, store: &mut Formulas, path: Formula) -> Result<NodeSet, LabellingError> {
        if is_state_formula(store, path) {
            return self.owned(store, path);
        }
        if self.by_automata {
            return self.exists_by_automaton(store, path);
        }
        let node = store.node(path).clone();
        let mut plain = true;
        node.for_each_child(|child| plain &= is_state_formula(store, child));
        match node {
            Operator::Or(list) => {
                let mut set = NodeSet::none(self.structure.len());
                for &g in list.iter() {
                    set.union(&self.exists(store, g)?);
                }
                Ok(set)
            }
            Operator::And(list) if list.iter().any(|&g| is_state_formula(store, g)) => {
                let (states, paths): (Vec<Formula>, Vec<Formula>) =
                    list.iter().partition(|&&g| is_state_formula(store, g));
                let rest = store.and_all(paths);
                let mut set = self.exists(store, rest)?;
                for g in states {
                    set.intersect(&*self.states(store, g)?);
                }
                Ok(set)
            }
            Operator::Implies(a, b) => {
                let not = negation(store, a);
                let either = store.or(not, b);
                self.exists(store, either)
            }
            Operator::Not(g) if !matches!(store.node(g), Operator::Iff(..) | Operator::Xor(..)) => {
                let inner = negation(store, g);
                self.exists(store, inner)
            }
            Operator::Next(f) if plain => {
                let goal = self.states(store, f)?;
                let mut set = NodeSet::none(self.structure.len());
                for state in 0..self.structure.len() as Node {
                    if self.structure.successors(state).iter().any(|&next| goal.contains(next)) {
                        set.insert(state);
                    }
                }
                Ok(set)
            }
            _ => match shape(store, path).filter(|_| plain) {
                Some(shape) => self.solve_shape(store, shape),
                None => self.exists_by_automaton(store, path),
            },
        }
    }

    /// The states in which a path formula of CTL holds for some path.
    pub(super) fn solve_shape(
        &mut self,
        store: &mut Formulas,
        shape: CtlShape,
    ) -> Result<NodeSet, LabellingError> {
        let within = self.states(store, shape.within)?;
        let goal = self.owned(store, shape.goal)?;
        Ok(self.backward(&within, goal, shape.forever)?)
    }

    /// The states from which a path leads through `within` to the goal or, if `forever`, stays
    /// within on a fair path. Components are completed in reverse topological order, so a component
    /// belongs to the result if it has a fair cycle or an edge into the result.
    fn backward(&self, within: &NodeSet, goal: NodeSet, forever: bool) -> Result<NodeSet, Limit> {
        let mut result = goal;
        let mut rest = within.clone();
        rest.subtract(&result);
        let roots: Vec<Node> = rest.iter().collect();
        let mut numbers = VisitNumbers::all_outside();
        roots.iter().for_each(|&root| numbers.set(root, UNVISITED));
        let structure = self.structure;
        let mut view = self.view(None);
        let mut refinement = self.strength.map(Refinement::new);
        components(&mut view, &roots, &mut numbers, |view, component| {
            let members = component.members;
            let leads_on = |member: &Node| {
                structure.successors(*member).iter().any(|&target| result.contains(target))
            };
            let mut is_in = members.iter().any(leads_on);
            if !is_in && forever && component.cyclic {
                is_in = match &mut refinement {
                    None => true,
                    Some(refinement) => refinement.fair_part(view, members)?.is_some(),
                };
            }
            if is_in {
                members.iter().for_each(|&member| result.insert(member));
            }
            Ok(None::<()>)
        })?;
        Ok(result)
    }

    fn exists_by_automaton(
        &mut self,
        store: &mut Formulas,
        path: Formula,
    ) -> Result<NodeSet, LabellingError> {
        let (automaton, labels) = self.automaton(store, path)?;
        let product = PathProduct::new(self, &automaton, labels);
        let mut product = product.ok_or(LabellingError::TooLarge)?;
        Ok(product.states_with_path(self.strength)?)
    }

    /// The automaton of a path formula, over atoms that represent its maximal state formulas, and
    /// the states of each atom.
    pub(super) fn automaton(
        &mut self,
        store: &mut Formulas,
        path: Formula,
    ) -> Result<(Tgba, Vec<Rc<NodeSet>>), LabellingError> {
        let mut leaves = Vec::new();
        let mut linear = Formulas::new();
        let f = abstracted(store, path, &mut linear, &mut leaves);
        let translated = match self.meter {
            None => translate(&mut linear, f, Options::default()),
            Some(meter) => meter
                .run(move |stop| {
                    linear.stop_by(stop);
                    translate(&mut linear, f, Options::default())
                })
                .map_err(LabellingError::Limit)?,
        };
        let automaton = translated.map_err(LabellingError::Translate)?;
        let mut labels = Vec::with_capacity(automaton.atoms.len());
        for name in &automaton.atoms {
            let number: usize = name.parse().expect("atoms are named by numbers");
            labels.push(self.states(store, leaves[number])?);
        }
        Ok((automaton, labels))
    }
}
