//! Temporal formulas: their skeleton in the terms of `omega`, their atoms as expressions of the model.

use super::Lowering;
use crate::ast::{self, Expr, ExprKind, TemporalBinaryOp, TemporalUnaryOp};
use crate::pretty;
use crate::symbols::Place;
use omega::formula::{Formula, Formulas};

/// A formula over the states of a program.
#[derive(Clone, Debug)]
pub struct LtlFormula {
    pub formulas: Formulas,
    pub formula: Formula,
    /// What each atom stands for, by its number; its name is the text of the expression.
    pub atoms: Vec<model::Expr>,
}

impl Lowering<'_> {
    /// The atoms are the largest parts without temporal operators.
    pub(super) fn formula(&mut self, tree: &Expr, place: &Place) -> LtlFormula {
        let mut result = LtlFormula { formulas: Formulas::new(), formula: Formula::TRUE, atoms: Vec::new() };
        result.formula = self.subformula(tree, place, &mut result);
        result
    }

    fn subformula(&mut self, tree: &Expr, place: &Place, out: &mut LtlFormula) -> Formula {
        match &tree.kind {
            ExprKind::TemporalUnary(op, operand) => {
                let operand = self.subformula(operand, place, out);
                match op {
                    TemporalUnaryOp::Next => out.formulas.next(operand),
                    TemporalUnaryOp::Always => out.formulas.globally(operand),
                    TemporalUnaryOp::Eventually => out.formulas.finally(operand),
                }
            }
            ExprKind::TemporalBinary(op, left, right) => {
                let left = self.subformula(left, place, out);
                let right = self.subformula(right, place, out);
                match op {
                    TemporalBinaryOp::Until => out.formulas.until(left, right),
                    TemporalBinaryOp::WeakUntil => out.formulas.weak_until(left, right),
                    TemporalBinaryOp::Release => out.formulas.release(left, right),
                    TemporalBinaryOp::Implies => out.formulas.implies(left, right),
                    TemporalBinaryOp::Equivalent => out.formulas.iff(left, right),
                }
            }
            ExprKind::Binary(op @ (ast::BinaryOp::And | ast::BinaryOp::Or), left, right) => {
                let left = self.subformula(left, place, out);
                let right = self.subformula(right, place, out);
                if *op == ast::BinaryOp::And {
                    out.formulas.and(left, right)
                } else {
                    out.formulas.or(left, right)
                }
            }
            ExprKind::Unary(ast::UnaryOp::Not, operand) => {
                let operand = self.subformula(operand, place, out);
                out.formulas.not(operand)
            }
            ExprKind::Constant(0) => Formula::FALSE,
            ExprKind::Constant(_) => Formula::TRUE,
            _ => {
                let expr = self.expr(tree, place);
                let atom = out.formulas.atom_id(&pretty::expr(tree));
                // Equal texts mean equal expressions: all are read in one place.
                if atom.0 as usize == out.atoms.len() {
                    out.atoms.push(expr);
                }
                out.formulas.atom_formula(atom)
            }
        }
    }
}
