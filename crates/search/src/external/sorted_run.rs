//! Sorted lists of records: in memory while they are short, otherwise in a file that is read one
//! block at a time.

use super::directory::{ScratchDirectory, ScratchFile};
use super::{ExternalFailure, check_every_block};
use crate::tuning::external::{BLOCK_RECORDS, MEMORY_RUN_WORDS, WRITE_BYTES};
use lariat_ir::Budget;
use std::cmp::Ordering;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Strictly ascending records of `words` words each.
#[derive(Debug)]
pub struct SortedRun {
    words: usize,
    records: u64,
    data: RunData,
}

#[derive(Debug)]
enum RunData {
    Memory(Vec<u64>),
    /// `fences` holds the first record of each block.
    File {
        file: ScratchFile,
        fences: Vec<u64>,
    },
}

impl SortedRun {
    pub fn records(&self) -> u64 {
        self.records
    }

    pub fn memory_bytes(&self) -> u64 {
        8 * match &self.data {
            RunData::Memory(list) => list.capacity() as u64,
            RunData::File { fences, .. } => fences.capacity() as u64,
        }
    }

    /// Looks up records in ascending order.
    pub fn lookup(&mut self) -> RunLookup<'_> {
        RunLookup { run: self, block: Vec::new(), number: None, position: 0 }
    }

    /// The union of two runs. Precondition: no record is in both.
    pub fn merge(
        mut self,
        mut other: SortedRun,
        directory: &ScratchDirectory,
        budget: &Budget,
    ) -> Result<SortedRun, ExternalFailure> {
        let mut writer = RunWriter::new(self.words, self.records + other.records, directory)?;
        let (mut left, mut right) = (RunReader::new(&mut self), RunReader::new(&mut other));
        for index in 0.. {
            check_every_block(budget, index)?;
            let reader = match (left.peek()?, right.peek()?) {
                (None, None) => break,
                (Some(one), Some(other)) if one < other => &mut left,
                (Some(_), None) => &mut left,
                (_, Some(_)) => &mut right,
            };
            writer.push(reader.peek()?.unwrap_or_default())?;
            reader.advance();
        }
        Ok(writer.finish()?)
    }
}

fn read_block(
    file: &mut ScratchFile,
    words: usize,
    number: usize,
    records: u64,
    block: &mut Vec<u64>,
) -> io::Result<()> {
    let first = (number * BLOCK_RECORDS) as u64;
    let count = (records - first).min(BLOCK_RECORDS as u64) as usize;
    file.file().seek(SeekFrom::Start(first * words as u64 * 8))?;
    read_words(file.file(), count * words, block)
}

/// Replaces the contents of `words` by the next `count` words of a file.
pub fn read_words(from: &mut impl Read, count: usize, words: &mut Vec<u64>) -> io::Result<()> {
    let mut bytes = vec![0; count * 8];
    from.read_exact(&mut bytes)?;
    words.clear();
    words.extend(
        bytes
            .chunks_exact(8)
            .map(|chunk| u64::from_le_bytes(chunk.try_into().expect("eight bytes"))),
    );
    Ok(())
}

pub fn write_words(to: &mut impl Write, words: &[u64]) -> io::Result<()> {
    words.iter().try_for_each(|word| to.write_all(&word.to_le_bytes()))
}

/// Reads the records of a run in order.
struct RunReader<'a> {
    run: &'a mut SortedRun,
    block: Vec<u64>,
    /// The next block to read.
    number: usize,
    /// The current record's place in the block, or in the list in memory.
    position: usize,
}

impl<'a> RunReader<'a> {
    fn new(run: &'a mut SortedRun) -> RunReader<'a> {
        RunReader { run, block: Vec::new(), number: 0, position: 0 }
    }

    /// The current record; `None` after the last one.
    fn peek(&mut self) -> io::Result<Option<&[u64]>> {
        let words = self.run.words;
        let list = match &mut self.run.data {
            RunData::Memory(list) => list,
            RunData::File { file, fences } => {
                if self.position == self.block.len() && self.number < fences.len() / words {
                    read_block(file, words, self.number, self.run.records, &mut self.block)?;
                    self.number += 1;
                    self.position = 0;
                }
                &mut self.block
            }
        };
        Ok(list.get(self.position..self.position + words))
    }

    fn advance(&mut self) {
        self.position += self.run.words;
    }
}

/// Looks up ascending records; reads each block at most once, and only the blocks needed.
#[derive(Debug)]
pub struct RunLookup<'a> {
    run: &'a mut SortedRun,
    block: Vec<u64>,
    number: Option<usize>,
    /// Where in the block, or in the list in memory, the previous lookup ended.
    position: usize,
}

impl RunLookup<'_> {
    /// Precondition: `record` is not below the one looked up before.
    pub fn contains(&mut self, record: &[u64]) -> io::Result<bool> {
        let words = self.run.words;
        let list = match &mut self.run.data {
            RunData::Memory(list) => &*list,
            RunData::File { file, fences } => {
                let after = partition(fences, words, 0, |fence| fence <= record);
                let Some(number) = after.checked_sub(1) else { return Ok(false) };
                if self.number != Some(number) {
                    read_block(file, words, number, self.run.records, &mut self.block)?;
                    self.number = Some(number);
                    self.position = 0;
                }
                &self.block
            }
        };
        self.position = partition(list, words, self.position, |other| other < record);
        let start = self.position * words;
        Ok(list.get(start..start + words).is_some_and(|found| found.cmp(record) == Ordering::Equal))
    }
}

/// The index of the first record at or after `from` for which `before` is false.
fn partition(list: &[u64], words: usize, from: usize, before: impl Fn(&[u64]) -> bool) -> usize {
    let (mut low, mut high) = (from, list.len() / words);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(&list[middle * words..(middle + 1) * words]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Builds a run from records in ascending order.
pub struct RunWriter {
    words: usize,
    records: u64,
    output: RunOutput,
}

enum RunOutput {
    Memory(Vec<u64>),
    File { file: BufWriter<ScratchFile>, fences: Vec<u64> },
}

impl RunWriter {
    /// `records` is the expected number of records; it decides whether the run goes to a file.
    pub fn new(words: usize, records: u64, directory: &ScratchDirectory) -> io::Result<RunWriter> {
        let output = if records * words as u64 <= MEMORY_RUN_WORDS {
            RunOutput::Memory(Vec::new())
        } else {
            RunOutput::File {
                file: BufWriter::with_capacity(WRITE_BYTES, directory.create_file()?),
                fences: Vec::new(),
            }
        };
        Ok(RunWriter { words, records: 0, output })
    }

    /// Precondition: `record` is above the one before.
    pub fn push(&mut self, record: &[u64]) -> io::Result<()> {
        match &mut self.output {
            RunOutput::Memory(list) => list.extend_from_slice(record),
            RunOutput::File { file, fences } => {
                if self.records.is_multiple_of(BLOCK_RECORDS as u64) {
                    fences.extend_from_slice(record);
                }
                write_words(file, record)?;
            }
        }
        self.records += 1;
        Ok(())
    }

    pub fn finish(self) -> io::Result<SortedRun> {
        let data = match self.output {
            RunOutput::Memory(list) => RunData::Memory(list),
            RunOutput::File { file, fences } => RunData::File {
                file: file.into_inner().map_err(io::IntoInnerError::into_error)?,
                fences,
            },
        };
        Ok(SortedRun { words: self.words, records: self.records, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limit;
    use lariat_ir::budget::UNLIMITED;
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    fn make(records: &BTreeSet<Vec<u64>>, directory: &ScratchDirectory) -> SortedRun {
        let mut writer =
            RunWriter::new(2, records.len() as u64, directory).expect("a writable directory");
        records.iter().try_for_each(|record| writer.push(record)).expect("room on the disk");
        writer.finish().expect("room on the disk")
    }

    /// Written records are found in short and long runs, alone and merged.
    #[test]
    fn finds_written_records() {
        let directory = ScratchDirectory::new(&std::env::temp_dir()).expect("a writable directory");
        for number in [0u64, 1, 1000, 60_000] {
            let one: BTreeSet<Vec<u64>> =
                (0..number).map(|index| vec![index * 37 % 4096, index * 2]).collect();
            let two: BTreeSet<Vec<u64>> =
                (0..number / 3).map(|index| vec![index % 4096, index * 6 + 1]).collect();
            let mut merged = make(&one, &directory)
                .merge(make(&two, &directory), &directory, &UNLIMITED)
                .expect("merged");
            assert_eq!(merged.records(), (one.len() + two.len()) as u64);
            let mut lookup = merged.lookup();
            let candidates: BTreeSet<Vec<u64>> = (0..number + 5)
                .step_by(3)
                .map(|index| vec![index * 37 % 4096, index])
                .chain(two.clone())
                .collect();
            for record in &candidates {
                let known = one.contains(record) || two.contains(record);
                assert_eq!(lookup.contains(record).expect("readable"), known, "{record:?}");
            }
        }
    }

    #[test]
    fn an_interrupt_ends_a_merge() {
        let directory = ScratchDirectory::new(&std::env::temp_dir()).expect("a writable directory");
        let run = |odd| make(&(0..60_000).map(|index| vec![index, odd]).collect(), &directory);
        let budget = Budget::until(Arc::new(AtomicBool::new(true)));
        let merged = run(0).merge(run(1), &directory, &budget);
        assert!(matches!(merged, Err(ExternalFailure::Limit(Limit::Interrupted))));
    }
}
