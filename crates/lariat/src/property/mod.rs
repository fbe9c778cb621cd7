//! Properties of infinite runs: how a user requests one ([`Property`]), and the property as one
//! model understands it ([`ResolvedProperty`]). How a property is checked belongs to
//! [`check`](crate::check).

mod assumption;
mod branching;
mod resolved;
mod unseen;

pub use assumption::Assumption;
pub(crate) use assumption::Automaton;
pub use branching::{BranchingFormula, CtlSyntax};
pub use resolved::{Meaning, ResolvedProperty, all_stated, has_accept_labels, state_condition};
pub use unseen::UnseenLabel;
pub(crate) use unseen::unseen_labels;

use lariat_ltl::automaton::Tgba;
use serde::{Deserialize, Serialize};

/// A property as a user requests it. Saved counterexamples store this form, so that the property
/// can be found again after the model was edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// A property that the model itself states, by name. `safety` is the search for errors unless
    /// the model states a property of that name.
    Stated(String),
    /// A linear-time formula.
    Ltl(String),
    /// A branching-time formula (CTL or CTL*).
    Ctl(String),
    /// An automaton of forbidden runs.
    Automaton {
        /// The name shown in reports.
        name: String,
        /// The automaton in the HOA format.
        hoa: String,
    },
    /// Every infinite run visits progress labels infinitely often.
    NonProgress,
}

impl Property {
    /// No reachable error: assertions, deadlocks and run-time errors.
    pub fn safety() -> Property {
        Property::Stated("safety".into())
    }

    /// A property stated in the model: an `ltl` block or a `never` claim.
    pub fn stated(name: impl Into<String>) -> Property {
        Property::Stated(name.into())
    }

    /// A linear-time formula, such as `[] (x < 3)`.
    pub fn ltl(formula: impl Into<String>) -> Property {
        Property::Ltl(formula.into())
    }

    /// A branching-time formula, such as `AG EF x == 0`.
    pub fn ctl(formula: impl Into<String>) -> Property {
        Property::Ctl(formula.into())
    }

    /// The name used in reports.
    pub fn name(&self) -> &str {
        match self {
            Property::Stated(name) | Property::Automaton { name, .. } => name,
            Property::Ltl(text) | Property::Ctl(text) => text,
            Property::NonProgress => "non-progress cycles",
        }
    }

    /// The formulas that must be translated in the scope of the model: the formula itself, or the
    /// atoms of a CTL formula or an automaton. The text of a formula is its identity, see
    /// [`Model::formula`](crate::Model::formula).
    ///
    /// # Errors
    /// A syntax error in the property.
    pub fn formulas(&self) -> Result<Vec<String>, String> {
        Ok(match self {
            Property::Ltl(text) | Property::Ctl(text) if text.trim().is_empty() => {
                return Err("the formula is empty; write one, such as  [] (x > 0 -> <> y == 1)  \
                     for --ltl or  AG EF x == 0  for --ctl"
                    .into());
            }
            Property::Ltl(text) => vec![text.clone()],
            Property::Ctl(text) => CtlSyntax::parse(text)?.atoms().collect(),
            Property::Automaton { name, hoa } => {
                let atoms = parse_automaton(name, hoa)?.atoms;
                atoms.iter().map(|atom| atom_formula(atom)).collect()
            }
            Property::Stated(_) | Property::NonProgress => Vec::new(),
        })
    }
}

/// The formula that is translated for an atom of an automaton.
fn atom_formula(atom: &str) -> String {
    format!("({atom})")
}

fn parse_automaton(name: &str, hoa: &str) -> Result<Tgba, String> {
    let first = lariat_ltl::hoa::Reader::new(hoa.as_bytes()).next();
    let first = first.ok_or_else(|| format!("{name}: the file contains no automaton"))?;
    let automaton = first.map_err(|error| format!("{name}: not an automaton: {error}"))?;
    automaton.to_tgba().map_err(|error| format!("{name}: cannot be used: {error}"))
}
