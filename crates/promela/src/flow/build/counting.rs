//! Counting loops: `for` over a range, an array or a channel, and `select`. Both are expanded to
//! assignments, conditions and a `do` loop, exactly as in SPIN.

use super::{Builder, LoopRange, Pending, assignment, constant, reference_to};
use crate::ast::{self, BinaryOp, Block, Expr, ExprKind, ForRange, Reference, StatementKind};
use crate::flow::{Jump, Node};
use crate::source::Span;

impl Builder<'_> {
    pub(super) fn for_loop(
        &mut self,
        variable: &Reference,
        range: &ForRange,
        body: &Block,
        span: Span,
    ) -> Pending {
        self.push_break();
        let counter = match range {
            ForRange::Values(from, to) => {
                self.open_counting(variable, from, BinaryOp::LessEqual, to, span);
                variable.clone()
            }
            ForRange::In(over) => {
                let place = self.place();
                match self.declare.loop_range(variable, over, &place) {
                    LoopRange::Channel => {
                        let counter = self.declare.loop_counter(over, self.owner, &self.scope);
                        let counter = reference_to(&counter);
                        let length = Expr {
                            kind: ExprKind::Channel(ast::ChannelQuery::Len, over.clone()),
                            span: over.span,
                        };
                        self.open_counting(
                            &counter,
                            &constant(0, span),
                            BinaryOp::Less,
                            &length,
                            span,
                        );
                        let arguments = vec![ast::ReceiveArgument::Reference(variable.clone())];
                        let receive = StatementKind::Receive {
                            channel: over.clone(),
                            random: false,
                            keep: false,
                            arguments,
                        };
                        self.leaf(receive, span);
                        let message = Expr { kind: ExprKind::Reference(variable.clone()), span };
                        let send = StatementKind::Send {
                            channel: over.clone(),
                            sorted: false,
                            arguments: vec![message],
                        };
                        self.leaf(send, span);
                        counter
                    }
                    LoopRange::Array(length) => {
                        let last = constant(length as i32 - 1, span);
                        self.open_counting(
                            variable,
                            &constant(0, span),
                            BinaryOp::LessEqual,
                            &last,
                            span,
                        );
                        variable.clone()
                    }
                    LoopRange::InvalidToken => {
                        self.breaks.pop();
                        return Pending::Leaf(Node::Skip, span);
                    }
                }
            }
        };
        self.enter_scope();
        self.steps(body);
        self.leave_scope();
        self.close_counting(&counter, true, span)
    }

    /// Appends `variable = from`, then opens a sequence that starts with `variable < to` (or `<=`).
    pub(super) fn open_counting(
        &mut self,
        variable: &Reference,
        from: &Expr,
        op: BinaryOp,
        to: &Expr,
        span: Span,
    ) {
        self.add(Pending::Leaf(
            Node::Basic(assignment(variable.clone(), from.clone(), span)),
            span,
        ));
        self.open_sequence();
        let current = Expr { kind: ExprKind::Reference(variable.clone()), span: variable.span };
        let test = ExprKind::Binary(op, Box::new(current), Box::new(to.clone()));
        self.leaf(StatementKind::Condition(Expr { kind: test, span }), span);
    }

    /// Appends the increment and the option that leaves the loop.
    pub(super) fn close_counting(
        &mut self,
        variable: &Reference,
        with_else: bool,
        span: Span,
    ) -> Pending {
        let current = Expr { kind: ExprKind::Reference(variable.clone()), span: variable.span };
        let sum = ExprKind::Binary(BinaryOp::Add, Box::new(current), Box::new(constant(1, span)));
        let increment = assignment(variable.clone(), Expr { kind: sum, span }, span);
        self.add(Pending::Leaf(Node::Basic(increment), span));
        let body = self.close_sequence();
        let leave = self.open_sequence();
        if with_else {
            self.add(Pending::Leaf(Node::Else, span));
        }
        let id = *self.breaks.last().expect("the loop pushed its break");
        self.add(Pending::Leaf(Node::Goto(Jump::Break(id)), span));
        self.close_sequence();
        let mut parts = vec![leave, body];
        self.move_else_last(&mut parts);
        Pending::Do(parts, span)
    }

    pub(super) fn select(
        &mut self,
        variable: &Reference,
        from: &Expr,
        to: &Expr,
        literal: bool,
        span: Span,
    ) -> Pending {
        let number = |expr: &Expr| match expr.kind {
            ExprKind::Constant(value) => Some(value),
            _ => None,
        };
        // Small ranges between literal numbers become an `if`: one step instead of a loop.
        let spread = match (number(from), number(to)) {
            (Some(low), Some(high)) if literal && low <= high => Some((low, high)),
            _ => None,
        };
        let step = |value| Node::Basic(assignment(variable.clone(), constant(value, span), span));
        match spread {
            Some((low, high)) if high.wrapping_sub(low) <= 32 => {
                let parts =
                    (low..=high).map(|value| self.wrap(Pending::Leaf(step(value), span))).collect();
                Pending::If(parts, span)
            }
            Some((low, high)) => {
                self.add(Pending::Leaf(step(low), span));
                self.push_break();
                let count = self.open_sequence();
                let current = Expr { kind: ExprKind::Reference(variable.clone()), span };
                let test = ExprKind::Binary(
                    BinaryOp::Less,
                    Box::new(current),
                    Box::new(constant(high, span)),
                );
                self.leaf(StatementKind::Condition(Expr { kind: test, span }), span);
                self.leaf(StatementKind::Increment(variable.clone()), span);
                self.close_sequence();
                let leave = self.open_sequence();
                let id = *self.breaks.last().expect("just pushed");
                self.add(Pending::Leaf(Node::Goto(Jump::Break(id)), span));
                self.close_sequence();
                Pending::Do(vec![count, leave], span)
            }
            None => {
                self.open_counting(variable, from, BinaryOp::Less, to, span);
                self.push_break();
                self.close_counting(variable, false, span)
            }
        }
    }
}
