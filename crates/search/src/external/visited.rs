//! The visited set on disk: sorted runs, each less than half as long as the one before it. A state
//! is therefore rewritten only when the number of states doubles.

use super::directory::ScratchDirectory;
use super::sorted_run::{RunWriter, SortedRun};
use super::{ExternalFailure, check_every_block};
use lariat_ir::Budget;

#[derive(Debug)]
pub struct VisitedRuns {
    words: usize,
    /// Longest first.
    runs: Vec<SortedRun>,
}

impl VisitedRuns {
    /// An empty set of states with `words` words each.
    pub fn new(words: usize) -> VisitedRuns {
        VisitedRuns { words, runs: Vec::new() }
    }

    #[cfg(test)]
    fn len(&self) -> u64 {
        self.runs.iter().map(SortedRun::records).sum()
    }

    pub fn memory_bytes(&self) -> u64 {
        self.runs.iter().map(SortedRun::memory_bytes).sum()
    }

    /// Adds the unknown ones of `states` and returns, for each state, whether it was unknown.
    ///
    /// Precondition: `states` is strictly ascending.
    pub fn add<'a>(
        &mut self,
        states: impl ExactSizeIterator<Item = &'a [u64]> + Clone,
        directory: &ScratchDirectory,
        budget: &Budget,
    ) -> Result<Vec<bool>, ExternalFailure> {
        let mut new = vec![true; states.len()];
        for run in &mut self.runs {
            let mut lookup = run.lookup();
            for (index, (new, state)) in new.iter_mut().zip(states.clone()).enumerate() {
                check_every_block(budget, index)?;
                *new = *new && !lookup.contains(state)?;
            }
        }
        let count = new.iter().filter(|new| **new).count();
        if count == 0 {
            return Ok(new);
        }
        let mut writer = RunWriter::new(self.words, count as u64, directory)?;
        for (index, (new, state)) in new.iter().zip(states).enumerate() {
            check_every_block(budget, index)?;
            if *new {
                writer.push(state)?;
            }
        }
        let mut run = writer.finish()?;
        while let Some(longer) = self.runs.pop_if(|longer| longer.records() < 2 * run.records()) {
            run = longer.merge(run, directory, budget)?;
        }
        self.runs.push(run);
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::budget::UNLIMITED;
    use std::collections::{BTreeSet, HashSet};

    #[test]
    fn is_a_set() {
        let directory = ScratchDirectory::new(&std::env::temp_dir()).expect("a writable directory");
        let mut visited = VisitedRuns::new(1);
        let mut oracle = HashSet::new();
        for batch in 0..60u64 {
            let states: BTreeSet<[u64; 1]> = (0..batch * 97 % 4000)
                .map(|index| [(index * index + batch * 1000) % 50_021])
                .collect();
            let list: Vec<&[u64]> = states.iter().map(<[u64; 1]>::as_slice).collect();
            let new = visited.add(list.iter().copied(), &directory, &UNLIMITED);
            for (new, state) in new.expect("room on the disk").into_iter().zip(&states) {
                assert_eq!(new, oracle.insert(*state));
            }
            assert_eq!(visited.len(), oracle.len() as u64);
        }
    }
}
