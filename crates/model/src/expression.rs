//! Expressions of the IR. Values are 32-bit integers; arithmetic wraps; truth is "not zero".
//!
//! An expression is read in the context of a state and of the process that evaluates it. It has no effect.

use crate::program::{LocationId, ProcessTypeId, VariableId};

/// A variable of the evaluating process or of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    Global,
    Local,
}

/// A place that can be read and written: a variable with one index per dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub scope: Scope,
    pub variable: VariableId,
    pub indices: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// 1 if zero, else 0.
    Not,
    Negate,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    /// Truncates toward zero.
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    /// Arithmetic.
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// The right side is evaluated only if needed.
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelQuery {
    Len,
    Full,
    Empty,
    NotFull,
    NotEmpty,
}

/// What a receive does with one field of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Store the field here.
    Bind(Place),
    /// Any value.
    Ignore,
    /// The field must equal the value of this expression.
    Match(Expr),
}

/// Which process a remote reference means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Remote {
    Pid(Box<Expr>),
    /// The process of this type with the lowest number.
    Only,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    Const(i32),
    Read(Place),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A question about the channel whose number the expression gives.
    Channel(ChannelQuery, Box<Expr>),
    /// Would a receive with these patterns find a message?
    Poll {
        channel: Box<Expr>,
        patterns: Vec<Pattern>,
        /// At any position, not only at the head.
        random: bool,
    },
    /// No step of the whole system is possible without this.
    Timeout,
    /// The number of the evaluating process.
    Pid,
    /// How many processes exist.
    ProcessCount,
    /// The process that made the last step; of a rendezvous, the receiver.
    Last,
    /// The process that made the last step with [`Last`](Expr::Last): the sender of a rendezvous, otherwise the same process.
    Partner,
    /// The process that the `run` of the same step created.
    Spawned,
    /// Can the process with this number make a step?
    Enabled(Box<Expr>),
    /// The program counter of the process with this number, as SPIN numbers locations.
    PcValue(Box<Expr>),
    Priority(Box<Expr>),
    /// No process is at a progress location.
    NonProgress,
    /// Is the process at this location?
    At {
        process_type: ProcessTypeId,
        process: Remote,
        location: LocationId,
    },
    /// A local variable of another process.
    ReadRemote {
        process_type: ProcessTypeId,
        process: Remote,
        variable: VariableId,
        indices: Vec<Expr>,
    },
}

impl Expr {
    pub const TRUE: Expr = Expr::Const(1);

    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
        Expr::Unary(op, Box::new(operand))
    }

    /// Calls `visit` on the direct subexpressions.
    pub fn for_each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        let remote = |process: &'a Remote, visit: &mut dyn FnMut(&'a Expr)| {
            if let Remote::Pid(pid) = process {
                visit(pid);
            }
        };
        match self {
            Expr::Const(_)
            | Expr::Timeout
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Partner
            | Expr::Spawned
            | Expr::NonProgress => {}
            Expr::Read(place) => place.indices.iter().for_each(visit),
            Expr::Unary(_, operand)
            | Expr::Channel(_, operand)
            | Expr::Enabled(operand)
            | Expr::PcValue(operand)
            | Expr::Priority(operand) => visit(operand),
            Expr::Binary(_, left, right) => {
                visit(left);
                visit(right);
            }
            Expr::Conditional(condition, yes, no) => {
                visit(condition);
                visit(yes);
                visit(no);
            }
            Expr::Poll { channel, patterns, .. } => {
                visit(channel);
                for pattern in patterns {
                    match pattern {
                        Pattern::Match(expr) => visit(expr),
                        Pattern::Bind(place) => place.indices.iter().for_each(&mut *visit),
                        Pattern::Ignore => {}
                    }
                }
            }
            Expr::At { process, .. } => remote(process, visit),
            Expr::ReadRemote { process, indices, .. } => {
                remote(process, visit);
                indices.iter().for_each(visit);
            }
        }
    }

    /// Can it be without a value in some state?
    pub fn may_fail(&self) -> bool {
        self.any(&Expr::own_failure)
    }

    /// Can it be without a value though all its parts have one?
    pub fn own_failure(&self) -> bool {
        match self {
            Expr::Read(Place { indices, .. }) | Expr::ReadRemote { indices, .. } => !indices.is_empty(),
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, divisor) => {
                !matches!(**divisor, Expr::Const(1..))
            }
            Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) => true,
            _ => false,
        }
    }

    /// Does `test` hold for this expression or one inside it?
    pub fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        if test(self) {
            return true;
        }
        let mut found = false;
        self.for_each_child(&mut |child| found = found || child.any(test));
        found
    }
}
