//! Exact breadth-first search with little memory: visited set and frontier are files (Stern, Dill:
//! Using magnetic disk instead of main memory in the Murφ verifier, 1998; delayed duplicate
//! detection, Korf 2003).
//!
//! Successors are collected in a batch. When the batch is full or the level ends, it is sorted and
//! looked up in the sorted runs of visited states, so that every block of a run is read at most
//! once per batch. New states are appended to the next frontier and form a new run. A third file
//! holds every state's predecessor, for counterexamples.

mod directory;
mod sorted_run;
mod visited;

use crate::Options;
use crate::limits::Limit;
use crate::outcome::{Outcome, Run};
use crate::reach::expansion::{Expansion, run_by_choices};
use crate::reach::sequential::{SequentialSearch, SequentialStop, UnfitLayout, restart_when_unfit};
use crate::store::Guarantee;
use crate::tuning::external::{BATCH_BYTES, BATCH_PART, BLOCK_RECORDS, READ_BYTES, SORTED_AT_ONCE};
use directory::{ScratchDirectory, ScratchFile};
use lariat_ir::system::{StepCode, System, Width};
use lariat_ir::{Budget, Exhausted};
use sorted_run::{read_words, write_words};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;
use visited::VisitedRuns;

/// In place of a predecessor: the state is an initial one.
const NO_PREDECESSOR: u64 = u64::MAX;

pub(crate) fn search<S: System>(system: &S, options: &Options<'_>, parent: &Path) -> Outcome {
    restart_when_unfit(system, |system, before| attempt(system, options, parent, before))
}

fn attempt<S: System>(
    system: &S,
    options: &Options<'_>,
    parent: &Path,
    before: Duration,
) -> Result<Outcome, Box<UnfitLayout>> {
    let initial = match system.initial_states() {
        Ok(initial) => initial,
        Err(error) => return Ok(Outcome::without_start(error)),
    };
    let failed = |error: &io::Error| Limit::Disk(error.kind());
    let mut search = match ExternalSearch::new(system, options, parent, before) {
        Ok(search) => search,
        Err(error) => return Ok(Outcome { limit: Some(failed(&error)), ..Outcome::default() }),
    };
    match search.run(&initial) {
        Ok(()) | Err(ExternalFailure::Stop(SequentialStop::Over)) => {}
        Err(ExternalFailure::Stop(SequentialStop::Unfinished(limit))) => {
            search.single.end_at(Some(limit))
        }
        Err(ExternalFailure::Stop(SequentialStop::Misfit(misfit))) => {
            return Err(search.single.unfit(system, misfit));
        }
        Err(ExternalFailure::Limit(limit)) => search.single.signal.end_search(Some(limit)),
        Err(ExternalFailure::Disk(error)) => search.single.signal.end_search(Some(failed(&error))),
    }
    let bytes = search.memory_bytes();
    Ok(search.single.outcome(system, Guarantee::Exact, bytes, None))
}

/// Why the search ended early.
#[derive(Debug)]
enum ExternalFailure {
    Stop(SequentialStop),
    /// Time or an interrupt, noticed while a batch was merged into the visited set.
    Limit(Limit),
    Disk(io::Error),
}

impl From<SequentialStop> for ExternalFailure {
    fn from(stop: SequentialStop) -> ExternalFailure {
        ExternalFailure::Stop(stop)
    }
}

impl From<Exhausted> for ExternalFailure {
    fn from(exhausted: Exhausted) -> ExternalFailure {
        ExternalFailure::Limit(exhausted.into())
    }
}

impl From<io::Error> for ExternalFailure {
    fn from(error: io::Error) -> ExternalFailure {
        ExternalFailure::Disk(error)
    }
}

/// Checks the budget when a loop over records begins a new block.
fn check_every_block(budget: &Budget, index: usize) -> Result<(), ExternalFailure> {
    if index.is_multiple_of(BLOCK_RECORDS) { Ok(budget.check()?) } else { Ok(()) }
}

/// Sorts and deduplicates records by their first `identity` words; of equal ones the first remains.
///
/// A standard sort cannot be interrupted. So pieces are sorted, then pairs of pieces, and so on,
/// with a check of the budget before each: the sort recognises two ascending halves and merges
/// them.
fn sort_records(
    records: &mut Vec<&[u64]>,
    identity: usize,
    budget: &Budget,
) -> Result<(), ExternalFailure> {
    let mut length = SORTED_AT_ONCE;
    loop {
        for piece in records.chunks_mut(length) {
            budget.check()?;
            piece.sort_by(|one, other| one[..identity].cmp(&other[..identity]));
        }
        if length >= records.len() {
            break;
        }
        length *= 2;
    }
    records.dedup_by(|one, other| one[..identity] == other[..identity]);
    Ok(())
}

struct ExternalSearch<'a, S> {
    system: &'a S,
    width: Width,
    single: SequentialSearch<'a>,
    expansion: Expansion,
    visited: VisitedRuns,
    /// Successors not yet looked up: the state's words, its predecessor's number, and its index
    /// among the predecessor's successors.
    batch: Vec<u64>,
    batch_words: usize,
    next: BufWriter<ScratchFile>,
    next_states: u64,
    /// For each state: its predecessor's number and its index among the predecessor's successors,
    /// or its index among the initial states.
    ancestry: BufWriter<ScratchFile>,
    directory: ScratchDirectory,
}

impl<'a, S: System> ExternalSearch<'a, S> {
    fn new(
        system: &'a S,
        options: &'a Options<'a>,
        parent: &Path,
        before: Duration,
    ) -> io::Result<ExternalSearch<'a, S>> {
        let directory = ScratchDirectory::new(parent)?;
        let width = system.width();
        let bytes = options
            .limits
            .memory_bytes
            .map_or(BATCH_BYTES, |limit| BATCH_BYTES.min(limit / BATCH_PART));
        let entry = width.all + 2;
        Ok(ExternalSearch {
            system,
            width,
            single: SequentialSearch::new(system, options, before),
            expansion: Expansion::new(width),
            visited: VisitedRuns::new(width.identity),
            batch: Vec::new(),
            batch_words: (bytes as usize / 8 / entry).max(1) * entry,
            next: BufWriter::new(directory.create_file()?),
            next_states: 0,
            ancestry: BufWriter::new(directory.create_file()?),
            directory,
        })
    }

    fn memory_bytes(&self) -> u64 {
        self.visited.memory_bytes() + self.batch.capacity() as u64 * 8
    }

    fn run(&mut self, initial: &[Vec<u64>]) -> Result<(), ExternalFailure> {
        for (number, state) in initial.iter().enumerate() {
            self.single.tally.transitions += 1;
            self.push(state, NO_PREDECESSOR, number as u64);
        }
        self.flush(0)?;
        let (mut first, mut level) = (0, 0);
        let mut state = Vec::new();
        while self.next_states > 0 {
            level += 1;
            let count = std::mem::take(&mut self.next_states);
            let file =
                std::mem::replace(&mut self.next, BufWriter::new(self.directory.create_file()?));
            let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.file().seek(SeekFrom::Start(0))?;
            let mut reader = BufReader::with_capacity(READ_BYTES, file.file());
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

    fn expand(&mut self, state: &[u64], number: u64) -> Result<(), ExternalFailure> {
        let bytes = self.memory_bytes();
        self.single.tick(|| bytes, self.next_states)?;
        let stop = self.single.flag();
        self.expansion
            .expand(self.system, state, &mut self.single.tally, stop)
            .map_err(SequentialStop::from)?;
        if !self.expansion.errors.is_empty() {
            let errors = std::mem::take(&mut self.expansion.errors);
            let path = self.path_to(number)?;
            self.single.note(errors, |codes| run_to(self.system, &path, codes))?;
        }
        for (arrival, entry) in
            self.expansion.successors().chunks_exact(self.width.all + 1).enumerate()
        {
            self.batch.extend_from_slice(&entry[1..]);
            self.batch.push(number);
            self.batch.push(arrival as u64);
        }
        Ok(())
    }

    /// Adds the batch's unknown states to the visited set and to the next level.
    fn flush(&mut self, level: u64) -> Result<(), ExternalFailure> {
        let batch = std::mem::take(&mut self.batch);
        let (words, identity) = (self.width.all + 2, self.width.identity);
        let budget = self.single.options.limits.budget;
        let mut order: Vec<&[u64]> = batch.chunks_exact(words).collect();
        // Of equal states, the one from the earliest predecessor remains: paths stay shortest.
        sort_records(&mut order, identity, budget)?;
        let states = order.iter().map(|entry| &entry[..identity]);
        let new = self.visited.add(states, &self.directory, budget)?;
        for (index, (_, entry)) in new.iter().zip(&order).filter(|(new, _)| **new).enumerate() {
            check_every_block(budget, index)?;
            let expand = self.single.add(level)?;
            write_words(&mut self.ancestry, &entry[self.width.all..])?;
            let number = self.single.tally.states - 1;
            let state = &entry[..self.width.all];
            let mut violated = Vec::new();
            self.system.check_stored(state, &mut violated);
            if !violated.is_empty() {
                let errors = violated.into_iter().map(|error| (error, Vec::new())).collect();
                let path = self.path_to(number)?;
                self.single.note(errors, |codes| run_to(self.system, &path, codes))?;
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

    /// The path to a state: the index of the initial state, then the index of each successor.
    fn path_to(&mut self, number: u64) -> io::Result<Vec<u32>> {
        let mut path = Vec::new();
        let mut entry = Vec::new();
        let mut number = number;
        while number != NO_PREDECESSOR {
            // Seeking flushes the buffer first.
            self.ancestry.seek(SeekFrom::Start(number * 16))?;
            read_words(self.ancestry.get_mut().file(), 2, &mut entry)?;
            path.push(entry[1] as u32);
            number = entry[0];
        }
        self.ancestry.seek(SeekFrom::End(0))?;
        path.reverse();
        Ok(path)
    }
}

fn run_to<S: System>(system: &S, path: &[u32], codes: &[StepCode]) -> Option<Run> {
    let (initial, arrivals) = path.split_first()?;
    run_by_choices(system, *initial as usize, arrivals.iter().copied(), codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn sorting_is_stable_and_can_be_interrupted() {
        let count = 3 * SORTED_AT_ONCE as u64 + 17;
        let records: Vec<[u64; 2]> =
            (0..count).map(|index| [index * 7919 % (count / 2), index]).collect();
        let mut sorted: Vec<&[u64]> = records.iter().map(<[u64; 2]>::as_slice).collect();
        let mut expected = sorted.clone();
        expected.sort_by_key(|record| record[0]);
        expected.dedup_by_key(|record| record[0]);
        sort_records(&mut sorted, 1, &lariat_ir::budget::UNLIMITED).expect("no limit");
        assert_eq!(sorted, expected);
        let budget = Budget::until(Arc::new(AtomicBool::new(true)));
        let stopped = sort_records(&mut sorted, 1, &budget);
        assert!(matches!(stopped, Err(ExternalFailure::Limit(Limit::Interrupted))));
    }
}
