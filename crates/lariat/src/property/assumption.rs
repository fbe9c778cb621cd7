//! An automaton of the runs that count: fairness as the user states it (Godefroid and Holzmann 1993, section 2.4).
//!
//! What is searched for is a run that is forbidden and fair, so the two automata are multiplied before the product with the program is made; every search
//! and every reduction then works as without.

use super::monitor::{Automaton, Unsuitable};
use super::{Meaning, Property, Wanted};
use crate::load::Model;
use model::{Expr, Program};
use omega::automaton::Tgba;
use omega::emptiness::accepts;
use omega::product::generalized_product;
use omega::word::Lasso as Word;
use promela::LtlFormula;

/// The runs that count are those the automaton accepts.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// How it was asked for.
    pub wanted: Wanted,
    pub automaton: Tgba,
    /// What its atoms stand for.
    pub conditions: Vec<Expr>,
}

/// Acceptance marks there can be.
const MOST_MARKS: u32 = 64;

impl Assumption {
    /// In a model; takes what became of its texts from `given`.
    ///
    /// # Errors
    /// An atom is no condition, or it is no automaton that was asked for.
    pub fn find<'m>(
        wanted: &Wanted,
        model: &Model,
        given: &mut impl Iterator<Item = &'m LtlFormula>,
    ) -> Result<Assumption, String> {
        match wanted.find(model, given)? {
            Property { meaning: Meaning::Automaton(automaton, conditions), wanted, .. } => {
                Ok(Assumption { wanted, automaton: *automaton, conditions })
            }
            Property { name, .. } => Err(format!("{name} is not an automaton of fair runs")),
        }
    }

    /// The automaton of the runs that `forbidden` accepts and that count.
    pub(super) fn restrict(&self, forbidden: Automaton) -> Result<Automaton, Unsuitable> {
        let (left, mut conditions) = forbidden;
        if left.sets + self.automaton.sets > MOST_MARKS {
            return Err(Unsuitable::TooManyMarks);
        }
        let mut right = self.automaton.clone();
        for (atom, condition) in right.atoms.iter_mut().zip(&self.conditions) {
            // Atoms are matched by name: the same name must mean the same.
            let known = left.atoms.iter().position(|name| name == atom);
            if known.is_some_and(|place| conditions[place] != *condition) {
                *atom = format!("{atom} of {}", self.wanted.name()).into();
            }
            if !left.atoms.contains(atom) {
                conditions.push(condition.clone());
            }
        }
        Ok((generalized_product(&[left, right]), conditions))
    }

    /// Does the run count?
    pub(super) fn accepts(&self, program: &Program, lasso: &super::Lasso) -> Result<bool, super::LassoError> {
        let values = super::lasso::letters(program, &self.conditions, &lasso.states)?;
        let word: Word<Vec<bool>> = super::lasso::word(lasso, &values);
        Ok(accepts(&self.automaton, &word, |letter: &Vec<bool>, atom| letter[atom as usize]))
    }
}
