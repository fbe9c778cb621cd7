//! The flag that selects how cycle searches store the product.

use clap::{Args, ValueEnum};
use lariat_search::product::Tail;

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Storage")]
pub struct HybridStorage {
    /// Cycle searches: the part of a product state that is stored as a bit array beside the shared
    /// rest (hybrid storage) [default: chosen by the property]
    #[arg(long = "hybrid", value_enum, value_name = "TAIL")]
    tail: Option<Hybrid>,
}

impl HybridStorage {
    pub fn tail(self) -> Option<Tail> {
        self.tail.map(Tail::from)
    }
}

/// The tail of a packet: the part that is stored as a bit array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Hybrid {
    /// Nothing, not even the demon's state of `--search magic`: classical storage, for comparison
    None,
    /// The search's own bits, such as the demon's state; each state of program × property is a head
    Demon,
    /// The states of the property and of the demon; each state of the program is a head
    Property,
    /// As `property`, and the counter of a nested search for fair runs
    Fairness,
}

impl From<Hybrid> for Tail {
    fn from(hybrid: Hybrid) -> Tail {
        match hybrid {
            Hybrid::None => Tail::None,
            Hybrid::Demon => Tail::Demon,
            Hybrid::Property => Tail::Property,
            Hybrid::Fairness => Tail::Fairness,
        }
    }
}
