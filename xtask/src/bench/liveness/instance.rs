//! The list of models and formulas.

use std::fs;
use std::path::{Path, PathBuf};

/// A formula about a model with given parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    pub name: String,
    pub model: PathBuf,
    /// Such as `N=4`.
    pub macros: Vec<String>,
    pub formula: String,
    /// `holds` or `violated`.
    pub verdict: String,
}

impl Instance {
    pub fn title(&self) -> String {
        format!("{} {} {}", self.name, self.macros.join(" "), self.formula)
    }

    /// Arguments for `lariat check`.
    pub fn arguments(&self, more: &[&str]) -> Vec<String> {
        let macros = self.macros.iter().flat_map(|text| ["-D".to_owned(), text.clone()]);
        let formula = ["--ltl".to_owned(), self.formula.clone()];
        macros.chain(formula).chain(more.iter().map(|text| (*text).to_owned())).collect()
    }
}

/// Reads the list; models are in the directory `models`.
pub fn read(list: &Path, models: &Path) -> Result<Vec<Instance>, String> {
    let text = fs::read_to_string(list).map_err(|error| format!("{}: {error}", list.display()))?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            parse(line, models).ok_or_else(|| {
                format!(
                    "{}:{}: not `model | macros | formula | verdict`",
                    list.display(),
                    number + 1
                )
            })
        })
        .collect()
}

/// A formula may contain `|`: it extends from the second to the last separator.
fn parse(line: &str, models: &Path) -> Option<Instance> {
    let (rest, verdict) = line.rsplit_once('|')?;
    let mut parts = rest.splitn(3, '|').map(str::trim);
    let (name, macros, formula) = (parts.next()?, parts.next()?, parts.next()?);
    let verdict = verdict.trim();
    if !["holds", "violated"].contains(&verdict) {
        return None;
    }
    Some(Instance {
        name: name.to_owned(),
        model: models.join(format!("{name}.pml")),
        macros: macros.split_whitespace().map(str::to_owned).collect(),
        formula: formula.to_owned(),
        verdict: verdict.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lariat::workspace;

    #[test]
    fn lines() {
        let found =
            parse("lock | N=3 M=4 | [](p || q) | holds", Path::new("models")).expect("a line");
        assert_eq!((found.name.as_str(), found.formula.as_str()), ("lock", "[](p || q)"));
        assert_eq!(
            found.arguments(&["--raw"]),
            ["-D", "N=3", "-D", "M=4", "--ltl", "[](p || q)", "--raw"]
        );
        assert_eq!(parse("lock | N=3 | p | perhaps", Path::new("")), None);
    }

    #[test]
    fn enough_of_both_kinds() {
        let list = workspace().join("bench/liveness/instances.txt");
        let all = read(&list, &workspace().join("bench/models")).expect("the list");
        for kind in ["holds", "violated"] {
            assert!(all.iter().filter(|instance| instance.verdict == kind).count() >= 10, "{kind}");
        }
        assert!(all.iter().all(|instance| instance.model.exists()));
    }
}
