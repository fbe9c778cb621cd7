//! Files for the time of one search. They have their own directory, which goes when the search ends, however it ends.

use crate::faults::{self, Watched};
use crate::scratch::Temporary;
use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The directory. Dropping it removes it with all that is in it.
#[derive(Debug)]
pub struct Directory {
    place: Temporary,
    files: AtomicU64,
}

impl Directory {
    /// A new directory inside `parent`.
    pub fn new(parent: &Path) -> io::Result<Directory> {
        faults::file()?;
        Ok(Directory { place: Temporary::directory(parent)?, files: AtomicU64::new(0) })
    }

    /// A new, empty file for reading and writing.
    pub fn file(&self) -> io::Result<Scratch> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.place.path().join(number.to_string());
        faults::file()?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        Ok(Scratch { file: Watched(file), path })
    }
}

/// A file that goes when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    file: Watched,
    path: PathBuf,
}

impl Scratch {
    pub fn file(&mut self) -> &mut Watched {
        &mut self.file
    }
}

impl Write for Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Scratch {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_remains() {
        let directory = Directory::new(&std::env::temp_dir()).expect("a writable directory");
        let path = directory.place.path().to_owned();
        let mut kept = directory.file().expect("a file");
        kept.write_all(b"text").expect("room on the disk");
        drop(directory);
        assert!(!path.exists());
    }
}
