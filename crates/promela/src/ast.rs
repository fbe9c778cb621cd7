//! The syntax tree of a Promela program, as the user wrote it.
//!
//! It owns the shape of the language and nothing else: names are not resolved, types are not
//! checked, constants are not folded. Macros and inlines are already expanded: they are textual,
//! so a tree of their definitions would have no meaning; an inline call is kept as the block
//! its text stands for. It must not know the `model` crate.

use crate::source::Span;
use std::rc::Rc;

/// A name with the place where it stands.
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

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most are of the large kind")]
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

#[derive(Clone, Debug)]
pub struct Proctype {
    pub name: Ident,
    /// `active` or `active [n]`: how many instances start by themselves.
    pub active: Option<Active>,
    /// `D_proctype`: nondeterminism in it is an error.
    pub deterministic: bool,
    pub parameters: Vec<Declaration>,
    pub priority: Option<Expr>,
    pub provided: Option<Expr>,
    pub body: Block,
    /// From the first word to the closing brace.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Active {
    /// `None` for a plain `active`.
    pub count: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Init {
    pub priority: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

/// A `never` claim; `name` is absent for an anonymous one.
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

#[derive(Clone, Debug)]
pub struct Typedef {
    pub name: Ident,
    pub fields: Vec<Declaration>,
    pub span: Span,
}

/// `mtype = { a, b }` or `mtype:set = { a, b }`; names in textual order.
#[derive(Clone, Debug)]
pub struct MtypeDeclaration {
    pub set: Option<Ident>,
    pub names: Vec<Ident>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Hidden,
    Show,
    Local,
}

/// `byte x = 1, y[3]`: one type, several variables.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub visibility: Option<(Visibility, Span)>,
    pub ty: TypeName,
    pub variables: Vec<Variable>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TypeName {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// Its width stands at each variable (`unsigned x : 3`).
    Unsigned,
    Chan,
    /// `mtype` or `mtype:set`.
    Mtype(Option<Ident>),
    /// A typedef's name.
    User(Ident),
}

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

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most are of the large kind")]
pub enum Step {
    Declaration(Declaration),
    /// `xr q, r` or `xs q`
    Exclusive(Exclusive),
    Statement(Statement),
    /// `main unless escape`
    Unless(Statement, Statement),
}

#[derive(Clone, Debug)]
pub struct Exclusive {
    /// `xr` if true, `xs` if false.
    pub receive: bool,
    pub channels: Vec<Reference>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `label: statement`; a label before `}` or `;` labels a `skip` (a `Condition` of 1).
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
        /// `?<…>`: the message stays.
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
        /// Written inside an inline, where SPIN does not spread small ranges into an `if`.
        in_inline: bool,
        /// Written as `name : digits .. digits` on one line, without `_` in the name: only such a text
        /// does SPIN spread (outside of inlines), for it looks at the characters.
        literal: bool,
    },
    Condition(Expr),
    Else,
    Atomic(Block),
    DStep(Block),
    Block(Block),
    /// An inline call: the block its body stands for, parameters replaced.
    Inline {
        name: Ident,
        body: Block,
    },
    Print {
        /// The text between the quotes, escapes still as written.
        format: Rc<str>,
        arguments: Vec<Expr>,
    },
    PrintMtype(Expr),
    Assert(Expr),
    SetPriority(Expr, Expr),
}

#[derive(Clone, Debug)]
pub enum ForRange {
    /// `for (i : from .. to)`
    Values(Expr, Expr),
    /// `for (i in array)` or `for (m in channel)`
    In(Reference),
}

#[derive(Clone, Debug)]
pub enum ReceiveArgument {
    /// A variable to be set, `_`, or an mtype name to be matched.
    Reference(Reference),
    Constant(i32, Span),
    Eval(Expr),
}

/// `a[i].b.c[j]`
#[derive(Clone, Debug)]
pub struct Reference {
    /// Never empty.
    pub parts: Vec<Part>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Part {
    pub name: Ident,
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

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
    /// `P[pid]@label`; without `[pid]`, the only instance of P.
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
    /// Only in `ltl` blocks.
    TemporalUnary(TemporalUnaryOp, Box<Expr>),
    TemporalBinary(TemporalBinaryOp, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    Negate,
    Complement,
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelQuery {
    Len,
    Full,
    Empty,
    NotFull,
    NotEmpty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemporalUnaryOp {
    Next,
    Always,
    Eventually,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemporalBinaryOp {
    Until,
    WeakUntil,
    Release,
    Implies,
    Equivalent,
}
