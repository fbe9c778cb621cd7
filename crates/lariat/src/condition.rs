//! Conditions on states that a user enters interactively, such as `inside == 2 && P[1]@waiting`.
//!
//! The text is translated as an `ltl` block of the model, so it has the same meaning.

use crate::model::{Define, Model, WithMain};
use crate::report::printable;
use lariat_ir::{Expr, Interpreter, State};
use lariat_ltl::formula::{Formula, Formulas, Node};
use lariat_promela::PropertyKind;

/// A condition on the states of a model.
#[derive(Clone, Debug)]
pub struct Condition {
    formulas: Formulas,
    formula: Formula,
    atoms: Vec<Expr>,
}

impl Condition {
    /// Translates a condition.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn new(model: &Model, defines: &[Define], text: &str) -> Result<Condition, String> {
        let Some(main) = model.sources.first().filter(|_| !model.name.ends_with(".lts")) else {
            return Err("conditions require a Promela model".into());
        };
        if text.trim().is_empty() {
            return Err("enter a condition, such as  x == 2 && len(q) > 0".into());
        }
        // The text is inserted into a block, which it must not be able to close.
        if let Some(bad) = text.chars().find(|c| "{}#\"'\\\n\r".contains(*c)) {
            return Err(format!("`{}` is not allowed in a condition", printable(&bad.to_string())));
        }
        if text.contains("/*") || text.contains("//") {
            return Err("comments are not allowed in a condition".into());
        }
        let name = free_name(&main.text);
        let extended = format!("{}\nltl {name} {{ ({text}) }}\n", main.text);
        let loader = WithMain { name: &main.name, bytes: extended.into_bytes() };
        let compiled = lariat_promela::compile(&loader, &main.name, defines);
        if let Some(error) = compiled.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
            return Err(printable(&error.message));
        }
        if compiled.program.as_ref() != Some(&model.program) {
            return Err(
                "the model file has changed, or the condition changes the model's state".into()
            );
        }
        let property = compiled.properties.into_iter().find(|property| property.name == name);
        let Some(PropertyKind::Ltl(formula)) = property.map(|property| property.kind) else {
            return Err("this is not a condition".into());
        };
        let condition = Condition {
            formulas: formula.formulas,
            formula: formula.formula,
            atoms: formula.atoms,
        };
        if condition.is_temporal(condition.formula) {
            return Err("temporal operators have no value in a single state".into());
        }
        Ok(condition)
    }

    /// Does the condition hold in the state? A condition without a value does not hold.
    pub fn holds(&self, interpreter: &Interpreter<'_>, state: &State) -> bool {
        self.value(self.formula, interpreter, state)
    }

    fn value(&self, formula: Formula, interpreter: &Interpreter<'_>, state: &State) -> bool {
        let value = |part: &Formula| self.value(*part, interpreter, state);
        match self.formulas.node(formula) {
            Node::True => true,
            Node::Atom(atom) => {
                let atom = self.atoms.get(atom.0 as usize);
                atom.is_some_and(|atom| {
                    interpreter.evaluate(state, atom).is_ok_and(|value| value != 0)
                })
            }
            Node::Not(part) => !value(part),
            Node::And(parts) => parts.iter().all(value),
            Node::Or(parts) => parts.iter().any(value),
            Node::Implies(left, right) => !value(left) || value(right),
            Node::Iff(left, right) => value(left) == value(right),
            Node::Xor(left, right) => value(left) != value(right),
            _ => false,
        }
    }

    fn is_temporal(&self, formula: Formula) -> bool {
        match self.formulas.node(formula) {
            Node::True | Node::False | Node::Atom(_) => false,
            Node::Not(part) => self.is_temporal(*part),
            Node::And(parts) | Node::Or(parts) => parts.iter().any(|part| self.is_temporal(*part)),
            Node::Implies(left, right) | Node::Iff(left, right) | Node::Xor(left, right) => {
                self.is_temporal(*left) || self.is_temporal(*right)
            }
            _ => true,
        }
    }
}

/// An identifier that does not occur in the text.
fn free_name(text: &str) -> String {
    (0..)
        .map(|number| format!("condition_{number}"))
        .find(|name| !text.contains(name.as_str()))
        .unwrap_or_default()
}
