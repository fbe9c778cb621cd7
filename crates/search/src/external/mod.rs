//! Exact breadth-first search with little memory: visited states and frontier are files (Stern, Dill: Using magnetic disk instead of
//! main memory in the Murφ verifier, 1998; delayed duplicate detection, Korf 2003).
//!
//! Successors are collected in memory. When there are many, or the level ends, they are sorted, and each is looked
//! up in the sorted runs of visited states on disk, in order, so that every block of a run is read at most once
//! for the whole batch. Those that are new are the end of the next level's file, and a new run. For every state a third file says
//! from which it was reached, so that runs can be shown. All files are only ever appended to, or read in order, but for the
//! few looked at for a run.

mod directory;
mod run;
mod visited;

use crate::Options;
use crate::expansion::{Expansion, run_along};
use crate::limits::Limit;
use crate::outcome::{Outcome, Run};
use crate::single::{Single, Stop, Unfit, with_room};
use crate::store::Guarantee;
use directory::{Directory, Scratch};
use model::system::{StepCode, System, Width};
use run::{read_words, write_words};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;
use visited::Visited;

/// Memory for a batch of successors, unless the limit of memory says less.
const BATCH_BYTES: u64 = 64 << 20;
/// The part of the memory limit that a batch may have.
const BATCH_PART: u64 = 8;
/// In place of a predecessor: the state is an initial one.
const NOBODY: u64 = u64::MAX;

pub(crate) fn search<S: System>(system: &S, options: &Options<'_>, parent: &Path) -> Outcome {
    with_room(system, |system, before| attempt(system, options, parent, before))
}

fn attempt<S: System>(
    system: &S,
    options: &Options<'_>,
    parent: &Path,
    before: Duration,
) -> Result<Outcome, Box<Unfit>> {
    let initial = match system.initial_states() {
        Ok(initial) => initial,
        Err(error) => return Ok(Outcome::without_start(error)),
    };
    let failed = |error: &io::Error| Limit::Disk(error.kind());
    let mut search = match Search::new(system, options, parent, before) {
        Ok(search) => search,
        Err(error) => return Ok(Outcome { limit: Some(failed(&error)), ..Outcome::default() }),
    };
    match search.run(&initial) {
        Ok(()) | Err(Failure::Stop(Stop::Over)) => {}
        Err(Failure::Stop(Stop::Unfinished(limit))) => search.single.end_at(Some(limit)),
        Err(Failure::Stop(Stop::Misfit(misfit))) => return Err(search.single.unfit(system, misfit)),
        Err(Failure::Disk(error)) => search.single.sign.stop(Some(failed(&error))),
    }
    let bytes = search.memory_bytes();
    Ok(search.single.outcome(system, Guarantee::Exact, bytes, None))
}

enum Failure {
    Stop(Stop),
    Disk(io::Error),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stop(stop)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Disk(error)
    }
}

struct Search<'a, S> {
    system: &'a S,
    width: Width,
    single: Single<'a>,
    expansion: Expansion,
    visited: Visited,
    /// Successors not yet looked up: the state's words, its predecessor's number, which of its arrivals.
    batch: Vec<u64>,
    batch_words: usize,
    next: BufWriter<Scratch>,
    next_states: u64,
    /// By number: the predecessor, and which of its arrivals; or which initial state.
    ancestry: BufWriter<Scratch>,
    directory: Directory,
}

impl<'a, S: System> Search<'a, S> {
    fn new(
        system: &'a S,
        options: &'a Options<'a>,
        parent: &Path,
        before: Duration,
    ) -> io::Result<Search<'a, S>> {
        let directory = Directory::new(parent)?;
        let width = system.width();
        let bytes =
            options.limits.memory_bytes.map_or(BATCH_BYTES, |limit| BATCH_BYTES.min(limit / BATCH_PART));
        let entry = width.all + 2;
        Ok(Search {
            system,
            width,
            single: Single::new(system, options, before),
            expansion: Expansion::new(width),
            visited: Visited::new(width.identity),
            batch: Vec::new(),
            batch_words: (bytes as usize / 8 / entry).max(1) * entry,
            next: BufWriter::new(directory.file()?),
            next_states: 0,
            ancestry: BufWriter::new(directory.file()?),
            directory,
        })
    }

    fn memory_bytes(&self) -> u64 {
        self.visited.memory_bytes() + self.batch.capacity() as u64 * 8
    }

    fn run(&mut self, initial: &[Vec<u64>]) -> Result<(), Failure> {
        for (number, state) in initial.iter().enumerate() {
            self.single.tally.transitions += 1;
            self.push(state, NOBODY, number as u64);
        }
        self.flush(0)?;
        let (mut first, mut level) = (0, 0);
        let mut state = Vec::new();
        while self.next_states > 0 {
            level += 1;
            let count = std::mem::take(&mut self.next_states);
            let file = std::mem::replace(&mut self.next, BufWriter::new(self.directory.file()?));
            let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.file().seek(SeekFrom::Start(0))?;
            let mut reader = BufReader::with_capacity(1 << 17, file.file());
            for number in first..first + count {
                read_words(&mut reader, self.width.all, &mut state)?;
                self.expand(&state, number)?;
                if self.batch.len() >= self.batch_words {
                    self.flush(level)?;
                }
            }
            first += count;
            self.flush(level)?;
        }
        Ok(())
    }

    fn push(&mut self, state: &[u64], predecessor: u64, arrival: u64) {
        self.batch.extend_from_slice(state);
        self.batch.push(predecessor);
        self.batch.push(arrival);
    }

    fn expand(&mut self, state: &[u64], number: u64) -> Result<(), Failure> {
        let bytes = self.memory_bytes();
        self.single.tick(|| bytes, self.next_states)?;
        let stop = self.single.flag();
        self.expansion.expand(self.system, state, &mut self.single.tally, stop).map_err(Stop::from)?;
        if !self.expansion.met.is_empty() {
            let met = std::mem::take(&mut self.expansion.met);
            let way = self.way(number)?;
            self.single.note(met, |codes| run_to(self.system, &way, codes))?;
        }
        for (arrival, entry) in self.expansion.arrivals().chunks_exact(self.width.all + 1).enumerate() {
            self.batch.extend_from_slice(&entry[1..]);
            self.batch.push(number);
            self.batch.push(arrival as u64);
        }
        Ok(())
    }

    /// Adds the new ones of the batch to the next level.
    fn flush(&mut self, level: u64) -> Result<(), Failure> {
        let batch = std::mem::take(&mut self.batch);
        let (words, identity) = (self.width.all + 2, self.width.identity);
        let mut order: Vec<&[u64]> = batch.chunks_exact(words).collect();
        // Stable, and of equal states the first remains: it is reached from the earliest state.
        order.sort_by(|one, other| one[..identity].cmp(&other[..identity]));
        order.dedup_by(|one, other| one[..identity] == other[..identity]);
        let new = self.visited.add(order.iter().map(|entry| &entry[..identity]), &self.directory)?;
        for (_, entry) in new.iter().zip(&order).filter(|(new, _)| **new) {
            let expand = self.single.add(level)?;
            write_words(&mut self.ancestry, &entry[self.width.all..])?;
            let number = self.single.tally.states - 1;
            let state = &entry[..self.width.all];
            if self.system.has_invariants() {
                let mut violated = Vec::new();
                self.system.violated_invariants(state, &mut violated);
                if !violated.is_empty() {
                    let met = violated.into_iter().map(|error| (error, Vec::new())).collect();
                    let way = self.way(number)?;
                    self.single.note(met, |codes| run_to(self.system, &way, codes))?;
                }
            }
            if expand {
                write_words(&mut self.next, state)?;
                self.next_states += 1;
            }
        }
        drop(order);
        self.batch = batch;
        self.batch.clear();
        Ok(())
    }

    /// The way to a state: the number of the initial state, then arrivals.
    fn way(&mut self, number: u64) -> io::Result<Vec<u32>> {
        let mut way = Vec::new();
        let mut entry = Vec::new();
        let mut number = number;
        while number != NOBODY {
            // Seeking writes out what is still buffered.
            self.ancestry.seek(SeekFrom::Start(number * 16))?;
            read_words(self.ancestry.get_mut().file(), 2, &mut entry)?;
            way.push(entry[1] as u32);
            number = entry[0];
        }
        self.ancestry.seek(SeekFrom::End(0))?;
        way.reverse();
        Ok(way)
    }
}

fn run_to<S: System>(system: &S, way: &[u32], codes: &[StepCode]) -> Option<Run> {
    let (initial, arrivals) = way.split_first()?;
    run_along(system, *initial as usize, arrivals.iter().copied(), codes)
}
