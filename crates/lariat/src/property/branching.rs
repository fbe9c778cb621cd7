//! The syntax of branching-time formulas (CTL and CTL*) about a model.
//!
//! The temporal structure is parsed by `lariat-ltl`; the atoms are translated as expressions of
//! the model.

use super::state_condition;
use crate::model::Model;
use lariat_ir::Expr;
use lariat_ir::expression::{BinaryOp, UnaryOp};
use lariat_ltl::formula::{AtomId, Formula, Formulas, GuardedAtom, Spelling};
use lariat_promela::LtlFormula;
use lariat_search::branching::is_state_formula;
use std::collections::HashMap;

/// A formula whose atoms are still texts.
#[derive(Clone, Debug)]
pub struct CtlSyntax {
    text: String,
    formulas: Formulas,
}

impl CtlSyntax {
    /// Parses a formula.
    ///
    /// # Errors
    /// A syntax error, with its position.
    pub fn parse(text: &str) -> Result<CtlSyntax, String> {
        let mut formulas = Formulas::new();
        let spelled = expand_moves(text);
        let formula = formulas.parse_embedded(&spelled).map_err(|error| {
            let shown = spelled.get(error.span.clone()).filter(|part| !part.is_empty());
            let place = match shown {
                Some(part) => format!(" at `{part}` (character {})", error.span.start + 1),
                None => format!(" (character {})", error.span.start + 1),
            };
            format!("the formula `{text}` has a syntax error{place}: {error}")
        })?;
        if let Some(part) = unquantified(&formulas, formula) {
            let shown = formulas.display(part, Spelling::Spot);
            return Err(format!(
                "in the formula `{text}` there is no path quantifier before `{shown}`: write `A` (all runs) or `E` (some run) there, or use --ltl"
            ));
        }
        Ok(CtlSyntax { text: text.to_string(), formulas })
    }

    /// The formulas that must be translated in the scope of the model.
    pub fn atoms(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.formulas.atom_count() as u32).map(|atom| {
            let name = self.formulas.atom_name(AtomId(atom));
            let bare =
                name.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(name);
            match bare.strip_prefix(MOVED) {
                Some(process) => format!("({MOVES}{process})"),
                None => format!("({name})"),
            }
        })
    }

    /// The formula about a model that was read with these [atoms](CtlSyntax::atoms).
    ///
    /// # Errors
    /// An atom is not a condition on states.
    pub fn resolve(self, model: &Model) -> Result<BranchingFormula, String> {
        let mut conditions = Vec::new();
        for text in self.atoms() {
            let formula = model.formula(&text);
            match formula.and_then(|formula| state_condition(&after_next(formula))) {
                Some(condition) => conditions.push(condition),
                None => {
                    return Err(format!(
                        "in `{}` the atom `{text}` is not a condition on states",
                        self.text
                    ));
                }
            }
        }
        self.guarded(conditions)
    }

    /// Guards every condition that can fail to have a value by the conditions to its left, so that
    /// it is evaluated only where its value matters.
    fn guarded(self, conditions: Vec<Expr>) -> Result<BranchingFormula, String> {
        let CtlSyntax { text, formulas, .. } = &self;
        let numbers = (0..formulas.atom_count() as u32).map(AtomId);
        let known: HashMap<&str, &Expr> =
            numbers.map(|atom| &**formulas.atom_name(atom)).zip(&conditions).collect();
        let may_fail = |atom: &str| known.get(atom).is_some_and(|condition| condition.may_fail());
        let mut formulas = Formulas::new();
        let (formula, guarded) = formulas
            .parse_guarded(&expand_moves(text), &may_fail)
            .map_err(|error| format!("the formula `{text}` cannot be read: {error}"))?;
        let condition = |name: &str| {
            let composed = |part: &GuardedAtom| {
                let mut whole = (*known.get(&*part.atom)?).clone();
                for (guard, truth) in part.guards.iter().rev() {
                    let guard = (*known.get(&**guard)?).clone();
                    let guard = if *truth { guard } else { Expr::unary(UnaryOp::Not, guard) };
                    whole = Expr::binary(BinaryOp::And, guard, whole);
                }
                Some(whole)
            };
            match guarded.iter().find(|part| part.name == name) {
                Some(part) => composed(part),
                None => known.get(name).map(|condition| (*condition).clone()),
            }
        };
        let numbers = (0..formulas.atom_count() as u32).map(AtomId);
        let conditions: Option<Vec<Expr>> =
            numbers.map(|atom| condition(formulas.atom_name(atom))).collect();
        let conditions = conditions
            .ok_or_else(|| format!("in `{text}` the guard of an atom is not a condition"))?;
        Ok(BranchingFormula { name: self.text, formulas, formula, conditions })
    }
}

/// `_moves(p)` says that `p` takes the next step. The underlying condition, `_moves_before(p)`,
/// holds in the state after that step.
const MOVES: &str = "_moves";
const MOVED: &str = "_moves_before";

/// Rewrites `_moves(P[1])` to `X (_moves_before(P[1]))`. The atom is translated by the model's
/// parser, which resolves the process, as `_moves(P[1])`; [`after_next`] strips the `X` again.
fn expand_moves(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(MOVES) {
        let behind = rest[at + MOVES.len()..].trim_start();
        let inner = behind.strip_prefix('(').and_then(|inner| Some((inner, closing(inner)?)));
        let is_suffix = rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let (Some((inner, end)), false) = (inner, is_suffix) else {
            result += &rest[..at + MOVES.len()];
            rest = &rest[at + MOVES.len()..];
            continue;
        };
        result += &format!("{}X ({MOVED}({}))", &rest[..at], &inner[..end]);
        rest = &inner[end + 1..];
    }
    result + rest
}

/// `f` for the formula `X f`; any other formula unchanged.
fn after_next(formula: &LtlFormula) -> LtlFormula {
    match formula.formulas.node(formula.formula) {
        lariat_ltl::formula::Node::Next(inner) => LtlFormula { formula: *inner, ..formula.clone() },
        _ => formula.clone(),
    }
}

/// The position of the parenthesis that closes one opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        (open == 0).then_some(at)
    })
}

/// The first path formula that is not preceded by a path quantifier.
fn unquantified(formulas: &Formulas, f: Formula) -> Option<Formula> {
    use lariat_ltl::formula::Node;
    if is_state_formula(formulas, f) {
        return None;
    }
    match formulas.node(f) {
        node @ (Node::Not(_)
        | Node::And(_)
        | Node::Or(_)
        | Node::Implies(..)
        | Node::Iff(..)
        | Node::Xor(..)) => {
            let mut found = None;
            node.for_each_child(|child| found = found.or_else(|| unquantified(formulas, child)));
            found
        }
        _ => Some(f),
    }
}

/// A formula of CTL* about a program.
#[derive(Clone, Debug)]
pub struct BranchingFormula {
    /// The formula as the user wrote it.
    pub name: String,
    pub(crate) formulas: Formulas,
    pub(crate) formula: Formula,
    /// The expression of each atom, by its number.
    pub(crate) conditions: Vec<Expr>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_expanded() {
        assert_eq!(
            expand_moves("A(GF _moves(P[1]) -> F p)"),
            "A(GF X (_moves_before(P[1])) -> F p)"
        );
        assert_eq!(expand_moves("E X_moves (f(x + 1))"), "E X_moves (f(x + 1))");
        assert_eq!(
            expand_moves("_moves(len(q) + 1) && _moves(2"),
            "X (_moves_before(len(q) + 1)) && _moves(2"
        );
    }
}
