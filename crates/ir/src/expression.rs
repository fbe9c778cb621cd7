//! Expressions of the IR. Values are 32-bit integers, arithmetic wraps, and every value but 0 is
//! true.
//!
//! An expression is evaluated in a state, usually by a process, and has no side effects.

use crate::error::RuntimeError;
use crate::program::{LocationId, ProcessTypeId, VariableId};

/// A variable of the evaluating process or of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The variables of the program.
    Global,
    /// The variables of the evaluating process.
    Local,
}

/// A variable or an element of an array, which can be read and written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where the variable is declared.
    pub scope: Scope,
    /// The variable.
    pub variable: VariableId,
    /// One index per dimension.
    pub indices: Vec<Expr>,
}

/// A unary operator.
#[allow(missing_docs, reason = "the variants are named after the operators")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// 1 if the operand is 0, otherwise 0.
    Not,
    Negate,
    Complement,
}

/// A binary operator.
#[allow(missing_docs, reason = "the variants are named after the operators")]
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
    /// Copies the sign bit.
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Evaluates the right side only if the left one is true.
    And,
    Or,
}

impl UnaryOp {
    /// The result for an operand.
    pub fn apply(self, value: i32) -> i32 {
        match self {
            UnaryOp::Not => i32::from(value == 0),
            UnaryOp::Negate => value.wrapping_neg(),
            UnaryOp::Complement => !value,
        }
    }
}

impl BinaryOp {
    /// The result for two operands.
    ///
    /// # Errors
    /// Division by zero.
    pub fn apply(self, left: i32, right: i32) -> Result<i32, RuntimeError> {
        Ok(match self {
            BinaryOp::Add => left.wrapping_add(right),
            BinaryOp::Subtract => left.wrapping_sub(right),
            BinaryOp::Multiply => left.wrapping_mul(right),
            BinaryOp::Divide | BinaryOp::Remainder if right == 0 => {
                return Err(RuntimeError::DivisionByZero);
            }
            BinaryOp::Divide => left.wrapping_div(right),
            BinaryOp::Remainder => left.wrapping_rem(right),
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitOr => left | right,
            BinaryOp::BitXor => left ^ right,
            // As in SPIN's C code on x86-64, only the low five bits of the count matter.
            BinaryOp::ShiftLeft => left.wrapping_shl(right as u32),
            BinaryOp::ShiftRight => left.wrapping_shr(right as u32),
            BinaryOp::Equal => i32::from(left == right),
            BinaryOp::NotEqual => i32::from(left != right),
            BinaryOp::Less => i32::from(left < right),
            BinaryOp::LessEqual => i32::from(left <= right),
            BinaryOp::Greater => i32::from(left > right),
            BinaryOp::GreaterEqual => i32::from(left >= right),
            BinaryOp::And => i32::from(left != 0 && right != 0),
            BinaryOp::Or => i32::from(left != 0 || right != 0),
        })
    }
}

/// A predefined function of a channel.
#[allow(missing_docs, reason = "the variants are named after Promela's functions")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelQuery {
    Len,
    Full,
    Empty,
    NotFull,
    NotEmpty,
}

/// The treatment of one field of a received message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Store the field here.
    Bind(Place),
    /// Ignore the field.
    Ignore,
    /// The field must equal the value of this expression.
    Match(Expr),
}

/// The process to which a remote reference refers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Remote {
    /// The process with this number.
    Pid(Box<Expr>),
    /// The process of this type with the lowest number.
    Only,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(i32),
    /// The value of a place.
    Read(Place),
    /// A unary operator and its operand.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator and its operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// If the first is true the second, otherwise the third.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A predefined function of the channel with this number.
    Channel(ChannelQuery, Box<Expr>),
    /// Whether a receive with these patterns would find a message.
    Poll {
        /// The number of the channel.
        channel: Box<Expr>,
        /// The patterns.
        patterns: Vec<Pattern>,
        /// Whether the message may be at any position, not only the first.
        random: bool,
    },
    /// Whether no step is enabled while this is false.
    Timeout,
    /// The number of the evaluating process.
    Pid,
    /// The number of processes.
    ProcessCount,
    /// The process that made the last step; for a rendezvous, the receiver.
    Last,
    /// The other process of the last step: the sender of a rendezvous, otherwise the same as
    /// [`Last`](Expr::Last).
    Partner,
    /// The process that the `run` of the same step created.
    Spawned,
    /// Whether a step of the process with this number is enabled.
    Enabled(Box<Expr>),
    /// SPIN's number of the location of the process with this number.
    PcValue(Box<Expr>),
    /// The priority of the process with this number.
    Priority(Box<Expr>),
    /// Whether no process is at a progress location.
    NonProgress,
    /// Whether the process is at this location.
    #[allow(missing_docs, reason = "the fields are named after their contents")]
    At { process_type: ProcessTypeId, process: Remote, location: LocationId },
    /// The value of a local variable of another process.
    #[allow(missing_docs, reason = "the fields are named after their contents")]
    ReadRemote {
        process_type: ProcessTypeId,
        process: Remote,
        variable: VariableId,
        indices: Vec<Expr>,
    },
}

impl Expr {
    /// A condition that always holds.
    pub const TRUE: Expr = Expr::Const(1);

    /// A binary operation.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    /// A unary operation.
    pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
        Expr::Unary(op, Box::new(operand))
    }

    /// Whether the evaluation may fail in some state.
    pub fn may_fail(&self) -> bool {
        self.any(&Expr::own_failure)
    }

    /// Whether the evaluation may fail although that of all subexpressions succeeds.
    pub fn own_failure(&self) -> bool {
        match self {
            Expr::Read(Place { indices, .. }) | Expr::ReadRemote { indices, .. } => {
                !indices.is_empty()
            }
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, divisor) => {
                !matches!(**divisor, Expr::Const(1..))
            }
            Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) => true,
            _ => false,
        }
    }

    /// Whether `test` holds for this expression or a subexpression.
    pub fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        if test(self) {
            return true;
        }
        let mut found = false;
        self.for_each_child(&mut |child| found = found || child.any(test));
        found
    }
}
