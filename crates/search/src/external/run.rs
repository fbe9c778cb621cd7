//! Sorted lists of states, in memory while they are short, otherwise in a file that is read a block at a time.

use super::directory::{Directory, Scratch};
use std::cmp::Ordering;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Words of a list that stays in memory.
const SHORT_WORDS: usize = 1 << 15;
/// Records of a block; the first of each is kept in memory.
const BLOCK_RECORDS: usize = 512;

/// Sorted records of as many words, no two equal.
#[derive(Debug)]
pub struct Run {
    words: usize,
    records: u64,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Memory(Vec<u64>),
    /// The first record of each block is in `fences`.
    File {
        file: Scratch,
        fences: Vec<u64>,
    },
}

impl Run {
    pub fn records(&self) -> u64 {
        self.records
    }

    pub fn memory_bytes(&self) -> u64 {
        8 * match &self.place {
            Place::Memory(list) => list.capacity() as u64,
            Place::File { fences, .. } => fences.capacity() as u64,
        }
    }

    /// A way to look records up, in ascending order.
    pub fn lookup(&mut self) -> Lookup<'_> {
        Lookup { run: self, block: Vec::new(), number: None, position: 0 }
    }

    /// Calls `visit` with every record in order.
    fn for_each(&mut self, mut visit: impl FnMut(&[u64]) -> io::Result<()>) -> io::Result<()> {
        let words = self.words;
        match &mut self.place {
            Place::Memory(list) => list.chunks_exact(words).try_for_each(visit),
            Place::File { file, fences } => {
                let mut block = Vec::new();
                for number in 0..fences.len() / words {
                    read_block(file, words, number, self.records, &mut block)?;
                    block.chunks_exact(words).try_for_each(&mut visit)?;
                }
                Ok(())
            }
        }
    }

    /// All records of both. Precondition: none is in both.
    pub fn merge(mut self, mut other: Run, directory: &Directory) -> io::Result<Run> {
        let words = self.words;
        let mut writer = Writer::new(words, self.records + other.records, directory)?;
        let mut others = Records::new(&mut other);
        let mut waiting = others.next()?;
        self.for_each(|record| {
            while let Some(earlier) = &waiting
                && earlier.as_slice() < record
            {
                writer.push(earlier)?;
                waiting = others.next()?;
            }
            writer.push(record)
        })?;
        while let Some(record) = waiting {
            writer.push(&record)?;
            waiting = others.next()?;
        }
        writer.finish()
    }
}

fn read_block(
    file: &mut Scratch,
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

/// Reads so many words.
pub fn read_words(from: &mut impl Read, count: usize, words: &mut Vec<u64>) -> io::Result<()> {
    let mut bytes = vec![0; count * 8];
    from.read_exact(&mut bytes)?;
    words.clear();
    words.extend(
        bytes.chunks_exact(8).map(|chunk| u64::from_le_bytes(chunk.try_into().expect("eight bytes"))),
    );
    Ok(())
}

pub fn write_words(to: &mut impl Write, words: &[u64]) -> io::Result<()> {
    words.iter().try_for_each(|word| to.write_all(&word.to_le_bytes()))
}

/// The records of a run, one after the other.
struct Records<'a> {
    run: &'a mut Run,
    block: Vec<u64>,
    number: usize,
    position: usize,
}

impl<'a> Records<'a> {
    fn new(run: &'a mut Run) -> Records<'a> {
        Records { run, block: Vec::new(), number: 0, position: 0 }
    }

    fn next(&mut self) -> io::Result<Option<Vec<u64>>> {
        let words = self.run.words;
        let list = match &mut self.run.place {
            Place::Memory(list) => list,
            Place::File { file, fences } => {
                if self.position == self.block.len() && self.number < fences.len() / words {
                    read_block(file, words, self.number, self.run.records, &mut self.block)?;
                    self.number += 1;
                    self.position = 0;
                }
                &mut self.block
            }
        };
        let record = list.get(self.position..self.position + words).map(<[u64]>::to_vec);
        self.position += words;
        Ok(record)
    }
}

/// Looks records up that come in ascending order: reads each block at most once, and only those needed.
#[derive(Debug)]
pub struct Lookup<'a> {
    run: &'a mut Run,
    block: Vec<u64>,
    number: Option<usize>,
    /// Where in the list or block the last search ended.
    position: usize,
}

impl Lookup<'_> {
    /// Precondition: `record` is not below the one looked up before.
    pub fn contains(&mut self, record: &[u64]) -> io::Result<bool> {
        let words = self.run.words;
        let list = match &mut self.run.place {
            Place::Memory(list) => &*list,
            Place::File { file, fences } => {
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

/// The number of the first record at or after `from` for which `before` is false.
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

/// Makes a run of records that come in order.
pub struct Writer {
    words: usize,
    records: u64,
    place: Target,
}

enum Target {
    Memory(Vec<u64>),
    File { file: BufWriter<Scratch>, fences: Vec<u64> },
}

impl Writer {
    /// Of about so many records.
    pub fn new(words: usize, records: u64, directory: &Directory) -> io::Result<Writer> {
        let place = if records * words as u64 <= SHORT_WORDS as u64 {
            Target::Memory(Vec::new())
        } else {
            Target::File { file: BufWriter::with_capacity(1 << 18, directory.file()?), fences: Vec::new() }
        };
        Ok(Writer { words, records: 0, place })
    }

    /// Precondition: `record` is above the one before.
    pub fn push(&mut self, record: &[u64]) -> io::Result<()> {
        match &mut self.place {
            Target::Memory(list) => list.extend_from_slice(record),
            Target::File { file, fences } => {
                if self.records.is_multiple_of(BLOCK_RECORDS as u64) {
                    fences.extend_from_slice(record);
                }
                write_words(file, record)?;
            }
        }
        self.records += 1;
        Ok(())
    }

    pub fn finish(self) -> io::Result<Run> {
        let place = match self.place {
            Target::Memory(list) => Place::Memory(list),
            Target::File { file, fences } => {
                Place::File { file: file.into_inner().map_err(io::IntoInnerError::into_error)?, fences }
            }
        };
        Ok(Run { words: self.words, records: self.records, place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn make(records: &BTreeSet<Vec<u64>>, directory: &Directory) -> Run {
        let mut writer = Writer::new(2, records.len() as u64, directory).expect("a writable directory");
        records.iter().try_for_each(|record| writer.push(record)).expect("room on the disk");
        writer.finish().expect("room on the disk")
    }

    /// Short lists and long ones: what was written is found, alone and merged.
    #[test]
    fn finds_what_was_written() {
        let directory = Directory::new(&std::env::temp_dir()).expect("a writable directory");
        for number in [0u64, 1, 1000, 60_000] {
            let one: BTreeSet<Vec<u64>> =
                (0..number).map(|index| vec![index * 37 % 4096, index * 2]).collect();
            let two: BTreeSet<Vec<u64>> =
                (0..number / 3).map(|index| vec![index % 4096, index * 6 + 1]).collect();
            let mut merged =
                make(&one, &directory).merge(make(&two, &directory), &directory).expect("merged");
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
}
