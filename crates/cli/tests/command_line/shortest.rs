//! `--shortest` if a shortest fair run takes exponential time to find: the search gives up, and the
//! report says so.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A loop with `stages` choices between two statements. Under strong transition fairness a cycle
/// must take both statements of every choice, so a shortest cycle has two iterations; after one
/// iteration there are 2^`stages` possible sets of taken statements.
fn choices(stages: usize) -> String {
    let body = vec!["if :: x = 0 :: x = 0 fi"; stages].join(";\n");
    format!("byte x;\nactive proctype P() {{\ndo :: {body}\nod\n}}\n")
}

struct Place {
    directory: PathBuf,
}

impl Place {
    fn new(name: &str, model: &str) -> Place {
        let directory =
            std::env::temp_dir().join(format!("lariat-shortest-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a temporary directory");
        fs::write(directory.join("m.pml"), model).expect("a temporary file");
        Place { directory }
    }

    fn check(&self, more: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(["check", "m.pml", "--shortest"])
            .args(["--fairness", "strong-transition", "--ltl", "<>(x == 1)"])
            .args(more)
            .current_dir(&self.directory)
            .output()
            .expect("lariat can be started")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

#[test]
fn an_exponential_search_is_given_up_and_the_report_says_so() {
    let place = Place::new("many", &choices(30));
    let output = place.check(&[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("not proven to be shortest: the search for a shorter run was given up"),
        "{text}"
    );

    let output = place.check(&["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let properties = json["properties"].as_array().expect("a list");
    let found = properties.iter().find(|property| property["kind"] == "ltl").expect("the formula");
    assert_eq!(found["verdict"], "violated");
    let reason = found["not_proven_shortest"].as_str().expect("a reason");
    assert!(reason.contains("given up"), "{reason}");
}

#[test]
fn what_is_proven_is_not_doubted() {
    let place = Place::new("few", &choices(3));
    let output = place.check(&[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(!text.contains("not proven"), "{text}");
}
