//! An output file. It is opened before the search, so that an error is reported early, and written
//! after it; an existing file keeps its content until then.

use super::Exit;
use super::signals::leave_while_printing;
use super::writing::Writing;
use lariat::report::printable;
use lariat_ir::Exhausted;
use lariat_search::faults::{self, FaultyFile};
use lariat_search::temporary::Temporary;
use std::fs::OpenOptions;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file, a device, a pipe, standard output or standard error.
#[derive(Debug)]
pub enum Destination {
    StandardOutput,
    StandardError,
    File {
        file: FaultyFile,
        /// Present if the file did not exist before; the file is removed if nothing is written.
        new: Option<Temporary>,
    },
}

impl Destination {
    /// Opens the path for writing without changing an existing file.
    pub fn open(path: &Path) -> io::Result<Destination> {
        // Opening a standard stream by name would create a second file position, and the two
        // writers would overwrite each other.
        match path.to_str() {
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => {
                return Ok(Destination::StandardOutput);
            }
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => {
                return Ok(Destination::StandardError);
            }
            _ => {}
        }
        faults::file()?;
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => {
                let new = Some(Temporary::new(path.to_owned()));
                Ok(Destination::File { file: FaultyFile(file), new })
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // The path may be a symbolic link to a file that does not exist yet.
                let file =
                    OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
                Ok(Destination::File { file: FaultyFile(file), new: None })
            }
            Err(error) => Err(error),
        }
    }

    /// Replaces the content by the text. If the time is over before the end, the file is empty, or
    /// does not exist if it did not exist before.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn write(self, text: String, time: &Writing) -> Result<io::Result<()>, Exhausted> {
        let is_file = |file: &FaultyFile| file.0.metadata().is_ok_and(|data| data.is_file());
        match self {
            Destination::File { file, new } if is_file(&file) => write_file(file, new, &text, time),
            // The reader of a pipe may never read.
            file @ Destination::File { .. } => time.run(move || file.write_at_once(&text)),
            // A thread that is abandoned here would keep standard output locked.
            stream => Ok(leave_while_printing(Exit::Inconclusive, || stream.write_at_once(&text))),
        }
    }

    fn write_at_once(self, text: &str) -> io::Result<()> {
        match self {
            // A closed pipe is not an error.
            Destination::StandardOutput => match to_stdout(text) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                result => result,
            },
            Destination::StandardError => io::stderr().write_all(text.as_bytes()),
            Destination::File { mut file, new } => {
                file.write_all(text.as_bytes())?;
                new.map(Temporary::keep);
                Ok(())
            }
        }
    }

    /// The canonical path of a regular file, which tells whether two paths denote the same file.
    pub fn identity(&self, path: &Path) -> Option<PathBuf> {
        match self {
            Destination::File { file, .. }
                if file.0.metadata().is_ok_and(|metadata| metadata.is_file()) =>
            {
                path.canonicalize().ok()
            }
            _ => None,
        }
    }
}

/// The number of bytes that are written between two checks of the time.
const BLOCK_BYTES: usize = 1 << 20;

fn write_file(
    mut file: FaultyFile,
    new: Option<Temporary>,
    text: &str,
    time: &Writing,
) -> Result<io::Result<()>, Exhausted> {
    let mut write = || -> io::Result<Result<(), Exhausted>> {
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        for block in text.as_bytes().chunks(BLOCK_BYTES) {
            if let Err(limit) = time.check() {
                file.set_len(0)?;
                return Ok(Err(limit));
            }
            file.write_all(block)?;
        }
        Ok(Ok(()))
    };
    match write() {
        Ok(Ok(())) => {
            new.map(Temporary::keep);
            Ok(Ok(()))
        }
        Ok(Err(limit)) => Err(limit),
        Err(error) => Ok(Err(error)),
    }
}

/// Writes and flushes the text.
pub fn to_stdout(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    faults::file()?;
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// The error message for a file that cannot be written, in one line.
pub fn cannot_write(path: &Path, error: &io::Error) -> String {
    let cause = match error.kind() {
        io::ErrorKind::NotFound => "its directory does not exist".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "it is a directory".into(),
        io::ErrorKind::BrokenPipe => "the pipe was closed by its reader".into(),
        io::ErrorKind::StorageFull => "there is no space left on the device".into(),
        _ => error.to_string(),
    };
    format!("cannot write {}: {cause}", printable(&path.to_string_lossy()))
}
