//! `cargo xtask conformance DIR --properties`: compares the verdicts of real SPIN on the models'
//! properties with those of every search of Lariat.
//!
//! The properties are formulas, claims, accept labels and progress labels. SPIN is run now (`pan
//! -a`, `-l` for non-progress cycles, `-f` for weak fairness), without reductions.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Arguments;
use crate::configuration;
use crate::lariat::Tool;
use crate::spin::{self, Options};
use crate::spin_property::Verifier;

/// One property of one model.
struct Property {
    name: String,
    /// Options of `lariat check` that select it.
    ours: Vec<String>,
    compiler: &'static [&'static str],
    search: Vec<String>,
}

#[derive(Default)]
struct Tally {
    properties: usize,
    same: usize,
    undecided: usize,
    unknown: Vec<String>,
    different: Vec<String>,
}

/// Compares all models; true if no verdict differs.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    spin::ensure_installed()?;
    let limit = Duration::from_secs(arguments.time);
    let tool = Tool::new(arguments.lariat.clone(), limit)?.with_options(&arguments.options);
    let mut files = Vec::new();
    models(&arguments.directory, &mut files).map_err(|error| error.to_string())?;
    files.retain(|file| {
        arguments.filter.as_ref().is_none_or(|text| file.to_string_lossy().contains(text.as_str()))
    });
    files.sort();
    let mut tally = Tally::default();
    for file in &files {
        let text = String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned();
        for property in properties(&text, arguments.fairness) {
            let shown = file.strip_prefix(&arguments.directory).unwrap_or(file).display();
            let name = format!("{shown}: {}", property.name);
            compare(&name, file, &property, &tool, limit, arguments.fairness, &mut tally)
                .map_err(|error| format!("{name}: {error}"))?;
        }
    }
    let Tally { properties, same, undecided, unknown, different } = tally;
    println!(
        "{properties} properties: {same} verdicts agree, {} differ, {undecided} undecided; without SPIN's verdict: {}",
        different.len(),
        if unknown.is_empty() { "none".to_owned() } else { unknown.join(", ") }
    );
    Ok(different.is_empty())
}

fn models(place: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(place)? {
        let path = entry?.path();
        if path.is_dir() {
            models(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
    Ok(())
}

/// The properties of a model, found by a text search.
fn properties(text: &str, fairness: bool) -> Vec<Property> {
    let mut found = Vec::new();
    let fair = fairness.then(|| "-f".to_owned());
    let search = |arguments: &[&str]| -> Vec<String> {
        arguments.iter().map(|argument| (*argument).to_owned()).chain(fair.clone()).collect()
    };
    let compiler: &[&str] = &["-DNFAIR=5"];
    let names = stated(text);
    for name in &names {
        // A verifier with one claim has no claim names.
        let search = if names.len() == 1 { search(&["-a"]) } else { search(&["-a", "-N", name]) };
        let ours = vec!["--property".to_owned(), name.clone()];
        found.push(Property { name: name.clone(), ours, compiler, search });
    }
    if has_label(text, "accept") {
        found.push(Property {
            name: "accept labels".to_owned(),
            ours: vec!["--property".to_owned(), "accept labels".to_owned()],
            compiler: &["-DNOCLAIM", "-DNFAIR=5"],
            search: search(&["-a"]),
        });
    }
    if has_label(text, "progress") {
        found.push(Property {
            name: "non-progress cycles".to_owned(),
            ours: vec!["--non-progress".to_owned()],
            compiler: &["-DNP", "-DNFAIR=5"],
            search: search(&["-l"]),
        });
    }
    found
}

/// The names of formulas and claims; an anonymous one has its number as name.
fn stated(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for kind in ["ltl", "never"] {
        let mut number = 0;
        for line in text.lines().map(str::trim_start) {
            let Some(behind) = line.strip_prefix(kind) else { continue };
            if behind.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let name = behind.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next();
            names.push(match name {
                Some(name) if !name.is_empty() => name.to_owned(),
                _ => format!("{kind}_{number}"),
            });
            number += 1;
        }
    }
    names
}

/// Whether a label begins with the word.
fn has_label(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = text[at..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let rest = rest.trim_start();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
            && rest.starts_with(':')
            && !rest.starts_with("::")
    })
}

fn compare(
    name: &str,
    file: &Path,
    property: &Property,
    tool: &Tool,
    limit: Duration,
    fairness: bool,
    tally: &mut Tally,
) -> io::Result<()> {
    let ours = |configuration: &[&str]| {
        let mut options: Vec<&str> =
            property.ours.iter().map(String::as_str).chain(configuration.iter().copied()).collect();
        if fairness {
            options.extend(["--fairness", "weak-process"]);
        }
        // Empty if there is no such property: the text search also finds comments.
        let verdicts = tool.verdicts(file, &options)?;
        let of_property =
            |verdicts: BTreeMap<String, String>| verdicts.get(&property.name).cloned();
        Ok::<_, io::Error>(
            verdicts.map(|verdicts| of_property(verdicts).unwrap_or("undecided".to_owned())),
        )
    };
    let Some(first) = ours(&[])? else { return Ok(()) };
    tally.properties += 1;
    let search: Vec<&str> = property.search.iter().map(String::as_str).collect();
    let compiled = |arguments: &[&str]| Options {
        compiler: "cc".to_owned(),
        compiler_arguments: ["-O2", "-DMEMLIM=3000"]
            .iter()
            .chain(arguments)
            .map(|&word| word.to_owned())
            .collect(),
        search_arguments: Vec::new(),
        whole_states: false,
        limit,
    };
    let violated = match Verifier::build(file, &compiled(property.compiler))? {
        Some(verifier) => verifier
            .violated(&search, || Verifier::build(file, &compiled(&["-DNOCLAIM", "-DSAFETY"])))?,
        None => None,
    };
    let Some(violated) = violated else {
        println!("{name}: SPIN has no verdict, Lariat reports {first}");
        tally.unknown.push(name.to_owned());
        return Ok(());
    };
    let expected = if violated { "violated" } else { "holds" };
    let (mut same, mut undecided) = (0, 0);
    for configuration in configuration::one_by_one() {
        let configuration: Vec<&str> = configuration.iter().map(String::as_str).collect();
        match ours(&configuration)?.as_deref() {
            Some(verdict) if verdict == expected => same += 1,
            Some("holds" | "violated") => {
                println!("{name} {configuration:?}: SPIN says {expected}");
                tally.different.push(name.to_owned());
            }
            _ => undecided += 1,
        }
    }
    println!("{name}: {expected}; {same} configurations agree, {undecided} undecided");
    tally.same += same;
    tally.undecided += undecided;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_in_the_text() {
        let text = "active proctype P() { accept_here: do :: skip od }\nltl safe { []p }\nltl { <>p }\n  never { skip }\n";
        let names: Vec<String> =
            properties(text, false).into_iter().map(|property| property.name).collect();
        assert_eq!(names, ["safe", "ltl_1", "never_0", "accept labels"]);
        assert!(!has_label("acceptable = 1; x_accept: accept :: ", "accept"));
        assert!(has_label("progress_1 : skip", "progress"));
    }
}
