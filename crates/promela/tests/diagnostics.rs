//! Diagnostics of invalid programs: each `tests/diagnostics/NAME.pml` yields exactly the text of
//! `NAME.txt`. Set `UPDATE_EXPECT=1` to rewrite the texts, then review the difference.

use lariat_promela::diagnostic::render;
use std::path::Path;

#[test]
fn messages_are_as_recorded() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut models: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pml"))
        .collect();
    models.sort();
    assert!(!models.is_empty());
    let mut different = Vec::new();
    for model in models {
        let name = model.file_name().unwrap().to_str().unwrap();
        let loader = lariat_promela::MemoryLoader::new().with(name, std::fs::read(&model).unwrap());
        let parsed = lariat_promela::parse(&loader, name, &[]);
        let found = render(&parsed.diagnostics, &parsed.sources, false);
        let recorded = model.with_extension("txt");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&recorded, &found).unwrap();
        } else if std::fs::read_to_string(&recorded).unwrap_or_default() != found {
            different.push(format!("{name} gives\n{found}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
