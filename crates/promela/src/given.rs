//! Formulas that are given beside a model. Each is read as if it stood in an `ltl` block behind it, in a file of its own: so a brace or a comment
//! of the formula can get into the way of the block's, and what is said about that must speak of the formula.

use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;

/// The file in which the formula with this number, from 1, is said to stand.
pub fn formula_name(number: usize) -> String {
    format!("<formula {number}>")
}

pub(crate) fn is_formula_name(file: &str) -> bool {
    file.starts_with("<formula ")
}

/// The files for some formulas: names and texts.
pub(crate) fn blocks(formulas: &[String]) -> Vec<(String, String)> {
    let block = |(number, text)| (formula_name(number), format!("ltl {{ {text}\n}}"));
    (1..).zip(formulas).map(block).collect()
}

/// Of what is wrong with the formula in this file, only the first remains: whatever else is said there comes from it, and may be about a brace that nobody wrote.
pub(crate) fn judge_once(name: &str, sources: &SourceMap, diagnostics: &mut Vec<Diagnostic>) {
    let mut first = true;
    diagnostics.retain(|each| {
        let place = each.primary.as_ref().map(|label| sources.locate(label.span));
        if !each.is_error() || place.is_none_or(|place| place.file != name) {
            return true;
        }
        std::mem::take(&mut first)
    });
}
