//! Visitor over every expression of a syntax tree.

use crate::ast::{
    Block, Declaration, Expr, ExprKind, ForRange, Initializer, ReceiveArgument, Reference,
    Statement, StatementKind, Step,
};

/// Calls `visit` on every expression in the block, including subexpressions.
pub fn expressions(block: &Block, visit: &mut dyn FnMut(&Expr)) {
    for step in &block.steps {
        match step {
            Step::Declaration(declaration) => in_declaration(declaration, visit),
            Step::Exclusive(exclusive) => {
                exclusive.channels.iter().for_each(|channel| in_reference(channel, visit));
            }
            Step::Statement(statement) => in_statement(statement, visit),
            Step::Unless(main, escape) => {
                in_statement(main, visit);
                in_statement(escape, visit);
            }
        }
    }
}

/// Calls `visit` on the expression and its subexpressions.
pub fn in_expr(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Timeout | ExprKind::NonProgress => {}
        ExprKind::Reference(reference) | ExprKind::Channel(_, reference) => {
            in_reference(reference, visit)
        }
        ExprKind::Unary(_, operand)
        | ExprKind::Enabled(operand)
        | ExprKind::PcValue(operand)
        | ExprKind::GetPriority(operand)
        | ExprKind::TemporalUnary(_, operand) => in_expr(operand, visit),
        ExprKind::Binary(_, left, right) | ExprKind::TemporalBinary(_, left, right) => {
            in_expr(left, visit);
            in_expr(right, visit);
        }
        ExprKind::Conditional(condition, yes, no) => {
            in_expr(condition, visit);
            in_expr(yes, visit);
            in_expr(no, visit);
        }
        ExprKind::Run { arguments, .. } => {
            arguments.iter().for_each(|argument| in_expr(argument, visit))
        }
        ExprKind::Poll { channel, arguments, .. } => {
            in_reference(channel, visit);
            in_arguments(arguments, visit);
        }
        ExprKind::RemoteLabel { pid, .. } => {
            if let Some(pid) = pid {
                in_expr(pid, visit);
            }
        }
        ExprKind::RemoteVariable { pid, index, .. } => {
            for part in [pid, index].into_iter().flatten() {
                in_expr(part, visit);
            }
        }
    }
}

fn in_reference(reference: &Reference, visit: &mut dyn FnMut(&Expr)) {
    for part in &reference.parts {
        if let Some(index) = &part.index {
            in_expr(index, visit);
        }
    }
}

fn in_arguments(arguments: &[ReceiveArgument], visit: &mut dyn FnMut(&Expr)) {
    for argument in arguments {
        match argument {
            ReceiveArgument::Reference(reference) => in_reference(reference, visit),
            ReceiveArgument::Eval(expr) => in_expr(expr, visit),
            ReceiveArgument::Constant(..) => {}
        }
    }
}

fn in_declaration(declaration: &Declaration, visit: &mut dyn FnMut(&Expr)) {
    for variable in &declaration.variables {
        match &variable.initializer {
            Some(Initializer::Expr(expr)) => in_expr(expr, visit),
            Some(Initializer::List(list)) => list.iter().for_each(|expr| in_expr(expr, visit)),
            Some(Initializer::Channel(_)) | None => {}
        }
    }
}

fn in_statement(statement: &Statement, visit: &mut dyn FnMut(&Expr)) {
    match &statement.kind {
        StatementKind::Labelled(_, inner) => in_statement(inner, visit),
        StatementKind::Assign(target, value) => {
            in_reference(target, visit);
            in_expr(value, visit);
        }
        StatementKind::Increment(target) | StatementKind::Decrement(target) => {
            in_reference(target, visit)
        }
        StatementKind::Send { channel, arguments, .. } => {
            in_reference(channel, visit);
            arguments.iter().for_each(|argument| in_expr(argument, visit));
        }
        StatementKind::Receive { channel, arguments, .. } => {
            in_reference(channel, visit);
            in_arguments(arguments, visit);
        }
        StatementKind::If(options) | StatementKind::Do(options) => {
            options.iter().for_each(|option| expressions(option, visit));
        }
        StatementKind::For { variable, range, body } => {
            in_reference(variable, visit);
            match range {
                ForRange::Values(from, to) => {
                    in_expr(from, visit);
                    in_expr(to, visit);
                }
                ForRange::In(over) => in_reference(over, visit),
            }
            expressions(body, visit);
        }
        StatementKind::Select { variable, from, to, .. } => {
            in_reference(variable, visit);
            in_expr(from, visit);
            in_expr(to, visit);
        }
        StatementKind::Condition(expr)
        | StatementKind::Assert(expr)
        | StatementKind::PrintMtype(expr) => {
            in_expr(expr, visit);
        }
        StatementKind::Atomic(block)
        | StatementKind::DStep(block)
        | StatementKind::Block(block)
        | StatementKind::Inline { body: block, .. } => expressions(block, visit),
        StatementKind::Print { arguments, .. } => {
            arguments.iter().for_each(|argument| in_expr(argument, visit));
        }
        StatementKind::SetPriority(process, priority) => {
            in_expr(process, visit);
            in_expr(priority, visit);
        }
        StatementKind::Break | StatementKind::Goto(_) | StatementKind::Else => {}
    }
}
