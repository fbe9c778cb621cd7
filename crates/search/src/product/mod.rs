//! Program × property automaton, made on the fly.
//!
//! [`Monitor`] is the property: an automaton of forbidden runs over conditions on states. `system` is the product as a system, for
//! every search there is; `graph` the product as a graph with numbered nodes (`table`, in packets if wanted: `packets`, expanded by `joint`), for the searches for cycles; `emptiness`
//! looks for a forbidden run (`stem` the quick way where the automaton waits first, `supertrace` in any store), `shorten` makes it shorter, `fair` looks among fair runs, for which `actors` says who moves.

mod actors;
mod divergence;
mod emptiness;
mod fair;
mod graph;
mod joint;
mod lookup;
mod monitor;
mod nodes;
mod packets;
mod passage;
mod reply;
mod shorten;
mod spread;
mod stem;
mod supertrace;
mod system;
mod table;

pub(crate) use divergence::endless_run;
pub(crate) use emptiness::give_up;
pub use emptiness::{Answer, LassoRun, Length, Request, Unproven, explore, find, find_in_store, find_prefix};
pub use fair::find_fair;
pub(crate) use fair::{states, steps_along};
pub(crate) use graph::{ProductGraph, Stop};
pub use monitor::{Monitor, Shape};
pub use packets::{PacketFigures, Tail};
pub use supertrace::has_cycles;
pub use system::Product;
