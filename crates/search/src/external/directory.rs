//! Files for the time of one search. They have their own directory, which goes when the search ends, however it ends.

use crate::faults::{self, Watched};
use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The directory. Dropping it removes it with all that is in it.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    files: AtomicU64,
}

impl Directory {
    /// A new directory inside `parent`.
    pub fn new(parent: &Path) -> io::Result<Directory> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        for _ in 0..1000 {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("lariat-{}-{number}", std::process::id()));
            faults::file()?;
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Directory { path, files: AtomicU64::new(0) }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// A new, empty file for reading and writing.
    pub fn file(&self) -> io::Result<Scratch> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(number.to_string());
        faults::file()?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        Ok(Scratch { file: Watched(file), path })
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What cannot be removed is left to the system; there is nobody to tell.
        let _ = fs::remove_dir_all(&self.path);
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
        let path = directory.path.clone();
        let mut kept = directory.file().expect("a file");
        kept.write_all(b"text").expect("room on the disk");
        drop(directory);
        assert!(!path.exists());
    }
}
