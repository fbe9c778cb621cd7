//! Fairness stated as an automaton of the runs that are considered (Godefroid and Holzmann 1993,
//! section 2.4).
//!
//! The automaton is multiplied with the automaton of forbidden runs before the product with the
//! program is built, so that every search and every reduction works unchanged.

use super::{Meaning, Property, ResolvedProperty};
use crate::check::Unsuitable;
use crate::model::Model;
use crate::run::lasso::{letters, word};
use crate::run::{Counterexample, LassoError};
use lariat_ir::{Expr, Program};
use lariat_ltl::automaton::Tgba;
use lariat_ltl::emptiness::accepts;
use lariat_ltl::product::generalized_product;

/// An automaton, and the expression of each of its atoms.
pub(crate) type Automaton = (Tgba, Vec<Expr>);

/// Only runs that the automaton accepts are considered.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// The request that this assumption resolves.
    pub request: Property,
    /// The automaton of the runs that are considered.
    pub automaton: Tgba,
    /// The expression of each atom.
    pub conditions: Vec<Expr>,
}

/// The number of acceptance marks that an automaton can have.
const MAX_MARKS: u32 = 64;

impl Assumption {
    /// Finds the automaton in a model that was read with the formulas of `request`.
    ///
    /// # Errors
    /// An atom is not a condition on states, or the request is not an automaton.
    pub fn resolve(request: &Property, model: &Model) -> Result<Assumption, String> {
        match request.resolve(model)? {
            ResolvedProperty {
                meaning: Meaning::Automaton(automaton, conditions),
                request,
                ..
            } => Ok(Assumption { request, automaton: *automaton, conditions }),
            ResolvedProperty { name, .. } => {
                Err(format!("{name} is not an automaton of fair runs"))
            }
        }
    }

    /// The automaton of the runs that both `forbidden` and this assumption accept.
    pub(crate) fn restrict(&self, forbidden: Automaton) -> Result<Automaton, Unsuitable> {
        let (left, mut conditions) = forbidden;
        if left.sets + self.automaton.sets > MAX_MARKS {
            return Err(Unsuitable::TooManyMarks);
        }
        let mut right = self.automaton.clone();
        for (atom, condition) in right.atoms.iter_mut().zip(&self.conditions) {
            // The product identifies atoms by name, so equal names must have equal conditions.
            let known = left.atoms.iter().position(|name| name == atom);
            if known.is_some_and(|place| conditions[place] != *condition) {
                *atom = format!("{atom} of {}", self.request.name()).into();
            }
            if !left.atoms.contains(atom) {
                conditions.push(condition.clone());
            }
        }
        Ok((generalized_product(&[left, right]), conditions))
    }

    /// Does the automaton accept the run?
    pub(crate) fn accepts(
        &self,
        program: &Program,
        run: &Counterexample,
    ) -> Result<bool, LassoError> {
        let values = letters(program, &self.conditions, &run.states)?;
        let word = word(run, &values);
        Ok(accepts(&self.automaton, &word, |letter: &Vec<bool>, atom| letter[atom as usize]))
    }
}
