//! LTL, CTL and CTL* formulas, with and without fairness: compares the verdicts of all searches and
//! of the oracle.

use lariat::check::check_property;
use lariat::property::{Meaning, ResolvedProperty};
use lariat::{Engine, Model, PropertyResult, Settings};
use lariat_ir::Interpreter;
use lariat_ir::budget::UNLIMITED;
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::Fairness;
use lariat_search::{Limits, Options, Verdict};
use oracle::{Forbidden, Graph};
use std::num::NonZeroUsize;

use super::case::{Case, Formulas};
use super::writer::Subject;
use crate::configuration::Configuration;
use crate::counterexample;

/// Limit of the oracle.
const MOST_NODES: usize = 6000;

impl Case<'_> {
    pub fn temporal(&mut self, model: &Model, formulas: &Formulas, graph: Option<&Graph>) {
        for (property, all_runs) in formulas.linear.iter().zip(&formulas.all_runs) {
            let forbidden = match (&property.meaning, graph) {
                (Meaning::Formula(formula), Some(graph)) => {
                    Forbidden::by_formula(&Interpreter::new(&model.program), graph, formula)
                }
                _ => None,
            };
            let forbidden = forbidden.as_ref();
            let product = forbidden.and_then(|forbidden| forbidden.product(MOST_NODES));
            let notion = *self.random.pick(&Fairness::ALL);
            for fairness in [None].into_iter().chain(Fairness::ALL.map(Some)) {
                // A large product is searched in a few configurations, not under every notion of
                // fairness.
                if self.sample.subject == Subject::Large
                    && fairness.is_some_and(|each| each != notion)
                {
                    continue;
                }
                let mut expected = product.as_ref().map(|product| product.has_run(fairness));
                for configuration in self.configurations(fairness) {
                    self.linear(model, property, &configuration, forbidden, &mut expected);
                }
                if fairness.is_none() || fairness == Some(notion) {
                    let kind = if fairness.is_some() { "CTL* under fairness" } else { "CTL*" };
                    let Some(violated) = self.branching(model, all_runs, fairness, kind) else {
                        continue;
                    };
                    // `A p` equals `p` only where every run continues without an error; the oracle
                    // considers only infinite runs.
                    if self.report.has_errors && violated && expected == Some(false) {
                        self.report.agree("A p before an error");
                        continue;
                    }
                    let about = || format!("{fairness:?} {}", all_runs.name);
                    self.expect(kind, violated, &mut expected, about);
                }
            }
        }
        for (property, negated) in formulas.branching.iter().zip(&formulas.negated) {
            let notion = *self.random.pick(&Fairness::ALL);
            for fairness in [None, Some(notion)] {
                let kind = if fairness.is_some() { "CTL under fairness" } else { "CTL" };
                let mut expected = None;
                for _ in 0..2 {
                    if let Some(violated) = self.branching(model, property, fairness, kind) {
                        self.expect(kind, violated, &mut expected, || {
                            format!("{fairness:?} {}", property.name)
                        });
                    }
                }
                // There is one initial state, so either the formula or its negation holds.
                if let Some(violated) = self.branching(model, negated, fairness, kind) {
                    let about = || format!("{fairness:?} negation of {}", property.name);
                    self.expect(kind, !violated, &mut expected, about);
                }
            }
        }
    }

    /// Configurations for a notion of fairness.
    fn configurations(&mut self, fairness: Option<Fairness>) -> Vec<Configuration> {
        let directory = self.directory.path.clone();
        if self.sample.subject == Subject::Large {
            let usual = Configuration::with_defaults(&mut self.random, &directory);
            let searches =
                [None, Some(Algorithm::Couvreur), Some(Algorithm::Cndfs), Some(Algorithm::Ufscc)];
            let configuration = |algorithm| Configuration::sharing(&usual, algorithm, fairness);
            return searches.into_iter().map(configuration).collect();
        }
        match fairness {
            Some(_) => vec![Configuration::random(&mut self.random, fairness, &directory)],
            None => vec![
                Configuration::random(&mut self.random, None, &directory),
                Configuration::random(&mut self.random, None, &directory),
                Configuration::with_defaults(&mut self.random, &directory),
            ],
        }
    }

    fn linear(
        &mut self,
        model: &Model,
        property: &ResolvedProperty,
        configuration: &Configuration,
        forbidden: Option<&Forbidden<'_>>,
        expected: &mut Option<bool>,
    ) {
        let kind =
            if configuration.choice.fairness.is_some() { "LTL under fairness" } else { "LTL" };
        let options = Options { limits: self.limits(), ..configuration.options(&UNLIMITED) };
        let Some(checked) = self.property(model, property, &configuration.choice, &options, kind)
        else {
            return;
        };
        let about = || format!("{} {configuration:?}", property.name);
        self.report.most_nodes = self.report.most_nodes.max(checked.answer.statistics.states);
        // A prefix after which every run ends in an error is a counterexample; the oracle considers
        // only infinite runs.
        let prefix = checked.counterexample.as_ref().is_some_and(|lasso| lasso.cycle.is_empty());
        let before_error = self.report.has_errors && prefix;
        if before_error && *expected != Some(true) {
            return self.report.agree("bad prefixes before an error");
        }
        self.expect(kind, checked.verdict == Verdict::Violated, expected, about);
        let judge = forbidden.filter(|_| !before_error);
        if let Err(problem) = counterexample::check(model, &checked, judge) {
            self.report.differs("run", format!("{problem} {}", about()));
        }
    }

    /// Whether the formula is violated; `None` if inconclusive.
    fn branching(
        &mut self,
        model: &Model,
        property: &ResolvedProperty,
        fairness: Option<Fairness>,
        kind: &'static str,
    ) -> Option<bool> {
        let engine = *self.random.pick(&[Engine::Native, Engine::Interpreter]);
        let choice = Settings { engine, raw: true, fairness, ..Settings::default() };
        let options = Options {
            threads: NonZeroUsize::new(self.random.between(1, 2)),
            limits: self.limits(),
            ..Options::default()
        };
        let checked = self.property(model, property, &choice, &options, kind)?;
        Some(checked.verdict == Verdict::Violated)
    }

    /// Checks a property; `None` if inconclusive.
    fn property(
        &mut self,
        model: &Model,
        property: &ResolvedProperty,
        choice: &Settings,
        options: &Options<'_>,
        kind: &'static str,
    ) -> Option<PropertyResult> {
        let budget = self.budget();
        let limits = Limits { budget: &budget, ..options.limits.clone() };
        let options = &Options { limits, ..options.clone() };
        let about = || format!("{} {choice:?} {options:?}", property.name);
        let checked = self
            .guarded(kind, about, || check_property(&model.program, property, choice, options))?;
        let checked = match checked {
            Ok(checked) => checked,
            Err(fault) => {
                self.report.differs(kind, format!("{fault} {}", about()));
                return None;
            }
        };
        if checked.unsuitable.is_some() {
            self.report.unsuitable += 1;
            return None;
        }
        if checked.verdict == Verdict::Inconclusive {
            let reason = checked.answer.limit.is_some() || checked.answer.may_omit;
            self.report.undecided(if reason { kind } else { "unobserved" });
            return None;
        }
        Some(checked)
    }

    /// Compares a verdict with the expected one; the first verdict becomes the expected one.
    fn expect(
        &mut self,
        kind: &'static str,
        violated: bool,
        expected: &mut Option<bool>,
        about: impl Fn() -> String,
    ) {
        match *expected {
            None => *expected = Some(violated),
            Some(before) if before == violated => self.report.agree(kind),
            Some(before) => {
                self.report
                    .differs(kind, format!("violated: {violated}, expected {before} {}", about()));
            }
        }
    }
}
