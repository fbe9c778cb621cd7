//! A property in the scope of one model: its atoms are expressions of the model's program.

use super::{BranchingFormula, CtlSyntax, Property, atom_formula, parse_automaton};
use crate::model::Model;
use lariat_ir::program::ProcessType;
use lariat_ir::{Expr, Program};
use lariat_ltl::automaton::Tgba;
use lariat_ltl::formula::{Formula, Node};
use lariat_promela::{LtlFormula, PropertyKind};

/// A property that can be checked on the program of its model.
#[derive(Clone, Debug)]
pub struct ResolvedProperty {
    /// The name used in reports.
    pub name: String,
    /// What must be true of the program.
    pub meaning: Meaning,
    /// The request that this property resolves.
    pub request: Property,
}

/// What a property requires.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// The formula holds on every run. A finite run is extended by repeating its last state.
    Formula(LtlFormula),
    /// The branching-time formula holds in every initial state.
    Branching(Box<BranchingFormula>),
    /// The never claim accepts no run.
    Claim(Box<ProcessType>),
    /// The automaton accepts no run; the expression of each of its atoms.
    Automaton(Box<Tgba>, Vec<Expr>),
    /// No run visits accept labels infinitely often. A finite run is extended by repeating its
    /// last state.
    AcceptLabels,
    /// Every infinite run visits progress labels infinitely often.
    Progress,
}

impl ResolvedProperty {
    /// A property with a known meaning.
    pub fn new(request: Property, meaning: Meaning) -> ResolvedProperty {
        ResolvedProperty { name: request.name().to_string(), meaning, request }
    }

    /// A property that the model states.
    pub(crate) fn stated(property: lariat_promela::Property) -> ResolvedProperty {
        let meaning = match property.kind {
            PropertyKind::Ltl(formula) => Meaning::Formula(formula),
            PropertyKind::Never(claim) => Meaning::Claim(claim),
        };
        ResolvedProperty::new(Property::Stated(property.name), meaning)
    }

    /// The word for this kind of property in reports.
    pub fn kind(&self) -> &'static str {
        match self.meaning {
            Meaning::Formula(_) => "ltl",
            Meaning::Branching(_) => "ctl",
            Meaning::Claim(_) => "never",
            Meaning::Automaton(..) => "automaton",
            Meaning::AcceptLabels => "accept",
            Meaning::Progress => "progress",
        }
    }
}

impl Property {
    /// Finds the property in a model that was read with the property's
    /// [formulas](Property::formulas).
    ///
    /// # Errors
    /// The model has no such property, or an atom is not a condition on states.
    pub fn resolve(&self, model: &Model) -> Result<ResolvedProperty, String> {
        let meaning = match self {
            Property::Stated(name) => return stated(model, name),
            Property::NonProgress => Meaning::Progress,
            Property::Ltl(text) => {
                let formula = model
                    .formula(text)
                    .ok_or_else(|| format!("`{text}` was not read with the model"))?;
                Meaning::Formula(formula.clone())
            }
            Property::Ctl(text) => {
                Meaning::Branching(Box::new(CtlSyntax::parse(text)?.resolve(model)?))
            }
            Property::Automaton { name, hoa } => {
                let automaton = parse_automaton(name, hoa)?;
                let mut conditions = Vec::new();
                for atom in &automaton.atoms {
                    let formula = model.formula(&atom_formula(atom));
                    conditions.push(formula.and_then(state_condition).ok_or_else(|| {
                        format!("{name}: the atom `{atom}` is not a condition on states")
                    })?);
                }
                Meaning::Automaton(Box::new(automaton), conditions)
            }
        };
        Ok(ResolvedProperty::new(self.clone(), meaning))
    }
}

/// All properties that a model states, including its accept labels.
pub fn all_stated(model: &Model) -> Vec<ResolvedProperty> {
    let labels = has_accept_labels(&model.program).then(|| {
        ResolvedProperty::new(Property::Stated("accept labels".into()), Meaning::AcceptLabels)
    });
    model.stated.iter().cloned().chain(labels).collect()
}

fn stated(model: &Model, name: &str) -> Result<ResolvedProperty, String> {
    let all = all_stated(model);
    if let Some(found) = all.iter().find(|property| property.name == name) {
        return Ok(found.clone());
    }
    let names: Vec<&str> =
        ["safety"].into_iter().chain(all.iter().map(|property| &*property.name)).collect();
    Err(format!("the model has no property `{name}`; it has: {}", names.join(", ")))
}

/// Does a process of the program have an accept label?
pub fn has_accept_labels(program: &Program) -> bool {
    program.process_types.iter().flat_map(|kind| &kind.locations).any(|location| location.accept)
}

/// A formula without temporal operators as one expression; `None` if it has temporal operators.
pub fn state_condition(of: &LtlFormula) -> Option<Expr> {
    use lariat_ir::expression::{BinaryOp, UnaryOp};
    fn convert(of: &LtlFormula, formula: Formula) -> Option<Expr> {
        let not = |operand: Expr| Expr::unary(UnaryOp::Not, operand);
        let all = |op: BinaryOp, list: &[Formula]| {
            let mut parts = list.iter().map(|part| convert(of, *part));
            let first = parts.next()??;
            parts.try_fold(first, |left, right| Some(Expr::binary(op, left, right?)))
        };
        Some(match of.formulas.node(formula) {
            Node::True => Expr::Const(1),
            Node::False => Expr::Const(0),
            Node::Atom(atom) => of.atoms.get(atom.0 as usize)?.clone(),
            Node::Not(operand) => not(convert(of, *operand)?),
            Node::And(list) => all(BinaryOp::And, list)?,
            Node::Or(list) => all(BinaryOp::Or, list)?,
            Node::Implies(left, right) => {
                Expr::binary(BinaryOp::Or, not(convert(of, *left)?), convert(of, *right)?)
            }
            Node::Iff(left, right) | Node::Xor(left, right) => {
                let same = matches!(of.formulas.node(formula), Node::Iff(..));
                // `not` maps any nonzero value to 0, so that truth values can be compared.
                let (left, right) = (not(convert(of, *left)?), not(convert(of, *right)?));
                Expr::binary(if same { BinaryOp::Equal } else { BinaryOp::NotEqual }, left, right)
            }
            _ => return None,
        })
    }
    convert(of, of.formula)
}
