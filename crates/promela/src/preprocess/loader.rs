//! Where source files come from: the disk, or memory in tests and fuzzers.

use std::collections::HashMap;
use std::io;

/// Reads the file a path names. The main file and every `#include` go through it.
pub trait FileLoader {
    fn load(&self, path: &str) -> io::Result<Vec<u8>>;
}

/// Files of the file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskLoader;

impl FileLoader for DiskLoader {
    fn load(&self, path: &str) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

/// Files held in memory, by path.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: HashMap<String, Vec<u8>>,
}

impl MemoryLoader {
    pub fn new() -> MemoryLoader {
        MemoryLoader::default()
    }

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
