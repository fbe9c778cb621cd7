//! Lowering of expressions.

use super::Lowering;
use crate::ast::{self, Expr, ExprKind, ReceiveArgument, Reference};
use crate::diagnostic::Diagnostic;
use crate::parser::PARTNER;
use crate::symbols::{LookupPoint, Type};
use lariat_ir::expression::{BinaryOp, ChannelQuery, Expr as ModelExpr, Pattern, Remote, UnaryOp};
use lariat_ir::program::Action;

impl Lowering<'_> {
    /// An expression without `run`.
    pub(super) fn expr(&mut self, expr: &Expr, place: &LookupPoint) -> ModelExpr {
        let mut runs = Vec::new();
        let value = self.expr_with_runs(expr, place, &mut runs);
        if !runs.is_empty() {
            self.error(expr.span, "`run` cannot be used here", "it has a side effect");
        }
        value
    }

    /// Lowers an expression; the processes it starts are appended to `runs`, and it evaluates to
    /// the last one.
    pub(super) fn expr_with_runs(
        &mut self,
        expr: &Expr,
        place: &LookupPoint,
        runs: &mut Vec<Action>,
    ) -> ModelExpr {
        let boxed = |lowering: &mut Self, inner: &Expr| Box::new(lowering.expr(inner, place));
        match &expr.kind {
            ExprKind::Constant(value) => ModelExpr::Const(*value),
            ExprKind::Reference(reference) => self.read(reference, place),
            ExprKind::Unary(op, operand) => {
                let operand = self.expr_with_runs(operand, place, runs);
                ModelExpr::unary(unary_op(*op), operand)
            }
            ExprKind::Binary(op, left, right) => {
                self.check_mtypes(left, right, place);
                let left = self.expr_with_runs(left, place, runs);
                let right = self.expr_with_runs(right, place, runs);
                ModelExpr::binary(binary_op(*op), left, right)
            }
            ExprKind::Conditional(condition, yes, no) => {
                ModelExpr::Conditional(boxed(self, condition), boxed(self, yes), boxed(self, no))
            }
            ExprKind::Run { proctype, arguments, priority } => {
                if !runs.is_empty() {
                    self.error(expr.span, "more than one `run` in an expression", "the second one");
                }
                if let Some(run) = self.run(proctype, arguments, priority.as_deref(), place) {
                    runs.push(run);
                }
                ModelExpr::Spawned
            }
            ExprKind::Channel(query, channel) => {
                let query = match query {
                    ast::ChannelQuery::Len => ChannelQuery::Len,
                    ast::ChannelQuery::Full => ChannelQuery::Full,
                    ast::ChannelQuery::Empty => ChannelQuery::Empty,
                    ast::ChannelQuery::NotFull => ChannelQuery::NotFull,
                    ast::ChannelQuery::NotEmpty => ChannelQuery::NotEmpty,
                };
                match self.channel_expr(channel, place) {
                    Some(channel) => ModelExpr::Channel(query, Box::new(channel)),
                    None => ModelExpr::Const(0),
                }
            }
            ExprKind::Poll { channel, random, arguments } => {
                let patterns = self.patterns(arguments, place, false);
                match self.channel_expr(channel, place) {
                    Some(channel) => {
                        ModelExpr::Poll { channel: Box::new(channel), patterns, random: *random }
                    }
                    None => ModelExpr::Const(0),
                }
            }
            ExprKind::Enabled(pid) => {
                self.enabled_at.get_or_insert(expr.span);
                ModelExpr::Enabled(boxed(self, pid))
            }
            ExprKind::PcValue(pid) => ModelExpr::PcValue(boxed(self, pid)),
            ExprKind::GetPriority(pid) => {
                self.uses_priority = true;
                ModelExpr::Priority(boxed(self, pid))
            }
            ExprKind::Timeout => ModelExpr::Timeout,
            ExprKind::NonProgress => {
                if place.owner.is_some_and(|owner| self.is_process(owner)) {
                    self.error(
                        expr.span,
                        "`np_` outside a never claim",
                        "only allowed in never claims",
                    );
                }
                ModelExpr::NonProgress
            }
            ExprKind::RemoteLabel { proctype, pid, label } => self
                .remote_label(proctype, pid.as_deref(), label, place)
                .unwrap_or(ModelExpr::Const(0)),
            ExprKind::RemoteVariable { proctype, pid, variable, index } => self
                .remote_variable(proctype, pid.as_deref(), variable, index.as_deref(), place)
                .unwrap_or(ModelExpr::Const(0)),
            ExprKind::TemporalUnary(..) | ExprKind::TemporalBinary(..) => {
                self.error(
                    expr.span,
                    "temporal operator outside an `ltl` block",
                    "not allowed here",
                );
                ModelExpr::Const(0)
            }
        }
    }

    fn read(&mut self, reference: &Reference, place: &LookupPoint) -> ModelExpr {
        if let [ast::Part { name, index: None }] = &reference.parts[..] {
            if let Some((_, value)) = self.symbols.mtype(&name.text) {
                return ModelExpr::Const(value);
            }
            match &*name.text {
                "_pid" => {
                    if place.owner.is_none_or(|owner| !self.is_process(owner)) {
                        self.error(
                            name.span,
                            "`_pid` has a value only inside a process",
                            "not in a process",
                        );
                    }
                    return ModelExpr::Pid;
                }
                "_nr_pr" => return ModelExpr::ProcessCount,
                "_last" => {
                    self.uses_last = true;
                    return ModelExpr::Last;
                }
                PARTNER => {
                    (self.uses_last, self.uses_partner) = (true, true);
                    return ModelExpr::Partner;
                }
                "_priority" => {
                    self.uses_priority = true;
                    return ModelExpr::Priority(Box::new(ModelExpr::Pid));
                }
                "_" => {
                    self.error(name.span, "`_` has no value", "it can only be written to");
                    return ModelExpr::Const(0);
                }
                _ => {}
            }
        }
        match self.scalar(reference, place) {
            Some((place, _)) => ModelExpr::Read(place),
            None => ModelExpr::Const(0),
        }
    }

    fn run(
        &mut self,
        proctype: &ast::Ident,
        arguments: &[Expr],
        priority: Option<&Expr>,
        place: &LookupPoint,
    ) -> Option<Action> {
        let index = self.proctype_named(proctype)?;
        let values = self.values(arguments, place);
        let expected = self.parameter_count(index) as usize;
        if values.len() != expected {
            let definition = match &self.bodies[index].unit {
                super::BodySource::Proctype(definition) => definition.name.span,
                _ => proctype.span,
            };
            self.report(
                Diagnostic::error(format!(
                    "proctype `{}` takes {expected} argument{}, but {} given",
                    proctype.text,
                    if expected == 1 { "" } else { "s" },
                    if values.len() == 1 { "1 is".into() } else { format!("{} are", values.len()) }
                ))
                .at(proctype.span, "started here")
                .also(definition, "defined here"),
            );
        }
        let priority = self.priority(priority);
        let process_type = self.process_type_ids[&index];
        Some(Action::Run { process_type, arguments: values, priority })
    }

    /// Arguments of a `run` or a send: a structure is replaced by its fields.
    pub(super) fn values(&mut self, arguments: &[Expr], place: &LookupPoint) -> Vec<ModelExpr> {
        let mut values = Vec::new();
        for argument in arguments {
            if let ExprKind::Reference(reference) = &argument.kind
                && self.names_structure(reference, place)
            {
                let places = self.scalars(reference, place).unwrap_or_default();
                values.extend(places.into_iter().map(|(place, _)| ModelExpr::Read(place)));
            } else {
                values.push(self.expr(argument, place));
            }
        }
        values
    }

    fn names_structure(&self, reference: &Reference, place: &LookupPoint) -> bool {
        let Some(index) = self.symbols.lookup(&reference.parts[0].name.text, place) else {
            return false;
        };
        let mut ty = self.symbols.variable(index).ty;
        for part in &reference.parts[1..] {
            let Type::Struct(id) = ty else { return false };
            let fields = &self.symbols.structure(id).fields;
            match fields.iter().find(|field| field.name == part.name.text) {
                Some(field) => ty = field.ty,
                None => return false,
            }
        }
        matches!(ty, Type::Struct(_))
    }

    /// The pattern for each field of a receive. Without `binding`, variables match any value.
    pub(super) fn patterns(
        &mut self,
        arguments: &[ReceiveArgument],
        place: &LookupPoint,
        binding: bool,
    ) -> Vec<Pattern> {
        let mut patterns = Vec::new();
        for argument in arguments {
            match argument {
                ReceiveArgument::Constant(value, _) => {
                    patterns.push(Pattern::Match(ModelExpr::Const(*value)))
                }
                ReceiveArgument::Eval(expr) => {
                    let value = self.expr(expr, place);
                    patterns.push(Pattern::Match(value));
                }
                ReceiveArgument::Reference(reference) => {
                    if let [ast::Part { name, index: None }] = &reference.parts[..] {
                        if let Some((_, value)) = self.symbols.mtype(&name.text) {
                            patterns.push(Pattern::Match(ModelExpr::Const(value)));
                            continue;
                        }
                        if &*name.text == "_" {
                            patterns.push(Pattern::Ignore);
                            continue;
                        }
                        if self.symbols.lookup(&name.text, place).is_none()
                            && matches!(&*name.text, "_pid" | "_nr_pr" | "_last" | "_priority")
                        {
                            self.error(
                                name.span,
                                format!("`{}` cannot be received into", name.text),
                                "use `eval` to match its value",
                            );
                            continue;
                        }
                    }
                    for (target, _) in self.scalars(reference, place).unwrap_or_default() {
                        patterns.push(if binding {
                            Pattern::Bind(target)
                        } else {
                            Pattern::Ignore
                        });
                    }
                }
            }
        }
        patterns
    }

    fn remote_process(&mut self, pid: Option<&Expr>, place: &LookupPoint) -> Remote {
        match pid {
            Some(pid) => Remote::Pid(Box::new(self.expr(pid, place))),
            None => Remote::Only,
        }
    }

    fn remote_label(
        &mut self,
        proctype: &ast::Ident,
        pid: Option<&Expr>,
        label: &ast::Ident,
        place: &LookupPoint,
    ) -> Option<ModelExpr> {
        let process = self.remote_process(pid, place);
        let index = self.proctype_named(proctype)?;
        let collected = &self.bodies[index];
        let Some(element) = collected.body.labelled(&label.text) else {
            let message = format!("proctype `{}` has no label `{}`", proctype.text, label.text);
            self.error(label.span, message, "no such label");
            return None;
        };
        let number = collected.body.element(element).number;
        let location = *collected.locations.get(&number)?;
        Some(ModelExpr::At { process_type: self.process_type_ids[&index], process, location })
    }

    fn remote_variable(
        &mut self,
        proctype: &ast::Ident,
        pid: Option<&Expr>,
        variable: &ast::Ident,
        index: Option<&Expr>,
        place: &LookupPoint,
    ) -> Option<ModelExpr> {
        let process = self.remote_process(pid, place);
        let owner = self.proctype_named(proctype)?;
        let Some(symbol) = self.symbols.local(owner, &variable.text) else {
            let message =
                format!("proctype `{}` has no variable `{}`", proctype.text, variable.text);
            self.error(variable.span, message, "not declared there");
            return None;
        };
        let length = self.symbols.variable(symbol).length;
        let indices = match (index, length) {
            (Some(index), Some(_)) => vec![self.expr(index, place)],
            (None, None) => Vec::new(),
            (Some(index), None) => {
                self.error(
                    index.span,
                    format!("`{}` is not an array", variable.text),
                    "only arrays can be indexed",
                );
                return None;
            }
            (None, Some(_)) => {
                let message = format!("missing array index: `{}` is an array", variable.text);
                self.error(variable.span, message, "which element?");
                return None;
            }
        };
        let [leaf] = self.slots.leaves(symbol) else {
            self.error(
                variable.span,
                "a whole structure cannot be used here",
                "this is a structure",
            );
            return None;
        };
        let variable = leaf.id;
        let process_type = *self.process_type_ids.get(&owner)?;
        Some(ModelExpr::ReadRemote { process_type, process, variable, indices })
    }

    /// Warns when names of two different mtype sets are compared or combined.
    fn check_mtypes(&mut self, left: &Expr, right: &Expr, place: &LookupPoint) {
        let (Some(first), Some(second)) = (self.mtype_of(left, place), self.mtype_of(right, place))
        else {
            return;
        };
        if first != second {
            let name = |set: lariat_ir::program::NameSetId| {
                self.symbols.name_sets[set.index()].name.clone()
            };
            let (first, second) = (name(first), name(second));
            self.report(
                Diagnostic::warning("values of different mtype sets are mixed")
                    .at(left.span, format!("of set `{first}`"))
                    .also(right.span, format!("of set `{second}`")),
            );
        }
    }

    fn mtype_of(&self, expr: &Expr, place: &LookupPoint) -> Option<lariat_ir::program::NameSetId> {
        let ExprKind::Reference(reference) = &expr.kind else { return None };
        let [part] = &reference.parts[..] else { return None };
        if let Some((set, _)) = self.symbols.mtype(&part.name.text) {
            return Some(set);
        }
        match self.symbols.variable(self.symbols.lookup(&part.name.text, place)?).ty {
            Type::Mtype(set) => Some(set),
            _ => None,
        }
    }
}

pub(super) fn unary_op(op: ast::UnaryOp) -> UnaryOp {
    match op {
        ast::UnaryOp::Not => UnaryOp::Not,
        ast::UnaryOp::Negate => UnaryOp::Negate,
        ast::UnaryOp::Complement => UnaryOp::Complement,
    }
}

pub(super) fn binary_op(op: ast::BinaryOp) -> BinaryOp {
    match op {
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Subtract => BinaryOp::Subtract,
        ast::BinaryOp::Multiply => BinaryOp::Multiply,
        ast::BinaryOp::Divide => BinaryOp::Divide,
        ast::BinaryOp::Remainder => BinaryOp::Remainder,
        ast::BinaryOp::BitAnd => BinaryOp::BitAnd,
        ast::BinaryOp::BitXor => BinaryOp::BitXor,
        ast::BinaryOp::BitOr => BinaryOp::BitOr,
        ast::BinaryOp::Greater => BinaryOp::Greater,
        ast::BinaryOp::Less => BinaryOp::Less,
        ast::BinaryOp::GreaterEqual => BinaryOp::GreaterEqual,
        ast::BinaryOp::LessEqual => BinaryOp::LessEqual,
        ast::BinaryOp::Equal => BinaryOp::Equal,
        ast::BinaryOp::NotEqual => BinaryOp::NotEqual,
        ast::BinaryOp::And => BinaryOp::And,
        ast::BinaryOp::Or => BinaryOp::Or,
        ast::BinaryOp::ShiftLeft => BinaryOp::ShiftLeft,
        ast::BinaryOp::ShiftRight => BinaryOp::ShiftRight,
    }
}
