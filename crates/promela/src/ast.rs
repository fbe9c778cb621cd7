//! The syntax tree of a Promela program, as the user wrote it.
//!
//! The tree owns the shape of the language: names are not resolved, types are not checked,
//! constants are not folded. Macros and inlines are already expanded, because they are textual:
//! an inline call is the block that its text parses to. It must not know the program IR.
#![allow(missing_docs, reason = "a field is named after the part of the grammar that it holds")]

use crate::source::Span;
use std::rc::Rc;

/// A name and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    pub text: Rc<str>,
    pub span: Span,
}

/// A whole program: its top-level units in textual order.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub units: Vec<Unit>,
}

/// A top-level unit.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most units are of the large variant")]
pub enum Unit {
    Proctype(Proctype),
    Init(Init),
    Never(Claim),
    Ltl(Ltl),
    Trace(EventTrace),
    Declaration(Declaration),
    Typedef(Typedef),
    Mtype(MtypeDeclaration),
}

/// A process type: `active [2] proctype P(byte a) { … }`.
#[derive(Clone, Debug)]
pub struct Proctype {
    pub name: Ident,
    /// `active` or `active [n]`: the number of instances that exist initially.
    pub active: Option<Active>,
    /// `D_proctype`: nondeterminism in its body is an error.
    pub deterministic: bool,
    pub parameters: Vec<Declaration>,
    pub priority: Option<Expr>,
    pub provided: Option<Expr>,
    pub body: Block,
    /// From the first keyword to the closing brace.
    pub span: Span,
}

/// The prefix `active` or `active [n]`.
#[derive(Clone, Debug)]
pub struct Active {
    /// `None` for a plain `active`.
    pub count: Option<Expr>,
    pub span: Span,
}

/// The `init` process.
#[derive(Clone, Debug)]
pub struct Init {
    pub priority: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

/// A `never` claim; an anonymous one has no name.
#[derive(Clone, Debug)]
pub struct Claim {
    pub name: Option<Ident>,
    pub body: Block,
    pub span: Span,
}

/// An `ltl` block. Temporal operators occur only in its expression.
#[derive(Clone, Debug)]
pub struct Ltl {
    pub name: Option<Ident>,
    pub formula: Expr,
    pub span: Span,
}

/// A `trace` or (`negated`) `notrace` block.
#[derive(Clone, Debug)]
pub struct EventTrace {
    pub negated: bool,
    pub body: Block,
    pub span: Span,
}

/// `typedef Name { fields }`
#[derive(Clone, Debug)]
pub struct Typedef {
    pub name: Ident,
    pub fields: Vec<Declaration>,
    pub span: Span,
}

/// `mtype = { a, b }` or `mtype:set = { a, b }`; the names are in textual order.
#[derive(Clone, Debug)]
pub struct MtypeDeclaration {
    pub set: Option<Ident>,
    pub names: Vec<Ident>,
    pub span: Span,
}

/// The prefix `hidden`, `show` or `local` of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Hidden,
    Show,
    Local,
}

/// `byte x = 1, y[3]`: one type and its variables.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub visibility: Option<(Visibility, Span)>,
    pub ty: TypeName,
    pub variables: Vec<Variable>,
    pub span: Span,
}

/// A type as written in a declaration.
#[derive(Clone, Debug)]
pub struct TypeName {
    pub kind: TypeKind,
    pub span: Span,
}

/// The type that a [`TypeName`] names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// Each variable has its own width (`unsigned x : 3`).
    Unsigned,
    Chan,
    /// `mtype` or `mtype:set`.
    Mtype(Option<Ident>),
    /// The name of a typedef.
    User(Ident),
}

/// One variable of a declaration.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Ident,
    /// `x : 3`
    pub width: Option<Expr>,
    /// `x[3]`
    pub length: Option<Expr>,
    pub initializer: Option<Initializer>,
    pub span: Span,
}

/// The initial value in a declaration.
#[derive(Clone, Debug)]
pub enum Initializer {
    Expr(Expr),
    /// `byte a[3] = { 1, 2, 3 }`
    List(Vec<Expr>),
    Channel(ChannelInitializer),
}

/// `[capacity] of { fields }`
#[derive(Clone, Debug)]
pub struct ChannelInitializer {
    pub capacity: Expr,
    pub fields: Vec<TypeName>,
    pub span: Span,
}

/// `{ step; step; … }`, or the sequence after `::` in a selection.
#[derive(Clone, Debug)]
pub struct Block {
    pub steps: Vec<Step>,
    pub span: Span,
}

/// One step of a block.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most steps are of the large variant")]
pub enum Step {
    Declaration(Declaration),
    /// `xr q, r` or `xs q`
    Exclusive(Exclusive),
    Statement(Statement),
    /// `main unless escape`
    Unless(Statement, Statement),
}

/// Channels declared for exclusive use.
#[derive(Clone, Debug)]
pub struct Exclusive {
    /// `true` for `xr`, `false` for `xs`.
    pub receive: bool,
    pub channels: Vec<Reference>,
    pub span: Span,
}

/// A statement and its position.
#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `label: statement`; a label before `}` or `;` labels a `skip` (the `Condition` 1).
    Labelled(Ident, Box<Statement>),
    Assign(Reference, Expr),
    Increment(Reference),
    Decrement(Reference),
    Send {
        channel: Reference,
        /// `!!`
        sorted: bool,
        arguments: Vec<Expr>,
    },
    Receive {
        channel: Reference,
        /// `??`
        random: bool,
        /// `?<…>`: the message remains in the channel.
        keep: bool,
        arguments: Vec<ReceiveArgument>,
    },
    If(Vec<Block>),
    Do(Vec<Block>),
    Break,
    Goto(Ident),
    For {
        variable: Reference,
        range: ForRange,
        body: Block,
    },
    Select {
        variable: Reference,
        from: Expr,
        to: Expr,
        /// Inside an inline: there SPIN does not expand small ranges into an `if`.
        in_inline: bool,
        /// Written as `name : digits .. digits` on one line, without `_` in the name. SPIN matches
        /// the characters and expands only this form (outside inlines).
        literal: bool,
    },
    Condition(Expr),
    Else,
    Atomic(Block),
    DStep(Block),
    Block(Block),
    /// An inline call: the block that its body parses to, with the arguments substituted.
    Inline {
        name: Ident,
        body: Block,
    },
    Print {
        /// The text between the quotes; escapes are kept as written.
        format: Rc<str>,
        arguments: Vec<Expr>,
    },
    PrintMtype(Expr),
    Assert(Expr),
    SetPriority(Expr, Expr),
}

/// The range of a `for` loop.
#[derive(Clone, Debug)]
pub enum ForRange {
    /// `for (i : from .. to)`
    Values(Expr, Expr),
    /// `for (i in array)` or `for (m in channel)`
    In(Reference),
}

/// One argument of a receive.
#[derive(Clone, Debug)]
pub enum ReceiveArgument {
    /// A variable to assign, `_`, or an mtype name to match.
    Reference(Reference),
    Constant(i32, Span),
    Eval(Expr),
}

/// A variable reference: `a[i].b.c[j]`
#[derive(Clone, Debug)]
pub struct Reference {
    /// Never empty.
    pub parts: Vec<Part>,
    pub span: Span,
}

/// One component of a [`Reference`].
#[derive(Clone, Debug)]
pub struct Part {
    pub name: Ident,
    pub index: Option<Box<Expr>>,
}

/// An expression and its position.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, character, `true`, `false` or `skip`.
    Constant(i32),
    /// A variable, an mtype name or a predefined name such as `_pid`.
    Reference(Reference),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(condition -> a : b)`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        proctype: Ident,
        arguments: Vec<Expr>,
        priority: Option<Box<Expr>>,
    },
    /// `len(q)`, `full(q)`, …
    Channel(ChannelQuery, Reference),
    /// `q?[…]`, `q??[…]`
    Poll {
        channel: Reference,
        random: bool,
        arguments: Vec<ReceiveArgument>,
    },
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    Timeout,
    /// `np_`
    NonProgress,
    /// `P[pid]@label`; without `[pid]`, the only instance of `P`.
    RemoteLabel {
        proctype: Ident,
        pid: Option<Box<Expr>>,
        label: Ident,
    },
    /// `P[pid]:variable[index]`
    RemoteVariable {
        proctype: Ident,
        pid: Option<Box<Expr>>,
        variable: Ident,
        index: Option<Box<Expr>>,
    },
    /// Only inside `ltl` blocks.
    TemporalUnary(TemporalUnaryOp, Box<Expr>),
    TemporalBinary(TemporalBinaryOp, Box<Expr>, Box<Expr>),
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    Negate,
    Complement,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitXor,
    BitOr,
    Greater,
    Less,
    GreaterEqual,
    LessEqual,
    Equal,
    NotEqual,
    And,
    Or,
    ShiftLeft,
    ShiftRight,
}

/// A query of a channel's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelQuery {
    Len,
    Full,
    Empty,
    NotFull,
    NotEmpty,
}

/// A unary temporal operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemporalUnaryOp {
    Next,
    Always,
    Eventually,
}

/// A binary temporal operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemporalBinaryOp {
    Until,
    WeakUntil,
    Release,
    Implies,
    Equivalent,
}
