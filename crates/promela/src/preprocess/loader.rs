//! Access to source files on disk, or in memory for tests and fuzzers.
//!
//! Reading terminates on every path: only regular files are included, up to [`MAX_FILE_BYTES`].

use std::collections::HashMap;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::Path;

/// Limit on the size of one file, far above the size of any model.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Reads source files: the main file and every `#include`.
pub trait FileLoader {
    /// The contents of the file at `path`.
    fn load(&self, path: &str) -> io::Result<Vec<u8>>;
}

/// Reads from the file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskLoader;

impl FileLoader for DiskLoader {
    fn load(&self, path: &str) -> io::Result<Vec<u8>> {
        read_file(Path::new(path), false, MAX_FILE_BYTES)
    }
}

/// Reads a file of the file system, up to `most` bytes. A pipe, which may never end, is read only
/// if `pipes` is set.
///
/// # Errors
/// The file cannot be read, is not a regular file, or is too long.
pub fn read_file(path: &Path, pipes: bool, most: u64) -> io::Result<Vec<u8>> {
    // Checked before opening, because opening a pipe blocks until there is a writer.
    let found = fs::metadata(path)?;
    let refuse = |reason: String| Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    match special(found.file_type()) {
        Some("a pipe") if pipes => {}
        Some(kind) => return refuse(format!("it is {kind}, not a regular file")),
        None if found.len() > most => return Err(too_long(most)),
        None => {}
    }
    read_bounded(File::open(path)?, most)
}

/// Reads `source` to its end, up to `most` bytes.
///
/// # Errors
/// The source cannot be read or is too long.
pub fn read_bounded(source: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long(most)) } else { Ok(bytes) }
}

fn too_long(most: u64) -> io::Error {
    let reason = format!("it has more than {} MB, the limit for one file", most >> 20);
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

/// The description of a file that is not a regular file.
fn special(kind: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    match kind {
        _ if kind.is_dir() => Some("a directory"),
        _ if kind.is_file() => None,
        _ => Some("something else"),
    }
}

/// Files in memory, by path.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: HashMap<String, Vec<u8>>,
}

impl MemoryLoader {
    /// A loader without files.
    pub fn new() -> MemoryLoader {
        MemoryLoader::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, path: &str, text: impl Into<Vec<u8>>) -> MemoryLoader {
        self.files.insert(path.to_string(), text.into());
        self
    }
}

impl FileLoader for MemoryLoader {
    fn load(&self, path: &str) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn complaint(path: &str, pipes: bool) -> String {
        read_file(Path::new(path), pipes, MAX_FILE_BYTES)
            .map_or_else(|error| error.to_string(), |_| "it was read".to_string())
    }

    #[test]
    fn only_regular_files_are_included() {
        assert_eq!(complaint("/dev/zero", false), "it is a device, not a regular file");
        assert_eq!(complaint("/dev/zero", true), "it is a device, not a regular file");
        assert_eq!(complaint("/", false), "it is a directory, not a regular file");
        let directory = std::env::temp_dir().join(format!("lariat-loader-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a temporary directory");
        let pipe = directory.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            // The pipe has no writer, so reading it would block forever.
            let refused = DiskLoader.load(&pipe.to_string_lossy()).expect_err("it is a pipe");
            assert_eq!(refused.to_string(), "it is a pipe, not a regular file");
        }
        let long = directory.join("long");
        let file = File::create(&long).expect("a temporary file");
        // A sparse file, on file systems that support them.
        file.set_len(MAX_FILE_BYTES + 1).expect("a long file");
        assert!(complaint(&long.to_string_lossy(), false).contains("more than 64 MB"));
        file.set_len(3).expect("a short file");
        assert_eq!(read_file(&long, false, MAX_FILE_BYTES).expect("it can be read"), [0; 3]);
        fs::remove_dir_all(&directory).expect("the temporary directory");
    }

    #[test]
    fn reading_an_endless_source_ends() {
        let error = read_bounded(io::repeat(b'x'), 1 << 20).expect_err("it is endless");
        assert!(error.to_string().contains("more than 1 MB"), "{error}");
        assert_eq!(read_bounded(&b"text"[..], 4).expect("it is short"), b"text");
    }
}
