//! Scratch files of one search, in a directory of their own. The directory is removed when the
//! search ends, however it ends.

use crate::faults::{self, FaultyFile};
use crate::temporary::Temporary;
use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Dropping it removes the directory with all files in it.
#[derive(Debug)]
pub struct ScratchDirectory {
    directory: Temporary,
    files: AtomicU64,
}

impl ScratchDirectory {
    /// Creates a directory inside `parent`.
    pub fn new(parent: &Path) -> io::Result<ScratchDirectory> {
        faults::file()?;
        Ok(ScratchDirectory { directory: Temporary::directory(parent)?, files: AtomicU64::new(0) })
    }

    /// Creates an empty file for reading and writing.
    pub fn create_file(&self) -> io::Result<ScratchFile> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.directory.path().join(number.to_string());
        faults::file()?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        Ok(ScratchFile { file: FaultyFile(file), path })
    }
}

/// A file that is removed when it is dropped.
#[derive(Debug)]
pub struct ScratchFile {
    file: FaultyFile,
    path: PathBuf,
}

impl ScratchFile {
    pub fn file(&mut self) -> &mut FaultyFile {
        &mut self.file
    }
}

impl Write for ScratchFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for ScratchFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_the_directory_removes_its_files() {
        let scratch = ScratchDirectory::new(&std::env::temp_dir()).expect("a writable directory");
        let path = scratch.directory.path().to_owned();
        let mut open = scratch.create_file().expect("a file");
        open.write_all(b"text").expect("room on the disk");
        drop(scratch);
        assert!(!path.exists());
    }
}
