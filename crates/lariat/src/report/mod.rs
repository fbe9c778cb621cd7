//! Saying what was found: as text for people, as JSON for machines.

pub mod findings;
pub mod growth;
pub mod json;
pub mod junit;
pub mod ledger;
pub mod sarif;
pub mod text;

use crate::check::Checked;
use crate::load::NamedProperty;
use model::Program;

/// Everything a report is about.
#[derive(Debug)]
pub struct Report<'a> {
    pub model: &'a str,
    pub program: &'a Program,
    pub properties: &'a [NamedProperty],
    pub checked: &'a Checked,
}

/// Text that does no harm to a terminal: control characters are replaced.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// `holds`, `violated` or `inconclusive`
pub fn verdict_name(verdict: search::Verdict) -> &'static str {
    match verdict {
        search::Verdict::Holds => "holds",
        search::Verdict::Violated => "violated",
        search::Verdict::Inconclusive => "inconclusive",
    }
}
