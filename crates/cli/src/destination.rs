//! An output file. It is opened before the search, so that an error is reported early, and written
//! after it; an existing file keeps its content until then.

use lariat::report::printable;
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

    /// Replaces the content by the text.
    pub fn write(self, text: &str) -> io::Result<()> {
        match self {
            // A closed pipe is not an error.
            Destination::StandardOutput => match to_stdout(text) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                result => result,
            },
            Destination::StandardError => io::stderr().write_all(text.as_bytes()),
            Destination::File { mut file, new } => {
                if file.0.metadata()?.is_file() {
                    file.set_len(0)?;
                    file.seek(SeekFrom::Start(0))?;
                }
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
