//! The symbol table of one program: types, mtype names, variables and their block scopes.
//!
//! It must not know the layout of variables in the program IR, which the lowering owns.

use crate::ast::{Expr, Ident, Initializer, TypeKind, Visibility};
use lariat_ir::Domain;
use lariat_ir::program::{Meaning, NameSetId};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The type of a variable or field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned(u8),
    Chan,
    Mtype(NameSetId),
    Struct(StructId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StructId(pub usize);

impl Type {
    /// The values of a scalar type; must not be called on a structure.
    pub fn domain(self) -> Domain {
        match self {
            Type::Bit | Type::Bool => Domain::BIT,
            Type::Byte | Type::Pid | Type::Chan | Type::Mtype(_) => Domain::BYTE,
            Type::Short => Domain::SHORT,
            Type::Int | Type::Struct(_) => Domain::INT,
            Type::Unsigned(bits) => Domain::unsigned(bits),
        }
    }

    pub fn meaning(self) -> Meaning {
        match self {
            Type::Bool => Meaning::Truth,
            Type::Pid => Meaning::Process,
            Type::Chan => Meaning::Channel,
            Type::Mtype(set) => Meaning::Name(set),
            _ => Meaning::Number,
        }
    }

    /// SPIN initialises globals type by type, in this order.
    pub fn initialization_rank(self) -> u8 {
        match self {
            Type::Unsigned(_) => 0,
            Type::Bit | Type::Bool => 1,
            Type::Byte | Type::Pid => 2,
            Type::Chan => 3,
            Type::Mtype(_) => 4,
            Type::Short => 5,
            Type::Int => 6,
            Type::Struct(_) => 7,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Struct {
    pub name: Rc<str>,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: Rc<str>,
    pub ty: Type,
    pub length: Option<u32>,
    pub initializer: Option<Initializer>,
}

/// A block: the path of block numbers from the proctype's body to the block.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Scope(pub Vec<u32>);

impl Scope {
    pub fn encloses(&self, inner: &Scope) -> bool {
        inner.0.starts_with(&self.0)
    }
}

/// The proctype (as index in the list of bodies) that a name belongs to; `None` for globals.
pub type Owner = Option<usize>;

/// A variable as declared.
#[derive(Clone, Debug)]
pub struct DeclaredVariable {
    pub name: Ident,
    pub owner: Owner,
    pub scope: Scope,
    pub ty: Type,
    pub length: Option<u32>,
    pub visibility: Option<Visibility>,
    pub is_parameter: bool,
    /// The value at process creation; absent for a declaration in the middle of a body, which is
    /// an assignment instead.
    pub initializer: Option<Initializer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableIndex(pub usize);

/// A point of the program at which a name is looked up: only earlier declarations are visible.
#[derive(Clone, Debug)]
pub struct LookupPoint {
    pub owner: Owner,
    pub scope: Scope,
    pub declared: usize,
}

#[derive(Debug, Default)]
pub struct Symbols {
    pub structs: Vec<Struct>,
    /// Variables in order of declaration.
    pub variables: Vec<DeclaredVariable>,
    pub name_sets: Vec<lariat_ir::program::NameSet>,
    mtypes: BTreeMap<Rc<str>, (NameSetId, i32)>,
    struct_names: HashMap<Rc<str>, StructId>,
    by_name: HashMap<Rc<str>, Vec<VariableIndex>>,
}

impl Symbols {
    pub fn struct_named(&self, name: &str) -> Option<StructId> {
        self.struct_names.get(name).copied()
    }

    pub fn structure(&self, id: StructId) -> &Struct {
        &self.structs[id.0]
    }

    pub fn add_struct(&mut self, name: Rc<str>, fields: Vec<Field>) {
        let id = StructId(self.structs.len());
        self.struct_names.insert(name.clone(), id);
        self.structs.push(Struct { name, fields });
    }

    /// The set with this name (`None` for the unnamed set), created on first use.
    pub fn name_set(&mut self, name: Option<&str>) -> NameSetId {
        let name = name.unwrap_or("mtype");
        let index = self.name_sets.iter().position(|set| set.name == name).unwrap_or_else(|| {
            let names = Vec::new();
            self.name_sets.push(lariat_ir::program::NameSet { name: name.into(), names });
            self.name_sets.len() - 1
        });
        NameSetId(index as u32)
    }

    /// Adds the names of one declaration: the last name gets the lowest number. Returns the names
    /// that existed before.
    pub fn add_mtype(&mut self, set: NameSetId, names: &[Ident]) -> Vec<Ident> {
        let mut repeated = Vec::new();
        for name in names.iter().rev() {
            let list = &mut self.name_sets[set.index()].names;
            list.push(name.text.to_string());
            let value = list.len() as i32;
            if self.mtypes.insert(name.text.clone(), (set, value)).is_some() {
                repeated.push(name.clone());
            }
        }
        repeated
    }

    pub fn mtype(&self, name: &str) -> Option<(NameSetId, i32)> {
        self.mtypes.get(name).copied()
    }

    /// Adds a variable; the error is an earlier variable of this name in the same block.
    pub fn declare(&mut self, variable: DeclaredVariable) -> Result<VariableIndex, VariableIndex> {
        let same = self.by_name.entry(variable.name.text.clone()).or_default();
        let clash = same.iter().copied().find(|&index| {
            let other = &self.variables[index.0];
            other.owner == variable.owner && other.scope == variable.scope
        });
        if let Some(index) = clash {
            return Err(index);
        }
        let index = VariableIndex(self.variables.len());
        same.push(index);
        self.variables.push(variable);
        Ok(index)
    }

    pub fn variable(&self, index: VariableIndex) -> &DeclaredVariable {
        &self.variables[index.0]
    }

    /// The variable that a name denotes: the innermost local one, otherwise a global.
    pub fn lookup(&self, name: &str, place: &LookupPoint) -> Option<VariableIndex> {
        let visible = |index: &&VariableIndex| {
            let variable = self.variable(**index);
            index.0 < place.declared
                && (variable.owner.is_none()
                    || variable.owner == place.owner && variable.scope.encloses(&place.scope))
        };
        let depth = |index: &&VariableIndex| {
            let variable = self.variable(**index);
            (variable.owner.is_some(), variable.scope.0.len(), index.0)
        };
        self.by_name.get(name)?.iter().filter(visible).max_by_key(depth).copied()
    }

    /// A local variable of a proctype, declared in any of its blocks.
    pub fn local(&self, owner: usize, name: &str) -> Option<VariableIndex> {
        let candidates = self.by_name.get(name)?;
        candidates.iter().copied().find(|&index| self.variable(index).owner == Some(owner))
    }

    /// Every name visible at a point, for suggestions.
    pub fn visible_names<'a>(&'a self, place: &'a LookupPoint) -> impl Iterator<Item = &'a str> {
        self.variables
            .iter()
            .take(place.declared)
            .filter(|variable| {
                variable.owner.is_none()
                    || variable.owner == place.owner && variable.scope.encloses(&place.scope)
            })
            .map(|variable| &*variable.name.text)
            .chain(self.mtypes.keys().map(|name| &**name))
    }

    /// The type that a declaration names; the error is an undeclared type name.
    pub fn resolve_type<'a>(&mut self, kind: &'a TypeKind, width: u8) -> Result<Type, &'a Ident> {
        Ok(match kind {
            TypeKind::Bit => Type::Bit,
            TypeKind::Bool => Type::Bool,
            TypeKind::Byte => Type::Byte,
            TypeKind::Pid => Type::Pid,
            TypeKind::Short => Type::Short,
            TypeKind::Int => Type::Int,
            TypeKind::Unsigned => Type::Unsigned(width),
            TypeKind::Chan => Type::Chan,
            TypeKind::Mtype(set) => Type::Mtype(self.name_set(set.as_ref().map(|set| &*set.text))),
            TypeKind::User(name) => Type::Struct(self.struct_named(&name.text).ok_or(name)?),
        })
    }
}

/// The expression of an initialiser, unless it is a list or creates a channel.
pub fn initial_expr(initializer: &Option<Initializer>) -> Option<&Expr> {
    match initializer {
        Some(Initializer::Expr(expr)) => Some(expr),
        _ => None,
    }
}
