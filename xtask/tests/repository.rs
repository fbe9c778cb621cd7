//! Rules that every file of the repository follows, and the checkable statements of
//! `ARCHITECTURE.md`.
//!
//! `ARCHITECTURE.md` is checked as follows; a crate is named by its directory:
//! - A table row ``| `crates/ir` | … | depends on: `crates/ltl` |`` lists all dependencies of a
//!   crate on crates of the workspace (`depends on: nothing` for none), without test dependencies.
//! - A paragraph that starts with ``Unsafe code: `crates/jit/src`, …`` lists all files and
//!   directories that may contain unsafe code.
//! - Every word in backticks that starts with `crates/`, `xtask/`, `docs/`, `corpus/`, `bench/`,
//!   `examples/`, `fuzz/` or `papers/` is an existing path, without `*` or `…`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Phrases of a private dialect that plain technical English avoids.
const DIALECT: [&str; 18] = [
    "so many",
    "so often",
    "whoever",
    "than which",
    "nobody",
    "grew short",
    "what is asked",
    "what is wanted",
    "gone on with",
    "that is much",
    "all of whom",
    "who asks",
    "is told of",
    "and are two",
    "as often as asked",
    "so much that",
    "at last",
    "somebody",
];

/// This file, which defines the phrases.
const DIALECT_EXCEPTIONS: [&str; 1] = ["xtask/tests/repository.rs"];

const PUBLISHED: [&str; 7] = [
    "crates/cli",
    "crates/ir",
    "crates/jit",
    "crates/lariat",
    "crates/ltl",
    "crates/promela",
    "crates/search",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Path and text of the tracked files with one of these extensions.
fn files(extensions: &[&str]) -> Vec<(String, String)> {
    let output = Command::new("git").arg("ls-files").current_dir(root()).output();
    let output = output.expect("git lists the files of the repository");
    let names = String::from_utf8(output.stdout).expect("file names are UTF-8");
    let wanted = |name: &&str| {
        Path::new(name)
            .extension()
            .is_some_and(|found| extensions.iter().any(|extension| found == *extension))
    };
    let found: Vec<_> = names
        .lines()
        .filter(wanted)
        .filter_map(|name| {
            Some((name.to_owned(), std::fs::read_to_string(root().join(name)).ok()?))
        })
        .collect();
    assert!(!found.is_empty(), "this test needs a git checkout");
    found
}

/// `file:line: text` for each line that `is_wrong`, outside the exceptions.
fn wrong_lines(
    files: &[(String, String)],
    exceptions: &[&str],
    is_wrong: impl Fn(&str) -> bool,
) -> String {
    let mut wrong = String::new();
    for (name, text) in files {
        if exceptions.iter().any(|exception| name.starts_with(exception)) {
            continue;
        }
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| is_wrong(line)) {
            wrong += &format!("{name}:{number}: {}\n", line.trim());
        }
    }
    wrong
}

/// A string that cannot be split may make a line longer.
#[test]
fn lines_have_at_most_100_columns() {
    let is_too_long = |line: &str| {
        let is_comment = line.trim_start().starts_with("//");
        line.chars().count() > 100 && (is_comment || !line.contains('"'))
    };
    let mut sources = files(&["rs"]);
    // These two contain string literals over several lines.
    let with_texts = ["crates/cli/src/main.rs", "crates/cli/tests/command_line/limits.rs"];
    sources.retain(|(name, _)| !with_texts.contains(&name.as_str()));
    let wrong = wrong_lines(&sources, &[], is_too_long);
    assert!(wrong.is_empty(), "longer than 100 columns:\n{wrong}");
}

/// Tables, headings and code, in fences or indented, may have longer lines.
#[test]
fn prose_has_at_most_100_columns() {
    let mut texts = files(&["md"]);
    for (_, text) in &mut texts {
        let mut is_code = false;
        let prose = text.lines().map(|line| {
            let is_fence = line.trim_start().starts_with("```");
            is_code ^= is_fence;
            if is_code || is_fence || line.starts_with(['|', '#']) || line.starts_with("    ") {
                ""
            } else {
                line
            }
        });
        *text = prose.collect::<Vec<_>>().join("\n");
    }
    // Generated.
    let wrong = wrong_lines(&texts, &["bench/results/"], |line| line.chars().count() > 100);
    assert!(wrong.is_empty(), "longer than 100 columns:\n{wrong}");
}

#[test]
fn texts_are_in_plain_english() {
    let is_dialect = |line: &str| {
        let line = line.to_lowercase();
        DIALECT.iter().any(|phrase| {
            line.match_indices(phrase).any(|(start, _)| {
                let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
                let end = start + phrase.len();
                !is_letter(line[..start].chars().next_back())
                    && !is_letter(line[end..].chars().next())
            })
        })
    };
    let wrong = wrong_lines(&files(&["rs", "md", "txt"]), &DIALECT_EXCEPTIONS, is_dialect);
    assert!(wrong.is_empty(), "say it in plain technical English:\n{wrong}");
}

#[test]
fn source_files_open_with_their_purpose() {
    let mut sources = files(&["rs"]);
    sources.retain(|(name, text)| {
        name.starts_with("crates/") && name.contains("/src/") && !text.starts_with("//!")
    });
    let names: Vec<&String> = sources.iter().map(|(name, _)| name).collect();
    assert!(names.is_empty(), "the first line must begin with `//!`: {names:?}");
}

#[test]
fn no_file_names_a_path_of_a_machine() {
    let extensions = ["rs", "md", "txt", "toml", "pml", "mjs", "sh", "json", "html", "js", "css"];
    let places = ["/work", "/home", "/root"].map(|directory| format!("{directory}/"));
    let is_local = |line: &str| places.iter().any(|place| line.contains(place.as_str()));
    let wrong = wrong_lines(&files(&extensions), &[], is_local);
    assert!(wrong.is_empty(), "paths of a machine:\n{wrong}");
}

#[test]
fn type_names_are_unique_within_a_crate() {
    let sources = files(&["rs"]);
    let mut wrong = String::new();
    for directory in PUBLISHED {
        let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (file, text) in &sources {
            // Loom models replace types by their own of the same name.
            if !file.starts_with(&format!("{directory}/src/")) || file.contains("/modelled_") {
                continue;
            }
            // Types of a test module are local to it.
            let text = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
            for line in text.lines().filter(|_| !file.contains("/tests")) {
                if let Some(name) = declared_type(line) {
                    places.entry(name).or_default().insert(file);
                }
            }
        }
        for (name, files) in places.iter().filter(|(_, files)| files.len() > 1) {
            wrong += &format!("{name}: {files:?}\n");
        }
    }
    assert!(wrong.is_empty(), "several types have one name:\n{wrong}");
}

/// The name that a line like `pub(crate) struct Name<T> {` declares at the top level.
fn declared_type(line: &str) -> Option<&str> {
    let line =
        line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub(super) ")).unwrap_or(line);
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let rest =
        ["struct ", "enum ", "trait ", "union "].iter().find_map(|w| line.strip_prefix(w))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// The words of `text` between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The text of `ARCHITECTURE.md`, or `None` while it does not have the format described above.
fn architecture() -> Option<String> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).ok()?;
    text.contains("depends on:").then_some(text)
}

#[test]
fn crates_depend_on_what_the_architecture_says() {
    let Some(text) = architecture() else { return };
    let workspace = std::fs::read_to_string(root().join("Cargo.toml")).expect("a workspace");
    // `lariat-ir = { path = "crates/ir", … }` declares a name and its directory.
    let directories: BTreeMap<&str, &str> = workspace
        .lines()
        .filter_map(|line| {
            let (name, rest) = line.split_once(" = { path = \"")?;
            Some((name, rest.split('"').next()?))
        })
        .collect();
    let mut described = BTreeSet::new();
    for line in text.lines().filter(|line| line.starts_with("| `crates/")) {
        let Some((row, dependencies)) = line.split_once("depends on:") else { continue };
        let directory = quoted(row).next().expect("the row names a crate");
        described.insert(directory);
        let stated: BTreeSet<&str> = quoted(dependencies.split('|').next().unwrap_or("")).collect();
        let manifest = std::fs::read_to_string(root().join(directory).join("Cargo.toml"));
        let manifest = manifest.unwrap_or_else(|_| panic!("{directory} is not a crate"));
        let own = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
        let own = own.split("\n[").next().unwrap_or_default();
        let real: BTreeSet<&str> = own
            .lines()
            .filter_map(|line| directories.get(line.split([' ', '.', '=']).next()?).copied())
            .collect();
        assert_eq!(stated, real, "ARCHITECTURE.md and Cargo.toml differ on {directory}");
    }
    for directory in PUBLISHED {
        assert!(described.contains(directory), "ARCHITECTURE.md has no row for {directory}");
    }
}

#[test]
fn unsafe_code_is_where_the_architecture_says() {
    let Some(text) = architecture() else { return };
    let list = text.split("\n\n").find(|paragraph| paragraph.starts_with("Unsafe code:"));
    let allowed: Vec<&str> = quoted(list.expect("a paragraph `Unsafe code: …`")).collect();
    for (name, text) in files(&["rs"]) {
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let is_unsafe = code.into_iter().any(|line| {
            ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait", "unsafe extern"]
                .iter()
                .any(|word| line.contains(word) && !line.contains(&format!("\"{word}")))
        });
        let is_allowed = allowed.iter().any(|place| name.starts_with(place));
        assert!(!is_unsafe || is_allowed, "{name} has unsafe code; see ARCHITECTURE.md");
    }
}

#[test]
fn files_named_in_the_architecture_exist() {
    let Some(text) = architecture() else { return };
    let directories =
        ["crates/", "xtask/", "docs/", "corpus/", "bench/", "examples/", "fuzz/", "papers/"];
    for word in quoted(&text) {
        let is_path = directories.iter().any(|directory| word.starts_with(directory));
        if is_path && !word.contains(['*', '…', ' ', '{']) {
            assert!(
                root().join(word).exists(),
                "ARCHITECTURE.md names {word}, which does not exist"
            );
        }
    }
}

/// Every dependency of the workspace on this platform has a licence that `deny.toml` allows.
#[test]
fn licences_are_allowed() {
    let policy = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let list = policy.split("allow = [").nth(1).and_then(|rest| rest.split(']').next());
    let allowed: Vec<&str> =
        list.expect("a list of licences").split('"').skip(1).step_by(2).collect();
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--locked", "--offline", "--prefix", "none"])
        .args(["--format", "{l}|{p}"])
        .current_dir(root())
        .output()
        .expect("cargo lists the dependencies");
    let tree = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut wrong: BTreeSet<&str> = BTreeSet::new();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let (licence, _) = line.split_once('|').expect("a licence and a package");
        // Each part of a conjunction needs one allowed alternative.
        let is_allowed = licence.split(" AND ").all(|part| {
            let part = part.trim_matches(['(', ')']);
            part.replace('/', " OR ").split(" OR ").any(|name| allowed.contains(&name.trim()))
        });
        if !is_allowed {
            wrong.insert(line);
        }
    }
    assert!(wrong.is_empty(), "licences that deny.toml does not allow: {wrong:#?}");
}
