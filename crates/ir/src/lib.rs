//! Programs as transition systems: the intermediate representation of the Lariat model checker.
//!
//! A [`Program`] has variables with finite domains, initial states, and processes whose transitions
//! have guards and effects. Front ends produce programs, engines execute them, and [`interp`]
//! defines their meaning. This crate knows neither Promela nor searches nor machine code.
//!
//! ```
//! use lariat_ir::{Interpreter, text};
//!
//! let source = "var x : 0..9\ninit x = 0\nup: x < 2 -> x := x + 1\n";
//! let program = text::parse("counter.lts", source).expect("a transition system");
//! let interpreter = Interpreter::new(&program);
//! let initial = interpreter.initial_states().expect("the program starts");
//! let mut successors = Vec::new();
//! interpreter.successors(&initial[0], &mut successors);
//! let next = successors[0].state.as_ref().expect("the step succeeds");
//! assert_eq!((initial[0].globals[0], next.globals[0]), (0, 1));
//! ```
//!
//! | module | owns |
//! |---|---|
//! | [`program`], [`expression`], [`domain`] | the representation |
//! | [`text`], [`verify`](mod@verify) | its text form and its well-formedness rules |
//! | [`visit`] | traversal and rewriting of programs |
//! | [`state`], [`interp`] | states and the reference semantics |
//! | [`system`], [`step`] | the interface between engines and searches |
//! | [`layout`] | the packing of states into words |
//! | [`observe`] | conditions on states, for properties |
//! | [`access`], [`ranges`], [`reduce`] | static analyses and reductions |
//! | [`trace`], [`printable`], [`error`] | readable runs, safe text, errors of programs |
//! | [`budget`], [`random`] | time limits and reproducible random numbers |

#![forbid(unsafe_code)]
#![warn(missing_docs)]

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
pub mod random;
pub mod ranges;
pub mod reduce;
pub mod state;
pub mod step;
pub mod system;
pub mod text;
pub mod trace;
pub mod verify;
pub mod visit;

pub use budget::{Budget, Exhausted};
pub use domain::Domain;
pub use error::RuntimeError;
pub use expression::Expr;
pub use interp::{Interpreter, PackedInterpreter};
pub use layout::Layout;
pub use program::Program;
pub use state::State;
pub use step::{Step, StepCode, Successor};
pub use system::{Repackable, SearchObserver, Successors, System, TransitionSystem};
