//! Compiles the next-state function of a program to machine code with Cranelift.
//!
//! An [`Engine`] computes the successors of packed states. It compiles the program for one packed
//! [`Layout`](lariat_ir::layout::Layout); one call of the generated code writes all successors of a
//! state. Generated code covers the common case only: when a step would raise a runtime error, or a
//! value does not fit the layout, the code bails out and the reference interpreter computes the
//! successors of that state. The interpreter therefore remains the only definition of a program's
//! meaning, and rare cases may be slow.
//!
//! ```
//! use lariat_ir::system::{Successors, TransitionSystem};
//! use lariat_jit::Engine;
//!
//! let text = "
//!     var x : 0..3
//!     process Counter {
//!       up:    x < 3 -> x := x + 1
//!       reset: x = 3 -> x := 0
//!     }";
//! let program = lariat_ir::text::read("counter.lts", text).expect("a well-formed program");
//! let engine = Engine::compiled(&program)?;
//! let mut state = engine.initial_states()?.remove(0);
//! let mut successors = Successors::new(engine.width());
//! for _ in 0..4 {
//!     successors.clear();
//!     engine.successors(&state, &mut successors).expect("the layout has room");
//!     assert_eq!(successors.len(), 1);
//!     state = successors.state(0).to_vec();
//! }
//! assert_eq!(state, engine.initial_states()?[0]);
//! # Ok::<(), lariat_ir::RuntimeError>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `engine` | [`Engine`]: the next-state traits, falling back on the interpreter |
//! | `atoms` | compiled conditions on single states |
//! | `tiers`, `lazy`, `memo` | when code is compiled, how long a caller waits, what runs before |
//! | `late`, `units` | the code of large programs, compiled location by location |
//! | `plan` | facts about program and layout that are known before code generation |
//! | `codegen` | Cranelift IR for each generated function |
//! | `compile` | machine code in executable memory, compiled on up to two threads |
//! | `call` | calls into generated code: the only unsafe code of the crate |

#![deny(unsafe_code, unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]
#![warn(missing_docs)]

mod atoms;
mod call;
mod codegen;
mod compile;
mod engine;
mod late;
mod lazy;
mod memo;
mod plan;
mod tiers;
mod units;

pub use atoms::Atoms;
pub use compile::CompileError;
pub use engine::{Engine, EngineKind};
