//! Formulas of linear and of branching time, with and without fairness: the verdicts of all searches and of the oracle.

use lariat::check::Engine;
use lariat::load::Model;
use lariat::property::{Checked, Choice, Meaning, Property, check};
use lariat::replay::{FoundIn, Replayed, SavedRun};
use model::Interpreter;
use model::budget::UNLIMITED;
use oracle::{Forbidden, Graph, Shown};
use search::liveness::Algorithm;
use search::liveness::fairness::Fairness;
use search::{Limits, Options, Verdict};
use std::num::NonZeroUsize;

use super::case::{Case, Formulas};
use super::writer::Subject;
use crate::ways::Way;

/// Larger products are not for the oracle.
const MOST_NODES: usize = 6000;

/// What the oracle knows of a formula.
struct Known<'g> {
    interpreter: Interpreter<'g>,
    forbidden: Forbidden<'g>,
}

impl Case<'_> {
    pub fn temporal(&mut self, model: &Model, formulas: &Formulas, graph: Option<&Graph>) {
        for (property, all_runs) in formulas.linear.iter().zip(&formulas.all_runs) {
            let known = graph.and_then(|graph| known(model, property, graph));
            let product = known.as_ref().and_then(|known| known.forbidden.product(MOST_NODES));
            let notion = *self.random.pick(&Fairness::ALL);
            for fairness in [None].into_iter().chain(Fairness::ALL.map(Some)) {
                // A large product is searched once by each of several ways, not under every notion.
                if self.sample.subject == Subject::Large && fairness.is_some_and(|each| each != notion) {
                    continue;
                }
                let mut expected = product.as_ref().map(|product| product.has_run(fairness));
                for way in self.ways(fairness) {
                    self.linear(model, property, &way, known.as_ref(), &mut expected);
                }
                if fairness.is_none() || fairness == Some(notion) {
                    let kind = if fairness.is_some() { "CTL* under fairness" } else { "CTL*" };
                    let Some(violated) = self.branching(model, all_runs, fairness, kind) else { continue };
                    // `A p` is `p` where no run goes on without an error; the oracle knows infinite runs only.
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
                // There is one initial state, so either a formula or its negation holds.
                if let Some(violated) = self.branching(model, negated, fairness, kind) {
                    let about = || format!("{fairness:?} negation of {}", property.name);
                    self.expect(kind, !violated, &mut expected, about);
                }
            }
        }
    }

    /// Ways to search under a notion of fairness.
    fn ways(&mut self, fairness: Option<Fairness>) -> Vec<Way> {
        let directory = self.directory.path.clone();
        if self.sample.subject == Subject::Large {
            let usual = Way::usual(&mut self.random, &directory);
            let searches = [None, Some(Algorithm::Couvreur), Some(Algorithm::Cndfs), Some(Algorithm::Ufscc)];
            let way = |algorithm| Way::sharing(&usual, algorithm, fairness);
            return searches.into_iter().map(way).collect();
        }
        match fairness {
            Some(_) => vec![Way::random(&mut self.random, fairness, &directory)],
            None => vec![
                Way::random(&mut self.random, None, &directory),
                Way::random(&mut self.random, None, &directory),
                Way::usual(&mut self.random, &directory),
            ],
        }
    }

    fn linear(
        &mut self,
        model: &Model,
        property: &Property,
        way: &Way,
        known: Option<&Known<'_>>,
        expected: &mut Option<bool>,
    ) {
        let kind = if way.choice.fairness.is_some() { "LTL under fairness" } else { "LTL" };
        let options = Options { limits: self.limits(), ..way.options(&UNLIMITED) };
        let Some(checked) = self.property(model, property, &way.choice, &options, kind) else { return };
        let about = || format!("{} {way:?}", property.name);
        self.report.most_nodes = self.report.most_nodes.max(checked.answer.statistics.states);
        // A prefix that no run continues without an error is shown as a violation; the oracle knows infinite runs only.
        let prefix = checked.lasso.as_ref().is_some_and(|lasso| lasso.cycle.is_empty());
        let before_error = self.report.has_errors && prefix;
        if before_error && *expected != Some(true) {
            return self.report.agree("bad prefixes before an error");
        }
        self.expect(kind, checked.verdict == Verdict::Violated, expected, about);
        if let Some(problem) = problem_of_run(model, property, &checked, known.filter(|_| !before_error)) {
            self.report.differs("run", format!("{problem} {}", about()));
        }
    }

    /// Is the formula violated? Nothing if that is not decided.
    fn branching(
        &mut self,
        model: &Model,
        property: &Property,
        fairness: Option<Fairness>,
        kind: &'static str,
    ) -> Option<bool> {
        let engine = *self.random.pick(&[Engine::Native, Engine::Interpreter]);
        let choice = Choice { engine, raw: true, fairness, ..Choice::default() };
        let options = Options {
            threads: NonZeroUsize::new(self.random.between(1, 2)),
            limits: self.limits(),
            ..Options::default()
        };
        let checked = self.property(model, property, &choice, &options, kind)?;
        Some(checked.verdict == Verdict::Violated)
    }

    /// Checks a property; nothing if it is not decided.
    fn property(
        &mut self,
        model: &Model,
        property: &Property,
        choice: &Choice,
        options: &Options<'_>,
        kind: &'static str,
    ) -> Option<Checked> {
        let budget = self.budget();
        let limits = Limits { budget: &budget, ..options.limits.clone() };
        let options = &Options { limits, ..options.clone() };
        let about = || format!("{} {choice:?} {options:?}", property.name);
        let checked = self.guarded(kind, about, || check(&model.program, property, choice, options))?;
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

    /// Compares a verdict with what is expected, or expects it from now on.
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
                self.report.differs(kind, format!("violated: {violated}, expected {before} {}", about()));
            }
        }
    }
}

fn known<'g>(model: &'g Model, property: &Property, graph: &'g Graph) -> Option<Known<'g>> {
    let Meaning::Formula(formula) = &property.meaning else { return None };
    let interpreter = Interpreter::new(&model.program);
    let forbidden = Forbidden::by_formula(&interpreter, graph, formula)?;
    Some(Known { interpreter, forbidden })
}

/// The model with no other formula than this one, as when a saved run is followed again.
fn alone(model: &Model, property: &Property) -> Model {
    let given = match &property.meaning {
        Meaning::Formula(formula) => vec![formula.clone()],
        _ => Vec::new(),
    };
    Model {
        name: model.name.clone(),
        program: model.program.clone(),
        properties: Vec::new(),
        stated: Vec::new(),
        given,
        warnings: String::new(),
        sources: Vec::new(),
    }
}

/// Why the run that is shown cannot be believed.
fn problem_of_run(
    model: &Model,
    property: &Property,
    checked: &Checked,
    known: Option<&Known<'_>>,
) -> Option<String> {
    if checked.verdict != Verdict::Violated {
        return checked.lasso.is_some().then(|| "there is one, though nothing is violated".to_owned());
    }
    let Some(lasso) = &checked.lasso else {
        return checked.failure.is_none().then(|| "there is none".to_owned());
    };
    let origin = FoundIn { model: "m", defines: &[], program: &model.program };
    let saved = SavedRun::of_property(&origin, checked)?;
    let judge = match saved.judge(&alone(model, property), search::Limits::default()) {
        Ok(judge) => judge,
        Err(problem) => return Some(problem),
    };
    match saved.follow(&model.program, judge.as_deref()) {
        Ok(followed) if followed.result == Replayed::StillFails => {}
        other => return Some(format!("followed again: {other:?}")),
    }
    let known = known?;
    let cycle = (!lasso.cycle.is_empty()).then_some(lasso.prefix.len());
    match known.forbidden.is_shown_by(&known.interpreter, &lasso.states, cycle) {
        Shown::Violation => None,
        Shown::Nothing(reason) => Some(reason),
    }
}
