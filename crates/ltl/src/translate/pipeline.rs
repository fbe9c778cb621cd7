//! The variants of the translation, and the choice of the smallest result.
//!
//! Every pass called here preserves the language; this file only decides which of several correct
//! automata is the smallest.

use super::obligations::{TableauOptions, tableau};
use super::{Acceptance, Goal, Options, TranslateError};
use crate::automaton::{StateId, Tgba};
use crate::degeneralize::{Degeneralization, degeneralize};
use crate::formula::{Formula, Formulas, Node, Simplifier};
use crate::merge::{merge_states, saturate_acceptance};
use crate::product::{Product, union};
use crate::reduce::{reduce, reduce_state_based};
use crate::trim::prune;
use crate::wdba::{WdbaLimits, minimal_wdba};

/// The most product edges that merging by language visits for one formula.
const MERGE_BUDGET: u64 = 3_000_000;

/// Other variants are tried only if the first automaton has fewer edges than this.
const VARIANT_EDGE_LIMIT: usize = 400;

/// Automata with more edges than this are not reduced further.
const REDUCTION_EDGE_LIMIT: usize = 20_000;

/// The most states of an operand's automaton when a formula is translated operand by operand.
const PART_STATE_LIMIT: usize = 64;

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

    /// The reduced automaton of `f` by one variant, and its number of states before reduction.
    fn translate_once(
        &self,
        store: &mut Formulas,
        f: Formula,
        postpone_branching: bool,
        state_limit: usize,
    ) -> Result<(Tgba, usize), TranslateError> {
        let mut automaton = tableau(store, f, TableauOptions { postpone_branching, state_limit })?;
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
        let (first, raw) = match self.translate_once(store, simple, false, limit) {
            Ok(found) => found,
            Err(TranslateError::Interrupted) => return Err(TranslateError::Interrupted),
            // Too large as a whole, but perhaps not as a product of its operands.
            Err(error) => match self.compose(store, simple) {
                Some(automaton) => (automaton, usize::MAX),
                None => return Err(error),
            },
        };
        if self.options.goal == Goal::Any
            || first.edge_count() > REDUCTION_EDGE_LIMIT
            || raw == usize::MAX
        {
            let mut result = first;
            if state_based {
                result = degeneralize(&result, Degeneralization::SIMPLE);
                reduce_state_based(&mut result);
            }
            return Ok(nonempty(result));
        }
        let negated = store.not(f);
        let negated = simplifier.simplify(store, negated);
        let negation =
            self.translate_once(store, negated, false, limit).ok().map(|(automaton, _)| automaton);
        let mut candidates = vec![first];
        if let Some(negation) = &negation {
            let limits = WdbaLimits { subsets: 400, edges: 8_000, product: 20_000 };
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
        if candidates[0].edge_count() < VARIANT_EDGE_LIMIT {
            // A variant that starts with many more states than the first rarely ends with fewer.
            let limit = limit.min(2 * raw + 8);
            let unsimplified = store.nnf(f);
            let mut variants = vec![(simple, true)];
            if unsimplified != simple {
                variants.extend([(unsimplified, false), (unsimplified, true)]);
            }
            for (formula, postpone) in variants {
                if let Ok((automaton, _)) = self.translate_once(store, formula, postpone, limit) {
                    candidates.push(automaton);
                }
            }
        }
        // A large automaton was hardly reduced, but those of its operands can be. (If it is
        // deterministic, composing the operands yields the same automaton.)
        if candidates[0].edge_count() >= VARIANT_EDGE_LIMIT && !candidates[0].is_deterministic() {
            // A separate budget, so that the operands do not use up that of the whole formula.
            let mut parts = Translator { merge_budget: MERGE_BUDGET / 4, ..self.clone() };
            candidates.extend(parts.compose(store, simple));
            // The smallest first: merging it with the full budget helps most.
            candidates.sort_by_key(size);
        }
        // Merging trades determinism for size.
        let negation = negation.filter(|_| self.options.goal == Goal::Small);
        if let Some(negation) = &negation {
            for c in &mut candidates {
                check_stop(store)?;
                self.merge(c, negation);
            }
        }
        if !state_based {
            return Ok(nonempty(self.best(candidates)));
        }
        let mut state_based_candidates = Vec::new();
        for c in candidates {
            check_stop(store)?;
            state_based_candidates.extend(self.to_state_based(&c));
        }
        state_based_candidates.sort_by_key(size);
        state_based_candidates.dedup_by_key(|a| size(a));
        state_based_candidates.truncate(4);
        if let Some(negation) = &negation {
            for c in &mut state_based_candidates {
                check_stop(store)?;
                self.merge_state_based(c, negation);
            }
        }
        Ok(nonempty(self.best(state_based_candidates)))
    }

    /// Translates a conjunction as a product and a disjunction as a union of its operands'
    /// automata, each reduced separately: reductions apply to them that are too costly for the
    /// whole.
    fn compose(&mut self, store: &mut Formulas, f: Formula) -> Option<Tgba> {
        let (list, conjunction) = match store.node(f) {
            Node::And(list) => (list.clone(), true),
            Node::Or(list) => (list.clone(), false),
            _ => return None,
        };
        let mut parts = Vec::with_capacity(list.len());
        for &g in list.iter() {
            let (mut part, _) = self.translate_once(store, g, false, PART_STATE_LIMIT).ok()?;
            let negated = store.negated_nnf(g);
            if let Ok((negation, _)) = self.translate_once(store, negated, false, PART_STATE_LIMIT)
            {
                self.merge(&mut part, &negation);
            }
            parts.push(part);
        }
        let mut whole = parts.pop()?;
        while let Some(mut part) = parts.pop() {
            if whole.sets + part.sets > 64
                || whole.state_count() * part.state_count() > 20 * PART_STATE_LIMIT
            {
                return None;
            }
            whole = if conjunction {
                Product::new(&mut whole, &mut part).to_explicit()
            } else {
                union(&whole, &part)
            };
            if whole.edge_count() > REDUCTION_EDGE_LIMIT {
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
            .min_by_key(|a| {
                (deterministic_first && !a.is_deterministic(), size(a), !a.is_deterministic())
            })
            .expect("there is at least one candidate")
    }

    /// Merges by language and reduces until neither changes the automaton.
    fn merge(&mut self, automaton: &mut Tgba, negation: &Tgba) {
        while automaton.state_count() > 1
            && merge_states(automaton, negation, &mut self.merge_budget)
        {
            reduce(automaton);
        }
    }

    fn merge_state_based(&mut self, automaton: &mut Tgba, negation: &Tgba) {
        while automaton.state_count() > 1
            && merge_states(automaton, negation, &mut self.merge_budget)
        {
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
            if size(&saturated) < size(automaton) {
                *automaton = saturated;
            }
        }
    }

    /// State-based automata with the language of `automaton`, one for each choice of
    /// degeneralization.
    fn to_state_based(&self, automaton: &Tgba) -> Vec<Tgba> {
        let large = automaton.edge_count() > 5 * VARIANT_EDGE_LIMIT;
        if large || (automaton.sets <= 1 && automaton.is_state_based()) {
            let mut same = degeneralize(automaton, Degeneralization::SIMPLE);
            reduce_state_based(&mut same);
            return vec![same];
        }
        let orders = if automaton.sets <= 1 { 1 } else { automaton.sets.min(3) * 2 };
        let mut results = Vec::new();
        for order in 0..orders {
            for (enter_accepting, look_ahead) in [(true, true), (false, true), (true, false)] {
                let options =
                    Degeneralization { order, enter_accepting, level_cache: true, look_ahead };
                let mut result = degeneralize(automaton, options);
                reduce_state_based(&mut result);
                results.push(result);
            }
        }
        results
    }
}

fn check_stop(store: &Formulas) -> Result<(), TranslateError> {
    if store.is_stopped() { Err(TranslateError::Interrupted) } else { Ok(()) }
}

/// States, then edges: the order in which candidates are compared.
fn size(automaton: &Tgba) -> (usize, usize) {
    (automaton.state_count(), automaton.edge_count())
}

/// Gives an automaton without initial states one that has no edges.
fn nonempty(mut automaton: Tgba) -> Tgba {
    if automaton.initial.is_empty() {
        automaton.edges.clear();
        automaton.sets = automaton.sets.max(1);
        automaton.add_state();
        automaton.initial.push(StateId(0));
    }
    automaton
}
