//! Reports are accurate: counts, the run that is shown, and text that cannot be forged by a model.

use crate::common::Place;
use lariat_ir::printable::is_unsafe;

/// Reductions leave two of eight states.
const DEAD: &str = "\
active proctype P() { byte a, b; a = 1; b = 2; a = 3; b = 4; a = 0; b = 0 }
";

#[test]
fn states_after_reductions_are_called_so() {
    let place = Place::new().with("m.pml", DEAD);
    let reduced = place.run(&["check", "m.pml"]);
    assert!(reduced.out.contains(" after reductions"), "{reduced:?}");
    let raw = place.run(&["check", "--raw", "m.pml"]);
    assert!(raw.out.contains("in every reachable state, 8 states\n"), "{raw:?}");
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&place.run(arguments).out).expect("one JSON value")
    };
    let statistics = |report: &serde_json::Value| report["properties"][0]["statistics"].clone();
    assert_eq!(statistics(&json(&["check", "--json", "m.pml"]))["after_reductions"], true);
    assert_eq!(
        statistics(&json(&["check", "--json", "--raw", "m.pml"]))["after_reductions"],
        serde_json::Value::Null
    );
}

/// A small cache revisits states, which does not increase the number of distinct states.
#[test]
fn insertions_are_not_states() {
    let loops = "do :: a < 20 -> a++ :: b < 20 -> b++ :: c < 20 -> c++ od";
    let model = format!("byte a, b, c; active proctype P() {{ end: {loops} }}\n");
    let place = Place::new().with("m.pml", &model);
    let all = 35_721.0;
    let flags = [
        "--raw",
        "--store=cache",
        "--cache-states=700",
        "--no-sleep-sets",
        "--max-states=100000",
        "m.pml",
    ];
    let ran = place.run(&[&["check", "--json"], &flags[..]].concat());
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON value");
    let statistics = &report["properties"][0]["statistics"];
    let number = |name: &str| statistics[name].as_f64().expect("a number");
    assert!(number("replaced") > 0.0, "{statistics}");
    assert!(number("insertions") > all * 1.5 && number("states") < all * 1.1, "{statistics}");
    let ran = place.run(&[&["check"], &flags[..]].concat());
    assert!(
        ran.out.contains("about ") && ran.out.contains(" insertions into the cache"),
        "{ran:?}"
    );
    let mut flags = flags;
    flags[4] = "--max-states=40000";
    let ran = place.run(&[&["check"], &flags[..]].concat());
    assert!(ran.out.contains("stored again are counted again"), "{ran:?}");
}

/// Policies that are not on the command line are refused, not ignored.
#[test]
fn removed_replacement_policies_are_errors() {
    let place = Place::new().with("m.pml", DEAD);
    for policy in ["lru", "depth"] {
        let ran = place.run(&["check", "--store", "cache", "--replace", policy, "m.pml"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.err.contains("--replace") && ran.err.contains("random"), "{ran:?}");
    }
}

/// The counterexample shown under fairness is a fair run.
#[test]
fn a_violation_that_fairness_allows_is_shown_by_a_fair_run() {
    let model = "byte x; bool b; active proctype P() { do :: x = 1 - x od } active proctype Q() { do :: b = !b od }\n";
    let place = Place::new().with("m.pml", model);
    let ran = place.run(&["check", "--ltl", "[]<>(x == 2)", "m.pml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let expected =
        "violated even under strong fairness of processes and transitions, by the run shown\n";
    assert!(ran.out.contains(expected), "{ran:?}");
    let (_, cycle) = ran.out.split_once("the cycle starts here:").expect("there is a cycle");
    assert!(cycle.contains("P[0]") && cycle.contains("Q[1]"), "{ran:?}");
    // With `--shortest`, the shortest run is shown, and the report says so.
    let ran = place.run(&["check", "--shortest", "--ltl", "[]<>(x == 2)", "m.pml"]);
    assert!(ran.out.contains("--fairness strong-transition shows a fair one"), "{ran:?}");
}

#[test]
fn errors_are_counted_as_they_are_listed() {
    let once = "byte x, y; active proctype P() { do :: x < 3 -> x++ :: y < 1 -> y++ :: assert(x < 2) od }\n";
    let twice =
        "byte x; active proctype P() { do :: x < 3 -> x++ :: assert(x < 2) :: assert(x < 1) od }\n";
    let place = Place::new().with("once.pml", once).with("twice.pml", twice);
    let ran = place.run(&["check", "--raw", "--all-errors", "once.pml"]);
    assert!(ran.out.contains("\nThis error occurs 4 times"), "{ran:?}");
    assert!(!ran.out.contains("occurrences in all"), "{ran:?}");
    let ran = place.run(&["check", "--raw", "--all-errors", "twice.pml"]);
    let (_, list) =
        ran.out.split_once("2 different errors, 5 occurrences in all:\n").expect("a list");
    assert_eq!(
        list.lines().take_while(|line| line.starts_with("  assertion")).count(),
        2,
        "{ran:?}"
    );
    let ran = place.run(&["check", "--raw", "--all-errors", "--json", "twice.pml"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON value");
    assert_eq!(report["properties"][0]["different_errors"].as_array().map(Vec::len), Some(2));
}

#[test]
fn an_option_does_not_replace_another() {
    let place = Place::new().with("m.pml", DEAD);
    for (flags, parts) in [
        (
            ["--fairness", "weak-process", "--fairness", "strong-process"],
            ["weak-process", "strong-process"],
        ),
        (["--fairness", "none", "--fairness", "weak-process"], ["none", "weak-process"]),
        (["--time", "1s", "--time", "2s"], ["--time", "multiple times"]),
        (["--store", "packed", "--store", "cache"], ["--store", "multiple times"]),
        (["--memory", "1G", "--memory", "2G"], ["--memory", "multiple times"]),
        (["--search", "bfs", "--search", "dfs"], ["--search", "multiple times"]),
        (["--sarif", "a", "--sarif", "b"], ["--sarif", "multiple times"]),
    ] {
        let ran = place.run(&[&["check"], &flags[..], &["m.pml"]].concat());
        assert_eq!(ran.code, Some(2), "{flags:?}: {ran:?}");
        assert!(
            parts.iter().all(|part| ran.err.contains(part)) && ran.out.is_empty(),
            "{flags:?}: {ran:?}"
        );
    }
}

#[test]
fn figures_are_rounded() {
    let place = Place::new().with("m.pml", "int x; active proctype P() { do :: x++ od }\n");
    let ran = place.run(&["check", "--raw", "--time", "0.1234567s", "m.pml"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.out.contains("the time limit of 0.12 s was reached"), "{ran:?}");
}

/// Text from a model cannot control the terminal or reorder other text.
#[cfg(unix)]
#[test]
fn no_message_has_unsafe_characters() {
    let bidi = "\u{202e}\u{2066}\u{200f}\u{61c}\u{1b}[31m\u{9b}\u{7f}";
    let name = format!("m{bidi}.pml");
    let model = format!(
        "byte x; active proctype P() {{ x = 1; printf(\"a{bidi}\\tb\\n\"); assert(x == 0) }}\n"
    );
    let place = Place::new()
        .with(&name, &model)
        .with("bad.pml", &format!("byte x; /*{bidi}*/ turm = 1; {bidi}\n"));
    let path = format!("missing{bidi}");
    for arguments in [
        &["check", &name][..],
        &["check", "--json", &name],
        &["check", "--json", "bad.pml"],
        &["check", "bad.pml"],
        &["check", &path],
        &[
            "check",
            "--sarif",
            "/dev/stdout",
            "--junit",
            "/dev/stdout",
            "--itf",
            "/dev/stdout",
            &name,
        ],
        &["check", "--html", "/dev/stdout", &name],
        &["check", "--trail", &format!("{path}/x"), &name],
        &["check", "--property", bidi, &name],
        &["check", "--search", bidi, &name],
        &["check", "--ltl", &format!("[](x == {bidi})"), &name],
        &["simulate", "--seed", "1", &name],
        &["simulate", "--trail", &path, &name],
        &["replay", &path],
        &["msc", &name],
        &["msc", "--mermaid", &name],
        &["graph", &name],
        &["graph", "--json", &name],
        &["graph", "--processes", &name],
        &["ltl", &format!("[](p{bidi}")],
    ] {
        let ran = place.run(arguments);
        for text in [&ran.out, &ran.err] {
            let found = text.chars().find(|c| is_unsafe(*c) && !matches!(c, '\n' | '\t'));
            assert_eq!(found, None, "{arguments:?}: {text:?}");
        }
        assert!(!(ran.out.is_empty() && ran.err.is_empty()), "{arguments:?}");
    }
    // The model's own output keeps its tabs and newlines.
    let ran = place.run(&["simulate", "--quiet", "--seed", "1", &name]);
    assert!(ran.out.contains("\\u{1b}[31m") && ran.out.contains("\tb\n"), "{ran:?}");
}
