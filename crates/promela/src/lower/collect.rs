//! The first pass: declares names and turns bodies into elements, in textual order.

use super::{BodySource, Collected, Lowering};
use crate::ast::{self, Declaration, ExprKind, Ident, Initializer, Reference, TypeKind};
use crate::diagnostic::Diagnostic;
use crate::flow::build::{DeclarationSink, LoopRange, build};
use crate::suggest::closest;
use crate::symbols::{DeclaredVariable, Field, LookupPoint, Owner, Scope, Type};
use std::rc::Rc;

impl<'a> Lowering<'a> {
    pub(super) fn collect(&mut self, tree: &'a ast::Program) {
        self.number_bodies(tree);
        let mut nevers = 0;
        for unit in &tree.units {
            match unit {
                ast::Unit::Mtype(declaration) => {
                    let set = self.symbols.name_set(declaration.set.as_ref().map(|set| &*set.text));
                    for name in self.symbols.add_mtype(set, &declaration.names) {
                        self.error(
                            name.span,
                            format!("`{}` is already an mtype name", name.text),
                            "again here",
                        );
                    }
                    let count = self.symbols.name_sets[set.index()].names.len();
                    if count > 255 {
                        let message = format!("{count} mtype names, but at most 255 are possible");
                        self.error(declaration.span, message, "too many");
                    }
                }
                ast::Unit::Typedef(typedef) => self.typedef(typedef),
                ast::Unit::Declaration(declaration) => {
                    self.declare(declaration, None, &Scope::default(), true);
                }
                ast::Unit::Proctype(proctype) => {
                    let owner = Some(self.bodies.len());
                    for parameter in &proctype.parameters {
                        self.parameter(parameter, owner);
                    }
                    let name = proctype.name.text.clone();
                    self.body(BodySource::Proctype(proctype), name, &proctype.body);
                }
                ast::Unit::Init(init) => {
                    self.body(BodySource::Init(init), "init".into(), &init.body)
                }
                ast::Unit::Never(claim) => {
                    let name = match &claim.name {
                        Some(name) => name.text.clone(),
                        None => format!("never_{nevers}").into(),
                    };
                    nevers += 1;
                    self.body(BodySource::Never(claim), name, &claim.body);
                }
                ast::Unit::Trace(trace) => {
                    let name = if trace.negated { ":notrace:" } else { ":trace:" };
                    self.body(BodySource::Trace(trace), name.into(), &trace.body);
                }
                ast::Unit::Ltl(_) => {}
            }
        }
        // SPIN reads formulas after everything else.
        for unit in &tree.units {
            let ast::Unit::Ltl(ltl) = unit else { continue };
            let mut labels = Vec::new();
            crate::ast_walk::in_expr(&ltl.formula, &mut |expr| {
                if let ExprKind::RemoteLabel { proctype, label, .. } = &expr.kind {
                    labels.push((proctype.text.clone(), label.text.clone()));
                }
            });
            for (proctype, label) in labels {
                self.keep_labelled_jump(&proctype, &label);
            }
        }
    }

    /// Proctypes may be started before their definition, so their numbers are needed first.
    fn number_bodies(&mut self, tree: &'a ast::Program) {
        let mut index = 0;
        let mut process_types = 0;
        for unit in &tree.units {
            match unit {
                ast::Unit::Proctype(proctype) => {
                    let name = &proctype.name;
                    if self.proctypes.insert(name.text.clone(), index).is_some() {
                        self.error(
                            name.span,
                            format!("proctype `{}` is defined twice", name.text),
                            "again here",
                        );
                    }
                }
                ast::Unit::Init(_) | ast::Unit::Never(_) | ast::Unit::Trace(_) => {}
                _ => continue,
            }
            if matches!(unit, ast::Unit::Proctype(_) | ast::Unit::Init(_)) {
                self.process_type_ids
                    .insert(index, lariat_ir::program::ProcessTypeId(process_types));
                process_types += 1;
            }
            index += 1;
        }
    }

    fn body(&mut self, unit: BodySource<'a>, name: Rc<str>, block: &ast::Block) {
        let owner = self.bodies.len();
        let is_claim = matches!(unit, BodySource::Never(_));
        let place = LookupPoint {
            owner: Some(owner),
            scope: Scope::default(),
            declared: self.symbols.variables.len(),
        };
        let body = build(self, block, Some(owner), is_claim);
        let exclusive = std::mem::take(&mut self.exclusive);
        if let (BodySource::Never(_) | BodySource::Trace(_), Some(local)) =
            (&unit, self.symbols.variables.iter().find(|variable| variable.owner == Some(owner)))
        {
            let span = local.name.span;
            self.error(span, "a claim cannot declare variables", "declare it globally");
        }
        self.bodies.push(Collected {
            unit,
            name,
            body,
            exclusive,
            place,
            table: None,
            locations: Default::default(),
        });
        let labels: Vec<(Rc<str>, Rc<str>)> = self.label_references(block);
        for (proctype, label) in labels {
            self.keep_labelled_jump(&proctype, &label);
        }
    }

    fn typedef(&mut self, typedef: &ast::Typedef) {
        let mut fields: Vec<Field> = Vec::new();
        for declaration in &typedef.fields {
            for variable in &declaration.variables {
                let Some((ty, length)) = self.variable_type(declaration, variable) else {
                    continue;
                };
                if fields.iter().any(|field| field.name == variable.name.text) {
                    let message = format!("field `{}` is declared twice", variable.name.text);
                    self.error(variable.name.span, message, "again here");
                    continue;
                }
                fields.push(Field {
                    name: variable.name.text.clone(),
                    ty,
                    length,
                    initializer: variable.initializer.clone(),
                });
            }
        }
        if self.symbols.struct_named(&typedef.name.text).is_some() {
            let message = format!("type `{}` is defined twice", typedef.name.text);
            self.error(typedef.name.span, message, "again here");
        }
        self.symbols.add_struct(typedef.name.text.clone(), fields);
    }

    fn parameter(&mut self, declaration: &Declaration, owner: Owner) {
        for variable in &declaration.variables {
            if let Some(length) = &variable.length {
                self.error(length.span, "a parameter cannot be an array", "not allowed here");
            }
            if variable.initializer.is_some() {
                self.error(
                    variable.span,
                    "a parameter cannot have an initialiser",
                    "not allowed here",
                );
            }
        }
        self.declare_variables(declaration, owner, &Scope::default(), true, true);
    }

    fn declare_variables(
        &mut self,
        declaration: &Declaration,
        owner: Owner,
        scope: &Scope,
        initial: bool,
        is_parameter: bool,
    ) {
        for variable in &declaration.variables {
            let Some((ty, length)) = self.variable_type(declaration, variable) else { continue };
            self.check_initializer(variable, ty, length);
            let visibility = declaration.visibility.map(|(visibility, _)| visibility);
            if visibility == Some(ast::Visibility::Hidden) {
                if owner.is_some() {
                    self.error(
                        variable.span,
                        "only global variables can be hidden",
                        "this one is local",
                    );
                } else if matches!(ty, Type::Bit | Type::Bool | Type::Chan) {
                    self.error(variable.span, "bits and channels cannot be hidden", "not allowed");
                }
            }
            let symbol = DeclaredVariable {
                name: variable.name.clone(),
                owner,
                scope: scope.clone(),
                ty,
                length,
                visibility,
                is_parameter,
                initializer: if initial { variable.initializer.clone() } else { None },
            };
            if self.symbols.mtype(&variable.name.text).is_some() {
                let message = format!("`{}` is already an mtype name", variable.name.text);
                self.error(variable.name.span, message, "choose another name");
            }
            let place =
                LookupPoint { owner, scope: scope.clone(), declared: self.symbols.variables.len() };
            if let Some(other) = self.symbols.lookup(&variable.name.text, &place) {
                // As in SPIN, an inner variable must not shadow an outer one.
                let first = self.symbols.variable(other).name.span;
                self.report(
                    Diagnostic::error(format!("`{}` is declared twice", variable.name.text))
                        .at(variable.name.span, "declared again here")
                        .also(first, "first declared here, and still visible"),
                );
            }
            let _ = self.symbols.declare(symbol);
        }
    }

    fn check_initializer(&mut self, variable: &ast::Variable, ty: Type, length: Option<u32>) {
        match &variable.initializer {
            Some(Initializer::Channel(channel)) => {
                if ty != Type::Chan {
                    let message = format!("`{}` is not a channel", variable.name.text);
                    self.error(channel.span, message, "this initialiser creates a channel");
                }
                match self.constant_value(&channel.capacity) {
                    Some(0..=super::MAX_CAPACITY) => {}
                    Some(value) => {
                        let message = format!("a channel cannot hold {value} messages");
                        self.error(
                            channel.capacity.span,
                            message,
                            format!("must be in 0..{}", super::MAX_CAPACITY),
                        );
                    }
                    None => self.error(
                        channel.capacity.span,
                        "the capacity of a channel must be a constant",
                        "not a constant",
                    ),
                }
            }
            Some(Initializer::List(_)) if length.is_none() => {
                let message = format!("`{}` is not an array", variable.name.text);
                self.error(variable.span, message, "a list can only initialise an array");
            }
            _ => {}
        }
    }

    /// The type and array length of a declared variable.
    fn variable_type(
        &mut self,
        declaration: &Declaration,
        variable: &ast::Variable,
    ) -> Option<(Type, Option<u32>)> {
        let mut width = 16;
        match &variable.width {
            Some(expr) if declaration.ty.kind == TypeKind::Unsigned => {
                match self.constant_value(expr) {
                    Some(value @ 1..=31) => width = value as u8,
                    _ => self.error(
                        expr.span,
                        "the width of an unsigned must be in 1..31",
                        "not a valid width",
                    ),
                }
            }
            Some(expr) => {
                self.error(expr.span, "only `unsigned` variables have a width", "not allowed here");
            }
            None if declaration.ty.kind == TypeKind::Unsigned => self.report(
                Diagnostic::error(format!(
                    "unsigned variable `{}` has no width",
                    variable.name.text
                ))
                .at(variable.span, "expected a width, as in `unsigned x : 5`"),
            ),
            None => {}
        }
        let ty = match self.symbols.resolve_type(&declaration.ty.kind, width) {
            Ok(ty) => ty,
            Err(name) => {
                let names: Vec<&str> = self.symbols.structs.iter().map(|s| &*s.name).collect();
                let help = closest(&name.text, names.iter().copied())
                    .map(|n| format!("did you mean `{n}`?"));
                let diagnostic = Diagnostic::error(format!("there is no type `{}`", name.text))
                    .at(name.span, "not declared before this point")
                    .maybe_help(help);
                self.report(diagnostic);
                return None;
            }
        };
        let length = match &variable.length {
            None => None,
            Some(expr) => match self.constant_value(expr) {
                Some(length @ 1..) => Some(length as u32),
                Some(value) => {
                    self.error(
                        expr.span,
                        format!("an array cannot have {value} elements"),
                        "must be positive",
                    );
                    Some(1)
                }
                None => {
                    self.error(
                        expr.span,
                        "the length of an array must be a constant",
                        "not a constant",
                    );
                    Some(1)
                }
            },
        };
        Some((ty, length))
    }

    /// A remote reference to the label of a jump makes SPIN keep the jump as a step of its own.
    fn keep_labelled_jump(&mut self, proctype: &str, label: &str) {
        let number = self.next_element;
        let Some(&index) = self.proctypes.get(proctype) else { return };
        let Some(collected) = self.bodies.get_mut(index) else { return };
        if collected.body.keep_jump(label, number) {
            self.next_element += 1;
        }
    }

    /// The labels of other processes that a block refers to.
    fn label_references(&self, block: &ast::Block) -> Vec<(Rc<str>, Rc<str>)> {
        let mut found = Vec::new();
        crate::ast_walk::expressions(block, &mut |expr| {
            if let ExprKind::RemoteLabel { proctype, label, .. } = &expr.kind {
                found.push((proctype.text.clone(), label.text.clone()));
            }
        });
        found
    }
}

impl DeclarationSink for Lowering<'_> {
    fn declare(&mut self, declaration: &Declaration, owner: Owner, scope: &Scope, initial: bool) {
        self.declare_variables(declaration, owner, scope, initial, false);
    }

    fn loop_counter(&mut self, channel: &Reference, owner: Owner, scope: &Scope) -> Ident {
        let name = Ident { text: "_loop_counter".into(), span: channel.span };
        let place =
            LookupPoint { owner, scope: scope.clone(), declared: self.symbols.variables.len() };
        let capacity =
            self.symbols.lookup(&channel.parts[0].name.text, &place).and_then(|index| match &self
                .symbols
                .variable(index)
                .initializer
            {
                Some(Initializer::Channel(channel)) => self.constant_value(&channel.capacity),
                _ => None,
            });
        let ty = if capacity.unwrap_or(0) > 255 { Type::Short } else { Type::Byte };
        // A second loop in the same block shares the counter, as in SPIN.
        let _ = self.symbols.declare(DeclaredVariable {
            name: name.clone(),
            owner,
            scope: scope.clone(),
            ty,
            length: None,
            visibility: None,
            is_parameter: false,
            initializer: None,
        });
        name
    }

    fn loop_range(
        &mut self,
        variable: &Reference,
        range: &Reference,
        place: &LookupPoint,
    ) -> LoopRange {
        let mut declared = |reference: &Reference| {
            let name = &reference.parts[0].name;
            let found = self.symbols.lookup(&name.text, place);
            if found.is_none() {
                self.undeclared(name, place);
            }
            found.map(|index| self.symbols.variable(index).clone())
        };
        let (Some(counter), Some(over)) = (declared(variable), declared(range)) else {
            return LoopRange::InvalidToken;
        };
        let indexed = range.parts[0].index.is_some();
        match (matches!(counter.ty, Type::Struct(_)), over.length) {
            (true, _) if over.ty == Type::Chan && over.length.is_some() == indexed => {
                LoopRange::Channel
            }
            (false, Some(length)) if !indexed => LoopRange::Array(length),
            (true, _) => {
                let message = "a loop whose variable is a structure must iterate over a channel";
                self.error(range.span, message, "not a channel");
                LoopRange::InvalidToken
            }
            (false, _) => {
                self.report(
                    Diagnostic::error("this loop must iterate over an array").at(range.span, "not an array").help(
                        "to iterate over the messages of a channel, use a variable of the typedef that the channel carries",
                    ),
                );
                LoopRange::InvalidToken
            }
        }
    }

    fn exclusive(&mut self, exclusive: &ast::Exclusive, place: LookupPoint) {
        self.exclusive.push((exclusive.clone(), place));
    }

    fn has_exclusive(&self) -> bool {
        !self.exclusive.is_empty() || self.bodies.iter().any(|body| !body.exclusive.is_empty())
    }

    fn declared(&self) -> usize {
        self.symbols.variables.len()
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn next_number(&mut self) -> u32 {
        self.next_element += 1;
        self.next_element - 1
    }
}
