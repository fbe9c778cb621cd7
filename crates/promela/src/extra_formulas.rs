//! Formulas given in addition to a model. Each is parsed as an `ltl` block in a file of its own
//! after the model. A brace or comment in the formula can interfere with the braces of the block,
//! so diagnostics must not mention the block.

use crate::diagnostic::Diagnostic;
use crate::source::SourceMap;

/// The file name under which diagnostics show the formula with this number, from 1.
pub fn formula_name(number: usize) -> String {
    format!("<formula {number}>")
}

pub(crate) fn is_formula_name(file: &str) -> bool {
    file.starts_with("<formula ")
}

/// The names and texts of the files for the formulas.
pub(crate) fn blocks(formulas: &[String]) -> Vec<(String, String)> {
    let block = |(number, text)| (formula_name(number), format!("ltl {{ {text}\n}}"));
    (1..).zip(formulas).map(block).collect()
}

/// Removes all but the first error in this file: later ones follow from it, and may be about a
/// brace that the user did not write.
pub(crate) fn keep_first_error(name: &str, sources: &SourceMap, diagnostics: &mut Vec<Diagnostic>) {
    let mut first = true;
    diagnostics.retain(|each| {
        let place = each.primary.as_ref().map(|label| sources.locate(label.span));
        if !each.is_error() || place.is_none_or(|place| place.file != name) {
            return true;
        }
        std::mem::take(&mut first)
    });
}
