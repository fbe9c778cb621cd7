//! The options and the loop that the fuzzers share.

use std::io;
use std::thread;

#[derive(Debug, clap::Args)]
pub struct Programs {
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only the program with this seed, as printed with each difference
    #[arg(long)]
    only: Option<u64>,
    /// Number of programs compared in parallel
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

impl Programs {
    /// The number of programs to compare, where the user asks for `count`.
    pub fn number(&self, count: u64) -> u64 {
        if self.only.is_some() { 1 } else { count }
    }

    /// The seed of each program of a run; a program can be reproduced from its own seed.
    pub fn seed(&self, index: u64) -> u64 {
        self.only.unwrap_or_else(|| self.seed.wrapping_mul(1_000_003).wrapping_add(index))
    }

    /// Calls `work` in each thread; the first error.
    pub fn in_parallel(&self, work: impl Fn() -> io::Result<()> + Sync) -> io::Result<()> {
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(&work)).collect();
            let panicked = |_| Err(io::Error::other("a comparison panicked"));
            let results: Vec<_> =
                workers.into_iter().map(|worker| worker.join().unwrap_or_else(panicked)).collect();
            results.into_iter().collect()
        })
    }
}
