//! Statements and expressions as text, for traces and messages, with as few parentheses as
//! possible. It knows only the syntax tree.

use crate::ast::{
    BinaryOp, ChannelQuery, Expr, ExprKind, ForRange, ReceiveArgument, Reference, Statement,
    StatementKind, TemporalBinaryOp, TemporalUnaryOp, UnaryOp,
};

/// A statement on one line; for a compound statement, only its head.
pub fn statement(statement: &Statement) -> String {
    match &statement.kind {
        StatementKind::Labelled(_, inner) => self::statement(inner),
        StatementKind::Assign(target, value) => format!("{} = {}", reference(target), expr(value)),
        StatementKind::Increment(target) => format!("{}++", reference(target)),
        StatementKind::Decrement(target) => format!("{}--", reference(target)),
        StatementKind::Send { channel, sorted, arguments } => {
            format!(
                "{}{}{}",
                reference(channel),
                if *sorted { "!!" } else { "!" },
                exprs(arguments, ",")
            )
        }
        StatementKind::Receive { channel, random, keep, arguments } => {
            let operator = if *random { "??" } else { "?" };
            let (open, close) = if *keep { ("<", ">") } else { ("", "") };
            format!("{}{operator}{open}{}{close}", reference(channel), receive_arguments(arguments))
        }
        StatementKind::If(_) => "if".to_string(),
        StatementKind::Do(_) => "do".to_string(),
        StatementKind::Break => "break".to_string(),
        StatementKind::Goto(label) => format!("goto {}", label.text),
        StatementKind::For { variable, range, .. } => match range {
            ForRange::Values(from, to) => {
                format!("for ({} : {} .. {})", reference(variable), expr(from), expr(to))
            }
            ForRange::In(list) => format!("for ({} in {})", reference(variable), reference(list)),
        },
        StatementKind::Select { variable, from, to, .. } => {
            format!("select ({} : {} .. {})", reference(variable), expr(from), expr(to))
        }
        StatementKind::Condition(condition) => format!("({})", expr(condition)),
        StatementKind::Else => "else".to_string(),
        StatementKind::Atomic(_) => "atomic".to_string(),
        StatementKind::DStep(_) => "d_step".to_string(),
        StatementKind::Block(_) => "{ … }".to_string(),
        StatementKind::Inline { name, .. } => format!("{}(…)", name.text),
        StatementKind::Print { format, arguments } if arguments.is_empty() => {
            format!("printf(\"{format}\")")
        }
        StatementKind::Print { format, arguments } => {
            format!("printf(\"{format}\", {})", exprs(arguments, ", "))
        }
        StatementKind::PrintMtype(value) => format!("printm({})", expr(value)),
        StatementKind::Assert(condition) => format!("assert({})", expr(condition)),
        StatementKind::SetPriority(process, priority) => {
            format!("set_priority({}, {})", expr(process), expr(priority))
        }
    }
}

/// An expression on one line.
pub fn expr(expr: &Expr) -> String {
    let mut text = String::new();
    write(expr, &mut text);
    text
}

/// A reference on one line.
pub fn reference(reference: &Reference) -> String {
    let mut text = String::new();
    write_reference(reference, &mut text);
    text
}

fn exprs(list: &[Expr], separator: &str) -> String {
    list.iter().map(expr).collect::<Vec<_>>().join(separator)
}

fn receive_arguments(arguments: &[ReceiveArgument]) -> String {
    let argument = |argument: &ReceiveArgument| match argument {
        ReceiveArgument::Reference(target) => reference(target),
        ReceiveArgument::Constant(value, _) => value.to_string(),
        ReceiveArgument::Eval(value) => format!("eval({})", expr(value)),
    };
    arguments.iter().map(argument).collect::<Vec<_>>().join(",")
}

fn write_reference(reference: &Reference, text: &mut String) {
    for (index, part) in reference.parts.iter().enumerate() {
        if index > 0 {
            text.push('.');
        }
        text.push_str(&part.name.text);
        write_index(part.index.as_deref(), text);
    }
}

fn write_index(index: Option<&Expr>, text: &mut String) {
    if let Some(index) = index {
        text.push('[');
        write(index, text);
        text.push(']');
    }
}

const UNARY_RANK: u8 = 20;

/// The precedence of an expression's outermost operator, as in the parser.
fn rank(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary(operator, ..) => binary(*operator).1,
        ExprKind::TemporalBinary(operator, ..) => temporal(*operator).1,
        ExprKind::Unary(..) | ExprKind::TemporalUnary(..) => UNARY_RANK,
        ExprKind::Constant(value) if *value < 0 => UNARY_RANK,
        _ => u8::MAX,
    }
}

fn write_ranked(expr: &Expr, least: u8, text: &mut String) {
    if rank(expr) < least {
        text.push('(');
        write(expr, text);
        text.push(')');
    } else {
        write(expr, text);
    }
}

fn write(expr: &Expr, text: &mut String) {
    match &expr.kind {
        ExprKind::Constant(value) => text.push_str(&value.to_string()),
        ExprKind::Reference(target) => write_reference(target, text),
        ExprKind::Unary(operator, operand) => {
            let sign = match operator {
                UnaryOp::Not => "!",
                UnaryOp::Negate => "-",
                UnaryOp::Complement => "~",
            };
            write_prefix(sign, operand, text);
        }
        ExprKind::TemporalUnary(operator, operand) => {
            let sign = match operator {
                TemporalUnaryOp::Next => "X ",
                TemporalUnaryOp::Always => "[]",
                TemporalUnaryOp::Eventually => "<>",
            };
            write_prefix(sign, operand, text);
        }
        ExprKind::Binary(operator, left, right) => {
            write_infix(binary(*operator), left, right, text)
        }
        ExprKind::TemporalBinary(operator, left, right) => {
            write_infix(temporal(*operator), left, right, text)
        }
        ExprKind::Conditional(condition, yes, no) => {
            text.push('(');
            write(condition, text);
            text.push_str(" -> ");
            write(yes, text);
            text.push_str(" : ");
            write(no, text);
            text.push(')');
        }
        ExprKind::Run { proctype, arguments, priority } => {
            text.push_str(&format!("run {}({})", proctype.text, exprs(arguments, ", ")));
            if let Some(priority) = priority {
                text.push_str(" priority ");
                write_ranked(priority, UNARY_RANK, text);
            }
        }
        ExprKind::Channel(query, channel) => {
            text.push_str(match query {
                ChannelQuery::Len => "len(",
                ChannelQuery::Full => "full(",
                ChannelQuery::Empty => "empty(",
                ChannelQuery::NotFull => "nfull(",
                ChannelQuery::NotEmpty => "nempty(",
            });
            write_reference(channel, text);
            text.push(')');
        }
        ExprKind::Poll { channel, random, arguments } => {
            write_reference(channel, text);
            text.push_str(if *random { "??[" } else { "?[" });
            text.push_str(&receive_arguments(arguments));
            text.push(']');
        }
        ExprKind::Enabled(process) => write_call("enabled", process, text),
        ExprKind::PcValue(process) => write_call("pc_value", process, text),
        ExprKind::GetPriority(process) => write_call("get_priority", process, text),
        ExprKind::Timeout => text.push_str("timeout"),
        ExprKind::NonProgress => text.push_str("np_"),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            text.push_str(&proctype.text);
            write_index(pid.as_deref(), text);
            text.push('@');
            text.push_str(&label.text);
        }
        ExprKind::RemoteVariable { proctype, pid, variable, index } => {
            text.push_str(&proctype.text);
            write_index(pid.as_deref(), text);
            text.push(':');
            text.push_str(&variable.text);
            write_index(index.as_deref(), text);
        }
    }
}

fn write_call(name: &str, argument: &Expr, text: &mut String) {
    text.push_str(name);
    text.push('(');
    write(argument, text);
    text.push(')');
}

fn write_prefix(sign: &str, operand: &Expr, text: &mut String) {
    text.push_str(sign);
    // `--` and `!!` would be read as one token.
    let double = matches!(sign, "-" | "!") && rank(operand) == UNARY_RANK && !is_temporal(operand);
    write_ranked(operand, if double { u8::MAX } else { UNARY_RANK }, text);
}

fn is_temporal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::TemporalUnary(..))
}

/// All operators are left associative, so equal precedence on the right needs parentheses.
fn write_infix((sign, rank): (&str, u8), left: &Expr, right: &Expr, text: &mut String) {
    write_ranked(left, rank, text);
    text.push(' ');
    text.push_str(sign);
    text.push(' ');
    write_ranked(right, rank + 1, text);
}

fn binary(operator: BinaryOp) -> (&'static str, u8) {
    match operator {
        BinaryOp::Or => ("||", 2),
        BinaryOp::And => ("&&", 3),
        BinaryOp::BitOr => ("|", 6),
        BinaryOp::BitXor => ("^", 7),
        BinaryOp::BitAnd => ("&", 8),
        BinaryOp::Equal => ("==", 9),
        BinaryOp::NotEqual => ("!=", 9),
        BinaryOp::Greater => (">", 10),
        BinaryOp::Less => ("<", 10),
        BinaryOp::GreaterEqual => (">=", 10),
        BinaryOp::LessEqual => ("<=", 10),
        BinaryOp::ShiftLeft => ("<<", 11),
        BinaryOp::ShiftRight => (">>", 11),
        BinaryOp::Add => ("+", 12),
        BinaryOp::Subtract => ("-", 12),
        BinaryOp::Multiply => ("*", 13),
        BinaryOp::Divide => ("/", 13),
        BinaryOp::Remainder => ("%", 13),
    }
}

fn temporal(operator: TemporalBinaryOp) -> (&'static str, u8) {
    match operator {
        TemporalBinaryOp::Implies => ("->", 1),
        TemporalBinaryOp::Equivalent => ("<->", 1),
        TemporalBinaryOp::Until => ("U", 5),
        TemporalBinaryOp::WeakUntil => ("W", 5),
        TemporalBinaryOp::Release => ("V", 5),
    }
}
