//! Temporal formulas: the LTL formula over numbered atoms, and the atoms as IR expressions.
//!
//! Conditions are evaluated as in C: `i >= 0 && a[i] == 0` does not read `a[i]` if `i` is negative.
//! But an automaton evaluates all its atoms in every state. So a condition that can be undefined
//! becomes one atom together with its guards: the enclosing condition if it has no temporal
//! operator, otherwise the conditions to its left. Conditions that are always defined are split
//! into atoms, so that formulas can be simplified.

use super::Lowering;
use crate::ast::{BinaryOp, Expr, ExprKind, TemporalBinaryOp, TemporalUnaryOp, UnaryOp};
use crate::pretty;
use crate::symbols::LookupPoint;
use lariat_ir::expression::Scope;
use lariat_ltl::formula::{Formula, Formulas};
use std::collections::HashSet;

/// An LTL formula over the states of a program.
#[derive(Clone, Debug)]
pub struct LtlFormula {
    /// Owns the formula.
    pub formulas: Formulas,
    /// The formula.
    pub formula: Formula,
    /// The expression of each atom, by number; the atom's name is the text of the expression.
    pub atoms: Vec<lariat_ir::Expr>,
}

/// Limit on the number of conditions that guard one that can be undefined.
const MOST_GUARDS: usize = 100;

/// A condition and its value in all states where the guarded condition matters.
type Guard<'t> = (&'t Expr, bool);

impl Lowering<'_> {
    pub(super) fn formula(&mut self, tree: &Expr, place: &LookupPoint) -> LtlFormula {
        let mut result =
            LtlFormula { formulas: Formulas::new(), formula: Formula::TRUE, atoms: Vec::new() };
        let mut reader =
            Reader { lowering: self, place, temporal: HashSet::new(), out: &mut result };
        reader.find_temporal(tree);
        result.formula = reader.subformula(tree, &[]);
        result
    }
}

struct Reader<'r, 'a> {
    lowering: &'r mut Lowering<'a>,
    place: &'r LookupPoint,
    /// The subexpressions that contain a temporal operator, by address.
    temporal: HashSet<*const Expr>,
    out: &'r mut LtlFormula,
}

impl Reader<'_, '_> {
    /// Collects the subexpressions that contain a temporal operator; returns whether this one does.
    fn find_temporal(&mut self, tree: &Expr) -> bool {
        let found = match &tree.kind {
            ExprKind::TemporalUnary(_, operand) => {
                self.find_temporal(operand);
                true
            }
            ExprKind::TemporalBinary(_, left, right)
            | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                let parts = [self.find_temporal(left), self.find_temporal(right)];
                let is_arrow = !matches!(
                    tree.kind,
                    ExprKind::TemporalBinary(
                        TemporalBinaryOp::Until
                            | TemporalBinaryOp::WeakUntil
                            | TemporalBinaryOp::Release,
                        ..
                    )
                );
                !is_arrow || parts.contains(&true)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => self.find_temporal(operand),
            _ => false,
        };
        if found {
            self.temporal.insert(tree);
        }
        found
    }

    /// Whether the expression is about one state: it contains no temporal operator.
    fn is_condition(&self, tree: &Expr) -> bool {
        !self.temporal.contains(&(tree as *const Expr))
    }

    /// Translates an expression whose value matters only in states where all guards hold.
    fn subformula(&mut self, tree: &Expr, guards: &[Guard<'_>]) -> Formula {
        if self.is_condition(tree) {
            return self.condition(tree, guards);
        }
        match &tree.kind {
            ExprKind::TemporalUnary(op, operand) => {
                let operand = self.subformula(operand, &[]);
                match op {
                    TemporalUnaryOp::Next => self.out.formulas.next(operand),
                    TemporalUnaryOp::Always => self.out.formulas.globally(operand),
                    TemporalUnaryOp::Eventually => self.out.formulas.finally(operand),
                }
            }
            ExprKind::TemporalBinary(op, left, right) => {
                let (before, behind) = match op {
                    TemporalBinaryOp::Implies => (guards, self.with_facts(guards, left, true)),
                    TemporalBinaryOp::Equivalent => (guards, guards.to_vec()),
                    // Their operands are also about other states.
                    TemporalBinaryOp::Until
                    | TemporalBinaryOp::WeakUntil
                    | TemporalBinaryOp::Release => (&[][..], Vec::new()),
                };
                let left = self.subformula(left, before);
                let right = self.subformula(right, &behind);
                temporal(&mut self.out.formulas, *op, left, right)
            }
            ExprKind::Binary(op, left, right) => {
                let behind = self.with_facts(guards, left, *op == BinaryOp::And);
                let left = self.subformula(left, guards);
                let right = self.subformula(right, &behind);
                match op {
                    BinaryOp::And => self.out.formulas.and(left, right),
                    _ => self.out.formulas.or(left, right),
                }
            }
            ExprKind::Unary(_, operand) => {
                let operand = self.subformula(operand, guards);
                self.out.formulas.not(operand)
            }
            _ => unreachable!("nothing else has temporal operators inside"),
        }
    }

    /// The guards, and the guards implied by `tree` having the value `truth`.
    fn with_facts<'t>(&self, guards: &[Guard<'t>], tree: &'t Expr, truth: bool) -> Vec<Guard<'t>> {
        let mut facts = guards.to_vec();
        self.add_facts(tree, truth, &mut facts);
        facts
    }

    fn add_facts<'t>(&self, tree: &'t Expr, truth: bool, facts: &mut Vec<Guard<'t>>) {
        match &tree.kind {
            _ if self.is_condition(tree) => facts.push((tree, truth)),
            ExprKind::Binary(op, left, right) if truth == (*op == BinaryOp::And) => {
                self.add_facts(left, truth, facts);
                self.add_facts(right, truth, facts);
            }
            ExprKind::TemporalBinary(TemporalBinaryOp::Implies, left, right) if !truth => {
                self.add_facts(left, true, facts);
                self.add_facts(right, false, facts);
            }
            ExprKind::Unary(UnaryOp::Not, operand) => self.add_facts(operand, !truth, facts),
            _ => {}
        }
    }

    /// A maximal subexpression without temporal operators.
    fn condition(&mut self, tree: &Expr, guards: &[Guard<'_>]) -> Formula {
        let expr = self.lowering.expr(&without_arrows(tree), self.place);
        // The errors of the condition are reported now; it is lowered again below.
        let known = self.lowering.diagnostics.len();
        if self.lowering.always_has_a_value(&expr) {
            let formula = self.parts(tree);
            self.lowering.diagnostics.truncate(known);
            return formula;
        }
        let nearest = guards.iter().rev().take(MOST_GUARDS);
        let guarded = nearest.fold(tree.clone(), |inner, (guard, truth)| {
            let guard = if *truth { (*guard).clone() } else { negation((*guard).clone()) };
            let (span, both) = (inner.span, (Box::new(guard), Box::new(inner)));
            Expr { kind: ExprKind::Binary(BinaryOp::And, both.0, both.1), span }
        });
        let expr = self.lowering.expr(&without_arrows(&guarded), self.place);
        self.lowering.diagnostics.truncate(known);
        self.atom(&guarded, expr)
    }

    /// A condition that is always defined: the evaluation order of its parts does not matter.
    fn parts(&mut self, tree: &Expr) -> Formula {
        match &tree.kind {
            ExprKind::TemporalBinary(op, left, right) => {
                let (left, right) = (self.parts(left), self.parts(right));
                temporal(&mut self.out.formulas, *op, left, right)
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let (left, right) = (self.parts(left), self.parts(right));
                match op {
                    BinaryOp::And => self.out.formulas.and(left, right),
                    _ => self.out.formulas.or(left, right),
                }
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let operand = self.parts(operand);
                self.out.formulas.not(operand)
            }
            ExprKind::Constant(0) => Formula::FALSE,
            ExprKind::Constant(_) => Formula::TRUE,
            _ => {
                let expr = self.lowering.expr(tree, self.place);
                self.atom(tree, expr)
            }
        }
    }

    fn atom(&mut self, tree: &Expr, expr: lariat_ir::Expr) -> Formula {
        let atom = self.out.formulas.atom_id(&pretty::expr(tree));
        // Equal texts are equal expressions, since all are looked up at one point.
        if atom.0 as usize == self.out.atoms.len() {
            self.out.atoms.push(expr);
        }
        self.out.formulas.atom_formula(atom)
    }
}

impl Lowering<'_> {
    /// Whether the expression has a value in every state; `false` if this is not obvious.
    fn always_has_a_value(&self, expr: &lariat_ir::Expr) -> bool {
        !expr.any(&|part| match part {
            lariat_ir::Expr::Read(lariat_ir::expression::Place {
                scope: Scope::Global,
                variable,
                indices,
            }) => {
                let dimensions = &self.program.variables.get(*variable).dimensions;
                !indices.iter().zip(dimensions).all(|(index, dimension)| match index {
                    lariat_ir::Expr::Const(index) => {
                        u32::try_from(*index).is_ok_and(|index| index < *dimension)
                    }
                    _ => false,
                })
            }
            other => other.own_failure(),
        })
    }
}

fn temporal(
    formulas: &mut Formulas,
    op: TemporalBinaryOp,
    left: Formula,
    right: Formula,
) -> Formula {
    match op {
        TemporalBinaryOp::Until => formulas.until(left, right),
        TemporalBinaryOp::WeakUntil => formulas.weak_until(left, right),
        TemporalBinaryOp::Release => formulas.release(left, right),
        TemporalBinaryOp::Implies => formulas.implies(left, right),
        TemporalBinaryOp::Equivalent => formulas.iff(left, right),
    }
}

fn negation(of: Expr) -> Expr {
    let span = of.span;
    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(of)), span }
}

/// Rewrites `->` and `<->` to operators that exist outside formulas.
fn without_arrows(tree: &Expr) -> Expr {
    let kind = match &tree.kind {
        ExprKind::TemporalBinary(op, left, right) => {
            let left = negation(without_arrows(left));
            let right = without_arrows(right);
            match op {
                TemporalBinaryOp::Implies => {
                    ExprKind::Binary(BinaryOp::Or, left.into(), right.into())
                }
                // The operands are truth values, which may be any numbers: normalise to 0 and 1.
                _ => ExprKind::Binary(BinaryOp::Equal, left.into(), negation(right).into()),
            }
        }
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            ExprKind::Binary(*op, without_arrows(left).into(), without_arrows(right).into())
        }
        ExprKind::Unary(UnaryOp::Not, operand) => {
            ExprKind::Unary(UnaryOp::Not, without_arrows(operand).into())
        }
        other => other.clone(),
    };
    Expr { kind, span: tree.span }
}
