//! The flags that select the state store.

use clap::{Args, ValueEnum};
use lariat_search::{Replacement, StoreKind};
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Storage")]
pub struct Storage {
    /// The store of visited states
    #[arg(long, value_enum, default_value_t)]
    store: Store,

    /// `compact`: bits per fingerprint
    #[arg(long, value_name = "BITS", default_value_t = 64, value_parser = clap::value_parser!(u32).range(8..=64))]
    hash_bits: u32,

    /// `bitstate`: bits per state (hash functions)
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=16))]
    hash_functions: u32,

    /// `compact`, `bitstate`: number of searches, each with different hash functions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,

    /// `compact`, `bitstate`, `cache`: seed of the hash functions or of the random replacement
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,

    /// `cache`: which state is evicted when the cache is full
    #[arg(long, value_enum, default_value_t, value_name = "POLICY")]
    replace: Replace,

    /// `cache`: no sleep sets, that is, take steps that commute in both orders
    #[arg(long)]
    no_sleep_sets: bool,

    /// `cache`: the number of states it can hold [default: as many as fit into memory]
    #[arg(long, value_name = "STATES", value_parser = clap::value_parser!(u64).range(1..))]
    cache_states: Option<u64>,

    /// `disk`: directory for the files [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    disk_dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Store {
    /// Exact: `packed`; `interned` for wide states, and when memory runs out
    #[default]
    Auto,
    /// Exact: the states themselves, packed
    Packed,
    /// Exact, a few bytes per state: parts of states are stored once
    Interned,
    /// A fingerprint per state: states may be omitted, with very low probability
    Compact,
    /// A few bits per state: states may be omitted
    Bitstate,
    /// Exact in bounded memory: may evict states that are not on the depth-first stack
    Cache,
    /// Exact, breadth-first, in files
    Disk,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Replace {
    /// A state between layers of the search tree that stay in the cache
    #[default]
    Layers,
    /// A random state
    Random,
}

impl Storage {
    /// The selected store; a bit array takes three quarters of `memory_bytes`, if given.
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
                },
                sleep_sets: !self.no_sleep_sets,
                seed,
            },
            Store::Disk => StoreKind::Disk {
                directory: self.disk_dir.clone().unwrap_or_else(std::env::temp_dir),
            },
        }
    }

    /// The name of the store, if its searches cannot be saved.
    pub fn not_saved(&self) -> Option<&'static str> {
        match self.store {
            Store::Auto | Store::Packed | Store::Interned => None,
            Store::Compact => Some("compact"),
            Store::Bitstate => Some("bitstate"),
            Store::Cache => Some("cache"),
            Store::Disk => Some("disk"),
        }
    }

    /// The disk search is always breadth-first.
    pub fn is_breadth_first(&self) -> bool {
        self.store == Store::Disk
    }
}
