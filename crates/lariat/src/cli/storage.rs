//! The flags that say what remembers the visited states.

use clap::{Args, ValueEnum};
use search::{Replacement, StoreKind};
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Storage")]
pub struct Storage {
    /// What remembers the visited states
    #[arg(long, value_enum, default_value_t)]
    store: Store,

    /// `compact`: bits of a state's hash value
    #[arg(long, value_name = "BITS", default_value_t = 64, value_parser = clap::value_parser!(u32).range(8..=64))]
    hash_bits: u32,

    /// `bitstate`: bits set for a state
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=16))]
    hash_functions: u32,

    /// `compact`, `bitstate`: search so many times with different hash functions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,

    /// `compact`, `bitstate`, `cache`: begin with other hash functions or random choices
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,

    /// `cache`: which state is forgotten when memory is full
    #[arg(long, value_enum, default_value_t, value_name = "POLICY")]
    replace: Replace,

    /// `cache`: go all ways into a state, even where the order of two steps does not matter
    #[arg(long)]
    no_sleep_sets: bool,

    /// `cache`: how many states there is room for [default: as many as fit into memory]
    #[arg(long, value_name = "STATES", value_parser = clap::value_parser!(u64).range(1..))]
    cache_states: Option<u64>,

    /// `disk`: where to put files while searching [default: the system's directory for such]
    #[arg(long, value_name = "DIR")]
    disk_dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Store {
    /// Exact: `packed` while there is memory for it, then `interned`
    #[default]
    Auto,
    /// Exact: the states themselves, packed
    Packed,
    /// Exact, a few bytes a state: parts of states stored once
    Interned,
    /// A hash value of each state: states may be omitted, hardly ever
    Compact,
    /// A few bits of each state: states may be omitted
    Bitstate,
    /// Exact in little memory: forgets what is not on the depth-first stack
    Cache,
    /// Exact, breadth-first, in files
    Disk,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Replace {
    /// One between two layers of the stack that are kept
    #[default]
    Layers,
    /// Any
    Random,
    /// The one not met for longest
    Lru,
    /// One of the deepest
    Depth,
}

impl Storage {
    /// The store; an array of bits has most of `memory_bytes`, if that is given.
    pub fn kind(&self, memory_bytes: Option<u64>) -> StoreKind {
        let seed = self.seed;
        match self.store {
            Store::Auto => StoreKind::Automatic,
            Store::Packed => StoreKind::Packed,
            Store::Interned => StoreKind::Interned,
            Store::Compact => StoreKind::Compact { bits: self.hash_bits, seed },
            Store::Bitstate => StoreKind::Bitstate {
                functions: self.hash_functions,
                bytes: memory_bytes.map(|bytes| bytes / 4 * 3),
                seed,
            },
            Store::Cache => StoreKind::Cache {
                states: self.cache_states,
                replacement: match self.replace {
                    Replace::Layers => Replacement::Layers,
                    Replace::Random => Replacement::Random,
                    Replace::Lru => Replacement::LeastRecentlyUsed,
                    Replace::Depth => Replacement::Deepest,
                },
                sleep_sets: !self.no_sleep_sets,
                seed,
            },
            Store::Disk => {
                StoreKind::Disk { directory: self.disk_dir.clone().unwrap_or_else(std::env::temp_dir) }
            }
        }
    }

    /// The name of the store, if a search in it cannot be saved.
    pub fn not_saved(&self) -> Option<&'static str> {
        match self.store {
            Store::Auto | Store::Packed | Store::Interned => None,
            Store::Compact => Some("compact"),
            Store::Bitstate => Some("bitstate"),
            Store::Cache => Some("cache"),
            Store::Disk => Some("disk"),
        }
    }

    /// Files are searched level by level, whatever order was asked for.
    pub fn is_breadth_first(&self) -> bool {
        self.store == Store::Disk
    }
}
