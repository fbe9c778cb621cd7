//! The file format of a saved search.
//!
//! The file is a sequence of little-endian 64-bit words: magic number and version, a header (counts
//! and errors, as JSON), the stored states, the states to expand, the successors for which the
//! store was full, and a checksum. States are written in their packed form, so the header also has
//! the misfits that led to the layout. A file belongs to one program and one kind of search;
//! [`SavedSearch::open`] checks both, and that the file is complete.
//!
//! The checksum detects damage, not forgery. Everything read is checked before use: lengths against
//! the size of the file, counts against their possible range, states against the layout. A forged
//! file leads to an error or to a search; the outcome of such a search cannot be trusted.

use crate::faults::{self, FaultyFile};
use crate::limits::Limit;
use crate::omission::in_degree::InDegreeSample;
use crate::outcome::{MAX_VIOLATIONS, Violation};
use crate::reach::coverage::Coverage;
use crate::reach::tally::Tally;
use crate::temporary::Temporary;
use crate::{Options, Order};
use lariat_ir::system::Width;
use lariat_ir::{RuntimeError, State, Step};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `lariatcp`
const MAGIC: u64 = u64::from_le_bytes(*b"lariatcp");
const VERSION: u64 = 1;
/// Bound on the counts of a search. Larger counts prove a forged file, and could overflow.
const LARGEST_FIGURE: u64 = 1 << 56;
/// Bound on the time of a search.
const LONGEST_TIME: Duration = Duration::from_secs(1000 * 365 * 24 * 3600);
/// Bound on the layout changes of a search: each makes the layout about half as large again.
const MOST_MISFITS: usize = 1000;

/// Where and when to save a search.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint<'a> {
    /// The file.
    pub path: &'a Path,
    /// Save also during the search, at this interval.
    pub every: Option<Duration>,
    /// Identifies the program.
    pub fingerprint: u64,
}

/// Why a saved search cannot be resumed.
#[derive(Debug)]
pub enum ResumeError {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The file is not a saved search.
    Foreign,
    /// The file has another version of the format.
    Version(u64),
    /// The file is truncated or altered.
    Damaged,
    /// The file belongs to another model or kind of search: this differs.
    Other(&'static str),
    /// A limit was reached while reading.
    Limit(Limit),
    /// The states do not fit within the memory limit.
    NoMemory,
}

impl fmt::Display for ResumeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResumeError::Unreadable(error) => error.fmt(out),
            ResumeError::Foreign => out.write_str("this is not a saved search"),
            ResumeError::Version(version) => {
                write!(
                    out,
                    "the search was saved by another version (format {version}, not {VERSION})"
                )
            }
            ResumeError::Damaged => out.write_str("the file is damaged or not complete"),
            ResumeError::NoMemory => {
                out.write_str("there is not enough memory for the saved states")
            }
            ResumeError::Limit(limit) => write!(out, "{limit} before the saved search was read"),
            ResumeError::Other(what) => write!(out, "the saved search has another {what}"),
        }
    }
}

impl std::error::Error for ResumeError {}

impl From<io::Error> for ResumeError {
    fn from(error: io::Error) -> ResumeError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => ResumeError::Damaged,
            _ => ResumeError::Unreadable(error),
        }
    }
}

/// Everything in a saved search but the states.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CheckpointHeader {
    pub fingerprint: u64,
    pub breadth_first: bool,
    pub all_errors: bool,
    pub store: String,
    /// The states of each misfit, in order.
    pub misfits: Vec<Vec<State>>,
    /// For each misfit, whether an intermediate value of a step did not fit.
    #[serde(default)]
    pub within_steps: Vec<bool>,
    pub identity_bits: Vec<u32>,
    pub words: usize,
    pub elapsed: Duration,
    states: u64,
    transitions: u64,
    atomic_steps: u64,
    depth: u64,
    errors: u64,
    /// One error of each kind.
    kinds: Vec<RuntimeError>,
    violations: Vec<Violation>,
    unshown: Vec<RuntimeError>,
    coverage: Vec<u64>,
    endless_atomic: bool,
    too_deep: bool,
}

impl CheckpointHeader {
    pub fn new(tally: &Tally, options: &Options<'_>, fingerprint: u64) -> CheckpointHeader {
        CheckpointHeader {
            fingerprint,
            breadth_first: options.order == Order::BreadthFirst,
            all_errors: options.all_errors,
            store: format!("{:?}", options.store),
            misfits: Vec::new(),
            within_steps: Vec::new(),
            identity_bits: Vec::new(),
            words: 0,
            elapsed: Duration::ZERO,
            states: tally.states,
            transitions: tally.transitions,
            atomic_steps: tally.atomic_steps,
            depth: tally.depth,
            errors: tally.errors,
            kinds: tally.error_kinds.values().cloned().collect(),
            violations: tally.violations.clone(),
            unshown: tally.unshown.clone(),
            coverage: tally.coverage.words().to_vec(),
            endless_atomic: tally.endless_atomic,
            too_deep: tally.too_deep,
        }
    }

    /// Whether a search of a program with this number of transitions can have these counts.
    pub fn is_possible(&self, transitions: usize) -> bool {
        let counted = [self.states, self.transitions, self.atomic_steps, self.depth, self.errors];
        let found = self.violations.len() + self.unshown.len();
        counted.into_iter().all(|count| count < LARGEST_FIGURE)
            && self.elapsed < LONGEST_TIME
            && self.misfits.len() <= MOST_MISFITS
            && self.coverage.len() <= transitions.div_ceil(64)
            && found <= MAX_VIOLATIONS
            && found as u64 <= self.errors
            && self.kinds.is_empty() == (self.errors == 0)
    }

    /// The steps of all runs.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.violations.iter().flat_map(|violation| &violation.run.steps)
    }

    pub fn tally(&self) -> Tally {
        Tally {
            states: self.states,
            transitions: self.transitions,
            atomic_steps: self.atomic_steps,
            depth: self.depth,
            errors: self.errors,
            error_kinds: self.kinds.iter().map(|error| (error.kind(), error.clone())).collect(),
            violations: self.violations.clone(),
            unshown: self.unshown.clone(),
            coverage: Coverage::from_words(self.coverage.clone()),
            endless_atomic: self.endless_atomic,
            too_deep: self.too_deep,
            // The sample starts empty.
            ways: InDegreeSample::default(),
        }
    }
}

/// The checksum of a sequence extended by `word`.
fn mix(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The temporary file to which a checkpoint is written until it is complete.
pub fn partial_checkpoint_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Writes words and computes their checksum.
pub(crate) struct CheckpointWriter {
    out: BufWriter<FaultyFile>,
    sum: u64,
    path: PathBuf,
    /// Removed on drop unless the file is complete.
    temporary: Temporary,
}

impl CheckpointWriter {
    /// Begins a file. It replaces the file at `path` only when it is complete.
    pub fn create(path: &Path, header: &CheckpointHeader) -> io::Result<CheckpointWriter> {
        let part = partial_checkpoint_path(path);
        faults::file()?;
        let out = BufWriter::with_capacity(1 << 20, FaultyFile(File::create(&part)?));
        let temporary = Temporary::new(part);
        let mut writer = CheckpointWriter { out, sum: 0, path: path.to_owned(), temporary };
        let mut text = serde_json::to_vec(header)?;
        text.resize(text.len().next_multiple_of(8), b' ');
        writer.words(&[MAGIC, VERSION, text.len() as u64])?;
        for bytes in text.chunks_exact(8) {
            writer.words(&[u64::from_le_bytes(bytes.try_into().expect("eight bytes"))])?;
        }
        Ok(writer)
    }

    pub fn words(&mut self, words: &[u64]) -> io::Result<()> {
        for &word in words {
            self.sum = mix(self.sum, word);
            self.out.write_all(&word.to_le_bytes())?;
        }
        Ok(())
    }

    /// Writes the length of a list, then the list.
    pub fn list(&mut self, words: &[u64]) -> io::Result<()> {
        self.words(&[words.len() as u64])?;
        self.words(words)
    }

    /// Completes the file.
    pub fn finish(mut self) -> io::Result<()> {
        let sum = self.sum;
        self.words(&[sum])?;
        self.out.flush()?;
        faults::file()?;
        self.out.get_ref().0.sync_all()?;
        faults::file()?;
        std::fs::rename(self.temporary.path(), &self.path)?;
        self.temporary.keep();
        Ok(())
    }
}

/// Reads words and computes their checksum.
struct CheckpointReader {
    input: BufReader<FaultyFile>,
    sum: u64,
    /// Words of the file that have not been read.
    left: u64,
}

impl CheckpointReader {
    /// Accepts only regular files: reading from a pipe could block forever.
    fn open(path: &Path) -> Result<CheckpointReader, ResumeError> {
        if !std::fs::metadata(path)?.is_file() {
            return Err(ResumeError::Foreign);
        }
        faults::file()?;
        let file = File::open(path)?;
        let left = file.metadata()?.len() / 8;
        Ok(CheckpointReader {
            input: BufReader::with_capacity(1 << 20, FaultyFile(file)),
            sum: 0,
            left,
        })
    }

    fn next(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.input.read_exact(&mut bytes)?;
        let word = u64::from_le_bytes(bytes);
        self.sum = mix(self.sum, word);
        self.left = self.left.saturating_sub(1);
        Ok(word)
    }

    /// Reads the length of a list. A length beyond the end of the file means that it is damaged.
    fn length(&mut self) -> Result<u64, ResumeError> {
        let length = self.next()?;
        if length < self.left { Ok(length) } else { Err(ResumeError::Damaged) }
    }

    /// Reads the checksum at the end of the file.
    fn end(&mut self) -> Result<(), ResumeError> {
        let sum = self.sum;
        if self.next()? == sum && self.left == 0 { Ok(()) } else { Err(ResumeError::Damaged) }
    }

    fn header(&mut self) -> Result<CheckpointHeader, ResumeError> {
        if self.next().map_err(|_| ResumeError::Foreign)? != MAGIC {
            return Err(ResumeError::Foreign);
        }
        let version = self.next()?;
        if version != VERSION {
            return Err(ResumeError::Version(version));
        }
        let bytes = self.next()?;
        if bytes % 8 != 0 || bytes / 8 >= self.left {
            return Err(ResumeError::Damaged);
        }
        let mut text = Vec::new();
        for _ in 0..bytes / 8 {
            text.extend_from_slice(&self.next()?.to_le_bytes());
        }
        serde_json::from_slice(&text).map_err(|_| ResumeError::Damaged)
    }
}

/// A saved search that can be resumed.
#[derive(Debug)]
pub struct SavedSearch {
    path: PathBuf,
    pub(crate) header: CheckpointHeader,
}

/// The sections of a file with states, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckpointSection {
    /// The stored states: their identity words.
    Stored,
    /// The states to expand.
    Frontier,
    /// The states of the next breadth-first level.
    Next,
    /// Successors that could not be inserted because the store was full.
    Waiting,
}

impl SavedSearch {
    /// Reads the complete file and checks that it belongs to this program and kind of search.
    pub fn open(
        path: &Path,
        fingerprint: u64,
        options: &Options<'_>,
    ) -> Result<SavedSearch, ResumeError> {
        let mut words = CheckpointReader::open(path)?;
        let header = words.header()?;
        if header.fingerprint != fingerprint {
            return Err(ResumeError::Other("model"));
        }
        if header.breadth_first != (options.order == Order::BreadthFirst) {
            return Err(ResumeError::Other("order of search"));
        }
        if header.store != format!("{:?}", options.store) {
            return Err(ResumeError::Other("store"));
        }
        if header.all_errors != options.all_errors {
            return Err(ResumeError::Other("setting of --all-errors"));
        }
        for _ in 0..4 {
            for _ in 0..words.length()? {
                words.next()?;
            }
        }
        words.end()?;
        Ok(SavedSearch { path: path.to_owned(), header })
    }

    /// Calls `visit` with each state. Outside of the store, the header word precedes the state.
    pub(crate) fn read(
        &self,
        width: Width,
        mut visit: impl FnMut(CheckpointSection, &[u64]) -> Result<(), ResumeError>,
    ) -> Result<(), ResumeError> {
        let mut words = CheckpointReader::open(&self.path)?;
        words.header()?;
        let mut entry = Vec::new();
        for part in [
            CheckpointSection::Stored,
            CheckpointSection::Frontier,
            CheckpointSection::Next,
            CheckpointSection::Waiting,
        ] {
            let stride =
                if part == CheckpointSection::Stored { width.identity } else { width.all + 1 };
            let length = words.length()?;
            if length.checked_rem(stride as u64) != Some(0) {
                return Err(ResumeError::Damaged);
            }
            for _ in 0..length / stride as u64 {
                entry.clear();
                for _ in 0..stride {
                    entry.push(words.next()?);
                }
                visit(part, &entry)?;
            }
        }
        // The file may have changed since it was checked.
        words.end()
    }
}
