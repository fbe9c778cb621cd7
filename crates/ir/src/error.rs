//! Errors of the program that is checked, raised by its steps. Each is a verdict about the program
//! and not a failure of the checker, except for [limits](RuntimeError::is_limit). The texts of
//! [`RuntimeError::kind`] are those of SPIN, so that reports can be compared.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An error of the program under check, found while executing a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RuntimeError {
    /// An assertion was false; contains the text of its condition.
    AssertionViolated(String),
    /// A deadlock: no process can move, and not all are at end locations.
    InvalidEndState,
    /// Division or remainder by 0.
    DivisionByZero,
    /// An index outside the array.
    #[allow(missing_docs, reason = "the fields are named after their contents")]
    IndexOutOfRange { variable: String, index: i32, length: u32 },
    /// A value outside a `Range` domain was stored.
    #[allow(missing_docs, reason = "the fields are named after their contents")]
    OutOfDomain { variable: String, value: i32 },
    /// A statement after the first of a `d_step` was not enabled.
    DStepBlocks,
    /// A rendezvous inside a `d_step`.
    RendezvousInDStep,
    /// A d_step repeated a state, so it never ends.
    DStepDoesNotEnd,
    /// Not an error of the program: a limit of the check was reached inside a d_step.
    DStepUnfinished {
        /// The line of the d_step; 0 if unknown.
        line: u32,
        /// Steps made inside the d_step.
        steps: u64,
        /// Whether a deadline or an interrupt stopped it, not the bound on steps.
        stopped: bool,
    },
    /// More than 255 processes.
    TooManyProcesses,
    /// More than 255 channels.
    TooManyChannels,
    /// A variable without a channel was used as a channel.
    UninitializedChannel,
    /// The number of fields of a send or receive is not that of the channel.
    #[allow(missing_docs, reason = "the fields are named after their contents")]
    FieldCount { send: bool, given: usize, expected: usize },
    /// The contents of a rendezvous channel were inspected.
    PollsRendezvous,
    /// A process used a channel to which another one has the exclusive right by `xr` or `xs`.
    #[allow(missing_docs, reason = "the fields are named after their contents")]
    ExclusiveUse { channel: u32, receive: bool },
    /// More than one transition of a `D_proctype` was enabled.
    Nondeterminism,
    /// A send or receive that the `trace` does not allow.
    TraceMismatch,
    /// A run that the `notrace` forbids.
    TraceMatched,
    /// Two transitions of the event trace match one event.
    TraceNondeterminism,
    /// A priority outside 1 to 255.
    PriorityOutOfRange(i32),
    /// `enabled` of the evaluating process itself.
    EnabledSelf,
    /// The value of `enabled` depends on itself.
    EnabledCycle,
    /// Every continuation violates the property that is being checked.
    PropertyViolated,
}

impl RuntimeError {
    /// The kind of error, with SPIN's text where SPIN has one.
    pub fn kind(&self) -> &'static str {
        match self {
            RuntimeError::AssertionViolated(_) => "assertion violated",
            RuntimeError::InvalidEndState => "invalid end state",
            RuntimeError::DivisionByZero => "division by zero",
            RuntimeError::IndexOutOfRange { .. } => "invalid array index",
            RuntimeError::OutOfDomain { .. } => "value out of range",
            RuntimeError::DStepBlocks => "block in d_step seq",
            RuntimeError::RendezvousInDStep => "rv-attempt in d_step",
            RuntimeError::DStepDoesNotEnd => "d_step does not end",
            RuntimeError::DStepUnfinished { .. } => "d_step not finished",
            RuntimeError::TooManyProcesses => "too many processes",
            RuntimeError::TooManyChannels => "too many queues",
            RuntimeError::UninitializedChannel => "ref to uninitialized chan name",
            RuntimeError::FieldCount { send: true, given, expected } if given < expected => {
                "too few parameters in send stmnt"
            }
            RuntimeError::FieldCount { send: true, .. } => "too many parameters in send stmnt",
            RuntimeError::FieldCount { send: false, given, expected } if given < expected => {
                "missing pars in receive"
            }
            RuntimeError::FieldCount { send: false, .. } => "too many pars in receive",
            RuntimeError::PollsRendezvous => "error to poll rendezvous channel",
            RuntimeError::ExclusiveUse { receive: true, .. } => "xr violated",
            RuntimeError::ExclusiveUse { receive: false, .. } => "xs violated",
            RuntimeError::Nondeterminism => "non-determinism in D_proctype",
            RuntimeError::TraceMismatch => "event_trace error",
            RuntimeError::TraceMatched => "event_trace error",
            RuntimeError::TraceNondeterminism => "non-determinism in event-trace",
            RuntimeError::PriorityOutOfRange(_) => "priority is out of range",
            RuntimeError::EnabledSelf => "used: enabled",
            RuntimeError::EnabledCycle => "enabled depends on itself",
            RuntimeError::PropertyViolated => "property violated",
        }
    }

    /// Whether it is a limit of the check and says nothing about the program.
    pub fn is_limit(&self) -> bool {
        matches!(self, RuntimeError::DStepUnfinished { .. })
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuntimeError::AssertionViolated(text) => write!(out, "assertion violated: {text}"),
            RuntimeError::IndexOutOfRange { variable, index, length } => {
                write!(out, "invalid array index: {variable}[{index}], but the length is {length}")
            }
            RuntimeError::OutOfDomain { variable, value } => {
                write!(out, "value out of range: {variable} cannot hold {value}")
            }
            RuntimeError::FieldCount { given, expected, .. } => {
                write!(
                    out,
                    "the channel's messages have {expected} fields, the statement has {given}"
                )
            }
            RuntimeError::ExclusiveUse { channel, receive } => write!(
                out,
                "channel {channel} is declared {} and another process {} it",
                if *receive { "xr" } else { "xs" },
                if *receive { "receives from" } else { "sends to" }
            ),
            RuntimeError::PriorityOutOfRange(value) => {
                write!(out, "priority is out of range: {value} is not in 1..255")
            }
            RuntimeError::TooManyProcesses => {
                out.write_str("too many processes: at most 255 can exist at a time")
            }
            RuntimeError::TraceMismatch => {
                out.write_str("event_trace error: the trace allows no such event here")
            }
            RuntimeError::TraceMatched => {
                out.write_str("event_trace error: the whole notrace sequence happened")
            }
            RuntimeError::DStepDoesNotEnd => {
                out.write_str("the d_step never ends: its state repeats")
            }
            RuntimeError::DStepUnfinished { line, steps, stopped } => {
                out.write_str("the d_step")?;
                if *line > 0 {
                    write!(out, " at line {line}")?;
                }
                write!(out, " was not finished: it ")?;
                match stopped {
                    true => write!(out, "was stopped after {steps} steps"),
                    false => write!(
                        out,
                        "had not ended after {steps} steps, and its state had not repeated; \
                         let it do less at a time, or use atomic instead of d_step"
                    ),
                }
            }
            RuntimeError::EnabledSelf => {
                out.write_str("a process asked whether it is enabled itself")
            }
            other => out.write_str(other.kind()),
        }
    }
}
