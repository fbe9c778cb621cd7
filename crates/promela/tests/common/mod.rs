//! Helpers of several tests: compiling a model and listing the models of the corpus.

use lariat_ir::Program;
use lariat_promela::MemoryLoader;
use std::path::{Path, PathBuf};

/// Compiles a model without errors.
pub fn compile(text: &str) -> Program {
    let loader = MemoryLoader::new().with("model.pml", text);
    let compiled = lariat_promela::compile(&loader, "model.pml", &[]);
    compiled.program.unwrap_or_else(|| {
        panic!(
            "{}",
            lariat_promela::diagnostic::render(&compiled.diagnostics, &compiled.sources, false)
        )
    })
}

/// The models of the corpus and of the folder `LARIAT_MODELS`, sorted.
pub fn corpus() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    add_models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &mut paths);
    if let Some(more) = std::env::var_os("LARIAT_MODELS") {
        add_models(Path::new(&more), &mut paths);
    }
    paths.sort();
    paths
}

fn add_models(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            add_models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
}
