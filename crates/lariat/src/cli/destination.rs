//! Where one output goes: opened before the search, so that a file that cannot be written is known
//! early; written after it. What is in an existing file stays until there is something to write.

use lariat::report::printable;
use search::scratch::Temporary;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file, a device, a pipe, or one of the program's own streams.
#[derive(Debug)]
pub enum Destination {
    StandardOutput,
    StandardError,
    File {
        file: File,
        /// Present if the file did not exist before: it is removed unless something is written.
        new: Option<Temporary>,
    },
}

impl Destination {
    /// Opens it for writing. An existing file is not changed.
    pub fn open(path: &Path) -> io::Result<Destination> {
        // Opening these by name would give them a second position, and one would overwrite the other.
        match path.to_str() {
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => return Ok(Destination::StandardOutput),
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => return Ok(Destination::StandardError),
            _ => {}
        }
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => Ok(Destination::File { file, new: Some(Temporary::new(path.to_owned())) }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // It may be a link to a file that does not exist yet.
                let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
                Ok(Destination::File { file, new: None })
            }
            Err(error) => Err(error),
        }
    }

    /// Writes the text, in place of what was there.
    pub fn write(self, text: &str) -> io::Result<()> {
        match self {
            // As for the report: a reader that has seen enough is not an error.
            Destination::StandardOutput => match to_stdout(text) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                result => result,
            },
            Destination::StandardError => io::stderr().write_all(text.as_bytes()),
            Destination::File { mut file, new } => {
                if file.metadata()?.is_file() {
                    file.set_len(0)?;
                    file.seek(SeekFrom::Start(0))?;
                }
                file.write_all(text.as_bytes())?;
                new.map(Temporary::keep);
                Ok(())
            }
        }
    }

    /// The path by which an ordinary file is known, to see whether two names mean the same one.
    pub fn identity(&self, path: &Path) -> Option<PathBuf> {
        match self {
            Destination::File { file, .. } if file.metadata().is_ok_and(|metadata| metadata.is_file()) => {
                path.canonicalize().ok()
            }
            _ => None,
        }
    }
}

/// All of the text, now.
pub fn to_stdout(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Why a file cannot be written, in one line.
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
