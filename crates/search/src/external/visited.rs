//! The set of visited states on disk: a few sorted runs, each less than half as long as the one before, so that a
//! state is written again only as often as the number of states doubles.

use super::directory::Directory;
use super::run::{Run, Writer};
use std::io;

#[derive(Debug)]
pub struct Visited {
    words: usize,
    /// Longest first.
    runs: Vec<Run>,
}

impl Visited {
    /// Of states of so many words.
    pub fn new(words: usize) -> Visited {
        Visited { words, runs: Vec::new() }
    }

    #[cfg(test)]
    fn len(&self) -> u64 {
        self.runs.iter().map(Run::records).sum()
    }

    pub fn memory_bytes(&self) -> u64 {
        self.runs.iter().map(Run::memory_bytes).sum()
    }

    /// Adds those of the states that are new, and says for each whether it was.
    ///
    /// Precondition: they are in ascending order and no two are equal.
    pub fn add<'a>(
        &mut self,
        states: impl ExactSizeIterator<Item = &'a [u64]> + Clone,
        directory: &Directory,
    ) -> io::Result<Vec<bool>> {
        let mut new = vec![true; states.len()];
        for run in &mut self.runs {
            let mut lookup = run.lookup();
            for (new, state) in new.iter_mut().zip(states.clone()) {
                *new = *new && !lookup.contains(state)?;
            }
        }
        let count = new.iter().filter(|new| **new).count();
        if count == 0 {
            return Ok(new);
        }
        let mut writer = Writer::new(self.words, count as u64, directory)?;
        for (_, state) in new.iter().zip(states).filter(|(new, _)| **new) {
            writer.push(state)?;
        }
        let mut run = writer.finish()?;
        while let Some(longer) = self.runs.pop_if(|longer| longer.records() < 2 * run.records()) {
            run = longer.merge(run, directory)?;
        }
        self.runs.push(run);
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeSet, HashSet};

    #[test]
    fn is_a_set() {
        let directory = Directory::new(&std::env::temp_dir()).expect("a writable directory");
        let mut visited = Visited::new(1);
        let mut oracle = HashSet::new();
        for batch in 0..60u64 {
            let states: BTreeSet<[u64; 1]> =
                (0..batch * 97 % 4000).map(|index| [(index * index + batch * 1000) % 50_021]).collect();
            let list: Vec<&[u64]> = states.iter().map(<[u64; 1]>::as_slice).collect();
            let new = visited.add(list.iter().copied(), &directory).expect("room on the disk");
            for (new, state) in new.into_iter().zip(&states) {
                assert_eq!(new, oracle.insert(*state));
            }
            assert_eq!(visited.len(), oracle.len() as u64);
        }
    }
}
