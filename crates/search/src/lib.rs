//! Explicit-state model checking of any [`System`](lariat_ir::System): searches that visit its
//! reachable states, or its product with a property automaton, and report errors with the runs that
//! lead to them.
//!
//! | module | owns |
//! |---|---|
//! | `reach` | [`reachability`]: depth- and breadth-first search with threads and checkpoints |
//! | [`store`] | the visited set: one file for each kind of store |
//! | `caching` | depth-first search in bounded memory |
//! | `external` | breadth-first search on disk |
//! | `omission` | estimates of the states that an inexact store omits |
//! | [`product`] | program × property automaton, and the search for a forbidden run |
//! | [`liveness`] | searches for accepting cycles, one file each, and `fairness` |
//! | [`branching`] | CTL and CTL* |
//! | [`unbounded`] | whether channels can grow forever |
//! | [`replay`] | replaying a counterexample on the reference semantics |
//! | `memory`, `threads` | mapped memory and cache padding; starting and stopping threads |
//! | `tuning` | the heuristic constants of all searches |
//!
//! A system can be written by hand. This one pours water between jugs of three and five litres; the
//! search finds out that four litres can be measured, in six steps:
//!
//! ```
//! use lariat_ir::RuntimeError;
//! use lariat_ir::system::{
//!     Misfit, Repackable, SearchObserver, StepCode, Successors, TransitionSystem, Width,
//! };
//! use lariat_search::{Options, Order, Verdict, reachability};
//!
//! struct Jugs;
//!
//! impl TransitionSystem for Jugs {
//!     fn width(&self) -> Width {
//!         Width { identity: 2, all: 2 }
//!     }
//!
//!     fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
//!         Ok(vec![vec![0, 0]])
//!     }
//!
//!     fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
//!         let (small, large) = (state[0], state[1]);
//!         let (to_large, to_small) = (small.min(5 - large), large.min(3 - small));
//!         let next = [
//!             [3, large],
//!             [small, 5],
//!             [0, large],
//!             [small, 0],
//!             [small - to_large, large + to_large],
//!             [small + to_small, large - to_small],
//!         ];
//!         for (transition, state) in (0..).zip(&next) {
//!             out.push(StepCode::of_move(0, transition), state);
//!         }
//!         Ok(())
//!     }
//!
//!     fn is_valid_end(&self, _: &[u64]) -> bool {
//!         true
//!     }
//!
//!     fn transition_count(&self) -> usize {
//!         6
//!     }
//!
//!     fn has_invariants(&self) -> bool {
//!         true
//!     }
//!
//!     fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
//!         if state[1] == 4 {
//!             out.push(RuntimeError::InvalidEndState);
//!         }
//!     }
//! }
//!
//! impl Repackable for Jugs {}
//! impl SearchObserver for Jugs {}
//!
//! let options = Options { order: Order::BreadthFirst, ..Options::default() };
//! let outcome = reachability(&Jugs, &options);
//! assert_eq!(outcome.verdict(), Verdict::Violated);
//! assert_eq!(outcome.violations[0].run.steps.len(), 6);
//! ```

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod branching;
mod caching;
mod external;
#[doc(hidden)]
pub mod faults;
mod limits;
pub mod liveness;
mod memory;
mod omission;
mod outcome;
pub mod product;
mod reach;
pub mod replay;
pub mod store;
pub mod temporary;
#[cfg(test)]
mod testing;
pub mod threads;
mod tuning;
pub mod unbounded;

pub use limits::{Limit, Limits, rounded_time};
pub use memory::resident::memory_left;
pub use omission::repeated_runs::{joined, repeated};
pub use outcome::{MAX_VIOLATIONS, Outcome, Run, Statistics, Verdict, Violation};
pub use reach::checkpoint::{Checkpoint, ResumeError, SavedSearch, partial_checkpoint_path};
pub use reach::coverage::Coverage;
pub(crate) use reach::options::Goal;
pub use reach::options::{Options, Order};
pub use reach::rounds::{Progress, Repetition};
pub use reach::shuffled::{Shuffled, SuccessorOrder};
pub use reach::{StoreKind, reachability};
pub use store::{Guarantee, Replacement, Revisits};
