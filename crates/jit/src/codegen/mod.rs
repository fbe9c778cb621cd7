//! Code generation: Cranelift IR for the successors and conditions of a program.
//!
//! All functions are generated through [`Generator`]; each module adds the methods for one part of
//! the language. Every generated function has a *bailout* block, which returns a special result for
//! whatever the code does not handle: runtime errors, and values that do not fit the layout.
//!
//! | module | generates |
//! |---|---|
//! | `generator`, `function_key` | functions, calls between them, stack slots |
//! | `instructions`, `control_flow`, `value` | arithmetic with intervals, branches, bailouts |
//! | `state_view`, `promotion`, `addressing` | packed words in registers or memory; variables |
//! | `expression`, `operator`, `variable`, `process_query` | values of expressions |
//! | `dispatch` | calls of the code for the location of a process |
//! | `driver`, `enabled` | which process moves, in which order; `timeout`, priorities, `enabled` |
//! | `transition`, `operation`, `d_step`, `rendezvous` | steps |
//! | `channel`, `process`, `event_trace` | messages, creation and end of processes, traces |
//! | `conditions` | conditions on states |

mod addressing;
mod channel;
mod conditions;
mod control_flow;
mod d_step;
mod dispatch;
mod driver;
mod enabled;
mod event_trace;
mod expression;
mod function_key;
mod generator;
mod instructions;
mod operation;
mod operator;
mod process;
mod process_query;
mod promotion;
mod rendezvous;
mod state_view;
mod transition;
mod value;
mod variable;

pub use function_key::{FunctionKey, FunctionRegistry};
pub use generator::Generator;
use generator::{CONTEXT_BYTES, LIMIT_OFFSET, TIMEOUT_OFFSET, trusted};
