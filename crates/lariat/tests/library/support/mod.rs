//! Functions shared by the tests.

use lariat::property::ResolvedProperty;
use lariat::{Model, ModelReader, Property};
use std::fs;
use std::path::{Path, PathBuf};

/// A model that is read with these properties.
pub fn model(text: &str, properties: &[Property]) -> Model {
    let reader = ModelReader::default().properties(properties);
    let model = reader.and_then(|reader| reader.read_source("m.pml", text));
    model.unwrap_or_else(|error| panic!("{error}"))
}

/// A model and a property of it.
pub fn with_property(text: &str, property: Property) -> (Model, ResolvedProperty) {
    let model = model(text, std::slice::from_ref(&property));
    let resolved = property.resolve(&model).unwrap_or_else(|error| panic!("{error}"));
    (model, resolved)
}

/// The models of the corpus, in order of their paths.
pub fn corpus() -> Vec<PathBuf> {
    let mut found = Vec::new();
    models(&root(), &mut found);
    found.sort();
    assert!(!found.is_empty(), "the corpus is empty");
    found
}

/// The directory of the corpus.
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
