//! Variables get their slots and initial values.
//!
//! A variable of a structure type becomes one IR variable per scalar field; the array lengths on
//! the path to the field are its dimensions.

use super::Lowering;
use crate::ast::{ChannelInitializer, Expr, Initializer, Visibility};
use crate::symbols::{LookupPoint, Scope, StructId, Type, VariableIndex};
use lariat_ir::expression::{Place as ModelPlace, Scope as ModelScope};
use lariat_ir::program::{Action, ChannelType, ChannelTypeId, FieldType, VariableId, Variables};
use std::collections::HashMap;

/// Limit on the elements of all variables of one scope. Larger states could not be stored in
/// useful numbers.
const MAX_ELEMENTS: u64 = 1 << 20;

/// Limit on the fields of a message, where each element of a structure counts.
const MAX_FIELDS: usize = 1 << 12;

/// A scalar field of a variable, or the variable itself.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The path of field indices from the variable to the scalar; empty for a scalar variable.
    pub path: Vec<usize>,
    pub id: VariableId,
    pub ty: Type,
    pub dimensions: Vec<u32>,
    pub initializer: Option<Initializer>,
}

/// The IR variables of each declared variable.
#[derive(Debug, Default)]
pub(super) struct Slots {
    leaves: HashMap<VariableIndex, Vec<Leaf>>,
    /// The variables of each body, parameters first.
    pub locals: HashMap<usize, Variables>,
}

impl Slots {
    pub fn leaves(&self, variable: VariableIndex) -> &[Leaf] {
        &self.leaves[&variable]
    }
}

impl Lowering<'_> {
    pub(super) fn assign_slots(&mut self) {
        for index in 0..self.bodies.len() {
            self.slots.locals.insert(index, Variables::default());
        }
        for index in 0..self.symbols.variables.len() {
            let index = VariableIndex(index);
            let variable = self.symbols.variable(index).clone();
            let mut leaves = Vec::new();
            let dimensions: Vec<u32> = variable.length.into_iter().collect();
            let mut name = variable.name.text.to_string();
            if variable.length.is_some() {
                name += "[]";
            }
            let root = Leaf {
                path: Vec::new(),
                id: VariableId(0),
                ty: variable.ty,
                dimensions,
                initializer: variable.initializer.clone(),
            };
            self.flatten(root, &name, &mut leaves);
            self.check_size(index, &mut leaves);
            let hidden = variable.visibility == Some(Visibility::Hidden);
            let scope = match variable.owner {
                None => &mut self.program.variables,
                Some(owner) => match self.slots.locals.get_mut(&owner) {
                    Some(locals) => locals,
                    None => continue,
                },
            };
            let mut placed = Vec::with_capacity(leaves.len());
            for (name, mut leaf) in leaves {
                let shown = if leaf.dimensions.is_empty() { name } else { trim_indices(name) };
                let (domain, meaning) = (leaf.ty.domain(), leaf.ty.meaning());
                leaf.id = scope.add(shown, leaf.dimensions.clone(), domain, meaning, hidden);
                placed.push(leaf);
            }
            self.slots.leaves.insert(index, placed);
        }
    }

    /// Reports variables that are too large for any state, and shrinks them so that lowering can
    /// continue.
    fn check_size(&mut self, index: VariableIndex, leaves: &mut [(String, Leaf)]) {
        let variable = self.symbols.variable(index);
        let elements = |leaf: &Leaf| {
            leaf.dimensions
                .iter()
                .fold(1u64, |product, &length| product.saturating_mul(u64::from(length)))
        };
        let new = leaves.iter().fold(0u64, |sum, (_, leaf)| sum.saturating_add(elements(leaf)));
        let scope = match variable.owner {
            None => &self.program.variables,
            Some(owner) => &self.slots.locals[&owner],
        };
        if new.saturating_add(scope.slot_count() as u64) <= MAX_ELEMENTS {
            return;
        }
        for (_, leaf) in leaves {
            leaf.dimensions.fill(1);
        }
        let (name, span) = (variable.name.text.clone(), variable.name.span);
        let message = format!("`{name}` is too large: it has {new} elements");
        self.error(
            span,
            message,
            format!("the variables of one process can have at most {MAX_ELEMENTS} in total"),
        );
    }

    fn flatten(&self, leaf: Leaf, name: &str, out: &mut Vec<(String, Leaf)>) {
        let Type::Struct(id) = leaf.ty else {
            out.push((name.to_string(), leaf));
            return;
        };
        for (index, field) in self.symbols.structure(id).fields.iter().enumerate() {
            let mut inner =
                Leaf { ty: field.ty, initializer: field.initializer.clone(), ..leaf.clone() };
            inner.path.push(index);
            inner.dimensions.extend(field.length);
            let brackets = if field.length.is_some() { "[]" } else { "" };
            self.flatten(inner, &format!("{name}.{}{brackets}", field.name), out);
        }
    }

    /// Initial values of the globals in SPIN's order: type by type, each in textual order.
    pub(super) fn lower_globals(&mut self) {
        let mut globals: Vec<VariableIndex> = (0..self.symbols.variables.len())
            .map(VariableIndex)
            .filter(|&index| self.symbols.variable(index).owner.is_none())
            .collect();
        globals.sort_by_key(|&index| self.symbols.variable(index).ty.initialization_rank());
        let mut prologue = Vec::new();
        for index in globals {
            let place = LookupPoint { owner: None, scope: Scope::default(), declared: index.0 };
            self.initialize(index, &place, &mut prologue);
        }
        self.program.prologue = prologue;
    }

    /// Initial values of a body's locals, in order of declaration.
    pub(super) fn prologue(&mut self, body: usize) -> Vec<Action> {
        let mut prologue = Vec::new();
        for index in (0..self.symbols.variables.len()).map(VariableIndex) {
            let variable = self.symbols.variable(index);
            if variable.owner == Some(body) && !variable.is_parameter {
                let place = LookupPoint {
                    owner: Some(body),
                    scope: variable.scope.clone(),
                    declared: index.0,
                };
                self.initialize(index, &place, &mut prologue);
            }
        }
        prologue
    }

    pub(super) fn parameter_count(&self, body: usize) -> u32 {
        let parameters = self
            .symbols
            .variables
            .iter()
            .enumerate()
            .filter(|(_, variable)| variable.owner == Some(body) && variable.is_parameter);
        parameters.map(|(index, _)| self.slots.leaves(VariableIndex(index)).len() as u32).sum()
    }

    fn initialize(&mut self, index: VariableIndex, place: &LookupPoint, out: &mut Vec<Action>) {
        let variable = self.symbols.variable(index).clone();
        let scope = if variable.owner.is_some() { ModelScope::Local } else { ModelScope::Global };
        for leaf in self.slots.leaves(index).to_vec() {
            let Some(initializer) = &leaf.initializer else { continue };
            let channel_type = match initializer {
                Initializer::Channel(channel) => {
                    if leaf.ty != Type::Chan {
                        continue;
                    }
                    match self.channel_type(&variable.name.text, channel) {
                        Some(id) => Some(id),
                        None => continue,
                    }
                }
                _ => None,
            };
            for element in 0..leaf.dimensions.iter().product::<u32>() {
                let target = ModelPlace {
                    scope,
                    variable: leaf.id,
                    indices: constant_indices(&leaf.dimensions, element),
                };
                let value: &Expr = match (initializer, channel_type) {
                    (_, Some(channel_type)) => {
                        out.push(Action::NewChannel { place: target, channel_type });
                        continue;
                    }
                    (Initializer::Expr(value), _) => value,
                    // The last value of a list that is too short is repeated.
                    (Initializer::List(list), _) => {
                        match list.get(element as usize).or(list.last()) {
                            Some(value) => value,
                            None => continue,
                        }
                    }
                    (Initializer::Channel(_), None) => continue,
                };
                let span = value.span;
                let value = self.expr(value, place);
                if variable.owner.is_none() && value.any(&needs_process) {
                    self.error(
                        span,
                        "this expression has no value before a process runs",
                        "the initial value of a global must not depend on it",
                    );
                }
                out.push(Action::Assign(vec![(target, value)]));
            }
        }
    }

    fn channel_type(&mut self, name: &str, channel: &ChannelInitializer) -> Option<ChannelTypeId> {
        let capacity = self.constant_value(&channel.capacity)?;
        let mut fields = Vec::new();
        for field in &channel.fields {
            match self.symbols.resolve_type(&field.kind, 16) {
                Ok(Type::Struct(id)) => {
                    if !self.message_fields(id, &mut fields) {
                        let message = format!("a message can have at most {MAX_FIELDS} fields");
                        self.error(field.span, message, "each array element counts as one field");
                        return None;
                    }
                }
                Ok(Type::Unsigned(_)) => {
                    self.error(
                        field.span,
                        "`unsigned` cannot be a message field",
                        "use byte, short or int",
                    );
                }
                Ok(ty) => fields.push(FieldType { domain: ty.domain(), meaning: ty.meaning() }),
                Err(name) => {
                    let message = format!("there is no type `{}`", name.text);
                    self.error(name.span, message, "not declared before this point");
                }
            }
        }
        if fields.is_empty() {
            return None;
        }
        let channel_type = ChannelType {
            name: name.into(),
            capacity: capacity.clamp(0, super::MAX_CAPACITY) as u32,
            fields,
        };
        self.program.channel_types.push(channel_type);
        Some(ChannelTypeId(self.program.channel_types.len() as u32 - 1))
    }

    /// Appends the fields of a structure; `false` if the message becomes too long.
    fn message_fields(&self, id: StructId, out: &mut Vec<FieldType>) -> bool {
        for field in &self.symbols.structure(id).fields {
            match field.ty {
                Type::Struct(inner) => {
                    if !self.message_fields(inner, out) {
                        return false;
                    }
                }
                ty => {
                    let count = field.length.unwrap_or(1) as usize;
                    if out.len() + count > MAX_FIELDS {
                        return false;
                    }
                    let field = FieldType { domain: ty.domain(), meaning: ty.meaning() };
                    out.extend(std::iter::repeat_n(field, count));
                }
            }
        }
        true
    }
}

/// Whether the expression has a value only while processes run.
fn needs_process(expr: &lariat_ir::Expr) -> bool {
    use lariat_ir::Expr::{Enabled, Last, NonProgress, Pid, Spawned, Timeout};
    matches!(expr, Enabled(_) | Last | NonProgress | Pid | Spawned | Timeout)
}

/// The indices, in all dimensions, of the element with this row-major number.
pub(super) fn constant_indices(dimensions: &[u32], element: u32) -> Vec<lariat_ir::Expr> {
    let mut rest = element;
    let mut indices: Vec<lariat_ir::Expr> = dimensions
        .iter()
        .rev()
        .map(|&dimension| {
            let index = rest % dimension;
            rest /= dimension;
            lariat_ir::Expr::Const(index as i32)
        })
        .collect();
    indices.reverse();
    indices
}

/// Removes trailing brackets, which are implied.
fn trim_indices(name: String) -> String {
    name.trim_end_matches("[]").to_string()
}
