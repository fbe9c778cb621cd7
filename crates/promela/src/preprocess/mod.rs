//! The built-in preprocessor.

mod loader;

pub use loader::{DiskLoader, FileLoader, MemoryLoader};
