//! The meaning of statements in a `never` claim. The verdicts are those of SPIN 6.5.2 (`spin -o1
//! -o2 -o3
//! -a`, `-DNOREDUCE`, `pan -a`).

use crate::support;
use lariat::check::check_property;
use lariat::{Model, PropertyResult, Settings};
use lariat_search::liveness::Algorithm;
use lariat_search::{Options, Verdict};

const PROGRAM: &str =
    "byte x; chan q = [1] of { byte };\nactive proctype P() { do :: x = (x + 1) % 4 od }\n";

fn model(program: &str, claim: &str) -> Model {
    support::model(&format!("{program}{claim}\n"), &[])
}

fn checked(model: &Model, algorithm: Option<Algorithm>) -> PropertyResult {
    let claim = &model.stated[0];
    let settings = Settings { algorithm, ..Settings::default() };
    check_property(&model.program, claim, &settings, &Options::default())
        .expect("a run that can be believed")
}

/// Name, claim, whether it is violated, and a part of the message.
const CLAIMS: &[(&str, &str, bool, &str)] = &[
    (
        "atomic",
        "never { T: do :: atomic { x == 1 -> assert(x != 1) } :: 1 -> goto T od }",
        true,
        "`x != 1` fails",
    ),
    ("two-states", "never { T: do :: x == 1 -> assert(x == 2) :: 1 -> goto T od }", false, ""),
    (
        "blocked",
        "never { T: do :: atomic { x == 1 -> x == 2 -> assert(0) } :: 1 -> goto T od }",
        false,
        "",
    ),
    (
        "dstep",
        "never { do :: d_step { x == 1 -> assert(x == 2) } :: 1 od }",
        true,
        "`x == 2` fails",
    ),
    (
        "branches",
        "never { do :: d_step { x == 2 -> printf(\"hi\\n\"); if :: x == 3 -> skip :: else -> assert(0) fi } :: else od }",
        true,
        "`0` fails",
    ),
    (
        "dstep-blocks",
        "never { do :: d_step { x == 2 -> x == 3 } :: else od }",
        true,
        "d_step blocks",
    ),
    ("every-state", "never { do :: assert(x != 2) od }", true, "`x != 2` fails"),
    (
        "behind-else",
        "never { do :: x == 3 -> assert(x == 0) :: else -> assert(x != 2) od }",
        false,
        "",
    ),
    ("end-label", "never { do :: x == 3 -> break :: else od; end1: do :: 1 od }", true, ""),
    ("unless", "never { do :: 1 od unless { x == 3 } }", true, ""),
    (
        "escape-first",
        "never { do :: x == 3 -> assert(0) :: else od unless { x == 3; x == 3 } }",
        false,
        "",
    ),
    ("poll", "never { do :: q?[1] -> break :: 1 od }", false, ""),
    ("guarded", "never { do :: x > 0 && 6 / x == 3 -> break :: else od }", true, ""),
];

#[test]
fn statements_of_claims() {
    for &(name, claim, violated, said) in CLAIMS {
        let model = model(PROGRAM, claim);
        for algorithm in [None, Some(Algorithm::Nested), Some(Algorithm::Couvreur)] {
            let found = checked(&model, algorithm);
            let verdict = if violated { Verdict::Violated } else { Verdict::Holds };
            assert_eq!(
                found.verdict, verdict,
                "{name}: {claim} {algorithm:?} {:?}",
                found.unsuitable
            );
            let reported = found
                .counterexample
                .as_ref()
                .and_then(|found| found.reported())
                .unwrap_or_default();
            assert!(reported.contains(said), "{name}: {reported}");
            assert_eq!(said.is_empty(), reported.is_empty(), "{name}: {reported}");
        }
    }
}

#[test]
fn the_assertion_has_its_line() {
    let model = model(PROGRAM, "never {\n  do\n  :: assert(x < 3)\n  od\n}");
    let found = checked(&model, None).counterexample.expect("it is violated");
    let reported = found.reported().expect("a failed assertion");
    assert!(
        reported.starts_with("the claim's assertion `x < 3` fails (") && reported.ends_with(":5)"),
        "{reported}"
    );
}

#[test]
fn a_claim_may_not_change_anything() {
    let model = model(PROGRAM, "never { do :: x == 3 -> x = 0 :: else od }");
    let found = checked(&model, None);
    assert_eq!(found.verdict, Verdict::Inconclusive);
    let reason = found.unsuitable.expect("a reason").to_string();
    assert!(reason.contains("`x = 0` has a side effect"), "{reason}");
}

#[test]
fn accept_labels_of_processes_count_beside_a_claim() {
    // Locations inside the claim's sequences are not states of its automaton.
    let program = "byte x;\nactive proctype P() { do :: accept_a: x = (x + 1) % 4 od }\n";
    let model = model(program, "never { do :: atomic { x == 1 -> x < 3 -> skip } :: x != 1 od }");
    for algorithm in
        [None, Some(Algorithm::Nested), Some(Algorithm::Magic), Some(Algorithm::Tarjan)]
    {
        assert_eq!(checked(&model, algorithm).verdict, Verdict::Violated, "{algorithm:?}");
    }
}
