//! Statements that are single steps: their guards and actions.

use super::Lowering;
use crate::ast::{self, Expr, ExprKind, Reference, Statement, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::flow::{Element, Node};
use crate::pretty;
use crate::symbols::{LookupPoint, Type};
use lariat_ir::expression::{BinaryOp, Expr as ModelExpr};
use lariat_ir::program::{Action, NameSetId, Operation, PrintPart};

impl Lowering<'_> {
    /// The operation of an element other than a d_step.
    pub(super) fn operation(&mut self, element: &Element) -> Operation {
        match &element.node {
            Node::Else => Operation::Else,
            Node::Stop => Operation::End,
            Node::Basic(statement) => self.basic(statement, &element.place),
            Node::Reset(statement) => self.reset(statement, &element.place),
            _ => Operation::SKIP,
        }
    }

    /// The text of a statement in traces and reports.
    pub(super) fn element_text(element: &Element) -> String {
        match &element.node {
            Node::Basic(statement) | Node::Reset(statement) => pretty::statement(statement),
            Node::Skip => "skip".into(),
            Node::Else => "else".into(),
            Node::Goto(crate::flow::Jump::Label { name, .. }) => format!("goto {name}"),
            Node::Goto(crate::flow::Jump::Break(_)) | Node::LoopExit => "break".into(),
            // The join after the last statement of an option.
            Node::Join => "go on".into(),
            Node::DStep(_) => "d_step".into(),
            Node::Atomic(_) => "atomic".into(),
            Node::If => "if".into(),
            Node::Do => "do".into(),
            Node::Unless => "unless".into(),
            Node::Block(_) => "{ }".into(),
            Node::Stop => "end".into(),
        }
    }

    fn basic(&mut self, statement: &Statement, place: &LookupPoint) -> Operation {
        match &statement.kind {
            StatementKind::Assign(target, value) => self.assign(target, value, place),
            StatementKind::Increment(target) => self.step_by(target, BinaryOp::Add, place),
            StatementKind::Decrement(target) => self.step_by(target, BinaryOp::Subtract, place),
            StatementKind::Condition(condition) => {
                let mut runs = Vec::new();
                let guard = self.expr_with_runs(condition, place, &mut runs);
                if runs.is_empty() {
                    return Operation::when(guard);
                }
                if !matches!(condition.kind, ExprKind::Run { .. }) {
                    self.error(
                        condition.span,
                        "`run` cannot be part of a larger condition",
                        "make it a statement of its own",
                    );
                }
                Operation::act(runs)
            }
            StatementKind::Assert(condition) => {
                let mut actions = Vec::new();
                let value = self.expr_with_runs(condition, place, &mut actions);
                let text = pretty::expr(condition);
                actions.push(Action::Assert { condition: value, text });
                Operation::act(actions)
            }
            StatementKind::Print { format, arguments } => {
                let format = self.print_format(format, arguments, statement, place);
                Operation::act(vec![Action::Print { format }])
            }
            StatementKind::PrintMtype(value) => {
                let set = self.name_set_of(value, place);
                let value = self.expr(value, place);
                Operation::act(vec![Action::Print { format: vec![PrintPart::Name(value, set)] }])
            }
            StatementKind::SetPriority(process, priority) => {
                self.uses_priority = true;
                let process = self.expr(process, place);
                let priority = self.expr(priority, place);
                Operation::act(vec![Action::SetPriority { process, priority }])
            }
            StatementKind::Send { channel, sorted, arguments } => {
                let arguments = self.values(arguments, place);
                if self.longest_send.is_none_or(|(fields, _)| fields < arguments.len()) {
                    self.longest_send = Some((arguments.len(), statement.span));
                }
                match self.channel_expr(channel, place) {
                    Some(channel) => Operation::Send { channel, arguments, sorted: *sorted },
                    None => Operation::SKIP,
                }
            }
            StatementKind::Receive { channel, random, keep, arguments } => {
                let patterns = self.patterns(arguments, place, true);
                match self.channel_expr(channel, place) {
                    Some(channel) => {
                        Operation::Receive { channel, patterns, random: *random, keep: *keep }
                    }
                    None => Operation::SKIP,
                }
            }
            _ => Operation::SKIP,
        }
    }

    fn assign(&mut self, target: &Reference, value: &Expr, place: &LookupPoint) -> Operation {
        let mut actions = Vec::new();
        let value_span = value.span;
        let value = self.expr_with_runs(value, place, &mut actions);
        if let [ast::Part { name, index: None }] = &target.parts[..] {
            if self.symbols.mtype(&name.text).is_some() {
                let message = format!("`{}` is an mtype name and cannot be assigned to", name.text);
                self.error(name.span, message, "not a variable");
                return Operation::SKIP;
            }
            match &*name.text {
                "_" => return Operation::act(actions),
                "_priority" => {
                    self.uses_priority = true;
                    actions.push(Action::SetPriority { process: ModelExpr::Pid, priority: value });
                    return Operation::act(actions);
                }
                "_pid" | "_nr_pr" | "_last" | "np_" => {
                    self.error(
                        name.span,
                        format!("`{}` cannot be assigned to", name.text),
                        "read only",
                    );
                    return Operation::SKIP;
                }
                _ => {}
            }
        }
        if let Some((target, ty)) = self.scalar(target, place) {
            if let ModelExpr::Const(constant) = value
                && let Some(stored) = ty.domain().store(constant)
                && constant != stored
            {
                self.report(
                    Diagnostic::warning(format!("{constant} does not fit in the variable"))
                        .at(value_span, format!("stored as {stored}")),
                );
            }
            actions.push(Action::Assign(vec![(target, value)]));
        }
        Operation::act(actions)
    }

    /// A declaration in the middle of a body resets the variable.
    fn reset(&mut self, statement: &Statement, place: &LookupPoint) -> Operation {
        let StatementKind::Assign(target, _) = &statement.kind else { return Operation::SKIP };
        let Some(index) = self.symbols.lookup(&target.parts[0].name.text, place) else {
            return Operation::SKIP;
        };
        let variable = self.symbols.variable(index);
        if matches!(variable.ty, Type::Struct(_)) {
            return Operation::SKIP;
        }
        // SPIN resets only the first element of an array.
        let mut target = target.clone();
        if variable.length.is_some() {
            let zero = Expr { kind: ExprKind::Constant(0), span: target.span };
            target.parts[0].index = Some(Box::new(zero));
        }
        match self.scalar(&target, place) {
            Some((place, _)) => {
                Operation::act(vec![Action::Assign(vec![(place, ModelExpr::Const(0))])])
            }
            None => Operation::SKIP,
        }
    }

    fn step_by(&mut self, target: &Reference, op: BinaryOp, place: &LookupPoint) -> Operation {
        match self.scalar(target, place) {
            Some((_, Type::Chan)) => {
                self.error(target.span, "arithmetic on a channel", "this is a channel");
                Operation::SKIP
            }
            Some((target, _)) => {
                let value =
                    ModelExpr::binary(op, ModelExpr::Read(target.clone()), ModelExpr::Const(1));
                Operation::act(vec![Action::Assign(vec![(target, value)])])
            }
            None => Operation::SKIP,
        }
    }

    /// The mtype set whose names are used to print a value.
    fn name_set_of(&mut self, value: &Expr, place: &LookupPoint) -> NameSetId {
        if let ExprKind::Reference(reference) = &value.kind {
            if let [part] = &reference.parts[..]
                && let Some((set, _)) = self.symbols.mtype(&part.name.text)
            {
                return set;
            }
            if self.symbols.lookup(&reference.parts[0].name.text, place).is_some()
                && let Some((_, Type::Mtype(set))) = self.scalar(reference, place)
            {
                return set;
            }
        }
        self.symbols.name_set(None)
    }

    fn print_format(
        &mut self,
        format: &str,
        arguments: &[Expr],
        statement: &Statement,
        place: &LookupPoint,
    ) -> Vec<PrintPart> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut arguments = arguments.iter();
        let mut characters = format.chars();
        let mut missing = false;
        while let Some(character) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some(other) => text.push(other),
                    None => {}
                },
                '%' => {
                    let conversion = characters.next();
                    if conversion == Some('%') {
                        text.push('%');
                        continue;
                    }
                    let Some(argument) = arguments.next() else {
                        missing = true;
                        continue;
                    };
                    let set = (conversion == Some('e')).then(|| self.name_set_of(argument, place));
                    let value = self.expr(argument, place);
                    parts.push(PrintPart::Text(std::mem::take(&mut text)));
                    parts.push(match (conversion, set) {
                        (Some('e'), Some(set)) => PrintPart::Name(value, set),
                        (Some('c'), _) => PrintPart::Character(value),
                        (Some('x'), _) => PrintPart::Hexadecimal(value),
                        (Some('o'), _) => PrintPart::Octal(value),
                        (Some('u'), _) => PrintPart::Unsigned(value),
                        _ => PrintPart::Decimal(value),
                    });
                }
                other => text.push(other),
            }
        }
        if missing || arguments.next().is_some() {
            self.report(
                Diagnostic::warning("the format and the arguments of this printf do not match").at(
                    statement.span,
                    "one conversion (`%d`, `%e`, …) is needed for each argument",
                ),
            );
        }
        parts.push(PrintPart::Text(text));
        parts.retain(|part| !matches!(part, PrintPart::Text(text) if text.is_empty()));
        parts
    }
}
