//! What the tests of the corpus share.

use std::fs;
use std::path::{Path, PathBuf};

/// The models of the corpus, in order of their paths.
pub fn corpus() -> Vec<PathBuf> {
    let mut found = Vec::new();
    models(&root(), &mut found);
    found.sort();
    assert!(!found.is_empty(), "the corpus is empty");
    found
}

/// The folder of the corpus.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn models(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the corpus can be read") {
        let path = entry.expect("the corpus can be read").path();
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
}
