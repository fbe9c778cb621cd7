//! The roads from a formula to an automaton, and the choice between their ends.
//!
//! Owns the candidates and the measure by which they are compared. Every pass called here keeps the language; what
//! is decided here is only which of several right automata is smallest.

use super::obligations::{Tableau, tableau};
use super::{Acceptance, Goal, Options, TranslateError};
use crate::automaton::{StateId, Tgba};
use crate::degeneralize::{Degeneralization, degeneralize};
use crate::formula::{Formula, Formulas, Node, Simplifier};
use crate::merge::{merge_states, saturate_acceptance};
use crate::product::{Product, union};
use crate::reduce::{reduce, reduce_state_based};
use crate::trim::prune;
use crate::wdba::{Limits, minimal_wdba};

/// Edges of products that merging by language may look at, for one formula.
const MERGE_BUDGET: u64 = 3_000_000;

/// Formulas whose first automaton has more edges than this are not tried by other roads.
const ROAD_LIMIT: usize = 400;

/// Automata with more edges than this are not worth any further work.
const LARGE: usize = 20_000;

/// Most states of the automaton of a part of a formula that is translated part by part.
const PART_LIMIT: usize = 64;

/// A translator with its options.
#[derive(Clone, Debug)]
pub struct Translator {
    options: Options,
    merge_budget: u64,
}

impl Translator {
    /// A translator with the given options.
    pub fn new(options: Options) -> Self {
        Translator { options, merge_budget: MERGE_BUDGET }
    }

    /// The reduced automaton of `f` by one road, and how many states it had before reduction.
    fn road(
        &self,
        store: &mut Formulas,
        f: Formula,
        postpone_branching: bool,
        state_limit: usize,
    ) -> Result<(Tgba, usize), TranslateError> {
        let mut automaton = tableau(store, f, Tableau { postpone_branching, state_limit })?;
        let raw = automaton.state_count();
        reduce(&mut automaton);
        Ok((automaton, raw))
    }

    /// Translates the LTL formula `f`.
    ///
    /// # Errors
    /// `f` is not LTL, or a limit was reached.
    pub fn translate(&mut self, store: &mut Formulas, f: Formula) -> Result<Tgba, TranslateError> {
        if store.is_branching(f) {
            return Err(TranslateError::Branching);
        }
        let mut simplifier = Simplifier::new();
        let simple = simplifier.simplify(store, f);
        let state_based = self.options.acceptance == Acceptance::StateBuchi;
        let limit = self.options.state_limit;
        let (first, raw) = match self.road(store, simple, false, limit) {
            Ok(found) => found,
            // Too large as a whole; perhaps not as a product of its parts.
            Err(TranslateError::Interrupted) => return Err(TranslateError::Interrupted),
            Err(error) => match self.compose(store, simple) {
                Some(automaton) => (automaton, usize::MAX),
                None => return Err(error),
            },
        };
        if self.options.goal == Goal::Any || first.edge_count() > LARGE || raw == usize::MAX {
            let mut result = first;
            if state_based {
                result = degeneralize(&result, Degeneralization::SIMPLE);
                reduce_state_based(&mut result);
            }
            return Ok(nonempty(result));
        }
        let negated = store.not(f);
        let negated = simplifier.simplify(store, negated);
        let negation = self.road(store, negated, false, limit).ok().map(|(automaton, _)| automaton);
        let mut candidates = vec![first];
        if let Some(negation) = &negation {
            let limits = Limits { subsets: 400, edges: 8_000, product: 20_000 };
            if let Some(mut wdba) = minimal_wdba(&candidates[0], negation, limits) {
                prune(&mut wdba);
                let small = wdba.state_count() <= candidates[0].state_count();
                if self.options.goal == Goal::Deterministic || (small && wdba.state_count() <= 2) {
                    return Ok(nonempty(wdba));
                }
                if wdba.state_count() <= 2 * candidates[0].state_count() {
                    candidates.push(wdba);
                }
            }
        }
        if candidates[0].edge_count() < ROAD_LIMIT {
            // A road that leads through many more states than the first is unlikely to end at fewer.
            let limit = limit.min(2 * raw + 8);
            let written = store.nnf(f);
            let mut roads = vec![(simple, true)];
            if written != simple {
                roads.extend([(written, false), (written, true)]);
            }
            for (formula, postpone) in roads {
                if let Ok((automaton, _)) = self.road(store, formula, postpone, limit) {
                    candidates.push(automaton);
                }
            }
        }
        // A large automaton was hardly reduced; its parts can be. (If it is deterministic, they only give it back.)
        if candidates[0].edge_count() >= ROAD_LIMIT && !candidates[0].is_deterministic() {
            // Parts have a budget of their own: what they use must not be missing for the whole.
            let mut parts = Translator { merge_budget: MERGE_BUDGET / 4, ..self.clone() };
            candidates.extend(parts.compose(store, simple));
            // The smallest first: it is the one merging has most use for.
            candidates.sort_by_key(measure);
        }
        // Merging gives up determinism for size.
        let negation = negation.filter(|_| self.options.goal == Goal::Small);
        if let Some(negation) = &negation {
            for c in &mut candidates {
                check(store)?;
                self.merge(c, negation);
            }
        }
        if !state_based {
            return Ok(nonempty(self.best(candidates)));
        }
        let mut ends = Vec::new();
        for c in candidates {
            check(store)?;
            ends.extend(self.to_state_based(&c));
        }
        ends.sort_by_key(measure);
        ends.dedup_by_key(|a| measure(a));
        ends.truncate(4);
        if let Some(negation) = &negation {
            for c in &mut ends {
                check(store)?;
                self.merge_state_based(c, negation);
            }
        }
        Ok(nonempty(self.best(ends)))
    }

    /// A conjunction as the product of its parts, a disjunction as their union, each reduced by itself: the parts are
    /// small, so reductions reach them that the whole is too large for.
    fn compose(&mut self, store: &mut Formulas, f: Formula) -> Option<Tgba> {
        let (list, conjunction) = match store.node(f) {
            Node::And(list) => (list.clone(), true),
            Node::Or(list) => (list.clone(), false),
            _ => return None,
        };
        let mut parts = Vec::with_capacity(list.len());
        for &g in list.iter() {
            let (mut part, _) = self.road(store, g, false, PART_LIMIT).ok()?;
            let negated = store.negated_nnf(g);
            if let Ok((negation, _)) = self.road(store, negated, false, PART_LIMIT) {
                self.merge(&mut part, &negation);
            }
            parts.push(part);
        }
        let mut whole = parts.pop()?;
        while let Some(mut part) = parts.pop() {
            if whole.sets + part.sets > 64 || whole.state_count() * part.state_count() > 20 * PART_LIMIT {
                return None;
            }
            whole = if conjunction {
                Product::new(&mut whole, &mut part).to_explicit()
            } else {
                union(&whole, &part)
            };
            if whole.edge_count() > LARGE {
                return None;
            }
            reduce(&mut whole);
        }
        Some(whole.with_single_initial())
    }

    fn best(&self, candidates: Vec<Tgba>) -> Tgba {
        let deterministic_first = self.options.goal == Goal::Deterministic;
        candidates
            .into_iter()
            .min_by_key(|a| (deterministic_first && !a.is_deterministic(), measure(a), !a.is_deterministic()))
            .expect("there is a candidate")
    }

    /// Merges by language and reduces, while that helps.
    fn merge(&mut self, automaton: &mut Tgba, negation: &Tgba) {
        while automaton.state_count() > 1 && merge_states(automaton, negation, &mut self.merge_budget) {
            reduce(automaton);
        }
    }

    fn merge_state_based(&mut self, automaton: &mut Tgba, negation: &Tgba) {
        while automaton.state_count() > 1 && merge_states(automaton, negation, &mut self.merge_budget) {
            reduce_state_based(automaton);
        }
        let mut saturated = automaton.clone();
        if saturate_acceptance(&mut saturated, negation, &mut self.merge_budget) {
            reduce_state_based(&mut saturated);
            while saturated.state_count() > 1
                && merge_states(&mut saturated, negation, &mut self.merge_budget)
            {
                reduce_state_based(&mut saturated);
            }
            if measure(&saturated) < measure(automaton) {
                *automaton = saturated;
            }
        }
    }

    /// State-based automata with the language of `automaton`, by different choices of degeneralization.
    fn to_state_based(&self, automaton: &Tgba) -> Vec<Tgba> {
        let large = automaton.edge_count() > 5 * ROAD_LIMIT;
        if large || (automaton.sets <= 1 && automaton.is_state_based()) {
            let mut same = degeneralize(automaton, Degeneralization::SIMPLE);
            reduce_state_based(&mut same);
            return vec![same];
        }
        let orders = if automaton.sets <= 1 { 1 } else { automaton.sets.min(3) * 2 };
        let mut results = Vec::new();
        for order in 0..orders {
            for (enter_accepting, look_ahead) in [(true, true), (false, true), (true, false)] {
                let options = Degeneralization { order, enter_accepting, level_cache: true, look_ahead };
                let mut result = degeneralize(automaton, options);
                reduce_state_based(&mut result);
                results.push(result);
            }
        }
        results
    }
}

fn check(store: &Formulas) -> Result<(), TranslateError> {
    if store.is_stopped() { Err(TranslateError::Interrupted) } else { Ok(()) }
}

/// Smaller is better: states, then edges.
fn measure(automaton: &Tgba) -> (usize, usize) {
    (automaton.state_count(), automaton.edge_count())
}

/// An automaton has a state, even if it accepts nothing.
fn nonempty(mut automaton: Tgba) -> Tgba {
    if automaton.initial.is_empty() {
        automaton.edges.clear();
        automaton.sets = automaton.sets.max(1);
        automaton.add_state();
        automaton.initial.push(StateId(0));
    }
    automaton
}
