//! How a property is asked for: enough to find it in a model, and to find it again after the model was edited.

use super::branching::Skeleton;
use super::{Meaning, Property, condition, has_accept_labels};
use crate::load::Model;
use omega::automaton::Tgba;
use promela::LtlFormula;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// The model states it, under this name.
    Stated(String),
    /// A formula of linear time.
    Ltl(String),
    /// A formula of branching time.
    Ctl(String),
    /// An automaton of forbidden runs: its name, and its text in the HOA format.
    Automaton { name: String, hoa: String },
    /// Every infinite run passes progress labels again and again.
    NonProgress,
}

impl Wanted {
    /// What reports call the property.
    pub fn name(&self) -> &str {
        match self {
            Wanted::Stated(name) | Wanted::Automaton { name, .. } => name,
            Wanted::Ltl(text) | Wanted::Ctl(text) => text,
            Wanted::NonProgress => "non-progress cycles",
        }
    }

    /// What must be read as if it stood in the model: a formula, or the atoms of what is not one of the model's own.
    ///
    /// # Errors
    /// The text of the property cannot be read, and why.
    pub fn texts(&self) -> Result<Vec<String>, String> {
        Ok(match self {
            Wanted::Ltl(text) | Wanted::Ctl(text) if text.trim().is_empty() => {
                return Err("the formula is empty; write one, such as  [] (x > 0 -> <> y == 1)  for --ltl or  AG EF x == 0  for --ctl".into());
            }
            Wanted::Ltl(text) => vec![text.clone()],
            Wanted::Ctl(text) => Skeleton::read(text)?.texts().collect(),
            Wanted::Automaton { name, hoa } => {
                automaton(name, hoa)?.atoms.iter().map(|atom| format!("({atom})")).collect()
            }
            Wanted::Stated(_) | Wanted::NonProgress => Vec::new(),
        })
    }

    /// The property in a model; takes what became of its texts from `given`.
    ///
    /// # Errors
    /// The model has no such property, or an atom is no condition.
    pub fn find<'m>(
        &self,
        model: &Model,
        given: &mut impl Iterator<Item = &'m LtlFormula>,
    ) -> Result<Property, String> {
        let meaning = match self {
            Wanted::Stated(name) => return stated(model, name),
            Wanted::NonProgress => Meaning::Progress,
            Wanted::Ltl(text) => {
                let formula = given.next().ok_or_else(|| format!("`{text}` was not read with the model"))?;
                Meaning::Formula(formula.clone())
            }
            Wanted::Ctl(text) => Meaning::Branching(Box::new(Skeleton::read(text)?.with_atoms(given)?)),
            Wanted::Automaton { name, hoa } => {
                let automaton = automaton(name, hoa)?;
                let mut conditions = Vec::new();
                for atom in &automaton.atoms {
                    conditions.push(
                        given.next().and_then(condition).ok_or_else(|| {
                            format!("{name}: the atom `{atom}` is not a condition on states")
                        })?,
                    );
                }
                Meaning::Automaton(Box::new(automaton), conditions)
            }
        };
        Ok(Property::new(self.clone(), meaning))
    }
}

/// All that a model states, its accept labels among it.
pub fn all_stated(model: &Model) -> Vec<Property> {
    let labels = has_accept_labels(&model.program).then(Property::accept_labels);
    model.stated.iter().cloned().chain(labels).collect()
}

fn stated(model: &Model, name: &str) -> Result<Property, String> {
    let all = all_stated(model);
    if let Some(found) = all.iter().find(|property| property.name == name) {
        return Ok(found.clone());
    }
    let names: Vec<&str> = ["safety"].into_iter().chain(all.iter().map(|property| &*property.name)).collect();
    Err(format!("the model has no property `{name}`; it has: {}", names.join(", ")))
}

fn automaton(name: &str, hoa: &str) -> Result<Tgba, String> {
    let first = omega::hoa::Reader::new(hoa.as_bytes()).next();
    let first = first.ok_or_else(|| format!("{name}: there is no automaton in it"))?;
    let automaton = first.map_err(|error| format!("{name}: not an automaton: {error}"))?;
    automaton.to_tgba().map_err(|error| format!("{name}: cannot be used: {error}"))
}
