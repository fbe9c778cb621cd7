//! `--shortest` if a shortest fair run takes exponential time to find: the search gives up, and the
//! report says so.

use crate::common::{Place, Ran};

/// A loop with `stages` choices between two statements. Under strong transition fairness a cycle
/// must take both statements of every choice, so a shortest cycle has two iterations; after one
/// iteration there are 2^`stages` possible sets of taken statements.
fn choices(stages: usize) -> String {
    let body = vec!["if :: x = 0 :: x = 0 fi"; stages].join(";\n");
    format!("byte x;\nactive proctype P() {{\ndo :: {body}\nod\n}}\n")
}

/// The exit code and the output for a formula that [`choices`] violates.
fn check(stages: usize, more: &[&str]) -> Ran {
    let check = ["check", "m.pml", "--shortest", "--fairness", "strong-transition"];
    let formula = ["--ltl", "<>(x == 1)"];
    Place::of(&choices(stages)).run(&[&check[..], &formula, more].concat())
}

#[test]
fn an_exponential_search_is_given_up_and_the_report_says_so() {
    let Ran { code, out: text, .. } = check(30, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("not proven to be shortest: the search for a shorter run was given up"),
        "{text}"
    );

    let json: serde_json::Value = serde_json::from_str(&check(30, &["--json"]).out).expect("JSON");
    let properties = json["properties"].as_array().expect("a list");
    let found = properties.iter().find(|property| property["kind"] == "ltl").expect("the formula");
    assert_eq!(found["verdict"], "violated");
    let reason = found["not_proven_shortest"].as_str().expect("a reason");
    assert!(reason.contains("given up"), "{reason}");
}

#[test]
fn what_is_proven_is_not_doubted() {
    let Ran { code, out: text, .. } = check(3, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(!text.contains("not proven"), "{text}");
}
