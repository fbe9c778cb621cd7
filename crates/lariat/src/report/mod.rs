//! Reports: as text for people, and in the formats that other programs read. A [`Report`] holds the
//! results; each module renders them in one format.

pub mod columns;
pub mod counterexample;
pub mod findings;
pub mod growth;
pub mod itf;
pub mod json;
pub mod junit;
pub mod ledger;
pub mod properties;
pub mod sarif;
pub mod text;
pub mod width;

use crate::check::{PropertyResult, SafetyResult};
use crate::model::Model;
use crate::property::ResolvedProperty;
use crate::run::Counterexample;
use lariat_ir::Program;
pub use lariat_ir::printable::{printable, printable_json, printable_lines};
use lariat_search::Verdict;
use std::borrow::Cow;
use std::fmt;

/// The results of checking a model. `Display` prints the verdicts and the first counterexamples as
/// text.
#[derive(Debug)]
pub struct Report<'m> {
    /// The model, read with the formulas of all requested properties.
    pub model: Cow<'m, Model>,
    /// The result of the search for errors, if it was requested.
    pub safety: Option<SafetyResult>,
    /// One result for each requested property of infinite runs.
    pub properties: Vec<PropertyResult>,
    /// These properties, in the same order.
    pub requested: Vec<ResolvedProperty>,
}

impl<'m> Report<'m> {
    /// A report on errors alone.
    pub fn of_safety(model: &'m Model, safety: SafetyResult) -> Report<'m> {
        let model = Cow::Borrowed(model);
        Report { model, safety: Some(safety), properties: Vec::new(), requested: Vec::new() }
    }

    /// The report with its own copy of the model, for another thread.
    pub fn into_owned(self) -> Report<'static> {
        let Report { model, safety, properties, requested } = self;
        Report { model: Cow::Owned(model.into_owned()), safety, properties, requested }
    }

    /// The program that was checked.
    pub fn program(&self) -> &Program {
        &self.model.program
    }

    /// The properties that the model states and that were not checked.
    pub fn unchecked(&self) -> impl Iterator<Item = &ResolvedProperty> {
        let checked = |name: &str| self.properties.iter().any(|result| result.name == name);
        self.model.stated.iter().filter(move |property| !checked(&property.name))
    }

    /// The results of the properties of infinite runs that are violated.
    pub fn violated(&self) -> impl Iterator<Item = &PropertyResult> {
        self.properties.iter().filter(|result| result.verdict == Verdict::Violated)
    }

    /// All runs that show an error or a violation, errors first.
    pub fn counterexamples(&self) -> impl Iterator<Item = &Counterexample> {
        let errors = self.safety.iter().flat_map(|safety| &safety.counterexamples);
        errors.chain(self.violated().filter_map(|result| result.counterexample.as_ref()))
    }

    /// The worst verdict: violated, then inconclusive, then holds.
    pub fn verdict(&self) -> Verdict {
        let safety = self.safety.as_ref().map(|safety| safety.outcome.verdict());
        let mut all: Vec<Verdict> = safety.into_iter().collect();
        all.extend(self.properties.iter().map(|result| result.verdict));
        let worst = [Verdict::Violated, Verdict::Inconclusive];
        worst.into_iter().find(|verdict| all.contains(verdict)).unwrap_or(Verdict::Holds)
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&text::render(self, text::Style::default(), text::Detail::Full))
    }
}

/// `holds`, `violated` or `inconclusive`.
pub fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Inconclusive => "inconclusive",
    }
}
