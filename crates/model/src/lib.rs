//! The waist of Lariat: a program as a transition system.
//!
//! A [`Program`](program::Program) is variables with finite domains, initial states, and processes
//! whose transitions have guards and effects. Front ends produce it, engines consume it, and
//! [`interp`] says what it means. This crate knows neither Promela nor searches nor machine code.
//!
//! Where to look: [`program`] is the IR, [`expression`] its expressions, [`state`] what a state
//! holds, [`interp`] the meaning, [`layout`] how a state is packed into words, [`system`] the
//! next-state trait every engine implements, [`text`] programs as text, [`verify`](mod@verify) the IR's rules,
//! [`budget`] how long a command may run, [`access`] what transitions read and write, [`printable`] text
//! that is safe to show, [`observe`] how properties look at states.

#![forbid(unsafe_code)]

pub mod access;
pub mod budget;
pub mod domain;
pub mod error;
pub mod expression;
pub mod interp;
pub mod layout;
pub mod observe;
pub mod printable;
pub mod program;
pub mod ranges;
pub mod reduce;
pub mod state;
pub mod system;
pub mod text;
pub mod trace;
pub mod verify;

pub use budget::{Budget, Exhausted};
pub use domain::Domain;
pub use error::RuntimeError;
pub use expression::Expr;
pub use interp::{Interpreter, PackedInterpreter};
pub use layout::Layout;
pub use program::Program;
pub use state::State;
pub use system::{Step, StepCode, Successor, Successors, System};
