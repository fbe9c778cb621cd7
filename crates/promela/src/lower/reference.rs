//! Resolution of `a[i].b` to an IR place, or to a list of places when it names a structure.

use super::Lowering;
use super::variables::{Leaf, constant_indices};
use crate::ast::{Expr, ExprKind, Ident, Part, Reference};
use crate::diagnostic::Diagnostic;
use crate::suggest::closest;
use crate::symbols::{LookupPoint, Type, VariableIndex, initial_expr};
use lariat_ir::expression::{Place as ModelPlace, Scope as ModelScope};

/// A resolved reference.
pub(super) struct Resolved {
    pub variable: VariableIndex,
    scope: ModelScope,
    path: Vec<usize>,
    indices: Vec<lariat_ir::Expr>,
    pub ty: Type,
    /// The reference names an array, not an element.
    missing_index: bool,
}

impl Lowering<'_> {
    pub(super) fn undeclared(&mut self, name: &Ident, place: &LookupPoint) {
        if self.reported.contains(&name.text) {
            return;
        }
        self.reported.push(name.text.clone());
        let is_proctype = self.proctypes.contains_key(&name.text);
        let help = if is_proctype {
            Some(format!("`{}` is a proctype; start it with `run {}(…)`", name.text, name.text))
        } else {
            closest(&name.text, self.symbols.visible_names(place))
                .map(|other| format!("did you mean `{other}`?"))
        };
        let later = self.symbols.variables.iter().find(|variable| {
            variable.name.text == name.text
                && (variable.owner.is_none() || variable.owner == place.owner)
        });
        let mut diagnostic = Diagnostic::error(format!("`{}` is not declared", name.text))
            .at(name.span, "not found in this scope");
        match later {
            Some(later) => {
                diagnostic = diagnostic
                    .also(later.name.span, "declared here: after this use, or in another block")
            }
            None => diagnostic = diagnostic.maybe_help(help),
        }
        self.report(diagnostic);
    }

    /// Resolves a reference; reports errors and then returns `None`.
    pub(super) fn resolve(
        &mut self,
        reference: &Reference,
        place: &LookupPoint,
    ) -> Option<Resolved> {
        let first = &reference.parts[0];
        let Some(index) = self.symbols.lookup(&first.name.text, place) else {
            self.undeclared(&first.name, place);
            return None;
        };
        let variable = self.symbols.variable(index);
        let scope = if variable.owner.is_some() { ModelScope::Local } else { ModelScope::Global };
        let (ty, length) = (variable.ty, variable.length);
        let mut resolved = Resolved {
            variable: index,
            scope,
            path: Vec::new(),
            indices: Vec::new(),
            ty,
            missing_index: false,
        };
        self.index(&mut resolved, first, length, place)?;
        for part in &reference.parts[1..] {
            let Type::Struct(id) = resolved.ty else {
                let message = format!("`{}` has no fields", first.name.text);
                self.error(part.name.span, message, "not a structure");
                return None;
            };
            let structure = self.symbols.structure(id);
            let Some(field) =
                structure.fields.iter().position(|field| field.name == part.name.text)
            else {
                let names: Vec<&str> = structure.fields.iter().map(|field| &*field.name).collect();
                let help = closest(&part.name.text, names.iter().copied())
                    .map(|n| format!("did you mean `{n}`?"));
                let message =
                    format!("type `{}` has no field `{}`", structure.name, part.name.text);
                self.report(
                    Diagnostic::error(message).at(part.name.span, "unknown field").maybe_help(help),
                );
                return None;
            };
            let (ty, length) = (structure.fields[field].ty, structure.fields[field].length);
            resolved.path.push(field);
            resolved.ty = ty;
            self.index(&mut resolved, part, length, place)?;
        }
        Some(resolved)
    }

    fn index(
        &mut self,
        resolved: &mut Resolved,
        part: &Part,
        length: Option<u32>,
        place: &LookupPoint,
    ) -> Option<()> {
        if resolved.missing_index {
            self.error(part.name.span, "missing array index before this field", "which element?");
            return None;
        }
        match (&part.index, length) {
            (Some(index), Some(length)) => {
                // A variable with a known initial value may have been modified.
                if is_literal(index)
                    && let Some(value) = self.constant_value(index)
                    && !(0..length as i32).contains(&value)
                {
                    let message =
                        format!("index {value} is out of bounds for `{}`", part.name.text);
                    self.report(
                        Diagnostic::warning(message)
                            .at(index.span, format!("valid indices are 0 to {}", length - 1)),
                    );
                }
                let index = self.expr(index, place);
                resolved.indices.push(index);
            }
            (Some(index), None) => match self.constant_value(index) {
                Some(0) => {}
                _ => {
                    let message = format!("`{}` is not an array", part.name.text);
                    self.error(index.span, message, "only arrays can be indexed");
                    return None;
                }
            },
            (None, Some(_)) => resolved.missing_index = true,
            (None, None) => {}
        }
        Some(())
    }

    /// The IR place of a scalar.
    pub(super) fn scalar(
        &mut self,
        reference: &Reference,
        place: &LookupPoint,
    ) -> Option<(ModelPlace, Type)> {
        let resolved = self.resolve(reference, place)?;
        if resolved.missing_index {
            let name = &reference.parts[reference.parts.len() - 1].name.text;
            self.report(
                Diagnostic::error(format!("missing array index: `{name}` is an array"))
                    .at(reference.span, "which element?"),
            );
            return None;
        }
        if let Type::Struct(id) = resolved.ty {
            let name = self.symbols.structure(id).name.clone();
            self.report(
                Diagnostic::error("a whole structure cannot be used here")
                    .at(reference.span, format!("this is a `{name}`; name one of its fields")),
            );
            return None;
        }
        let leaf =
            self.slots.leaves(resolved.variable).iter().find(|leaf| leaf.path == resolved.path)?;
        let place =
            ModelPlace { scope: resolved.scope, variable: leaf.id, indices: resolved.indices };
        Some((place, resolved.ty))
    }

    /// The IR places of a scalar, or of all scalars of a structure in message order.
    pub(super) fn scalars(
        &mut self,
        reference: &Reference,
        place: &LookupPoint,
    ) -> Option<Vec<(ModelPlace, Type)>> {
        let resolved = self.resolve(reference, place)?;
        if !matches!(resolved.ty, Type::Struct(_)) || resolved.missing_index {
            return self.scalar(reference, place).map(|single| vec![single]);
        }
        let mut places = Vec::new();
        let leaves: Vec<Leaf> = self.slots.leaves(resolved.variable).to_vec();
        for leaf in leaves.iter().filter(|leaf| leaf.path.starts_with(&resolved.path)) {
            let rest = &leaf.dimensions[resolved.indices.len()..];
            for element in 0..rest.iter().product::<u32>() {
                let mut indices = resolved.indices.clone();
                indices.extend(constant_indices(rest, element));
                places.push((
                    ModelPlace { scope: resolved.scope, variable: leaf.id, indices },
                    leaf.ty,
                ));
            }
        }
        Some(places)
    }

    /// The value of a reference that is used as a channel.
    pub(super) fn channel_expr(
        &mut self,
        reference: &Reference,
        place: &LookupPoint,
    ) -> Option<lariat_ir::Expr> {
        let (channel, ty) = self.scalar(reference, place)?;
        if ty != Type::Chan {
            // SPIN accepts any number as a channel; at run time it must be a channel's number.
            let variable = &reference.parts[0].name.text;
            self.report(
                Diagnostic::warning(format!("`{variable}` is not declared as a channel"))
                    .at(reference.span, "used as one here"),
            );
        }
        Some(lariat_ir::Expr::Read(channel))
    }

    /// The index of a proctype's body.
    pub(super) fn proctype_named(&mut self, name: &Ident) -> Option<usize> {
        if let Some(&index) = self.proctypes.get(&name.text) {
            return Some(index);
        }
        let names: Vec<String> = self.proctypes.keys().map(|name| name.to_string()).collect();
        let help = closest(&name.text, names.iter().map(String::as_str))
            .map(|n| format!("did you mean `{n}`?"));
        let message = format!("there is no proctype `{}`", name.text);
        self.report(Diagnostic::error(message).at(name.span, "not defined").maybe_help(help));
        None
    }

    /// The value of a compile-time constant expression.
    pub(super) fn constant_value(&self, expr: &Expr) -> Option<i32> {
        match &expr.kind {
            ExprKind::Constant(value) => Some(*value),
            ExprKind::Unary(op, operand) => {
                Some(super::expression::unary_op(*op).apply(self.constant_value(operand)?))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.constant_value(left)?, self.constant_value(right)?);
                super::expression::binary_op(*op).apply(left, right).ok()
            }
            ExprKind::Reference(reference) => match &reference.parts[..] {
                [Part { name, index: None }] => match self.symbols.mtype(&name.text) {
                    Some((_, value)) => Some(value),
                    None => self.initialized_constant(name),
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// SPIN accepts a global with a constant initialiser as a constant in array lengths.
    fn initialized_constant(&self, name: &Ident) -> Option<i32> {
        let place = LookupPoint {
            owner: None,
            scope: Default::default(),
            declared: self.symbols.variables.len(),
        };
        let index = self.symbols.lookup(&name.text, &place)?;
        let initializer = initial_expr(&self.symbols.variable(index).initializer)?;
        match initializer.kind {
            ExprKind::Constant(value) => Some(value),
            _ => None,
        }
    }
}

/// Whether the expression contains only literal numbers.
fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) => true,
        ExprKind::Unary(_, operand) => is_literal(operand),
        ExprKind::Binary(_, left, right) => is_literal(left) && is_literal(right),
        _ => false,
    }
}
