//! A search on disk: everything known when it paused, to go on from there another day.
//!
//! The file is a sequence of 64-bit words, the lowest byte first: a head, the figures and findings (as JSON), the stored
//! states, the states to expand, those for which there was no room, and a checksum. States are written as they are packed, so the
//! file also has what led to the layout: the states that did not fit the earlier ones. It belongs to one program and one
//! kind of search; [`Saved::open`] sees whether these are the same and whether the file is whole.
//!
//! The checksum detects damage, not forgery. Everything read is therefore checked before it is used: lengths against the
//! size of the file, figures against what a search can count, states against the shape of the program's states. A forged
//! file leads to an error or to a search; what such a search says about the program cannot be trusted.

use crate::coverage::Coverage;
use crate::faults::{self, Watched};
use crate::limits::Limit;
use crate::outcome::{MAX_VIOLATIONS, Violation};
use crate::scratch::Temporary;
use crate::tally::Tally;
use crate::ways::Ways;
use crate::{Options, Order};
use model::system::Width;
use model::{RuntimeError, State, Step};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `lariatcp`
const MAGIC: u64 = u64::from_le_bytes(*b"lariatcp");
const VERSION: u64 = 1;
/// No search counts as far as this. Larger figures are a sign of a forged file, and could overflow.
const LARGEST_FIGURE: u64 = 1 << 56;
/// The longest time a search has taken.
const LONGEST_TIME: Duration = Duration::from_secs(1000 * 365 * 24 * 3600);
/// Upper bound on the layout changes of a search: each makes the layout about half as large again.
const MOST_MISFITS: usize = 1000;

/// Where and when to save a search.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint<'a> {
    pub path: &'a Path,
    /// Also while the search goes on, this often.
    pub every: Option<Duration>,
    /// What tells the program from others.
    pub fingerprint: u64,
}

/// Why a saved search cannot be resumed.
#[derive(Debug)]
pub enum ResumeError {
    Unreadable(io::Error),
    /// It is no saved search.
    Foreign,
    /// It is from another version of the program.
    Version(u64),
    /// It ends too early, or its contents have changed.
    Damaged,
    /// It belongs to another model, or to the same one checked differently.
    Other(&'static str),
    /// A limit was reached before everything was read.
    Limit(Limit),
    /// Its states do not fit into memory, or into what may be used of it.
    NoMemory,
}

impl fmt::Display for ResumeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResumeError::Unreadable(error) => error.fmt(out),
            ResumeError::Foreign => out.write_str("this is not a saved search"),
            ResumeError::Version(version) => {
                write!(out, "the search was saved by another version (format {version}, not {VERSION})")
            }
            ResumeError::Damaged => out.write_str("the file is damaged or not complete"),
            ResumeError::NoMemory => out.write_str("there is not enough memory for the saved states"),
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

/// Everything but the states.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub fingerprint: u64,
    pub breadth_first: bool,
    pub all_errors: bool,
    pub store: String,
    /// The states that did not fit, in the order of the layouts they led to.
    pub misfits: Vec<Vec<State>>,
    /// For each of these, whether it was a value within a step that did not fit.
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
    /// One of each kind.
    kinds: Vec<RuntimeError>,
    violations: Vec<Violation>,
    unshown: Vec<RuntimeError>,
    coverage: Vec<u64>,
    endless_atomic: bool,
    too_deep: bool,
}

impl Figures {
    pub fn new(tally: &Tally, options: &Options<'_>, fingerprint: u64) -> Figures {
        Figures {
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

    /// Can a search of a program with this number of transitions have counted these figures?
    pub fn are_possible(&self, transitions: usize) -> bool {
        let counted = [self.states, self.transitions, self.atomic_steps, self.depth, self.errors];
        let found = self.violations.len() + self.unshown.len();
        counted.into_iter().all(|figure| figure < LARGEST_FIGURE)
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
            // A sample of what comes will do.
            ways: Ways::default(),
        }
    }
}

/// A sum that changes when a word does.
fn mix(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The file to which a checkpoint is written until it is complete.
pub fn part_of_checkpoint(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Writes words and sums them up.
pub(crate) struct Writer {
    out: BufWriter<Watched>,
    sum: u64,
    path: PathBuf,
    /// Removed unless the file is complete.
    temporary: Temporary,
}

impl Writer {
    /// Begins a file. What is at `path` stays until the new file is complete.
    pub fn create(path: &Path, figures: &Figures) -> io::Result<Writer> {
        let part = part_of_checkpoint(path);
        faults::file()?;
        let out = BufWriter::with_capacity(1 << 20, Watched(File::create(&part)?));
        let temporary = Temporary::new(part);
        let mut writer = Writer { out, sum: 0, path: path.to_owned(), temporary };
        let mut text = serde_json::to_vec(figures)?;
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

    /// A list with its length in words before it.
    pub fn list(&mut self, words: &[u64]) -> io::Result<()> {
        self.words(&[words.len() as u64])?;
        self.words(words)
    }

    /// The file is complete.
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

/// Reads words and sums them up.
struct Words {
    input: BufReader<Watched>,
    sum: u64,
    /// How many words of the file have not been read.
    left: u64,
}

impl Words {
    /// Precondition for everything that follows: what is there is an ordinary file. Reading from a pipe could wait forever.
    fn open(path: &Path) -> Result<Words, ResumeError> {
        if !std::fs::metadata(path)?.is_file() {
            return Err(ResumeError::Foreign);
        }
        faults::file()?;
        let file = File::open(path)?;
        let left = file.metadata()?.len() / 8;
        Ok(Words { input: BufReader::with_capacity(1 << 20, Watched(file)), sum: 0, left })
    }

    fn next(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.input.read_exact(&mut bytes)?;
        let word = u64::from_le_bytes(bytes);
        self.sum = mix(self.sum, word);
        self.left = self.left.saturating_sub(1);
        Ok(word)
    }

    /// The length of a list, in words. A list is shorter than what is left of the file.
    fn length(&mut self) -> Result<u64, ResumeError> {
        let length = self.next()?;
        if length < self.left { Ok(length) } else { Err(ResumeError::Damaged) }
    }

    /// The end of the file: the checksum.
    fn end(&mut self) -> Result<(), ResumeError> {
        let sum = self.sum;
        if self.next()? == sum && self.left == 0 { Ok(()) } else { Err(ResumeError::Damaged) }
    }

    fn figures(&mut self) -> Result<Figures, ResumeError> {
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
pub struct Saved {
    path: PathBuf,
    pub(crate) figures: Figures,
}

/// The states of a saved search, in the order in which they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Those in the store, without what is not stored of them.
    Stored,
    /// Those to expand.
    Frontier,
    /// Those of the next level.
    Next,
    /// Those that had no room in the store.
    Waiting,
}

impl Saved {
    /// Looks at the whole file: is it what it should be, and of this program and search?
    pub fn open(path: &Path, fingerprint: u64, options: &Options<'_>) -> Result<Saved, ResumeError> {
        let mut words = Words::open(path)?;
        let figures = words.figures()?;
        if figures.fingerprint != fingerprint {
            return Err(ResumeError::Other("model"));
        }
        if figures.breadth_first != (options.order == Order::BreadthFirst) {
            return Err(ResumeError::Other("order of search"));
        }
        if figures.store != format!("{:?}", options.store) {
            return Err(ResumeError::Other("store"));
        }
        if figures.all_errors != options.all_errors {
            return Err(ResumeError::Other("setting of --all-errors"));
        }
        for _ in 0..4 {
            for _ in 0..words.length()? {
                words.next()?;
            }
        }
        words.end()?;
        Ok(Saved { path: path.to_owned(), figures })
    }

    /// Reads all states; `visit` gets the words of one at a time, with the search's own word before those not in the
    /// store.
    pub(crate) fn read(
        &self,
        width: Width,
        mut visit: impl FnMut(Part, &[u64]) -> Result<(), ResumeError>,
    ) -> Result<(), ResumeError> {
        let mut words = Words::open(&self.path)?;
        words.figures()?;
        let mut entry = Vec::new();
        for part in [Part::Stored, Part::Frontier, Part::Next, Part::Waiting] {
            let stride = if part == Part::Stored { width.identity } else { width.all + 1 };
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
        // The file may have changed since it was opened first.
        words.end()
    }
}
