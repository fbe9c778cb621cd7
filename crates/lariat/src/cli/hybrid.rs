//! The flag that says how searches for cycles store the product.

use clap::{Args, ValueEnum};
use search::product::Tail;

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Storage")]
pub struct HybridStorage {
    /// Searches for cycles: what is not stored with each state of the product, but as a bit beside what many states share [default: whichever is faster]
    #[arg(long = "hybrid", value_enum, value_name = "TAIL")]
    tail: Option<Hybrid>,
}

impl HybridStorage {
    pub fn tail(self) -> Option<Tail> {
        self.tail.map(Tail::from)
    }
}

/// What is the tail of a packet, and not stored with each state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Hybrid {
    /// Nothing, not even the demon's state in `--search magic`: the classical storage, to compare with
    None,
    /// What the search knows of a state, such as its demon's; each state of program × property is a head
    Demon,
    /// The property's state and the demon's: each state of the program is a head
    Property,
    /// The same, and the counter of a nested search for fair runs
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
