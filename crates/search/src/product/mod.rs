//! Program × property automaton, constructed on the fly.
//!
//! | module | owns |
//! |---|---|
//! | `monitor` | [`Monitor`], the property: an automaton of forbidden runs |
//! | `system` | [`Product`], the product as a system for the searches over systems |
//! | `graph`, `nodes`, `expand` | the product as a graph: its node table and its successors |
//! | `emptiness` | the search for a forbidden run |
//! | `stem`, `supertrace` | that search where the automaton waits first, and in inexact stores |
//! | `fair_emptiness`, `actors` | the search for a fair forbidden run; actors of edges |
//! | `divergence` | forbidden runs that stay in an atomic sequence forever |
//! | `reconstruction`, `edge_steps`, `shorten` | the run that is shown |
//! | `answer` | the request and the answer |

mod actors;
mod answer;
mod divergence;
mod edge_steps;
mod emptiness;
mod expand;
mod fair_emptiness;
mod graph;
mod monitor;
mod nodes;
mod reconstruction;
mod shorten;
mod stem;
mod supertrace;
mod system;

pub use answer::{Answer, LassoRun, Length, Request, Unproven};
pub(crate) use divergence::endless_run;
pub use emptiness::{explore, find, find_in_store, find_prefix};
pub use fair_emptiness::find_fair;
pub(crate) use fair_emptiness::{state_graph, steps_along};
pub(crate) use graph::{ProductError, ProductGraph};
pub use monitor::{Monitor, Shape};
pub use nodes::tail::{PacketFigures, Tail};
pub(crate) use reconstruction::give_up;
pub use supertrace::has_cycles;
pub use system::Product;
