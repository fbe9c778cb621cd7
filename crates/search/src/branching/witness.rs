//! A path that shows why a formula holds in a state or not: a witness of an `E`, a counterexample
//! to an `A`. If the path ends in a state that itself needs a path (`EF EG p`), that path follows.

use super::labelling::{Labelling, LabellingError};
use super::node_set::NodeSet;
use super::path_formula::PathProduct;
use super::shapes::{is_state_formula, negation, shape};
use crate::liveness::fairness::{LassoStep, Strength, search};
use crate::liveness::{Graph, Node};
use lariat_ltl::formula::{Formula, Formulas, Node as Operator};
use std::collections::{HashMap, HashSet, VecDeque};

/// A path through the structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The steps, from the first state.
    pub steps: Vec<LassoStep>,
    /// The last state, or the first state of the cycle.
    pub end: Node,
    /// The position of the cycle's first step, if the path is infinite.
    pub cycle: Option<usize>,
}

impl Labelling<'_> {
    /// A path from the state that shows why the formula holds there or not; without steps if no
    /// path can.
    pub fn witness(
        &mut self,
        store: &mut Formulas,
        f: Formula,
        state: Node,
    ) -> Result<Witness, LabellingError> {
        let holds = self.states(store, f)?.contains(state);
        let mut path = Witness { steps: Vec::new(), end: state, cycle: None };
        self.extend_to_show(store, f, holds, &mut path)?;
        Ok(path)
    }

    /// Extends the path to show that `f` has this value in its last state.
    fn extend_to_show(
        &mut self,
        store: &mut Formulas,
        f: Formula,
        value: bool,
        path: &mut Witness,
    ) -> Result<(), LabellingError> {
        match store.node(f).clone() {
            Operator::Not(g) => self.extend_to_show(store, g, !value, path),
            Operator::Implies(a, b) => {
                let not = store.not(a);
                self.extend_to_show_operand(store, &[not, b], value, path)
            }
            Operator::And(list) | Operator::Or(list) => {
                self.extend_to_show_operand(store, &list, value, path)
            }
            Operator::ExistsPath(g) if value => self.extend_along(store, g, path),
            Operator::ForAllPaths(g) if !value => {
                let opposite = negation(store, g);
                self.extend_along(store, opposite, path)
            }
            _ => Ok(()),
        }
    }

    /// Extends the path to show the value of the first operand that has this value and whose value
    /// depends on further states.
    fn extend_to_show_operand(
        &mut self,
        store: &mut Formulas,
        list: &[Formula],
        value: bool,
        path: &mut Witness,
    ) -> Result<(), LabellingError> {
        for &g in list {
            if self.states(store, g)?.contains(path.end) == value {
                let before = path.steps.len();
                self.extend_to_show(store, g, value, path)?;
                if path.steps.len() > before {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Extends the path so that it satisfies the path formula. Precondition: that is possible.
    fn extend_along(
        &mut self,
        store: &mut Formulas,
        formula: Formula,
        path: &mut Witness,
    ) -> Result<(), LabellingError> {
        if is_state_formula(store, formula) {
            return self.extend_to_show(store, formula, true, path);
        }
        let node = store.node(formula).clone();
        let mut plain = true;
        node.for_each_child(|child| plain &= is_state_formula(store, child));
        match node {
            Operator::Or(list) => {
                for &g in list.iter() {
                    let exists = store.exists_path(g);
                    if self.states(store, exists)?.contains(path.end) {
                        return self.extend_along(store, g, path);
                    }
                }
                Ok(())
            }
            Operator::And(list) if list.iter().any(|&g| is_state_formula(store, g)) => {
                let paths: Vec<Formula> =
                    list.iter().copied().filter(|&g| !is_state_formula(store, g)).collect();
                let rest = store.and_all(paths);
                self.extend_along(store, rest, path)
            }
            Operator::Implies(a, b) => {
                let not = negation(store, a);
                let either = store.or(not, b);
                self.extend_along(store, either, path)
            }
            Operator::Not(g) if !matches!(store.node(g), Operator::Iff(..) | Operator::Xor(..)) => {
                let inner = negation(store, g);
                self.extend_along(store, inner, path)
            }
            Operator::Next(f) if plain => {
                let goal = self.states(store, f)?;
                let next = self
                    .structure
                    .successors(path.end)
                    .iter()
                    .position(|&next| goal.contains(next));
                let edge = next.expect("a successor satisfies the formula");
                path.steps.push(LassoStep { node: path.end, edge });
                path.end = self.structure.successors(path.end)[edge];
                self.extend_to_show(store, f, true, path)
            }
            _ => match shape(store, formula).filter(|_| plain) {
                Some(shape) => {
                    let within = self.states(store, shape.within)?;
                    let goal = self.states(store, shape.goal)?;
                    if self.extend_to_goal(&within, &goal, path) {
                        return self.extend_to_show(store, shape.goal, true, path);
                    }
                    self.extend_by_fair_cycle(&within, path)
                }
                None => self.extend_by_automaton(store, formula, path),
            },
        }
    }

    /// Extends the path by a shortest path through `within` to the goal, if there is one.
    fn extend_to_goal(&self, within: &NodeSet, goal: &NodeSet, path: &mut Witness) -> bool {
        let start = path.end;
        if goal.contains(start) {
            return true;
        }
        let mut before: HashMap<Node, LassoStep> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            if !within.contains(node) {
                continue;
            }
            for (edge, &target) in self.structure.successors(node).iter().enumerate() {
                if target == start || before.contains_key(&target) {
                    continue;
                }
                before.insert(target, LassoStep { node, edge });
                if goal.contains(target) {
                    let mut steps = Vec::new();
                    let mut last = target;
                    while let Some(&step) = before.get(&last) {
                        steps.push(step);
                        last = step.node;
                    }
                    path.steps.extend(steps.into_iter().rev());
                    path.end = target;
                    return true;
                }
                queue.push_back(target);
            }
        }
        false
    }

    /// Extends the path by a fair cycle within the set. Precondition: there is one.
    fn extend_by_fair_cycle(
        &self,
        within: &NodeSet,
        path: &mut Witness,
    ) -> Result<(), LabellingError> {
        let mut view = self.view(Some(within));
        view.initial = vec![path.end];
        let lasso = search(&mut view, self.strength.unwrap_or(Strength::Weak))?;
        let lasso = lasso.expect("a fair cycle exists");
        let original = |step: &LassoStep| LassoStep {
            edge: view.edge_of_structure(step.node, step.edge),
            ..*step
        };
        path.steps.extend(lasso.prefix.iter().map(original));
        path.cycle = Some(path.steps.len());
        path.steps.extend(lasso.cycle.iter().map(original));
        path.end = lasso.cycle[0].node;
        Ok(())
    }

    /// Extends the path by an infinite path that the formula's automaton accepts. Precondition:
    /// there is one.
    fn extend_by_automaton(
        &mut self,
        store: &mut Formulas,
        formula: Formula,
        path: &mut Witness,
    ) -> Result<(), LabellingError> {
        let (automaton, labels) = self.automaton(store, formula)?;
        let mut product =
            PathProduct::new(self, &automaton, labels).ok_or(LabellingError::TooLarge)?;
        product.initial = product.starts(path.end);
        let lasso = search(&mut product, self.strength.unwrap_or(Strength::Weak))?;
        let Some(lasso) = lasso else { return self.extend_to_universal(&mut product, path) };
        let original = |step: &LassoStep| LassoStep {
            node: product.state_of(step.node),
            edge: product.edge_of_structure(step.node, step.edge),
        };
        path.steps.extend(lasso.prefix.iter().map(original));
        path.cycle = Some(path.steps.len());
        path.steps.extend(lasso.cycle.iter().map(original));
        path.end = product.state_of(lasso.cycle[0].node);
        Ok(())
    }

    /// Extends the path by a finite path after which the automaton accepts every word.
    /// Precondition: there is one.
    fn extend_to_universal(
        &self,
        product: &mut PathProduct<'_>,
        path: &mut Witness,
    ) -> Result<(), LabellingError> {
        let mut queue: Vec<(Node, Option<(usize, LassoStep)>)> =
            product.initial.iter().map(|&node| (node, None)).collect();
        let mut visited: HashSet<Node> = product.initial.iter().copied().collect();
        let mut edges = Vec::new();
        let mut next = 0;
        while let Some(&(node, _)) = queue.get(next) {
            if product.is_universal(node) {
                break;
            }
            edges.clear();
            product.successors(node, &mut edges)?;
            for (place, edge) in edges.iter().enumerate() {
                if visited.insert(edge.target) {
                    let edge_number = product.edge_of_structure(node, place);
                    let step = LassoStep { node: product.state_of(node), edge: edge_number };
                    queue.push((edge.target, Some((next, step))));
                }
            }
            next += 1;
        }
        let Some(&(end, _)) = queue.get(next) else { return Ok(()) };
        let mut steps = Vec::new();
        while let Some(&(_, Some((predecessor, step)))) = queue.get(next) {
            steps.push(step);
            next = predecessor;
        }
        path.steps.extend(steps.into_iter().rev());
        path.end = product.state_of(end);
        Ok(())
    }
}
