//! Runs every command in the book and the README, and compares the output.
//!
//! In `docs/*.md` a fence marked `console` contains commands after `$ `, their output, and `? N`
//! for a nonzero exit code. `[..]` matches any text within a line, a line `...` any lines. A fence
//! after a comment `<!-- file: NAME -->` is written to that file first. The directory `examples/`
//! is available. `UPDATE_BOOK=1 cargo test -p lariat-cli --test command_line book` records the
//! current output.

use crate::common::Place;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A temporary directory with a copy of the examples.
fn with_examples() -> Place {
    let place = Place::new();
    let copies = place.0.join("examples");
    fs::create_dir_all(&copies).expect("a temporary directory");
    for entry in fs::read_dir(root().join("examples")).expect("the examples").flatten() {
        fs::copy(entry.path(), copies.join(entry.file_name())).expect("a copy");
    }
    place
}

/// Runs a command line; returns its output on both streams and the exit code.
fn run_line(place: &Place, line: &str) -> (String, i32) {
    let words = words(line);
    assert_eq!(words.first().map(String::as_str), Some("lariat"), "only lariat is run: {line}");
    let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let output = place.command(&arguments).env("TMPDIR", &place.0).output();
    let output = output.expect("the command starts");
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.code().unwrap_or(-1))
}

/// Splits at blanks, except within single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn line_matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split("[..]");
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (index, part) in parts.iter().enumerate() {
        if index + 1 == parts.len() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

fn matches(pattern: &[&str], lines: &[&str]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((&"...", rest)) => (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..])),
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| line_matches(first, line) && matches(rest, others)),
    }
}

/// Replaces figures that vary between runs, when the book is updated.
fn steady(line: &str) -> String {
    let is_figures =
        line.starts_with("  ") && line.contains(" states, ") && line.contains(" transitions, ");
    if is_figures { "  [..] states, [..]".into() } else { line.to_string() }
}

/// Runs the commands of one fence and returns the expected fence.
fn console(place: &Place, fence: &[&str], name: &str, update: bool) -> Vec<String> {
    let mut out = Vec::new();
    let starts: Vec<usize> =
        (0..fence.len()).filter(|&index| fence[index].starts_with("$ ")).collect();
    for (number, &start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(fence.len());
        let mut expected = fence[start + 1..end].to_vec();
        let mut code = 0;
        if let Some(given) = expected.first().and_then(|line| line.strip_prefix("? ")) {
            code = given.parse().expect("an exit code");
            expected.remove(0);
        }
        let (text, exit) = run_line(place, &fence[start][2..]);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        out.push(fence[start].to_string());
        if update {
            out.extend((exit != 0).then(|| format!("? {exit}")));
            let keeps = expected.contains(&"...") && matches(&expected, &lines);
            match keeps {
                true => out.extend(expected.iter().map(ToString::to_string)),
                false => out.extend(lines.iter().map(|line| steady(line))),
            }
            continue;
        }
        while expected.last().is_some_and(|line| line.is_empty()) && lines.last() != Some(&"") {
            expected.pop();
        }
        assert_eq!(exit, code, "{name}: {}\n{text}", fence[start]);
        assert!(matches(&expected, &lines), "{name}: {} prints\n{text}", fence[start]);
    }
    out
}

#[test]
fn the_book() {
    let update = std::env::var_os("UPDATE_BOOK").is_some();
    let mut commands = 0;
    for entry in fs::read_dir(root().join("docs")).expect("the book").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a chapter");
        let place = with_examples();
        let lines: Vec<&str> = text.lines().collect();
        let mut out: Vec<String> = Vec::new();
        let mut at = 0;
        let mut file: Option<&str> = None;
        while at < lines.len() {
            out.push(lines[at].to_string());
            if let Some(named) = lines[at].strip_prefix("<!-- file: ") {
                file = named.strip_suffix(" -->");
            }
            if let Some(kind) = lines[at].strip_prefix("```").filter(|kind| !kind.is_empty()) {
                let end = (at + 1..lines.len()).find(|&index| lines[index] == "```");
                let end = end.unwrap_or_else(|| panic!("{name}: a fence is not closed"));
                let fence = &lines[at + 1..end];
                if kind == "console" {
                    commands += fence.iter().filter(|line| line.starts_with("$ ")).count();
                    out.extend(console(&place, fence, &name, update));
                } else {
                    assert!(
                        !fence.iter().any(|line| line.starts_with("$ ")),
                        "{name}: mark commands as console"
                    );
                    out.extend(fence.iter().map(ToString::to_string));
                }
                if let Some(file) = file.take() {
                    fs::write(place.0.join(file), fence.join("\n") + "\n").expect("a file");
                }
                at = end;
                out.push("```".into());
            }
            at += 1;
        }
        if update {
            fs::write(&path, out.join("\n") + "\n").expect("the chapter can be written");
        }
    }
    assert!(commands > 10, "the book has commands");
}

#[test]
fn every_chapter_is_in_the_summary() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the summary");
    for entry in fs::read_dir(root().join("docs")).expect("the book").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && name != "SUMMARY.md" {
            assert!(summary.contains(&format!("({name})")), "{name} is not in the summary");
        }
    }
    for part in summary.split("](").skip(1) {
        let file = part.split(')').next().unwrap_or_default();
        assert!(root().join("docs").join(file).is_file(), "{file} is missing");
    }
}

/// The flags listed by `spin --help` and `./pan -?` of SPIN 6.5.2.
const SPIN_FLAGS: &str = "-A -a -B -b -C -c -d -D -E -e -f -F -g -h -i -I -J -j -k -L -l -M -m -N -n -O -o1 -o2 -o3 -o4 -o5 -o6 -o7 -P -p -pp -q -r \
    -replay -run -search -S1 -S2 -s -T -t -U -u -v -w -X -Y -Z -V";
const SEARCH_FLAGS: &str = "-bfs -bfspar -dfspar -bcs -bitstate -bit -biterate -swarm -link -collapse -noreduce -hc -noclaim -p_permute -p_rotate \
    -p_reverse -rhash -ltl -safety -i -a -l";
const PAN_FLAGS: &str = "-a -A -b -c -D -d -e -E -f -h -hash -i -I -J -l -m -n -Q -q -r -C -P -g -S -RS -rhash -T -t_reverse -t -V -v -w -x -k";

/// Each flag of SPIN is in the table of its program.
#[test]
fn every_flag_of_spin_is_in_a_table() {
    let text = std::fs::read_to_string(root().join("docs/coming-from-spin.md"))
        .expect("the chapter is there");
    let is_table =
        |part: &&str| part.starts_with("Flags of ") || part.starts_with("Options after ");
    let tables: Vec<&str> = text.split("\n## ").filter(is_table).collect();
    for (table, flags) in tables.iter().zip([SPIN_FLAGS, SEARCH_FLAGS, PAN_FLAGS]) {
        let cells = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        let named: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        for flag in flags.split_whitespace() {
            // An argument may follow the flag, but not another letter of a longer flag name.
            let takes = |rest: &str| {
                !rest.starts_with(|c: char| c.is_ascii_lowercase())
                    || ["n", "xxx", "suf"].contains(&rest)
            };
            let is_it = |name: &&str| name.strip_prefix(flag).is_some_and(takes);
            assert!(
                named.iter().any(is_it),
                "{flag} is not in {}",
                table.lines().next().unwrap_or_default()
            );
        }
    }
    assert_eq!(tables.len(), 3);
}

#[test]
fn the_readme() {
    let text = fs::read_to_string(root().join("README.md")).expect("the README");
    let place = with_examples();
    let mut commands = 0;
    for line in text.lines().filter_map(|line| line.strip_prefix("    cargo run --release -- ")) {
        let (text, code) = run_line(&place, &format!("lariat {line}"));
        assert!(matches!(code, 0 | 1), "{line}: {text}");
        commands += 1;
    }
    assert!(commands > 2);
}
