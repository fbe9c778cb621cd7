//! Saying what was found: as text for people, as JSON for machines.

pub mod columns;
pub mod findings;
pub mod growth;
pub mod itf;
pub mod json;
pub mod junit;
pub mod lasso;
pub mod ledger;
pub mod sarif;
pub mod text;
pub mod width;

use crate::check::Checked;
use crate::load::NamedProperty;
use crate::property;
use model::Program;
pub use model::printable::{printable, printable_json, printable_lines};
use search::Verdict;

/// Everything a report is about.
#[derive(Debug)]
pub struct Report<'a> {
    pub model: &'a str,
    pub program: &'a Program,
    pub properties: &'a [NamedProperty],
    pub checked: &'a Checked,
    /// Were errors looked for at all? If not, nothing is said about `checked`.
    pub safety: bool,
    /// The properties of infinite runs that were checked.
    pub liveness: &'a [property::Checked],
    /// Those properties themselves.
    pub asked: &'a [property::Property],
}

impl Report<'_> {
    /// The properties of the model that nobody looked at.
    pub fn unchecked(&self) -> impl Iterator<Item = &NamedProperty> {
        let checked = |name: &str| self.liveness.iter().any(|checked| checked.name == name);
        self.properties.iter().filter(move |property| !checked(&property.name))
    }

    /// The properties of infinite runs that are violated.
    pub fn violated(&self) -> impl Iterator<Item = &property::Checked> {
        self.liveness.iter().filter(|checked| checked.verdict == Verdict::Violated)
    }

    /// The worst verdict of all.
    pub fn verdict(&self) -> Verdict {
        let safety = self.safety.then(|| self.checked.outcome.verdict());
        let mut all: Vec<Verdict> = safety.into_iter().collect();
        all.extend(self.liveness.iter().map(|checked| checked.verdict));
        let worst = [Verdict::Violated, Verdict::Inconclusive];
        worst.into_iter().find(|verdict| all.contains(verdict)).unwrap_or(Verdict::Holds)
    }
}

/// `holds`, `violated` or `inconclusive`
pub fn verdict_name(verdict: search::Verdict) -> &'static str {
    match verdict {
        search::Verdict::Holds => "holds",
        search::Verdict::Violated => "violated",
        search::Verdict::Inconclusive => "inconclusive",
    }
}
